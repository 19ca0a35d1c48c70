"""Waterfall: from the baseline's rate to the candidate's, one step for each term of the difference."""

from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from blade import numbers
from blade.report.charts.drawing import axis
from blade.report.charts.drawing.ink import CAUSES, INK, MUTED, NAMES, PAPER, cause_word, colour
from blade.report.charts.drawing.legend import Entry, legend
from blade.report.charts.drawing.lettering import clean
from blade.report.charts.drawing.rows import Rows
from blade.report.charts.drawing.scale import Scale, known, linear
from blade.report.charts.drawing.shapes import element, line, marker, rect, tip, whisker
from blade.report.charts.drawing.sheet import Sheet
from blade.report.charts.estimate import Estimate, as_points
from blade.report.charts.kind import Kind, Table, described

MOST_TERMS: Final = 8
"""Terms that are drawn; the others are summed up as one."""

_SMALLEST: Final = 0.05
"""Points that show as 0.0; smaller terms have no step of their own."""


@dataclass(frozen=True, kw_only=True)
class Term:
    """What one thing adds to the difference, in points."""

    label: str
    points: float
    low: float | None = None
    high: float | None = None
    within_noise: bool = False
    cause: str = "unknown"
    """A word of `vocabulary.CAUSES`."""

    @property
    def estimate(self) -> Estimate:
        return Estimate(self.points, self.low, self.high)


@dataclass(frozen=True, kw_only=True)
class Waterfall:
    """A difference, and what it is made of: the terms sum to it."""

    title: str
    description: str
    baseline: str
    candidate: str
    rates: tuple[float, float]
    """Shares that pass, of the baseline and of the candidate."""
    terms: tuple[Term, ...]
    delta: Estimate | None = None
    """The difference in points with its interval."""

    @property
    def change(self) -> float:
        """The difference in points."""
        told = known(self.delta.value) if self.delta else None
        return told if told is not None else 100 * (_share(self.rates[1]) - _share(self.rates[0]))


@dataclass(frozen=True)
class _Step:
    """A term where it stands: from one rate to the next, in points."""

    label: str
    term: Term
    start: float
    folded: bool = False

    @property
    def end(self) -> float:
        return self.start + self.term.points

    @property
    def interval(self) -> tuple[float, float] | None:
        ends = self.term.estimate.ends
        return (self.start + ends[0], self.start + ends[1]) if ends else None


def _share(value: float) -> float:
    return min(1.0, max(0.0, known(value) or 0.0))


def ordered(chart: Waterfall) -> list[Term]:
    """First what goes the way of the whole, the largest first, then what stands against it."""
    falls = chart.change < 0
    drawn = [term for term in chart.terms if known(term.points) is not None]
    return sorted(drawn, key=lambda term: ((term.points < 0) != falls, -abs(term.points), clean(term.label)))


def _folded(chart: Waterfall) -> list[tuple[str, Term, bool]]:
    """The terms that are drawn, and one for all others; what no term accounts for is told as such."""
    terms = ordered(chart)
    by_size = sorted(terms, key=lambda term: -abs(term.points))
    large = [term for term in by_size if abs(term.points) >= _SMALLEST]
    few = large[: MOST_TERMS if len(terms) <= MOST_TERMS else MOST_TERMS - 1]
    kept = [term for term in terms if any(term is one for one in few)]
    rest = [term for term in terms if not any(term is one for one in few)]
    drawn = [(clean(term.label) or "unnamed", term, False) for term in kept]
    if rest:
        name = numbers.counted(len(rest), "smaller term")
        drawn.append((name, Term(label=name, points=sum(term.points for term in rest), within_noise=True), True))
    gap = chart.change - sum(term.points for _, term, _ in drawn)
    if abs(gap) >= _SMALLEST:
        drawn.append(("in no term", Term(label="", points=gap, within_noise=True), True))
    return drawn


def _steps(chart: Waterfall) -> list[_Step]:
    steps: list[_Step] = []
    at = 100 * _share(chart.rates[0])
    for label, term, folded in _folded(chart):
        steps.append(_Step(label, term, at, folded))
        at += term.points
    return steps


def svg(chart: Waterfall, *, prefix: str, wide: bool = True) -> str:
    """The picture; rows from top to bottom, so that labels have room."""
    sheet, steps = Sheet(prefix, wide=wide), _steps(chart)
    rates = [100 * _share(rate) for rate in chart.rates]
    names = [clean(chart.baseline) or "baseline", clean(chart.candidate) or "candidate"]
    rows = Rows(sheet, tagged=True)
    top = legend(sheet, _legend(sheet, steps), left=4, top=4) + 8
    ends = list(
        accumulate(
            [rows.height(names[0], _percent(rates[0]), bold=True), *(_height(rows, step) for step in steps)],
            initial=top,
        )
    )
    bottom = ends[-1] + rows.height(names[1], _percent(rates[1]), bold=True)
    scale = _scale(rows, rates, steps, chart)
    end = axis.below(sheet, scale, lambda tick: f"{tick:g} %", top=top, bottom=bottom, name="pass@1")
    _total(rows, scale, top, names[0], rates[0], "circle")
    for step, y in zip(steps, ends[1:], strict=False):
        _step(rows, scale, y, step)
    middle = _total(rows, scale, ends[-1], names[1], rates[1], "diamond")
    if chart.delta and chart.delta.ends:
        low, high = (scale.at(rates[0] + place) for place in chart.delta.ends)
        sheet.add(whisker(low, high, middle), marker("diamond", scale.at(rates[1]), middle, r=6))
    return sheet.svg(chart.title, described(chart, text(chart)), end)


