"""Intervals: rates, differences or quantities, each a mark with its interval, beside a line to hold them against."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from blade import numbers
from blade.report.charts.drawing import axis
from blade.report.charts.drawing.ink import INK, MUTED, PAPER, SERIES, colour
from blade.report.charts.drawing.legend import Entry, left_out, legend
from blade.report.charts.drawing.lettering import SMALL, clean, fitted
from blade.report.charts.drawing.rows import Rows
from blade.report.charts.drawing.scale import Scale, all_known, known, linear
from blade.report.charts.drawing.shapes import MARKERS, element, line, marker, tip, whisker, words
from blade.report.charts.drawing.sheet import Sheet
from blade.report.charts.estimate import Estimate, as_amount, as_points, as_share
from blade.report.charts.kind import Kind, Table, described

MOST_ROWS: Final = 40
MOST_SERIES: Final = 6
_LANE: Final = 15.0

SHARE: Final = "share"
POINTS: Final = "points"
AMOUNT: Final = "amount"
"""What the numbers are: shares from 0 to 1, percentage points, or quantities."""

_TOLD: Final[dict[str, Callable[[Estimate], str]]] = {SHARE: as_share, POINTS: as_points, AMOUNT: as_amount}


@dataclass(frozen=True, kw_only=True)
class Row:
    """A thing that is measured, with one estimate for each series."""

    label: str
    estimates: tuple[Estimate, ...]
    group: str = ""
    """Rows of one group stand below its name."""
    note: str = ""
    """Beside the label, such as how many tasks it is of."""


@dataclass(frozen=True, kw_only=True)
class Intervals:
    """Rows of estimates on one scale."""

    title: str
    description: str
    rows: tuple[Row, ...]
    series: tuple[str, ...] = ()
    """What the estimates of a row are of, such as runs; empty where there is only one."""
    unit: str = SHARE
    reference: float | None = None
    """Where the line stands, in the unit."""
    reference_label: str = ""


def svg(chart: Intervals, *, prefix: str, wide: bool = True) -> str:
    """One row for each thing, one mark for each series."""
    sheet, shown = Sheet(prefix, wide=wide), chart.rows[:MOST_ROWS]
    lanes = min(MOST_SERIES, max((len(row.estimates) for row in shown), default=1))
    rows = Rows(sheet, values=170 if lanes <= 1 else 0, bar=_LANE * max(1, lanes))
    top = legend(sheet, _legend(chart, lanes), left=4, top=4) + 4
    if known(chart.reference) is not None and chart.reference_label:
        top += 18
    labels, values = [_label(row) for row in shown], [_value(chart, row, lanes, wide=wide) for row in shown]
    heads = [_head(chart, nth) for nth in range(len(shown))]
    heights = [rows.height(*told) + 26 * bool(head) for *told, head in zip(labels, values, heads, strict=True)]
    starts = list(accumulate(heights, initial=top))
    scale = _scale(chart, rows)
    end = axis.below(sheet, scale, _tick(chart), top=top, bottom=starts[-1], name=_AXIS[_unit(chart)])
    _reference(sheet, chart, scale, top, starts[-1])
    for row, head, label, value, y in zip(shown, heads, labels, values, starts, strict=False):
        if head:
            sheet.add(words(4, y + 18, fitted(head, sheet.width - 8, bold=True), bold=True, halo=PAPER))
        middle = rows.draw(y + 26 * bool(head), label, value)
        _marks(sheet, chart, scale, row, middle)
    return sheet.svg(
        chart.title, described(chart, text(chart)), left_out(sheet, end, {"row": len(chart.rows) - MOST_ROWS})
    )


_AXIS: Final = {SHARE: "", POINTS: "points", AMOUNT: ""}


def _unit(chart: Intervals) -> str:
    return chart.unit if chart.unit in _TOLD else AMOUNT


def _label(row: Row) -> str:
    note = clean(row.note, 60)
    return (clean(row.label) or "unnamed") + (f" ({note})" if note else "")


def _value(chart: Intervals, row: Row, lanes: int, *, wide: bool) -> str:
    """The numbers, where a row has only one mark."""
    if lanes > 1 or not row.estimates:
        return ""
    found = row.estimates[0]
    return _TOLD[_unit(chart)](found if wide else Estimate(found.value))


def _head(chart: Intervals, nth: int) -> str:
    """The name of the group that begins with a row."""
    group = clean(chart.rows[nth].group)
    return group if nth == 0 or group != clean(chart.rows[nth - 1].group) else ""


def _scale(chart: Intervals, rows: Rows) -> Scale:
    found = [number for row in chart.rows[:MOST_ROWS] for one in row.estimates[:MOST_SERIES] for number in one.numbers]
    scale = linear([*found, *all_known([chart.reference])], rows.left, rows.right, least=0.02)
    if _unit(chart) != SHARE or not found or min(found) < 0 or max(found) > 1:
        return scale
    return scale._replace(low=max(0.0, scale.low), high=min(1.0, scale.high))


def _tick(chart: Intervals) -> Callable[[float], str]:
    if _unit(chart) == SHARE:
        return axis.percent
    if _unit(chart) == POINTS:
        return lambda tick: f"{tick:+g}".replace("-", "−") if tick else "0"
    return numbers.amount


def _legend(chart: Intervals, lanes: int) -> list[Entry]:
    names = chart.series[:lanes] if lanes > 1 else ()
    return [Entry(clean(name) or "unnamed", colour(SERIES[nth]), marker=MARKERS[nth]) for nth, name in enumerate(names)]


def _reference(sheet: Sheet, chart: Intervals, scale: Scale, top: float, bottom: float) -> None:
    at = known(chart.reference)
    if at is None:
        return
    x = scale.at(at)
    sheet.add(line(x, top, x, bottom, INK, stroke_width=1.25))
    label = fitted(clean(chart.reference_label), sheet.width - 8, SMALL)
    if label:
        sheet.add(axis.centred(sheet, x, top - 5, label))


def _marks(sheet: Sheet, chart: Intervals, scale: Scale, row: Row, middle: float) -> None:
    found = row.estimates[:MOST_SERIES]
    first = middle - _LANE * (len(found) - 1) / 2
    for nth, one in enumerate(found):
        y, value = first + _LANE * nth, known(one.value)
        if value is None:
            sheet.add(words(scale.start + 4, y + 4, "unknown", size=SMALL, fill=MUTED, halo=PAPER))
            continue
        tint = colour(SERIES[nth])
        if one.ends:
            sheet.add(whisker(scale.at(one.ends[0]), scale.at(one.ends[1]), y, stroke=tint, width=1.75))
        name = f"{clean(chart.series[nth], 60)}, " if nth < len(chart.series) else ""
        told = tip(f"{name}{_label(row)}: {_TOLD[_unit(chart)](one)}")
        sheet.add(element("g", told, marker(MARKERS[nth], scale.at(value), y, fill=tint)))


def table(chart: Intervals) -> Table:
    """Every row, with the numbers of each series."""
    most = max((len(row.estimates) for row in chart.rows), default=1)
    named = [clean(name, 60) or "unnamed" for name in chart.series[:most]]
    columns = named + ["value"] * (most - len(named))
    grouped = any(clean(row.group) for row in chart.rows)
    rows = []
    for row in chart.rows:
        told = [_TOLD[_unit(chart)](one) for one in row.estimates]
        rows.append([*([clean(row.group)] if grouped else []), _label(row), *told, *[""] * (most - len(told))])
    return [*(["group"] if grouped else []), "what", *columns], rows


def text(chart: Intervals) -> str:
    """How many rows lie beyond the line, or between which values they lie."""
    first = [row.estimates[0] for row in chart.rows if row.estimates]
    reference = known(chart.reference)
    values = all_known(one.value for one in first)
    if not values:
        return "No value is known."
    told = _TOLD[_unit(chart)]
    ends = f"from {told(Estimate(min(values)))} to {told(Estimate(max(values)))}"
    if reference is None:
        return f"{numbers.counted(len(values), 'value')}, {ends}."
    below = sum(one.ends is not None and one.ends[1] < reference for one in first)
    above = sum(one.ends is not None and one.ends[0] > reference for one in first)
    name = clean(chart.reference_label, 60) or told(Estimate(reference))
    return f"{numbers.counted(len(values), 'value')}, {ends}: {above} lie above {name} beyond noise, {below} below."


KIND: Final = Kind("intervals", Intervals, svg, table, text)
