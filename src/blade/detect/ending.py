"""Whether a trajectory ends in an error that its policy could not have caused.

A tool's output is the policy's doing as a rule: a program that it wrote may well print "connection refused".
So the end must *be* an error, not hold one: short, with the words of an infrastructure error at its very
beginning, and not about something that the policy itself tried to reach.
"""

import re
from typing import Final, NamedTuple

from blade.detect import wording
from blade.detect.wording import INFRASTRUCTURE, Said

LONGEST_ERROR: Final = 600
"""A longer text is output in which an error stands, rather than an error."""

_NEAR_THE_BEGINNING: Final = 100
_LONGEST_SPOKEN: Final = 400
_LOOPBACK: Final = re.compile(r"localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]")
_OWN_REACH: Final = re.compile(
    r"https?://|\b(?:curl|wget|ssh|scp|ping|telnet|nc|git|pip3?|npm|apt|apt-get|docker|kubectl|psql|mysql|redis-cli)\b"
    r"|requests\.|urllib|socket\.|aiohttp|httpx"
)
_ERROR_FIRST: Final = re.compile(
    r"\W{0,3}(?:(?:api|llm|model|provider|server|request|http|internal|fatal|connection|network|sandbox|unexpected|system)\W{1,2}){0,3}"
    r"(?:error|exception|failed|failure|[45]\d\d\b|[\w.]{1,80}(?:error|exception|timeout)\b)",
)
_ADMITS: Final = re.compile(
    r"unavailable|not available|unable|could ?n[o'’]t|can ?n?[o'’]t|cannot|can't|couldn't|try again|later|technical|"
    r"\bdown\b|outage|not respond|unreachable|not reach|offline|error|fail|interrupt|issue|problem|trouble"
)
_TRACEBACK: Final = "traceback (most recent call last)"


class End(NamedTuple):
    """How a rollout ends, as the store has it: texts may be cut in the middle."""

    kind: str | None
    actor: str | None
    text: str
    steps: int
    result_step: int | None = None
    result: str = ""
    arguments: str = ""
    """Of the call that `result` answers."""


class Broken(NamedTuple):
    """An end that was not the policy's doing: the step that shows it, its words, and what they mean."""

    step: int
    quote: str
    meaning: str


def broken_end(end: End) -> Broken | None:
    """The infrastructure error that a trajectory ends in, or None."""
    last = end.steps - 1
    result = _error_of_tool(end)
    if result and end.result_step is not None:
        at_the_end = end.kind in ("result", "call")
        gave_up = end.kind == "message" and end.actor == "model" and _admits(end.text)
        if (at_the_end and end.result_step >= last - 1) or (gave_up and end.result_step >= last - 2):
            return Broken(end.result_step, result.quote, result.wording.meaning)
    spoken = _spoken_error(end) if end.kind in ("message", "other") else None
    return Broken(last, spoken.quote, spoken.wording.meaning) if spoken else None


def _error_of_tool(end: End) -> Said | None:
    """What the last result of a tool says, if it is an error of the infrastructure and nothing else."""
    if len(end.result) > LONGEST_ERROR or _LOOPBACK.search(end.result) or _OWN_REACH.search(end.arguments.lower()):
        return None
    said = wording.read(end.result)
    blames = said is not None and said.says == INFRASTRUCTURE and said.start <= _NEAR_THE_BEGINNING
    return said if blames and _TRACEBACK not in end.result.lower() else None


def _spoken_error(end: End) -> Said | None:
    """What a last message says that is no speech but the text of an error, put there by the harness."""
    if len(end.text) > _LONGEST_SPOKEN or not _ERROR_FIRST.match(end.text[:200].lower()):
        return None
    said = wording.read(end.text)
    return said if said and said.says == INFRASTRUCTURE and said.start <= _NEAR_THE_BEGINNING else None


def _admits(text: str) -> bool:
    """Whether a last message says that something did not work."""
    return bool(_ADMITS.search(text[: 2 * LONGEST_ERROR].lower()))
