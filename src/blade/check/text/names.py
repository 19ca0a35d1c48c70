"""What a text speaks of: tasks, rollouts, refs, causes, identifiers, dates, quotes; each under one spelling."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from blade.check.text.inline import Inline
from blade.check.text.tokens import DATE, NAME, NUMBER, REF, WORD, Token
from blade.errors import RefError
from blade.ref import Ref
from blade.vocabulary import CAUSES

TASK: Final = "task"
ROLLOUT: Final = "rollout"
STEP: Final = "step"
CAUSE: Final = "cause"
REFERENCE: Final = "ref"
RUN: Final = "run"
THING: Final = "thing"
"""An identifier, a piece of code, a date."""
QUOTE: Final = "quote"

_TASK_WORDS: Final = frozenset(
    [
        "task",
        "tasks",
        "problem",
        "problems",
        "question",
        "questions",
        "item",
        "items",
        "instance",
        "instances",
        "task_index",
        "task_id",
        "taskindex",
        "taskid",
    ]
)
_ROLLOUT_WORDS: Final = frozenset(
    [
        "rollout",
        "rollouts",
        "repeat",
        "repeats",
        "attempt",
        "attempts",
        "trial",
        "trials",
        "rollout_index",
        "rollout_id",
        "repetition",
    ]
)
_STEP_WORDS: Final = frozenset(["step", "steps"])
_JOINED: Final = re.compile(r"(task|problem|question|item|rollout|repeat|attempt|step)s?[-_#]?(\d+)", re.IGNORECASE)
_BETWEEN: Final = frozenset(["id", "ids", "no", "number", "index", "nr"])
_PARTS: Final = re.compile(r"[^\w]+|_+")
_OWNER: Final = re.compile(r"['’]s\b")
_QUOTED: Final = re.compile(r"“([^“”]{2,160})”|\"([^\"\n]{2,160})\"|(?<!\w)['‘]([^'’\n]{2,120})['’](?!\w)")
_SAYS: Final = re.compile(r"[\s=:(,]")
"""What no identifier has in it: code with one of these says something."""

_CAUSE_PHRASES: Final = {
    "KG": ("knowledge gap", "knowledge gaps", "lack of knowledge", "lacks the knowledge", "does not know"),
    "UK": ("unreliable knowledge", "unstable knowledge", "inconsistent knowledge", "shaky knowledge"),
    "BI": ("behaviour", "behavior", "behavioural", "behavioral", "behavioral issue", "behavioural issue"),
    "TI": ("task issue", "verifier issue", "task or verifier", "test issue", "task/verifier", "grader issue"),
    "IR": ("infrastructure", "infra", "infrastructure issue", "infrastructure error"),
    "DA": ("data artifact", "data artefact", "data artifacts", "data artefacts"),
}
_MOST: Final = 400
"""Names of one text that are looked at."""


class Name(NamedTuple):
    """Something that a text speaks of."""

    kind: str
    key: str
    """Its one spelling."""
    start: int
    end: int

    @property
    def id(self) -> str:
        """The kind and the spelling: what two texts that speak of the same have in common."""
        return f"{self.kind}:{self.key}"


def key_of(text: str) -> str:
    """The one spelling of an identifier or a phrase: its words in small letters, without the s of an owner."""
    return " ".join(_PARTS.sub(" ", _OWNER.sub("", text.lower())).split())


def names(inline: Inline, tokens: Sequence[Token]) -> list[Name]:
    """What a text speaks of, in order."""
    found = [*_of_tokens(tokens), *_listed(tokens), *_of_code(inline), *_of_quotes(inline), *_of_phrases(inline)]
    return sorted(dict.fromkeys(found), key=lambda name: name.start)[:_MOST]


def _of_tokens(tokens: Sequence[Token]) -> Iterator[Name]:
    for token in tokens:
        if token.kind == REF:
            yield from _of_ref(token)
        elif token.kind == DATE:
            yield Name(THING, token.text.lower(), token.start, token.end)
        elif token.kind == NAME:
            yield from _of_identifier(token)
        elif token.kind == WORD and token.text in CAUSES and token.text.isupper():
            yield Name(CAUSE, token.text, token.start, token.end)


def _of_ref(token: Token) -> Iterator[Name]:
    try:
        ref = Ref.parse(token.text)
    except RefError:
        return
    yield Name(REFERENCE, token.text, token.start, token.end)
    yield Name(TASK, ref.task.lower(), token.start, token.end)
    yield Name(RUN, key_of(ref.run), token.start, token.end)


def _of_identifier(token: Token) -> Iterator[Name]:
    bare = token.text.removesuffix("'s").removesuffix("’s")
    joined = _JOINED.fullmatch(bare)
    if joined:
        yield Name(_kind_of(joined[1].lower()), joined[2], token.start, token.end)
        return
    key = key_of(bare)
    if key:
        yield Name(THING, key, token.start, token.end)


def _kind_of(word: str) -> str:
    if word in _STEP_WORDS:
        return STEP
    return ROLLOUT if word in _ROLLOUT_WORDS else TASK


def _listed(tokens: Sequence[Token]) -> Iterator[Name]:
    """`task 10`, `tasks 3, 7 and 12`, `Task #4`, `task_index = 4`, `rollouts 1 and 2`, `step 5`."""
    for place, token in enumerate(tokens):
        word = token.word
        if place and tokens[place - 1].kind == NUMBER and word.endswith("s") and _text(tokens, place + 1) != "(":
            continue  # `of 60 tasks 24 always pass`
        if word in _TASK_WORDS:
            yield from _ids(tokens, place + 1, TASK, several=word.endswith("s"))
        elif word in _ROLLOUT_WORDS:
            yield from _ids(tokens, place + 1, ROLLOUT, several=word.endswith("s"))
        elif word in _STEP_WORDS:
            yield from _ids(tokens, place + 1, STEP, several=word.endswith("s"))


def _behind_owner(tokens: Sequence[Token], place: int) -> int:
    """Behind the owner of a list, as in `never-pass tasks of orchid: 7, 19`."""
    if _text(tokens, place) not in ("of", "in", "for"):
        return place
    return next((at for at in range(place + 1, place + 6) if _text(tokens, at) == ":"), place)


def _ids(tokens: Sequence[Token], place: int, kind: str, *, several: bool) -> Iterator[Name]:
    at, colon = (_behind_owner(tokens, place) if several else place), False
    begin = at
    while at < len(tokens) and at < begin + 3 and (tokens[at].text in "#=:`(" or tokens[at].word in _BETWEEN):
        colon = colon or tokens[at].text == ":"
        at += 1
    found = []
    while at < len(tokens) and _is_id(tokens[at]) and not _is_measured(tokens, at, several=several):
        found.append(Name(kind, tokens[at].text.lower(), tokens[at].start, tokens[at].end))
        at += 1
        while several and at < len(tokens) and tokens[at].word in (",", "and", "or", "&", "/", "#"):
            at += 1
        if not several:
            break
    if len(found) > 1 or not (several and colon):  # `tasks: 60` counts tasks and names none
        yield from found


def _text(tokens: Sequence[Token], place: int) -> str:
    return tokens[place].text if place < len(tokens) else ""


def _is_id(token: Token) -> bool:
    if token.kind == NUMBER:
        return token.text.isdigit()
    return token.kind == NAME and (any(map(str.isdigit, token.text)) or "-" in token.text)


def _is_measured(tokens: Sequence[Token], place: int, *, several: bool) -> bool:
    """Whether a number counts or measures something rather than naming it: `tasks: 24 of 60`, `task 3 times`."""
    after = _text(tokens, place + 1).lower()
    if after == "of" or (after == "in" and several):
        return place + 2 < len(tokens) and (
            tokens[place + 2].kind == NUMBER or _text(tokens, place + 2) in ("the", "all")
        )
    if after in _TASK_WORDS | _ROLLOUT_WORDS:
        return several
    return after in ("%", "percent", "out", "times", "points", "measured", "per")


def _of_code(inline: Inline) -> Iterator[Name]:
    for span in inline.codes:
        text = inline.text[span.start : span.end]
        key = key_of(text)
        is_ref = ":" in text and "/" in text and " " not in text
        if key and not key.isdigit() and len(key) <= 160 and text not in CAUSES and not is_ref:
            yield Name(QUOTE if _SAYS.search(text) else THING, key, span.start, span.end)


def _of_quotes(inline: Inline) -> Iterator[Name]:
    for match in _QUOTED.finditer(inline.text):
        text = match[1] or match[2] or match[3]
        key = key_of(text)
        if key and not key.isdigit():
            yield Name(QUOTE, key, match.start(), match.end())


def _of_phrases(inline: Inline) -> Iterator[Name]:
    low = inline.text.lower()
    for cause, phrases in _CAUSE_PHRASES.items():
        for phrase in phrases:
            place = low.find(phrase)
            if place >= 0:
                yield Name(CAUSE, cause, place, place + len(phrase))
