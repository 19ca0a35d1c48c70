"""Bands: many tasks in one line for each run, every task at the same place in all of them."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from blade import numbers
from blade.report.charts.changes import Shares, means
from blade.report.charts.drawing.ink import ACCENT, INK, MUTED
from blade.report.charts.drawing.lettering import SMALL, fitted
from blade.report.charts.drawing.placing import spread
from blade.report.charts.drawing.shapes import line, path, place, polyline, rect, words
from blade.report.charts.drawing.sheet import Sheet

DEPTHS: Final = (0.14, 0.28, 0.42, 0.56, 1.0)
"""How dark a share is up to the quarter that it is in; only a task that always passes is full."""

_THINNEST: Final = 0.8
"""Units that a task is wide at least; where they were thinner several are drawn as one."""

_MOST_WITH_ROOM: Final = 6
"""Runs that have their names above the bands; with more they stand beside them."""

_LETTERS: Final = "ABCDEFG"

Row = tuple[int, Shares]
"""The group of a task and its shares."""


def level_of(share: float) -> int:
    """The level of a share: 0 for none, 1 to 4 by quarters, 5 for all."""
    if share <= 0:
        return 0
    return 5 if share >= 1 else min(4, 1 + int(share * 4))


class _Layout(NamedTuple):
    """Where bands stand: how wide a column is, how high a band, and whether names stand beside it."""

    left: float
    column: float
    high: float
    beside: bool


class _Column(NamedTuple):
    """Tasks that are drawn as one: their group, how many they are, and their mean share in each run."""

    group: int
    tasks: int
    shares: Shares


def draw(sheet: Sheet, runs: Sequence[str], rows: Sequence[Row], named: Callable[[int], str], *, top: float) -> float:
    """Put a band for each run on the sheet, and a key to the groups; returns where it ends. Rows come by group."""
    beside = sheet.wide and len(runs) > _MOST_WITH_ROOM
    left = 190.0 if beside else 4.0
    room = sheet.width - 4 - left
    columns = list(_columns(rows, int(room / _THINNEST)))
    high = 20.0 if len(runs) > _MOST_WITH_ROOM else 28.0
    layout = _Layout(left, room / max(1, len(columns)), high, beside)
    y = top
    for nth, run in enumerate(runs):
        label = fitted(run, left - 12 if beside else room)
        sheet.add(words(4, y + (high / 2 + 4.5 if beside else 13), label))
        y += 0 if beside else 19
        sheet.add(*_band(sheet, columns, nth, layout, y))
        y += high + (3 if beside else 8)
    _brackets(sheet, columns, layout, y)
    return _key(sheet, columns, named, y + 32)


def _columns(rows: Sequence[Row], most: int) -> Iterator[_Column]:
    """Columns of neighbours, no more than `most` or so; never of tasks from two groups."""
    each = max(1, -(-len(rows) // max(1, most)))
    for group, inside in groupby(rows, key=lambda row: row[0]):
        shares = [one for _, one in inside]
        for first in range(0, len(shares), each):
            part = shares[first : first + each]
            yield _Column(group, len(part), means(part) if len(part) > 1 else part[0])


def _band(sheet: Sheet, columns: Sequence[_Column], run: int, layout: _Layout, y: float) -> Iterator[str]:
    """One run: for each level one path, in which neighbours of the same level are one stroke."""
    middle, strokes, start = place(y + layout.high / 2), defaultdict[int, list[str]](list), 0
    for level, inside in groupby(columns, key=lambda column: _level_in(column, run)):
        many = sum(1 for _ in inside)
        strokes[level].append(f"M{place(layout.left + start * layout.column)} {middle}h{place(many * layout.column)}")
        start += many
    for level in sorted(strokes):
        if level:
            yield _stroke(sheet, level, "".join(strokes[level]), layout.high)
    yield rect(layout.left, y, len(columns) * layout.column, layout.high, "none", stroke=MUTED, stroke_width=0.75)


def _level_in(column: _Column, run: int) -> int:
    """The level of a column in a run, -1 where no task of it is measured."""
    share = column.shares[run]
    return -1 if share is None else level_of(share)


def _stroke(sheet: Sheet, level: int, d: str, high: float) -> str:
    if level < 0:
        return path(d, stroke=sheet.inks.missing(), stroke_width=high)
    return path(d, stroke=ACCENT, stroke_opacity=DEPTHS[level - 1], stroke_width=high)


def _brackets(sheet: Sheet, columns: Sequence[_Column], layout: _Layout, y: float) -> None:
    """A bracket with a letter below each group."""
    ends, start = [], layout.left
    for _, inside in groupby(columns, key=lambda column: column.group):
        end = start + layout.column * sum(1 for _ in inside)
        ends.append((start, end))
        start = end
    letters = spread([sum(pair) / 2 for pair in ends], 16, layout.left + 6, sheet.width - 10)
    for letter, (low, high), x in zip(_LETTERS, ends, letters, strict=False):
        spare = 0.75 if high - low > 3 else 0
        bracket = [(low + spare, y), (low + spare, y + 4), (high - spare, y + 4), (high - spare, y)]
        sheet.add(path(polyline(bracket), stroke=INK), line((low + high) / 2, y + 4, x, y + 9, INK))
        sheet.add(words(x, y + 21, letter, size=SMALL, anchor="middle", bold=True))


def _key(sheet: Sheet, columns: Sequence[_Column], named: Callable[[int], str], y: float) -> float:
    """What the letters mean; returns where it ends."""
    sizes = Counter[int]()
    for column in columns:
        sizes[column.group] += column.tasks
    for letter, group in zip(_LETTERS, sorted(sizes), strict=False):
        share = numbers.percent(sizes[group] / sizes.total())
        told = fitted(f"{numbers.counted(sizes[group], 'task')} ({share}): {named(group)}", sheet.width - 24, SMALL)
        sheet.add(words(4, y + 12, letter, size=SMALL, bold=True), words(20, y + 12, told, size=SMALL))
        y += 18
    most = max((column.tasks for column in columns), default=1)
    if most > 1:
        sheet.add(words(4, y + 12, f"a column is up to {most:,} tasks", size=SMALL, fill=MUTED))
        y += 18
    return y + 4
