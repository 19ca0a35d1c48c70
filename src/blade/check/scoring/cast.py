"""The runs that a golden report speaks of, by all their names, and which figure belongs to which of them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from blade.check.passages import ROW, Passage, Report
from blade.check.text.figures import OF, Figure
from blade.check.text.inline import Inline
from blade.check.text.names import RUN, key_of
from blade.check.text.said import Said

_HEADERS: Final = frozenset(["run", "model", "agent", "system", "candidate", "run name", "model name"])
_AHEAD: Final = 4
"""Tokens behind a figure in which the run stands that it belongs to: `2 of 4 (orchid)`."""

_TIES: Final = frozenset(["(", "in", "of", "for", "by", "with", "on", "from"])


class Cast:
    """Names of runs, each with the number of the run."""

    def __init__(self, groups: Sequence[Iterable[str]]) -> None:
        self._number = {name: number for number, names in enumerate(groups) for name in names}
        self._longest = max((len(name.split()) for name in self._number), default=0)

    @classmethod
    def of(cls, report: Report) -> "Cast":
        """From refs, and from tables that list runs with their models."""
        rows = [_named(passage) for passage in report.passages if passage.kind == ROW]
        refs = {name.key for passage in report.passages for name in Said(_short(passage)).named if name.kind == RUN}
        groups: list[set[str]] = []
        for names in [row for row in rows if row] + [{ref} for ref in sorted(refs)]:
            mine = next((group for group in groups if group & names), None)
            if mine is None:
                groups.append(set(names))
            else:
                mine |= names
        return cls(groups if len(groups) > 1 else [])

    def places(self, said: Said) -> list[tuple[int, int]]:
        """Where a text names runs: the place of the token, and the number of the run."""
        found, place = [], 0
        words = said.keyed
        while place < len(words):
            size, number = self._at(words, place)
            if number is not None:
                found.append((words[place][1], number))
            place += max(1, size)
        return found

    def _at(self, words: Sequence[tuple[str, int]], place: int) -> tuple[int, int | None]:
        for size in range(self._longest, 0, -1):
            name = " ".join(word for word, _ in words[place : place + size])
            if name in self._number:
                return size, self._number[name]
        return 0, None

    def named(self, said: Said) -> frozenset[int]:
        """The runs that a text names."""
        return frozenset(number for _, number in self.places(said))

    def outcomes(self, said: Said) -> dict[int, set[tuple[float, float]]]:
        """Of each run the outcomes that a text gives it: so many passes of so many."""
        places = self.places(said)
        found: dict[int, set[tuple[float, float]]] = defaultdict(set)
        for value, whole, figure in said.passes:
            run = owner(figure, places, said)
            if figure.kind == OF and whole is not None and run is not None:
                found[run].add((value, whole))
        return found


def owner(figure: Figure, places: Sequence[tuple[int, int]], said: Said) -> int | None:
    """The run right behind a figure, tied to it by a word such as `in`; else the last one before it."""
    for place, number in places:
        between = [token.word for token in said.tokens[figure.after : place]]
        if 0 <= place - figure.after <= _AHEAD and all(word in _TIES for word in between) and between:
            return number
    before = [number for place, number in places if place < figure.place]
    return before[-1] if before else None


def _named(passage: Passage) -> set[str]:
    """The names of a run in a row of a table that lists runs."""
    heads = [cell.header.strip().lower() for cell in passage.cells]
    if not heads or heads[0] not in _HEADERS:
        return set()
    found = {key_of(cell.text.text) for cell, head in zip(passage.cells, heads, strict=True) if head in _HEADERS}
    return {name for name in found if 0 < len(name.split()) <= 6 and not name.isdigit()}


def _short(passage: Passage) -> Inline:
    return Inline(passage.text.text[:2_000])
