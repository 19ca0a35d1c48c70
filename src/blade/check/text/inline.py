"""Markdown within a line: the text that a reader sees, and which parts of it stand as code."""

import html
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final, NamedTuple

_MARK: Final = "\ue000"
"""Stands for a code span while the rest of the line is read."""

_TICKS: Final = re.compile(r"`+")
_LINK: Final = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?: \"[^\"]*\")?\)")
_TAG: Final = re.compile(r"</?[A-Za-z][^<>]{0,300}>|<!--[^<>]*-->")
_STARS: Final = re.compile(r"(?<=\S)[*~]+|(?<!\S)[*~]+(?=\S)|[*~]+(?=\S)")
_LOW_LINES: Final = re.compile(r"(?<!\w)_+(?=\S)|(?<=\S)_+(?!\w)")
_ESCAPED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_KEPT: Final = "\ue001"
"""Before a character that was escaped: it is no markup. The character itself moves out of the markup's sight."""


class Span(NamedTuple):
    """A part of a text that stands as code."""

    start: int
    end: int


class Inline(NamedTuple):
    """A text as a reader sees it."""

    text: str
    codes: tuple[Span, ...] = ()

    def quoted(self) -> Iterator[str]:
        """The parts that stand as code."""
        return (self.text[span.start : span.end] for span in self.codes)


def plain(source: str) -> Inline:
    """The text of some Markdown; line breaks stay where they were."""
    cleaned = source.replace(_MARK, "").replace(_KEPT, "") if _MARK in source or _KEPT in source else source
    marked, codes = _without_code(cleaned)
    return _with_code(_without_markup(marked), codes)


def _without_code(source: str) -> tuple[str, list[str]]:
    """The source with a mark for each code span, and what stood in them."""
    runs = [match for match in _TICKS.finditer(source) if not _is_escaped(source, match.start())]
    later: dict[int, list[int]] = defaultdict(list)
    for place in range(len(runs) - 1, -1, -1):
        later[len(runs[place][0])].append(place)
    parts, codes, end, place = [], [], 0, 0
    while place < len(runs):
        opening = runs[place]
        same = later[len(opening[0])]
        while same and same[-1] <= place:
            same.pop()
        if not same:
            place += 1
            continue
        closing = runs[same[-1]]
        parts += [source[end : opening.start()], _MARK]
        codes.append(_code_text(source[opening.end() : closing.start()]))
        end, place = closing.end(), same[-1] + 1
    return "".join([*parts, source[end:]]), codes


def _is_escaped(source: str, place: int) -> bool:
    return place > 0 and source[place - 1] == "\\" and not source[max(0, place - 2) : place].startswith("\\\\")


def _code_text(text: str) -> str:
    shown = text.replace("\\|", "|")
    return shown[1:-1] if len(shown) > 2 and shown[0] == shown[-1] == " " and shown.strip() else shown


def _without_markup(source: str) -> str:
    hidden = _ESCAPED.sub(lambda match: _KEPT + chr(0xE100 + ord(match[1])), source)
    shown = _LINK.sub(r"\1", hidden)
    shown = _LINK.sub(r"\1", shown)  # a picture within a link
    shown = _TAG.sub("", shown)
    shown = _LOW_LINES.sub("", _STARS.sub("", shown))
    shown = html.unescape(shown)
    return re.sub(f"{_KEPT}([\ue100-\ue1ff])", lambda match: chr(ord(match[1]) - 0xE100), shown)


def _with_code(marked: str, codes: list[str]) -> Inline:
    parts, spans, length, place = [], [], 0, 0
    for before in marked.split(_MARK):
        parts.append(before)
        length += len(before)
        if place < len(codes):
            parts.append(codes[place])
            spans.append(Span(length, length + len(codes[place])))
            length += len(codes[place])
            place += 1
    return Inline("".join(parts), tuple(spans))
