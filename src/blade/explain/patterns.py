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
from blade.explain.conduct import only_looks
from blade.explain.divergence import ARGUMENT, FAMILIES, Divergence
from blade.explain.guard import ALPHA, BETWEEN, LEAST_ODDS, MOST_IN_PASSES_BETWEEN, NONE, Association, association
from blade.explain.mode import first_places
from blade.measure.multiplicity import benjamini_hochberg
from blade.measure.panel import Numbers
from blade.measure.student import normal_cdf

CLEAN: Final = 3.0
"""Odds of failing from which on a divergence is taken to go with failure."""

FEWEST: Final = 3
"""Failing rollouts, of two tasks at least, that share a kind of divergence for it to be a mode of its own."""

WORTH_A_NAME: Final = 0.1
"""Share of a family's failing rollouts that a kind of divergence holds for it to be a mode of its own."""

MOST_IN_PASSES: Final = 0.1
"""Share of passes among those that leave a binding reference in one way, up to which that way is taken to matter."""

_OF_THEIR_PLACE: Final = frozenset({"text", "choice", "type", "larger", "smaller"})
"""Kinds, and words, of differences that say nothing without the argument that they stand in."""

_DRAWN: Final = 0.5
"""What an odds ratio is drawn towards 1 by: half a rollout for it, and half a one against it."""

_MOSTLY: Final = 0.5
_LEAST_VARIANCE: Final = 1e-9

_HALVES: Final = 2


class Shown(NamedTuple):
    """The divergences of one rollout from one reference."""

    case: int
    divergences: Sequence[Divergence]
    within: bool
    """Whether it is to be judged among the rollouts of its task in its run; else among those of its run.

    A pass may be there in both ways: it stands for what is usual beside failures of its own task, and beside those of
    tasks that its run never passes. Both are then held against the same kind of reference as those failures are.
    """


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


def patterns(cases: Cases, shown: Sequence[Shown], *, binding: bool = False) -> list[Pattern]:
    """The patterns in the divergences of some rollouts, by family and then by size.

    Where the reference is `binding`, as the calls are that a benchmark expects, nothing has to be learned first: to
    leave it in a call that acts is taken to matter, unless passes do so too.
    """
    table = _Table(cases, shown, binding=binding)
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


class _Told(NamedTuple):
    """What is known of each kind of divergence."""

    seen: Numbers
    """How many rollouts show it."""
    passing: Numbers
    """How many of these pass."""
    odds: Numbers
    """Its common odds ratio by Mantel and Haenszel, drawn towards 1."""
    clean: Numbers
    """Whether failures show it more than passes, beyond what chance does often."""


