"""How much a name or a concept tells: what stands everywhere in the golden report tells little."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import log
from typing import Final

from blade.check.scoring.statements import Statement

_COMMON: Final = 0.15
"""What even the most frequent word counts."""


class Rarity:
    """The weights of names and concepts, learned from the golden report."""

    def __init__(self, golden: Sequence[Statement]) -> None:
        self._statements = golden
        self._size = max(1, len(golden))
        self._names = Counter(name for each in golden for name in each.said.names | each.above.names)
        self._concepts = Counter(word for each in golden for word in each.said.concepts)
        self.phrase = lru_cache(maxsize=10_000)(self._phrase)

    def name(self, key: str) -> float:
        return self._weight(self._names[key])

    def concept(self, key: str) -> float:
        return self._weight(self._concepts[key])

    def _phrase(self, key: str) -> float:
        """Of words in a row."""
        return self._weight(sum(f" {key} " in each.said.flat for each in self._statements))

    def _weight(self, count: int) -> float:
        return max(_COMMON, log((self._size + 1) / (count + 1)) / log(self._size + 1))

    def known(self) -> Iterable[str]:
        """The names that the golden report knows."""
        return self._names
