"""Heat map: every task in every run, sorted by what changed. Few tasks are cells with names, many are bands.

A cell is the darker the more repeats pass; one that is not measured is hatched. The first run is the baseline.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from blade import numbers
from blade.report.charts import bands
from blade.report.charts.bands import DEPTHS, level_of
from blade.report.charts.changes import Shares, group_of, name_of
from blade.report.charts.drawing.ink import ACCENT, INK, LINE, MUTED, PAPER
from blade.report.charts.drawing.legend import Entry, left_out, legend
from blade.report.charts.drawing.lettering import SMALL, clean, fitted, wrapped
from blade.report.charts.drawing.scale import known
from blade.report.charts.drawing.shapes import element, rect, tip, words
from blade.report.charts.drawing.sheet import Sheet
from blade.report.charts.kind import Kind, Table, described

MOST_NAMED: Final = 40
"""Tasks that have a line each; more become bands."""

MOST_RUNS: Final = 40
_MOST_COLUMNS: Final = 4


@dataclass(frozen=True, kw_only=True)
class Task:
    """A task with (passed, measured) of each run; None where a run has no rollout of it."""

    task: str
    cells: tuple[tuple[int, int] | None, ...]


@dataclass(frozen=True, kw_only=True)
class HeatMap:
    """Tasks in runs; the order of the tasks is made by the picture."""

    title: str
    description: str
    runs: tuple[str, ...]
    tasks: tuple[Task, ...]


class _Line(NamedTuple):
    """A task as it is sorted and drawn: its group, and its share in each run."""

    group: int
    change: float
    shares: Shares
    task: Task


def ordered(chart: HeatMap) -> list[_Line]:
    """The tasks: first those that pass less often than in the baseline, the most changed first, last those better."""
    lines = []
    for task in chart.tasks:
        shares = tuple(_share(task.cells[nth] if nth < len(task.cells) else None) for nth in range(len(chart.runs)))
        lines.append(_Line(*group_of(shares), shares, task))
    return sorted(lines, key=_order)


def _share(cell: tuple[int, int] | None) -> float | None:
    if cell is None or known(cell[0]) is None or known(cell[1]) is None or cell[1] <= 0:
        return None
    return min(1.0, max(0.0, cell[0] / cell[1]))


def _order(found: _Line) -> tuple[int, float, tuple[float, ...], str]:
    return found.group, found.change, tuple(-1.0 if s is None else s for s in found.shares), found.task.task


def _name_of(group: int, chart: HeatMap) -> str:
    return name_of(group, clean(chart.runs[0], 40) if chart.runs else "", runs=len(chart.runs))


def _sizes(lines: Sequence[_Line]) -> list[tuple[int, int]]:
    """Each group that is there, with how many tasks it has."""
    return sorted(Counter(each.group for each in lines).items())


def svg(chart: HeatMap, *, prefix: str, wide: bool = True) -> str:
    """Cells with names, or bands where tasks or runs are many."""
    sheet, lines = Sheet(prefix, wide=wide), ordered(chart)
    top = legend(sheet, _legend(sheet, lines), left=4, top=4) + 8
    named = len(lines) <= MOST_NAMED and len(chart.runs) <= (_MOST_COLUMNS if wide else _MOST_COLUMNS - 1)
    end = _cells(sheet, chart, lines, top) if named else _bands(sheet, chart, lines, top)
    end = left_out(sheet, end, {"run": len(chart.runs) - MOST_RUNS})
    return sheet.svg(chart.title, described(chart, text(chart)), end)


def _legend(sheet: Sheet, lines: Sequence[_Line]) -> list[Entry]:
    entries = [
        Entry("no repeat passes", PAPER),
        Entry("some", ACCENT, opacity=DEPTHS[1]),
        Entry("most", ACCENT, opacity=DEPTHS[3]),
        Entry("all", ACCENT),
    ]
    if any(share is None for each in lines for share in each.shares):
        entries.append(Entry("not measured", sheet.inks.missing(), stroke=MUTED))
    return entries


def _cells(sheet: Sheet, chart: HeatMap, lines: Sequence[_Line], top: float) -> float:
    """A line for each task and a column for each run; returns where the last line ends."""
    left = 300.0 if sheet.wide else 130.0
    wide = min(190.0, (sheet.width - 4 - left) / max(1, len(chart.runs)))
    heads = [wrapped(clean(run), wide - 8, SMALL, most_lines=3, bold=True) for run in chart.runs]
    for nth, head in enumerate(heads):
        for row, part in enumerate(head):
            middle = left + wide * (nth + 0.5)
            sheet.add(words(middle, top + 12 + 15 * row, part, size=SMALL, anchor="middle", bold=True))
    y, group, sizes = top + 5 + 15 * max(map(len, heads), default=1), -1, dict(_sizes(lines))
    for each in lines:
        if each.group != group:
            group = each.group
            told = f"{numbers.counted(sizes[group], 'task')}: {_name_of(group, chart)}"
            sheet.add(words(4, y + 16, fitted(told, sheet.width - 8, SMALL), size=SMALL, fill=MUTED))
            y += 22
        sheet.add(words(12, y + 15, fitted(clean(each.task.task) or "unnamed", left - 22)))
        for nth in range(len(chart.runs)):
            sheet.add(_cell(sheet, chart, each, nth, (left + wide * nth + 2, y + 1, wide - 4)))
        y += 22
    return y + 4


def _bands(sheet: Sheet, chart: HeatMap, lines: Sequence[_Line], top: float) -> float:
    names = tuple(clean(run) or "unnamed" for run in chart.runs[:MOST_RUNS])
    rows = [(each.group, each.shares) for each in lines]
    return bands.draw(sheet, names, rows, lambda group: _name_of(group, chart), top=top)


def _cell(sheet: Sheet, chart: HeatMap, each: _Line, run: int, box: tuple[float, float, float]) -> str:
    x, y, wide = box
    share = each.shares[run]
    told = tip(f"{clean(each.task.task, 80)}, {clean(chart.runs[run], 60)}: {_told(each, run)}")
    if share is None:
        block = rect(x, y, wide, 20, sheet.inks.missing(), stroke=LINE, stroke_width=1)
        return element("g", told, block)
    level = level_of(share)
    depth = DEPTHS[level - 1] if level else 0.0
    passed, measured = each.task.cells[run] or (0, 0)
    return element(
        "g",
        told,
        rect(x, y, wide, 20, ACCENT if level else "none", fill_opacity=depth or None, stroke=LINE, stroke_width=1),
        words(
            x + wide / 2,
            y + 14.5,
            fitted(f"{passed:,}/{measured:,}", wide - 4, SMALL),
            size=SMALL,
            anchor="middle",
            fill=PAPER if level == 5 else INK,
        ),
    )


def _told(each: _Line, run: int) -> str:
    cell = each.task.cells[run] if run < len(each.task.cells) else None
    if cell is None or each.shares[run] is None:
        return "not measured"
    return f"{cell[0]:,}/{cell[1]:,}"


def table(chart: HeatMap) -> Table:
    """Every task in the order of the picture."""
    header = ["task", *(clean(run, 60) or "unnamed" for run in chart.runs), "group"]
    rows = [
        [
            clean(each.task.task) or "unnamed",
            *(_told(each, run) for run in range(len(chart.runs))),
            _name_of(each.group, chart),
        ]
        for each in ordered(chart)
    ]
    return header, rows


def text(chart: HeatMap) -> str:
    """How many tasks each group has."""
    sizes = _sizes(ordered(chart))
    told = "; ".join(f"{_name_of(group, chart)}: {size:,}" for group, size in sizes)
    return f"{numbers.counted(len(chart.tasks), 'task')}. {told}." if told else "There is no task."


KIND: Final = Kind("heat map", HeatMap, svg, table, text)
