"""Confidence intervals of means over tasks.

One value stands for each task, so that repeats of a task are never taken for independent evidence. The
methods were chosen by simulation among the usual ones, bootstraps included (`python -m bench.coverage`).

Two devices recur. A quantile of Student's t with tasks - 1 degrees of freedom allows for a variance that is
itself estimated. And the variance is estimated *as if one more task had been seen*, which keeps an interval
open where the tasks seen are alike by chance; with many tasks it weighs nothing.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from blade.measure.resampling import bootstrap_means
from blade.measure.student import normal_cdf, normal_quantile, student_t_quantile

Floats = npt.NDArray[np.float64]

_ROUNDING = 1e-9
_NO_SKEW = 1e-6
_LARGEST_VARIANCE = 0.25


class Interval(NamedTuple):
    """The two ends of a confidence interval."""

    low: float
    high: float


def share_interval(values: npt.ArrayLike, *, level: float = 0.95) -> Interval | None:
    """The interval of a mean over tasks of values in [0, 1]: pass rates, pass@k, 0/1 indicators.

    It speaks of *new tasks like these*: tasks and rollouts both vary. None for fewer than two tasks, since one
    task says nothing about how tasks differ. Wilson's score interval at the effective number of tasks

        n = T (T + 1) m (1 - m) / (sum of squared deviations + m (1 - m))

    with mean m of T tasks, and t for z. One more task with the spread m (1 - m) of a single rollout is
    counted. At one repeat n is T and the interval is Wilson's; where all tasks are 0 or all are 1 it is
    Wilson's too.
    """
    return _one(share_bounds(_tasks(values, low=0.0, high=1.0), level=level))


def share_bounds(values: Floats, *, level: float = 0.95) -> tuple[Floats, Floats] | None:
    """`share_interval` along the last axis of an array in [0, 1], without checks: for many data sets at once."""
    tasks = values.shape[-1]
    if tasks < 2:
        return None
    mean = values.mean(axis=-1)
    binomial = mean * (1.0 - mean)
    squares = ((values - mean[..., None]) ** 2).sum(axis=-1)
    variance = (squares + binomial) / (tasks + 1)
    return _wilson(mean, variance / tasks, tasks, student_t_quantile((1 + level) / 2, tasks - 1))


def these_tasks_interval(variances: npt.ArrayLike, means: npt.ArrayLike, *, level: float = 0.95) -> Interval | None:
    """The interval of a mean over *these* tasks, each a value in [0, 1]: only their rollouts vary.

    `variances` are the estimated sampling variances of the tasks' values, for a pass rate p of n measured
    rollouts p (1 - p) / (n - 1); NaN where a task has too few repeats to know. Such tasks are given the
    most that a value can vary, q (1 - q) with q their mean. None where no task knows.
    """
    values = _tasks(means, low=0.0, high=1.0)
    spread = np.asarray(variances, dtype=np.float64)
    if spread.shape != values.shape or np.any(spread < 0) or np.isinf(spread).any():
        raise ValueError("every task needs one variance, at least 0, or NaN")
    unknown = np.isnan(spread)
    if unknown.all():
        return None
    if unknown.any():
        average = values[unknown].mean()
        spread = np.where(unknown, average * (1.0 - average), spread)
    return _one(these_tasks_bounds(spread, values, level=level))


def these_tasks_bounds(variances: Floats, means: Floats, *, level: float = 0.95) -> tuple[Floats, Floats]:
    """`these_tasks_interval` along the last axis, with every variance known and without checks.

    Wilson's score interval at the number of independent rollouts m (1 - m) / variance that would know m as
    well. The tasks' variances are estimates: while few of them are above zero, the rule of three says what
    may have been missed, z² / (1 + number above zero) times the smallest of them (1/4 where there is none).
    """
    tasks = means.shape[-1]
    quantile = normal_quantile((1 + level) / 2)
    above = variances > 0
    smallest = np.where(above, variances, _LARGEST_VARIANCE).min(axis=-1)
    missed = smallest * quantile**2 / (1 + above.sum(axis=-1))
    variance = (variances.sum(axis=-1) + missed) / tasks**2
    return _wilson(means.mean(axis=-1), variance, tasks, quantile)


def mean_interval(values: npt.ArrayLike, *, level: float = 0.95) -> Interval | None:
    """The interval of a mean over tasks of values without bounds: rewards, tokens, seconds.

    Student's t with Hall's cubic correction for skewness (Hall 1992, "On the removal of skewness by
    transformation"), which tokens and costs need. None for fewer than two tasks. Where all tasks are equal
    it has no width: without bounds there is no scale by which to open it.
    """
    return _one(mean_bounds(_tasks(values), level=level))


def mean_bounds(values: Floats, *, level: float = 0.95) -> tuple[Floats, Floats] | None:
    """`mean_interval` along the last axis, without checks."""
    tasks = values.shape[-1]
    if tasks < 2:
        return None
    mean, error = values.mean(axis=-1), values.std(axis=-1, ddof=1) / np.sqrt(tasks)
    quantile = student_t_quantile((1 + level) / 2, tasks - 1)
    skew = _skewness(values) / np.sqrt(tasks)
    return mean - error * _unskewed(quantile, skew), mean - error * _unskewed(-quantile, skew)


def _skewness(values: Floats) -> Floats:
    """The third standardised moment along the last axis; 0 where nothing varies."""
    deviations = values - values.mean(axis=-1, keepdims=True)
    scale = np.sqrt((deviations**2).mean(axis=-1, keepdims=True))
    with np.errstate(invalid="ignore", divide="ignore"):
        standard = np.where(scale > 0, deviations / scale, 0.0)
    return np.asarray((standard**3).mean(axis=-1))


def _unskewed(quantile: float, skew: Floats) -> Floats:
    """The inverse of Hall's transformation x + s x² / 3 + s² x³ / 27 + s / 6, with s the skewness over root T."""
    safe = np.where(np.abs(skew) < _NO_SKEW, 1.0, skew)
    bent = 3.0 / safe * (np.cbrt(1.0 + safe * (quantile - safe / 6.0)) - 1.0)
    return np.where(np.abs(skew) < _NO_SKEW, quantile, bent)


def paired_interval(differences: npt.ArrayLike, *, level: float = 0.95) -> Interval | None:
    """The interval of a mean over tasks of differences in [-1, 1]: new tasks like these. None for fewer than two.

    Student's t, with one more task counted in the variance: it is as far from the others as the farthest
    task seen, or, while few tasks are apart, as far as the rule of three allows (`paired_variance`). So the
    width is never zero: where no task of T differs, the interval is close to ± t² / T.
    """
    return _one(paired_bounds(_tasks(differences, low=-1.0, high=1.0), level=level))


def paired_bounds(differences: Floats, *, level: float = 0.95) -> tuple[Floats, Floats] | None:
    """`paired_interval` along the last axis of an array in [-1, 1], without checks."""
    tasks = differences.shape[-1]
    if tasks < 2:
        return None
    quantile = student_t_quantile((1 + level) / 2, tasks - 1)
    mean, half = differences.mean(axis=-1), quantile * np.sqrt(paired_variance(differences, quantile) / tasks)
    return np.maximum(mean - half, -1.0), np.minimum(mean + half, 1.0)


def paired_variance(differences: Floats, quantile: float) -> Floats:
    """The variance of tasks' differences in [-1, 1] along the last axis, as if one more task had been seen.

    The squares of the T tasks and of one more, over T + 1. That one is as far from the median as the task
    farthest from it, or as far as `possible_variance` allows.
    """
    tasks = differences.shape[-1]
    around = ((differences - differences.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
    apart = (differences - np.median(differences, axis=-1, keepdims=True)) ** 2
    one_more = np.maximum(apart.max(axis=-1), possible_variance(apart, quantile))
    return np.asarray((around + one_more) / (tasks + 1))


def possible_variance(squares: Floats, quantile: float) -> Floats:
    """What one more task may add, by the rule of three: quantile² / (1 + number of tasks that are apart).

    Where no task is apart, it makes the standard error of the mean quantile / T, and the interval as wide as
    the score interval of none in T.
    """
    return np.asarray(quantile**2 / (1 + (squares > _ROUNDING**2).sum(axis=-1)))


def ratio_interval(
    numerators: npt.ArrayLike, denominators: npt.ArrayLike, *, seed: int, level: float = 0.95, resamples: int = 2000
) -> Interval | None:
    """The interval of one ratio, as `ratio_intervals` gives it."""
    return ratio_intervals([(numerators, denominators)], seed=seed, level=level, resamples=resamples)[0]


def ratio_intervals(
    ratios: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]], *, seed: int, level: float = 0.95, resamples: int = 2000
) -> list[Interval | None]:
    """The interval of each sum / sum over the same tasks, such as the cost of a solved rollout.

    Percentiles of a bootstrap: tasks are drawn together with all their numbers. The percentiles are moved
    outwards as t is from z and by the bootstrap's missing T / (T - 1) (Hesterberg 2015). Resamples without a
    denominator count as infinite, so the high end can be infinite. Numerators and denominators must be at
    least 0. None for fewer than two tasks or where the denominators sum to zero.
    """
    pairs = [(_tasks(above, low=0.0), _tasks(below, low=0.0)) for above, below in ratios]
    tasks = len(pairs[0][0]) if pairs else 0
    if any(len(numbers) != tasks for pair in pairs for numbers in pair):
        raise ValueError("every task needs a numerator and a denominator")
    if tasks < 2:
        return [None] * len(pairs)
    sums = bootstrap_means(
        np.column_stack([numbers for pair in pairs for numbers in pair]), resamples=resamples, seed=seed
    )
    outside = _expanded_tail(tasks, level=level)
    ends = round(outside * (resamples - 1)), round((1 - outside) * (resamples - 1))
    return [
        _ratio_ends(*pair, sums[:, 2 * place], sums[:, 2 * place + 1], ends) if pair[1].sum() > 0 else None
        for place, pair in enumerate(pairs)
    ]


def _ratio_ends(above: Floats, below: Floats, over: Floats, under: Floats, ends: tuple[int, int]) -> Interval:
    """The ratios of resampled sums at both ends, and what was seen between them."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.sort(np.where(under > 0, over / under, np.inf))
    seen = float(above.sum() / below.sum())
    return Interval(min(float(ratios[ends[0]]), seen), max(float(ratios[ends[1]]), seen))


def _expanded_tail(tasks: int, *, level: float) -> float:
    """The share of resamples to leave out at each end, so that a percentile interval is as wide as Student's t."""
    quantile = student_t_quantile((1 + level) / 2, tasks - 1) * np.sqrt(tasks / (tasks - 1))
    return normal_cdf(-quantile)


def _wilson(mean: Floats, variance: Floats, tasks: int, quantile: float) -> tuple[Floats, Floats]:
    """The score interval of a share with this mean and variance of the mean; at n = tasks where it is 0 or 1."""
    binomial = mean * (1.0 - mean)
    certain = binomial <= _ROUNDING**2
    size = np.where(certain, tasks, binomial / np.where(certain, 1.0, variance))
    shrink = 1.0 + quantile**2 / size
    centre = (mean + quantile**2 / (2.0 * size)) / shrink
    half = quantile / shrink * np.sqrt(binomial / size + quantile**2 / (4.0 * size**2))
    # Rounding must put neither the mean outside nor an end beyond 0 and 1.
    low = np.minimum(np.maximum(centre - half, 0.0), mean)
    return low, np.maximum(np.minimum(centre + half, 1.0), mean)


def _tasks(values: npt.ArrayLike, *, low: float = -np.inf, high: float = np.inf) -> Floats:
    """The values as an array of one finite number a task, inside the range but for rounding."""
    checked = np.asarray(values, dtype=np.float64)
    if checked.ndim != 1:
        raise ValueError(f"one value for each task is needed, not an array of {checked.ndim} dimensions")
    if not np.isfinite(checked).all():
        raise ValueError("values must be finite: leave out tasks that were not measured")
    if np.any(checked < low - _ROUNDING) or np.any(checked > high + _ROUNDING):
        raise ValueError(f"values must lie between {low:g} and {high:g}")
    return np.clip(checked, low, high)


def _one(bounds: tuple[Floats, Floats] | None) -> Interval | None:
    return None if bounds is None else Interval(float(bounds[0]), float(bounds[1]))
