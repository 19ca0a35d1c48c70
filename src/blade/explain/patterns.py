"""From single divergences to patterns over tasks: what failures do otherwise, and passes hardly ever.

A divergence is told at three levels: exactly (this argument of this tool, one year before), by its kind (a date one
year before, in whatever call), and by its family (a call with other arguments). Which of the many exact ones go with
failure is learned on one half of the tasks and tested on the other, and the other way round, so that nothing is tested
on what it was learned from. The test is that of the guard: rollouts of the same task and run. Families that pass it
become modes, split into kinds where a kind has enough rollouts.
"""

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from blade.explain.cases import Cases
from blade.explain.divergence import ARGUMENT, FAMILIES, Divergence
from blade.explain.guard import Association, association
from blade.explain.mode import first_places
from blade.measure.multiplicity import benjamini_hochberg
from blade.measure.panel import Numbers

ALPHA: Final = 0.05
LEAST_ODDS: Final = 2.0
"""As for behaviours: a weaker family explains less than half of the failures that show it."""

CLEAN: Final = 3.0
"""Odds of failing from which on a divergence is taken to go with failure."""

FEWEST: Final = 3
"""Failing rollouts, of two tasks at least, that share a kind of divergence for it to be a mode of its own."""

WORTH_A_NAME: Final = 0.1
"""Share of a family's failing rollouts that a kind of divergence holds for it to be a mode of its own."""

_OF_THEIR_PLACE: Final = frozenset({"text", "choice", "type", "larger", "smaller"})
"""Kinds, and words, of differences that say nothing without the argument that they stand in."""

_HALVES: Final = 2


class Shown(NamedTuple):
    """The divergences of one rollout."""

    case: int
    divergences: Sequence[Divergence]


class Exact(NamedTuple):
    """A divergence without its step."""

    family: str
    tool: str
    path: str
    kind: str
    words: str

    @property
    def general(self) -> tuple[str, ...]:
        """What it has in common with others: the kind of difference, or else the place."""
        if self.family != ARGUMENT:
            return (self.family, self.tool, self.path)
        if self.is_of_its_place:
            return (self.family, self.kind, self.words, self.tool, self.path)
        return (self.family, self.kind, self.words)

    @property
    def is_of_its_place(self) -> bool:
        """Whether what differs says nothing without the argument that it stands in."""
        return bool(_OF_THEIR_PLACE & {self.kind, self.words})


class Pattern(NamedTuple):
    """Divergences of one kind that go with failure, and the rollouts that show them, passes too."""

    family: str
    exact: tuple[Exact, ...]
    """Those it is made of, the most frequent first."""
    rest: bool
    """Whether it is what is left of a family."""
    cases: Numbers
    steps: Numbers
    association: Association
    p_adjusted: float
    contrasts: tuple[int, int]
    """How many failing rollouts show it, of how many that were held against a reference."""


def patterns(cases: Cases, shown: Sequence[Shown]) -> list[Pattern]:
    """The patterns in the divergences of some rollouts, by family and then by size."""
    table = _Table(cases, shown)
    if not table.exact:
        return []
    tested = {family: table.tested(family) for family in FAMILIES}
    asked = [family for family, found in tested.items() if found is not None]
    adjusted = benjamini_hochberg([tested[family].p for family in asked]).tolist()  # type: ignore[union-attr]
    found: list[Pattern] = []
    for family, p in zip(asked, adjusted, strict=True):
        held = tested[family]
        if held and p < ALPHA and held.value is not None and held.value >= LEAST_ODDS:
            found += table.of_family(family, held, p)
    return found


