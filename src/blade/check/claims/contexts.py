"""The part of a text that is most like a quote, as a reader wants it shown: one sentence, or one value with its key."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final

from blade.check.claims.leaves import leaves, written

_WORD: Final = re.compile(r"\w+")
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n+|\\n")
_LONGEST: Final = 400_000
_SHOWN: Final = 120
_FEWEST: Final = 3
"""Words of a string that is read as text."""

_BEFORE: Final = 40
_MOST_WORDS: Final = 400
_ALIKE: Final = 0.34


def most_alike(quote: str, texts: Sequence[str]) -> str | None:
    """The piece of some texts that is most like what is wrong in a quote, at most 120 characters of it."""
    pieces = list(dict.fromkeys(piece for text in texts for piece in _pieces(text)))
    wrong = _wrong_part(quote, "\n".join(texts))
    wanted = Counter(_words(wrong))
    best, found = 0.0, ""
    for piece in pieces:
        words = _words(piece)
        common = sum((wanted & Counter(words)).values())
        likeness = 2 * common / (wanted.total() + len(words) or 1)
        if likeness > best:
            best, found = likeness, piece
    return _cut(found, wrong) if best >= _ALIKE else None


def _words(text: str) -> list[str]:
    return [match[0].lower() for match in _WORD.finditer(text[:20_000])][:_MOST_WORDS]


def _pieces(text: str) -> Iterator[str]:
    """Sentences; of JSON its strings, and its values with their keys."""
    for line in text[:_LONGEST].split("\n"):
        opened = leaves(line)
        for key, value in opened or ():
            if isinstance(value, str) and len(_words(value)) >= _FEWEST:
                yield from _sentences(value)
            else:
                yield f'"{key}": {written(value)}'
        if opened is None:
            yield from _sentences(line.replace('\\"', '"'))


def _sentences(text: str) -> Iterator[str]:
    return filter(None, (each.strip() for each in _SENTENCE.split(text)))


def _wrong_part(quote: str, text: str) -> str:
    """The first sentence of a quote that does not stand in a text."""
    flat = "".join(text[:_LONGEST].split())
    parts = [each for each in _SENTENCE.split(quote) if each.strip()]
    return next((each for each in parts if "".join(each.split()) not in flat), quote)


def _cut(piece: str, quote: str) -> str:
    """A piece around the place where it parts from a quote."""
    text = " ".join(piece.split())
    if len(text) <= _SHOWN:
        return text
    places = list(_WORD.finditer(text))[:_MOST_WORDS]
    matcher = SequenceMatcher(None, _words(quote), [each[0].lower() for each in places], autojunk=False)
    block = matcher.find_longest_match()
    at = min(block.b + block.size, len(places) - 1)
    begin = next((each.start() for each in places if each.start() >= places[at].start() - _BEFORE), 0)
    begin = 0 if places[at].end() < _SHOWN - 1 else begin
    end = max((each.end() for each in places if each.end() <= begin + _SHOWN - 2), default=begin + _SHOWN - 2)
    return f"{'…' if begin else ''}{text[begin:end]}{'…' if end < len(text) else ''}"
