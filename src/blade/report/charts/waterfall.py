"""Waterfall: from the baseline's rate to the candidate's, one step for each term of the difference."""

from dataclasses import dataclass
from html import escape
from typing import Final

from blade import numbers
from blade.report.charts.drawing import axis
from blade.report.charts.drawing.ink import INK, MUTED, PAPER, cause_word, colour
from blade.report.charts.drawing.legend import Entry, legend
from blade.report.charts.drawing.lettering import clean, wrapped
from blade.report.charts.drawing.scale import Scale, all_known, known, linear
from blade.report.charts.drawing.shapes import element, line, lines_of, marker, rect, whisker, words
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
    scale = _scale(sheet, rates, steps, chart)
    rows = _Rows(sheet, scale)
    top = legend(sheet, _legend(sheet, steps), left=4, top=4)
    y = top + (8 if top > 4 else 0)
    heights = [rows.height(clean(chart.baseline) or "baseline"), *(rows.height(step.label) for step in steps)]
    bottom = y + sum(heights) + rows.height(clean(chart.candidate) or "candidate")
    end = axis.below(sheet, scale, lambda tick: f"{tick:g} %".replace("-", "−"), top=y, bottom=bottom, name="pass@1")
    rows.total(y, clean(chart.baseline) or "baseline", rates[0], "circle")
    for step, before in zip(steps, _running(y, heights), strict=False):
        rows.step(before, step)
    rows.total(y + sum(heights), clean(chart.candidate) or "candidate", rates[1], "diamond", delta=(rates[0], chart.delta))
    return sheet.svg(chart.title, described(chart, text(chart)), end)


def _running(y: float, heights: list[float]) -> list[float]:
    """Where each step begins, the baseline's row being the first."""
    return [y + sum(heights[: nth + 1]) for nth in range(len(heights))]


def _scale(sheet: Sheet, rates: list[float], steps: list[_Step], chart: Waterfall) -> Scale:
    places = [*rates, *(step.end for step in steps), *(end for step in steps for end in step.interval or ())]
    places += [rates[0] + end for end in (chart.delta.ends if chart.delta else None) or ()]
    left, right = (318.0, sheet.width - 168) if sheet.wide else (12.0, sheet.width - 12)
    return linear(all_known(places), left, right, least=1.0)


def _legend(sheet: Sheet, steps: list[_Step]) -> list[Entry]:
    causes = dict.fromkeys(cause_word(step.term.cause) for step in steps if not step.folded)
    entries = [Entry(_NAMES[word], sheet.inks.fill(word), stroke=colour(word)) for word in causes]
    if any(step.term.within_noise and not step.folded for step in steps):
        entries.append(Entry("within noise", PAPER, stroke=INK, dashes="3 2"))
    return entries


_NAMES: Final = {
    "kg": "KG: knowledge gap",
    "uk": "UK: unreliable knowledge",
    "bi": "BI: behaviour",
    "ti": "TI: task or verifier",
    "ir": "IR: infrastructure",
    "da": "DA: data artifact",
    "unknown": "cause unknown",
}


class _Rows:
    """The rows of the picture: labels beside the bars where there is room, above them where there is not."""

    _BAR: Final = 16.0

    def __init__(self, sheet: Sheet, scale: Scale) -> None:
        self.sheet, self.scale = sheet, scale

    def lines(self, label: str, *, bold: bool = False) -> list[str]:
        if self.sheet.wide:
            return wrapped(label, 290, bold=bold)
        return wrapped(label, self.sheet.width - 70, bold=bold)

    def height(self, label: str) -> float:
        lines = len(self.lines(label, bold=True))
        return max(34.0, 16.0 * lines + 12) if self.sheet.wide else 16.0 * lines + self._BAR + 20

    def total(
        self, y: float, label: str, rate: float, shape: str, *, delta: tuple[float, Estimate | None] = (0, None)
    ) -> None:
        """The row of a run: a marker at its rate; for the candidate the interval of the difference too."""
        start, change = delta
        middle = self._label(y, label, numbers.percent(rate / 100), bold=True)
        ends = change.ends if change else None
        if ends:
            self.sheet.add(whisker(self.scale.at(start + ends[0]), self.scale.at(start + ends[1]), middle, stroke=MUTED))
        self.sheet.add(marker(shape, self.scale.at(rate), middle, r=6))

    def step(self, y: float, step: _Step) -> None:
        term = step.term
        value = numbers.points(term.points) if not self.sheet.wide else as_points(term.estimate)
        middle = self._label(y, step.label, value)
        x1, x2 = sorted((self.scale.at(step.start), self.scale.at(step.end)))
        self.sheet.add(self._link(step, middle, y), self._bar(step, x1, x2, middle))
        if step.interval:
            low, high = map(self.scale.at, step.interval)
            self.sheet.add(whisker(low, high, middle))

    def _label(self, y: float, label: str, value: str, *, bold: bool = False) -> float:
        """Label and value of a row; returns the middle of its bar."""
        lines, sheet = self.lines(label, bold=bold), self.sheet
        if sheet.wide:
            middle = y + self.height(label) / 2
            sheet.add(
                lines_of(4, middle + 4.5 - 8 * (len(lines) - 1), lines, bold=bold),
                words(sheet.width - 4, middle + 4.5, value, anchor="end", bold=bold),
            )
            return middle
        sheet.add(lines_of(4, y + 14, lines, bold=bold), words(sheet.width - 4, y + 14, value, anchor="end", bold=bold))
        return y + 16 * len(lines) + 6 + self._BAR / 2

    def _bar(self, step: _Step, x1: float, x2: float, middle: float) -> str:
        """Filled where it is beyond noise, hollow where it is not."""
        word = cause_word(step.term.cause)
        hollow = step.term.within_noise
        stroke = MUTED if step.folded else colour(word)
        return element(
            "g",
            element("title", _tip(step)),
            rect(
                x1,
                middle - self._BAR / 2,
                max(1.5, x2 - x1),
                self._BAR,
                PAPER if hollow else self.sheet.inks.fill(word),
                stroke=stroke,
                stroke_width=1.25,
                stroke_dasharray="3 2" if hollow else None,
            ),
        )

    def _link(self, step: _Step, middle: float, y: float) -> str:
        """A thin line from where the row above ended."""
        x = self.scale.at(step.start)
        return line(x, y - 6 if self.sheet.wide else y - 4, x, middle - self._BAR / 2, MUTED, stroke_dasharray="2 2")


def _tip(step: _Step) -> str:
    return escape(f"{step.label}: {as_points(step.term.estimate)} points")


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
