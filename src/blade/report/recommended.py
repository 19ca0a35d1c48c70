"""What to look at first: failure modes of the newest run, with the bound of what mending each could give.

An upper bound is no estimate: it is what the score would gain if every measured rollout of the mode passed.
"""

from typing import NamedTuple

from blade.explain.records import ModeShare, RunFailures
from blade.ref import Ref
from blade.report import saying
from blade.report.findings import Findings


class Place(NamedTuple):
    """A failure mode of a run, as something to look at."""

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
    """The modes of the newest run: what brought its score down beyond noise first, then what could give most."""
    run = findings.newest
    found = [_place(findings, run, mode) for mode in run.modes]
    return sorted((place for place in found if place.rollouts), key=_order)


def _order(place: Place) -> tuple[bool, float, float, str]:
    fell = place.change is not None and place.change < 0 and not place.within_noise
    return (not fell, (place.change or 0.0) if fell else 0.0, -place.at_most, place.mode.mode)


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
    """The share of pass@1 that these rollouts cost; each task weighs the same."""
    measured = {label.task: label.measured for label in findings.analysis.tasks if label.run == run.run}
    tasks = sum(1 for count in measured.values() if count)
    return sum(1 / measured[Ref.parse(ref).task] for ref in refs) / tasks if tasks else 0.0
