"""Whether the words of a report stand in order: a report is more than its words."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from itertools import groupby, pairwise
from typing import Final, TypeVar

from blade.check.scoring.statements import Statement
from blade.check.text.said import Said, is_shuffled
from blade.check.text.words import LINKING, concept

_Item = TypeVar("_Item", bound=Hashable)

_SAME_WORDS: Final = 0.85
_SAME_PAIRS: Final = 0.45
_LEAST_WORDS: Final = 8
_LEAST_ARTICLES: Final = 12
_SEEDS: Final = 8
_LEAST_COMMON: Final = 4
_NEAR: Final = 3


def disordered(candidate: Sequence[Statement], golden: Sequence[Statement]) -> set[int]:
    """The statements that stand in passages which have a golden passage's words in another order."""
    originals = _Passages(golden)
    found: set[int] = set()
    for passage in _passages(candidate):
        if originals.has_shuffled(_words(passage)):
            found.update(id(each) for each in passage)
    return found


def reads_shuffled(statements: Sequence[Statement]) -> bool:
    """Whether a report as a whole is no language."""
    return is_shuffled([token for each in statements for token in each.said.tokens], least=_LEAST_ARTICLES)


def nearness(fact: Said, said: Said) -> float | None:
    """Of neighbours in a fact the share that are near in a text too; None where too little is common."""
    places: dict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(said.words):
        places[concept(word)].append(place)
    common = [word for word in dict.fromkeys(map(concept, fact.words)) if word in places and word not in LINKING]
    if len(common) < _LEAST_COMMON:
        return None
    steps = [_step(places[one], places[other]) for one, other in pairwise(common)]
    return sum((abs(step) <= _NEAR) + (0 < step <= 2 * _NEAR) for step in steps) / (2 * len(steps))


def _step(ones: Sequence[int], others: Sequence[int]) -> int:
    """From one word to another where they are nearest."""
    return min((other - one for one in ones[:20] for other in others[:20]), key=abs)


def _passages(statements: Sequence[Statement]) -> Iterable[list[Statement]]:
    return (list(group) for _, group in groupby(statements, key=lambda each: id(each.passage)))


def _words(passage: Iterable[Statement]) -> list[str]:
    return [word for each in passage for word in each.said.words]


class _Passages:
    """The golden report's passages by their words."""

    def __init__(self, golden: Sequence[Statement]) -> None:
        self._words = [_words(passage) for passage in _passages(golden)]
        self._places: dict[str, list[int]] = defaultdict(list)
        for place, words in enumerate(self._words):
            for word in set(words):
                self._places[word].append(place)

    def has_shuffled(self, words: Sequence[str]) -> bool:
        """Whether some passage has these very words in another order, and none has them in this one."""
        if len(words) < _LEAST_WORDS:
            return False
        own, pairs = Counter(words), Counter(pairwise(words))
        alike = [place for place in self._leads(own) if _dice(own, Counter(self._words[place])) >= _SAME_WORDS]
        return bool(alike) and all(_dice(pairs, Counter(pairwise(self._words[place]))) < _SAME_PAIRS for place in alike)

    def _leads(self, own: Counter[str]) -> list[int]:
        seeds = sorted((word for word in own if word in self._places), key=lambda word: len(self._places[word]))
        votes = Counter(place for word in seeds[:_SEEDS] for place in self._places[word][:400])
        return [place for place, _ in votes.most_common(10)]


def _dice(one: Counter[_Item], other: Counter[_Item]) -> float:
    """The share that two heaps of things have in common."""
    whole = sum(one.values()) + sum(other.values())
    return 2 * sum((one & other).values()) / whole if whole else 0.0
