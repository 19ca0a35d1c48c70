"""What ended a rollout. The order of the detectors is their precedence: the first that shows is the most telling."""

import re
from collections.abc import Callable, Iterable, Iterator

from blade.detect import speech
from blade.detect.reading import Reading
from blade.detect.signal import ENDING, QUOTE_LIMIT, Signal, detector, quoted
from blade.item import calls_of


def _told(name: str) -> Callable[[Reading], Iterable[Signal]]:
    """A detector of what fields, errors or the harness's last words say in so many words."""

    def detect(reading: Reading) -> Iterable[Signal]:
        signal = reading.limits.get(name)
        return (signal,) if signal else ()

    return detect


detector(
    "verifier time-out",
    needs="limits",
    family="ending",
    role=ENDING,
    cause="TI",
    owner="verifier",
    title="The verifier ran out of time",
    meaning="A field says that the verifier, its tests or the judge ran into a time limit.",
    but="It does not say that the verifier is slow: the work that it judged may never end.",
)(_told("verifier time-out"))

detector(
    "container time-out",
    needs="limits",
    family="ending",
    role=ENDING,
    cause="IR",
    owner="infrastructure",
    title="The container ran out of time",
    meaning="A field or an observation says that the sandbox or container ran into its time limit.",
    but="It does not say that the machine was slow: what ran in it may have hung.",
)(_told("container time-out"))

detector(
    "context overflow",
    needs="limits",
    family="ending",
    role=ENDING,
    owner="harness",
    title="Conversation longer than the context",
    meaning="A field, the error of the response or the last words of the harness say that the conversation outgrew the"
    " model's context.",
    but="It does not say that the context is too small: tools may answer at length, or the model may read too much.",
)(_told("context overflow"))

detector(
    "output truncated",
    needs="limits",
    family="ending",
    role=ENDING,
    owner="harness",
    title="Output cut by the token limit",
    meaning="The response, or its last model call, stopped because the limit of output tokens was reached.",
    but="It does not say that the limit is too low: the model may have rambled.",
)(_told("output truncated"))

detector(
    "agent time-out",
    needs="limits",
    family="ending",
    role=ENDING,
    owner="harness",
    title="Agent ran out of time",
    meaning="A field, an error or the last words of the harness say that the agent used up its time.",
    but="It does not say what took the time: the model, its tools or the machine.",
)(_told("agent time-out"))

detector(
    "turn limit",
    needs="limits",
    family="ending",
    role=ENDING,
    owner="harness",
    title="Turn limit reached",
    meaning="A field, an error or the last words of the harness say that the agent used up its turns, steps or calls.",
    but="It does not say that more turns would have helped: loops end so too.",
)(_told("turn limit"))

detector(
    "content filter",
    needs="limits",
    family="ending",
    role=ENDING,
    owner="harness",
    title="Output stopped by a content filter",
    meaning="The response or a field says that a filter of the provider stopped the output.",
    but="It does not say that the output was harmful.",
)(_told("content filter"))

detector(
    "cancelled",
    needs="limits",
    family="ending",
    role=ENDING,
    cause="IR",
    owner="infrastructure",
    title="Rollout cancelled",
    meaning="The status of the response or a field says that the rollout was cancelled, aborted or interrupted.",
    but="It does not say by whom, or why.",
)(_told("cancelled"))

detector(
    "stopped from outside",
    needs="limits",
    family="ending",
    role=ENDING,
    owner="harness",
    title="Stopped by the harness",
    meaning="A field says that the agent did not end by itself, and nothing says what stopped it.",
    but="It does not say which limit it was.",
)(_told("stopped from outside"))


@detector(
    "refusal",
    needs="balks",
    family="ending",
    role=ENDING,
    title="Model refused",
    meaning="The last message is short and declines to do what was asked.",
    but="It does not say that the refusal is wrong: a policy may demand it. Not finding something is no refusal.",
)
def refusal(reading: Reading) -> Iterator[Signal]:
    if reading.final is None:
        return
    step, text = reading.final
    found = speech.refuses(text)
    if found:
        yield Signal(step, quoted(text, found.start()))


