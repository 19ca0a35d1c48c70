"""Which figure belongs to which run, over a whole report: in sentences beside it, in tables under it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from blade.check.passages import ROW
from blade.check.scoring.cast import Cast, owner
from blade.check.scoring.statements import Statement
from blade.check.text.figures import COUNT, Figure
from blade.check.text.said import Said

_FEWEST: Final = 4
_TELLING: Final = 10
"""From here on a count is rare enough to be told apart from others."""

Key = tuple[str, float, float | None]


class Belongings:
    """Of each figure of a report the runs that it is told of."""

    def __init__(self, statements: Iterable[Statement], cast: Cast) -> None:
        self.runs: dict[Key, set[int]] = defaultdict(set)
        for each in statements:
            for figure, run in _in_row(each, cast) if each.passage.kind == ROW else _in_text(each.said, cast):
                if figure.kind != COUNT or figure.decimals or figure.value >= _TELLING:
                    self.runs[figure.kind, round(figure.value, 1), figure.of].add(run)

    def exchanged(self, golden: "Belongings") -> float:
        """Of the figures that belong to one run only in both reports the share that belongs to another one here."""
        both = [
            (own, golden.runs[key])
            for key, own in self.runs.items()
            if len(own) == 1 and len(golden.runs.get(key, ())) == 1
        ]
        return sum(own != known for own, known in both) / len(both) if len(both) >= _FEWEST else 0.0


def _in_text(said: Said, cast: Cast) -> Iterator[tuple[Figure, int]]:
    places = cast.places(said)
    for figure in said.figures if places else ():
        run = owner(figure, places, said)
        if run is not None and not figure.bound:
            yield figure, run


def _in_row(statement: Statement, cast: Cast) -> Iterator[tuple[Figure, int]]:
    """Figures under the header of a run, or in the row of one."""
    cells = statement.passage.cells
    first = cast.named(Said(cells[0].text)) if cells else frozenset()
    for cell in cells:
        owners = cast.named(Said.of(cell.header)) or (first if cell is not cells[0] else frozenset())
        if len(owners) == 1:
            for figure in Said(cell.text).figures:
                yield figure, next(iter(owners))
