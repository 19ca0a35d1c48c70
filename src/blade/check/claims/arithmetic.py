"""Claims that need no data: a percentage beside the count that it is made of."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Final

from blade import numbers
from blade.check.claims.claim import Claim, Judged, contradicted, supported
from blade.check.claims.scene import Scene
from blade.check.text.agreeing import agrees
from blade.check.text.figures import OF, PERCENT, Figure
from blade.check.text.said import Said
from blade.check.text.tokens import NUMBER

KIND: Final = "arithmetic"

_APART: Final = 3
"""Tokens between a count and its percentage, at most."""

_SLACK: Final = 0.051
"""Points that a percentage may be off: it may have been cut where it should have been rounded."""


def find(scene: Scene) -> Iterator[Judged]:
    """`61 of 240 (25.4 %)` and `25.4 % (61/240)`, wherever they stand."""
    for sentence in scene.sentences:
        yield from _in_text(sentence.said, sentence.line)
    for row in scene.rows:
        for _, value in row.cells:
            yield from _in_text(value.said, row.line)


def _in_text(said: Said, line: int) -> Iterator[Judged]:
    yield from _more_than_all(said, line)
    figures = [figure for figure in said.figures if not figure.bound]
    for count, share in _pairs(figures, said):
        true = 100 * (count.value / count.of if count.of else 0.0)
        claim = Claim(
            KIND,
            said.inline.text[min(count.start, share.start) : max(count.end, share.end)],
            line,
            f"{count.value:g} of {count.of:g}",
            f"{share.value:g} %",
        )
        if agrees(share, true) or abs(share.value - true) <= _SLACK + 10.0**-share.decimals * 0.5:
            yield supported(claim, "arithmetic")
        elif abs(100 - share.value - true) > _SLACK:  # the share of the others is no error of arithmetic
            yield contradicted(claim, numbers.percent(true / 100), "arithmetic")


def _more_than_all(said: Said, line: int) -> Iterator[Judged]:
    """`240 of 237 (100.0 %)`: more than there are."""
    tokens = said.tokens
    for place in range(len(tokens) - 4):
        one, word, other, opening = tokens[place : place + 4]
        if one.kind == other.kind == NUMBER and word.word == "of" and opening.text == "(" and one.value > other.value:
            claim = Claim(KIND, said.inline.text[one.start : other.end], line, one.text, f"of {other.text}")
            yield contradicted(claim, "a part is not more than the whole", "arithmetic")


def _pairs(figures: Sequence[Figure], said: Said) -> Iterator[tuple[Figure, Figure]]:
    """Counts with the percentage in brackets behind or before them."""
    for first, second in itertools.pairwise(figures):
        between = [token.text for token in said.tokens[first.after : second.place]]
        if not between or between[0] != "(" or len(between) > _APART or second.place - first.after > _APART:
            continue
        if {first.kind, second.kind} == {OF, PERCENT}:
            yield (first, second) if first.kind == OF else (second, first)
