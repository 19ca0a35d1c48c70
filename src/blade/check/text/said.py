"""What a text says, as sets that two texts can be compared by: names, figures, directions, concepts."""

import itertools
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final

from blade.check.text import figures as numbers
from blade.check.text.directions import Direction, denials, denied_places, directions, negations
from blade.check.text.figures import OF, PERCENT, Figure, figures
from blade.check.text.inline import Inline
from blade.check.text.names import CAUSE, Name, key_of, names
from blade.check.text.tokens import MARK, WORD, Token, tokens
from blade.check.text.words import LINKING, articles, broken_pairs, concept, is_content

_NEAR: Final = 6
"""Tokens between a figure and the word that says what came of so many."""

_LEAST_WORDS: Final = 12
_RUNNING: Final = 0.06
_BROKEN: Final = 0.2


class Said:
    """One text, read once."""

    def __init__(self, inline: Inline, read: Sequence[Token] | None = None) -> None:
        self.inline = inline
        self.tokens = list(tokens(inline)) if read is None else list(read)

    @classmethod
    def of(cls, text: str | Inline) -> "Said":
        return cls(text if isinstance(text, Inline) else Inline(text))

    @cached_property
    def named(self) -> list[Name]:
        """Names with their places."""
        return names(self.inline, self.tokens)

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(name.id for name in self.named)

    @cached_property
    def figures(self) -> list[Figure]:
        """Figures that are no part of a name."""
        taken = [(name.start, name.end) for name in self.named if name.kind not in ("quote", "thing")]
        return [each for each in figures(self.tokens) if not any(a <= each.start < b for a, b in taken)]

    @cached_property
    def directions(self) -> list[Direction]:
        return list(directions(self.tokens))

    @cached_property
    def signs(self) -> dict[str, frozenset[int]]:
        """Of each axis the ways in which the text points."""
        return {
            axis: frozenset(each.sign for each in self.directions if each.axis == axis)
            for axis in {each.axis for each in self.directions}
        }

    @cached_property
    def words(self) -> list[str]:
        """All words in order, those of identifiers one by one."""
        found: list[str] = []
        for token in self.tokens:
            if token.kind == WORD:
                found.append(token.word.removesuffix("'s"))
            elif token.kind != MARK:
                found += key_of(token.text).split()
        return found

    @cached_property
    def keyed(self) -> list[tuple[str, int]]:
        """The same, each with the place of its token."""
        return [
            (word, place)
            for place, token in enumerate(self.tokens)
            if token.kind != MARK
            for word in key_of(token.text).split()
        ]

    @cached_property
    def flat(self) -> str:
        """All words between single spaces, to look for phrases in."""
        return f" {' '.join(self.words)} "

    @cached_property
    def concepts(self) -> frozenset[str]:
        """What the words mean that are no names, figures or directions."""
        pointing = {each.place for each in self.directions}
        return frozenset(
            concept(token.word)
            for place, token in enumerate(self.tokens)
            if token.kind == WORD and place not in pointing and self._is_plain(token)
        )

    def _is_plain(self, token: Token) -> bool:
        return is_content(token.word) and token.word not in numbers.NUMBER_WORDS and token.text not in _LABELS

    @cached_property
    def passes(self) -> list[tuple[float, float | None, Figure]]:
        """Figures of outcomes as figures of passes: `3 of 4 fail` is 1 of 4; so many, of how many, the figure."""
        shares = [figure for figure in self.figures if figure.kind in (OF, PERCENT)]
        stops = [place for place, token in enumerate(self.tokens) if token.text == ";"]
        found = ((figure, [one for one in self.directions if not _parted(figure, one, stops)]) for figure in shares)
        return [told for figure, near in found if (told := _as_passes(figure, near))]

    @cached_property
    def polarity(self) -> tuple[frozenset[str], frozenset[str]]:
        """Concepts that the text affirms, and those that it denies."""
        denied = denied_places(self.tokens)
        affirmed: set[str] = set()
        refused: set[str] = set()
        for place, token in enumerate(self.tokens):
            if token.kind != WORD or not self._is_plain(token):
                continue
            bare = _without_un(token.word)
            (refused if (place in denied) != bool(bare) else affirmed).add(concept(bare or token.word))
        return frozenset(affirmed), frozenset(refused)

    @cached_property
    def negations(self) -> int:
        return negations(self.tokens)

    @cached_property
    def denials(self) -> int:
        return denials(self.tokens)

    @cached_property
    def runs_on(self) -> bool:
        """Whether it is text that somebody wrote, and no heap of words."""
        plain = [token.word for token in self.tokens if token.kind == WORD and not token.code]
        if len(plain) < _LEAST_WORDS:
            return True
        if is_shuffled(self.tokens, least=3) or _ascending(plain) or self._is_list(plain):
            return False
        linking = sum(word in LINKING for word in plain)
        return linking >= _RUNNING * len(plain)

    def _is_list(self, plain: Sequence[str]) -> bool:
        """Whether commas stand between nearly all words."""
        commas = sum(token.kind == MARK and token.text in ",;|•·" for token in self.tokens)
        return commas >= 0.6 * len(plain)


