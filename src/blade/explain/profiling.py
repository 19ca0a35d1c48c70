"""Profiles held against runs: what each rule catches, and what no rule does."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from blade.errors import InputError
from blade.explain.assign import assign, is_accepted
from blade.explain.cases import Cases
from blade.explain.rules import holding, rules_of
from blade.measure.outcomes import NOT_MEASURED
from blade.measure.panel import Numbers
from blade.measure.run import Settings
from blade.profile import Profile, Rule

if TYPE_CHECKING:
    from blade.scan.store import Store


class Caught(msgspec.Struct, kw_only=True):
    """What one rule holds for."""

    kind: str
    """`stage` or `mode`."""
    name: str
    line: int | None
    failing: int = 0
    passing: int = 0
    not_measured: int = 0
    first: int = 0
    """Of a mode the failing and not-measured rollouts that no mode before it has; of a stage those that reach it."""
    taken: bool = True
    """Whether a mode is taken: it is not where passes show it as often."""
    overlap: dict[str, int] = {}
    """Of a mode the failing and not-measured rollouts that it shares with modes before it."""
    error: str = ""
    refs: list[str] = []


class Checked(msgspec.Struct, kw_only=True):
    """A profile held against runs."""

    profile: str
    runs: list[str]
    pass_rule: str
    rollouts: int
    failing: int
    not_measured: int
    caught: list[Caught]
    unexplained: int
    """Failing and not-measured rollouts that no mode of the profile has."""
    unknown_fields: list[str]
    """Fields that the profile names and no row has."""
    names: dict[str, list[str]]
    """What rules may name."""

    @property
    def is_fine(self) -> bool:
        return not self.unknown_fields and not any(one.error for one in self.caught)


def check_profile(store: "Store", settings: Settings) -> Checked:
    """What every rule of the settings' profile catches in the runs of a store."""
    profile = settings.profile or Profile()
    cases = cases_of(store, settings)
    stages = list(_stages(cases, profile))
    covered = np.zeros(len(cases), dtype=bool)
    for rule in profile.modes:
        covered |= cases.mask(_shown(cases, rule)[0])
    modes = list(_modes(cases, profile))
    names = cases.once(rules_of)[0].names
    return Checked(
        profile=profile.path,
        runs=cases.runs,
        pass_rule=str(settings.rule),
        rollouts=len(cases),
        failing=int(cases.failed.sum()),
        not_measured=int((cases.outcome == NOT_MEASURED).sum()),
        caught=[*stages, *modes],
        unexplained=int((~cases.passed & ~covered).sum()),
        unknown_fields=_unknown_fields(store, profile),
        names=names._asdict(),
    )


def cases_of(store: "Store", settings: Settings) -> Cases:
    """The rollouts of every run of a store, by the settings' profile."""
    runs = [summary.run for summary in store.summaries]
    return Cases.of(store, runs, settings.rule, profile=settings.profile)


def _shown(cases: Cases, rule: Rule) -> tuple[Numbers, str]:
    """The rollouts that a rule holds for; or why it cannot be run."""
    try:
        return holding(cases, rule), ""
    except InputError as error:
        return np.zeros(0, dtype=np.int64), str(error)


def _counted(cases: Cases, kind: str, rule: Rule) -> tuple[Caught, Numbers]:
    shown, error = _shown(cases, rule)
    made = Caught(
        kind=kind,
        name=rule.name,
        line=rule.line,
        failing=int(cases.failed[shown].sum()),
        passing=int(cases.passed[shown].sum()),
        not_measured=int((~cases.measured[shown]).sum()),
        error=error,
        refs=cases.refs(shown, [-1] * len(shown)),
    )
    return made, shown


def _stages(cases: Cases, profile: Profile) -> Iterator[Caught]:
    reached = np.ones(len(cases), dtype=bool)
    for rule in profile.stages:
        made, shown = _counted(cases, "stage", rule)
        reached = cases.passed | (reached & cases.mask(shown))
        made.first = int(reached.sum())
        yield made


def _modes(cases: Cases, profile: Profile) -> Iterator[Caught]:
    """The modes of a profile, each beside those before it."""
    counted = [_counted(cases, "mode", rule) for rule in profile.modes]
    runnable = [rule for rule, (made, _) in zip(profile.modes, counted, strict=True) if not made.error]
    cases.profile = replace(profile, stages=(), modes=tuple(runnable))
    accepted = {mode.key for mode in assign(cases).tried if mode.tier == "profile" and is_accepted(mode, cases)}
    before: dict[str, Numbers] = {}
    left = ~cases.passed
    for rule, (made, shown) in zip(profile.modes, counted, strict=True):
        own = cases.mask(shown) & ~cases.passed
        made.taken = not len(shown) or f"profile: {rule.name}" in accepted
        made.overlap = {name: int((own & other).sum()) for name, other in before.items() if (own & other).any()}
        made.first = int((own & left).sum())
        if made.taken:
            left &= ~own
        before[rule.name] = own
        yield made


def _unknown_fields(store: "Store", profile: Profile) -> list[str]:
    known = {name for (name,) in store.connection.execute("SELECT DISTINCT name FROM fields").fetchall()}
    given = {name for (name,) in store.connection.execute("SELECT DISTINCT name FROM input_fields").fetchall()}
    known |= given | {f"inputs.{name}" for name in given}
    named = (*profile.slices, *profile.expected, *profile.given)
    return [name for name in dict.fromkeys(named) if name not in known]
