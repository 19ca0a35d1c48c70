"""Funnel: how many rollouts come as far as each stage, and where most are lost."""

from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from blade import numbers
from blade.report.charts.drawing import axis
from blade.report.charts.drawing.ink import BAD, MUTED, PAPER, SERIES, colour
from blade.report.charts.drawing.legend import Entry, left_out, legend
from blade.report.charts.drawing.lettering import SMALL, clean, width
from blade.report.charts.drawing.rows import Rows
from blade.report.charts.drawing.scale import Scale, known
from blade.report.charts.drawing.shapes import MARKERS, element, marker, rect, tip, words
from blade.report.charts.drawing.sheet import Sheet
from blade.report.charts.kind import Kind, Table, described

MOST_STAGES: Final = 14
MOST_RUNS: Final = 5
_LANE: Final = 18.0


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A stage, and how many rollouts of each run reach it."""

    label: str
    reached: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Funnel:
    """Stages in the order in which rollouts come to them."""

    title: str
    description: str
    runs: tuple[str, ...]
    totals: tuple[int, ...]
    """Rollouts of each run that are there or owed: what the shares are of."""
    stages: tuple[Stage, ...]

    def reached(self, stage: int, run: int) -> int | None:
        """How many rollouts of a run reach a stage; None where nobody knows."""
        counts = self.stages[stage].reached
        count = known(counts[run]) if run < len(counts) else None
        return None if count is None else int(max(0.0, count))

    def share(self, stage: int, run: int) -> float | None:
        """The same as a share of the run's rollouts; before the first stage it is 1."""
        if stage < 0:
            return 1.0
        count, total = self.reached(stage, run), known(self.totals[run]) if run < len(self.totals) else None
        return None if count is None or not total or total < 0 else min(1.0, count / total)

    def lost(self, stage: int, run: int) -> float | None:
        """What is lost on the way to a stage, as a share of the run's rollouts."""
        before, now = self.share(stage - 1, run), self.share(stage, run)
        return None if before is None or now is None else before - now

    def largest_drop(self, run: int) -> int | None:
        """The stage on the way to which a run loses most; None where it loses nothing."""
        lost = [(self.lost(stage, run) or 0.0, -stage) for stage in range(len(self.stages))]
        most, stage = max(lost, default=(0.0, 0))
        return -stage if most > 0 else None


def svg(chart: Funnel, *, prefix: str, wide: bool = True) -> str:
    """A lane for each run at each stage; what was lost on the way there is hollow."""
    sheet, runs = Sheet(prefix, wide=wide), range(min(len(chart.runs), MOST_RUNS))
    stages = range(min(len(chart.stages), MOST_STAGES))
    rows = Rows(sheet, values=130 if wide else 0, bar=_LANE * max(1, len(runs)))
    top = legend(sheet, _legend(chart, runs), left=4, top=4) + 6
    labels = [clean(chart.stages[stage].label) or "unnamed" for stage in stages]
    starts = list(accumulate((rows.height(label) for label in labels), initial=top))
    scale = Scale(0, 1, rows.left, rows.right - (0 if wide else 64))
    end = axis.below(sheet, scale, axis.percent, top=top, bottom=starts[-1], name="of the rollouts of the run")
    for stage, label, y in zip(stages, labels, starts, strict=False):
        first = rows.draw(y, label) - rows.bar / 2
        for run in runs:
            _lane(sheet, scale, chart, (stage, run), first + run * _LANE)
    more = {"run": len(chart.runs) - MOST_RUNS, "stage": len(chart.stages) - MOST_STAGES}
    end = left_out(sheet, end, more)
    return sheet.svg(chart.title, described(chart, text(chart)), end)


def _legend(chart: Funnel, runs: range) -> list[Entry]:
    told = [Entry(clean(chart.runs[run]) or "unnamed", colour(SERIES[run]), marker=MARKERS[run]) for run in runs]
    marked = any(chart.largest_drop(run) is not None for run in runs)
    return [*told, *([Entry("largest loss of a run", PAPER, stroke=BAD, dashes="3 2")] if marked else [])]


