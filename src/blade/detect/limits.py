"""What fields, errors and last words say of the limit that ended a rollout, or of whoever stopped it."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from blade.detect import wording
from blade.detect.fields import EPISODE_TRUNCATED, Telling
from blade.detect.signal import QUOTE_LIMIT, Signal
from blade.detect.wording import LIMIT

if TYPE_CHECKING:
    from blade.detect.reading import Reading

LONGEST_WORD: Final = 80
"""A longer text is a sentence."""

_LONGEST_SPOKEN: Final = 400
_LONGEST_BY_MODEL: Final = 160
_WRAPPING: Final = 140
"""Bytes that content parts have around their text."""

_NEAR_THE_BEGINNING: Final = 80

_IN_A_WORD: Final = tuple(
    (signal, re.compile(words))
    for signal, words in (
        ("context overflow", r"context (?:length|window|size|limit|overflow|exceeded|too long)|(?:prompt|input) (?:is )?too long|max(?:imum)? context"),
        ("turn limit", r"max(?:imum)? (?:number of )?(?:\w+ ){0,2}(?:turns?|steps?|iterations?|iters|rounds?|actions?|(?:tool )?calls)|(?:turn|step|iteration|round|action|recursion|tool call)s? (?:limit|budget|exhausted|exceeded)"),
        ("agent time-out", r"(?:^|\b(?:agent|episode|rollout|task|run|overall|global|session|execution) )time(?:d)? ?out\b|time (?:limit|budget)|wall ?clock|deadline exceeded|ran out of time"),
        ("output truncated", r"max(?:imum)? (?:\w+ )?tokens?\b|^length$|(?:output|token|generation) (?:limit|length|truncated)|^truncated$"),
        ("content filter", r"content (?:filter|policy)|safety (?:filter|block)|^moderat"),
        ("cancelled", r"^(?:rollout |run |user |agent )?(?:cancelled|canceled|aborted|interrupted)\b|^cancellederror"),
    )
)  # fmt: skip
"""Short words for the end of a rollout, with underscores as spaces, in lower case."""

_BY_WORDING: Final = {
    "context overflow": "context overflow",
    "turn limit": "turn limit",
    "time limit": "agent time-out",
}
_OUT_OF_THE_END: Final = frozenset(("output truncated",))
"""Words that say how something ended only where the field's name speaks of an end."""

_REACHED: Final = re.compile(
    r"reached|exceed|exhausted|ran out|run out|used up|\bhit\b|stopped|over the|limit of|too long"
)
_TIMED_OUT: Final = re.compile(r"time[ds]?[ _-]?out|deadline exceeded|time[ _-]?limit")


def limits_told(reading: "Reading") -> dict[str, Signal]:
    """By the name of the signal: the first place that tells of each ending."""
    found: dict[str, Signal] = {}
    evidence = reading.rollout.evidence
    silent = not (reading.telling or evidence.incomplete or evidence.status or evidence.error)
    if silent and reading.last_size > _LONGEST_SPOKEN + _WRAPPING and not reading.rollout.observed.finish_reason:
        return found
    for name, signal in _told(reading):
        found.setdefault(name, signal)
    return found


def _told(reading: "Reading") -> Iterator[tuple[str, Signal]]:
    step = reading.last if reading.last >= 0 else None
    evidence, observed = reading.rollout.evidence, reading.rollout.observed
    if evidence.incomplete or evidence.status or observed.finish_reason:
        words = (
            ("response.incomplete_details.reason", evidence.incomplete),
            ("response.status", evidence.status),
            ("finish_reason", observed.finish_reason),
        )
        for field, word in words:
            if word and (name := limit_in_word(word)):
                yield name, Signal(step, word[:QUOTE_LIMIT], field=field)
    if observed.sandbox_outcome == "timeout":
        yield "container time-out", Signal(step, "timeout", field="sandbox outcome")
    for telling in reading.telling:
        if name := _of_field(telling, reading):
            yield name, Signal(step, telling.quote[:QUOTE_LIMIT], field=telling.name)
    if evidence.error and (said := wording.read(evidence.error)) and (name := _BY_WORDING.get(said.wording.name, "")):
        yield name, Signal(step, said.quote, field="error" if "error" in reading.fields else "response.error")
    yield from _spoken(reading)


def _of_field(telling: Telling, reading: "Reading") -> str:
    """The ending that a field tells of: a truth value by its name, a text by its words."""
    says, value = telling.says, telling.value
    if told := telling.says_true or telling.says_false:
        if told == EPISODE_TRUNCATED:
            return "turn limit" if "terminated" in reading.fields else ""
        return told
    if not isinstance(value, str) or not says.reason:
        return ""
    if says.verifier:
        return "verifier time-out" if len(value) <= _LONGEST_SPOKEN and _TIMED_OUT.search(value.lower()) else ""
    if len(value) <= LONGEST_WORD:
        name = limit_in_word(value)
        return name if says.ends or name not in _OUT_OF_THE_END else ""
    said = wording.read(value)
    near = said and said.says == LIMIT and said.start <= _NEAR_THE_BEGINNING
    return _BY_WORDING.get(said.wording.name, "") if said and near else ""


@lru_cache(maxsize=4_000)
def limit_in_word(word: str) -> str:
    """The signal that a short word for an end stands for; empty where it stands for none."""
    plain = word.lower().replace("_", " ").replace("-", " ").strip()
    if len(plain) > LONGEST_WORD:
        return ""
    return next((signal for signal, pattern in _IN_A_WORD if pattern.search(plain)), "")


def _spoken(reading: "Reading") -> Iterator[tuple[str, Signal]]:
    """A limit that the last step tells of: written there by the harness."""
    if reading.last < 0:
        return
    form = reading.forms[reading.last]
    longest = _LONGEST_BY_MODEL if form.actor == "model" else _LONGEST_SPOKEN
    if form.kind not in ("message", "result", "other") or reading.last_size > longest + _WRAPPING:
        return
    text = reading.text(reading.last)
    lowered = text[:longest].lower()
    if len(text) > longest or not _REACHED.search(lowered):
        return
    said = wording.read(text)
    if said is None or said.says != LIMIT or said.start > _NEAR_THE_BEGINNING:
        return
    speaks = form.actor == "model" and " i " in f" {lowered} "
    if not speaks and (name := _BY_WORDING.get(said.wording.name, "")):
        yield name, Signal(reading.last, said.quote)
