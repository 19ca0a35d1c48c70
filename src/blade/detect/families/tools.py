"""How tools were called, and what became of it."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Final

from blade.detect.deeds import Action
from blade.detect.reading import Reading
from blade.detect.signal import BEHAVIOUR, Signal, detector, quoted

SAME_CALLS: Final = 3
"""Times that a call has to be made before it counts as repeated."""

ROUNDS: Final = 3
"""Times that two calls have to alternate before it counts as a loop."""


@detector(
    "unknown tool",
    needs="actions",
    family="tools",
    role=BEHAVIOUR,
    owner="tools",
    title="Called a tool that does not exist",
    meaning="A call names a tool that is not among those offered, or its answer says that there is no such tool.",
    but="It does not say whose mistake it is: the tool may have been renamed, or be missing from the list.",
)
def unknown_tool(reading: Reading) -> Iterator[Signal]:
    box = reading.toolbox
    known = not box.complete or box.names.issuperset(map(_tool_of, reading.actions))
    for action in reading.errors if known else reading.actions:
        if action.error and action.error.kind == "unknown tool" and action.result_step is not None:
            yield Signal(action.result_step, reading.error_quote(action), action.tool)
        elif box.complete and action.tool and action.tool not in box:
            yield Signal(action.step, _call_quote(reading, action), action.tool)


@detector(
    "arguments not JSON",
    needs="broken_calls",
    family="tools",
    role=BEHAVIOUR,
    title="Arguments are not JSON",
    meaning="The arguments of a call cannot be read as JSON, although those of other calls or the tool's schema are.",
    but="It does not say that the tool refused them: some take plain text.",
)
def arguments_not_json(reading: Reading) -> Iterator[Signal]:
    json_elsewhere = {action.tool for action in reading.actions if action.is_json and action.arguments}
    for action in reading.broken_calls:
        looks_like_json = action.arguments.lstrip()[:1] in ("{", "[")
        if looks_like_json or action.tool in json_elsewhere:
            yield Signal(action.step, _call_quote(reading, action), action.tool)


@detector(
    "arguments break schema",
    needs="actions",
    family="tools",
    role=BEHAVIOUR,
    title="Arguments break the tool's schema",
    meaning="The arguments of a call break the JSON schema that the tool declares: something is missing, unexpected, of "
    "another type or no allowed choice.",
    but="It does not say that the tool refused them: many tools are more lenient than what they declare.",
)
def arguments_break_schema(reading: Reading) -> Iterator[Signal]:
    box = reading.toolbox
    for action in reading.actions if box.names else ():
        if action.is_json:
            for breach in box.breaches(action.tool, action.value)[:3]:
                yield Signal(action.step, _call_quote(reading, action), f"{action.tool}: {breach.kind} {breach.key}")


@detector(
    "tool error",
    needs="errors",
    family="tools",
    role=BEHAVIOUR,
    title="A tool answered with an error",
    meaning="The answer of a tool is an error: it says that the call did not do what it was made for.",
    but="It does not say that the error mattered: models try things out and mend their calls. Tests that fail are none.",
)
def tool_error(reading: Reading) -> Iterator[Signal]:
    checked = {check.step for check in reading.checks}
    for action in reading.errors:
        of_the_call = action.error and not action.error.infrastructure and action.result_step not in checked
        if of_the_call and action.error and action.result_step is not None:
            yield Signal(action.result_step, reading.error_quote(action), f"{action.tool}: {action.error.kind}")


@detector(
    "error not recovered",
    needs="errors",
    family="tools",
    role=BEHAVIOUR,
    title="Stopped after an error",
    meaning="The last calls of the rollout, from this one on, were all answered with errors: nothing mended them.",
    but="It does not say that they could be mended: what was asked may not be possible.",
)
def error_not_recovered(reading: Reading) -> Iterator[Signal]:
    checked = {check.step for check in reading.checks}
    first = None
    for action in reversed(reading.actions):
        if not action.error or action.result_step in checked:
            break
        first = action
    if first is None:
        return
    if first.error and first.result_step is not None and not _all_of_infrastructure(reading, first):
        yield Signal(first.result_step, reading.error_quote(first), f"{first.tool}: {first.error.kind}")


def _all_of_infrastructure(reading: Reading, first: Action) -> bool:
    return all(action.error and action.error.infrastructure for action in reading.actions if action.step >= first.step)


@detector(
    "call repeated",
    needs="repeats",
    family="tools",
    role=BEHAVIOUR,
    title="Same call again and again",
    meaning=f"The same tool was called with the same arguments {SAME_CALLS} times or more, and answered the same.",
    but="It does not say that nothing was learned: waiting for something looks alike.",
)
def call_repeated(reading: Reading) -> Iterator[Signal]:
    if len(reading.actions) < SAME_CALLS:
        return
    same: dict[tuple[str, str], list[Action]] = defaultdict(list)
    for action in reading.actions:
        same[action.tool, action.arguments].append(action)
    if len(same) > len(reading.actions) - SAME_CALLS + 1:
        return
    for (tool, _), actions in same.items():
        if len(actions) >= SAME_CALLS and (alike := _answered_alike(actions)):
            third = alike[SAME_CALLS - 1]
            yield Signal(third.step, _call_quote(reading, third), f"{tool}, {len(alike)} times")


def _answered_alike(actions: list[Action]) -> list[Action]:
    """The most of these that were answered with the same words; nothing where too few were."""
    by_answer: dict[bytes, list[Action]] = defaultdict(list)
    ids: set[str | None] = set()
    for action in actions:
        is_echo = action.call_id is not None and action.call_id in ids  # some trajectories hold their history again
        if action.body is not None and not is_echo:
            by_answer[bytes(action.body)].append(action)
        ids.add(action.call_id)
    most = max(by_answer.values(), key=len, default=[])
    return most if len(most) >= SAME_CALLS else []


@detector(
    "calls alternate",
    needs="repeats",
    family="tools",
    role=BEHAVIOUR,
    title="Two calls in turn, again and again",
    meaning=f"Two different calls were made in turn {ROUNDS} times or more without a break, each answered the same.",
    but="It does not say that the rollout ended in it.",
)
def calls_alternate(reading: Reading) -> Iterator[Signal]:
    actions = reading.actions
    if len(actions) < 2 * ROUNDS:
        return
    marks = [(action.tool, action.arguments) for action in actions]
    place = 0
    while place + 2 * ROUNDS <= len(marks):
        end = _end_of_turns(marks, place)
        if end - place >= 2 * ROUNDS and _answers_repeat(actions[place:end]):
            again = actions[place + 2 * (ROUNDS - 1)]
            detail = f"{marks[place][0]}, {marks[place + 1][0]}: {(end - place) // 2} rounds"
            yield Signal(again.step, _call_quote(reading, again), detail)
        place = max(place + 1, end - 1)


def _end_of_turns(marks: list[tuple[str, str]], start: int) -> int:
    """Where the alternation of two calls that begins at `start` ends."""
    if marks[start] == marks[start + 1]:
        return start + 1
    end = start + 2
    while end < len(marks) and marks[end] == marks[end - 2]:
        end += 1
    return end


def _answers_repeat(actions: Sequence[Action]) -> bool:
    answers = [bytes(action.body) if action.body is not None else b"" for action in actions]
    return any(answers) and all(answers[place] == answers[place - 2] for place in range(2, len(answers)))


@detector(
    "call without output",
    needs="open_calls",
    family="tools",
    role=BEHAVIOUR,
    owner="harness",
    title="A call was never answered",
    meaning="No output stands in the rollout for a call, although most calls of the rollout have one.",
    but="It does not say that the tool did not run. Where the rollout ends with the call, its limit may have ended it.",
)
def call_without_output(reading: Reading) -> Iterator[Signal]:
    if 2 * len(reading.open_calls) >= len(reading.actions):
        return
    for action in reading.open_calls:
        yield Signal(action.step, _call_quote(reading, action), action.tool)


@detector(
    "no tool used",
    needs="answer",
    family="tools",
    role=BEHAVIOUR,
    title="Tools offered, none used",
    meaning="Tools were offered and the model answered without calling any, nor does the prompt hold earlier calls.",
    but="It does not say that a tool was needed.",
)
def no_tool_used(reading: Reading) -> Iterator[Signal]:
    if reading.actions or not reading.answer or not reading.toolbox.names or reading.calls_before:
        return
    step, text = reading.answer
    yield Signal(step, quoted(text), f"{len(reading.toolbox.names)} offered")


_tool_of = attrgetter("tool")


def _call_quote(reading: Reading, action: Action) -> str:
    """The beginning of a call as its step has it."""
    return quoted(reading.head(action.step))
