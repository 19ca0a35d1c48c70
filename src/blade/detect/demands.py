"""The form that a prompt demands of the last message, where it is one that a program can look for.

Only demands in so many words count: where the prompt shows a form, describes its own input, or speaks of a program's
output, nothing is demanded. Judging is lenient: a message misses a form only where nothing in it could be meant by it.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from blade import content

_READ: Final = 6_000
"""Characters of each end of a prompt's message that are looked at: demands stand at the ends."""

_LONGEST_JSON: Final = 200_000
_MOST_STARTS: Final = 20

_BOXED: Final = re.compile(
    r"\b(?:put|plac|insid|within|in|format|present|enclos|wrap|output|giv|return|writ|provid|should be|answer)[^.\n]{0,160}\\{1,2}boxed\b",
    re.IGNORECASE,
)
_TAGS: Final = re.compile(
    r"\b(?:put|plac|insid|within|enclos|wrap|between|surround|respond with|answer with|using|in)(?:e|es|ed|ing|ped)?\b[^.\n<]{0,100}<(\|?[A-Za-z][\w-]{0,30}\|?)>",
    re.IGNORECASE,
)
_MARKER: Final = re.compile(
    r"\b(?:end|finish|conclud|last line|final line|new line|own line|one line|a line|format|should be|exactly|respond with|begin|start)\w{0,3}\b[^\n]{0,160}?(?:\n\s{0,4}|[\"'“`*]{1,4})"
    r"((?:final |your |the )?(?:answer|verdict|result|decision|conclusion|choice|prediction|solution|judge?ment|label|score|rating)(?: is)?):",
    re.IGNORECASE,
)
_JSON: Final = re.compile(
    r"(?:^|[.:;!\n]\s{0,4})(?:important: |please |you must |you should |always |only |must |then )*(?:respond|reply|answer|output|return|format|provide|produce|print)\b[^.\n{]{0,80}\bjson\b(?! (?:file|string|schema|library|parser|data))"
    r"|\byour (?:final )?(?:response|answer|output|reply)\b[^.\n{]{0,80}\bjson\b",
    re.IGNORECASE,
)
_LETTER: Final = re.compile(
    r"\b(?:answer|respond|reply|output|give|return|choose|provide|select|state|write)\b[^.\n]{0,60}\b(?:only the|just the|single|correct|corresponding|option|choice|answer|one|option['’]s) letter\b(?! (?:from|to)\b)"
    r"|\b(?:only|just) (?:with )?the letter\b",
    re.IGNORECASE,
)
_FENCE: Final = re.compile(
    r"\b(?:wrap|enclose|put|place|provide|write|return|output|within|inside|use)\b[^\n`]{0,120}```"
    r"|\b(?:solution|answer|response|code|output|query)\b[^\n]{0,60}\b(?:following|this|exact) format[^\n]{0,30}\n\s{0,4}```"
    r"|\b(?:in|inside|within|into|single|using)\b (?:an? |one |the )?(?:\w+ ){0,3}code ?blocks?\b",
    re.IGNORECASE,
)
_NEGATED: Final = re.compile(r"\b(?:no|not|never|without|don['’]t|avoid|instead of|rather than)\b", re.IGNORECASE)
_OF_THE_INPUT: Final = re.compile(
    r"\b(?:below|above|described|is given|are given|provided|contained|find|found|described|see|listed|policy|example|e\.g|if you)\b",
    re.IGNORECASE,
)
_THOUGHTS: Final = re.compile(r"\b(?:reasoning|thinking|thoughts?|scratchpad)\b", re.IGNORECASE)
_OF_THOUGHT: Final = re.compile(
    r"think|thought|reason|scratch|analysis|plan|execute|tool|function|reflect|explan|br|html|div|span|p|a|b|i|li|ul|code",
    re.IGNORECASE,
)


class Demand(NamedTuple):
    """A form that the last message has to have."""

    form: str
    """How people call it."""
    marks: tuple[str, ...]
    """Any of these, in lower case, shows that it was meant; without any, the form is judged by itself."""


