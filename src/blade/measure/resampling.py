"""The bootstrap over tasks: tasks are drawn with replacement, all statistics of a task stay together.

A resample is a vector of how often each task was drawn, so that the means of any number of statistics are
one product of matrices. Memory is bounded: resamples are made and used in chunks.
"""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_CHUNK = 2_000_000
_KEPT = 2
"""Resamples of one chunk that are kept: one number after another is asked of the same tasks."""


def bootstrap_weights(tasks: int, *, resamples: int, seed: int) -> Iterator[Floats]:
    """Matrices of resamples × tasks, in chunks: how often each task was drawn; every row sums to `tasks`.

    The same seed gives the same resamples whatever is computed from them.
    """
    if tasks < 1 or resamples < 1:
        raise ValueError(f"a bootstrap needs tasks and resamples, not {tasks} and {resamples}")
    chunk = max(1, _CHUNK // tasks)
    if resamples <= chunk:
        yield _drawn_at_once(tasks, resamples, seed)
        return
    generator = np.random.default_rng(seed)
    for begin in range(0, resamples, chunk):
        yield _drawn(generator, tasks, min(chunk, resamples - begin))


@lru_cache(maxsize=_KEPT)
def _drawn_at_once(tasks: int, resamples: int, seed: int) -> Floats:
    weights = _drawn(np.random.default_rng(seed), tasks, resamples)
    weights.flags.writeable = False  # others are given the same array
    return weights


def _drawn(generator: np.random.Generator, tasks: int, resamples: int) -> Floats:
    drawn = generator.integers(0, tasks, (resamples, tasks), dtype=np.int32)
    drawn += np.arange(0, resamples * tasks, tasks, dtype=np.int32)[:, None]
    return np.bincount(drawn.ravel(), minlength=resamples * tasks).reshape(resamples, tasks).astype(np.float64)


def bootstrap_means(matrix: npt.ArrayLike, *, resamples: int, seed: int) -> Floats:
    """The mean over tasks of every column of a tasks × statistics matrix, in every resample.

    Returns resamples × statistics. Columns are resampled together, so differences and ratios of columns are
    paired. What was not measured must be settled before, by means of each task: NaN is refused.
    """
    values = np.asarray(matrix, dtype=np.float64)
    if values.ndim != 2:
        raise ValueError(f"a matrix of tasks × statistics is needed, not an array of {values.ndim} dimensions")
    if not np.isfinite(values).all():
        raise ValueError("every task needs a finite number for every statistic")
    tasks = len(values)
    chunks = [weights @ values for weights in bootstrap_weights(tasks, resamples=resamples, seed=seed)]
    return np.concatenate(chunks) / tasks
