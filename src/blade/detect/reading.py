"""A rollout as detectors read it: its calls with what came back, what its tools are, how it ends.

Everything costly is made when it is first asked for and then kept, so that detectors share it. Texts stay undecoded
until somebody looks at them: most of a rollout is the output of tools that nobody needs in full.
"""

from collections.abc import Sequence
from functools import cached_property
from operator import attrgetter
from typing import Any, Final, NamedTuple

from msgspec import Raw

from blade import content
from blade.content import Value
from blade.detect import checks, commands, demands, limits, speech
from blade.detect.edits import Edit, edit_of, may_be_verifier, may_edit, path_keys
from blade.detect.fields import Telling, telling_fields
from blade.detect.results import ToolError, error_of
from blade.detect.signal import Signal, quoted
from blade.detect.toolbox import Toolbox, toolbox_of
from blade.item import Form, Item, body_of, calls_of, form_of
from blade.rollout import Rollout, results_of, steps_of

HEAD: Final = 2_000
"""Characters of a message's text that are looked at from each of its ends."""


class Action(NamedTuple):
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


class Reading:
    """One rollout for its detectors."""

    def __init__(
        self, rollout: Rollout, actions: Sequence[Action], forms: Sequence[Form], telling: Sequence[Telling]
    ) -> None:
        self.rollout = rollout
        self.actions = actions
        self.forms = forms
        """The form of every item."""
        self.telling = telling
        """The fields that may say what became of the rollout."""
        self._names_verifier = False

    @classmethod
    def of(cls, rollout: Rollout) -> "Reading":
        """The reading of a rollout by itself; a scan makes those of many at once."""
        forms = [form_of(item.type, item.role) for item in rollout.items]
        return cls(rollout, _actions_of(rollout), forms, telling_fields(rollout))

    @property
    def items(self) -> list[Item]:
        return self.rollout.items

    @property
    def fields(self) -> dict[str, Value]:
        return self.rollout.fields

    @property
    def last(self) -> int:
        """The last step; -1 where there is none."""
        return len(self.rollout.items) - 1

    @cached_property
    def last_size(self) -> int:
        """Bytes of the last step's content."""
        return len(body_of(self.items[-1]) or b"") if self.items else 0

    def text(self, step: int) -> str:
        """The whole text of a step."""
        return content.text_of(body_of(self.rollout.items[step]))

    def head(self, step: int, limit: int = HEAD) -> str:
        """The beginning of a step's text, without decoding the rest."""
        return content.head_of(body_of(self.rollout.items[step]), limit)

    def is_message(self, step: int, actor: str) -> bool:
        """Whether a step is a message of this actor."""
        return self.forms[step].kind == "message" and self.forms[step].actor == actor

    @cached_property
    def answer(self) -> tuple[int, str] | None:
        """Step and text of the last message of the model that says something and calls nothing."""
        return self.rollout.answer()

    @cached_property
    def final(self) -> tuple[int, str] | None:
        """The same, where nothing comes after it: the model had the last word."""
        return self.answer if self.answer and self.answer[0] == self.last else None

    @cached_property
    def balks(self) -> bool:
        """Whether the model had the last word, and it may decline or give up."""
        return self.final is not None and speech.may_balk(self.final[1])

    @cached_property
    def closing(self) -> tuple[int, str] | None:
        """The same, where no call comes after it: a user or the harness may have spoken since."""
        after = self.actions[-1].step if self.actions else -1
        return self.answer if self.answer and self.answer[0] > after else None

    @cached_property
    def toolbox(self) -> Toolbox:
        """The tools that were offered."""
        return toolbox_of(self.rollout.tools, self.rollout.hashes.tools)

    @cached_property
    def errors(self) -> list[Action]:
        """Calls whose answers are errors, in order."""
        return [action for action in self.actions if action.error]

    def error_quote(self, action: Action) -> str:
        """The words of an action's error as its step has them; those of the call, where its server ran it itself."""
        if action.error is None:
            return ""
        return quoted(self.head(action.step)) if action.result_step == action.step else action.error.quote

    @cached_property
    def has_users(self) -> bool:
        """Whether anybody but the model speaks in the trajectory."""
        forms = {id(form): form for form in self.forms}.values()
        return any(form.kind == "message" and form.actor != "model" for form in forms)

    @cached_property
    def limits(self) -> dict[str, Signal]:
        """What the rollout says of a limit that ended it, by the name of the signal."""
        return limits.limits_told(self)

    @cached_property
    def prompt_texts(self) -> list[tuple[str, str]]:
        """Actor and text of every message of the prompt."""
        return [(step.actor, step.text) for step in self.rollout.prompt if step.kind == "message"]

    @cached_property
    def demands(self) -> list[demands.Demand]:
        """The forms that the prompt demands of the last message."""
        return _demands_of(self)

    @cached_property
    def deeds(self) -> list[Deed]:
        """The actions that do something to the machine they work on, in order."""
        found = []
        for nth, action in enumerate(self.actions):
            value = action.value
            if type(value) is dict:
                names = (action.tool, *value)
                doing = _doing.get(names) or _remember_doing(names)
                for key in doing.paths:
                    if not self._names_verifier and type(path := value[key]) is str and may_be_verifier(path):
                        self._names_verifier = True
                if not doing.certain and "\\n" not in action.arguments and not _runs(value, doing.commands):
                    continue
            found.append(_deed(nth, action))
        return found

    @cached_property
    def edits(self) -> list[Deed]:
        """What changes files."""
        return [deed for deed in self.deeds if deed.edit]

    @cached_property
    def meddling(self) -> bool:
        """Whether calls change files, run commands or name what gives the reward: worth a closer look."""
        return any(deed.edit or deed.command for deed in self.deeds) or self._names_verifier

    @cached_property
    def repeats(self) -> int:
        """Calls that are the same as an earlier one."""
        return len(self.actions) - len(set(map(_mark, self.actions)))

    @cached_property
    def checks(self) -> list[Check]:
        """How the model's own tests went, in order."""
        found = map(_check, self.deeds)
        return [check for check in found if check]