def _percent(rate: float) -> str:
    return numbers.percent(rate / 100)


def _scale(rows: Rows, rates: list[float], steps: list[_Step], chart: Waterfall) -> Scale:
    places = [*rates, *(step.end for step in steps), *(end for step in steps for end in step.interval or ())]
    places += [rates[0] + end for end in (chart.delta.ends if chart.delta else None) or ()]
    return linear(places, rows.left, rows.right, least=1.0)


def _legend(sheet: Sheet, steps: list[_Step]) -> list[Entry]:
    found = {cause_word(step.term.cause) for step in steps if not step.folded}
    entries = [Entry(NAMES[word], sheet.inks.fill(word), stroke=colour(word)) for word in CAUSES if word in found]
    if any(step.term.within_noise for step in steps):
        entries.append(Entry("hollow: within noise", PAPER, stroke=INK, dashes="3 2"))
    return entries


def _total(rows: Rows, scale: Scale, y: float, name: str, rate: float, shape: str) -> float:
    """The row of a run, with a marker at its rate; returns the middle of its bar."""
    middle = rows.draw(y, name, _percent(rate), bold=True)
    rows.sheet.add(marker(shape, scale.at(rate), middle, r=6))
    return middle


def _told(rows: Rows, step: _Step) -> str:
    """The value of a step; where there is little room, without its interval."""
    return as_points(step.term.estimate) if rows.sheet.wide else numbers.points(step.term.points)


def _tag(step: _Step) -> str:
    word = cause_word(step.term.cause)
    return "" if step.folded or word == "unknown" else word.upper()


def _height(rows: Rows, step: _Step) -> float:
    return rows.height(step.label, _told(rows, step))


def _step(rows: Rows, scale: Scale, y: float, step: _Step) -> None:
    """A bar from where the row above ended, filled where it is beyond noise, hollow where it is not."""
    start = scale.at(step.start)
    middle = rows.draw(y, step.label, _told(rows, step), tag=_tag(step))
    above = y - 4 if rows.sheet.wide else middle - rows.bar / 2 - 5
    rows.sheet.add(line(start, above, start, middle, MUTED, stroke_dasharray="2 2"))
    x1, x2 = sorted((start, scale.at(step.end)))
    word, hollow = cause_word(step.term.cause), step.term.within_noise
    bar = rect(
        x1,
        middle - rows.bar / 2,
        max(1.5, x2 - x1),
        rows.bar,
        PAPER if hollow else rows.sheet.inks.fill(word),
        stroke=MUTED if step.folded else colour(word),
        stroke_width=1.25,
        stroke_dasharray="3 2" if hollow else None,
    )
    rows.sheet.add(element("g", tip(f"{step.label}: {as_points(step.term.estimate)} points"), bar))
    if step.interval:
        low, high = map(scale.at, step.interval)
        rows.sheet.add(whisker(low, high, middle))


def table(chart: Waterfall) -> Table:
    """All terms, those that the picture sums up too."""
    rows = [
        [
            clean(term.label) or "unnamed",
            clean(term.cause, 20),
            numbers.points(known(term.points)),
            numbers.point_range(*(term.estimate.ends or (None, None))),
            "yes" if term.within_noise else "no",
        ]
        for term in ordered(chart)
    ]
    return ["term", "cause", "points", "interval", "within noise"], rows


def text(chart: Waterfall) -> str:
    """From where to where, and the largest term beyond noise."""
    ends = [numbers.percent(_share(rate)) for rate in chart.rates]
    said = (
        f"pass@1 goes from {ends[0]} ({clean(chart.baseline, 60)}) to {ends[1]} ({clean(chart.candidate, 60)}),"
        f" {as_points(chart.delta or Estimate(chart.change))} points"
    )
    told = [term for term in chart.terms if not term.within_noise and known(term.points) is not None]
    if not told:
        return f"{said}; no term of it is beyond noise."
    largest = max(told, key=lambda term: abs(term.points))
    many = f"; {len(told)} of {len(chart.terms)} terms are beyond noise" if len(told) > 1 else ""
    return f"{said}; the largest term is “{clean(largest.label, 80)}” ({numbers.points(largest.points)}){many}."


KIND: Final = Kind("waterfall", Waterfall, svg, table, text)
