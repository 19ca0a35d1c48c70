"""Statements that are nearly the golden report's own: which of them were altered, and in what."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from blade.check.scoring.rarity import Rarity
from blade.check.scoring.statements import Statement
from blade.check.text.agreeing import same
from blade.check.text.figures import Figure
from blade.check.text.names import QUOTE, RUN, TASK, THING
from blade.check.text.said import Said, causes
from blade.check.text.tokens import WORD

_ALIKE: Final = 0.7
"""The share of words that a copy has in common with what it was copied from."""

_NEARLY_SAME: Final = 0.85
"""From here on a negation that is new means the opposite."""

_LEAST_WORDS: Final = 4
_SEEDS: Final = 14
_TRIED: Final = 10
_MOST_SAME: Final = 400
"""Statements that a word may stand in to be a lead to copies."""


class Copy(NamedTuple):
    """A statement, what it is a copy of, and in what the two differ."""

    statement: Statement
    original: Statement
    likeness: float
    altered: tuple[str, ...]
    """Words of `KINDS`; none for a faithful copy."""

    @property
    def tells(self) -> bool:
        """Whether there is anything in it that could be altered."""
        said = self.original.said
        return bool(said.figures or said.signs or said.names)


class Frame:
    """The words of a text that are neither names nor figures nor directions: what a copy keeps."""

    def __init__(self, said: Said) -> None:
        self.said = said

    @cached_property
    def words(self) -> Counter[str]:
        said = self.said
        pointing = {each.place for each in said.directions}
        quoted = [(name.start, name.end) for name in said.named if name.kind == QUOTE]
        return Counter(
            token.word
            for place, token in enumerate(said.tokens)
            if token.kind == WORD and place not in pointing and not token.code and token.word not in _DENYING
            if not any(begin <= token.start < end for begin, end in quoted)
        )

    @cached_property
    def size(self) -> int:
        return sum(self.words.values())

    def likeness(self, other: "Frame") -> float:
        """The share of words that both have."""
        if not self.size or not other.size:
            return float(self.size == other.size)
        return 2 * sum((self.words & other.words).values()) / (self.size + other.size)


_DENYING: Final = frozenset(
    [
        "not",
        "no",
        "never",
        "none",
        "n't",
        "doesn't",
        "didn't",
        "isn't",
        "wasn't",
        "do",
        "does",
        "did",
        "KG",
        "UK",
        "BI",
        "TI",
        "IR",
        "DA",
    ]
)


class Originals:
    """The statements of the golden report, to look copies up in."""

    def __init__(self, golden: Sequence[Statement], rarity: Rarity) -> None:
        self._golden = [each for each in golden if each.is_readable]
        self._frames = [Frame(each.said) for each in self._golden]
        self._rarity = rarity
        self._places: dict[str, list[int]] = defaultdict(list)
        for place, each in enumerate(self._golden):
            for key in each.said.concepts | each.said.names:
                self._places[key].append(place)

    def copy_of(self, statement: Statement) -> Copy | None:
        """What a statement is nearly a copy of, if it is one."""
        frame = Frame(statement.said)
        found = [(self._closeness(frame, place), place) for place in self._leads(statement.said)]
        if not found:
            return None
        _closeness, place = max(found)
        likeness = frame.likeness(self._frames[place])
        if likeness < _ALIKE or frame.size + len(statement.said.names) < _LEAST_WORDS:
            return None
        original = self._golden[place]
        altered = tuple(alterations(original.said, statement.said, frame.size))
        if likeness < _NEARLY_SAME:
            altered = tuple(kind for kind in altered if kind != "negation")
        return Copy(statement, original, likeness, altered)

    def _leads(self, said: Said) -> list[int]:
        """The golden statements that have most rare things in common with a text."""
        seeds = sorted(
            (key for key in said.concepts | said.names if key in self._places),
            key=lambda key: len(self._places[key]),
        )
        votes: Counter[int] = Counter()
        for key in seeds[:_SEEDS]:
            places = self._places[key]
            for place in places[:_MOST_SAME]:
                votes[place] += 1
        return [place for place, _ in votes.most_common(_TRIED * 3)]

    def _closeness(self, frame: Frame, place: int) -> float:
        """How alike two texts are when names and figures count too, so that the true original wins."""
        other = self._frames[place]
        return frame.likeness(other) + 0.6 * _shared(frame.said, other.said)


def _shared(one: Said, other: Said) -> float:
    """The share of names and figures that two texts have in common."""
    names = len(one.names & other.names)
    figures = len(one.figures) - len(_unmatched(one.figures, other.figures))
    whole = max(len(one.names) + len(one.figures), len(other.names) + len(other.figures))
    return (names + figures) / whole if whole else 1.0


def alterations(original: Said, copy: Said, words: int) -> Iterator[str]:
    """In what a copy says something else than its original."""
    swapped = list(_swapped(original, copy, words))
    if _other_figures(original, copy):
        yield "figures"
    if swapped:
        yield "names"
    if _turned(original, copy):
        yield "directions"
    if causes(original) and causes(copy) and not causes(original) & causes(copy):
        yield "causes"
    if (copy.negations - original.negations) % 2 or copy.denials > original.denials:
        yield "negation"


def _other_figures(original: Said, copy: Said) -> bool:
    return bool(_unmatched(original.figures, copy.figures)) and bool(_unmatched(copy.figures, original.figures))


def _unmatched(figures: Sequence[Figure], others: Sequence[Figure]) -> list[Figure]:
    return [figure for figure in figures if not any(same(figure, other) for other in others)]


def _swapped(original: Said, copy: Said, words: int) -> Iterator[str]:
    """Kinds of names of which both have some that the other lacks; refs and quotes are evidence, and judged as that."""
    for kind in (TASK, RUN, THING):
        ours = {name.id for name in original.named if name.kind == kind} - copy.names
        theirs = {name.id for name in copy.named if name.kind == kind} - original.names
        if ours and theirs and words >= _LEAST_WORDS:
            yield kind


def _turned(original: Said, copy: Said) -> bool:
    """Whether the copy points the other way on some axis where the original points one way only."""
    for axis, signs in original.signs.items():
        others = copy.signs.get(axis)
        if others and len(signs) == len(others) == 1 and signs != others:
            return True
        if (
            others
            and _counts(original, axis) != _counts(copy, axis)
            and len(original.directions) == len(copy.directions)
        ):
            return True
    return False


def _counts(said: Said, axis: str) -> Counter[int]:
    return Counter(each.sign for each in said.directions if each.axis == axis)
