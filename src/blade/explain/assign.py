"""Every failing and every not-measured rollout gets exactly one mode, from the modes that hold."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from blade.explain.cases import Cases
from blade.explain.guard import ALPHA, LEAST_ODDS, MOST_IN_PASSES_BETWEEN, NONE, WITHIN, association
from blade.explain.mode import BEHAVIOUR, ENDING, VERDICT, Mode, all_tiers
from blade.measure.multiplicity import benjamini_hochberg
from blade.measure.panel import Numbers

NEARLY_ALL_OF_IT: Final = 0.75
"""Share of the reward that a pass takes, from which on a failure counts among passes when endings are judged."""

MOST_IN_PASSES: Final = 0.1
"""Share of passes among the rollouts that an ending stands in, from which on it has to separate as a behaviour does."""

UNEXPLAINED: Final = "unexplained"

_PASSED: Final = -1
_LEFT: Final = -2


@dataclass(frozen=True)
class Assigned:
    """The modes of an analysis, and the one of each rollout."""

    modes: list[Mode]
    """Those that some rollout got, the most telling first; the last is `unexplained`, where any is."""
    mode: Numbers
    """Of each rollout the place of its mode in `modes`; -1 for a pass."""
    tried: list[Mode]
    """Every mode that was looked at, with its association, in the order in which they were tried."""
    accepted: frozenset[str]
    """Keys of those that were found to go with failure."""

    def having(self, mode: int, span: slice = slice(None)) -> Numbers:
        """The rollouts whose mode it is; among those of one run, where its span is given."""
        return np.flatnonzero(self.mode[span] == mode) + (span.start or 0)

    def steps(self) -> Numbers:
        """Of each rollout the step that shows its mode; -1 for none."""
        found = np.full(len(self.mode), -1)
        for number, mode in enumerate(self.modes):
            own = self.having(number)
            found[own] = mode.steps_of(own)
        return found


def assign(cases: Cases) -> Assigned:
    """Look for modes in every tier, keep those that hold, and give each rollout the first that it shows."""
    tried = _judged(cases, list(_found(cases)))
    accepted = _in_order([mode for mode in tried if is_accepted(mode, cases)])
    place = np.where(cases.passed, _PASSED, _LEFT)
    _give(place, accepted, 0)
    rest = list(_found_in_rest(cases, place == _LEFT))
    _give(place, rest, len(accepted))
    ordered = [*accepted, *rest, _unexplained(np.flatnonzero(place == _LEFT))]
    place[place == _LEFT] = len(ordered) - 1
    used = np.unique(place[place >= 0]).tolist()
    renumbered = np.full(len(ordered) + 1, _PASSED)
    renumbered[used] = np.arange(len(used))
    return Assigned([ordered[old] for old in used], renumbered[place], tried, frozenset(mode.key for mode in accepted))


def _give(place: Numbers, modes: list[Mode], first: int) -> None:
    """Give each rollout that is left the first of some modes that it shows; they are numbered from `first` on."""
    for number, mode in enumerate(modes, first):
        place[mode.cases[place[mode.cases] == _LEFT]] = number


def _found(cases: Cases) -> Iterator[Mode]:
    for tier in all_tiers():
        if tier.find:
            yield from (replace(mode, tier=tier.name) for mode in tier.find(cases))


def _found_in_rest(cases: Cases, left: Numbers) -> Iterator[Mode]:
    for tier in all_tiers():
        if tier.find_in_rest:
            yield from (replace(mode, tier=tier.name) for mode in tier.find_in_rest(cases, left))


def _judged(cases: Cases, modes: list[Mode]) -> list[Mode]:
    """Modes with their association with failure, p adjusted over all that were tried.

    Failures that are a wrong verdict say nothing of what failing rollouts do.
    """
    measured = np.flatnonzero(cases.measured & ~_wrong_verdicts(cases, modes))
    failed, stratum, run = cases.failed[measured], cases.stratum[measured], cases.run[measured]
    found = []
    for mode in modes:
        if mode.proof in (BEHAVIOUR, ENDING):
            shown = cases.mask(mode.cases)[measured]
            mode = replace(mode, association=association(shown, failed, stratum, run))
        found.append(mode)
    asked = [mode.proof in (BEHAVIOUR, ENDING) and mode.association.by != NONE for mode in found]
    adjusted = benjamini_hochberg([mode.association.p if ask else None for mode, ask in zip(found, asked, strict=True)])
    return [
        replace(mode, p_adjusted=p) if ask else mode
        for mode, ask, p in zip(found, asked, adjusted.tolist(), strict=True)
    ]


def _wrong_verdicts(cases: Cases, modes: list[Mode]) -> Numbers:
    own = [mode.cases for mode in modes if mode.proof == VERDICT and mode.cause == "TI"]
    return cases.mask(np.concatenate(own)) if own else np.zeros(len(cases), dtype=bool)


def is_accepted(mode: Mode, cases: Cases) -> bool:
    """Whether a mode holds: whether passes of the same task and run do not show it as often."""
    if mode.proof not in (BEHAVIOUR, ENDING):
        return True
    odds = mode.association.value
    separates = (
        odds is not None and (odds >= LEAST_ODDS or mode.association.high is None) and (mode.p_adjusted or 0.0) < ALPHA
    )
    shown = mode.cases[cases.measured[mode.cases]]
    in_passes = float(cases.passed[shown].mean()) if len(shown) else 0.0
    if mode.proof == ENDING:
        return separates or _nearly_passed(cases, shown) <= MOST_IN_PASSES
    return separates and (mode.association.by == WITHIN or in_passes <= MOST_IN_PASSES_BETWEEN)


def _nearly_passed(cases: Cases, shown: Numbers) -> float:
    """The share of some rollouts that pass, or get nearly the reward that a pass takes."""
    if not len(shown):
        return 0.0
    least = NEARLY_ALL_OF_IT * min(cases.reward[cases.passed], default=1.0)
    return float((cases.passed[shown] | ((least > 0) & (cases.reward[shown] >= least))).mean())


def _in_order(modes: list[Mode]) -> list[Mode]:
    """Modes as they are tried: by tier; in a tier verdicts and endings as they were found, behaviours by strength."""
    places = {tier.name: number for number, tier in enumerate(all_tiers())}

    def order(item: tuple[int, Mode]) -> tuple[float, ...]:
        number, mode = item
        strength = -(mode.association.low or 0.0) if mode.proof == BEHAVIOUR else 0.0
        weak = 0 if mode.proof in (VERDICT, ENDING) or mode.association.by == WITHIN else 1
        return (places[mode.tier], weak, strength, number)

    return [mode for _, mode in sorted(enumerate(modes), key=order)]


def _unexplained(cases: Numbers) -> Mode:
    return Mode(
        key=UNEXPLAINED,
        title="Not explained by anything found",
        cause="unknown",
        owner="model",
        proof="rest",
        cases=cases,
        steps=np.full(len(cases), -1),
        rule="no tier has an accepted mode for it",
    )
