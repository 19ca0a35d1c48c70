"""Where the conduct of a rollout leaves what it should have been: an argument, a step left out, a step too many.

What it should have been is a reference: the nearest rollout of the same task that passes, or the calls that the
benchmark expects. Calls that both make are set aside, in whatever order they come; what is left is put side by side,
tool by tool. Only what counts is told: calls of the reference that its own kind agrees on, and calls of the rollout
that nothing of that kind makes.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from blade.explain.conduct import Call, Conduct, Did, only_looks
from blade.explain.habits import Habits, pairs_of
from blade.explain.values import FORM, compare, is_free

ARGUMENT: Final = "argument"
LEFT_OUT: Final = "left out"
STOPPED: Final = "stopped"
EXTRA: Final = "extra"
OTHER_TOOL: Final = "another tool"

FAMILIES: Final = {
    ARGUMENT: "a call with other arguments",
    LEFT_OUT: "a step left out",
    STOPPED: "stopped before a step",
    EXTRA: "a step too many",
    OTHER_TOOL: "another tool",
}
"""Kinds of divergence and what each is."""

_CODE: Final = re.compile(r"[^\w\s.,'@:-]")
"""What no name has in it."""

_MOST: Final = 12
"""Divergences told of one rollout."""


class Divergence(NamedTuple):
    """One place at which a rollout leaves its reference."""

    family: str
    tool: str
    """The tool of the reference, or of the rollout where it calls one too many."""
    path: str
    """The argument that differs; of another tool, the one that is called instead."""
    kind: str
    """The kind of difference of an argument, empty otherwise."""
    words: str
    step: int
    """The rollout's step that shows it; of a step left out, the one at which it should have stood."""


class Reference(NamedTuple):
    """What a rollout is held against."""

    codes: Sequence[int]
    """Its calls, in order."""
    counts: Callable[[int, int], bool]
    """Whether a call of the reference should be made, by its signature and how often it was made before."""
    is_new: Callable[[int, int], bool]
    """Whether a call of the rollout, by its signature and how often it was made before, is one that nothing of the
    reference's kind makes."""


def divergences(
    conduct: Conduct, habits: Habits, did: Sequence[Did], last: int, reference: Reference
) -> list[Divergence]:
    """Where a rollout leaves its reference, in the order of its steps; `last` is the last step that it has."""
    own = [each for each in did if not each.failed]
    here, there, follows = _unmatched(habits, own, reference)
    calls = [conduct.call(own[place].code) for place in here], [conduct.call(reference.codes[n]) for n in there]
    found: list[Divergence] = []
    alone: tuple[list[int], list[int]] = ([], [])
    for one, other in pairs_of(*calls):
        if one is not None and other is not None:
            found += _arguments(habits, calls[0][one], calls[1][other], own[here[one]].step)
        elif one is not None:
            alone[0].append(here[one])
        elif other is not None:
            alone[1].append(there[other])
    context = _Alone(conduct, habits, own, reference, follows, last)
    is_hindered = _hindered(conduct, did)
    lacking = [number for number in sorted(alone[1]) if not is_hindered(calls[1][there.index(number)].tool)]
    does_otherwise = any(habits.is_steady(call.tool) for call in calls[0])
    steps = list(_steps(context, sorted(alone[0]), lacking, stops=not does_otherwise))
    found += steps
    if any(not only_looks(each.tool) for each in steps):
        # What it does or leaves undone is why it looks up other things, not the other way round.
        found = [each for each in found if habits.is_steady(each.tool) or not only_looks(each.tool)]
    return sorted(found, key=lambda each: (each.step, each.family, each.tool, each.path, each.words))[:_MOST]


def _unmatched(habits: Habits, own: Sequence[Did], reference: Reference) -> tuple[list[int], list[int], list[int]]:
    """Places of calls that only one side makes and that count; of each of the reference what it follows.

    That is, of each call of the reference the place of the rollout's call that equals the last one before it which both
    make; -1 for none.
    """
    waiting: dict[int, list[int]] = {}
    for place, each in enumerate(own):
        waiting.setdefault(habits.signature(each.code), []).append(place)
    lacking, follows, before = [], [], -1
    taken: set[int] = set()
    made: Counter[int] = Counter()
    for number, code in enumerate(reference.codes):
        signature = habits.signature(code)
        if places := waiting.get(signature):
            before = max(before, places[0])
            taken.add(places.pop(0))
        elif reference.counts(signature, made[signature]):
            lacking.append(number)
        made[signature] += 1
        follows.append(before)
    before_it: Counter[int] = Counter()
    extra = []
    for place, each in enumerate(own):
        signature = habits.signature(each.code)
        if place not in taken and reference.is_new(signature, before_it[signature]):
            extra.append(place)
        before_it[signature] += 1
    return extra, lacking, follows


