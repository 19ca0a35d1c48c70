"""Heat map: every task in every run, sorted by what changed. Few tasks are cells with names, many are bands.

A cell is the darker the more repeats pass; one that is not measured is hatched. The first run is the baseline.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from blade import numbers
from blade.report.charts.drawing.ink import ACCENT, INK, LINE, MUTED, PAPER
from blade.report.charts.drawing.legend import Entry, legend
from blade.report.charts.drawing.lettering import SMALL, clean, fitted, wrapped
from blade.report.charts.drawing.placing import spread
from blade.report.charts.drawing.scale import known
from blade.report.charts.drawing.shapes import element, line, path, place, polyline, rect, tip, words
from blade.report.charts.drawing.sheet import Sheet
from blade.report.charts.kind import Kind, Table, described

MOST_NAMED: Final = 40
"""Tasks that have a line each; more become bands."""

MOST_RUNS: Final = 40
_MOST_COLUMNS: Final = 4
_THINNEST: Final = 0.8
"""Units that a task is wide at least; where they were thinner several are drawn as one."""

_LEVELS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
_DEPTHS: Final = (0.14, 0.28, 0.42, 0.56, 1.0)
"""How dark a share is up to the quarter that it is in; only a task that always passes is full."""


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
    shares: tuple[float | None, ...]
    task: Task


_GROUPS: Final = (
    "lower than in {}",
    "lower in some, higher in others",
    "never passes",
    "as often as in {}",
    "always passes",
    "higher than in {}",
    "not measured in every run",
)
_LOWER, _MIXED, _NEVER, _EQUAL, _ALWAYS, _HIGHER, _MISSING = range(len(_GROUPS))
_ALONE: Final = {_EQUAL: "sometimes passes", _MISSING: "not measured"}
"""What groups are called where there is only one run."""


def ordered(chart: HeatMap) -> list[_Line]:
    """The tasks: first those that pass less often than in the baseline, the most changed first, last those better."""
    lines = []
    for task in chart.tasks:
        shares = tuple(_share(task.cells[nth] if nth < len(task.cells) else None) for nth in range(len(chart.runs)))
        lines.append(_Line(*_group(shares), shares, task))
    return sorted(lines, key=_order)


def _share(cell: tuple[int, int] | None) -> float | None:
    if cell is None or known(cell[0]) is None or known(cell[1]) is None or cell[1] <= 0:
        return None
    return min(1.0, max(0.0, cell[0] / cell[1]))


def _group(shares: tuple[float | None, ...]) -> tuple[int, float]:
    """The group of a task, and by how much it changed."""
    there = [share for share in shares if share is not None]
    if len(there) < len(shares) or not there:
        return _MISSING, 0.0
    changes = [share - there[0] for share in there[1:]]
    if min(changes, default=0) < 0:
        return (_MIXED if max(changes) > 0 else _LOWER), sum(changes)
    if max(changes, default=0) > 0:
        return _HIGHER, sum(changes)
    return (_ALWAYS if there[0] == 1 else _EQUAL if there[0] > 0 else _NEVER), 0.0


def _order(found: _Line) -> tuple[int, float, tuple[float, ...], str]:
    return found.group, found.change, tuple(-1.0 if s is None else s for s in found.shares), found.task.task


def _name_of(group: int, chart: HeatMap) -> str:
    if len(chart.runs) == 1:
        return _ALONE.get(group, _GROUPS[group])
    return _GROUPS[group].format(clean(chart.runs[0], 40) or "the baseline") if chart.runs else ""


def _sizes(lines: Sequence[_Line]) -> list[tuple[int, int]]:
    """Each group that is there, with how many tasks it has."""
    found: dict[int, int] = defaultdict(int)
    for each in lines:
        found[each.group] += 1
    return sorted(found.items())


def svg(chart: HeatMap, *, prefix: str, wide: bool = True) -> str:
    """Cells with names, or bands where tasks or runs are many."""
    sheet, lines = Sheet(prefix, wide=wide), ordered(chart)
    top = legend(sheet, _legend(sheet, lines), left=4, top=4) + 8
    named = len(lines) <= MOST_NAMED and len(chart.runs) <= (_MOST_COLUMNS if wide else _MOST_COLUMNS - 1)
    end = _cells(sheet, chart, lines, top) if named else _bands(sheet, chart, lines, top)
    if len(chart.runs) > MOST_RUNS:
        end += 18
        more = numbers.counted(len(chart.runs) - MOST_RUNS, "more run")
        sheet.add(words(4, end - 6, f"{more} in the table", size=SMALL, fill=MUTED))
    return sheet.svg(chart.title, described(chart, text(chart)), end)


def _legend(sheet: Sheet, lines: Sequence[_Line]) -> list[Entry]:
    entries = [
        Entry("no repeat passes", PAPER),
        Entry("some", ACCENT, opacity=_DEPTHS[1]),
        Entry("most", ACCENT, opacity=_DEPTHS[3]),
        Entry("all", ACCENT),
    ]
    if any(share is None for each in lines for share in each.shares):
        entries.append(Entry("not measured", sheet.inks.missing(), stroke=MUTED))
    return entries


def _level(share: float) -> int:
    """The level of a share: 0 for none, 1 to 4 by quarters, 5 for all."""
    if share <= 0:
        return 0
    return 5 if share >= 1 else min(4, 1 + int(share * 4))


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


def _cell(sheet: Sheet, chart: HeatMap, each: _Line, run: int, box: tuple[float, float, float]) -> str:
    x, y, wide = box
    share = each.shares[run]
    told = tip(f"{clean(each.task.task, 80)}, {clean(chart.runs[run], 60)}: {_told(each, run)}")
    if share is None:
        block = rect(x, y, wide, 20, sheet.inks.missing(), stroke=LINE, stroke_width=1)
        return element("g", told, block)
    level = _level(share)
    depth = _DEPTHS[level - 1] if level else 0.0
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


class _Layout(NamedTuple):
    """Where bands stand: columns of one or more tasks each, and the label beside or above."""

    left: float
    column: float
    beside: bool
    high: float


def _bands(sheet: Sheet, chart: HeatMap, lines: Sequence[_Line], top: float) -> float:
    """A band for each run, in which every task has its place; returns where the key to the groups ends."""
    runs = range(min(len(chart.runs), MOST_RUNS))
    beside = sheet.wide and len(runs) > 6
    left = 190.0 if beside else 4.0
    room = sheet.width - 4 - left
    columns = _binned(lines, int(room / _THINNEST))
    layout = _Layout(left, room / max(1, len(columns)), beside, 20.0 if len(runs) > 6 else 28.0)
    y = top
    for run in runs:
        label = fitted(clean(chart.runs[run]) or "unnamed", left - 12 if beside else room)
        sheet.add(words(4, y + (layout.high / 2 + 4.5 if beside else 13), label))
        y += 0 if beside else 19
        sheet.add(*_band(sheet, columns, run, layout, y))
        y += layout.high + (3 if beside else 8)
    return _key(sheet, chart, columns, layout, y, len(lines))


class _Column(NamedTuple):
    """Tasks that are drawn as one: their group, how many they are, and their mean share in each run."""

    group: int
    tasks: int
    shares: tuple[float | None, ...]


def _binned(lines: Sequence[_Line], most: int) -> list[_Column]:
    """Columns of neighbours, no more than `most` or so; never of tasks from two groups."""
    each = max(1, -(-len(lines) // max(1, most)))
    columns: list[_Column] = []
    start = 0
    for group, size in _sizes(lines):
        for first in range(start, start + size, each):
            part = lines[first : min(first + each, start + size)]
            columns.append(_Column(group, len(part), _means(part)))
        start += size
    return columns


def _means(part: Sequence[_Line]) -> tuple[float | None, ...]:
    if len(part) == 1:
        return part[0].shares
    means: list[float | None] = []
    for column in zip(*(each.shares for each in part), strict=True):
        there = [share for share in column if share is not None]
        means.append(sum(there) / len(there) if there else None)
    return tuple(means)


def _band(sheet: Sheet, columns: Sequence[_Column], run: int, layout: _Layout, y: float) -> list[str]:
    """One run: for each level one path, in which neighbours of the same level are one stroke."""
    middle, strokes = y + layout.high / 2, defaultdict[int, list[str]](list)
    start = 0
    while start < len(columns):
        level, end = _level_at(columns, start, run), start + 1
        while end < len(columns) and _level_at(columns, end, run) == level:
            end += 1
        if level:
            x = layout.left + start * layout.column
            strokes[level].append(f"M{place(x)} {place(middle)}h{place((end - start) * layout.column)}")
        start = end
    drawn = [_stroke(sheet, level, "".join(strokes[level]), layout.high) for level in sorted(strokes)]
    frame = rect(layout.left, y, len(columns) * layout.column, layout.high, "none", stroke=MUTED, stroke_width=0.75)
    return [*drawn, frame]


def _level_at(columns: Sequence[_Column], nth: int, run: int) -> int:
    """The level of a column, -1 where no task of it is measured."""
    share = columns[nth].shares[run]
    return -1 if share is None else _level(share)


def _stroke(sheet: Sheet, level: int, d: str, high: float) -> str:
    if level < 0:
        return path(d, stroke=sheet.inks.missing(), stroke_width=high)
    return path(d, stroke=ACCENT, stroke_opacity=_DEPTHS[level - 1], stroke_width=high)


def _key(sheet: Sheet, chart: HeatMap, columns: Sequence[_Column], layout: _Layout, y: float, tasks: int) -> float:
    """Brackets with letters below the bands, and what the letters mean; returns where the key ends."""
    spans: dict[int, tuple[int, int]] = {}
    for nth, column in enumerate(columns):
        spans[column.group] = (spans.get(column.group, (nth, nth))[0], nth + 1)
    ends = [(layout.left + layout.column * a, layout.left + layout.column * b) for a, b in spans.values()]
    letters = spread([(a + b) / 2 for a, b in ends], 16, layout.left + 6, sheet.width - 10)
    for nth, ((a, b), x) in enumerate(zip(ends, letters, strict=True)):
        a, b = (a + 0.75, b - 0.75) if b - a > 3 else (a, b)
        sheet.add(path(polyline([(a, y), (a, y + 4), (b, y + 4), (b, y)]), stroke=INK))
        sheet.add(
            line((a + b) / 2, y + 4, x, y + 9, INK),
            words(x, y + 21, _LETTERS[nth], size=SMALL, anchor="middle", bold=True),
        )
    sizes: dict[int, int] = defaultdict(int)
    for column in columns:
        sizes[column.group] += column.tasks
    y += 32
    for nth, group in enumerate(spans):
        share = numbers.percent(sizes[group] / tasks)
        told = f"{numbers.counted(sizes[group], 'task')} ({share}): {_name_of(group, chart)}"
        sheet.add(
            words(4, y + 12, _LETTERS[nth], size=SMALL, bold=True),
            words(20, y + 12, fitted(told, sheet.width - 24, SMALL), size=SMALL),
        )
        y += 18
    most = max((column.tasks for column in columns), default=1)
    if most > 1:
        sheet.add(words(4, y + 12, f"a column is up to {most:,} tasks", size=SMALL, fill=MUTED))
        y += 18
    return y + 4


_LETTERS: Final = "ABCDEFG"


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
