"""Whether a fact stands in a passage: its names, its figures and what it tells, together, and nothing against it."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from blade.check.scoring.rarity import Rarity
from blade.check.scoring.statements import Window
from blade.check.text.agreeing import same
from blade.check.text.figures import OF, PERCENT, Figure
from blade.check.text.names import CAUSE, QUOTE, REFERENCE, ROLLOUT, RUN, STEP, TASK, THING, Name
from blade.check.text.said import Said, causes
from blade.check.text.words import concept, is_content

_KIND_WEIGHTS: Final = {TASK: 3.0, RUN: 1.0, ROLLOUT: 0.7, STEP: 0.3, REFERENCE: 0.4, THING: 1.0, QUOTE: 0.8}
_STORY_KINDS: Final = frozenset([THING, QUOTE])
_ABOVE: Final = 0.7
"""What a concept counts that stands in the heading only."""

_ABOVE_FIGURE: Final = 0.9
_IN_PARTS: Final = 0.7
_ENOUGH_STORY: Final = 0.55
"""The share of a fact's own words that another hand still uses."""

_ENOUGH_NAMES: Final = 0.7
_OTHER_TASK: Final = 0.15
_FEWEST_FIGURES: Final = 0.3
_WITHOUT_FIGURES: Final = 0.45
_WITHOUT_THINGS: Final = 0.6
_FEWEST_NAMES: Final = 0.1
_BOUND: Final = 0.25


class Match(NamedTuple):
    """How well a fact stands in a window."""

    credit: float
    names: float
    figures: float
    story: float
    window: Window | None = None

    @property
    def told(self) -> float:
        """What tells equals apart: how much of the fact's own words and names stand there."""
        return round(self.story + 0.5 * self.names, 3)


NOWHERE: Final = Match(0.0, 0.0, 0.0, 0.0)


class Wanted:
    """A fact as what must be found of it."""

    def __init__(self, said: Said, rarity: Rarity) -> None:
        self.said = said
        self.names = dict(_weighed(said.named, rarity))
        self.tasks = [name for name in self.names if name.kind == TASK]
        self.things = [name for name in self.names if name.kind in _STORY_KINDS]
        self.figures = [figure for figure in said.figures if not (figure.spelled and figure.value == 1)]
        self.concepts = {word: rarity.concept(word) for word in said.concepts}
        self.causes = causes(said)
        self.passes = {_key(figure): (value, whole) for value, whole, figure in said.passes}

    def match(self, window: Window) -> Match:
        """How well it stands there."""
        names = self._names(window)
        if names < _FEWEST_NAMES:
            return Match(0.0, names, 0.0, 0.0, window)
        figures, story = self._figures(window), self._story(window)
        told = len(self.concepts) + len([name for name in self.names if name.kind in _STORY_KINDS])
        weight = min(0.6, 0.1 * told) if self.figures else 1.0
        if not told:
            weight = 0.0
        base = weight * min(1.0, story / _ENOUGH_STORY) + (1 - weight) * figures
        gate = min(1.0, names / _ENOUGH_NAMES) ** 1.5 if self.names else 1.0
        credit = base * gate * self._tasks(window) * self._things(window)
        if self.figures and figures < _FEWEST_FIGURES:
            credit = min(credit, _WITHOUT_FIGURES)
        return Match(credit, names, figures, story, window)

    def _things(self, window: Window) -> float:
        """Less than 1 where none of the identifiers and quotes of a fact is there: it is told of something else."""
        if not self.things:
            return 1.0
        return 1.0 if any(stands(name, window) for name in self.things) else _WITHOUT_THINGS

    def _tasks(self, window: Window) -> float:
        """How far a window speaks of the tasks that the fact is about: a fact about another task is another fact."""
        if not self.tasks:
            return 1.0
        found = sum(stands(name, window) for name in self.tasks) / len(self.tasks)
        return max(_OTHER_TASK, found)

    def _names(self, window: Window) -> float:
        whole = sum(self.names.values())
        found = sum(weight * stands(name, window) for name, weight in self.names.items())
        return found / whole if whole else 1.0

    def _figures(self, window: Window) -> float:
        if not self.figures:
            return 1.0
        whole = sum(map(_weight, self.figures))
        return sum(_weight(figure) * self._stands(figure, window) for figure in self.figures) / whole

    def _stands(self, figure: Figure, window: Window) -> float:
        if self.has_figure(figure, window.said):
            return 1.0
        return _ABOVE_FIGURE if figure.kind == OF and self.has_figure(figure, window.above) else 0.0

    def has_figure(self, figure: Figure, said: Said) -> bool:
        """Whether a text holds a figure, be it the other way round: `1 of 4 fail` for `3 of 4 pass`."""
        return any(same(figure, other) for other in said.figures) or self._has_outcome(figure, said)

    def _has_outcome(self, figure: Figure, said: Said) -> bool:
        if _key(figure) not in self.passes:
            return False
        value, whole = self.passes[_key(figure)]
        for passed, of, other in said.passes:
            if figure.kind == OF and other.kind == OF and (value, whole) == (passed, of):
                return True
            if PERCENT in (figure.kind, other.kind) and whole and of and abs(value / whole - passed / of) < 0.006:
                return True
        return False

    def _story(self, window: Window) -> float:
        parts = list(self._told(window))
        whole = sum(weight for weight, _ in parts)
        return sum(weight * found for weight, found in parts) / whole if whole else 1.0

    def _told(self, window: Window) -> Iterator[tuple[float, float]]:
        """The weight of everything that a fact tells, and how far it is found."""
        for word, weight in self.concepts.items():
            if word in window.said.concepts:
                yield weight, 1.0
            else:
                yield weight, _ABOVE if word in window.above.concepts else 0.0
        for name, weight in self.names.items():
            if name.kind in _STORY_KINDS:
                yield 1.5 * weight, stands(name, window)
        if self.causes:
            found = causes(window.said) | causes(window.above)
            yield 1.0, float(bool(self.causes & found))


def _weighed(named: Sequence[Name], rarity: Rarity) -> Iterator[tuple[Name, float]]:
    seen = set()
    for name in named:
        if name.kind == CAUSE or name.id in seen:
            continue
        seen.add(name.id)
        rare = rarity.phrase(name.key) if name.kind in _STORY_KINDS else rarity.name(name.id)
        yield name, _KIND_WEIGHTS[name.kind] * rare


def stands(name: Name, window: Window) -> float:
    """How far a name stands in a window or in what is above it: 1, or less where only its words do."""
    if name.id in window.said.names or name.id in window.above.names:
        return 1.0
    if name.kind in (TASK, ROLLOUT, STEP, REFERENCE):
        return 0.0
    phrase = f" {name.key} "
    if phrase in window.said.flat or phrase in window.above.flat:
        return 1.0
    parts = [concept(word) for word in name.key.split() if is_content(word)]
    return _IN_PARTS if len(parts) > 1 and all(part in window.said.concepts for part in parts) else 0.0


def _weight(figure: Figure) -> float:
    return _BOUND if figure.bound else 1.0


def _key(figure: Figure) -> tuple[int, int]:
    return figure.start, figure.place
