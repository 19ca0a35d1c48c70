"""What a comparison could have shown: the smallest difference it would find, and what would settle one.

Over tasks, the difference of two runs varies for two reasons: the true difference is not the same for every
task, and every task's pass rate is known from a few rollouts only:

    Var(delta) = (between + within / repeats) / tasks

More repeats shrink the second term alone, more tasks shrink both.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from blade.measure.intervals import possible_variance
from blade.measure.permutation import lattice, smallest_p
from blade.measure.student import normal_quantile, student_t_quantile

Floats = npt.NDArray[np.float64]

_MOST = 10**9
_LEAST_FACTOR = 0.25
_NO_VARIANCE = 1e-18


class DifferenceVariance(NamedTuple):
    """Where the uncertainty of a difference of pass rates comes from, estimated from one pair of runs.

    `between` is the variance over tasks of the true difference. `within` is the variance of the difference
    of one rollout from each run at a task, averaged over tasks; None where too few tasks were repeated to
    tell it apart, and then `between` holds both. `repeats` is what `within` is divided by (the harmonic mean
    of both runs' counts, weighted by variance). `step` is the least change of one task's difference. `skewness`
    (positive in the direction of the difference) and `kurtosis` are those of the tasks' differences.
    """

    tasks: int
    between: float
    within: float | None
    repeats: float
    step: float
    skewness: float = 0.0
    kurtosis: float = 3.0

    @property
    def total(self) -> float:
        """The variance of one task's measured difference; the variance of the delta times the tasks."""
        return self.between + (self.within / self.repeats if self.within is not None else 0.0)


class Settling(NamedTuple):
    """What would show a difference: so many repeats of the same tasks, or so many tasks at the same repeats."""

    repeats: int | None
    tasks: int | None


def difference_variance(
    passed_a: npt.ArrayLike, measured_a: npt.ArrayLike, passed_b: npt.ArrayLike, measured_b: npt.ArrayLike
) -> DifferenceVariance | None:
    """Estimate the variances from the counts of passed and measured rollouts of each task in both runs.

    Tasks that one run has not measured are left out; None for fewer than two others. `between` is what the
    variance of the tasks' differences exceeds the rollouts' noise by, at least 0. The total is never zero:
    data that merely look identical leave possible what the rule of three does (`possible_variance`).
    """
    counts = [np.asarray(each, dtype=np.float64) for each in (passed_a, measured_a, passed_b, measured_b)]
    if len({each.shape for each in counts}) != 1 or counts[0].ndim != 1:
        raise ValueError("the four counts need one entry for each task")
    kept = (counts[1] > 0) & (counts[3] > 0)
    first, of_first, second, of_second = (each[kept] for each in counts)
    tasks = len(first)
    if tasks < 2:
        return None
    differences = second / of_second - first / of_first
    noise_a, noise_b = _noise(first, of_first), _noise(second, of_second)
    seen = float(differences.var(ddof=1))
    step = _step(differences, of_first, of_second)
    least = float(possible_variance(differences**2, student_t_quantile(0.975, tasks - 1))) / (tasks + 1)
    shape = _shape(differences)
    if noise_a is None or noise_b is None:
        return DifferenceVariance(tasks, max(seen, least), None, 1.0, step, *shape)
    within, noise = noise_a[0] + noise_b[0], noise_a[1] + noise_b[1]
    between = max(seen - noise, least - noise, 0.0)
    repeats = within / noise if noise > 0 else float(of_first.mean())
    return DifferenceVariance(tasks, between, within, repeats, step, *shape)


def minimum_detectable(variance: DifferenceVariance, *, alpha: float = 0.05, power: float = 0.8) -> float | None:
    """The true difference that a pair of runs like this one would show (p < alpha) with this power.

    (t + z f) √(total / tasks) + step / tasks, with t the 1 - α/2 quantile at tasks - 1 degrees of freedom and z
    the normal quantile of the power. The last term is the continuity correction of the sign-flip test, whose
    sums move in steps of 2 step. The factor f, 1 for many tasks, is the spread of mean - t × standard error over
    that of the mean: f² = 1 - t skewness / √tasks + t² (kurtosis - 1) / (4 tasks). A difference that is made at
    few tasks is skewed, its mean and its standard error grow together, and it is found at smaller size. None
    where no difference would do: with fewer than 6 tasks no result has p < 0.05, and with little more and much
    noise the sum exceeds 1.
    """
    least = _detectable(variance, variance.total, variance.tasks, variance.step, alpha, power)
    return least if least <= 1.0 else None


def to_settle(delta: float, variance: DifferenceVariance, *, alpha: float = 0.05, power: float = 0.8) -> Settling:
    """The repeats, or the tasks, at which a true difference `delta` would be the minimum detectable one.

    Repeats are None where they cannot: too few tasks, tasks that differ too unlike one another, or `within`
    is not known. Both are counts of the whole, not of what to add, and may be fewer than there are.
    """
    size, (tasks, between, within, repeats, step, *_) = abs(delta), variance
    if size == 0.0:
        return Settling(None, None)

    def shown_by_repeats(count: int) -> bool:
        total = between + (within or 0.0) / count
        return _detectable(variance, total, tasks, step * repeats / count, alpha, power) <= size

    def shown_by_tasks(count: int) -> bool:
        return _detectable(variance, variance.total, count, step, alpha, power) <= size

    return Settling(None if within is None else _smallest(shown_by_repeats), _smallest(shown_by_tasks))


def _detectable(
    variance: DifferenceVariance, total: float, tasks: int, step: float, alpha: float, power: float
) -> float:
    """`minimum_detectable` at another total, number of tasks and step, of differences of the same shape."""
    if tasks < 2 or smallest_p(tasks) >= alpha:
        return math.inf
    critical = student_t_quantile(1 - alpha / 2, tasks - 1)
    squared = 1 - critical * variance.skewness / math.sqrt(tasks) + critical**2 * (variance.kurtosis - 1) / (4 * tasks)
    quantiles = critical + normal_quantile(power) * math.sqrt(max(squared, _LEAST_FACTOR))
    return quantiles * math.sqrt(total / tasks) + step / tasks


def _shape(differences: Floats) -> tuple[float, float]:
    """Skewness in the direction of the mean, 0 where it has none, and kurtosis; of a normal where nothing varies."""
    mean = float(differences.mean())
    around = differences - mean
    variance = float((around**2).mean())
    if variance <= _NO_VARIANCE:
        return 0.0, 3.0
    skewness = float((around**3).mean()) / variance**1.5
    side = math.copysign(1.0, mean) if mean**2 > _NO_VARIANCE else 0.0
    return side * skewness, float((around**4).mean()) / variance**2


def _smallest(enough: Callable[[int], bool]) -> int | None:
    """The smallest count that is enough, given that more never is less; None where none is."""
    high = 1
    while not enough(high):
        high *= 2
        if high > _MOST:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _noise(passed: Floats, measured: Floats) -> tuple[float, float] | None:
    """The variance of one rollout and that of a task's pass rate, averaged over tasks; None if unknown.

    Of a task passed at p in n rollouts the unbiased estimates are p (1 - p) n / (n - 1), and that over n;
    a task with one rollout is given the average of the others.
    """
    repeated = measured > 1
    if repeated.sum() < 2:
        return None
    p, n = passed[repeated] / measured[repeated], measured[repeated]
    single = p * (1 - p) * n / (n - 1)
    alone = float(single.mean())
    total = float((single / n).sum()) + alone * int((~repeated).sum())
    return alone, total / len(measured)


def _step(differences: Floats, of_first: Floats, of_second: Floats) -> float:
    """The size that all differences are multiples of; that of one rollout where none differs."""
    apart = differences[differences != 0.0]
    found = lattice(apart) if len(apart) else None
    if len(apart):
        return found.size if found else 0.0
    return 1.0 / float(max(of_first.max(), of_second.max()))
