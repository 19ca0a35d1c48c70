"""A report as places where something is claimed: sentences and cells, with what they mention and stand under."""

from collections.abc import Iterator
from functools import cached_property
from typing import Final, NamedTuple

from blade.check.claims.mentions import Mention, Mentions
from blade.check.claims.strangers import strangers
from blade.check.claims.truth import Truth
from blade.check.passages import ROW, Cell, Passage, Report
from blade.check.text.blocks import CODE
from blade.check.text.inline import Inline
from blade.check.text.names import key_of
from blade.check.text.said import Said
from blade.check.text.sentences import sentences

_LONGEST: Final = 8_000
"""Characters of a sentence or a cell that is read; what is longer is none that anybody wrote."""


class Label(NamedTuple):
    """A text that tells what something else is about."""

    said: Said
    mentions: list[Mention]


class Sentence:
    """A sentence, an item or a heading, and what it stands under."""

    def __init__(self, passage: Passage, said: Said, line: int, scene: "Scene") -> None:
        self.passage, self.said, self.line = passage, said, line
        self._scene = scene

    @cached_property
    def mentions(self) -> list[Mention]:
        return self._scene.vocabulary.find(self.said)

    @property
    def above(self) -> list[Label]:
        """Its lead and headings, the nearest first."""
        return self._scene.above(self.passage)

    @property
    def shares_labels(self) -> bool:
        return self._scene.shares_labels

    @property
    def is_of_all(self) -> bool:
        """Whether what names no run is about those that were given: the report speaks of no others."""
        return not self._scene.strangers

    @property
    def text(self) -> str:
        return " ".join(self.said.inline.text.split())


class Row:
    """A row of a table: what each cell says, under what it says it."""

    def __init__(self, passage: Passage, scene: "Scene") -> None:
        self.passage, self._scene = passage, scene
        self.line = passage.line

    @cached_property
    def cells(self) -> list[tuple[Label, Label]]:
        """Headers with cells."""
        return [(self._scene.label(cell.header), self._scene.inline(cell.text)) for cell in self.passage.cells]

    @property
    def above(self) -> list[Label]:
        return self._scene.above(self.passage)

    @property
    def shares_labels(self) -> bool:
        return self._scene.shares_labels

    @property
    def is_of_all(self) -> bool:
        """Whether what names no run is about those that were given: the report speaks of no others."""
        return not self._scene.strangers

    @property
    def raw(self) -> tuple[Cell, ...]:
        return self.passage.cells


class Scene:
    """All places of a report where something is claimed."""

    def __init__(self, report: Report, truth: Truth) -> None:
        self.report, self.truth = report, truth
        self.strangers = strangers(report, truth)
        self.vocabulary = Mentions(truth, self.strangers)
        self._labels: dict[str, Label] = {}
        self._above: dict[tuple[str, tuple[str, ...]], list[Label]] = {}

    def label(self, text: str) -> Label:
        """A heading, a header or a lead, read once."""
        if text not in self._labels:
            self._labels[text] = self.inline(Inline(text))
        return self._labels[text]

    def inline(self, text: Inline) -> Label:
        """A text with what it mentions."""
        said = Said(text)
        return Label(said, self.vocabulary.find(said))

    def above(self, passage: Passage) -> list[Label]:
        """What a passage stands under, the nearest first; the title is no heading of anything."""
        key = (passage.lead, passage.headings)
        if key not in self._above:
            texts = [passage.lead, *reversed(passage.headings[1:])]
            self._above[key] = [self.label(text) for text in texts if text]
        return self._above[key]

    @cached_property
    def shares_labels(self) -> bool:
        """Whether the report speaks of failure modes by the data's own names, so that its causes are those too."""
        titles = {key_of(title) for title in self.truth.modes}
        text = f" {key_of(' '.join(passage.text.text for passage in self.report.passages))} "
        return any(f" {title} " in text for title in titles if " " in title)

    @cached_property
    def sentences(self) -> list[Sentence]:
        return list(self._sentences())

    def _sentences(self) -> Iterator[Sentence]:
        for passage in self.report.passages:
            if passage.kind in (ROW, CODE):
                continue
            for start, text in sentences(passage.text):
                if len(text.text) > _LONGEST:
                    continue
                line = passage.line + passage.text.text.count("\n", 0, start)
                yield Sentence(passage, Said(text), line, self)

    @cached_property
    def rows(self) -> list[Row]:
        return [
            Row(passage, self)
            for passage in self.report.passages
            if passage.kind == ROW and len(passage.text.text) <= _LONGEST
        ]
