"""A failing rollout beside the pass it is held against: call by call, and where the two part for good.

The calls of both are aligned in their order, with as few differences as there can be: equal calls face each other, so
do calls of one tool with other arguments. A divergence has consequences where the two never come together again, or
where it stands in a call that passes of one task all make alike, which a mere look-up is not.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from blade.explain.cases import Cases
from blade.explain.conduct import MOST_CALLS, Conduct, Did, called, only_looks
from blade.explain.contrast import Contrasts
from blade.explain.divergence import ARGUMENT, EXTRA, LEFT_OUT, STOPPED, is_fixed
from blade.explain.expected import Expectations
from blade.explain.habits import pairs_of
from blade.explain.values import FORM, Difference, compare

SAME: Final = "same"
DIFFERS: Final = "differs"
ONLY_HERE: Final = "only here"
ONLY_THERE: Final = "only there"

ANSWERS: Final = "answers"
"""The kind of a divergence that no call shows: the same actions, and another last message."""

_GAP, _OTHER_ARGUMENTS = 2, 3
"""What a call without a partner costs, and one of the same tool with other arguments: less than two without."""


class Made(NamedTuple):
    """A call as one side makes it."""

    ref: str
    step: int
    tool: str
    arguments: Any
    failed: bool


class Aligned(NamedTuple):
    """One line of the two, side by side."""

    kind: str
    """`same`, `differs`, `only here` (the failing rollout) or `only there` (the pass)."""
    here: Made | None
    there: Made | None
    differences: tuple[Difference, ...] = ()
    """Of a line that differs, how the arguments of the failing rollout are, seen from the pass."""


class SideBySide(NamedTuple):
    """A failing rollout and its partner."""

    failing: str
    """Refs."""
    passing: str
    rows: list[Aligned]
    parting: int | None
    """The line of the first divergence with consequences; None where the actions do not explain it."""
    kind: str
    """A word of `divergence.FAMILIES`, or `answers`."""

    @property
    def step(self) -> int | None:
        """The failing rollout's step at which it parts; of a step left out, the one before it."""
        if self.parting is None:
            return None
        before = [row.here.step for row in self.rows[: self.parting + 1] if row.here]
        return before[-1] if before else 0


def side_by_side(cases: Cases, case: int, partner: int | None = None) -> SideBySide | None:
    """A failing rollout beside a pass of its task, by default the nearest; None where no other rollout passes."""
    contrasts = Contrasts.of(cases)
    partner = contrasts.partner_of(case) if partner is None else partner
    if partner is None:
        return None
    sides = contrasts.did(case), contrasts.did(partner)
    rows = [_row(contrasts, (case, partner), sides, places) for places in _aligned(contrasts, *sides)]
    parting = _parting(contrasts, rows, _moved_calls(contrasts, sides))
    kind = ANSWERS if parting is None else _kind(rows, parting)
    return SideBySide(cases.ref(case), cases.ref(partner), rows, parting, kind)


def beside_expected(cases: Cases, case: int) -> list[Aligned]:
    """The calls that are expected of a rollout's task, beside what it did; empty where no field says what is expected.

    It depends on the task alone: of the rollout's own calls those are told that answer an expected one, or that are
    one too many of a tool which is expected.
    """
    expectations = Expectations.of(cases)
    due = expectations.codes.get(int(cases.task[case]), []) if expectations else []
    conduct = Conduct.of(cases)
    expected = [conduct.call(code) for code in due]
    tools = {call.tool for call in expected}
    conduct.load(did.code for did in conduct.of_case(case))
    own = [did for did in conduct.of_case(case) if not did.failed and conduct.call(did.code).tool in tools]
    rows = []
    for one, other in pairs_of([conduct.call(did.code) for did in own], expected):
        here = None if one is None else _made(conduct, cases, case, own[one])
        there = None if other is None else Made("", -1, expected[other].tool, expected[other].arguments, False)
        rows.append((len(due) if other is None else other, -1 if one is None else one, _beside(here, there)))
    return [row for _, _, row in sorted(rows, key=lambda each: each[:2])]


_Places = tuple[int | None, int | None]


def _row(
    contrasts: Contrasts, cases: tuple[int, int], sides: tuple[Sequence[Did], Sequence[Did]], places: _Places
) -> Aligned:
    dids = [None if place is None else did[place] for did, place in zip(sides, places, strict=True)]
    here, there = (
        did and _made(contrasts.conduct, contrasts.cases, case, did) for case, did in zip(cases, dids, strict=True)
    )
    if dids[0] and dids[1] and _mark(contrasts, dids[0]) == _mark(contrasts, dids[1]):
        return Aligned(SAME, here, there)
    return _beside(here, there)


def _beside(here: Made | None, there: Made | None) -> Aligned:
    if here is None or there is None:
        return Aligned(ONLY_THERE if here is None else ONLY_HERE, here, there)
    found = tuple(compare(here.arguments, there.arguments))
    same = here.failed == there.failed and all(each.kind == FORM for each in found)
    return Aligned(SAME if same else DIFFERS, here, there, found)


