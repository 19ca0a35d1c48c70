"""A golden report with its facts, read once for many candidates."""

from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple

from blade.check.passages import read
from blade.check.scoring.belongings import Belongings
from blade.check.scoring.cast import Cast
from blade.check.scoring.copies import Originals
from blade.check.scoring.ledger import Ledger
from blade.check.scoring.matching import Match, Wanted
from blade.check.scoring.rarity import Rarity
from blade.check.scoring.shelf import Shelf
from blade.check.scoring.statements import statements
from blade.check.scoring.titles import Titles
from blade.check.scoring.wholesale import Wholesale
from blade.check.text.names import THING
from blade.check.text.said import Said

MET: Final = 0.6
"""The credit from which a fact is met."""


class Fact(NamedTuple):
    """A fact to look for."""

    id: str
    text: str


class Golden:
    """A golden report with its facts."""

    def __init__(self, source: str, facts: Sequence[Fact]) -> None:
        self.facts = list(facts)
        self.report = read(source)
        self.statements = statements(self.report)
        self.rarity = Rarity(self.statements)
        self.originals = Originals(self.statements, self.rarity)
        self.wanted = [Wanted(Said.of(fact.text), self.rarity) for fact in facts]

    @cached_property
    def ledger(self) -> Ledger:
        """What it says of each task."""
        return Ledger(self.statements, self.cast)

    @cached_property
    def cast(self) -> Cast:
        """The runs it speaks of."""
        return Cast.of(self.report)

    @cached_property
    def belongings(self) -> Belongings:
        """Which figure it tells of which run."""
        return Belongings(self.statements, self.cast)

    @cached_property
    def wholesale(self) -> Wholesale:
        """How its own words deny or turn the facts: they do not, so that it is how far words can tell."""
        return wholesale(self, [self.own.best(wanted) for wanted in self.wanted])

    @cached_property
    def own(self) -> Shelf:
        """Its own passages."""
        return Shelf(self.statements)

    @cached_property
    def titles(self) -> Titles:
        """What it calls its failure modes and other parts."""
        return Titles(self.report)

    @cached_property
    def titled(self) -> list[list[frozenset[str]]]:
        """Of each fact the titles that it holds."""
        return [self.titles.of(wanted.said) for wanted in self.wanted]

    @cached_property
    def things(self) -> frozenset[str]:
        """The identifiers that it knows."""
        return frozenset().union(*(things(each.said) for each in self.statements))

    @cached_property
    def named_with(self) -> list[frozenset[str]]:
        """Of each fact the identifiers that the golden report names with it."""
        known = {id(each): each for each in self.statements}
        return [
            frozenset().union(things(wanted.said), *(things(known[key].said) for key in keys))
            for wanted, keys in zip(self.wanted, self.supports, strict=True)
        ]

    @cached_property
    def supports(self) -> list[set[int]]:
        """Of each fact the golden statements that it stands in."""
        return [
            {id(match.window.statements[0]) for match in self.own.about(each) if match.window and match.credit >= MET}
            for each in self.wanted
        ]


def things(said: Said) -> frozenset[str]:
    """The identifiers that a text names."""
    return frozenset(name.id for name in said.named if name.kind == THING)


def wholesale(golden: Golden, matches: Sequence[Match]) -> Wholesale:
    """How the passages that speak of the facts say them."""
    return Wholesale.of([(wanted.said, match) for wanted, match in zip(golden.wanted, matches, strict=True)])
