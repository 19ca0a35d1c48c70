"""What calls do besides being called: commands that they run, files that they change, tests of the model's own work."""

from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Raw

from blade import content
from blade.detect import checks, commands
from blade.detect.edits import Edit, edit_of, may_edit, path_keys
from blade.detect.results import ToolError, error_of

_MOST_REMEMBERED: Final = 20_000
_HEAD: Final = 2_000
_LEAST_SUMMARY: Final = 100
"""Bytes that the summary of a test program has at least."""


class Action(msgspec.Struct, frozen=True, gc=False):
    """A call, and what came back."""

    step: int
    tool: str
    arguments: str
    """Canonical JSON, or the text as it stands where it is none."""
    is_json: bool
    value: Any
    """The decoded arguments; None where they are no JSON."""
    result_step: int | None
    body: Raw | None
    """What came back, undecoded; None for nothing."""
    error: ToolError | None
    """Why the tool did not do what it was called for, where its answer says so."""
    call_id: str | None = None

    @property
    def is_answered(self) -> bool:
        return self.result_step is not None


class Deed(NamedTuple):
    """An action that runs a command, changes files or runs tests."""

    nth: int
    """Of the action among all actions."""
    action: Action
    command: str
    edit: Edit | None


class Check(NamedTuple):
    """A time at which the model had its own work tested."""

    nth: int
    step: int
    """The step that says how it went."""
    passed: bool
    quote: str
    how: str
    """`tests` or `assertions`."""


def action_of(
    step: int,
    tool: str | None,
    arguments: Raw | str | None,
    result: int | None,
    body: Raw | None,
    call_id: str | None = None,
) -> Action:
    """An action, its arguments and its answer read."""
    text = content.json_text_of(arguments) if arguments is not None else ""
    value: Any = None if text else {}
    is_json = not text
    try:
        if text:
            value = content.value_of(text)
            text, is_json = content.canonical(value), True
    except ValueError:
        value = None
    error = error_of(body, text) if body is not None else None
    return Action(step, tool or "", text, is_json, value, result, body, error, call_id)


class Doing(NamedTuple):
    """What the names of a tool and of its arguments say of what a call does."""

    certain: bool
    """Whether it changes files or runs tests, whatever the arguments hold."""
    commands: tuple[str, ...]
    """Arguments that would be run."""
    paths: tuple[str, ...]
    """Arguments that name files."""


_known: dict[tuple[str, ...], Doing] = {}


def doing_of(names: tuple[str, ...]) -> Doing:
    """What calls of a tool do: its name first, then those of the arguments."""
    return _known.get(names) or _remember(names)


def _remember(names: tuple[str, ...]) -> Doing:
    if len(_known) >= _MOST_REMEMBERED:
        _known.clear()
    tool, *keys = names
    certain = may_edit(tuple(keys)) or commands.is_test_tool(tool)
    _known[names] = Doing(certain, commands.command_keys(tuple(keys)), path_keys(tuple(keys)))
    return _known[names]


def runs(value: dict[str, Any], keys: tuple[str, ...]) -> bool:
    """Whether something that can be run stands under one of these keys."""
    for key in keys:  # noqa: SIM110  asked of every call, and a generator costs as much as all the rest
        if type(value[key]) is not int:
            return True
    return False


def deed_of(nth: int, action: Action) -> Deed:
    """What an action does."""
    value = action.value if action.is_json else action.arguments
    command = commands.command_of(value)
    return Deed(nth, action, command, edit_of(value, command))


def check_of(deed: Deed) -> Check | None:
    """How the tests went that a deed ran; None where it ran none, or none that shows how it went."""
    action = deed.action
    if action.body is None or action.result_step is None:
        return None
    tests = commands.is_test_tool(action.tool) or commands.runs_tests(deed.command)
    if not tests and deed.command and not commands.only_reads(deed.command):
        if commands.asserts(deed.command):
            return _assertions(deed.nth, action)
        tests = len(action.body) > _LEAST_SUMMARY and checks.is_summary(content.tail_of(action.body, checks.READ))
    if not tests:
        return None
    outcome = checks.outcome_of(content.tail_of(action.body, checks.READ))
    if outcome:
        quote = "" if action.result_step == action.step else outcome.quote
        return Check(deed.nth, action.result_step, outcome.passed, quote, "tests")
    if action.error is None or action.error.kind in _NEVER_RAN or action.error.infrastructure:
        return None
    quote = "" if action.result_step == action.step else action.error.quote
    return Check(deed.nth, action.result_step, False, quote, "tests")


_NEVER_RAN: Final = ("missing software", "unknown tool", "permission", "time-out")
"""Errors after which nobody knows how the tests would have gone."""


def _assertions(nth: int, action: Action) -> Check | None:
    """How assertions in a program went that the model wrote: they pass where nothing is raised."""
    if action.error and action.error.kind != "assertion":
        return None
    if action.error:
        quote = "" if action.result_step == action.step else action.error.quote
        return Check(nth, action.result_step or 0, False, quote, "assertions")
    lines = [line.strip() for line in content.head_of(action.body, _HEAD).splitlines()[:5] if line.strip()]
    quote = "" if action.result_step == action.step else next((line for line in lines if not line.endswith(":")), "")
    return Check(nth, action.result_step or 0, True, quote, "assertions")