def _lane(sheet: Sheet, scale: Scale, chart: Funnel, at: tuple[int, int], y: float) -> None:
    """One run at one stage."""
    (stage, run), middle = at, y + _LANE / 2
    share, count = chart.share(stage, run), chart.reached(stage, run)
    if share is None or count is None:
        sheet.add(words(scale.start + 6, middle + 4, "unknown", size=SMALL, fill=MUTED, halo=PAPER))
        return
    x, tint, rate = scale.at(share), colour(SERIES[run]), numbers.percent(share)
    bar = rect(scale.start, y + 2, x - scale.start, _LANE - 4, tint)
    shown = f"{rate} · {count:,}" if sheet.wide else rate
    sheet.add(
        element("g", tip(f"{clean(chart.runs[run], 60)}: {count:,} rollouts, {rate}"), bar),
        words(sheet.width - 4, middle + 4, shown, size=SMALL, anchor="end", halo=PAPER),
    )
    before = chart.share(stage - 1, run)
    if before is not None and before > share:
        _lost(sheet, scale, (share, before), run, middle, largest=chart.largest_drop(run) == stage)
    sheet.add(marker(MARKERS[run], x, middle, fill=tint, r=4))


def _lost(sheet: Sheet, scale: Scale, shares: tuple[float, float], run: int, middle: float, *, largest: bool) -> None:
    """An outline for what was lost on the way to a stage; the largest loss of a run stands out, with its size."""
    x1, x2 = map(scale.at, shares)
    edge, thick = (BAD, 1.5) if largest else (MUTED, 0.75)
    top, high = middle - _LANE / 2 + 3, _LANE - 6
    sheet.add(rect(x1, top, x2 - x1, high, "none", stroke=edge, stroke_width=thick, stroke_dasharray="3 2"))
    if not largest:
        return
    points = numbers.points(100 * (shares[0] - shares[1]))
    needed = width(points, SMALL, bold=True) + 12
    x, fill, halo = max(scale.start + 4, x1 - needed - 2), PAPER, colour(SERIES[run])
    if needed + 6 <= x2 - x1:
        x, fill, halo = (x1 + x2 - needed) / 2 + 8, BAD, PAPER
    elif x2 + needed <= scale.end:
        x, fill, halo = x2 + 6, BAD, PAPER
    sheet.add(words(x, middle + 4, points, size=SMALL, fill=fill, halo=halo, bold=True))


def table(chart: Funnel) -> Table:
    """Every stage of every run, with what is lost on the way there."""
    names = [clean(run, 60) or "unnamed" for run in chart.runs]
    header = ["stage", *(head for name in names for head in (name, f"{name}: lost, points"))]
    rows = [
        [clean(stage.label) or "unnamed", *(cell for run in range(len(names)) for cell in _cells(chart, nth, run))]
        for nth, stage in enumerate(chart.stages)
    ]
    return header, rows


def _cells(chart: Funnel, stage: int, run: int) -> tuple[str, str]:
    count, share, lost = chart.reached(stage, run), chart.share(stage, run), chart.lost(stage, run)
    told = "unknown" if count is None or share is None else f"{count:,} ({numbers.percent(share)})"
    return told, numbers.points(None if lost is None else 100 * lost, signed=False)


def text(chart: Funnel) -> str:
    """Where each run loses most."""
    said = []
    for run, name in enumerate(chart.runs[:MOST_RUNS]):
        stage = chart.largest_drop(run)
        shown = clean(name, 60) or "unnamed"
        if stage is None:
            said.append(f"{shown} loses no rollout on the way that is known.")
        else:
            lost = numbers.points(100 * (chart.lost(stage, run) or 0), signed=False)
            said.append(f"{shown} loses most before “{clean(chart.stages[stage].label, 60)}”: {lost} points.")
    return " ".join(said) or "No run has stages."


KIND: Final = Kind("funnel", Funnel, svg, table, text)
