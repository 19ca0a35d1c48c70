"""How a task that is looked into is shown: what was asked, where the rollouts part, and both side by side."""

from collections.abc import Iterator
from typing import Final

from blade import numbers
from blade.explain.divergence import FAMILIES
from blade.explain.side_by_side import SAME
from blade.explain.two_sides import MARKS, Beside
from blade.report import saying
from blade.report.dives import Dive
from blade.report.pieces import (
    Cause,
    Chapter,
    Cited,
    Code,
    Column,
    Excerpt,
    Jump,
    Line,
    Paragraph,
    Part,
    Piece,
    Row,
    SideBySide,
    Table,
)
from blade.report.sections.anchors import dive_anchor, mode_anchor
from blade.report.visible import one_line

AROUND: Final = 2
"""Calls that are shown before and after the one at which two rollouts part."""

MOST_EXPECTED: Final = 6
_LONGEST_CALL: Final = 160


def chapter(dive: Dive) -> Chapter:
    """One task."""
    title: list[Part] = [f"Task {dive.task} of ", Code(dive.run)]
    return Chapter(title=title, anchor=dive_anchor(dive.run, dive.task), pieces=list(_pieces(dive)))


def _pieces(dive: Dive) -> Iterator[Piece]:
    yield Paragraph(lines=[_counts(dive), _mode(dive)])
    if dive.question:
        yield Excerpt(ref=dive.failing.partition("#")[0], title="What was asked", steps=[dive.question])
    if dive.right is None:
        line = "No rollout of any run passes this task, so that there is nothing to hold the failure against."
        yield Paragraph(lines=[line, ["The failing rollout is ", Cited(dive.failing), "."]])
    else:
        yield Paragraph(lines=[dive.how])
        yield from _contrast(dive)
    yield from _expected(dive)
    flag = "they part here" if dive.right else "evidence"
    right = _titled(dive.right, "Passing: ", "good", flag) if dive.right else None
    yield SideBySide(left=_titled(dive.left, "Failing: ", "bad", flag), right=right)


def _contrast(dive: Dive) -> Iterator[Piece]:
    """The calls around the one from which on failing and passing rollout part for good."""
    sides = dive.sides
    if sides is None or sides.parting is None:
        return
    first, last = max(0, sides.parting - AROUND), min(len(sides.lines), sides.parting + AROUND + 1)
    caption = f"Call by call: from the marked line on they part for good, by {FAMILIES.get(sides.kind, sides.kind)}"
    rows = [_row(sides.lines[place], marked=place == sides.parting) for place in range(first, last)]
    yield _calls(caption, "passing", rows, len(sides.lines) - len(rows))


def _expected(dive: Dive) -> Iterator[Piece]:
    """The calls of the failing rollout that are not as the benchmark expects, where the contrast does not say so."""
    if dive.expected is None:
        return
    told = [] if dive.sides is None or dive.sides.parting is None else [dive.sides.lines[dive.sides.parting]]
    known = {(line.here, tuple(line.differences)) for line in told}
    differing = [line for line in dive.expected.lines if line.kind != SAME]
    if all((line.here, tuple(line.differences)) in known for line in differing):
        return
    rows = [_row(line, marked=False) for line in differing[:MOST_EXPECTED]]
    yield _calls("What the benchmark expects it to call", "expected", rows, len(dive.expected.lines) - len(rows))


def _calls(caption: str, other: str, rows: list[Row], left: int) -> Table:
    more = f" ({numbers.counted(left, 'line')} left out)" if left else ""
    columns = [Column(""), Column("failing"), Column(other), Column("differs by")]
    return Table(caption=f"{caption}{more}", columns=columns, rows=rows)


def _row(line: Beside, *, marked: bool) -> Row:
    mark = f"{MARKS.get(line.kind, line.kind)}{' ←' if marked else ''}"
    calls: list[Line] = [[Code(one_line(call, _LONGEST_CALL))] if call else "" for call in (line.here, line.there)]
    return Row(cells=[mark, *calls, one_line("; ".join(line.differences), _LONGEST_CALL)])


def _titled(side: Excerpt, what: str, tone: str, flag: str) -> Excerpt:
    import msgspec

    return msgspec.structs.replace(side, title=[what, Cited(side.ref)], tone=tone, flag=flag)


def _counts(dive: Dive) -> Line:
    """What every run makes of the task."""
    parts: list[Part] = ["Passed "]
    for place, (run, passed, measured) in enumerate(dive.counts):
        parts += [", " if place else "", f"{passed} of {numbers.counted(measured, 'measured rollout')} in ", Code(run)]
    return [*parts, "."]


def _mode(dive: Dive) -> Line:
    mode = dive.mode
    parts: list[Part] = ["The failing rollout has the mode ", Jump(mode_anchor(mode.mode), mode.title), " ("]
    return [*parts, Cause(mode.cause), f": {saying.meaning(mode.cause)}; who can act: {mode.owner})."]
