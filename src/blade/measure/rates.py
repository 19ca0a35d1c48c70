"""Rates of one run: pass@k and its relatives, each a mean over tasks with an interval that is clustered by task."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from blade.measure.intervals import mean_interval, share_interval, these_tasks_interval
from blade.measure.outcomes import NOT_MEASURED
from blade.measure.panel import Numbers, Panel, share
from blade.measure.student import normal_quantile

if TYPE_CHECKING:
    from blade.measure.intervals import Interval

NEW_TASKS: Final = "new tasks like these"
THESE_TASKS: Final = "these tasks"
"""What an interval speaks of: words of `vocabulary.ESTIMANDS`."""

LEVEL: Final = 0.95


class Estimate(msgspec.Struct, kw_only=True):
    """A number with its interval; null ends where the data cannot say."""

    value: float | None
    low: float | None = None
    high: float | None = None
    tasks: int = 0
    """Tasks that it is a mean over."""


class Bounds(msgspec.Struct, kw_only=True):
    """What pass@1 could be at the least and at the most, whatever became of what is not measured."""

    low: float | None
    high: float | None


def pass_at(k: int, passed: Numbers, measured: Numbers) -> Numbers:
    """pass@k of each task, 1 − C(n−c, k) / C(n, k); every task must have at least k measured rollouts."""
    failing = np.ones(len(passed))
    for drawn in range(k):
        failing *= np.maximum(0, measured - passed - drawn) / (measured - drawn)
    return 1 - failing


def pass_hat(k: int, passed: Numbers, measured: Numbers) -> Numbers:
    """pass^k of each task, C(c, k) / C(n, k); every task must have at least k measured rollouts."""
    passing = np.ones(len(passed))
    for drawn in range(k):
        passing *= np.maximum(0, passed - drawn) / (measured - drawn)
    return passing


def first_of(k: int, panel: Panel) -> Numbers:
    """The share of passes among the first k measured rollouts of each task, in the order of its repeats."""
    first = (panel.turn >= 0) & (panel.turn < k)
    passes = np.bincount(panel.task[first & (panel.outcome == 1)], minlength=len(panel.tasks))
    return share(passes, np.bincount(panel.task[first], minlength=len(panel.tasks)))


def mean(values: Numbers) -> float | None:
    """The mean over tasks; None over none."""
    return float(values.mean()) if len(values) else None


def usual_repeats(panel: Panel) -> int:
    """The headline K: the median of measured repeats per task, the lower of two."""
    counts = np.sort(panel.measured[panel.measured > 0])
    return int(counts[(len(counts) - 1) // 2]) if len(counts) else 0


def most_repeats(panel: Panel) -> int:
    """The largest k that any task has measured rollouts for."""
    return int(panel.measured.max()) if len(panel.measured) else 0


def rates(panel: Panel, *, estimand: str = NEW_TASKS, level: float = LEVEL) -> dict[str, Estimate]:
    """Every rate of a run, under the names of the outputs contract."""
    passed, measured = panel.passed, panel.measured
    found: dict[str, Estimate] = {}
    usual, most = usual_repeats(panel), most_repeats(panel)
    for k in range(1, most + 1):
        enough = measured >= k
        c, n = passed[enough], measured[enough]
        at, hat = pass_at(k, c, n), pass_hat(k, c, n)
        found[f"pass@{k}"] = _estimate(at, _spread(pass_at, k, c, n), estimand, level)
        found[f"pass^{k}"] = _estimate(hat, _spread(pass_hat, k, c, n), estimand, level)
        first = first_of(k, panel)[enough]
        found[f"avg-of-{k}"] = _estimate(first, _binomial(first, k), estimand, level)
    some = measured > 0
    consistent = (passed == measured)[some].astype(float)
    found["consistency"] = _estimate(consistent, np.full(len(consistent), np.nan), estimand, level)
    if usual:
        enough = measured >= usual
        c, n = passed[enough], measured[enough]
        gained = pass_at(usual, c, n) - pass_at(1, c, n)
        found["retry_value"] = _estimate(gained, np.full(len(gained), np.nan), estimand, level)
    found["mean_reward"] = mean_reward(panel, estimand=estimand, level=level)
    return found


def share_of_tasks(values: Numbers, *, level: float = LEVEL) -> Estimate:
    """The mean over tasks of values in [0, 1], for new tasks like these."""
    return _estimate(values, np.full(len(values), np.nan), NEW_TASKS, level)


def _estimate(values: Numbers, variances: Numbers, estimand: str, level: float) -> Estimate:
    """The mean over tasks of values in [0, 1]; `variances` are those of the values over rollouts, NaN if unknown."""
    if not len(values):
        return Estimate(value=None)
    if estimand == THESE_TASKS:
        interval = these_tasks_interval(variances, values, level=level)
    else:
        interval = share_interval(values, level=level)
    return _with(float(values.mean()), interval, len(values))


def _with(value: float, interval: "Interval | None", tasks: int) -> Estimate:
    low, high = interval or (None, None)
    return Estimate(value=value, low=low, high=high, tasks=tasks)


_Statistic = Callable[[int, Numbers, Numbers], Numbers]
"""A rate of each task, of k and of its passed and measured rollouts."""


def _spread(statistic: _Statistic, k: int, passed: Numbers, measured: Numbers) -> Numbers:
    """The jackknife variance of a statistic of each task over its rollouts; NaN where one cannot be left out.

    A rollout that is left out is a pass or a failure, so that two values and their counts are all there is.
    For k = 1 this is p (1 − p) / (n − 1).
    """
    variances = np.full(len(passed), np.nan)
    more = measured > max(k, 1)
    c, n = passed[more], measured[more]
    if not len(c):
        return variances
    without_pass = statistic(k, np.maximum(0, c - 1), n - 1)
    without_failure = statistic(k, np.minimum(c, n - 1), n - 1)
    mean = (c * without_pass + (n - c) * without_failure) / n
    variances[more] = (n - 1) / n * (c * (without_pass - mean) ** 2 + (n - c) * (without_failure - mean) ** 2)
    return variances


def _binomial(shares: Numbers, k: int) -> Numbers:
    """The variance of a share of k rollouts; NaN for a single one."""
    return shares * (1 - shares) / (k - 1) if k > 1 else np.full(len(shares), np.nan)


def mean_reward(panel: Panel, *, estimand: str = NEW_TASKS, level: float = LEVEL) -> Estimate:
    """The mean over tasks of the mean reward of their measured rollouts."""
    means = panel.means(panel.reward)
    known = ~np.isnan(means)
    if not known.any():
        return Estimate(value=None)
    value, tasks = float(means[known].mean()), int(known.sum())
    repeats = panel.measured[known]
    if set(np.unique(panel.reward[panel.outcome != NOT_MEASURED])) <= {0.0, 1.0}:
        ones = np.rint(means[known] * repeats)
        return _estimate(means[known], _spread(pass_at, 1, ones, repeats), estimand, level)
    if estimand == NEW_TASKS:
        return _with(value, mean_interval(means[known], level=level), tasks)
    squares = panel.means(panel.reward**2)[known] - means[known] ** 2
    if (repeats < 2).any():
        return Estimate(value=value, tasks=tasks)
    error = np.sqrt(np.sum(np.maximum(0, squares) / (repeats - 1))) / tasks
    reach = normal_quantile((1 + level) / 2) * error
    return Estimate(value=value, low=value - reach, high=value + reach, tasks=tasks)


def worst_case(panel: Panel) -> Bounds:
    """pass@1 where all that is not measured counts as failed, and where it counts as passed."""
    owed = panel.as_failed
    unmeasured = owed.measured - np.pad(panel.measured, (0, panel.unknown_tasks))
    low, high = share(owed.passed, owed.measured), share(owed.passed + unmeasured, owed.measured)
    return Bounds(low=float(low.mean()), high=float(high.mean())) if len(low) else Bounds(low=None, high=None)


def buckets(panel: Panel) -> dict[str, int]:
    """Tasks by what their measured rollouts do."""
    passed, measured = panel.passed, panel.measured
    some = measured > 0
    return {
        "always": int(np.sum(some & (passed == measured))),
        "sometimes": int(np.sum(some & (passed > 0) & (passed < measured))),
        "never": int(np.sum(some & (passed == 0))),
        "missing": int(np.sum(~some)) + panel.unknown_tasks,
    }


def bucket_of(passed: int, measured: int) -> str:
    """The bucket of one task."""
    if not measured:
        return "missing"
    return "always" if passed == measured else "sometimes" if passed else "never"
