"""A whole package written from runs: D1, D2 and D3. Whoever asked for it validates and calibrates it then."""

import json
import os
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from blade.artifacts.discover import find_runs
from blade.check.anchors import from_runs
from blade.check.anchors.drafting import draft
from blade.check.anchors.fact import AnchorFact, document, numbered
from blade.check.claims.from_store import truth_of
from blade.check.files import write_json, write_text
from blade.check.shallow import shallow
from blade.errors import InputError
from blade.explain.drafting import draft_profile
from blade.measure.run import Settings, settings_of
from blade.package.drafting.rollouts import Copied, file_stem
from blade.package.drafting.skill import Known, SkillText
from blade.profile.reading import Profile, load_profile
from blade.report import markdown
from blade.report.composing import compose
from blade.report.findings import Findings, gather
from blade.report.sidecar import metrics_of
from blade.scan.store import Options, Store, scan_runs

MOST_FACTS: Final = 25
ENOUGH_FACTS: Final = 12
"""Facts from findings of which no more are wanted from the report's text."""


REVIEW: Final = (
    "skill/SKILL.md: the overview, the meaning of each field, the taxonomy; then delete its section To Review",
    "skill/profile.toml: pass rule, slices, stages, and modes with their causes and owners",
    "golden_reports/*_golden_report.md: is it what an expert would tell, and is anything missing?",
    "golden_reports/*_anchor_facts.json: is each fact worth asking for? Then set review_required to false",
    "rollouts/: what was taken out, and what no program can know to be private",
)
"""What a person has to look at in a package that was drafted."""

_NAME: Final = re.compile(r"(?m)^name = .*$")
"""The first name in a drafted profile is the benchmark's."""

Tell = Callable[[str], None]


class Made(NamedTuple):
    """A package that was written."""

    root: Path
    models: list[str]
    """What the golden reports are named after."""
    redacted: dict[str, int]
    """How many different things of each kind were taken out of the rollouts."""


class Wishes(NamedTuple):
    """How a package is to be made."""

    threshold: float | None = None
    link: bool = False
    """Link the rollouts rather than copy them without what is private."""
    profile: Path | None = None
    """A profile that is there already; without one it is drafted."""
    known: Known | None = None
    """What a person knows already; a skill that has it needs no review."""
    now: datetime | None = None
    options: Options | None = None


def make_package(
    name: str, runs: Sequence[str], root: Path, wishes: Wishes | None = None, *, tell: Tell = lambda _: None
) -> Made:
    """Write the package of a benchmark into `root`, where nothing may stand yet."""
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise InputError("is there already", file=str(root), hint="name another benchmark or another --dir")
    return _Making(name, root, wishes or Wishes(), tell).made(runs)


