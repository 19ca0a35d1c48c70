"""What a simulated user did wrong: only what its own words show."""

import re
from collections.abc import Iterator
from typing import Final

from blade.detect.reading import Reading
from blade.detect.signal import BEHAVIOUR, EVIDENCE, QUOTE_LIMIT, Signal, detector
from blade.item import body_of

_LONG_ENOUGH: Final = 15
_STOP: Final = re.compile(
    r"#{2,}\s?[A-Z][A-Z_ -]{2,30}\s?#{2,}|<\|?(?:end|stop|eos|done)\|?>|\[(?:STOP|END|DONE|TERMINATE)\]"
)
_AS_AGENT: Final = re.compile(
    r"\bhow (?:can|may) i (?:help|assist) you\b|\bis there anything else i can (?:help|assist)\b", re.IGNORECASE
)
_CONFIRM: Final = re.compile(
    r"\b(?:do you (?:confirm|want to proceed|wish to proceed|agree)|confirm(?: \w+){0,8}|would you like (?:me )?to proceed"
    r"|shall i proceed|yes or no)\b[^?\n]{0,80}\?|\(yes/no\)|reply (?:with )?[\"“']?yes",
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
    "user left a question open",
    needs="has_users",
    family="user",
    role=BEHAVIOUR,
    cause="TI",
    owner="harness",
    title="Simulated user left before it had confirmed",
    meaning="The model asked for a confirmation, and the user answered with nothing but the token that ends the"
    " conversation.",
    but="It does not say that the confirmation was needed.",
)
def user_left_a_question_open(reading: Reading) -> Iterator[Signal]:
    last = reading.last
    if (
        last < 1
        or not reading.has_users
        or not reading.is_message(last, "user")
        or not reading.is_message(last - 1, "model")
    ):
        return
    text = reading.head(last)
    stop = _STOP.search(text)
    if stop and len(text.strip()) - len(stop[0]) <= 2 and _CONFIRM.search(reading.text(last - 1)[-400:]):
        yield Signal(last, stop[0])


def _user_steps(reading: Reading) -> Iterator[int]:
    if reading.has_users:
        yield from (step for step in range(len(reading.forms)) if reading.is_message(step, "user"))
