"""Axes: thin lines at round numbers, told once at the edge."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from os.path import commonprefix

from blade.report.charts.drawing.ink import MUTED
from blade.report.charts.drawing.lettering import SMALL, clean, fitted, width
from blade.report.charts.drawing.scale import LogScale, Scale
from blade.report.charts.drawing.shapes import line, words
from blade.report.charts.drawing.sheet import Sheet

Told = Callable[[float], str]


def below(sheet: Sheet, scale: Scale | LogScale, told: Told, *, top: float, bottom: float, name: str = "") -> float:
    """Upright lines from `top` to `bottom` with their numbers below; returns where the axis ends."""
    for x, label in _apart(sheet, scale, told):
        sheet.add(line(x, top, x, bottom), centred(sheet, x, bottom + 16, label))
    if not name:
        return bottom + 22
    middle = (scale.start + scale.end) / 2
    room = 2 * min(middle, sheet.width - middle) - 8
    sheet.add(words(middle, bottom + 34, fitted(clean(name), room, SMALL), size=SMALL, anchor="middle", fill=MUTED))
    return bottom + 42


def _apart(sheet: Sheet, scale: Scale | LogScale, told: Told) -> list[tuple[float, str]]:
    """As many ticks as have room for their numbers side by side."""
    ticks: list[tuple[float, str]] = []
    for most in range(7, 1, -1):
        ticks = [(scale.at(tick), clean(told(tick), 24)) for tick in scale.ticks(most)]
        spans = [_span(sheet, x, label) for x, label in ticks]
        if all(after[0] - before[1] >= 10 for before, after in pairwise(spans)):
            return ticks
    return ticks[:1]


def percent(tick: float) -> str:
    """A share as the percentage on an axis: a round number."""
    return f"{round(100 * tick, 6):g} %".replace("-", "−")


def beside(sheet: Sheet, scale: Scale, told: Told, *, left: float, right: float, most: int = 5) -> None:
    """Level lines from `left` to `right` with their numbers on the left."""
    for tick in scale.ticks(most):
        y, label = scale.at(tick), fitted(clean(told(tick), 24), left - 10, SMALL)
        sheet.add(line(left, y, right, y), words(left - 8, y + 4, label, size=SMALL, anchor="end", fill=MUTED))


def series_below(sheet: Sheet, places: Sequence[float], labels: Sequence[str], *, y: float) -> None:
    """Names below a row of places; as many as stand beside each other, the first and the last among them."""
    last = len(labels) - 1
    shown: list[tuple[float, float]] = []
    room = sheet.width / max(1, min(len(labels), 8 if sheet.wide else 3)) - 6
    for nth in sorted({0, last, *range(len(labels))}, key=lambda nth: (nth not in (0, last), nth)):
        label = fitted(labels[nth], room, SMALL)
        start, end = _span(sheet, places[nth], label)
        if all(end + 8 < other_start or start - 8 > other_end for other_start, other_end in shown):
            shown.append((start, end))
            sheet.add(centred(sheet, places[nth], y, label))


def centred(sheet: Sheet, x: float, y: float, label: str) -> str:
    """A label below its place, moved where it would leave the sheet."""
    start, end = _span(sheet, x, label)
    return words((start + end) / 2, y, label, size=SMALL, anchor="middle", fill=MUTED)


def told_apart(names: Sequence[str]) -> list[str]:
    """Names of a series without the beginning that all of them share, up to where a part of a name ends."""
    cleaned = [clean(name) or "unnamed" for name in names]
    shared = commonprefix(cleaned)  # noqa: RUF071 - characters are what is compared
    ends = max(map(shared.rfind, "-_./ "))
    return [f"…{name[ends + 1 :]}" for name in cleaned] if ends >= 3 and len(cleaned) > 2 else cleaned


def _span(sheet: Sheet, x: float, label: str) -> tuple[float, float]:
    half = width(label, SMALL) / 2
    middle = min(max(x, half + 2), sheet.width - half - 2)
    return middle - half, middle + half
