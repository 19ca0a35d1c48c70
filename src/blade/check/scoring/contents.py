"""How complete a candidate is beside the golden report: sections, tables, figures. It counts little."""

from collections.abc import Iterator, Sequence
from typing import Final

from blade.check.passages import ROW, Report
from blade.check.scoring.copies import Copy
from blade.check.scoring.matching import Wanted
from blade.check.scoring.rarity import Rarity
from blade.check.scoring.shelf import Shelf
from blade.check.scoring.statements import Statement
from blade.check.text.said import Said
from blade.check.text.tokens import WORD, tokens
from blade.check.text.words import concept, is_content

_MOST: Final = 45
"""Statements of the golden report that are looked for."""

_SAME_TITLE: Final = 0.6
_LEAST_COPIES: Final = 12


def structure(candidate: Report, golden: Report) -> float:
    """The share of the golden report's sections that the candidate has, by their titles."""
    wanted = [_title(each.text) for each in golden.headings if each.level == 2]
    found = [_title(each.text) for each in candidate.headings if each.level <= 3]
    if not wanted:
        return 1.0 if candidate.headings else 0.0
    return sum(any(_alike(one, other) for other in found) for one in wanted) / len(wanted)


def _title(text: str) -> frozenset[str]:
    return frozenset(concept(token.word) for token in tokens(text) if token.kind == WORD and is_content(token.word))


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    whole = len(one | other)
    return bool(whole) and len(one & other) >= _SAME_TITLE * min(len(one), len(other) or 1) and bool(one & other)


def misplaced(copies: Sequence[Copy]) -> float:
    """The share of copied statements that stand in another section than in the golden report."""
    sections = {_title(each.statement.passage.section) for each in copies}
    placed = [each for each in copies if each.likeness > 0.9 and _title(each.original.passage.section) in sections]
    if len(placed) < _LEAST_COPIES:
        return 0.0
    elsewhere = sum(_title(each.statement.passage.section) != _title(each.original.passage.section) for each in placed)
    return elsewhere / len(placed)


def held(statements: Sequence[Statement], shelf: Shelf, rarity: Rarity) -> float:
    """How much of some golden statements the candidate says, in whatever words."""
    wanted = [Wanted(each.said, rarity) for each in _spread(statements)]
    return sum(shelf.best(each).credit for each in wanted) / len(wanted) if wanted else 0.0


def _spread(statements: Sequence[Statement]) -> list[Statement]:
    step = max(1, -(-len(statements) // _MOST))
    return list(statements[::step])


def rows(golden: Sequence[Statement]) -> list[Statement]:
    """Rows of tables that hold figures."""
    return [each for each in golden if each.passage.kind == ROW and each.said.figures]


def concrete(golden: Sequence[Statement]) -> list[Statement]:
    """Sentences that tell something which could be false."""
    return [each for each in golden if each.passage.kind != ROW and each.is_readable and _is_concrete(each.said)]


def _is_concrete(said: Said) -> bool:
    return len(said.concepts) >= 3 and bool(said.figures or said.names)


def figured(golden: Sequence[Statement]) -> list[Statement]:
    """Statements with figures, wherever they stand."""
    return list(_figured(golden))


def _figured(golden: Sequence[Statement]) -> Iterator[Statement]:
    for each in golden:
        if each.is_readable and any(not figure.bound for figure in each.said.figures) and each.said.concepts:
            yield each
