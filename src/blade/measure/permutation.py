"""The paired sign-flip test: would a difference as large be seen if the two runs could change places?

Where two runs come from the same policy, the difference of each task is as likely to be d as -d. The test
gives every task's difference every sign: p is the share of all sign patterns whose sum lies at least as far
from zero as the sum that was seen (two-sided). Tasks that do not differ carry no information.

p is exact wherever it can be: differences of pass rates are whole multiples of one fraction, so the
distribution of their sum is counted out on that lattice; other values are enumerated when few tasks differ.
Only what is left is drawn at random.
"""

import math
import sys
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

LATTICES = (*range(1, 129), 168, 180, 240, 360, 420, 720, 840, 1260, 2520, 5040, 27_720, 360_360, 720_720)
"""Denominators that are tried on differences: common multiples of the counts that runs have."""

_MOST_ENUMERATED = 20
_MOST_COUNTED = 200_000_000
_LONGEST_COUNT = 10_000_000
_TIE = 1e-9
_RESIDUE = 1e-12  # of the largest difference; what rounding leaves of none is less
_HALVED = 512  # counts of sign patterns double with every task, and 2^1024 is no float
_CHUNK = 4_000_000


def sign_flip(differences: npt.ArrayLike, *, seed: int, draws: int = 20_000) -> float:
    """The two-sided p of the paired sign-flip test over tasks, one difference a task.

    Exact where the differences are multiples of one fraction (pass rates) or where at most 20 tasks differ;
    otherwise (1 + hits) / (1 + draws) over `draws` random sign patterns, at least 10,000.
    Sums that differ by rounding errors only count as equal. 1.0 where no task differs.
    """
    values = _checked(differences)
    sizes = np.abs(values)
    values = values[sizes > _RESIDUE * sizes.max(initial=0.0)]
    if not len(values):
        return 1.0
    found = lattice(values)
    if found and _countable(found.steps):
        return _counted(found.steps)
    if len(values) <= _MOST_ENUMERATED:
        return _enumerated(values)
    return _drawn(values, seed=seed, draws=draws)


def sign_flip_counts(
    passed_a: npt.ArrayLike,
    measured_a: npt.ArrayLike,
    passed_b: npt.ArrayLike,
    measured_b: npt.ArrayLike,
    *,
    seed: int = 0,
    draws: int = 20_000,
) -> float:
    """The test for pass rates, from the counts of passed and measured rollouts of each task in both runs.

    A task that one run has not measured is left out. Random only where the counts have no workable common
    multiple, which takes many unlike repeat counts.
    """
    counts = [np.asarray(each, dtype=np.int64) for each in (passed_a, measured_a, passed_b, measured_b)]
    if len({each.shape for each in counts}) != 1 or counts[0].ndim != 1:
        raise ValueError("the four counts need one entry for each task")
    kept = (counts[1] > 0) & (counts[3] > 0)
    first, of_first, second, of_second = (each[kept] for each in counts)
    if np.any((first < 0) | (first > of_first) | (second < 0) | (second > of_second)):
        raise ValueError("a task cannot have passed more rollouts than were measured")
    common = math.lcm(*of_first.tolist(), *of_second.tolist())
    if common <= _MOST_COUNTED:
        steps = _coarsest(second * (common // of_second) - first * (common // of_first))
        if _countable(steps):
            return _counted(steps)
    cross = second * of_first - first * of_second
    return sign_flip(cross / (of_first * of_second), seed=seed, draws=draws)


def smallest_p(tasks: int) -> float:
    """The smallest p that any result over so many tasks can have: two sign patterns of 2^tasks."""
    return min(1.0, 2.0 ** (1 - tasks)) if tasks < 1_000 else sys.float_info.min


def _checked(differences: npt.ArrayLike) -> Floats:
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"one difference for each task is needed, not an array of {values.ndim} dimensions")
    if not np.isfinite(values).all():
        raise ValueError("differences must be finite: leave out tasks that one run has not measured")
    return values


class Lattice(NamedTuple):
    """Numbers as whole multiples of one size: steps × size."""

    steps: Integers
    size: float


def lattice(values: Floats) -> Lattice | None:
    """The largest size of which all of the non-zero values are multiples; None where there is none."""
    for denominator in LATTICES:
        scaled = values * denominator
        steps = np.rint(scaled)
        if np.abs(scaled - steps).max() <= _TIE * denominator and np.abs(steps).min() >= 1:
            whole = steps.astype(np.int64)
            divisor = int(np.gcd.reduce(np.abs(whole)))
            return Lattice(whole // divisor, divisor / denominator)
    return None


def _coarsest(steps: Integers) -> Integers:
    """The steps that are not zero, in units of their largest common divisor."""
    steps = steps[steps != 0]
    return steps // max(1, int(np.gcd.reduce(steps)))


def _countable(steps: Integers) -> bool:
    """Whether the distribution of their signed sum is short enough to count out, in time and memory."""
    length = float(np.abs(steps).sum(dtype=np.float64))
    return length <= _LONGEST_COUNT and length * len(steps) <= _MOST_COUNTED


def _counted(steps: Integers) -> float:
    """Exact p: the distribution of the sum of those steps that keep a positive sign, counted out.

    With S the sum of all sizes and s that of the positive ones, the signed sum is 2s - S.
    """
    sizes, seen = np.sort(np.abs(steps)), abs(int(steps.sum()))
    counts = np.zeros(int(sizes.sum()) + 1)
    counts[0], length = 1.0, 1
    for number, size in enumerate(sizes.tolist(), start=1):  # the small ones first keep what is added short
        counts[size : length + size] += counts[:length].copy()
        length += size
        if number % _HALVED == 0:
            counts[:length] *= 2.0**-_HALVED
    signed = 2 * np.arange(len(counts)) - (len(counts) - 1)
    p = float(counts[np.abs(signed) >= seen].sum()) * 2.0 ** -(len(sizes) % _HALVED)
    return min(1.0, max(p, smallest_p(len(sizes))))


def _enumerated(values: Floats) -> float:
    """Exact p over all sign patterns; the first sign is held, since a pattern and its mirror are alike."""
    sums = values[:1]
    for value in values[1:]:
        sums = np.concatenate((sums + value, sums - value))
    return float((np.abs(sums) >= _least(values)).mean())


def _drawn(values: Floats, *, seed: int, draws: int) -> float:
    """Monte Carlo p, with the data themselves as one of the patterns: valid at any number of draws."""
    if draws < 10_000:
        raise ValueError(f"at least 10,000 draws are needed, not {draws}")
    generator = np.random.default_rng(seed)
    # Sorted, so that neither the order of the tasks nor which run comes first changes p.
    sizes, least = np.sort(np.abs(values)), _least(values)
    hits, chunk = 0, max(1, _CHUNK // len(values))
    for begin in range(0, draws, chunk):
        shape = (min(chunk, draws - begin), len(values))
        sums = (generator.integers(0, 2, shape, dtype=np.int8) * 2.0 - 1.0) @ sizes
        hits += int((np.abs(sums) >= least).sum())
    return (1 + hits) / (1 + draws)


def _least(values: Floats) -> float:
    """The smallest sum that counts as extreme: what was seen, less what rounding can do."""
    return abs(float(values.sum())) - _TIE * float(np.abs(values).sum())