def _hindered(conduct: Conduct, did: Sequence[Did]) -> Callable[[str], bool]:
    """Whether an error is why a tool was not called: what was tried and failed was not left out.

    After an error that ends all doing, whatever is lacking is its consequence; the error explains such a rollout.
    """
    if did and did[-1].failed:
        return lambda _: True
    tried = {conduct.call(each.code).tool for each in did if each.failed}
    made = {conduct.call(each.code).tool for each in did if not each.failed}
    return (tried - made).__contains__


def _arguments(habits: Habits, own: Call, other: Call, step: int) -> Iterator[Divergence]:
    """How the arguments of two calls of one tool differ, where the task fixes them."""
    for difference in compare(own.arguments, other.arguments):
        if difference.kind != FORM and is_fixed(habits, own, other, difference.path):
            if difference.kind == "text" and _is_content(own, other, difference.path):
                continue
            yield Divergence(ARGUMENT, own.tool, difference.path, difference.kind, difference.words, step)


def _is_content(own: Call, other: Call, path: str) -> bool:
    """Whether an argument holds what was worked out, such as a text or code: that it is wrong is no conduct."""
    argument = _argument(own, other, path)
    return any(is_free(leaf) or _CODE.search(leaf) for call in (own, other) if (leaf := call.leaves.get(argument, "")))


def is_fixed(habits: Habits, own: Call, other: Call, path: str) -> bool:
    """Whether the task fixes the argument that holds this path."""
    argument = _argument(own, other, path)
    value = other.leaves.get(argument, own.leaves.get(argument, ""))
    return habits.counts(own.tool, argument, value)


def _argument(own: Call, other: Call, path: str) -> str:
    """The argument that holds a path."""
    argument = path.split(".[]")[0].removesuffix("[]")
    while argument and argument not in own.leaves and argument not in other.leaves:
        argument = argument.rpartition(".")[0]
    return argument


class _Alone(NamedTuple):
    """What is needed to say what a call without a partner is."""

    conduct: Conduct
    habits: Habits
    own: Sequence[Did]
    reference: Reference
    follows: Sequence[int]
    last: int

    def step_of(self, number: int) -> int:
        """The step at which a call of the reference should have stood."""
        before = self.follows[number]
        return min(self.own[before].until + 1, self.last) if before >= 0 else 0


def _steps(alone: _Alone, extra: Sequence[int], lacking: Sequence[int], *, stops: bool) -> Iterator[Divergence]:
    """What a rollout does too much, and what it leaves out; it may stop where it does nothing else instead."""
    if other := _another_tool(alone, extra, lacking):
        yield other
        return
    for place in extra:
        did = alone.own[place]
        if alone.habits.may_harm(did.code, [each.code for each in alone.own[:place]]):
            yield Divergence(EXTRA, _tool(alone, did.code), "", "", "", did.step)
    stops = stops and all(alone.follows[number] == alone.follows[-1] for number in lacking)
    for number in lacking:
        tool = alone.conduct.call(alone.reference.codes[number]).tool
        yield Divergence(STOPPED if stops else LEFT_OUT, tool, "", "", "", alone.step_of(number))


def _another_tool(alone: _Alone, extra: Sequence[int], lacking: Sequence[int]) -> Divergence | None:
    """One steady tool called where the reference calls another one."""
    made = [place for place in extra if alone.habits.is_steady(_tool(alone, alone.own[place].code))]
    due = [number for number in lacking if alone.habits.is_steady(_tool(alone, alone.reference.codes[number]))]
    if len(made) != 1 or len(due) != 1:
        return None
    did = alone.own[made[0]]
    return Divergence(OTHER_TOOL, _tool(alone, alone.reference.codes[due[0]]), _tool(alone, did.code), "", "", did.step)


def _tool(alone: _Alone, code: int) -> str:
    return alone.conduct.call(code).tool
