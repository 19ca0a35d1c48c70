"""Many questions at once: p-values adjusted for their number, and intervals that hold together."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from blade.measure.intervals import Interval, paired_variance
from blade.measure.resampling import bootstrap_means
from blade.measure.student import normal_quantile, student_t_quantile

Floats = npt.NDArray[np.float64]


def holm(ps: Sequence[float | None] | Floats) -> Floats:
    """p-values adjusted by Holm's step-down method: below α, all claims are true with probability 1 - α.

    The i-th smallest of m becomes the largest of (m - j + 1) p_j over j <= i, at most 1. None and NaN stand
    for a question that was not asked: it stays NaN and does not count.
    """
    return _adjusted(ps, lambda p: np.maximum.accumulate(p * np.arange(len(p), 0, -1)))


def benjamini_hochberg(ps: Sequence[float | None] | Floats) -> Floats:
    """p-values adjusted by Benjamini and Hochberg: below α, a share of at most α of the claims is expected false.

    The i-th smallest of m becomes the smallest of m p_j / j over j >= i. None and NaN as for `holm`.
    """
    return _adjusted(ps, lambda p: np.minimum.accumulate((p * len(p) / np.arange(1, len(p) + 1))[::-1])[::-1])


def simultaneous_intervals(
    matrix: npt.ArrayLike, *, seed: int, level: float = 0.95, resamples: int = 10_000
) -> list[Interval] | None:
    """Intervals of the means of all columns of a tasks × terms matrix in [-1, 1], which all hold at once.

    The max-|t| method: every interval is mean ± c standard errors with one c, so large that in a share
    `level` of the resamples of tasks no term strays further (Romano and Wolf 2005). The standard errors
    count one more task (`paired_variance`), so that a term without variance neither has an interval without
    width nor widens the others'. None for fewer than two tasks; empty for no terms.
    """
    values = np.asarray(matrix, dtype=np.float64)
    if values.ndim != 2 or (values.size and not np.abs(values).max() <= 1.0 + 1e-9):
        raise ValueError("a matrix of tasks × terms with values between -1 and 1 is needed")
    tasks, terms = values.shape
    if tasks < 2:
        return None
    if not terms:
        return []
    means, quantile = values.mean(axis=0), student_t_quantile((1 + level) / 2, tasks - 1)
    errors = np.sqrt(paired_variance(values.T, quantile) / tasks)
    strays = np.abs(bootstrap_means(values, resamples=resamples, seed=seed) - means) / errors
    # A bootstrap knows nothing of small samples: as t is to z for one interval, so here for all.
    small = quantile / normal_quantile((1 + level) / 2)
    critical = max(quantile, small * float(np.quantile(strays.max(axis=1), level)))
    return [_around(mean, critical * error) for mean, error in zip(means.tolist(), errors.tolist(), strict=True)]


def _around(mean: float, half: float) -> Interval:
    return Interval(max(mean - half, -1.0), min(mean + half, 1.0))


def _adjusted(ps: Sequence[float | None] | Floats, step: Callable[[Floats], Floats]) -> Floats:
    """Apply a rule to the sorted p-values that there are, and put the results back in their places."""
    values = np.array([np.nan if p is None else p for p in ps], dtype=np.float64)
    asked = np.flatnonzero(~np.isnan(values))
    if np.any((values[asked] < 0) | (values[asked] > 1)):
        raise ValueError("p-values lie between 0 and 1")
    order = asked[np.argsort(values[asked], kind="stable")]
    if len(order):
        values[order] = np.minimum(step(values[order]), 1.0)
    return values
