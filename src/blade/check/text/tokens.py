"""Text as tokens: words, numbers, identifiers, refs, dates, marks. One pass; long runs without a space are one name."""

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from blade.check.text.inline import Inline, Span

WORD: Final = "word"
NUMBER: Final = "number"
RATIO: Final = "ratio"
NAME: Final = "name"
REF: Final = "ref"
DATE: Final = "date"
METRIC: Final = "metric"
MARK: Final = "mark"

_LONGEST: Final = 240
"""Characters of a run without white space that is still looked into."""

_CHUNK: Final = re.compile(r"\S+")
_REF: Final = re.compile(r"[^\s:/#]+:[^\s:/#]+/[^\s:/#,;)\]]+(?:#i?\d{1,9})?")
_PIECES: Final = re.compile(
    r"(?P<metric>(?:pass|avg|maj|majority|mean|best|cons|success)[@^]\w+|avg-of-\d+)"
    r"|(?P<date>\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?Z?)?(?![\w-])|\d{1,2}:\d\d(?::\d\d)?(?![\w:]))"
    r"|(?P<ratio>\d+/\d+(?![\w/-]))"
    r"|(?P<number>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:(?=(?:pp|pts|x|s)\b)|(?!\w|-[A-Za-z]|[/:]\w|\.\d)))"
    r"|(?P<name>\w+(?:[-._/:@#+^'’]+\w+)*)"
    r"|(?P<mark>.)"
)
_APART: Final = re.compile(r"[-/]")
_KINDS: Final = frozenset(
    ["level", "specific", "wise", "based", "related", "out", "outs", "up", "ups", "by", "oriented", "dependent", "set"]
)
_OPENING: Final = "([{\"'“‘`<*"
_CLOSING: Final = ")]}\"'”’`>*,.;:!?…"


class Token(NamedTuple):
    """A word, a number or a mark of a text."""

    kind: str
    text: str
    start: int
    end: int
    code: bool = False
    """Whether it stands as code."""

    @property
    def word(self) -> str:
        """As it is looked up."""
        return self.text.lower().replace("’", "'")

    @property
    def value(self) -> float:
        """Of a number."""
        return float(self.text.replace(",", ""))


def tokens(inline: Inline | str) -> list[Token]:
    """The tokens of a text, in order."""
    shown = inline if isinstance(inline, Inline) else Inline(inline)
    return list(_marked(shown))


def _marked(inline: Inline) -> Iterator[Token]:
    codes = iter(inline.codes)
    span = next(codes, None)
    before = ""
    for token in _read(inline.text):
        while span and token.start >= span.end:
            span = next(codes, None)
        inside = _is_inside(token, span)
        if token.kind == NAME and not inside and (parts := _words_of(token, before)):
            yield from parts
        else:
            yield token._replace(code=inside)
        before = token.word


def _is_inside(token: Token, span: Span | None) -> bool:
    return span is not None and span.start <= token.start and token.end <= span.end


def _read(text: str) -> Iterator[Token]:
    for chunk in _CHUNK.finditer(text):
        found, start = chunk[0], chunk.start()
        if len(found) > _LONGEST:
            yield Token(NAME, found[:_LONGEST], start, chunk.end())
            continue
        bare = found.lstrip(_OPENING)
        before = len(found) - len(bare)
        bare = bare.rstrip(_CLOSING)
        if ":" in bare and "/" in bare and "://" not in bare and (ref := _REF.match(bare)):
            yield from _pieces(found[:before], start)
            yield Token(REF, ref[0], start + before, start + before + ref.end())
            rest = before + ref.end()
            yield from _pieces(found[rest:], start + rest)
        else:
            yield from _pieces(found, start)


def _pieces(chunk: str, start: int) -> Iterator[Token]:
    for match in _PIECES.finditer(chunk):
        kind = match.lastgroup or MARK
        if kind == NAME and not _is_name(match[0]):
            kind = WORD
        yield Token(kind, match[0], start + match.start(), start + match.end())


def _is_name(text: str) -> bool:
    """Whether something is an identifier rather than a word of the language."""
    letters = text.replace("'", "").replace("’", "")
    if letters.isalpha():
        return any(one.islower() and other.isupper() for one, other in itertools.pairwise(letters))
    if not any(map(str.isalnum, text)):
        return False
    return not (all(len(part) < 2 for part in letters.split(".")) or _is_ordinal(text))


def _is_ordinal(text: str) -> bool:
    return text[:-2].isdigit() and text[-2:].lower() in ("st", "nd", "rd", "th")


def _words_of(token: Token, before: str) -> Sequence[Token]:
    """The words of something that is joined by hyphens or slashes, where it is made of words alone.

    Right behind the word `task` it is the task's name, unless it says what kind of thing: `task time-outs`.
    """
    if before == "task" and "-" in token.text and token.text.rpartition("-")[2] not in _KINDS:
        return ()
    parts = _APART.split(token.text)
    if len(parts) < 2 or not all(part.isalpha() for part in parts) or any(map(_is_name, parts)):
        return ()
    if "/" in token.text and not all(part.islower() for part in parts):
        return ()
    found, place = [], token.start
    for part in parts:
        found.append(Token(WORD, part, place, place + len(part)))
        place += len(part) + 1
    return found
