"""Tasks that tell no two models apart: always passed, never passed, or telling it the wrong way round."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from blade import numbers
from blade.explain.health.registry import Subject, check, tasks
from blade.explain.records import Finding
from blade.measure.panel import Numbers
from blade.measure.student import normal_cdf

MANY: Final = 0.3
"""Share of tasks at the ceiling, or at the floor, from which on it is told."""

ENOUGH: Final = 4
"""Measured rollouts, over all runs, from which on a task may be called always or never passed."""

FEW: Final = 0.25
"""Share of tasks that vary, below which a benchmark discriminates little."""

FEWEST_TASKS: Final = 10
FEWEST_RUNS: Final = 6
WRONG_WAY: Final = -0.5


class _Counted:
    """Passes and measured rollouts of every task over all runs."""

    def __init__(self, subject: Subject) -> None:
        cases = subject.cases
        self.measured = np.bincount(cases.task[cases.measured], minlength=cases.tasks)
        self.passed = np.bincount(cases.task[cases.passed], minlength=cases.tasks)
        self.known = self.measured >= ENOUGH

    def at(self, share: float) -> Numbers:
        """The tasks with this share of passes, among those that were tried often enough."""
        return np.flatnonzero(self.known & (self.passed == share * self.measured))


@check("ceiling")
def ceiling(subject: Subject) -> Iterator[Finding]:
    """Tasks that pass in every rollout of every run, where they are many."""
    yield from _at(subject, 1.0, "ceiling", "pass in every rollout of every run", "what a better model gains")


@check("floor")
def floor(subject: Subject) -> Iterator[Finding]:
    """Tasks that nobody passes, where they are many."""
    yield from _at(subject, 0.0, "floor", "pass in no rollout of any run", "what a worse model loses")


def _at(subject: Subject, share: float, kind: str, what: str, unseen: str) -> Iterator[Finding]:
    counted = _Counted(subject)
    found, known = counted.at(share), int(counted.known.sum())
    if known < FEWEST_TASKS or len(found) < MANY * known:
        return
    yield Finding(
        kind=kind,
        title=f"{len(found):,} of {tasks(known)} {what}",
        why=f"Of the tasks with at least {ENOUGH} measured rollouts over all runs"
        f" {numbers.percent(len(found) / known)} are at the {kind}; there the benchmark does not see {unseen}.",
        tasks=subject.task_names(found),
    )


@check("low discrimination")
def discrimination(subject: Subject) -> Iterator[Finding]:
    """Few tasks vary; or, with many runs, tasks that better runs pass less often."""
    counted = _Counted(subject)
    known = int(counted.known.sum())
    varied = np.flatnonzero(counted.known & (counted.passed > 0) & (counted.passed < counted.measured))
    if known >= FEWEST_TASKS and len(varied) < FEW * known:
        yield Finding(
            kind="low discrimination",
            title=f"Only {len(varied):,} of {tasks(known)} vary at all",
            why=f"The other {known - len(varied):,} pass always or never, over all runs: a difference between runs can"
            " show on those alone that vary.",
            tasks=subject.task_names(varied),
        )
    backwards = _backwards(subject)
    if len(backwards):
        yield Finding(
            kind="low discrimination",
            title=f"{tasks(len(backwards))} pass less often in runs that pass the other tasks more often",
            why=f"Over {len(subject.cases.panels)} runs the pass rate of each goes against that of the rest"
            f" (correlation at most {WRONG_WAY:g}, beyond chance): a wrong expectation often looks like this.",
            tasks=subject.task_names(backwards),
        )


def _backwards(subject: Subject) -> Numbers:
    """Tasks whose pass rate over runs goes against that of the other tasks, beyond chance."""
    cases = subject.cases
    runs = len(cases.panels)
    if runs < FEWEST_RUNS:
        return np.zeros(0, dtype=np.int64)
    cell = cases.run * cases.tasks + cases.task
    measured, passed = (
        np.bincount(cell[chosen], minlength=runs * cases.tasks).reshape(runs, cases.tasks)
        for chosen in (cases.measured, cases.passed)
    )
    whole = (measured > 0).all(axis=0)
    rates = passed[:, whole] / measured[:, whole]
    rest = rates.sum(axis=1, keepdims=True) - rates
    told = (rates.std(axis=0) > 0) & (rest.std(axis=0) > 0)
    tried = np.flatnonzero(told)
    correlations = np.array([np.corrcoef(rates[:, task], rest[:, task])[0, 1] for task in tried])
    # Fisher's z, one-sided, adjusted for the number of tasks by Bonferroni.
    z = np.arctanh(np.clip(correlations, -0.999999, 0.999999)) * np.sqrt(runs - 3)
    chance = np.array([normal_cdf(float(each)) for each in z]) * max(1, len(tried))
    return np.flatnonzero(whole)[tried[(correlations <= WRONG_WAY) & (chance < 0.05)]]
