"""What a failure mode is, and the tiers that look for modes.

A mode is a predicate, evaluated on every rollout of every run of the analysis, passes too, so that the same thing has
the same name everywhere. A tier is one module of `blade.explain.tiers` with one function, registered by `@tier`; its
place says how telling its modes are: a rollout gets its mode from the first tier that has an accepted one for it.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

import numpy as np

from blade.explain.cases import Cases
from blade.explain.guard import UNKNOWN, Association
from blade.measure.panel import Numbers

VERDICT: Final = "verdict"
"""Said by the verifier or by what became of the row: it stands in no pass, and needs no other proof."""

ENDING: Final = "ending"
"""It ended the rollout: taken unless passes end so as often."""

BEHAVIOUR: Final = "behaviour"
"""It may explain a failure: taken where failures show it more often than passes of the same task and run."""

TESTED: Final = "tested"
"""It may explain a failure, and its own tier tested it on rollouts that it was not learned from."""

REST: Final = "rest"
"""What is left: rollouts that nothing else explains."""


@dataclass(frozen=True, kw_only=True)
class Mode:
    """One failure mode: which rollouts show it, and where."""

    key: str
    title: str
    cause: str
    """A word of `vocabulary.CAUSES`, by the plain table of causes."""
    owner: str
    """A word of `vocabulary.OWNERS`."""
    proof: str
    """`verdict`, `ending`, `behaviour`, `tested` or `rest`."""
    cases: Numbers
    """The rollouts that show it, passes too, in order."""
    steps: Numbers
    """Of each the step that shows it first; -1 where none does."""
    rule: str
    """How it was recognised, in words."""
    tier: str = ""
    association: Association = UNKNOWN
    p_adjusted: float | None = None

    def step_of(self, case: int) -> int:
        """The step at which a rollout shows it; -1 where it does not."""
        return self.steps_of(np.array([case]))[0]

    def steps_of(self, cases: Numbers) -> list[int]:
        """The same for several rollouts."""
        if not len(self.cases):
            return [-1] * len(cases)
        places = np.minimum(np.searchsorted(self.cases, cases), len(self.cases) - 1)
        found: list[int] = np.where(self.cases[places] == cases, self.steps[places], -1).tolist()
        return found


def first_places(cases: Numbers, steps: Numbers) -> tuple[Numbers, Numbers]:
    """Rollouts, each once and in order, with the first step of each; -1 for none."""
    late = np.where(steps < 0, np.iinfo(np.int64).max, steps)
    order = np.lexsort((late, cases))
    unique, first = np.unique(cases[order], return_index=True)
    return unique, steps[order][first]


Find = Callable[[Cases], Iterable[Mode]]
FindInRest = Callable[[Cases, Numbers], Iterable[Mode]]


class Tier(NamedTuple):
    """A row of the registry: where its modes stand among the others, and the function that finds them."""

    place: float
    name: str
    meaning: str
    find: Find | None
    find_in_rest: FindInRest | None = None
    """Of a tier that looks only at what the others leave: it is also given which rollouts those are."""


_TIERS: Final[dict[str, Tier]] = {}


def tier(name: str, *, place: float) -> Callable[[Find], Find]:
    """Register a function as the tier `name`; the first line of its docstring says what its modes are."""

    def register(find: Find) -> Find:
        _enter(Tier(place, name, _meaning(find), find))
        return find

    return register


def tier_of_rest(name: str, *, place: float) -> Callable[[FindInRest], FindInRest]:
    """Register a function as a tier that is asked about what no other tier has a mode for."""

    def register(find: FindInRest) -> FindInRest:
        _enter(Tier(place, name, _meaning(find), None, find))
        return find

    return register


def _meaning(find: Callable[..., object]) -> str:
    return (find.__doc__ or "").strip().split("\n")[0]


def _enter(row: Tier) -> None:
    if row.name in _TIERS or any(other.place == row.place for other in _TIERS.values()):
        raise ValueError(f"two tiers have the name {row.name} or the place {row.place}")
    _TIERS[row.name] = row


@cache
def all_tiers() -> tuple[Tier, ...]:
    """Every tier of `blade.explain.tiers`, the most telling first."""
    from blade.explain import tiers

    for module in sorted(found.name for found in pkgutil.iter_modules(tiers.__path__)):
        importlib.import_module(f"{tiers.__name__}.{module}")
    return tuple(sorted(_TIERS.values()))