@detector(
    "tool lacked",
    needs="balks",
    family="ending",
    role=ENDING,
    owner="tools",
    title="Model says that it lacks a tool",
    meaning="The last message is short and says that there is no tool for what was asked.",
    but="It does not say that there is none: the model may have overlooked it.",
)
def tool_lacked(reading: Reading) -> Iterator[Signal]:
    if reading.final is None:
        return
    step, text = reading.final
    found = speech.lacks_a_tool(text)
    if found:
        yield Signal(step, quoted(text, found.start()))


@detector(
    "gave up",
    needs="balks",
    family="ending",
    role=ENDING,
    title="Model gave up",
    meaning="The last message is short and says that the model could not do, find or finish what was asked.",
    but="It does not say that it could have been done.",
)
def gave_up(reading: Reading) -> Iterator[Signal]:
    if reading.final is None:
        return
    step, text = reading.final
    found = speech.gives_up(text)
    if found and not speech.refuses(text) and not speech.lacks_a_tool(text):
        yield Signal(step, quoted(text, found.start()))


@detector(
    "empty answer",
    needs="unfinished",
    family="ending",
    role=ENDING,
    title="Empty final answer",
    meaning="The last step is a message of the model without any text, and no message with text stands right before it.",
    but="It does not say why: the model may have been cut off, or may have answered through a tool.",
)
def empty_answer(reading: Reading) -> Iterator[Signal]:
    last = reading.last
    if last < 0 or reading.final or not reading.is_message(last, "model") or calls_of(reading.items[last]):
        return
    spoke_before = reading.answer is not None and reading.answer[0] == last - 1
    if not spoke_before:
        yield Signal(last, reading.text(last)[:QUOTE_LIMIT].strip())


@detector(
    "no answer",
    needs="unfinished",
    family="ending",
    role=ENDING,
    title="Ended without a final answer",
    meaning="The trajectory ends in reasoning, or in a call or its result although the model wrote messages before, and"
    " the last call does not look like handing in an answer.",
    but="It does not say that an answer was needed: where the work is done through tools, passing rollouts end so too.",
)
def no_answer(reading: Reading) -> Iterator[Signal]:
    last = reading.last
    if last < 0:
        return
    kind = reading.forms[last].kind
    if kind == "reasoning" and not reading.closing:
        yield Signal(last, quoted(reading.head(last)), "reasoning")
    elif kind in ("call", "result") and reading.actions and not _hands_in(reading):
        spoke = any(form.kind == "message" and form.actor == "model" for form in reading.forms)
        if spoke:
            yield Signal(last, quoted(reading.head(last)), kind)


_HANDS_IN = frozenset(
    (
        "submit",
        "submission",
        "finish",
        "finished",
        "final",
        "answer",
        "done",
        "complete",
        "completed",
        "respond",
        "reply",
    )
) | frozenset(("stop", "end", "transfer", "conclude", "report", "terminate", "exit", "handoff", "escalate"))
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def _hands_in(reading: Reading) -> bool:
    """Whether the last call is a way to give an answer, by the name of its tool."""
    parts = _PART.findall(reading.actions[-1].tool[:200])
    return any(part.lower() in _HANDS_IN for part in parts)


@detector(
    "early stop",
    needs="final",
    family="ending",
    role=ENDING,
    title="Asked instead of going on",
    meaning="The model has tools, nobody is there to answer, and its last message asks whether or how to go on.",
    but="It does not say that the question is idle: the task may have left something open.",
)
def early_stop(reading: Reading) -> Iterator[Signal]:
    if reading.final is None or not (reading.actions or reading.toolbox.names):
        return
    step, text = reading.final
    asked = speech.asks(text)
    if asked and asked in text and not (reading.has_users or reading.talks_with_somebody):
        yield Signal(step, asked[:QUOTE_LIMIT])
