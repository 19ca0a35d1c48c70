"""NeMo Gym's statistics, on arrays: of groups of values, and of scores by task and place.

The formulas are those of Gym's reward profile and pass metrics: `std` has ddof 1, quantiles are linear,
what is missing is left out of every statistic on its own.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from blade.measure.student import student_t_quantile

Array = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]


class Groups:
    """Values in groups numbered from 0; NaN stands for a value that is missing, a group of -1 for none."""

    def __init__(self, values: Array, groups: Whole, size: int) -> None:
        kept = (groups >= 0) & ~np.isnan(values)
        order = np.lexsort((values[kept], groups[kept]))
        self.values = values[kept][order]
        self.ids = groups[kept][order]
        self.counts = np.bincount(self.ids, minlength=size)
        self._starts = np.cumsum(self.counts) - self.counts

    def mean(self) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(self._sum(self.values) / self.counts)

    def quantile(self, share: float) -> Array:
        """Linear between the two nearest values."""
        found = np.full(len(self.counts), np.nan)
        some = self.counts > 0
        place = (self.counts[some] - 1) * share
        low = np.floor(place).astype(np.int64)
        high = np.minimum(low + 1, self.counts[some] - 1)
        first, second = (self.values[self._starts[some] + at] for at in (low, high))
        with np.errstate(all="ignore"):
            found[some] = np.where(first == second, first, first + (second - first) * (place - low))
        return found

    def std(self) -> Array:
        """With ddof 1; 0 for one value, as Gym writes it where every deviation of a group is undefined."""
        with np.errstate(all="ignore"):
            squares = self._sum((self.values - self.mean()[self.ids]) ** 2)
            return np.where(self.counts == 1, 0.0, np.sqrt(squares / (self.counts - 1)) + 0 / self.counts)

    def sem(self) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(self.std() / np.sqrt(self.counts))

    def confidence(self, side: int) -> Array:
        """One end of Student's 95 % interval of the mean; undefined below two values."""
        factors = {int(n): student_t_quantile(0.975, int(n) - 1) for n in np.unique(self.counts) if n > 1}
        factor = np.array([factors.get(int(n), np.nan) for n in self.counts], dtype=np.float64)
        return np.asarray(self.mean() + side * factor * self.sem())

    def scale(self) -> float:
        return float(np.abs(self.values).max(initial=0.0))

    def _sum(self, values: Array) -> Array:
        return np.asarray(np.bincount(self.ids, weights=values, minlength=len(self.counts)), dtype=np.float64)


STATISTICS: dict[str, Callable[[Groups], Array]] = {
    "mean": Groups.mean,
    "max": lambda groups: groups.quantile(1.0),
    "min": lambda groups: groups.quantile(0.0),
    "median": lambda groups: groups.quantile(0.5),
    "std": Groups.std,
    "sem": Groups.sem,
    "se": Groups.sem,
    "p25": lambda groups: groups.quantile(0.25),
    "p75": lambda groups: groups.quantile(0.75),
    "ci_low_95": lambda groups: groups.confidence(-1),
    "ci_high_95": lambda groups: groups.confidence(1),
}
"""The statistics that keys name before their first slash."""


class Scores(NamedTuple):
    """Scores in order of task and repeat: `tasks` numbered from 0, `places` counted within each task."""

    values: Array
    tasks: Whole
    places: Whole
    counts: Whole

    def first(self, k: int) -> "Scores":
        """The first `k` of every task."""
        kept = self.places < k
        tasks = self.tasks[kept]
        return Scores(self.values[kept], tasks, self.places[kept], np.bincount(tasks, minlength=len(self.counts)))

    def means(self) -> Array:
        """The mean of every task that has a score."""
        some = self.counts > 0
        return np.asarray(np.bincount(self.tasks, self.values, len(self.counts))[some] / self.counts[some])


def scores(values: Array, tasks: Whole) -> Scores:
    """Scores of rows that stand in order of their tasks; rows without a score are left out."""
    kept = ~np.isnan(values)
    values, tasks = values[kept], tasks[kept]
    order = np.argsort(tasks, kind="stable")
    values = values[order]
    _, numbers, counts = np.unique(tasks[order], return_inverse=True, return_counts=True)
    places = np.arange(len(values)) - (np.cumsum(counts) - counts)[numbers]
    return Scores(values, numbers.astype(np.int64), places.astype(np.int64), counts.astype(np.int64))


def pass_at(k: int, given: Scores) -> float:
    """Percent: 1 - C(n-c, k) / C(n, k) for scores of 0 and 1, else the best of the first k; tasks with n >= k."""
    enough = given.counts >= k
    if k < 1 or not enough.any():
        return float("nan")
    size = len(given.counts)
    odd = np.bincount(given.tasks, (given.values != 0) & (given.values != 1), size) > 0
    right = np.bincount(given.tasks, given.values == 1, size).astype(np.int64)
    best = np.full(size, -np.inf)
    early = given.first(k)
    np.maximum.at(best, early.tasks, early.values)
    cases = {(int(n), int(c)) for n, c in zip(given.counts[enough], right[enough], strict=True)}
    known = {case: 1 - all_wrong(*case, k) for case in cases}
    chance = np.array([known.get((int(n), int(c)), 0.0) for n, c in zip(given.counts, right, strict=True)])
    return float(100 * np.where(odd, best, chance)[enough].mean())


def all_wrong(n: int, c: int, k: int) -> float:
    """C(n-c, k) / C(n, k): the chance that k of n rollouts, of which c pass, hold no pass."""
    if n - c < k:
        return 0.0
    steps = np.arange(min(c, k))
    return float(np.prod((n - max(c, k) - steps) / (n - steps)))


def average_of(k: int, given: Scores) -> float:
    """Percent: the mean over tasks of the mean of their first k, or of as many as there are."""
    means = given.first(k).means()
    return float(100 * means.mean()) if len(means) else float("nan")


def by_place(given: Scores) -> Array:
    """Percent: the mean over tasks of the first rollout, of the second, and so on."""
    if not len(given.values):
        return np.zeros(0)
    return np.asarray(100 * np.bincount(given.places, given.values) / np.bincount(given.places))


def deviation(values: Array) -> float:
    """With ddof 1; undefined below two values."""
    return float(values.std(ddof=1)) if len(values) > 1 else float("nan")


def average_deviation(k: int, given: Scores) -> float:
    """The mean over tasks of the deviation of their first k scores, as fractions."""
    early = given.first(k)
    spread = Groups(early.values, early.tasks, len(early.counts))
    found = spread.std()[spread.counts > 1]
    return float(found.mean()) if len(found) else float("nan")


def majority_at(k: int, given: Scores, answers: Whole, *, full: bool) -> float:
    """Percent: the mean score of the most frequent pairs of answer and score among the first k; -1 is no answer.

    `full` leaves out tasks with fewer than k rollouts.
    """
    size = len(given.counts)
    asked = (given.places < k) & (answers >= 0)
    tasks, values = given.tasks[asked], given.values[asked]
    found = np.zeros(size)
    if len(tasks):
        pairs, counts = np.unique(np.column_stack((tasks, answers[asked], values)), axis=0, return_counts=True)
        owners = pairs[:, 0].astype(np.int64)
        top = np.zeros(size)
        np.maximum.at(top, owners, counts)
        ahead = counts == top[owners]
        ties = np.bincount(owners[ahead], minlength=size)
        found = np.bincount(owners[ahead], pairs[ahead, 2], size) / np.maximum(ties, 1)
    chosen = found[given.counts >= k] if full else found
    return float(100 * chosen.mean()) if len(chosen) else float("nan")
