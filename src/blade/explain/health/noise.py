"""What chance makes: the differences that these runs could show, and the repeats that they would take."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from blade import numbers
from blade.explain.health.registry import Subject, check, rollouts, tasks
from blade.explain.records import Finding
from blade.measure import rates
from blade.measure.panel import Numbers
from blade.measure.power import DifferenceVariance, minimum_detectable, to_settle
from blade.measure.student import student_t_quantile

WORTH_SEEING: Final = 0.05
"""A difference of pass@1 that people act upon."""

MOST_REPEATS: Final = 64
HALF: Final = 0.5
"""The rate of the coin that varies most."""

RULE_OF_THREE: Final = 3.0
"""Events that may be expected at most where none was seen, with 95 % confidence."""


@check("too few repeats")
def too_few(subject: Subject) -> Iterator[Finding]:
    """Runs whose tasks were tried too seldom for the rollouts' own chance to average out."""
    for panel in subject.cases.panels:
        variance = variance_of(panel.passed, panel.measured)
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
        variance = variance_of(panel.passed, panel.measured)
        if variance is None:
            continue
        floor = numbers.points(100 * noise_floor(variance), signed=False)
        alone = not _is_repeated(panel.measured)
        bounded = (
            ", were every task a coin with the pass rate of the run, which is the most that chance can do"
            if alone
            else ""
        )
        measured = rollouts(int(panel.measured.sum()))
        yield Finding(
            kind="noise",
            title=f"{panel.run}: differences up to {floor} points {'can be' if alone else 'are'} noise",
            why=f"Two runs of the same model over its {tasks(variance.tasks)} ({measured}) would differ by no more than"
            f" {floor} points of pass@1 in 95 % of cases{bounded}; {_detectable(variance)}.",
            run=panel.run,
        )


def _detectable(variance: DifferenceVariance) -> str:
    least = minimum_detectable(variance)
    if least is None:
        return "so few tasks show no difference at all for sure"
    return f"a true difference of {numbers.points(100 * least, signed=False)} points is found in 80 % of comparisons"


def noise_floor(variance: DifferenceVariance) -> float:
    """What two runs that do not truly differ differ by at most, as a share, in 95 % of cases."""
    return min(1.0, student_t_quantile(0.975, variance.tasks - 1) * float(np.sqrt(variance.total / variance.tasks)))


def variance_of(passes: Numbers, tries: Numbers) -> DifferenceVariance | None:
    """The variance of the difference of two runs with such passes and tries of their tasks that do not truly differ.

    None for too few tasks.

    They differ by the chance of their rollouts alone, which the repeats of a task tell. One rollout of each
    task tells nothing of it; there it is at most that of a coin with the run's own rate.
    """
    kept = tries > 0
    passed, measured = passes[kept].astype(np.float64), tries[kept].astype(np.float64)
    if len(measured) < 2:
        return None
    # Where nothing varies, as much is possible as leaves no trace in so many rollouts.
    unseen = _coin(min(HALF, RULE_OF_THREE / measured.sum()))
    if not _is_repeated(tries):
        return DifferenceVariance(len(measured), 0.0, 2 * max(unseen, _coin(passed.sum() / measured.sum())), 1.0, 1.0)
    repeated = measured > 1
    share, count = passed[repeated] / measured[repeated], measured[repeated]
    single = max(unseen, float((share * (1 - share) * count / (count - 1)).mean()))
    repeats = float(1 / (1 / measured).mean())
    return DifferenceVariance(len(measured), 0.0, 2 * single, repeats, 1 / repeats)


def _is_repeated(tries: Numbers) -> bool:
    """Whether repeats of tasks tell how much of a rate is chance."""
    return int((tries > 1).sum()) > 1


def _coin(rate: float) -> float:
    """The variance of a single throw of a coin with this rate."""
    return float(rate * (1 - rate))
