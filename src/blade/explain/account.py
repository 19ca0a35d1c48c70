"""Why the score changed, exactly: what each mode and each cause adds to the difference, and where failures went.

With f(t, m) the share of a task's measured rollouts that fail with mode m, the difference of pass@1 over the common
tasks is the sum over modes of mean_t [ f_A(t, m) − f_B(t, m) ]. No model is fitted, so the terms sum to it.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from blade.explain.assign import Assigned
from blade.explain.cases import Cases
from blade.measure.intervals import Interval, mean_interval
from blade.measure.multiplicity import simultaneous_intervals
from blade.measure.panel import Numbers, share

PASSED: Final = "passed"
"""Stands for passing rollouts where modes are told."""

_MANY_TASKS: Final = 2_000
_SMALLEST_FLOW: Final = 0.05
"""Points below which a flow is not told."""


class Pair(NamedTuple):
    """Two runs over the tasks that both have measured."""

    cases: Cases
    runs: tuple[int, int]
    tasks: Numbers
    """Numbers of the common tasks."""
    common: Numbers
    """Of each rollout of either run the place of its task among them; -1 for none."""

    @classmethod
    def of(cls, cases: Cases, candidate: int) -> "Pair":
        """The first run and another one."""
        measured = [
            np.bincount(cases.task[cases.of_run(run)], weights=cases.measured[cases.of_run(run)], minlength=cases.tasks)
            for run in (0, candidate)
        ]
        tasks = np.flatnonzero((measured[0] > 0) & (measured[1] > 0))
        place = np.full(cases.tasks, -1)
        place[tasks] = np.arange(len(tasks))
        common = np.full(len(cases), -1)
        for run in (0, candidate):
            common[cases.of_run(run)] = place[cases.task[cases.of_run(run)]]
        common[~cases.measured] = -1
        return cls(cases, (0, candidate), tasks, common)

    def of_side(self, side: int) -> Numbers:
        """The measured rollouts of one of the runs over the common tasks."""
        span = self.cases.of_run(self.runs[side])
        return np.asarray(np.flatnonzero(self.common[span] >= 0) + span.start)

    def shares(self, side: int, kind: Numbers, kinds: int, weight: Numbers | None = None) -> Numbers:
        """Of each common task the share of its rollouts in one run that are of each kind; those of kind -1 in none.

        With a weight, its mean over the task's rollouts, by kind.
        """
        chosen = self.of_side(side)
        size = len(self.tasks)
        counts = np.bincount(self.common[chosen], minlength=size)
        told = chosen[kind[chosen] >= 0]
        places = self.common[told] * kinds + kind[told]
        weights = None if weight is None else weight[told]
        sums = np.bincount(places, weights=weights, minlength=size * kinds).reshape(size, kinds)
        return np.asarray(sums / counts[:, None])


class Part(NamedTuple):
    """What one kind of failure adds to a difference, in shares; and what it costs each of the two runs."""

    kind: int
    value: float
    interval: Interval | None
    baseline: float
    candidate: float

    @property
    def within_noise(self) -> bool:
        """Whether noise may have made it: the interval that holds for all terms at once holds 0."""
        return self.interval is None or self.interval.low <= 0 <= self.interval.high


def parts(pair: Pair, kind: Numbers, kinds: int, *, seed: int, level: float) -> list[Part]:
    """What each kind of failure adds to the difference of pass@1, the largest first; they sum to it."""
    first, second = (pair.shares(side, kind, kinds) for side in (0, 1))
    used = np.flatnonzero(first.any(axis=0) | second.any(axis=0))
    if not len(pair.tasks):
        return []
    difference = first[:, used] - second[:, used]
    resamples = 10_000 if len(pair.tasks) <= _MANY_TASKS else 2_000
    intervals: Sequence[Interval | None] = simultaneous_intervals(
        difference, seed=seed, level=level, resamples=resamples
    ) or [None] * len(used)
    found = [
        Part(kind_, value, interval, float(first[:, kind_].mean()), float(second[:, kind_].mean()))
        for kind_, value, interval in zip(used.tolist(), difference.mean(axis=0).tolist(), intervals, strict=True)
    ]
    return sorted(found, key=lambda part: (-abs(part.value), part.kind))


def reward_parts(pair: Pair, kind: Numbers, kinds: int, *, level: float) -> list[Part]:
    """What each kind adds to the difference of mean rewards, by the reward lost, 1 − r; passes are the last kind."""
    lost = 1.0 - pair.cases.reward
    with_passes = np.where(kind >= 0, kind, kinds)
    first, second = (pair.shares(side, with_passes, kinds + 1, lost) for side in (0, 1))
    found = []
    for each in np.flatnonzero(first.any(axis=0) | second.any(axis=0)).tolist():
        difference = first[:, each] - second[:, each]
        interval = mean_interval(difference, level=level) if len(difference) > 1 else None
        found.append(
            Part(each, float(difference.mean()), interval, float(first[:, each].mean()), float(second[:, each].mean()))
        )
    return sorted(found, key=lambda part: (-abs(part.value), part.kind))


def flows(pair: Pair, assigned: Assigned) -> list[tuple[int, int, float]]:
    """Where rollouts went, in points: from kind to kind, passes counted as the kind behind the last mode.

    Of each task what stays the same stays; the rest of each kind in the baseline is spread over what is new in the
    candidate, in proportion. So no flow is told that the task's own counts do not force.
    """
    kinds = len(assigned.modes)
    kind = np.where(assigned.mode >= 0, assigned.mode, kinds)
    first, second = (pair.shares(side, kind, kinds + 1) for side in (0, 1))
    if not len(pair.tasks):
        return []
    same = np.minimum(first, second)
    left, new = first - same, second - same
    moved = share(np.ones(len(left)), left.sum(axis=1))
    between = (left * np.nan_to_num(moved)[:, None]).T @ new / len(left)
    np.fill_diagonal(between, between.diagonal() + same.mean(axis=0))
    found = [
        (source, target, 100 * float(between[source, target]))
        for source, target in np.argwhere(100 * between >= _SMALLEST_FLOW).tolist()
    ]
    return sorted(found, key=lambda flow: (-flow[2], flow[0], flow[1]))
