"""The windows of a candidate, indexed, so that a fact is held only against those that could hold it."""

from collections import defaultdict
from collections.abc import Sequence
from heapq import nlargest
from math import sqrt
from typing import Final

from blade.check.scoring.matching import NOWHERE, Match, Wanted
from blade.check.scoring.statements import Statement, Window, windows
from blade.check.text.names import key_of
from blade.check.text.words import concept, is_content

_TRIED: Final = 60
"""Windows that a fact is held against."""

_EQUAL: Final = 0.001
_MOST_COMMON: Final = 600


class Shelf:
    """A candidate's windows."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self.statements = statements
        self.windows = windows(statements)
        self._places: dict[str, list[int]] = defaultdict(list)
        for place, window in enumerate(self.windows):
            for key in _keys(window):
                self._places[key].append(place)

    def best(self, wanted: Wanted) -> Match:
        """Where a fact stands best; of equals the smaller window."""
        found = NOWHERE
        for place in self._leads(wanted):
            match = wanted.match(self.windows[place])
            if match.credit > found.credit + _EQUAL or (
                match.credit > found.credit - _EQUAL and match.told > found.told
            ):
                found = match
        return found

    def about(self, wanted: Wanted) -> list[Match]:
        """How a fact stands in every single statement that could speak of it."""
        places = self._leads(wanted)
        return [wanted.match(self.windows[place]) for place in places if len(self.windows[place].statements) == 1]

    def _leads(self, wanted: Wanted) -> list[int]:
        votes: dict[int, float] = defaultdict(float)
        for key, weight in _wanted_keys(wanted).items():
            places = self._places.get(key, ())
            for place in places[:_MOST_COMMON]:
                votes[place] += weight / sqrt(1 + len(places))
        return sorted(nlargest(_TRIED, votes, key=lambda place: (votes[place], -place)))


def _keys(window: Window) -> set[str]:
    found = set(window.said.names | window.above.names | window.said.concepts | window.above.concepts)
    found.update(f"word:{word}" for said in (window.said, window.above) for word in said.words if is_content(word))
    found.update(f"figure:{figure.value:g}" for figure in window.said.figures)
    return found


def _wanted_keys(wanted: Wanted) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, weight in wanted.names.items():
        found[name.id] = 2 * weight
        for word in key_of(name.key).split():
            if is_content(word):
                found.setdefault(f"word:{word}", weight)
                found.setdefault(concept(word), weight)
    found |= {word: max(weight, found.get(word, 0.0)) for word, weight in wanted.concepts.items()}
    found |= {f"figure:{figure.value:g}": 0.7 for figure in wanted.figures}
    return found
