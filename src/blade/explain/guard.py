"""Whether a behaviour goes with failure, rather than with hard tasks or with one of the runs.

Rollouts are held against rollouts of the same task in the same run. Of each such stratum that has passes and
failures, and rollouts with and without the behaviour, two things are known: how many show it, and how many failed.
Were the two unrelated, the failures that show it would be a draw without replacement (hypergeometric); over strata
the draws add up. That gives the common odds ratio of Mantel and Haenszel, and an exact p-value.

Where no stratum has both outcomes, as with one repeat or with a fault that always strikes, the same is asked of the
tasks of one run; that is weaker, since hard tasks may bring a behaviour about, and is told as such.
"""

import math
from typing import Final, NamedTuple

import numpy as np

from blade.measure.panel import Numbers
from blade.measure.student import normal_cdf, normal_quantile

WITHIN: Final = "within tasks"
BETWEEN: Final = "between tasks"
NONE: Final = "none"

MOST_IN_PASSES_BETWEEN: Final = 0.25
"""Share of passes among the rollouts that show something, up to which tasks may tell of it that do not differ within:
beyond that it may be the kind of task that shows it, and fails."""

ALPHA: Final = 0.05
"""A p-value, adjusted for all that was tried, from which on downwards something is shown to go with failure."""

LEAST_ODDS: Final = 2.0
"""A weaker behaviour explains less than half of the failures that show it: (odds − 1) / odds."""

_EXACT_UP_TO: Final = 400
"""Variance of the count from which on the normal approximation is as good as the exact distribution."""


class Association(NamedTuple):
    """How much likelier a rollout that shows something is to fail."""

    value: float | None
    """The common odds ratio; None where nothing can be said. Half a rollout fills empty cells."""
    low: float | None
    high: float | None
    """None where no pass shows it, or no failure lacks it: then it has no bound."""
    p: float
    """Chance of at least as many failures that show it, were the two unrelated (mid-p); 1 where nothing is known."""
    by: str
    """`within tasks`, `between tasks`, or `none`."""
    strata: int
    """How many strata inform it."""


UNKNOWN: Final = Association(None, None, None, 1.0, NONE, 0)


def association(shown: Numbers, failed: Numbers, stratum: Numbers, coarse: Numbers) -> Association:
    """The association of `shown` with `failed` over strata; over the coarse ones where the fine ones say nothing."""
    for strata, by in ((stratum, WITHIN), (coarse, BETWEEN)):
        tables = tables_of(shown, failed, strata)
        if len(tables):
            return _associated(tables, by)
    return UNKNOWN


def tables_of(shown: Numbers, failed: Numbers, stratum: Numbers) -> Numbers:
    """Of each stratum that informs: failures and passes that show it, failures and passes that do not."""
    if not shown.any():
        return np.zeros((0, 4))
    _, place = np.unique(stratum, return_inverse=True)
    counts = np.bincount(place * 4 + 2 * ~shown + ~failed, minlength=4 * (int(place.max()) + 1)).reshape(-1, 4)
    a, b, c, d = counts.T
    informs = (a + b > 0) & (c + d > 0) & (a + c > 0) & (b + d > 0)
    return np.asarray(counts[informs], dtype=np.float64)


def _associated(tables: Numbers, by: str) -> Association:
    value, low, high = odds_ratio(tables)
    return Association(value, low, high, upper_mid_p(tables), by, len(tables))


def odds_ratio(tables: Numbers, level: float = 0.95) -> tuple[float, float | None, float | None]:
    """Mantel and Haenszel's common odds ratio with the interval of Robins, Breslow and Greenland (1986).

    Where the ratio would be 0 or infinite, half a rollout in each cell gives a value and the bound that there is.
    """
    a, b, c, d = tables.T
    n = tables.sum(axis=1)
    r, s = a * d / n, b * c / n
    quantile = normal_quantile((1 + level) / 2)
    if s.sum() == 0 or r.sum() == 0:
        # Half a rollout for each cell, spread over the strata: more would drown what many small strata say.
        value, low, high = odds_ratio(tables + 0.5 / len(tables), level)
        return (value, low, None) if s.sum() == 0 else (value, None, high)
    return (float(r.sum() / s.sum()), *_bounds(tables, quantile))


def _bounds(tables: Numbers, quantile: float) -> tuple[float, float]:
    a, b, c, d = tables.T
    n = tables.sum(axis=1)
    p, q, r, s = (a + d) / n, (b + c) / n, a * d / n, b * c / n
    big_r, big_s = r.sum(), s.sum()
    variance = (
        (p * r).sum() / (2 * big_r**2) + (p * s + q * r).sum() / (2 * big_r * big_s) + (q * s).sum() / (2 * big_s**2)
    )
    middle, half = math.log(big_r / big_s), quantile * math.sqrt(variance)
    return math.exp(min(700.0, middle - half)), math.exp(min(700.0, middle + half))


def upper_mid_p(tables: Numbers) -> float:
    """P(more failures that show it than were seen) + half P(as many), all margins given."""
    a, b, c, d = tables.T
    n, shown, failed = tables.sum(axis=1), a + b, a + c
    seen, mean = a.sum(), (shown * failed / n).sum()
    variance = float((shown * failed * (b + d) * (c + d) / (n**2 * np.maximum(n - 1, 1))).sum())
    if variance > _EXACT_UP_TO:
        return normal_cdf(-float(seen - mean) / math.sqrt(variance))
    distribution, start = _sum_of_draws(tables)
    place = round(seen) - start
    return min(1.0, float(distribution[place + 1 :].sum() + distribution[place] / 2))  # rounding adds a little


def _sum_of_draws(tables: Numbers) -> tuple[Numbers, int]:
    """The distribution of the sum of independent hypergeometric counts, and its smallest value."""
    kinds, times = np.unique(_margins(tables), axis=0, return_counts=True)
    distribution, start = np.ones(1), 0
    for (n, shown, failed), count in zip(kinds.tolist(), times.tolist(), strict=True):
        single, low = hypergeometric(int(n), int(shown), int(failed))
        distribution = np.convolve(distribution, _power(single, count))
        start += low * count
    return distribution, start


def _margins(tables: Numbers) -> Numbers:
    a, b, c, _ = tables.T
    return np.stack([tables.sum(axis=1), a + b, a + c], axis=1)


def _power(distribution: Numbers, times: int) -> Numbers:
    """The distribution of the sum of `times` independent draws from one distribution."""
    result, square = np.ones(1), distribution
    while times:
        if times & 1:
            result = np.convolve(result, square)
        times >>= 1
        if times:
            square = np.convolve(square, square)
    return result


def hypergeometric(n: int, shown: int, failed: int) -> tuple[Numbers, int]:
    """Chances of each number of failures among `shown` of `n` rollouts of which `failed` fail, from the smallest on."""
    low, high = max(0, shown + failed - n), min(shown, failed)
    logs = np.array([_log_choose(failed, k) + _log_choose(n - failed, shown - k) for k in range(low, high + 1)])
    chances = np.exp(logs - logs.max())
    return chances / chances.sum(), low


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
