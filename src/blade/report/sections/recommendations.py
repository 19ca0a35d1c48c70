"""Recommendations: what to do or to look at first, who can act, what it could give, and how to confirm it."""

from collections.abc import Iterable, Iterator
from typing import Final

from blade import numbers
from blade.explain.records import Counterfactual, Gain, Intervention
from blade.report import saying
from blade.report.findings import Findings
from blade.report.pieces import (
    RIGHT,
    Cause,
    Chapter,
    Code,
    Column,
    Jump,
    Line,
    Note,
    Paragraph,
    Part,
    Piece,
    Points,
    Row,
    Strong,
    Table,
)
from blade.report.recommended import Place, ranked
from blade.report.sections.anchors import mode_anchor

_MOST: Final = 12
_TOLD: Final = 8
"""Interventions that are told in sentences; all stand in the table."""


def first(findings: Findings) -> Iterator[Chapter]:
    """The first thing to do where a gain is estimated, else the first thing to look at."""
    if findings.analysis.interventions:
        one = findings.analysis.interventions[0]
        yield Chapter(title="The first fix", anchor="the-first-fix", pieces=[Paragraph(lines=list(_fix(one)))])
    elif found := ranked(findings):
        lines = [sentence(found[0]), evidence(found[0])]
        yield Chapter(title="Where to look first", anchor="where-to-look-first", pieces=[Paragraph(lines=lines)])


def write(findings: Findings) -> Iterable[Piece]:
    """Interventions with their gains; without them the modes of the newest run as a list of what to look at."""
    if findings.analysis.interventions:
        yield from _interventions(findings.analysis.interventions)
        yield from _counterfactual(findings.analysis.counterfactual)
        return
    found = ranked(findings)
    if not found:
        yield Paragraph(lines=[[Code(findings.newest.run), " has no measured failure: nothing to mend."]])
        return
    yield Note(
        line="Gains are upper bounds: what the score would gain if every rollout of a mode passed. How much of it a "
        "fix would really bring is not estimated; only a rerun tells."
    )
    yield _places(findings, found)


def _fix(one: Intervention) -> Iterator[Line]:
    """What to do, what it would give, and the rerun that would confirm it."""
    yield [Strong(f"{one.title}. "), f"Who can act: {one.owner}; in ", Code(one.run), "."]
    gain = saying.in_points(one.gain.value, one.gain.low, one.gain.high)
    yield f"It would give {gain}{_as_failed(one)}, at most {_points(one.recoverable)}."
    yield from _why(one)
    yield from _saving(one)
    if one.refs:
        yield ["Rollouts to open: ", *saying.refs(one.refs, 3), "."]


def _why(one: Intervention) -> Iterator[str]:
    """What the gain is read from, and the rerun that would confirm it."""
    if one.why:
        yield saying.sentence(one.why)
    if one.confirm:
        yield saying.sentence(f"to confirm it: {saying.within(one.confirm)}")


def _saving(one: Intervention) -> Iterator[str]:
    """What each pass would cost less."""
    if one.saving:
        said = [f"{each.what} {numbers.amount(each.now)} → {numbers.amount(each.then)}" for each in one.saving]
        yield f"For each pass: {saying.listed(said)}."


def _as_failed(one: Intervention) -> str:
    return " with what is not measured counted as failed" if one.as_failed else ""


def _gain(found: Gain) -> str:
    return saying.points(found.value, found.low, found.high)


def _points(value: float) -> str:
    return numbers.points(value, signed=False)


def _interventions(found: list[Intervention]) -> Iterator[Piece]:
    columns = [
        Column("", RIGHT),
        Column("what"),
        Column("causes"),
        Column("who can act"),
        Column("gain in points", RIGHT),
        Column("at most", RIGHT),
        Column("rollouts", RIGHT),
        Column("evidence"),
    ]
    caption = f"What could lift {found[0].run}, the most gain first"
    yield Table(caption=caption, columns=columns, rows=[_row(one) for one in found], brief=_MOST)
    yield Paragraph(
        lines=[
            "A gain is what the tasks' own rollouts without the failure score in its place, with its 95 % interval; at "
            "most is what it would be if all of them passed."
        ]
    )
    yield Points(items=[_told(one) for one in found[:_TOLD]], numbered=True)


def _told(one: Intervention) -> Line:
    """What the row of an intervention has no room for."""
    return [Strong(f"{one.title}. "), " ".join([*_why(one), *_saving(one)])]


def _row(one: Intervention) -> Row:
    causes: list[Part] = []
    for cause in one.causes:
        causes += [" ", Cause(cause)] if causes else [Cause(cause)]
    title: Line = [Jump(mode_anchor(one.modes[0]), one.title)] if one.modes else one.title
    cells: list[Line] = [
        f"{one.rank}",
        title,
        causes,
        one.owner,
        _gain(one.gain),
        _points(one.recoverable),
        f"{one.rollouts:,}",
        saying.refs(one.refs, 2),
    ]
    return Row(cells=cells)


def _counterfactual(found: list[Counterfactual]) -> Iterator[Piece]:
    """What the run would score, row by row."""
    if not found:
        return
    columns = [Column("if"), Column("pass@1 in points", RIGHT), Column("gain", RIGHT), Column("at most", RIGHT)]
    rows = [
        Row(
            cells=[
                f"{each.title}{', not measured as failed' if each.as_failed else ''}",
                _points(each.points),
                _gain(each.gain),
                "" if each.recoverable is None else _points(each.recoverable),
            ]
        )
        for each in found
    ]
    yield Table(caption="What the run would score", columns=columns, rows=rows, brief=20)


def sentence(place: Place) -> Line:
    """What to look at, and the bound of what it could give."""
    mode, run = place.mode, place.run
    bound = f"{_points(place.at_most)} points"
    return [
        Jump(mode_anchor(mode.mode), mode.title),
        f": it fails {saying.of(place.rollouts, run.measured)} measured rollouts of ",
        Code(run.run),
        f", so mending all of it would give at most {bound} of pass@1 (",
        Cause(mode.cause),
        "; who can act: ",
        Strong(mode.owner),
        ").",
    ]


def evidence(place: Place) -> Line:
    """Rollouts that show it."""
    return ["Rollouts to open: ", *saying.refs(place.mode.refs, 3), "."]


def _places(findings: Findings, found: list[Place]) -> Table:
    compared = findings.main is not None
    columns = [
        Column("", RIGHT),
        Column("look at"),
        Column("cause"),
        Column("who can act"),
        Column("at most, points", RIGHT),
        Column("rollouts", RIGHT),
        *([Column(f"change since {findings.runs[0].run}", RIGHT)] if compared else []),
        Column("evidence"),
    ]
    rows = [_place(number, place, compared=compared) for number, place in enumerate(found, 1)]
    order = "what fell most since the baseline first" if compared else "the largest first"
    caption = f"What could lift {findings.newest.run}, {order}"
    return Table(caption=caption, columns=columns, rows=rows, brief=_MOST)


def _place(number: int, place: Place, *, compared: bool) -> Row:
    change: list[Line] = []
    if compared:
        noise = ", within noise" if place.change is not None and place.within_noise else ""
        change = ["" if place.change is None else f"{numbers.points(place.change)}{noise}"]
    cells: list[Line] = [
        str(number),
        [Jump(mode_anchor(place.mode.mode), place.mode.title)],
        [Cause(place.mode.cause)],
        place.mode.owner,
        _points(place.at_most),
        saying.of(place.rollouts, place.run.measured),
        *change,
        saying.refs(place.mode.refs, 2),
    ]
    return Row(cells=cells)
