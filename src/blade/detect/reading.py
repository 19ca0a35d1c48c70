"""A rollout as detectors read it: its calls with what came back, what its tools are, how it ends.

Everything costly is made when it is first asked for and then kept, so that detectors share it. Texts stay undecoded
until somebody looks at them: most of a rollout is the output of tools that nobody needs in full.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

from msgspec import Raw

from blade import content
from blade.content import Value
from blade.detect.results import ToolError, error_of
from blade.detect.toolbox import Toolbox, toolbox_of
from blade.item import Form, Item, body_of, calls_of, form_of
from blade.rollout import Rollout, results_of, steps_of

HEAD: Final = 2_000
"""Characters of a prompt's or a message's text that are looked at from each of its ends."""


class Action(NamedTuple):
    """A call, and what came back."""

    step: int
    tool: str
    arguments: str
    """Canonical JSON, or the text as it stands where it is none; cut to a limit."""
    is_json: bool
    value: Any
    """The decoded arguments; None where they are no JSON or were too many to keep."""
    result_step: int | None
    body: Raw | None
    """What came back, undecoded; None for nothing."""
    error: ToolError | None
    """Why the tool did not do what it was called for, where its answer says so."""


class Reading:
    """One rollout for its detectors."""

    def __init__(self, rollout: Rollout, actions: Sequence[Action], forms: Sequence[Form]) -> None:
        self.rollout = rollout
        self.actions = actions
        self.forms = forms
        """The form of every item."""

    @classmethod
    def of(cls, rollout: Rollout) -> "Reading":
        """The reading of a rollout by itself; a scan makes those of many at once."""
        return cls(rollout, _actions_of(rollout), [form_of(item.type, item.role) for item in rollout.items])

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

    def text(self, step: int) -> str:
        """The whole text of a step."""
        return content.text_of(body_of(self.rollout.items[step]))

    def head(self, step: int, limit: int = HEAD) -> str:
        """The beginning of a step's text, without decoding the rest."""
        return content.head_of(body_of(self.rollout.items[step]), limit)

    @cached_property
    def answer(self) -> tuple[int, str] | None:
        """Step and text of the last message of the model that says something and calls nothing."""
        return self.rollout.answer()

    @cached_property
    def final(self) -> tuple[int, str] | None:
        """The same, where nothing comes after it: the model had its last word."""
        return self.answer if self.answer and self.answer[0] == self.last else None

    @cached_property
    def toolbox(self) -> Toolbox:
        """The tools that were offered."""
        return toolbox_of(self.rollout.tools, self.rollout.hashes.tools)

    @cached_property
    def errors(self) -> list[Action]:
        """Calls whose answers are errors, in order."""
        return [action for action in self.actions if action.error]

    @cached_property
    def prompt_texts(self) -> list[tuple[str, str]]:
        """Actor and text of every message of the prompt."""
        return [(step.actor, step.text) for step in self.rollout.prompt if step.kind == "message"]


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
            found.append(action_of(step.number, call.tool, call.arguments, place, body))
    return found


def action_of(step: int, tool: str | None, arguments: Raw | str | None, result: int | None, body: Raw | None) -> Action:
    """An action, its arguments and its answer read."""
    text = content.json_text_of(arguments) if arguments is not None else ""
    value: Any = None
    is_json = True
    try:
        value = content.value_of(text) if text.strip() else {}
        text = content.canonical(value)
    except ValueError:
        is_json = False
    return Action(step, tool or "", text, is_json, value, result, body, error_of(body) if body is not None else None)
