"""Recommendations: what to look at first, who can act on it, and at most how much it could give.

An upper bound is not an estimate: it is what the score would gain if every rollout of the mode passed.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from blade import numbers
from blade.explain.records import ModeShare, RunFailures
from blade.report import saying
from blade.report.findings import Findings
from blade.report.pieces import RIGHT, Cause, Code, Column, Jump, Line, Note, Paragraph, Piece, Row, Strong, Table
from blade.report.sections.anchors import mode_anchor

_MOST: Final = 12


class Place(NamedTuple):
    """A failure mode of the newest run, as something to look at."""

    run: RunFailures
    mode: ModeShare
    at_most: float
    """Points of pass@1 that the run would gain if all its rollouts passed."""
    rollouts: int
    """Measured rollouts that it fails."""
    change: float | None
    """Points that it moves against the baseline; negative where it costs more than there."""
    within_noise: bool


def ranked(findings: Findings) -> list[Place]:
    """The modes of the newest run, those first that could give most; what brought the score down comes before."""
    run = findings.newest
    found = [_place(findings, run, mode) for mode in run.modes]
    return sorted((place for place in found if place.rollouts), key=_order)


def _order(place: Place) -> tuple[bool, float, float, str]:
    fell = place.change is not None and place.change < 0 and not place.within_noise
    return (not fell, place.change or 0.0 if fell else 0.0, -place.at_most, place.mode.mode)


def _place(findings: Findings, run: RunFailures, mode: ModeShare) -> Place:
    refs = saying.measured_refs(run, mode)
    one = findings.main
    term = next((term for term in one.terms if term.mode == mode.mode), None) if one else None
    return Place(
        run=run,
        mode=mode,
        at_most=100 * _mass(findings, run, refs),
        rollouts=len(refs),
        change=term.points if term else None,
        within_noise=term.within_noise if term else True,
    )


def _mass(findings: Findings, run: RunFailures, refs: list[str]) -> float:
    """The share of pass@1 that these rollouts cost: each task weighs the same."""
    from blade.ref import Ref

    measured = {label.task: label.measured for label in findings.analysis.tasks if label.run == run.run}
    tasks = sum(1 for count in measured.values() if count)
    return sum(1 / measured[Ref.parse(ref).task] for ref in refs) / tasks if tasks else 0.0


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