_LABELS: Final = frozenset(["KG", "UK", "BI", "TI", "IR", "DA"])


def is_shuffled(tokens: Sequence[Token], *, least: int) -> bool:
    """Whether too many articles stand where none can; with fewer articles than `least` nobody can tell."""
    words = [token.word for token in tokens if not token.code]
    followed = articles(words)
    return followed >= least and broken_pairs(words) > _BROKEN * followed


def _ascending(words: Sequence[str]) -> bool:
    """Whether words stand in the order of the alphabet."""
    pairs = len(words) - 1
    rising = sum(one <= other for one, other in itertools.pairwise(words))
    return rising >= 0.85 * pairs


def _parted(figure: Figure, direction: Direction, stops: Sequence[int]) -> bool:
    """Whether a semicolon stands between a figure and a word: `a: 3/4; why it fails: …` counts no failures."""
    first, last = sorted((figure.place, direction.place))
    return any(first < stop < last for stop in stops)


def _as_passes(figure: Figure, found: Iterable[Direction]) -> tuple[float, float | None, Figure] | None:
    outcome = _outcome_of(figure, found)
    if not outcome and (figure.spelled or figure.after > figure.place + 1):
        return None  # `given in all four`: so many of what?
    whole = figure.of if figure.kind == OF else 100.0
    value = figure.value if outcome >= 0 or whole is None else whole - figure.value
    return value, whole, figure


def _outcome_of(figure: Figure, found: Iterable[Direction]) -> int:
    """The sign of the nearest word about the outcome: behind the figure it counts sooner than before it."""
    best, sign = float(_NEAR), 0
    for each in found:
        if each.axis != "outcome":
            continue
        distance = each.place - figure.after if each.place >= figure.after else (figure.place - each.place) * 1.2
        if 0 <= distance < best:
            best, sign = distance, each.sign
    return sign


def merged(parts: Sequence[Said]) -> Said:
    """Several texts as one."""
    if len(parts) == 1:
        return parts[0]
    return _Merged(parts)


class _Merged(Said):
    """Texts that were read before, seen together."""

    def __init__(self, parts: Sequence[Said]) -> None:
        super().__init__(Inline("\n".join(part.inline.text for part in parts)), [])
        self.parts = parts
        self.tokens = [token for part in parts for token in part.tokens]

    @cached_property
    def named(self) -> list[Name]:
        return [name for part in self.parts for name in part.named]

    @cached_property
    def figures(self) -> list[Figure]:
        return [figure for part in self.parts for figure in part.figures]

    @cached_property
    def directions(self) -> list[Direction]:
        return [each for part in self.parts for each in part.directions]

    @cached_property
    def concepts(self) -> frozenset[str]:
        return frozenset().union(*(part.concepts for part in self.parts))

    @cached_property
    def passes(self) -> list[tuple[float, float | None, Figure]]:
        return [each for part in self.parts for each in part.passes]

    @cached_property
    def polarity(self) -> tuple[frozenset[str], frozenset[str]]:
        affirmed, denied = zip(*(part.polarity for part in self.parts), strict=True)
        return frozenset().union(*affirmed), frozenset().union(*denied)

    @cached_property
    def runs_on(self) -> bool:
        return all(part.runs_on for part in self.parts)


def _without_un(word: str) -> str:
    """`converted` of `unconverted`; empty for other words."""
    return word[2:] if word.startswith("un") and len(word) > 6 and word.endswith("ed") else ""


def turned(one: Said, other: Said) -> frozenset[str]:
    """Concepts that one text affirms and the other denies."""
    (affirmed, denied), (also_affirmed, also_denied) = one.polarity, other.polarity
    return ((affirmed - denied) & (also_denied - also_affirmed)) | ((denied - affirmed) & (also_affirmed - also_denied))


def causes(said: Said) -> frozenset[str]:
    """The causes that a text names."""
    return frozenset(name.key for name in said.named if name.kind == CAUSE)
