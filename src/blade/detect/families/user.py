"""What a simulated user did wrong: only what its own words show."""

import re
from collections.abc import Iterator
from typing import Final

from blade.detect.reading import Reading
from blade.detect.signal import BEHAVIOUR, EVIDENCE, QUOTE_LIMIT, Signal, detector, quoted
from blade.item import body_of

_LONG_ENOUGH: Final = 15
_STOP: Final = re.compile(
    r"#{2,}\s?[A-Z][A-Z_ -]{2,30}\s?#{2,}|<\|?(?:end|stop|eos|done)\|?>|\[(?:STOP|END|DONE|TERMINATE)\]"
)
_AS_AGENT: Final = re.compile(
    r"\bhow (?:can|may) i (?:help|assist) you\b|\bis there anything else i can (?:help|assist)\b", re.IGNORECASE
)
_CONFIRM: Final = re.compile(
    r"\b(?:do you (?:confirm|want to proceed|wish to proceed|agree)|(?:please|could you) confirm|would you like (?:me )?to|do you want me to"
    r"|shall i|should i|yes or no)\b[^?\n]{0,200}\?|\(yes/no\)|reply (?:with )?[\"“']?yes",
    re.IGNORECASE,
)
_AGREES: Final = re.compile(
    r"^\W{0,3}(?:yes|yeah|yep|sure|okay|ok)\b|\b(?:go ahead|please (?:do|proceed|transfer|book|cancel|change|update)|i (?:do )?confirm|i agree)\b",
    re.IGNORECASE,
)
_DECLINES: Final = re.compile(
    r"\b(?:not|don['’]t|never ?mind|no need|no thank|instead|cancel that|wait|later|that['’]s all|thanks? (?:you )?for your help)\b",
    re.IGNORECASE,
)


@detector(
    "user repeats itself",
    needs="has_users",
    family="user",
    role=EVIDENCE,
    cause="TI",
    owner="harness",
    title="User turn repeated word for word",
    meaning="A user turn of the trajectory repeats the user turn before it word for word.",
    but="It does not say that a person was played: harnesses answer invalid actions in the same words each time.",
)
def user_repeats_itself(reading: Reading) -> Iterator[Signal]:
    before, last = "", -1
    told: set[str] = set()
    for step in _user_steps(reading):
        text = reading.text(step).strip()
        if text == before and len(text) >= _LONG_ENOUGH and text not in told and not _is_echo(reading, last, step):
            told.add(text)
            yield Signal(step, text[:QUOTE_LIMIT])
        before, last = text, step


def _is_echo(reading: Reading, first: int, second: int) -> bool:
    """Whether the trajectory holds its own history again, so that what comes next is the same as well."""
    after = [body_of(reading.items[step + 1]) if step < reading.last else None for step in (first, second)]
    return after[0] is not None and after[0] == after[1]


@detector(
    "user turn empty",
    needs="has_users",
    family="user",
    role=BEHAVIOUR,
    cause="TI",
    owner="harness",
    title="Empty turn of the simulated user",
    meaning="A user turn of the trajectory has no text.",
    but="It does not say that the model could have gone on regardless.",
)
def user_turn_empty(reading: Reading) -> Iterator[Signal]:
    for step in _user_steps(reading):
        if reading.text(step).strip() in ("", "null", "None"):
            yield Signal(step, reading.text(step).strip())


@detector(
    "user plays the agent",
    needs="has_users",
    family="user",
    role=BEHAVIOUR,
    cause="TI",
    owner="harness",
    title="Simulated user spoke as the agent",
    meaning="A user turn offers help, as only the agent would.",
    but="It does not say that the model was led astray by it.",
)
def user_plays_the_agent(reading: Reading) -> Iterator[Signal]:
    for step in _user_steps(reading):
        text = reading.head(step)
        if found := _AS_AGENT.search(text):
            yield Signal(step, found[0])


@detector(
    "user stopped too early",
    needs="has_users",
    family="user",
    role=BEHAVIOUR,
    cause="TI",
    owner="harness",
    title="Simulated user ended it before its own wish was done",
    meaning="The model asked whether to go on, and the user agreed, or said nothing, in the very turn that holds the token"
    " that ends the conversation: the model had no turn left to do it.",
    but="It does not say that what was left undone mattered for the verdict.",
)
def user_stopped_too_early(reading: Reading) -> Iterator[Signal]:
    last = reading.last
    if last < 1 or not reading.is_message(last, "user") or not reading.is_message(last - 1, "model"):
        return
    text = reading.head(last)
    stop = _STOP.search(text)
    if stop is None or not _CONFIRM.search(reading.text(last - 1)[-400:]):
        return
    said = f"{text[: stop.start()]} {text[stop.end() :]}".strip()
    if not said or (_AGREES.search(said) and not _DECLINES.search(said)):
        yield Signal(last, quoted(text))


def _user_steps(reading: Reading) -> Iterator[int]:
    if reading.has_users:
        yield from (step for step in range(len(reading.forms)) if reading.is_message(step, "user"))
