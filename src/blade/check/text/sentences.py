"""Text as sentences, each a text of its own with its place."""

import re
from collections.abc import Iterator
from typing import Final

from blade.check.text.inline import Inline, Span

_END: Final = re.compile(r"[.!?…](?:[)\"'”’*]{0,3})(?=\s)")
_SHORT: Final = frozenset(
    [
        "e.g",
        "i.e",
        "vs",
        "cf",
        "etc",
        "approx",
        "ca",
        "no",
        "nos",
        "fig",
        "eq",
        "sec",
        "resp",
        "incl",
        "excl",
        "max",
        "min",
        "avg",
        "est",
        "dr",
        "mr",
        "mrs",
        "ms",
        "st",
        "al",
    ]
)
_LOWER: Final = re.compile(r"\s+[a-z(]")


def sentences(inline: Inline) -> Iterator[tuple[int, Inline]]:
    """The sentences of a text with the place where each begins."""
    begin = 0
    for end in (*_ends(inline), len(inline.text)):
        text = inline.text[begin:end]
        if text.strip():
            skipped = len(text) - len(text.lstrip())
            yield begin + skipped, part(inline, begin + skipped, end)
        begin = end


def part(inline: Inline, begin: int, end: int) -> Inline:
    """A part of a text with the code that stands in it."""
    codes = tuple(
        Span(max(span.start, begin) - begin, min(span.end, end) - begin)
        for span in inline.codes
        if span.start < end and span.end > begin
    )
    return Inline(inline.text[begin:end].rstrip(), codes)


def _ends(inline: Inline) -> Iterator[int]:
    codes = iter(inline.codes)
    span = next(codes, None)
    for match in _END.finditer(inline.text):
        while span and span.end <= match.start():
            span = next(codes, None)
        if span and span.start <= match.start():
            continue
        if match[0][0] == "." and (len(match[0]) == 1 or not _LOWER.match(inline.text, match.end())):
            if _is_short(inline.text, match.start()):
                continue
        elif _LOWER.match(inline.text, match.end()):
            continue  # a question or an ellipsis within quotes ends no sentence
        yield match.end()


def _is_short(text: str, stop: int) -> bool:
    """Whether the full stop belongs to an abbreviation, or to the number of an item."""
    begin = stop
    while begin > 0 and stop - begin < 12 and (text[begin - 1].isalnum() or text[begin - 1] == "."):
        begin -= 1
    word = text[begin:stop].lower()
    if begin and text[begin - 1] in "'’":
        return False  # the s of an owner
    return word in _SHORT or (len(word) == 1 and word.isalpha())