class _Table:
    """Divergences as columns: which rollout shows which exact one, against what, and where."""

    def __init__(self, cases: Cases, shown: Sequence[Shown], *, binding: bool = False) -> None:
        self.cases = cases
        self.held = np.array([each.case for each in shown], dtype=np.int64)
        self.failed = cases.failed[self.held]
        self.half = _halves(cases)[self.held]
        self.stratum = np.array(
            [cases.stratum[each.case] if each.within else -1 - cases.run[each.case] for each in shown], dtype=np.int64
        )
        numbers: dict[Exact, int] = {}
        rows = []
        for place, each in enumerate(shown):
            for divergence in each.divergences:
                rows.append((place, numbers.setdefault(_exact(divergence), len(numbers)), divergence.step))
        self.exact = list(numbers)
        self.place, self.number, self.step = np.array(rows or np.zeros((0, 3)), dtype=np.int64).T
        self._presumed = np.array([binding and not only_looks(each.tool) for each in self.exact], dtype=bool)
        self._family = np.array([list(FAMILIES).index(each.family) for each in self.exact], dtype=np.int64)
        self._clean = self._go_with_failure(np.ones(len(self.held), dtype=bool))

    @property
    def case(self) -> Numbers:
        """Of each divergence its rollout."""
        return np.asarray(self.held[self.place])

    def _go_with_failure(self, known: Numbers) -> Numbers:
        """Of each exact divergence whether failures show it more than passes do, as far as some rollouts tell.

        By itself, or as one of a kind that they show more; then it may not tell otherwise itself.
        """
        own = known[self.place]
        exact = self._told(self.number[own], self.place[own], len(self.exact), known)
        general, code = self._generals
        wider = self._told(code[self.number[own]], self.place[own], len(general), known)
        learned = exact.clean | (wider.clean[code] & ((exact.seen < FEWEST) | (exact.odds >= LEAST_ODDS)))
        return np.asarray(learned | (self._presumed & (exact.passing <= MOST_IN_PASSES * exact.seen)))

    @property
    def _generals(self) -> tuple[list[tuple[str, ...]], Numbers]:
        names = sorted({each.general for each in self.exact})
        place = {name: number for number, name in enumerate(names)}
        return names, np.array([place[each.general] for each in self.exact], dtype=np.int64)

    def _told(self, number: Numbers, place: Numbers, kinds: int, known: Numbers) -> "_Told":
        """What the strata tell of each kind; only those that show it at all tell anything."""
        _, stratum = np.unique(self.stratum, return_inverse=True)
        strata = int(stratum.max(initial=-1)) + 1
        fails, passes = (np.bincount(stratum[known & which], minlength=strata) for which in (self.failed, ~self.failed))
        pairs = np.unique(number * len(self.held) + place)
        number, place = pairs // len(self.held), pairs % len(self.held)
        cells, cell = np.unique(number * strata + stratum[place], return_inverse=True)
        a, b = (np.bincount(cell[which], minlength=len(cells)) for which in (self.failed[place], ~self.failed[place]))
        kind, of = cells // strata, cells % strata
        f, p = fails[of], passes[of]
        n = np.maximum(f + p, 1)
        for_it, against, expected, variance = (
            np.bincount(kind, weights=weights, minlength=kinds)
            for weights in (
                a * (p - b) / n,
                b * (f - a) / n,
                (a + b) * f / n,
                (a + b) * f * p * (n - a - b) / (n**2 * np.maximum(n - 1, 1)),
            )
        )
        failing = np.bincount(kind, weights=a, minlength=kinds)
        surprise = (failing - expected - _DRAWN) / np.sqrt(np.maximum(variance, _LEAST_VARIANCE))
        odds = (for_it + _DRAWN) / (against + _DRAWN)
        chance = benjamini_hochberg([normal_cdf(-each) for each in surprise.tolist()])
        seen = np.bincount(number, minlength=kinds)
        return _Told(seen, seen - failing, odds, (odds >= CLEAN) & (chance < ALPHA))

    def tested(self, family: str) -> Association | None:
        """The association of a family with failure, each half tested by what the other one taught.

        It has no value where no task tells about it and passes show it too: hard tasks may bring it about.
        """
        number = list(FAMILIES).index(family)
        if not (self._family == number).any():
            return None
        shown = np.zeros(len(self.held), dtype=bool)
        for half in range(_HALVES):
            taught = self._go_with_failure(self.half != half)
            own = (self.half[self.place] == half) & taught[self.number] & (self._family[self.number] == number)
            shown[self.place[own]] = True
        found = association(shown, self.failed, self.stratum, self.stratum)
        mostly_between = (
            (self.stratum[shown & self.failed] < 0).mean() > _MOSTLY if (shown & self.failed).any() else False
        )
        if not mostly_between or found.by == NONE:
            return found
        in_passes = float((~self.failed[shown]).mean())
        return found._replace(by=BETWEEN, value=found.value if in_passes <= MOST_IN_PASSES_BETWEEN else None)

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
        return np.asarray(case[self.cases.failed[case]])

    def _pattern(self, family: str, rows: list[int], held: Association, p: float, *, named: bool) -> Pattern:
        frequent = Counter(self.number[rows].tolist())
        exact = [
            self.exact[number]
            for number, _ in sorted(frequent.items(), key=lambda item: (-item[1], self.exact[item[0]]))
        ]
        chosen, steps = first_places(self.case[rows], self.step[rows])
        contrasts = int(self.cases.failed[chosen].sum()), len(np.unique(self.held[self.failed]))
        return Pattern(family, tuple(exact), not named, chosen, steps, held, p, contrasts)


def _exact(divergence: Divergence) -> Exact:
    return Exact(divergence.family, divergence.tool, divergence.path, divergence.kind, divergence.words)


def _halves(cases: Cases) -> Numbers:
    """Of each rollout the half that its task is in; it depends on what is asked, not on numbers or orders."""
    half = np.zeros(max(1, cases.tasks), dtype=np.int64)
    told: dict[int, set[str]] = defaultdict(set)
    for run, panel in enumerate(cases.panels):
        span = cases.of_run(run)
        numbers = dict(zip(panel.task.tolist(), cases.task[span].tolist(), strict=True))
        for place, number in numbers.items():
            known = min(panel.questions[place], default="") if panel.questions else ""
            told[number].add(known or panel.tasks[place])
    for number, names in told.items():
        half[number] = zlib.crc32(min(names).encode()) % _HALVES
    return half[cases.task]
