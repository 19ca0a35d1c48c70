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
_LONGEST_CLAUSE: Final = 250

_BOXED: Final = re.compile(
    r"\b(?:put|plac|insid|within|in|format|present|enclos|wrap|output|giv|return|writ|provid|should be|answer)[^.\n]{0,160}\\{1,2}boxed\b",
    re.IGNORECASE,
)
_TAGS: Final = re.compile(
    r"\b(?:put|plac|insid|within|enclos|wrap|between|surround|respond with|answer with|using|in)(?:e|es|ed|ing|ped)?\b[^.\n<]{0,100}<(\|?[A-Za-z][\w-]{0,30}\|?)>",
    re.IGNORECASE,
)
_TAG_PAIR: Final = re.compile(r"<([A-Za-z][\w-]{0,30})>[^<>\n]{0,40}</\1>")
_MARKER: Final = re.compile(
    r"\b(?:end|finish|conclud|last line|final line|new line|own line|one line|a line|format|should be|exactly|respond with|begin|start)\w{0,3}\b[^\n]{0,160}?(?:\n\s{0,4}|[\"'“`*]{1,4})"
    r"((?:final |your |the )?(?:answer|verdict|result|decision|conclusion|choice|prediction|solution|judge?ment|label|score|rating)(?: is)?):",
    re.IGNORECASE,
)
_PHRASE: Final = re.compile(
    r"\b(?:end|close|finish|conclude)\b[^.\n:]{0,60}\bwith the (?:words?|phrase|sentence)\b:? {0,2}[\"“'`]?([A-Za-z][A-Za-z ,]{5,60}?)(?= ?[\"”'`(<\[{_.:\n]|$)",
    re.IGNORECASE,
)
_JSON: Final = re.compile(
    r"(?:^|[.:;!\n]\s{0,4})(?:important: |please |you must |you should |always |only |must |then ){0,6}(?:respond|reply|answer|output|return|format|provide|produce|print|end with|close with|finish with)\b[^.\n{]{0,80}\bjson\b(?! (?:file|string|schema|library|parser|data))"
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
_OF_THE_INPUT: Final = re.compile(
    r"\b(?:below|above|described|contained|found|listed|policy|example|e\.g|(?:is|are|was|were|be) (?:given|enclosed|wrapped|provided|delimited|included|placed|marked))\b",
    re.IGNORECASE,
)
_OF_THE_ANSWER: Final = re.compile(
    r"\b(?:you|your|answer(?:s|ed)?|respond|response|output|final|reply|solution|choice|result|decision|verdict|write|provide|return|give|place|put)\b",
    re.IGNORECASE,
)
_NEGATED: Final = re.compile(
    r"\b(?:no|not|never|without|don['’]t|avoid|instead of|rather than|reasoning|thinking|thoughts?|scratchpad)\b",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(
    r"\b(?:if|when|whenever|where|unless|in case|should you|once you|(?:to|for) questions|questions (?:are|is|must|should|have))\b",
    re.IGNORECASE,
)
_OF_THOUGHT: Final = re.compile(
    r"\|?(?:think\w*|thoughts?|reason\w*|scratch\w*|analysis|plan\w*|execute|tool\w*|function\w*|reflect\w*|explan\w*|br|html|div|span|p|a|b|i|li|ul|code)\|?",
    re.IGNORECASE,
)


class Demand(NamedTuple):
    """A form that the last message has to have."""

    form: str
    """How people call it."""
    marks: tuple[str, ...]
    """Any of these, in lower case, shows that it was meant; without any, the form is judged by itself."""
    of_questions: bool = False
    """Whether it is demanded of answers to questions alone."""


def demands_of(messages: list[tuple[str, str]]) -> list[Demand]:
    """What is demanded by the last message of a user and, where nothing was answered before it, by the instructions."""
    users = [text for actor, text in messages if actor == "user"]
    answered = any(actor == "model" for actor, _ in messages)
    texts = [] if answered else [text for actor, text in messages if actor == "system"]
    texts += users[-1:]
    found: dict[str, Demand] = {}
    for text in texts:
        ends = text if len(text) <= 2 * _READ else f"{text[:_READ]}\n\n{text[-_READ:]}"
        for demand in _demands_in(ends):
            found.setdefault(demand.form, demand)
    asks = bool(users) and "?" in users[-1]
    return [demand for demand in found.values() if asks or not demand.of_questions]


@lru_cache(maxsize=4_000)
def _demands_in(text: str) -> tuple[Demand, ...]:
    return tuple(_each_demand(text, text.lower()))


def _each_demand(text: str, lowered: str) -> Iterator[Demand]:
    if "boxed" in lowered and (clause := _demanded(_BOXED, text, of_input=False)):
        yield _demand("boxed", clause, "boxed", "fbox")
    if "<" in text and (tags := _tags_in(text)):
        of_questions = all(_CONDITION.search(said) for said in tags.values())
        yield Demand(
            f"tag <{next(iter(tags))}>", tuple(mark for tag in tags for mark in _marks_of(tag.lower())), of_questions
        )
    if ":" in text and (clause := _demanded(_MARKER, text, of_input=False)):
        label = " ".join(clause.match[1].lower().split())
        yield _demand(f"line “{label}:”", clause, label.removeprefix("your ").removeprefix("the ").removesuffix(" is"))
    if "with the" in lowered and (clause := _demanded(_PHRASE, text, of_input=False)):
        phrase = " ".join(clause.match[1].lower().split())
        yield _demand(f"words “{phrase}”", clause, phrase)
    if "json" in lowered and (clause := _demanded(_JSON, text)):
        yield _demand("JSON", clause)
    if "letter" in lowered and (clause := _demanded(_LETTER, text)):
        yield _demand("letter", clause)
    if ("```" in text or "code block" in lowered) and (clause := _demanded(_FENCE, text)):
        yield _demand("code block", clause, "```")


def _marks_of(tag: str) -> tuple[str, ...]:
    """How a tag is written by those who mean it."""
    return f"<{tag}", f"\\{tag}{{", f"[{tag}]", f"{tag}:", f"{tag}**:"


class _Clause(NamedTuple):
    """Where something is demanded, with the words before it in its sentence."""

    match: re.Match[str]
    before: str


def _demand(form: str, clause: _Clause, *marks: str) -> Demand:
    return Demand(form, marks, bool(_CONDITION.search(f"{clause.before}{clause.match[0]}")))


def _demanded(pattern: re.Pattern[str], text: str, *, of_input: bool = True) -> _Clause | None:
    """The first place that demands a form of the answer: not of thoughts, not forbidden, and not of the input.

    `of_input` says whether the input may have such a form as well. A demand on a condition counts only where the
    condition is that something is asked.
    """
    for match in pattern.finditer(text):
        before = _before(text, match)
        said = f"{before}{match[0]}"
        on_condition = _CONDITION.search(said) and "question" not in said.lower()
        if not (on_condition or _NEGATED.search(said) or (of_input and _OF_THE_INPUT.search(said))):
            return _Clause(match, before)
    return None


def _before(text: str, match: re.Match[str]) -> str:
    """What stands before a match in its sentence, within bounds."""
    start = max(0, match.start() - _LONGEST_CLAUSE)
    return re.split(r"[.!?;]\s|\n", text[start : match.start()])[-1]


def _tags_in(text: str) -> dict[str, str]:
    """Every tag that an answer may stand in, any of which will do, with what is said of it."""
    lowered = text.lower()
    found: dict[str, str] = {}
    for match in (*_TAGS.finditer(text), *_TAG_PAIR.finditer(text)):
        tag, said = match[1], f"{_before(text, match)}{match[0]}"
        closes = f"</{tag.lower()}>" in lowered or "tag" in text[match.end() : match.end() + 40].lower()
        on_condition = _CONDITION.search(said) and "question" not in said.lower()
        demanded = _OF_THE_ANSWER.search(said) and not (_OF_THE_INPUT.search(said) or on_condition)
        if closes and demanded and not _OF_THOUGHT.fullmatch(tag):
            found.setdefault(tag, said)
    return found


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
