"""Whether a task of which no answer is right is a gap, or bad luck.

Among tasks that are right at times, some are wrong in every try all the same. How many, the tasks that vary tell: were
each of their answers wrong with chance q, a share q^n of such tasks would be wrong n times of n. Tasks are held
against others with as many tries that the other runs find as easy: where bad luck makes most of those that are never
right, they are put down to it. So is a task on which another run is right so seldom that luck suffices.
"""

from typing import Final

import numpy as np

from blade.measure.panel import Numbers

_ROUNDS: Final = 50
_MOSTLY: Final = 0.5

_PLAUSIBLE: Final = 0.1
"""Chance from which on nobody would be surprised."""


def bad_luck(right: Numbers, tried: Numbers) -> Numbers:
    """Of each run and task whether luck, rather than a gap, is why no answer is right; both are runs × tasks."""
    found = _varies_elsewhere(right, tried)
    for run in range(len(right)):
        elsewhere = _elsewhere(np.delete(right, run, axis=0), np.delete(tried, run, axis=0))
        for kind in np.unique(elsewhere):
            alike = (elsewhere == kind) & (tried[run] > 0)
            found[run] |= _by_chance(right[run], tried[run], alike)
    return found


def _elsewhere(right: Numbers, tried: Numbers) -> Numbers:
    """Of each task how other runs find it: 0 not tried, 1 never right, 2 right at times, 3 always."""
    right, tried = right.sum(axis=0), tried.sum(axis=0)
    return np.select([tried == 0, right == 0, right < tried], [0, 1, 2], 3)


def _by_chance(right: Numbers, tried: Numbers, alike: Numbers) -> Numbers:
    """Of the tasks that are alike those never right, where chance leaves as many of them so."""
    found = np.zeros(len(right), dtype=bool)
    varied = alike & (right > 0) & (right < tried)
    if not varied.any():
        return found
    q = wrong_rate(right[varied], tried[varied])
    unreliable = min(1.0, (1 / _inside(q, tried[varied])).sum() / (alike & (tried > 1)).sum())
    for count in np.unique(tried[alike]).tolist():
        group = alike & (tried == count)
        never = group & (right == 0)
        if unreliable * group.sum() * q**count > _MOSTLY * never.sum():
            found |= never
    return found


def _varies_elsewhere(right: Numbers, tried: Numbers) -> Numbers:
    """Of each run and task whether another run is right at times only, and so seldom that this one had bad luck."""
    varied = (right > 0) & (right < tried)
    wrong = np.where(varied, 1 - right / np.maximum(tried, 1), 0.0)
    found = np.zeros(right.shape, dtype=bool)
    for other in range(len(right)):
        found |= (right == 0) & (tried > 0) & varied[other] & (wrong[other] ** tried >= _PLAUSIBLE)
    return found


def wrong_rate(right: Numbers, tried: Numbers) -> float:
    """The chance of a wrong answer of tasks that vary, given that each is right at least once and wrong at least once.

    Maximum likelihood of a binomial without its two ends, by iteration.
    """
    wrong = float((tried - right).sum())
    q = 0.5
    for _ in range(_ROUNDS):
        inside = _inside(q, tried)
        # what all such tasks, the two ends included, would show
        q = float(np.clip((wrong + (tried * q**tried / inside).sum()) / (tried / inside).sum(), 1e-3, 1 - 1e-3))
    return q


def _inside(q: float, tried: Numbers) -> Numbers:
    """The chance that a task varies."""
    return np.asarray(1 - q**tried - (1 - q) ** tried)
