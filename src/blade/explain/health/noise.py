"""What chance makes: the differences that these runs could show, and the repeats that they would take."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from blade import numbers
from blade.explain.health.registry import Subject, check, rollouts, tasks
from blade.explain.records import Finding
from blade.measure import rates
from blade.measure.panel import Panel
from blade.measure.power import DifferenceVariance, minimum_detectable, to_settle

WORTH_SEEING: Final = 0.05
"""A difference of pass@1 that people act upon."""

MOST_REPEATS: Final = 64
RULE_OF_THREE: Final = 3.0
"""Events that may be expected at most where none was seen, with 95 % confidence."""


@check("too few repeats")
def too_few(subject: Subject) -> Iterator[Finding]:
    """Runs whose tasks were tried too seldom for the rollouts' own chance to average out."""
    for panel in subject.cases.panels:
        variance = variance_of(panel)
        usual = rates.usual_repeats(panel)
        if variance is None or not usual:
            continue
        if usual == 1:
            yield Finding(
                kind="too few repeats",
                title=f"{panel.run} has one rollout for each task",
                why="Whether a task is hard or was unlucky cannot be told, nor how much of a difference is chance:"
                " four repeats tell both.",
                run=panel.run,
            )
            continue
        needed = to_settle(WORTH_SEEING, variance).repeats
        least = minimum_detectable(variance)
        if least is not None and least > WORTH_SEEING and needed and usual < needed <= MOST_REPEATS:
            yield Finding(
                kind="too few repeats",
                title=f"{panel.run}: {usual} repeats are too few to see a difference of"
                f" {numbers.points(100 * WORTH_SEEING, signed=False)} points",
                why=f"Against another run like it, {needed:,} repeats of its {tasks(variance.tasks)} would show one in"
                " 80 % of comparisons, were all else equal.",
                run=panel.run,
            )


@check("noise")
def noise(subject: Subject) -> Iterator[Finding]:
    """How far two runs of one and the same model would differ, and the least true difference that would be found."""
    for panel in subject.cases.panels:
        variance = variance_of(panel)
        if variance is None:
            continue
        floor = 100 * 1.96 * float(np.sqrt(variance.total / variance.tasks))
        least = minimum_detectable(variance)
        measured = rollouts(int(panel.measured.sum()))
        found = (
            "no difference at all is found"
            if least is None
            else (
                f"a true difference of {numbers.points(100 * least, signed=False)} points is found in 80 % of comparisons"
            )
        )
        yield Finding(
            kind="noise",
            title=f"{panel.run}: differences up to {numbers.points(floor, signed=False)} points are noise",
            why=f"Two runs of the same model over its {tasks(variance.tasks)} ({measured}) differ by up to"
            f" {numbers.points(floor, signed=False)} points of pass@1 in 95 % of cases; {found}.",
            run=panel.run,
        )


def variance_of(panel: Panel) -> DifferenceVariance | None:
    """The variance of the difference of two runs like this one that do not truly differ; None for too few tasks."""
    kept = panel.measured > 0
    passed, measured = panel.passed[kept].astype(np.float64), panel.measured[kept].astype(np.float64)
    if len(measured) < 2:
        return None
    repeated = measured > 1
    if repeated.sum() < 2:
        # One rollout tells nothing of chance: at most it is that of a coin with the run's own rate.
        return DifferenceVariance(len(measured), 0.0, 2 * _coin(passed.sum(), measured.sum()), 1.0, 1.0)
    share, count = passed[repeated] / measured[repeated], measured[repeated]
    single = float((share * (1 - share) * count / (count - 1)).mean())
    # Where no task varies, as much is possible as leaves no trace in so many rollouts.
    single = max(single, _coin(RULE_OF_THREE, measured.sum()) if not single else 0.0)
    repeats = float(1 / (1 / measured).mean())
    return DifferenceVariance(len(measured), 0.0, 2 * single, repeats, 1 / repeats)


def _coin(passed: float, measured: float) -> float:
    """The variance of a single throw of a coin with this rate."""
    rate = min(1.0, passed / measured)
    return rate * (1 - rate)