class _Table:
    """Divergences as columns: which rollout shows which exact one, and where."""

    def __init__(self, cases: Cases, shown: Sequence[Shown]) -> None:
        self.cases = cases
        self.held = np.array(sorted(each.case for each in shown), dtype=np.int64)
        self.exact: list[Exact] = []
        numbers: dict[Exact, int] = {}
        rows = []
        for each in shown:
            for divergence in each.divergences:
                number = numbers.setdefault(_exact(divergence), len(numbers))
                rows.append((each.case, number, divergence.step))
        self.exact = list(numbers)
        self.case, self.number, self.step = np.array(rows or np.zeros((0, 3)), dtype=np.int64).T
        self.half = _halves(cases)
        self.failed = cases.failed
        self._family = np.array([list(FAMILIES).index(each.family) for each in self.exact], dtype=np.int64)
        everywhere = np.ones(_HALVES, dtype=bool)
        self._clean = self._go_with_failure(everywhere)

    def _go_with_failure(self, halves: Numbers) -> Numbers:
        """Of each exact divergence whether failures show it more than passes do, over some halves of the tasks."""
        own = halves[self.half[self.case]]
        counts = self._counts(self.number[own], self.case[own], len(self.exact))
        odds, seen = self._odds(counts, halves)
        general, code = self._generals
        wider = self._counts(code[self.number[own]], self.case[own], len(general))
        wider_odds, wider_seen = self._odds(wider, halves)
        by_itself = seen >= FEWEST
        by_kind = ~by_itself & (wider_seen[code] >= 1)
        return np.where(by_itself, odds >= CLEAN, by_kind & (wider_odds[code] >= CLEAN))

    @property
    def _generals(self) -> tuple[list[tuple[str, ...]], Numbers]:
        names = sorted({each.general for each in self.exact})
        place = {name: number for number, name in enumerate(names)}
        return names, np.array([place[each.general] for each in self.exact], dtype=np.int64)

    def _counts(self, number: Numbers, case: Numbers, kinds: int) -> Numbers:
        """Of each kind, run and outcome how many rollouts show it."""
        runs = len(self.cases.panels)
        pairs = np.unique(number * len(self.cases) + case)
        number, case = pairs // len(self.cases), pairs % len(self.cases)
        place = (number * runs + self.cases.run[case]) * 2 + self.failed[case]
        return np.bincount(place, minlength=kinds * runs * 2).reshape(kinds, runs, 2)

    def _odds(self, counts: Numbers, halves: Numbers) -> tuple[Numbers, Numbers]:
        """Of each kind its common odds ratio over runs, half a rollout added to each cell; and how many show it."""
        own = self.held[halves[self.half[self.held]]]
        runs = len(self.cases.panels)
        of_all = np.bincount(self.cases.run[own] * 2 + self.failed[own], minlength=2 * runs).reshape(runs, 2)
        a, b = counts[:, :, 1] + 0.5, counts[:, :, 0] + 0.5
        c, d = of_all[:, 1] - counts[:, :, 1] + 0.5, of_all[:, 0] - counts[:, :, 0] + 0.5
        n = a + b + c + d
        return (a * d / n).sum(axis=1) / (b * c / n).sum(axis=1), counts.sum(axis=(1, 2))

    def tested(self, family: str) -> Association | None:
        """The association of a family with failure, each half tested by what the other one taught."""
        place = list(FAMILIES).index(family)
        if not (self._family == place).any():
            return None
        shown = np.zeros(len(self.cases), dtype=bool)
        for half in range(_HALVES):
            taught = self._go_with_failure(np.arange(_HALVES) != half)
            own = (self.half[self.case] == half) & taught[self.number] & (self._family[self.number] == place)
            shown[self.case[own]] = True
        held = self.held
        return association(shown[held], self.failed[held], self.cases.stratum[held], self.cases.run[held])

    def of_family(self, family: str, held: Association, p: float) -> Iterator[Pattern]:
        """The patterns of a family that was accepted: its kinds by size, then what is left of it."""
        place = list(FAMILIES).index(family)
        own = self._clean[self.number] & (self._family[self.number] == place)
        groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for row in np.flatnonzero(own).tolist():
            groups[self.exact[self.number[row]].general].append(row)
        failing = {name: self._failing(rows) for name, rows in groups.items()}
        enough = max(FEWEST, WORTH_A_NAME * len(self._failing(np.flatnonzero(own).tolist())))
        named, left = [], []
        for name, rows in groups.items():
            if len(failing[name]) >= enough and len(np.unique(self.cases.task[failing[name]])) > 1:
                named.append(self._pattern(family, rows, held, p, named=True))
            else:
                left += rows
        yield from sorted(named, key=lambda each: (-each.contrasts[0], each.exact))
        if left:
            yield self._pattern(family, sorted(left), held, p, named=False)

    def _failing(self, rows: list[int]) -> Numbers:
        """The failing rollouts that show any of these."""
        case = np.unique(self.case[rows])
        return np.asarray(case[self.failed[case]])

    def _pattern(self, family: str, rows: list[int], held: Association, p: float, *, named: bool) -> Pattern:
        frequent = Counter(self.number[rows].tolist())
        exact = [
            self.exact[number]
            for number, _ in sorted(frequent.items(), key=lambda item: (-item[1], self.exact[item[0]]))
        ]
        chosen, steps = first_places(self.case[rows], self.step[rows])
        contrasts = int(self.failed[chosen].sum()), int(self.failed[self.held].sum())
        return Pattern(family, tuple(exact), not named, chosen, steps, held, p, contrasts)


def _exact(divergence: Divergence) -> Exact:
    return Exact(divergence.family, divergence.tool, divergence.path, divergence.kind, divergence.words)


def _halves(cases: Cases) -> Numbers:
    """Of each rollout the half that its task is in; it depends on what the task asks, not on its number."""
    half = np.zeros(max(1, cases.tasks), dtype=np.int64)
    for run, panel in enumerate(cases.panels):
        span = cases.of_run(run)
        numbers = dict(zip(panel.task.tolist(), cases.task[span].tolist(), strict=True))
        for place, number in numbers.items():
            known = min(panel.questions[place], default="") if panel.questions else ""
            half[number] = zlib.crc32((known or panel.tasks[place]).encode()) % _HALVES
    return half[cases.task]
