"""What of a package stands where. Both spellings of names are known, `-` and `_`, and both places of rollouts."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from blade.artifacts.nemo_gym.names import is_row_file, shard_of, sidecar_kind, stem_of

REPORTS: Final = ("golden_reports", "golden-reports")
MOST_FILES: Final = 20_000
"""Files of a package that are looked at."""

_REPORT: Final = "golden_report"
_COMPARES: Final = "_vs_"


class Golden(NamedTuple):
    """A golden report, with where its companions stand or should stand."""

    model: str
    report: Path
    metrics: Path
    anchors: Path
    shallow: Path


class Layout(NamedTuple):
    """The deliverables of a package, as far as they are there."""

    root: Path
    skill: Path | None
    profile: Path | None
    rollouts: list[Path]
    runs: dict[str, list[Path]]
    """Files of rollouts by run: shards of one run stand together."""
    goldens: list[Golden]
    comparisons: list[Path]
    """Golden reports about several models, which need no companions."""
    files: list[Path]
    """Every file and link below the root."""

    @property
    def baseline(self) -> str:
        """The model that others are compared with, by the name of the first comparison; empty where there is none."""
        return _model(self.comparisons[0]).partition(_COMPARES)[0] if self.comparisons else ""

    def shown(self, path: Path) -> str:
        """A path as people name it: from the package's root."""
        try:
            return str(path.relative_to(self.root))
        except ValueError:
            return str(path)


def layout_of(root: Path) -> Layout:
    """Where the deliverables of the package at `root` stand."""
    rollouts = _rollouts(root)
    reports = next((root / name for name in REPORTS if (root / name).is_dir()), root / REPORTS[0])
    goldens, comparisons = _goldens(reports)
    return Layout(
        root=root,
        skill=_first(root / "skill" / "SKILL.md", root / "SKILL.md"),
        profile=_first(root / "skill" / "profile.toml", root / "profile.toml"),
        rollouts=rollouts,
        runs=_runs(rollouts),
        goldens=goldens,
        comparisons=comparisons,
        files=list(files_below(root)),
    )


def files_below(root: Path) -> Iterator[Path]:
    """Every file and link below a directory, in order; linked directories are not entered, hidden ones neither."""
    seen = 0
    for parent, below, names in os.walk(root):
        links = [name for name in below if Path(parent, name).is_symlink()]
        below[:] = sorted(name for name in below if name not in links and name not in _NOT_SHARED)
        for name in sorted([*names, *links]):
            seen += 1
            if seen > MOST_FILES:
                return
            yield Path(parent, name)


_NOT_SHARED: Final = frozenset([".git", ".venv", "__pycache__", ".ipynb_checkpoints"])


def _first(*paths: Path) -> Path | None:
    """The first of some places where something stands, whatever it is."""
    return next((path for path in paths if os.path.lexists(path)), None)


def _listed(directory: Path) -> list[Path]:
    try:
        return sorted(directory.iterdir())
    except OSError:
        return []


def _rollouts(root: Path) -> list[Path]:
    own = [path for path in _listed(root / "rollouts") if _may_hold_rows(path)]
    data = [path for path in _listed(root / "data") if "rollout" in path.name.lower() and _may_hold_rows(path)]
    return own or data


def _may_hold_rows(path: Path) -> bool:
    return is_row_file(path) and sidecar_kind(path) is None and not path.name.startswith(".")


def _runs(rollouts: list[Path]) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    for path in rollouts:
        stem = stem_of(path.name)
        found.setdefault(shard_of(stem) or stem, []).append(path)
    return found


def plain_name(name: str) -> str:
    """A name whatever its case and joints."""
    return name.lower().replace("-", "_")


def _model(report: Path) -> str:
    return plain_name(report.stem).removesuffix(_REPORT).strip("_")


def _goldens(directory: Path) -> tuple[list[Golden], list[Path]]:
    by_name = {plain_name(path.name): path for path in _listed(directory)}
    goldens, comparisons = [], []
    for name, path in by_name.items():
        if not name.endswith(f"{_REPORT}.md"):
            continue
        if _COMPARES in name:
            comparisons.append(path)
        else:
            goldens.append(_golden(path, name, by_name))
    return goldens, comparisons


def _golden(report: Path, name: str, by_name: dict[str, Path]) -> Golden:
    """The companions of a report: those that are there under any of their names, else where each should be."""
    stem = name.removesuffix(".md")
    model = stem.removesuffix(_REPORT)
    joint = "-" if "-" in report.stem and "_" not in report.stem else "_"
    spelled = report.stem[: len(model)]

    def companion(*wanted: str, usual: str) -> Path:
        there = next((by_name[each] for each in wanted if each in by_name), None)
        return there or report.parent / (spelled + usual.replace("_", joint))

    return Golden(
        model=spelled.strip("-_"),
        report=report,
        metrics=companion(f"{stem}_metrics.json", f"{model}metrics.json", usual=f"{_REPORT}_metrics.json"),
        anchors=companion(f"{model}anchor_facts.json", f"{stem}_anchor_facts.json", usual="anchor_facts.json"),
        shallow=companion(f"{model}shallow.md", f"{model}shallow_report.md", f"{stem}_shallow.md", usual="shallow.md"),
    )
