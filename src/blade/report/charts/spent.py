"""Spent: what passes cost against what failures cost. A box is the middle half, its whiskers are nine of ten."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from blade import numbers
from blade.report.charts.drawing import axis
from blade.report.charts.drawing.ink import INK, MUTED, PAPER, colour
from blade.report.charts.drawing.legend import Entry, left_out, legend
from blade.report.charts.drawing.lettering import SMALL, clean
from blade.report.charts.drawing.rows import Rows
from blade.report.charts.drawing.scale import LogScale, Scale, all_known, known, linear, logarithmic
from blade.report.charts.drawing.shapes import element, marker, rect, tip, whisker, words
from blade.report.charts.drawing.sheet import Sheet
from blade.report.charts.kind import Kind, Table, described

MOST_RUNS: Final = 24
_LANE: Final = 20.0
_BY_ORDERS: Final = 50.0
"""Ratio of the largest to the smallest from which on the scale goes by orders of magnitude."""


@dataclass(frozen=True, kw_only=True)
class Box:
    """A distribution: its 5th, 25th, 50th, 75th and 95th percentile, and of how many rollouts."""

    low: float
    quarter: float
    median: float
    three_quarters: float
    high: float
    count: int

    @classmethod
    def of(cls, values: Iterable[float | None]) -> "Box | None":
        """The box of some values, those that are not known left out; None without any."""
        ordered = sorted(all_known(values))
        if not ordered:
            return None
        low, quarter, median, upper, high = (_quantile(ordered, share) for share in (0.05, 0.25, 0.5, 0.75, 0.95))
        return cls(low=low, quarter=quarter, median=median, three_quarters=upper, high=high, count=len(ordered))

    @property
    def rollouts(self) -> str:
        """Of how many rollouts it is, as text."""
        return numbers.amount(known(self.count))

    @property
    def places(self) -> list[float] | None:
        """The five percentiles in order; None where one cannot be drawn."""
        found = all_known((self.low, self.quarter, self.median, self.three_quarters, self.high))
        return sorted(found) if len(found) == 5 else None


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Between the two nearest values, by how near each is."""
    at = share * (len(ordered) - 1)
    before = int(at)
    after = min(before + 1, len(ordered) - 1)
    return ordered[before] + (at - before) * (ordered[after] - ordered[before])


@dataclass(frozen=True, kw_only=True)
class RunSpent:
    """What one run spends on rollouts that pass and on those that fail."""

    run: str
    passed: Box | None
    failed: Box | None


@dataclass(frozen=True, kw_only=True)
class Spent:
    """One thing that is spent, run by run."""

    title: str
    description: str
    what: str
    """`output tokens`, `seconds`: the name of the axis."""
    runs: tuple[RunSpent, ...]


def svg(chart: Spent, *, prefix: str, wide: bool = True) -> str:
    """Two boxes for each run, above each other."""
    sheet, shown = Sheet(prefix, wide=wide), chart.runs[:MOST_RUNS]
    rows = Rows(sheet, values=150 if wide else 0, bar=2 * _LANE)
    top = legend(sheet, _legend(sheet), left=4, top=4) + 6
    starts = list(accumulate((rows.height(_name(run)) for run in shown), initial=top))
    scale = _scale(shown, rows)
    name = clean(chart.what, 60) + (" (each line ten times the one before)" if isinstance(scale, LogScale) else "")
    end = axis.below(sheet, scale, numbers.amount, top=top, bottom=starts[-1], name=name)
    for run, y in zip(shown, starts, strict=False):
        first = rows.draw(y, _name(run)) - _LANE
        _box(sheet, scale, run.passed, first, passed=True)
        _box(sheet, scale, run.failed, first + _LANE, passed=False)
    end = left_out(sheet, end, {"run": len(chart.runs) - MOST_RUNS})
    return sheet.svg(chart.title, described(chart, text(chart)), end)


def _name(run: RunSpent) -> str:
    return clean(run.run) or "unnamed"


def _scale(runs: Sequence[RunSpent], rows: Rows) -> Scale | LogScale:
    found = [place for run in runs for box in (run.passed, run.failed) if box for place in box.places or ()]
    right = rows.right - (0 if rows.sheet.wide else 60)
    if found and min(found) > 0 and max(found) / min(found) > _BY_ORDERS:
        return logarithmic(found, rows.left, right)
    scale = linear([0.0, *found], rows.left, right, least=1e-3)
    return scale if min(found, default=0) < 0 else scale._replace(low=0.0)


def _legend(sheet: Sheet) -> list[Entry]:
    return [
        Entry("passed", sheet.inks.fill("good"), stroke=colour("good")),
        Entry("failed", sheet.inks.fill("bad"), stroke=colour("bad")),
        Entry("median", INK, marker="bar"),
    ]


def _box(sheet: Sheet, scale: Scale | LogScale, box: Box | None, y: float, *, passed: bool) -> None:
    places, middle, word = box.places if box else None, y + _LANE / 2, "good" if passed else "bad"
    if box is None or places is None:
        told = "no pass" if passed else "no failure"
        sheet.add(words(scale.start + 4, middle + 4, told, size=SMALL, fill=MUTED, halo=PAPER))
        return
    low, quarter, median, upper, high = map(scale.at, places)
    block = rect(quarter, y + 4, max(1.5, upper - quarter), _LANE - 8, sheet.inks.fill(word), stroke=colour(word))
    shown = f"{numbers.amount(places[2])} · n = {box.rollouts}" if sheet.wide else numbers.amount(places[2])
    sheet.add(
        whisker(low, high, middle, reach=3, stroke=colour(word)),
        element("g", tip(_told(box)), block),
        marker("bar", median, middle, r=7),
        words(sheet.width - 4, middle + 4, shown, size=SMALL, anchor="end", halo=PAPER),
    )


def _told(box: Box | None) -> str:
    """A box in words; amounts of whatever size are bounded by what can be drawn."""
    places = box.places if box else None
    if box is None or places is None:
        return "none"
    low, quarter, median, upper, high = map(numbers.amount, places)
    return (
        f"median {median}, half between {quarter} and {upper}, nine of ten between {low} and {high}, n = {box.rollouts}"
    )


def table(chart: Spent) -> Table:
    """The percentiles of every box."""
    header = ["run", "outcome", "rollouts", "5 %", "25 %", "median", "75 %", "95 %"]
    rows = []
    for run in chart.runs:
        for outcome, box in (("passed", run.passed), ("failed", run.failed)):
            places = box.places if box else None
            count = box.rollouts if box else "0"
            rows.append([_name(run), outcome, count, *(map(numbers.amount, places) if places else [""] * 5)])
    return header, rows


def text(chart: Spent) -> str:
    """The medians of passes and failures of the first runs."""
    what = clean(chart.what, 60)
    said = [f"{clean(run.run, 60) or 'unnamed'}: {what}, {_medians(run)}." for run in chart.runs[:MOST_RUNS]]
    return " ".join(said[:6]) or f"Nobody says what was spent: {what}."


def _medians(run: RunSpent) -> str:
    told = [
        f"median of {outcome} rollouts {numbers.amount(known(box.median))}"
        for outcome, box in (("passed", run.passed), ("failed", run.failed))
        if box
    ]
    return " and ".join(told) or "not known"


KIND: Final = Kind("spent", Spent, svg, table, text)
