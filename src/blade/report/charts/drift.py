"""Drift: the score over a series of runs, and below it what fails in each: which modes appeared, grew, went away."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from blade import numbers
from blade.report.charts.drawing import axis
from blade.report.charts.drawing.ink import ACCENT, INK, LINE, MUTED, PAPER, cause_word, colour
from blade.report.charts.drawing.legend import left_out
from blade.report.charts.drawing.lettering import SMALL, clean, fitted, wrapped
from blade.report.charts.drawing.scale import Scale, all_known, known, linear
from blade.report.charts.drawing.shapes import (
    band,
    element,
    line,
    lines_of,
    marker,
    path,
    polyline,
    tip,
    upright,
    words,
)
from blade.report.charts.drawing.sheet import Sheet
from blade.report.charts.estimate import Estimate, as_share
from blade.report.charts.kind import Kind, Table, described

MOST_MODES: Final = 8
MOST_RUNS: Final = 400
_MOST_MARKED: Final = 24
"""Runs from which on the lines have no markers."""

_PANEL: Final = 130.0
_STRIP: Final = 46.0


@dataclass(frozen=True, kw_only=True)
class ModeSeries:
    """One failure mode over the runs."""

    label: str
    shares: tuple[float | None, ...]
    """Share of all rollouts of each run that fail this way; None where a run does not tell."""
    cause: str = "unknown"
    """A word of `vocabulary.CAUSES`."""

    def share(self, run: int) -> float | None:
        """The share in a run, between 0 and 1."""
        value = known(self.shares[run]) if run < len(self.shares) else None
        return None if value is None else min(1.0, max(0.0, value))

    @property
    def peak(self) -> float:
        return max((self.share(run) or 0.0 for run in range(len(self.shares))), default=0.0)


@dataclass(frozen=True, kw_only=True)
class Drift:
    """Runs in the order in which they were made."""

    title: str
    description: str
    runs: tuple[str, ...]
    scores: tuple[Estimate, ...]
    """pass@1 of each run."""
    modes: tuple[ModeSeries, ...]

    def movement(self, mode: ModeSeries) -> str:
        """`appeared`, `vanished`, or nothing: against the first run that tells."""
        shares = [share for run in range(len(self.runs)) if (share := mode.share(run)) is not None]
        if len(shares) < 2 or (shares[0] > 0) == (shares[-1] > 0):
            return ""
        return "appeared" if shares[-1] > 0 else "vanished"


def ordered(chart: Drift) -> list[ModeSeries]:
    """The modes, the one with the highest share in any run first."""
    return sorted(chart.modes, key=lambda mode: (-mode.peak, clean(mode.label)))


def svg(chart: Drift, *, prefix: str, wide: bool = True) -> str:
    """The score on top; below it a strip for each mode, all strips on one scale."""
    sheet, runs = Sheet(prefix, wide=wide), min(len(chart.runs), MOST_RUNS)
    left, right = (318.0, sheet.width - 74) if wide else (66.0, sheet.width - 60)
    along = Scale(0, max(1, runs - 1), left, right)
    places = [along.at(run) for run in range(runs)] if runs > 1 else [(left + right) / 2] * runs
    y = _score(sheet, chart, places, left=left, right=right)
    modes = ordered(chart)[:MOST_MODES]
    most = max((mode.peak for mode in modes), default=0) or 1.0
    if modes:
        y = _between(sheet, y, most)
    for mode in modes:
        y = _strip(sheet, chart, mode, places, y, most)
    if places:
        axis.series_below(sheet, places, axis.told_apart(chart.runs[:runs]), y=y + 18)
    end = left_out(sheet, y + 28, {"mode": len(chart.modes) - len(modes)})
    return sheet.svg(chart.title, described(chart, text(chart)), end)


def _score(sheet: Sheet, chart: Drift, places: Sequence[float], *, left: float, right: float) -> float:
    """The line of pass@1 with its intervals; returns where the panel ends."""
    top = 12.0 if sheet.wide else 32.0
    found = [number for one in chart.scores[: len(places)] for number in one.numbers if 0 <= number <= 1]
    fit = linear(found, top + _PANEL, top, least=0.1)
    up = fit._replace(low=max(0.0, fit.low), high=min(1.0, fit.high))
    sheet.add(words(4, top + 4.5 if sheet.wide else 16, "pass@1", bold=True))
    axis.beside(sheet, up, axis.percent, left=left - 8, right=right + 8, most=5)
    points = [(x, one.drawn) for x, one in zip(places, chart.scores, strict=False) if one.drawn.value is not None]
    marked = len(points) <= _MOST_MARKED
    held = [(x, up.at(one.ends[0]), up.at(one.ends[1])) for x, one in points if one.ends]
    if marked:
        sheet.add(*(upright(x, low, high, reach=3, stroke=MUTED) for x, low, high in held))
    else:
        sheet.add(band(held, ACCENT))
    heights = [(x, up.at(one.value or 0.0)) for x, one in points]
    sheet.add(path(polyline(heights), stroke=ACCENT, stroke_width=2))
    if marked:
        for (x, y), (_, one) in zip(heights, points, strict=True):
            sheet.add(element("g", tip(as_share(one)), marker("circle", x, y, fill=ACCENT, r=4.5)))
    if heights:
        shown = numbers.percent(points[-1][1].value)
        sheet.add(
            words(sheet.width - 4, min(heights[-1][1] + 4, top + _PANEL), shown, size=SMALL, anchor="end", bold=True)
        )
    return top + _PANEL + 18


def _between(sheet: Sheet, y: float, most: float) -> float:
    """What the strips show, said above them; returns where they begin."""
    told = f"below, the share of rollouts that fail for each reason; every strip from 0 to {numbers.percent(most)}"
    lines = wrapped(told, sheet.width - 8, SMALL)
    for nth, each in enumerate(lines):
        sheet.add(words(4, y + 12 + 15 * nth, each, size=SMALL, fill=MUTED))
    return y + 15 * len(lines) + 8


def _strip(sheet: Sheet, chart: Drift, mode: ModeSeries, places: Sequence[float], y: float, most: float) -> float:
    """One mode: an area as high as its share; returns where the strip ends."""
    y = _label(sheet, chart, mode, y)
    up = Scale(0, most, y + _STRIP - 6, y + 4)
    tint = colour(cause_word(mode.cause))
    ends = (places[0] - 8, places[-1] + 8) if places else (0.0, 0.0)
    sheet.add(line(ends[0], up.start, ends[1], up.start, LINE))
    stretches = _stretches(mode, places)
    marked = sum(map(len, stretches)) <= _MOST_MARKED
    for stretch in stretches:
        top = [(x, up.at(share)) for x, share in stretch]
        area = path(polyline([(top[0][0], up.start), *top, (top[-1][0], up.start)]) + "Z", fill=tint, fill_opacity=0.25)
        sheet.add(element("g", tip(clean(mode.label)), area), path(polyline(top), stroke=tint, stroke_width=1.75))
        for x, share in stretch if marked or len(stretch) == 1 else ():
            sheet.add(marker("circle", x, up.at(share), fill=tint if share else PAPER, r=3.5, stroke=tint))
    if stretches:
        shown = numbers.percent(stretches[-1][-1][1])
        sheet.add(words(sheet.width - 4, up.start, shown, size=SMALL, anchor="end", halo=PAPER))
    return y + _STRIP


def _stretches(mode: ModeSeries, places: Sequence[float]) -> list[list[tuple[float, float]]]:
    """The runs of neighbours that all tell, each with its place and share."""
    found: list[list[tuple[float, float]]] = [[]]
    for run, x in enumerate(places):
        share = mode.share(run)
        if share is not None:
            found[-1].append((x, share))
        elif found[-1]:
            found.append([])
    return [stretch for stretch in found if stretch]


def _label(sheet: Sheet, chart: Drift, mode: ModeSeries, y: float) -> float:
    """The name of a mode with its cause and what became of it, left of the strip or above it; returns its top."""
    word, moved = cause_word(mode.cause), chart.movement(mode)
    tag = "" if word == "unknown" else word.upper()
    note = moved and ("▲ appeared" if moved == "appeared" else "▼ vanished")
    label, left = clean(mode.label) or "unnamed", 30.0 if tag else 4.0
    if tag:
        sheet.add(words(4, y + 16, tag, size=SMALL, fill=MUTED))
    if sheet.wide:
        room = 300 - left
        lines = wrapped(label, room, most_lines=1 if note else 2)
        sheet.add(
            lines_of(left, y + 16, lines), words(left, y + 33, note, size=SMALL, fill=INK, bold=True) if note else ""
        )
        return y
    sheet.add(words(left, y + 16, fitted(label, sheet.width - left - 4 - (96 if note else 0))))
    if note:
        sheet.add(words(sheet.width - 4, y + 16, note, size=SMALL, anchor="end", bold=True))
    return y + 20


def table(chart: Drift) -> Table:
    """The score and every mode in every run."""
    header = ["run", "pass@1", *(clean(mode.label, 80) or "unnamed" for mode in ordered(chart))]
    rows = [
        [
            clean(run, 60) or "unnamed",
            as_share(chart.scores[nth]) if nth < len(chart.scores) else "unknown",
            *(numbers.percent(mode.share(nth)) for mode in ordered(chart)),
        ]
        for nth, run in enumerate(chart.runs)
    ]
    return header, rows


def text(chart: Drift) -> str:
    """The score of the first and of the last run, and which modes appeared or vanished."""
    if not chart.runs:
        return "No run is there."
    ends = all_known(one.value for one in chart.scores[:1] + chart.scores[1:][-1:])
    rates = " to ".join(map(numbers.percent, ends)) or "unknown"
    said = [f"pass@1 over {numbers.counted(len(chart.runs), 'run')}: {rates}."]
    for word in ("appeared", "vanished"):
        modes = [clean(mode.label, 60) or "unnamed" for mode in ordered(chart) if chart.movement(mode) == word]
        if modes:
            rest = f" and {len(modes) - 3:,} more" if len(modes) > 3 else ""
            said.append(f"{word.capitalize()}: {', '.join(modes[:3])}{rest}.")
    return " ".join(said)


KIND: Final = Kind("drift", Drift, svg, table, text)
