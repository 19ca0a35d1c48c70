"""What rollouts that pass agree on: which arguments the task fixes, and which tools it takes.

Nobody says which tools act and which arguments are free; passes of one task do. Where they give an argument the same
value, the task fixes it; where each writes its own, as in a subject or a thought, it says nothing. A tool is steady
where passes of a task make the same calls of it; look-ups are made or left out as each likes.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from blade.explain.conduct import Call, Conduct, only_looks
from blade.explain.values import is_free
from blade.measure.panel import Numbers

AGREED: Final = 0.8
"""Share of pairs of passes that agree, from which on an argument is fixed by the task."""

STEADY: Final = 0.9
"""Share of a tool's calls that both of two passes make, from which on the tool is steady."""

WHOLE: Final = 12
"""What a task weighs; its pairs of passes share that evenly, up to four of them, in whole numbers."""

_ENOUGH: Final = 2 * WHOLE
"""What tasks have to tell together; where it is less, names and values do."""


class Habits:
    """What was learned of passes, held against each other in pairs."""

    def __init__(self, conduct: Conduct) -> None:
        self._conduct = conduct
        self._agree: dict[tuple[str, str], int] = defaultdict(int)
        self._differ: dict[tuple[str, str], int] = defaultdict(int)
        self._both: dict[str, int] = defaultdict(int)
        self._one: dict[str, int] = defaultdict(int)
        self._signatures: dict[int, int] = {}
        self._known: dict[tuple[str, tuple[tuple[str, str], ...]], int] = {}

    def learn(self, first: Sequence[int], second: Sequence[int], weight: int) -> None:
        """Take in the calls of two rollouts that should have done the same; those of a task weigh `WHOLE` together."""
        shared, here, there = unmatched(first, second)
        for code in shared:
            call = self._conduct.call(code)
            self._both[call.tool] += weight
            for path in call.leaves:
                self._agree[call.tool, path] += weight
        for one, other in paired(self._conduct, here, there):
            self._take(one, other, weight)

    def _take(self, one: int | None, other: int | None, weight: int) -> None:
        if one is None or other is None:
            told = one if other is None else other
            assert told is not None
            self._one[self._conduct.call(told).tool] += weight
            return
        first, second = self._conduct.call(one), self._conduct.call(other)
        self._both[first.tool] += weight
        for path in first.leaves.keys() | second.leaves.keys():
            same = first.leaves.get(path) == second.leaves.get(path)
            (self._agree if same else self._differ)[first.tool, path] += weight

    def is_fixed(self, tool: str, path: str) -> bool | None:
        """Whether the task fixes this argument; None where too few passes tell."""
        agree, differ = self._agree[tool, path], self._differ[tool, path]
        return agree >= AGREED * (agree + differ) if agree + differ >= _ENOUGH else None

    def is_steady(self, tool: str) -> bool:
        """Whether rollouts that pass make the same calls of this tool."""
        both, one = self._both[tool], self._one[tool]
        if both + one >= _ENOUGH:
            return both >= STEADY * (both + one)
        return not only_looks(tool)

    def may_harm(self, code: int, before: Sequence[int]) -> bool:
        """Whether a call too many may matter: a look-up that each makes as it likes, or makes again, does not."""
        tool = self._conduct.call(code).tool
        if not only_looks(tool):
            return True
        return self.is_steady(tool) and self.signature(code) not in map(self.signature, before)

    def counts(self, tool: str, path: str, value: str) -> bool:
        """Whether a value is one that the task fixes; where nothing tells, prose is not."""
        fixed = self.is_fixed(tool, path)
        return not is_free(value) if fixed is None else fixed

    def signature(self, code: int) -> int:
        """A number for a call, the same for calls that differ only in what is free."""
        if code not in self._signatures:
            call = self._conduct.call(code)
            told = tuple((path, leaf) for path, leaf in call.leaves.items() if self.counts(call.tool, path, leaf))
            self._signatures[code] = self._known.setdefault((call.tool, told), len(self._known))
        return self._signatures[code]

    def signatures(self, codes: Numbers, known: Numbers) -> Numbers:
        """The signature of each of many calls, those of a sorted list that are known; -1 for others."""
        told = np.array([self.signature(code) for code in known.tolist()], dtype=np.int64)
        if not len(known):
            return np.full(len(codes), -1)
        place = np.minimum(np.searchsorted(known, codes), len(known) - 1)
        return np.where(known[place] == codes, told[place], -1)


def unmatched(first: Iterable[int], second: Iterable[int]) -> tuple[list[int], list[int], list[int]]:
    """What two lists share, and what each has beyond that, in its order and as often."""
    waiting = Counter(second)
    shared, extra = [], []
    for each in first:
        if waiting[each]:
            waiting[each] -= 1
            shared.append(each)
        else:
            extra.append(each)
    lacking = []
    left = waiting
    for each in reversed(list(second)):
        if left[each]:
            left[each] -= 1
            lacking.append(each)
    return shared, extra, lacking[::-1]


def paired(conduct: Conduct, here: Sequence[int], there: Sequence[int]) -> list[tuple[int | None, int | None]]:
    """Calls of the same tool side by side, those first that are most alike; what has no partner alone."""
    places = pairs_of([conduct.call(code) for code in here], [conduct.call(code) for code in there])
    return [(None if one is None else here[one], None if other is None else there[other]) for one, other in places]


_MOST_PAIRED: Final = 30


def pairs_of(here: Sequence[Call], there: Sequence[Call]) -> list[tuple[int | None, int | None]]:
    """The same by places in the two lists."""
    by_tool: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, calls in enumerate((here, there)):
        for place, call in enumerate(calls):
            by_tool[call.tool][side].append(place)
    found: list[tuple[int | None, int | None]] = []
    for first, second in by_tool.values():
        left = list(second)
        likeness = sorted(
            (-_likeness(here[one].leaves, there[other].leaves), one, other)
            for one in first[:_MOST_PAIRED]
            for other in second[:_MOST_PAIRED]
        )
        taken: set[int] = set()
        for _, one, other in likeness:
            if one not in taken and other in left:
                taken.add(one)
                left.remove(other)
                found.append((one, other))
        found += [(one, None) for one in first if one not in taken]
        found += [(None, other) for other in left]
    return found


def _likeness(first: dict[str, str], second: dict[str, str]) -> float:
    """How many leaves two calls share, and keys as a makeweight."""
    keys = first.keys() & second.keys()
    return sum(first[key] == second[key] for key in keys) + len(keys) / 100