class _Making:
    """A package at work."""

    def __init__(self, name: str, root: Path, wishes: Wishes, tell: Tell) -> None:
        self._name = name
        self._root = root
        self._wishes = wishes
        self._tell = tell
        self._options = wishes.options or Options(cache=None)

    def made(self, runs: Sequence[str]) -> Made:
        paths, redacted = self._rollouts(runs)
        self._tell("profile")
        profile = self._profile(paths)
        with self._store(paths, profile) as store:
            self._tell("skill")
            everything = self._findings(store, profile, paths)
            skill = SkillText(self._name, everything, store, profile, self._wishes.known).text()
            write_text(self._root / "skill" / "SKILL.md", skill)
            if len(paths) > 1:
                self._comparison(everything, store)
        for path in paths:
            with self._store([path], profile) as store:
                self._golden(store, profile, path)
        return Made(self._root, [_model(path) for path in paths], redacted)

    def _store(self, paths: Sequence[Path], profile: Profile) -> Store:
        options = msgspec.structs.replace(self._options, id_fields=profile.id_fields)
        return scan_runs(find_runs([str(path) for path in paths]), options)

    def _rollouts(self, runs: Sequence[str]) -> tuple[list[Path], dict[str, int]]:
        found = find_runs(runs)
        with scan_runs(found, self._options) as store:
            query = "SELECT DISTINCT task, row_id FROM rollouts"
            ids = {text for row in store.connection.execute(query).fetchall() for text in row if text}
        copied = Copied(self._root / "rollouts", keep=ids)
        paths = []
        for run in found:
            self._tell(f"rollouts of {run.name}")
            paths.append(copied.link(run) if self._wishes.link else copied.copy(run))
        return paths, copied.redacted

    def _profile(self, paths: Sequence[Path]) -> Profile:
        place = self._root / "skill" / "profile.toml"
        if self._wishes.profile:
            load_profile(self._wishes.profile)
            write_text(place, self._wishes.profile.read_text(encoding="utf-8"))
        else:
            with self._store(paths, Profile()) as store:
                drafted = draft_profile(store, settings_of(None, threshold=self._wishes.threshold))
            write_text(place, _NAME.sub(f"name = {json.dumps(self._name)}", drafted, count=1))
        return load_profile(place)

    def _findings(self, store: Store, profile: Profile, paths: Sequence[Path]) -> Findings:
        shown = " ".join(self._shown(str(path)) for path in paths)
        found = gather(store, self._settings(profile), command=f"blade report {shown} -o OUT", tell=self._tell)
        return msgspec.structs.replace(found, benchmark=self._name, redacts=False)

    def _settings(self, profile: Profile) -> Settings:
        return settings_of(profile, threshold=self._wishes.threshold)

    def _report(self, findings: Findings, store: Store) -> str:
        return self._shown(markdown.render(compose(findings, store, clean=str)))

    def _shown(self, text: str) -> str:
        """A text in which files of the package are named from its root."""
        for root in (os.path.abspath(self._root), str(self._root)):
            text = text.replace(root.rstrip(os.sep) + os.sep, "")
        return text

    def _comparison(self, findings: Findings, store: Store) -> None:
        names = [file_stem(run) for run in findings.names]
        place = self._reports / f"{names[0]}_vs_{'_vs_'.join(names[1:3])}_golden_report.md"
        write_text(place, self._report(findings, store))

    @property
    def _reports(self) -> Path:
        return self._root / "golden_reports"

    def _golden(self, store: Store, profile: Profile, path: Path) -> None:
        """The golden report of one run, with its companions."""
        model = _model(path)
        self._tell(f"golden report of {model}")
        findings = self._findings(store, profile, [path])
        source = self._report(findings, store)
        write_text(self._reports / f"{model}_golden_report.md", source)
        metrics = metrics_of(findings, findings.metrics[0])
        write_json(self._reports / f"{model}_golden_report_metrics.json", msgspec.to_builtins(metrics))
        write_text(self._reports / f"{model}_shallow.md", shallow(source))
        self._tell(f"anchor facts of {model}")
        settings = self._settings(profile)
        facts = draft(source, most=MOST_FACTS, found=from_runs.draft(store, settings), truth=truth_of(store, settings))
        told = document(
            worth_asking(facts.facts),
            benchmark=self._name,
            model=findings.metrics[0].model or model,
            method=facts.method,
            generated_at=(self._wishes.now or datetime.now(UTC)).replace(microsecond=0).isoformat(),
        )
        told["review_required"] = self._wishes.known is None
        write_json(self._reports / f"{model}_anchor_facts.json", told)


def worth_asking(facts: Sequence[AnchorFact]) -> list[AnchorFact]:
    """Facts of which each says something else; what only repeats the report's text fills up where there are too few."""
    told: set[tuple[str, str]] = set()
    found: list[AnchorFact] = []
    for fact in facts:
        key = (fact.subject, fact.what)
        if fact.line is None and (not fact.what or key not in told):
            told.add(key)
            found.append(fact)
    missing = max(0, ENOUGH_FACTS - len(found))
    return numbered([*found, *[fact for fact in facts if fact.line is not None][:missing]])


def _model(path: Path) -> str:
    return path.name.split("_rollouts")[0]
