"""Legends: what the fills and markers of a picture mean, in as many lines as they need."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from blade import numbers
from blade.report.charts.drawing.ink import INK, MUTED
from blade.report.charts.drawing.lettering import SMALL, fitted, width
from blade.report.charts.drawing.shapes import line, marker, rect, words
from blade.report.charts.drawing.sheet import Sheet

LEADING: Final = 20.0
_SWATCH: Final = 14.0
_GAP: Final = 20.0


class Entry(NamedTuple):
    """A fill or a marker, and what it means."""

    label: str
    fill: str
    stroke: str = INK
    marker: str = ""
    dashes: str | None = None
    opacity: float | None = None
    line: str = ""
    """`solid` or `dashed`, for what is drawn as a line."""


def legend(sheet: Sheet, entries: Sequence[Entry], *, left: float, top: float, right: float | None = None) -> float:
    """Put a legend on the sheet; returns where it ends."""
    end = sheet.width - 4 if right is None else right
    x, y = left, top
    for entry in entries:
        label = fitted(entry.label, end - left - _SWATCH - 6, SMALL)
        needed = _SWATCH + 6 + width(label, SMALL)
        if x > left and x + needed > end:
            x, y = left, y + LEADING
        sheet.add(_swatch(entry, x, y), words(x + _SWATCH + 6, y + 10.5, label, size=SMALL))
        x += needed + _GAP
    return y + LEADING if entries else top


def left_out(sheet: Sheet, end: float, counts: Mapping[str, int]) -> float:
    """A line for what a picture has no room for, by what it is; returns where it ends."""
    more = [numbers.counted(count, f"more {what}") for what, count in counts.items() if count > 0]
    if not more:
        return end
    told = fitted(f"{' and '.join(more)} in the table", sheet.width - 8, SMALL)
    sheet.add(words(4, end + 12, told, size=SMALL, fill=MUTED))
    return end + 18


def _swatch(entry: Entry, x: float, y: float) -> str:
    if entry.line:
        dashes = "5 4" if entry.line == "dashed" else None
        return line(x, y + 6.5, x + _SWATCH, y + 6.5, entry.fill, stroke_width=2, stroke_dasharray=dashes)
    if entry.marker:
        return marker(entry.marker, x + _SWATCH / 2, y + 6.5, fill=entry.fill, r=4.5)
    return rect(
        x + 0.5,
        y + 0.5,
        _SWATCH - 1,
        12,
        entry.fill,
        stroke=entry.stroke,
        stroke_width=0.75,
        stroke_dasharray=entry.dashes,
        fill_opacity=entry.opacity,
    )
