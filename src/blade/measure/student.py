"""Quantiles of the normal and of Student's t distribution, without scipy: its import alone costs seconds.

The distribution function of t is an incomplete beta function, computed by its continued fraction (Abramowitz
and Stegun 26.7.1 and 26.5.8); the quantile is found by Newton's method on the logarithm of the tail, where it
converges from one side. For many degrees of freedom the expansion around the normal quantile is exact enough
(26.7.5) and cheaper.
"""

import math
from functools import lru_cache
from statistics import NormalDist

_NORMAL = NormalDist()
_MANY = 2_000
_TINY = 1e-300


def normal_quantile(p: float) -> float:
    """The value below which a standard normal variable falls with probability p."""
    _check_probability(p)
    return _NORMAL.inv_cdf(p)


def normal_cdf(z: float) -> float:
    """The probability that a standard normal variable is at most z."""
    return _NORMAL.cdf(z)


def student_t_cdf(t: float, df: float) -> float:
    """The probability that Student's t with `df` degrees of freedom is at most t."""
    _check_df(df)
    tail = _upper_tail(abs(t), df)
    return 1.0 - tail if t > 0 else tail


@lru_cache(maxsize=4096)
def student_t_quantile(p: float, df: float) -> float:
    """The value below which Student's t with `df` degrees of freedom falls with probability p; any df > 0."""
    _check_probability(p)
    _check_df(df)
    if p == 0.5:
        return 0.0
    tail = min(p, 1.0 - p)
    size = _expansion(-_NORMAL.inv_cdf(tail), df) if df > _MANY else _solve(tail, df)
    return size if p > 0.5 else -size


def _check_probability(p: float) -> None:
    if not 0.0 < p < 1.0:
        raise ValueError(f"a quantile needs a probability between 0 and 1, not {p}")


def _check_df(df: float) -> None:
    if not df > 0.0:
        raise ValueError(f"Student's t needs more than 0 degrees of freedom, not {df}")


def _solve(tail: float, df: float) -> float:
    """The t whose upper tail is `tail`: Newton's method on log(tail) as a function of log(t).

    That function is concave and falls, so after the first step every step comes from the same side.
    """
    t = max(-_NORMAL.inv_cdf(tail), 1e-12)
    for _ in range(100):
        found = _upper_tail(t, df)
        step = math.log(found / tail) * found / (t * _density(t, df))
        t *= math.exp(min(step, 50.0))
        if abs(step) < 1e-14:
            break
    return t


def _expansion(z: float, df: float) -> float:
    """Abramowitz and Stegun 26.7.5; its error is of the order of z^11 / df^5."""
    squared = z * z
    first = z * (squared + 1) / 4
    second = z * ((5 * squared + 16) * squared + 3) / 96
    third = z * (((3 * squared + 19) * squared + 17) * squared - 15) / 384
    fourth = z * ((((79 * squared + 776) * squared + 1482) * squared - 1920) * squared - 945) / 92_160
    return z + (first + (second + (third + fourth / df) / df) / df) / df


def _density(t: float, df: float) -> float:
    scale = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - 0.5 * math.log(df * math.pi)
    return math.exp(scale - (df + 1) / 2 * math.log1p(t * t / df))


def _upper_tail(t: float, df: float) -> float:
    """The probability of more than t >= 0: half the incomplete beta function of df / (df + t²)."""
    squared = t * t
    x, rest = df / (df + squared), squared / (df + squared)
    if rest == 0.0:
        return 0.5
    if x == 0.0:
        return 0.0
    a, b = df / 2, 0.5
    scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(scale + a * math.log(x) + b * math.log(rest))
    if x < (a + 1) / (a + b + 2):
        return 0.5 * front * _fraction(x, a, b) / a
    return 0.5 * (1.0 - front * _fraction(rest, b, a) / b)


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    numerator, denominator = 1.0, 1.0 / _away_from_zero(1.0 - (a + b) * x / (a + 1))
    value = denominator
    for n in range(1, 10_000):
        for term in (
            n * (b - n) * x / ((a + 2 * n - 1) * (a + 2 * n)),
            -(a + n) * (a + b + n) * x / ((a + 2 * n) * (a + 2 * n + 1)),
        ):
            denominator = 1.0 / _away_from_zero(1.0 + term * denominator)
            numerator = _away_from_zero(1.0 + term / numerator)
            change = denominator * numerator
            value *= change
        if abs(change - 1.0) < 1e-16:
            break
    return value


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
