"""What the golden report calls its failure modes and other parts: headings that a fact may speak of by their words."""

from collections.abc import Sequence
from typing import Final

from blade.check.passages import ROW, Report
from blade.check.scoring.statements import Window
from blade.check.text.names import TASK
from blade.check.text.said import Said

_FEWEST: Final = 2
_MOST: Final = 14
_LARGE: Final = 400
"""Rows of tables whose labels are looked at."""

_LACKING: Final = 0.5


class Titles:
    """The titles of a report, each as the concepts of its words."""

    def __init__(self, report: Report) -> None:
        labels = [passage.cells[0].text for passage in report.passages if passage.kind == ROW and passage.cells]
        texts = [Said.of(heading.text) for heading in report.headings if heading.level > 2]
        texts += [Said(label) for label in labels[:_LARGE]]
        found = [said.concepts for said in texts if not _names_tasks(said) and not said.figures]
        self._titles = list(dict.fromkeys(each for each in found if _FEWEST <= len(each) <= _MOST))

    def of(self, said: Said) -> list[frozenset[str]]:
        """The titles that a text holds whole, the longest of those that hold each other."""
        found = [title for title in self._titles if title <= said.concepts]
        return [title for title in found if not any(title < other for other in found)]

    def exchanged(self, wanted: Sequence[frozenset[str]], window: Window) -> bool:
        """Whether a window holds another title in the place of those that are wanted."""
        near = window.said.concepts | window.above.concepts
        missing = [title for title in wanted if len(title & near) < _LACKING * len(title)]
        if not missing:
            return False
        others = [title for title in self.of(window.said) if title not in wanted]
        return any(not title <= frozenset().union(*wanted) for title in others)


def _names_tasks(said: Said) -> bool:
    return any(name.kind == TASK for name in said.named)
