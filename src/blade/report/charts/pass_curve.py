"""Pass curve: pass@k and pass^k for every k, run by run: what trying again is worth, and how far one can rely on it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from blade import numbers
from blade.report.charts.drawing import axis
from blade.report.charts.drawing.ink import INK, MUTED, PAPER, SERIES, colour
from blade.report.charts.drawing.legend import Entry, legend
from blade.report.charts.drawing.lettering import SMALL, clean
from blade.report.charts.drawing.placing import spread
from blade.report.charts.drawing.scale import Scale, known, linear
from blade.report.charts.drawing.shapes import MARKERS, band, element, marker, path, polyline, tip, words
from blade.report.charts.drawing.sheet import Sheet
from blade.report.charts.estimate import Estimate, as_share
from blade.report.charts.kind import Kind, Table, described

MOST_RUNS: Final = 6
MOST_K: Final = 64
_MOST_MARKED: Final = 16
"""Points from which on a line has no markers."""


@dataclass(frozen=True, kw_only=True)
class Curve:
    """One run: estimates for k = 1, 2, …, in this order."""

    run: str
    at: tuple[Estimate, ...]
    """pass@k: one of k passes."""
    hat: tuple[Estimate, ...] = ()
    """pass^k: all of k pass."""


@dataclass(frozen=True, kw_only=True)
class PassCurve:
    """The curves of some runs."""

    title: str
    description: str
    curves: tuple[Curve, ...]

    @property
    def longest(self) -> int:
        """The largest k of any curve."""
        return max((len(line) for curve in self.curves for line in (curve.at, curve.hat)), default=0)


def svg(chart: PassCurve, *, prefix: str, wide: bool = True) -> str:
    """Solid lines for pass@k, dashed ones for pass^k, with bands for their intervals."""
    sheet, curves = Sheet(prefix, wide=wide), chart.curves[:MOST_RUNS]
    most = max(1, min(MOST_K, chart.longest))
    bottom_of_legend = legend(sheet, _legend(chart, curves), left=4, top=4) + 10
    top, bottom = bottom_of_legend, bottom_of_legend + (300.0 if wide else 230.0)
    found = [n for curve in curves for one in (*curve.at[:most], *curve.hat[:most]) for n in one.numbers if 0 <= n <= 1]
    fit = linear(found, bottom, top, least=0.1)
    up = fit._replace(low=max(0.0, fit.low), high=min(1.0, fit.high))
    right = sheet.width - 62
    along = Scale(1, max(2, most), 64.0 if wide else 62.0, right)
    axis.beside(sheet, up, axis.percent, left=along.start - 6, right=along.end)
    axis.series_below(sheet, [along.at(k) for k in _marks(most)], [f"k = {k}" for k in _marks(most)], y=bottom + 20)
    for nth, curve in enumerate(curves):
        sheet.add(*_line(curve.at[:most], along, up, nth, curve, "pass@"))
        sheet.add(*_line(curve.hat[:most], along, up, nth, curve, "pass^"))
    _ends(sheet, curves, along, up)
    return sheet.svg(chart.title, described(chart, text(chart)), bottom + 30)


def _marks(most: int) -> list[int]:
    """The values of k that the axis names."""
    step = max(1, -(-most // 8))
    return sorted({1, most, *range(step, most + 1, step)} if step > 1 else set(range(1, most + 1)))


def _legend(chart: PassCurve, curves: tuple[Curve, ...]) -> list[Entry]:
    runs = [
        Entry(clean(curve.run) or "unnamed", colour(SERIES[nth]), marker=MARKERS[nth])
        for nth, curve in enumerate(curves)
    ]
    more = len(chart.curves) - len(curves)
    left_out = [Entry(f"{numbers.counted(more, 'more run')} in the table", PAPER, stroke=PAPER)] if more > 0 else []
    lines = [Entry("pass@k: one of k passes", MUTED, line="solid"), Entry("pass^k: all k pass", MUTED, line="dashed")]
    return [*runs, *lines, *left_out]


def _points(line: tuple[Estimate, ...], along: Scale, up: Scale) -> list[tuple[float, float, Estimate, int]]:
    return [
        (along.at(k), up.at(one.value), one, k)
        for k, one in ((k, one.drawn) for k, one in enumerate(line, start=1))
        if one.value is not None
    ]


def _line(line: tuple[Estimate, ...], along: Scale, up: Scale, nth: int, curve: Curve, name: str) -> Iterator[str]:
    """Band, line and markers of one rate of one run."""
    points, tint, hat = _points(line, along, up), colour(SERIES[nth]), name == "pass^"
    held = [(x, up.at(one.ends[0]), up.at(one.ends[1])) for x, _, one, _ in points if one.ends]
    yield band(held, tint)
    if len(points) > 1:
        through = polyline([(x, y) for x, y, _, _ in points])
        yield path(through, stroke=tint, stroke_width=2, stroke_dasharray="5 4" if hat else None)
    if len(points) <= _MOST_MARKED:
        for x, y, one, k in points:
            told = tip(f"{clean(curve.run, 60)}: {name}{k} {as_share(one)}")
            shape = marker(MARKERS[nth], x, y, r=4.5, fill=PAPER if hat else tint, stroke=tint if hat else PAPER)
            yield element("g", told, shape)


def _ends(sheet: Sheet, curves: tuple[Curve, ...], along: Scale, up: Scale) -> None:
    """The last rate of every line at its end, moved apart where they would lie on each other."""
    lines = [_points(line[:MOST_K], along, up) for curve in curves for line in (curve.at, curve.hat)]
    lasts = list(dict.fromkeys((points[-1][1], numbers.percent(points[-1][2].value)) for points in lines if points))
    heights = spread([y + 4 for y, _ in lasts], 15, up.end + 4, up.start + 4)
    for (_, label), y in zip(lasts, heights, strict=True):
        sheet.add(words(sheet.width - 4, y, label, size=SMALL, anchor="end", fill=INK, halo=PAPER))


def table(chart: PassCurve) -> Table:
    """Every k of every run."""
    names = [clean(curve.run, 60) or "unnamed" for curve in chart.curves]
    header = ["k", *(head for name in names for head in (f"{name}: pass@k", f"{name}: pass^k"))]
    rows = [
        [f"{k}", *(_cell(line, k) for curve in chart.curves for line in (curve.at, curve.hat))]
        for k in range(1, chart.longest + 1)
    ]
    return header, rows


def _cell(line: tuple[Estimate, ...], k: int) -> str:
    return as_share(line[k - 1]) if k <= len(line) else ""


def text(chart: PassCurve) -> str:
    """From pass@1 to pass@K of each run, and what of it all repeats pass."""
    return " ".join(_sentence(curve) for curve in chart.curves[:MOST_RUNS]) or "No run has rates."


def _sentence(curve: Curve) -> str:
    name, k = clean(curve.run, 60) or "unnamed", len(curve.at)
    if not k or known(curve.at[0].value) is None:
        return f"{name}: pass@1 is not known."
    said = f"{name}: pass@1 {numbers.percent(known(curve.at[0].value))}"
    if k > 1:
        said += f", pass@{k} {numbers.percent(known(curve.at[-1].value))}"
    if len(curve.hat) > 1:
        said += f", pass^{len(curve.hat)} {numbers.percent(known(curve.hat[-1].value))}"
    return f"{said}."


KIND: Final = Kind("pass curve", PassCurve, svg, table, text)
