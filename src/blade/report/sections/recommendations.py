"""Recommendations: what to look at first, who can act on it, and at most how much it could give."""

from collections.abc import Iterable
from typing import Final

from blade import numbers
from blade.report import saying
from blade.report.findings import Findings
from blade.report.pieces import RIGHT, Cause, Code, Column, Jump, Line, Note, Paragraph, Piece, Row, Strong, Table
from blade.report.recommended import Place, ranked
from blade.report.sections.anchors import mode_anchor

_MOST: Final = 12


def sentence(place: Place) -> Line:
    """What to look at, and the bound of what it could give."""
    mode, run = place.mode, place.run
    bound = f"{numbers.points(place.at_most, signed=False)} points"
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


def write(findings: Findings) -> Iterable[Piece]:
    """The modes of the newest run as a list of work."""
    found = ranked(findings)
    if not found:
        yield Paragraph(lines=[[Code(findings.newest.run), " has no measured failure: nothing to mend."]])
        return
    yield Note(
        line="Gains are upper bounds: what the score would gain if every rollout of a mode passed. How much of it a "
        "fix would really bring is not estimated yet; only a rerun tells."
    )
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
    rows = [_row(number, place, compared=compared) for number, place in enumerate(found, 1)]
    caption = f"What could lift {findings.newest.run}, what fell most since the baseline first"
    if not compared:
        caption = f"What could lift {findings.newest.run}, the largest first"
    yield Table(caption=caption, columns=columns, rows=rows, brief=_MOST)


def _row(number: int, place: Place, *, compared: bool) -> Row:
    change: list[Line] = []
    if compared:
        noise = ", within noise" if place.change is not None and place.within_noise else ""
        change = ["" if place.change is None else f"{numbers.points(place.change)}{noise}"]
    return Row(
        cells=[
            str(number),
            [Jump(mode_anchor(place.mode.mode), place.mode.title)],
            [Cause(place.mode.cause)],
            place.mode.owner,
            numbers.points(place.at_most, signed=False),
            saying.of(place.rollouts, place.run.measured),
            *change,
            saying.refs(place.mode.refs, 2),
        ]
    )