def _made(conduct: Conduct, cases: Cases, case: int, did: Did) -> Made:
    call = conduct.call(did.code)
    return Made(cases.ref(case, did.step), did.step, call.tool, call.arguments, did.failed)


def _aligned(contrasts: Contrasts, here: Sequence[Did], there: Sequence[Did]) -> list[_Places]:
    """Places of the two side by side, by the cheapest alignment; what they begin and end with alike is not searched."""
    first, second = ([_mark(contrasts, did) for did in side[:MOST_CALLS]] for side in (here, there))
    start = _equal(first, second)
    end = min(_equal(first[::-1], second[::-1]), min(len(first), len(second)) - start)
    middle = _searched(first[start : len(first) - end], second[start : len(second) - end])
    return [
        *((place, place) for place in range(start)),
        *((_moved(one, start), _moved(other, start)) for one, other in middle),
        *((len(first) - end + place, len(second) - end + place) for place in range(end)),
    ]


def _moved(place: int | None, by: int) -> int | None:
    return None if place is None else place + by


_Mark = tuple[int, bool, str]


def _mark(contrasts: Contrasts, did: Did) -> _Mark:
    """What makes calls equal: their signature, and whether they came back with an error."""
    return contrasts.habits.signature(did.code), did.failed, contrasts.conduct.call(did.code).tool


def _equal(first: Sequence[_Mark], second: Sequence[_Mark]) -> int:
    count = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        count += 1
    return count


def _searched(first: Sequence[_Mark], second: Sequence[_Mark]) -> list[_Places]:
    """The cheapest alignment of two lists of calls."""
    costs = [[_GAP * place for place in range(len(second) + 1)]]
    for number, one in enumerate(first, 1):
        row, above = [_GAP * number], costs[-1]
        for place, other in enumerate(second, 1):
            row.append(min(above[place - 1] + _cost(one, other), above[place] + _GAP, row[place - 1] + _GAP))
        costs.append(row)
    return _traced(costs, first, second)


def _cost(one: _Mark, other: _Mark) -> int:
    if one == other:
        return 0
    return _OTHER_ARGUMENTS if one[2] == other[2] else 2 * _GAP


def _traced(costs: list[list[int]], first: Sequence[_Mark], second: Sequence[_Mark]) -> list[_Places]:
    """The way back through the costs."""
    found: list[_Places] = []
    one, other = len(first), len(second)
    while one or other:
        cost = costs[one][other]
        step = _cost(first[one - 1], second[other - 1]) if one and other else 0
        if one and other and step < 2 * _GAP and cost == costs[one - 1][other - 1] + step:
            one, other = one - 1, other - 1
            found.append((one, other))
        elif one and cost == costs[one - 1][other] + _GAP:
            one -= 1
            found.append((one, None))
        else:
            other -= 1
            found.append((None, other))
    return found[::-1]


def _moved_calls(contrasts: Contrasts, sides: Sequence[Sequence[Did]]) -> frozenset[tuple[str, int]]:
    """Calls that both sides make as often, by ref side and step: in whatever order, they part nobody."""
    marks = [[_mark(contrasts, did)[:2] for did in side] for side in sides]
    counts = [Counter(side) for side in marks]
    return frozenset(
        (side, did.step)
        for side, dids, own in zip((ONLY_HERE, ONLY_THERE), sides, marks, strict=True)
        for did, mark in zip(dids, own, strict=True)
        if counts[0][mark] == counts[1][mark]
    )


def _parting(contrasts: Contrasts, rows: Sequence[Aligned], moved: frozenset[tuple[str, int]]) -> int | None:
    """The first line with consequences."""
    last_same = max((place for place, row in enumerate(rows) if row.kind == SAME), default=-1)
    for place, row in enumerate(rows):
        made = row.here or row.there
        if row.kind == SAME or (made and (row.kind, made.step) in moved):
            continue
        for_good = place > last_same and any(each.kind != ONLY_HERE for each in rows[place:])
        if for_good or _acts(contrasts, row):
            return place
    return None


def _acts(contrasts: Contrasts, row: Aligned) -> bool:
    """Whether a line is about a call that passes make alike, and not about words that each chooses."""
    told = [made for made in (row.here, row.there) if made and not made.failed]
    if not told or only_looks(told[0].tool) or not contrasts.habits.is_steady(told[0].tool):
        return False
    if row.kind != DIFFERS or len(told) == 1:
        return True
    calls = [called(made.tool, made.arguments) for made in told]
    return any(
        each.kind != FORM and is_fixed(contrasts.habits, calls[0], calls[1], each.path) for each in row.differences
    )


def _kind(rows: Sequence[Aligned], parting: int) -> str:
    row = rows[parting]
    if row.kind == DIFFERS:
        return ARGUMENT
    if row.kind == ONLY_HERE:
        return EXTRA
    return LEFT_OUT if any(later.here for later in rows[parting:]) else STOPPED