def demands_of(messages: list[tuple[str, str]]) -> list[Demand]:
    """What is demanded by the instructions and by the last message of a user."""
    users = [text for actor, text in messages if actor == "user"]
    texts = [text for actor, text in messages if actor == "system"] + users[-1:]
    found: dict[str, Demand] = {}
    for text in texts:
        ends = text if len(text) <= 2 * _READ else f"{text[:_READ]}\n\n{text[-_READ:]}"
        for demand in _demands_in(ends):
            found.setdefault(demand.form, demand)
    return list(found.values())


@lru_cache(maxsize=4_000)
def _demands_in(text: str) -> tuple[Demand, ...]:
    return tuple(_each_demand(text, text.lower()))


def _each_demand(text: str, lowered: str) -> Iterator[Demand]:
    if "boxed" in lowered and _BOXED.search(text):
        yield Demand("boxed", ("boxed", "fbox"))
    if "<" in text and (tags := _tags_in(text)):
        yield Demand(f"tag <{tags[0]}>", tuple(f"<{tag.lower()}" for tag in tags))
    if ":" in text and (marker := _demanded(_MARKER, text)):
        label = " ".join(marker[1].lower().split())
        yield Demand(f"line “{label}:”", (label.removeprefix("your ").removeprefix("the ").removesuffix(" is"),))
    if "json" in lowered and _wanted(_JSON, text):
        yield Demand("JSON", ())
    if "letter" in lowered and _wanted(_LETTER, text):
        yield Demand("letter", ())
    if ("```" in text or "code block" in lowered) and _wanted(_FENCE, text):
        yield Demand("code block", ("```",))


def _wanted(pattern: re.Pattern[str], text: str) -> bool:
    """Whether a form is demanded somewhere, of something that is no thought, and not forbidden."""
    sentences = (_sentence(text, match) for match in pattern.finditer(text))
    return any(not _NEGATED.search(sentence) and not _THOUGHTS.search(sentence) for sentence in sentences)


def _demanded(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    return next((match for match in pattern.finditer(text) if not _OF_THE_INPUT.search(match[0])), None)


def _tags_in(text: str) -> list[str]:
    """Every tag that an answer may stand in: any of them will do."""
    found = [match for match in _TAGS.finditer(text) if not _OF_THE_INPUT.search(_sentence(text, match))]
    tags = dict.fromkeys(
        match[1]
        for match in found
        if f"</{match[1]}>".lower() in text.lower() or "tag" in _sentence(text, match).lower()
    )
    return [
        tag for tag in tags if not _OF_THOUGHT.fullmatch(tag) and not _OF_THOUGHT.match(tag[:5] if len(tag) > 4 else "")
    ]


def _sentence(text: str, match: re.Match[str]) -> str:
    """The line that a match stands in, within bounds."""
    start = max(text.rfind("\n", max(0, match.start() - 200), match.start()) + 1, match.start() - 200, 0)
    end = text.find("\n", match.end(), match.end() + 100)
    return text[start : end if end >= 0 else match.end() + 100]


def misses(text: str, demand: Demand) -> bool:
    """Whether nothing in a message could be meant by what was demanded."""
    if demand.marks:
        lowered = text.lower()
        return not any(mark in lowered for mark in demand.marks)
    if demand.form == "JSON":
        return not _holds_json(text)
    return not re.search(r"(?<![A-Za-z'’])[A-Z](?![A-Za-z'’])", text)


def _holds_json(text: str) -> bool:
    """Whether some part of a text, up to its last bracket, is a JSON object or list."""
    if len(text) > _LONGEST_JSON:
        return True
    for opening, closing in (("{", "}"), ("[", "]")):
        end = text.rfind(closing) + 1
        start = -1
        for _ in range(_MOST_STARTS):
            start = text.find(opening, start + 1, end)
            if start < 0:
                break
            try:
                content.value_of(text[start:end])
            except ValueError:
                continue
            return True
    return False
