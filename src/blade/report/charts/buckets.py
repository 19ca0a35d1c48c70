"""Buckets: of how many tasks a run passes all, some or no repeats, run by run."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from blade import numbers
from blade.report.charts.drawing import axis
from blade.report.charts.drawing.ink import INK, MUTED, PAPER, colour
from blade.report.charts.drawing.legend import Entry, left_out, legend
from blade.report.charts.drawing.lettering import clean, width
from blade.report.charts.drawing.rows import Rows
from blade.report.charts.drawing.scale import Scale, known
from blade.report.charts.drawing.shapes import element, rect, tip, words
from blade.report.charts.drawing.sheet import Sheet
from blade.report.charts.kind import Kind, Table, described

BUCKETS: Final = ("always", "sometimes", "never", "missing")
"""The words of `vocabulary.BUCKETS`, as the bars hold them from left to right."""

MOST_RUNS: Final = 40

_WORDS: Final = {"always": "good", "sometimes": "warn", "never": "bad"}


@dataclass(frozen=True, kw_only=True)
class RunBuckets:
    """The tasks of one run by bucket."""

    run: str
    tasks: Mapping[str, int]
    """Bucket to tasks; a bucket that is left out has none."""

    def count(self, bucket: str) -> int:
        return int(max(0.0, known(self.tasks.get(bucket, 0)) or 0.0))

    @property
    def total(self) -> int:
        return sum(map(self.count, BUCKETS))


@dataclass(frozen=True, kw_only=True)
class Buckets:
    """Runs with their tasks by bucket."""

    title: str
    description: str
    runs: tuple[RunBuckets, ...]


def svg(chart: Buckets, *, prefix: str, wide: bool = True) -> str:
    """One bar for each run, of all its tasks."""
    sheet, shown = Sheet(prefix, wide=wide), chart.runs[:MOST_RUNS]
    rows = Rows(sheet, values=100, bar=22)
    top = legend(sheet, _legend(sheet, shown), left=4, top=4) + 6
    starts = list(accumulate((rows.height(_name(run), _total(run)) for run in shown), initial=top))
    scale = Scale(0, 1, rows.left, rows.right)
    end = axis.below(sheet, scale, axis.percent, top=top, bottom=starts[-1], name="of the tasks")
    for run, y in zip(shown, starts, strict=False):
        middle = rows.draw(y, _name(run), _total(run))
        sheet.add(*_bar(sheet, scale, run, middle - rows.bar / 2, rows.bar))
    end = left_out(sheet, end, {"run": len(chart.runs) - MOST_RUNS})
    return sheet.svg(chart.title, described(chart, text(chart)), end)


def _name(run: RunBuckets) -> str:
    return clean(run.run) or "unnamed"


def _total(run: RunBuckets) -> str:
    return numbers.counted(run.total, "task")


def _fill(sheet: Sheet, bucket: str) -> str:
    return sheet.inks.missing() if bucket == "missing" else sheet.inks.fill(_WORDS[bucket])


def _edge(bucket: str) -> str:
    return MUTED if bucket == "missing" else colour(_WORDS[bucket])


def _legend(sheet: Sheet, runs: tuple[RunBuckets, ...]) -> list[Entry]:
    there = [bucket for bucket in BUCKETS if bucket != "missing" or any(run.count(bucket) for run in runs)]
    return [Entry(_MEANING[bucket], _fill(sheet, bucket), stroke=_edge(bucket)) for bucket in there]


_MEANING: Final = {
    "always": "always passes",
    "sometimes": "sometimes passes",
    "never": "never passes",
    "missing": "not measured",
}


def _bar(sheet: Sheet, scale: Scale, run: RunBuckets, y: float, high: float) -> Iterator[str]:
    """The buckets of a run side by side, each with its count where it fits."""
    before = 0
    for bucket in BUCKETS:
        count = run.count(bucket)
        if not count:
            continue
        x1, x2 = scale.at(before / run.total), scale.at((before + count) / run.total)
        before += count
        share = numbers.percent(count / run.total)
        block = rect(x1, y, x2 - x1, high, _fill(sheet, bucket), stroke=PAPER, stroke_width=1)
        yield element("g", tip(f"{_MEANING[bucket]}: {numbers.counted(count, 'task')}, {share}"), block)
        if width(f"{count:,}", bold=True) + 8 <= x2 - x1:
            over, halo = (INK, PAPER) if bucket == "missing" else (PAPER, _edge(bucket))
            yield words(
                (x1 + x2) / 2, y + high / 2 + 4.5, f"{count:,}", anchor="middle", fill=over, halo=halo, bold=True
            )


def table(chart: Buckets) -> Table:
    """Counts, with the share of the run's tasks."""
    rows = [[_name(run), *(_told(run, bucket) for bucket in BUCKETS), f"{run.total:,}"] for run in chart.runs]
    return ["run", *BUCKETS, "tasks"], rows


def _told(run: RunBuckets, bucket: str) -> str:
    count = run.count(bucket)
    return f"{count:,} ({numbers.percent(count / run.total)})" if run.total else "0"


def text(chart: Buckets) -> str:
    """The counts of the first and of the last run."""
    ends = chart.runs[:1] + chart.runs[1:][-1:]
    if not ends:
        return "No run has tasks."
    return " ".join(map(_sentence, ends))


def _sentence(run: RunBuckets) -> str:
    missing = f", {run.count('missing'):,} are not measured" if run.count("missing") else ""
    return (
        f"{clean(run.run, 60) or 'unnamed'}: of {_total(run)} {run.count('always'):,} always pass,"
        f" {run.count('sometimes'):,} sometimes, {run.count('never'):,} never{missing}."
    )


KIND: Final = Kind("buckets", Buckets, svg, table, text)
