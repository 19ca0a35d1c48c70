"""A candidate beside the golden report: its statements, where facts stand in it, what it copies."""

from collections.abc import Sequence

from blade.check.passages import read
from blade.check.scoring.copies import Copy
from blade.check.scoring.disorder import disordered
from blade.check.scoring.golden import Golden, things
from blade.check.scoring.matching import Match, stands
from blade.check.scoring.shelf import Shelf
from blade.check.scoring.statements import statements
from blade.check.text.names import THING


class Candidate:
    """A report that is to be scored."""

    def __init__(self, source: str, golden: Golden) -> None:
        self.golden = golden
        self.report = read(source)
        self.statements = statements(self.report)
        self.shuffled = disordered(self.statements, golden.statements)
        sound = [each for each in self.statements if id(each) not in self.shuffled]
        self.shelf = Shelf(sound)
        self.copies: dict[int, Copy] = {}
        for each in sound:
            if each.is_readable and (copy := golden.originals.copy_of(each)):
                self.copies[id(each)] = copy

    def matches(self) -> Sequence[Match]:
        """Where each fact stands best."""
        return [self.shelf.best(wanted) for wanted in self.golden.wanted]

    def names_others(self, number: int, match: Match) -> bool:
        """Whether a passage lacks a name of the fact and has another one of the golden report in its place."""
        if match.window is None:
            return False
        if self.golden.titles.exchanged(self.golden.titled[number], match.window):
            return True
        names = [name for name in self.golden.wanted[number].names if name.kind == THING]
        missing = [name for name in names if not stands(name, match.window)]
        return bool(missing) and bool(things(match.window.said) & self.golden.things - self.golden.named_with[number])
