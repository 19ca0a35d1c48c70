"""Where two rollouts of one task part: the first action that is not the same tool with the same arguments."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from blade import content, numbers
from blade.report.pieces import Code, Line
from blade.report.visible import one_line

_LONGEST_VALUE = 60
_MOST_ARGUMENTS = 3


class Action(NamedTuple):
    """A call of a rollout; its arguments are canonical, so that equal ones are equal texts."""

    step: int
    tool: str
    arguments: str
    result_step: int | None

    @property
    def does(self) -> tuple[str, str]:
        return self.tool, self.arguments


class Parting(NamedTuple):
    """How a failing rollout and a passing one go apart."""

    shared: int
    """Actions at the beginning that are the same."""
    failing: Action | None
    passing: Action | None
    """The first action of each that is its own; None for a rollout that acts no more."""
    apart: int
    """Actions of both that are not the same, with those at the end that are the same again left out."""
    differs: tuple[str, ...]
    """Names of arguments whose values are others, where the tool is the same."""

    @property
    def kind(self) -> tuple[str, ...]:
        """What kind of contrast it is: contrasts of one kind teach the same."""
        tools = tuple(action.tool if action else "" for action in (self.failing, self.passing))
        return (*tools, *self.differs)


def parting(failing: Sequence[Action], passing: Sequence[Action]) -> Parting:
    """Compare the actions of two rollouts."""
    shared = _same(failing, passing)
    again = _same(failing[shared:][::-1], passing[shared:][::-1])
    own = [actions[shared] if len(actions) > shared else None for actions in (failing, passing)]
    return Parting(
        shared=shared,
        failing=own[0],
        passing=own[1],
        apart=len(failing) + len(passing) - 2 * (shared + again),
        differs=_differing(*own),
    )


def _same(first: Sequence[Action], second: Sequence[Action]) -> int:
    """How many actions at the beginning are the same."""
    count = 0
    for one, other in zip(first, second, strict=False):
        if one.does != other.does:
            break
        count += 1
    return count


def _differing(failing: Action | None, passing: Action | None) -> tuple[str, ...]:
    if failing is None or passing is None or failing.tool != passing.tool:
        return ()
    first, second = _values(failing), _values(passing)
    return tuple(name for name in {**second, **first} if first.get(name, ...) != second.get(name, ...))


def _values(action: Action) -> dict[str, Any]:
    try:
        value = content.value_of(action.arguments)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def told(found: Parting, clean: Any) -> Line:
    """How they part, in a sentence."""
    before = f"After {numbers.counted(found.shared, 'equal action')}" if found.shared else "From the first action on"
    failing, passing = found.failing, found.passing
    if failing is None and passing is None:
        if not found.shared:
            return "Neither acts: they differ in what they say."
        return f"Both take the same {numbers.counted(found.shared, 'action')} and differ in what they say."
    if failing is None:
        assert passing is not None
        return [f"{before} the failing rollout acts no more; the passing one goes on with ", Code(passing.tool), "."]
    if passing is None:
        return [f"{before} the failing rollout goes on with ", Code(failing.tool), "; the passing one acts no more."]
    if failing.tool != passing.tool:
        return [
            f"{before} the failing rollout calls ", Code(failing.tool), ", the passing one ", Code(passing.tool), "."
        ]  # fmt: skip
    return [f"{before} both call ", Code(failing.tool), *_told_arguments(found, clean)]


def _told_arguments(found: Parting, clean: Any) -> list[Any]:
    """The arguments that differ, with both values."""
    assert found.failing is not None
    assert found.passing is not None
    first, second = _values(found.failing), _values(found.passing)
    if not found.differs:
        return [" with other arguments."]
    parts: list[Any] = [", with another "]
    for place, name in enumerate(found.differs[:_MOST_ARGUMENTS]):
        parts += [", " if place else "", Code(name), ": "]
        parts += [_value(first, name, clean), " where the passing one has ", _value(second, name, clean)]
    more = len(found.differs) - _MOST_ARGUMENTS
    return [*parts, f", and {more} more." if more > 0 else "."]


def _value(values: dict[str, Any], name: str, clean: Any) -> Any:
    return Code(one_line(clean(content.canonical(values[name])), _LONGEST_VALUE)) if name in values else "nothing"