_MOST_REMEMBERED: Final = 20_000
_remembered: dict[str, list[demands.Demand]] = {}


def _demands_of(reading: Reading) -> list[demands.Demand]:
    """What the prompt demands; rollouts of one prompt share it."""
    known_by = reading.rollout.hashes.prompt
    if known_by is None:
        return []
    if known_by not in _remembered:
        if len(_remembered) >= _MOST_REMEMBERED:
            _remembered.clear()
        _remembered[known_by] = demands.demands_of(reading.prompt_texts)
    return _remembered[known_by]


_mark = attrgetter("tool", "arguments")


class _Doing(NamedTuple):
    """What the names of a tool and of its arguments say of what a call does."""

    certain: bool
    """Whether it changes files or runs tests, whatever the arguments hold."""
    commands: tuple[str, ...]
    """Arguments that would be run."""
    paths: tuple[str, ...]
    """Arguments that name files."""


_doing: dict[tuple[str, ...], _Doing] = {}


def _remember_doing(names: tuple[str, ...]) -> _Doing:
    """What calls of this tool with these arguments do."""
    if len(_doing) >= _MOST_REMEMBERED:
        _doing.clear()
    tool, *keys = names
    certain = may_edit(tuple(keys)) or commands.is_test_tool(tool)
    _doing[names] = _Doing(certain, commands.command_keys(tuple(keys)), path_keys(tuple(keys)))
    return _doing[names]


def _runs(value: dict[str, Any], keys: tuple[str, ...]) -> bool:
    """Whether something that can be run stands under one of these keys."""
    return bool(keys) and any(type(value[key]) is not int for key in keys)


def _deed(nth: int, action: Action) -> Deed:
    value = action.value if action.is_json else action.arguments
    command = commands.command_of(value)
    return Deed(nth, action, command, edit_of(value, command))


def _check(deed: Deed) -> Check | None:
    action = deed.action
    if action.body is None or action.result_step is None:
        return None
    tests = commands.is_test_tool(action.tool) or commands.runs_tests(deed.command)
    if not tests and deed.command and not commands.only_reads(deed.command):
        if commands.asserts(deed.command):
            return _assertions(deed.nth, action)
        tests = len(action.body) > HEAD // 20 and checks.is_summary(content.tail_of(action.body, checks.READ))
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
    lines = [line.strip() for line in content.head_of(action.body, HEAD).splitlines()[:5] if line.strip()]
    quote = "" if action.result_step == action.step else next((line for line in lines if not line.endswith(":")), "")
    return Check(nth, action.result_step or 0, True, quote, "assertions")


def _actions_of(rollout: Rollout) -> list[Action]:
    steps = steps_of(rollout.items, rollout.tool_records)
    answers = results_of(steps)
    found = []
    for step in steps:
        own = form_of(rollout.items[step.number].type, rollout.items[step.number].role).own_result
        for nth, call in enumerate(calls_of(rollout.items[step.number])):
            answer = answers.get((step.number, nth))
            body = answer.body if answer else body_of(rollout.items[step.number], own) if own else None
            place = answer.number if answer else step.number if body is not None else None
            found.append(action_of(step.number, call.tool, call.arguments, place, body, call.call_id))
    return found


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
