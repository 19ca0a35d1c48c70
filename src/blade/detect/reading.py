"""A rollout as detectors read it: its calls with what came back, what its tools are, how it ends.

Everything costly is made when it is first asked for and then kept, so that detectors share it. Texts stay undecoded
until somebody looks at them: most of a rollout is the output of tools that nobody needs in full.
"""

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, Final, Generic, Self, TypeVar, overload

from blade import content
from blade.content import Value
from blade.detect import demands, limits, speech
from blade.detect.deeds import Action, Check, Deed, action_of, check_of, deed_of, doing_of, runs
from blade.detect.edits import may_name_verifier
from blade.detect.fields import Telling, telling_fields
from blade.detect.signal import Signal, quoted
from blade.detect.toolbox import Toolbox, toolbox_of
from blade.item import Form, Item, body_of, calls_of, form_of
from blade.rollout import Rollout, results_of, steps_of

HEAD: Final = 2_000
"""Characters of a message's text that are looked at from each of its ends."""


_Value = TypeVar("_Value")


class _kept(Generic[_Value]):  # noqa: N801  it is used as `property` is
    """A property that is made when it is first asked for; unlike `cached_property` of Python 3.11 it takes no lock."""

    def __init__(self, make: "Callable[[Reading], _Value]") -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, reading: None, kind: "type[Reading]") -> Self: ...
    @overload
    def __get__(self, reading: "Reading", kind: "type[Reading]") -> _Value: ...
    def __get__(self, reading: "Reading | None", kind: "type[Reading]") -> Self | _Value:
        if reading is None:
            return self
        value = reading.__dict__[self._name] = self._make(reading)
        return value


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

    @_kept
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

    @_kept
    def answer(self) -> tuple[int, str] | None:
        """Step and text of the last message of the model that says something and calls nothing."""
        return self.rollout.answer()

    @_kept
    def final(self) -> tuple[int, str] | None:
        """The same, where nothing comes after it: the model had the last word."""
        return self.answer if self.answer and self.answer[0] == self.last else None

    @_kept
    def unfinished(self) -> bool:
        """Whether the model did not have the last word."""
        return self.final is None and self.last >= 0

    @_kept
    def balks(self) -> bool:
        """Whether the model had the last word, and it may decline or give up."""
        return self.final is not None and speech.may_balk(self.final[1])

    @_kept
    def closing(self) -> tuple[int, str] | None:
        """The same, where no call comes after it: a user or the harness may have spoken since."""
        after = self.actions[-1].step if self.actions else -1
        return self.answer if self.answer and self.answer[0] > after else None

    @_kept
    def broken_calls(self) -> list[Action]:
        """Calls whose arguments are no JSON."""
        return [action for action in self.actions if not action.is_json]

    @_kept
    def open_calls(self) -> list[Action]:
        """Calls that nothing answers."""
        return [action for action in self.actions if action.result_step is None]

    @_kept
    def toolbox(self) -> Toolbox:
        """The tools that were offered."""
        return toolbox_of(self.rollout.tools, self.rollout.hashes.tools)

    @_kept
    def errors(self) -> list[Action]:
        """Calls whose answers are errors, in order."""
        return [action for action in self.actions if action.error]

    def error_quote(self, action: Action) -> str:
        """The words of an action's error as its step has them; those of the call, where its server ran it itself."""
        if action.error is None:
            return ""
        return quoted(self.head(action.step)) if action.result_step == action.step else action.error.quote

    @_kept
    def has_users(self) -> bool:
        """Whether anybody but the model speaks in the trajectory."""
        return any(form.kind == "message" and form.actor != "model" for form in set(self.forms))

    @_kept
    def limits(self) -> dict[str, Signal]:
        """What the rollout says of a limit that ended it, by the name of the signal."""
        return limits.limits_told(self)

    @_kept
    def prompt_texts(self) -> list[tuple[str, str]]:
        """Actor and text of every message of the prompt."""
        return [(step.actor, step.text) for step in self.rollout.prompt if step.kind == "message"]

    @_kept
    def calls_before(self) -> bool:
        """Whether the prompt holds calls or their answers: the trajectory goes on with work that has begun."""
        return any(step.kind in ("call", "result") or step.calls for step in self.rollout.prompt)

    @_kept
    def talks_with_somebody(self) -> bool:
        """Whether the prompt is a conversation in which the model has spoken, so that somebody may answer it again."""
        return any(step.kind == "message" and step.actor == "model" for step in self.rollout.prompt)

    @_kept
    def demands(self) -> list[demands.Demand]:
        """The forms that the prompt demands of the last message."""
        return _demands_of(self)

    @_kept
    def deeds(self) -> list[Deed]:
        """The actions that do something to the machine they work on, in order."""
        named: list[Any] = []
        found = []
        for nth, action in enumerate(self.actions):
            value = action.value
            if type(value) is dict:
                doing = doing_of((action.tool, *value))
                for key in doing.paths:
                    named.append(value[key])
                if not doing.certain and "\\n" not in action.arguments and not runs(value, doing.commands):
                    continue
            found.append(deed_of(nth, action))
        self._names_verifier = may_name_verifier("\n".join(path for path in named if type(path) is str))
        return found

    @_kept
    def edits(self) -> list[Deed]:
        """What changes files."""
        return [deed for deed in self.deeds if deed.edit]

    @_kept
    def meddling(self) -> bool:
        """Whether calls change files, run commands or name what gives the reward: worth a closer look."""
        return any(deed.edit or deed.command for deed in self.deeds) or self._names_verifier

    @_kept
    def repeats(self) -> int:
        """Calls that are the same as an earlier one."""
        return len(self.actions) - len(set(map(_mark, self.actions)))

    @_kept
    def checks(self) -> list[Check]:
        """How the model's own tests went, in order."""
        found = map(check_of, self.deeds)
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
