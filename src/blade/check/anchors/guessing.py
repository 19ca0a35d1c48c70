"""How well a fact could be guessed: how much of it the tables of aggregates hold already."""

from collections.abc import Callable

from blade.check.passages import read
from blade.check.scoring.matching import Wanted
from blade.check.scoring.rarity import Rarity
from blade.check.scoring.shelf import Shelf
from blade.check.scoring.statements import Statement, statements
from blade.check.shallow import shallow
from blade.check.text.said import Said

Guess = Callable[[str], float]


def guesser(golden: str, known: list[Statement] | None = None) -> Guess:
    """A function from a fact to how much of it stands in the golden report's tables of aggregates, 0 to 1."""
    rarity = Rarity(known if known is not None else statements(read(golden)))
    shelf = Shelf(statements(read(shallow(golden))))

    def guess(fact: str) -> float:
        wanted = Wanted(Said.of(fact), rarity)
        return round(shelf.best(wanted).credit, 3)

    return guess
