"""Rows of a lying chart: labels beside the bars where there is room, above them where there is not."""

from typing import Final

from blade.report.charts.drawing.ink import MUTED, PAPER
from blade.report.charts.drawing.lettering import SMALL, fitted, width, wrapped
from blade.report.charts.drawing.shapes import lines_of, words
from blade.report.charts.drawing.sheet import Sheet

_LEADING: Final = 16.0
_TAG: Final = 26.0
_LABELS: Final = 300.0


class Rows:
    """How rows are laid out; `left` and `right` are the ends of the room for bars."""

    def __init__(self, sheet: Sheet, *, values: float = 156, bar: float = 16, tagged: bool = False) -> None:
        self.sheet, self.bar = sheet, bar
        self.left, self.right = (_LABELS + 18, sheet.width - values - 12) if sheet.wide else (12.0, sheet.width - 12)
        self._values = values
        self._tag = _TAG if tagged else 0.0

    def height(self, label: str, value: str = "", *, bold: bool = False) -> float:
        """How high the row of a label is."""
        lines = len(self._lines(label, value, bold=bold))
        return max(self.bar + 16, _LEADING * lines + 12) if self.sheet.wide else _LEADING * lines + self.bar + 20

    def draw(self, y: float, label: str, value: str = "", *, bold: bool = False, tag: str = "") -> float:
        """Put label and value of a row on the sheet; returns the middle of its bar."""
        lines = self._lines(label, value, bold=bold)
        middle = y + self.height(label, value, bold=bold) / 2
        top = middle + 4.5 - _LEADING / 2 * (len(lines) - 1) if self.sheet.wide else y + 14
        left = 4 + (self._tag if tag else 0)
        if tag:
            self.sheet.add(words(4, top, tag, size=SMALL, fill=MUTED, halo=PAPER))
        self.sheet.add(lines_of(left, top, lines, bold=bold))
        if value:
            shown = fitted(value, self._values, bold=bold)
            self.sheet.add(
                words(
                    self.sheet.width - 4,
                    top if not self.sheet.wide else middle + 4.5,
                    shown,
                    anchor="end",
                    bold=bold,
                    halo=PAPER,
                )
            )
        return middle if self.sheet.wide else y + _LEADING * len(lines) + 6 + self.bar / 2

    def _lines(self, label: str, value: str, *, bold: bool) -> list[str]:
        if self.sheet.wide:
            return wrapped(label, _LABELS - self._tag, bold=bold)
        taken = min(self._values, width(value, bold=bold)) + 16 if value else 8
        return wrapped(label, self.sheet.width - taken - self._tag, bold=bold)
