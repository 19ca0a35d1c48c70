"""Intervals are those of their definitions, hold the truth as often as they say, and keep to their bounds."""

import itertools
import math
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from blade.measure.intervals import (
    Interval,
    mean_bounds,
    mean_interval,
    paired_bounds,
    paired_interval,
    ratio_interval,
    share_bounds,
    share_interval,
    these_tasks_bounds,
    these_tasks_interval,
)

Floats = npt.NDArray[np.float64]
Found = Interval | None

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)


def lists(values: st.SearchStrategy[float], fewest: int = 2, most: int = 25) -> st.SearchStrategy[list[float]]:
    return st.lists(values, min_size=fewest, max_size=most)


def eighths(low: int, high: int) -> st.SearchStrategy[float]:
    return st.integers(8 * low, 8 * high).map(lambda n: n / 8)


shares = st.one_of(lists(st.floats(0, 1)), lists(eighths(0, 1)), lists(st.sampled_from([0.0, 1.0])))
differences = st.one_of(lists(st.floats(-1, 1)), lists(eighths(-1, 1)), lists(st.sampled_from([0.0, 1.0, -1.0])))
amounts = st.one_of(lists(st.floats(-1e6, 1e6)), lists(st.integers(-50, 50).map(float)))
repeated = lists(st.tuples(st.integers(2, 8), st.floats(0, 1)).map(lambda task: round(task[0] * task[1]) / task[0]))


def variances_of(values: list[float], repeats: int = 8) -> list[float]:
    return [value * (1 - value) / (repeats - 1) for value in values]


def of_these(values: list[float], *, level: float = 0.95) -> Found:
    return these_tasks_interval(variances_of(values), values, level=level)


def of_ratio(values: list[float], *, level: float = 0.95) -> Found:
    return ratio_interval(values, np.ones(len(values)), seed=3, level=level, resamples=400)


def given_interval(found: Found) -> Interval:
    assert found is not None
    return found


def t_quantile(tasks: int, level: float = 0.95) -> float:
    return float(stats.t.ppf((1 + level) / 2, tasks - 1))


def solves_score_equation(end: float, mean: float, variance: float, quantile: float) -> bool:
    """Whether a share's end is as far from the mean as its own spread, at n = m (1 - m) / variance, allows."""
    size = mean * (1 - mean) / variance
    return (mean - end) ** 2 == pytest.approx(quantile**2 * end * (1 - end) / size, rel=1e-6, abs=1e-14)


# All of them


@pytest.mark.parametrize(("interval", "values"), [(share_interval, shares), (of_these, shares), (of_ratio, shares)])
@given(data=st.data(), level=st.sampled_from(LEVELS))
@settings(max_examples=50, deadline=None)
def test_an_interval_of_shares_holds_the_mean_and_lies_between_0_and_1(
    interval: Callable[..., Found], values: Any, data: st.DataObject, level: float
) -> None:
    drawn = data.draw(values)
    low, high = given_interval(interval(drawn, level=level))
    assert 0 <= low <= statistics.fmean(drawn) + 1e-12
    assert statistics.fmean(drawn) - 1e-12 <= high <= 1


@given(differences, st.sampled_from(LEVELS))
@settings(max_examples=80, deadline=None)
def test_an_interval_of_differences_holds_the_mean_and_lies_between_minus_1_and_1(
    values: list[float], level: float
) -> None:
    low, high = given_interval(paired_interval(values, level=level))
    assert -1 <= low <= statistics.fmean(values) + 1e-12
    assert statistics.fmean(values) - 1e-12 <= high <= 1


@given(amounts, st.sampled_from(LEVELS))
@settings(max_examples=80, deadline=None)
def test_an_interval_of_a_mean_without_bounds_holds_the_mean(values: list[float], level: float) -> None:
    low, high = given_interval(mean_interval(values, level=level))
    room = 1e-9 * max(map(abs, values))
    assert low - room <= statistics.fmean(values) <= high + room


@pytest.mark.parametrize(
    ("interval", "values"), [(share_interval, shares), (of_these, repeated), (paired_interval, differences)]
)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_intervals_with_bounds_never_lose_their_width(
    interval: Callable[..., Found], values: Any, data: st.DataObject
) -> None:
    low, high = given_interval(interval(data.draw(values)))
    assert high - low > 1e-4


@pytest.mark.parametrize(
    ("interval", "values"),
    [
        (share_interval, shares),
        (of_these, repeated),
        (paired_interval, differences),
        (mean_interval, amounts),
        (of_ratio, shares),
    ],
)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_intervals_widen_with_the_level(interval: Callable[..., Found], values: Any, data: st.DataObject) -> None:
    drawn = data.draw(values)
    found = [given_interval(interval(drawn, level=level)) for level in LEVELS]
    for inner, outer in itertools.pairwise(found):
        room = 1e-12 * max(1, *map(abs, outer))
        assert outer.low <= inner.low + room
        assert outer.high >= inner.high - room
    assert found[-1].high - found[-1].low >= found[0].high - found[0].low


@pytest.mark.parametrize("interval", [share_interval, of_these])
@given(values=repeated)
@settings(max_examples=50, deadline=None)
def test_failures_in_the_place_of_passes_mirror_the_interval(
    interval: Callable[..., Found], values: list[float]
) -> None:
    low, high = given_interval(interval(values))
    assert interval([1 - value for value in values]) == pytest.approx((1 - high, 1 - low), abs=1e-9)


@pytest.mark.parametrize(("interval", "values"), [(paired_interval, differences), (mean_interval, amounts)])
@given(data=st.data())
@settings(max_examples=50, deadline=None)
def test_swapped_signs_mirror_the_interval(interval: Callable[..., Found], values: Any, data: st.DataObject) -> None:
    drawn = data.draw(values)
    low, high = given_interval(interval(drawn))
    assert interval([-value for value in drawn]) == pytest.approx((-high, -low), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("interval", "values"),
    [(share_interval, shares), (of_these, repeated), (paired_interval, differences), (mean_interval, amounts)],
)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_the_order_of_the_tasks_does_not_matter(
    interval: Callable[..., Found], values: Any, data: st.DataObject
) -> None:
    drawn = data.draw(values)
    shuffled = data.draw(st.permutations(drawn))
    assert interval(shuffled) == pytest.approx(interval(drawn), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("bounds", [share_bounds, paired_bounds, mean_bounds])
def test_many_data_sets_at_once_have_the_intervals_of_each(bounds: Callable[..., Any]) -> None:
    alone = {share_bounds: share_interval, paired_bounds: paired_interval, mean_bounds: mean_interval}[bounds]
    data = np.random.default_rng(0).integers(0, 5, (3, 4, 12)) / 4
    lows, highs = bounds(data, level=0.9)
    for place in np.ndindex(3, 4):
        assert (lows[place], highs[place]) == pytest.approx(alone(data[place], level=0.9), abs=1e-12)


def test_many_data_sets_of_these_tasks_have_the_intervals_of_each() -> None:
    data = np.random.default_rng(0).integers(0, 5, (6, 12)) / 4
    lows, highs = these_tasks_bounds(data * (1 - data) / 3, data, level=0.9)
    for place, values in enumerate(data):
        alone = these_tasks_interval(values * (1 - values) / 3, values, level=0.9)
        assert (lows[place], highs[place]) == pytest.approx(alone, abs=1e-12)


@pytest.mark.parametrize("interval", [share_interval, paired_interval, mean_interval, of_ratio])
def test_fewer_than_two_tasks_say_nothing_about_other_tasks(interval: Callable[..., Found]) -> None:
    assert interval([]) is None
    assert interval([0.5]) is None
    assert interval([0.5, 0.25]) is not None


@pytest.mark.parametrize("interval", [share_interval, paired_interval, mean_interval, of_these, of_ratio])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_task_that_was_not_measured_must_be_left_out(interval: Callable[..., Found], value: float) -> None:
    with pytest.raises(ValueError, match=r"must be finite|at least 0"):
        interval([0.5, value, 0.25])


@pytest.mark.parametrize("values", [0.5, [[0.5, 0.25]]])
@pytest.mark.parametrize("interval", [share_interval, paired_interval, mean_interval])
def test_values_are_one_for_each_task(interval: Callable[..., Found], values: Any) -> None:
    with pytest.raises(ValueError, match="one value for each task"):
        interval(values)


@pytest.mark.parametrize(
    ("interval", "value"),
    [
        (share_interval, 1.01),
        (share_interval, -0.01),
        (paired_interval, 1.01),
        (paired_interval, -1.01),
        (of_ratio, -0.01),
    ],
)
def test_values_out_of_range_are_refused(interval: Callable[..., Found], value: float) -> None:
    with pytest.raises(ValueError, match="must lie between"):
        interval([0.5, value])


def test_values_out_of_range_by_rounding_are_taken_for_the_bound() -> None:
    assert share_interval([1 + 1e-12, -1e-12, 1.0]) == share_interval([1.0, 0.0, 1.0])
    assert paired_interval([1 + 1e-12, -1 - 1e-12, 1.0]) == paired_interval([1.0, -1.0, 1.0])


@pytest.mark.parametrize("level", [1.0, 1.5, math.nan])
@pytest.mark.parametrize("interval", [share_interval, paired_interval, mean_interval, of_these, of_ratio])
def test_no_interval_is_certain(interval: Callable[..., Found], level: float) -> None:
    with pytest.raises(ValueError, match="probability between 0 and 1"):
        interval([0.5, 0.25, 0.75], level=level)


# Shares of new tasks


@pytest.mark.parametrize(("passed", "tasks"), [(0, 3), (1, 3), (0, 20), (7, 20), (20, 20), (50, 100), (499, 500)])
def test_at_one_repeat_it_is_the_interval_of_wilson_with_t_for_z(passed: int, tasks: int) -> None:
    as_level = 2 * stats.norm.cdf(t_quantile(tasks)) - 1
    expected = stats.binomtest(passed, tasks).proportion_ci(as_level, method="wilson")
    found = given_interval(share_interval([1.0] * passed + [0.0] * (tasks - passed)))
    assert found == pytest.approx((expected.low, expected.high), abs=1e-9)


@given(repeated, st.sampled_from(LEVELS))
@settings(max_examples=60, deadline=None)
def test_its_ends_solve_the_score_equation_at_the_effective_number_of_tasks(values: list[float], level: float) -> None:
    mean, tasks = statistics.fmean(values), len(values)
    assume(0.001 < mean < 0.999)
    squares = sum((value - mean) ** 2 for value in values)
    size = tasks * (tasks + 1) * mean * (1 - mean) / (squares + mean * (1 - mean))
    low, high = given_interval(share_interval(values, level=level))
    for end in (low, high):
        assert solves_score_equation(end, mean, mean * (1 - mean) / size, t_quantile(tasks, level))
    assert low < mean < high


def test_tasks_that_differ_more_at_the_same_mean_have_a_wider_interval() -> None:
    alike, apart = given_interval(share_interval([0.5] * 20)), given_interval(share_interval([0.0, 1.0] * 10))
    assert apart.high - apart.low > 2 * (alike.high - alike.low)


def test_repeats_are_no_further_tasks() -> None:
    ten = given_interval(share_interval([0.25, 0.75] * 5))
    forty = given_interval(share_interval([0.25, 0.75] * 20))
    assert (forty.high - forty.low) / (ten.high - ten.low) == pytest.approx(0.5, abs=0.07)


# Shares of these tasks


@given(repeated, st.integers(2, 8), st.sampled_from(LEVELS))
@settings(max_examples=60, deadline=None)
def test_only_what_rollouts_vary_counts_for_these_tasks(values: list[float], repeats: int, level: float) -> None:
    mean, tasks = statistics.fmean(values), len(values)
    assume(0.001 < mean < 0.999)
    variances = variances_of(values, repeats)
    z = float(stats.norm.ppf((1 + level) / 2))
    above = [variance for variance in variances if variance > 0]
    missed = min(above, default=0.25) * z**2 / (1 + len(above))
    low, high = given_interval(these_tasks_interval(variances, values, level=level))
    for end in (low, high):
        assert solves_score_equation(end, mean, (sum(variances) + missed) / tasks**2, z)


def test_tasks_that_differ_make_the_interval_of_new_tasks_wider_than_that_of_these() -> None:
    values = [0.0, 0.25, 1.0, 0.75, 1.0, 0.0, 0.5, 1.0] * 5
    these, new = given_interval(of_these(values)), given_interval(share_interval(values))
    assert these.high - these.low < 0.6 * (new.high - new.low)


def test_tasks_without_repeats_are_given_the_most_that_they_can_vary() -> None:
    values = [0.5, 0.25, 0.0, 1.0, 1.0]
    known = [0.05, 0.04]
    partly = these_tasks_interval([*known, math.nan, math.nan, math.nan], values)
    assert partly == these_tasks_interval([*known, *[2 / 3 * (1 - 2 / 3)] * 3], values)


def test_no_repeats_at_all_say_nothing_about_rollouts() -> None:
    assert these_tasks_interval([math.nan] * 3, [0.0, 1.0, 1.0]) is None
    assert these_tasks_interval([], []) is None


def test_a_single_task_can_speak_of_itself() -> None:
    low, high = given_interval(these_tasks_interval([0.5 * 0.5 / 99], [0.5]))
    assert 0.3 < low < 0.4 < 0.6 < high < 0.7


@pytest.mark.parametrize("variances", [[0.1], [0.1, -0.1], [0.1, math.inf], [[0.1, 0.1]], 0.1])
def test_variances_are_one_for_each_task_and_not_negative(variances: Any) -> None:
    with pytest.raises(ValueError, match="every task needs one variance"):
        these_tasks_interval(variances, [0.5, 0.5])


# Means without bounds


@given(lists(st.floats(0.001, 1000), 1, 12), st.sampled_from(LEVELS))
@settings(max_examples=50, deadline=None)
def test_without_skewness_it_is_the_interval_of_student(half: list[float], level: float) -> None:
    values = [*half, *(-value for value in half), 0.0]
    error = statistics.stdev(values) / math.sqrt(len(values))
    expected = stats.t.interval(level, len(values) - 1, scale=error)
    assert mean_interval(values, level=level) == pytest.approx(expected, rel=1e-7, abs=1e-9)


@given(st.integers(3, 30), st.integers(0, 10**6), st.sampled_from(LEVELS))
@settings(max_examples=50, deadline=None)
def test_with_skewness_its_ends_undo_the_transformation_of_hall(tasks: int, seed: int, level: float) -> None:
    values = np.random.default_rng(seed).lognormal(2, 1, tasks)
    skew = float(stats.skew(values)) / math.sqrt(tasks)
    quantile, error = t_quantile(tasks, level), float(stats.sem(values))

    def undone(target: float) -> float:
        hall = optimize.brentq(
            lambda x: x + skew * x**2 / 3 + skew**2 * x**3 / 27 + skew / 6 - target, -1e6, 1e6, xtol=1e-13, rtol=1e-14
        )
        return values.mean() - error * float(hall)

    expected = (undone(quantile), undone(-quantile))
    assert mean_interval(values, level=level) == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_a_long_tail_makes_the_interval_reach_further_to_its_side() -> None:
    values = [1.0] * 15 + [2.0] * 4 + [30.0]
    low, high = given_interval(mean_interval(values))
    mean = statistics.fmean(values)
    assert high - mean > 1.5 * (mean - low)


@given(amounts, st.floats(0.01, 100), st.integers(-100, 100))
@settings(max_examples=40, deadline=None)
def test_another_unit_and_another_zero_move_the_interval_along(values: list[float], unit: float, zero: int) -> None:
    assume(max(values) - min(values) > 1e-3)
    low, high = given_interval(mean_interval(values))
    moved = mean_interval([unit * value + zero for value in values])
    assert moved == pytest.approx((unit * low + zero, unit * high + zero), rel=1e-5, abs=1e-5)


def test_equal_values_leave_a_mean_without_bounds_no_width() -> None:
    assert mean_interval([4.0] * 10) == (4.0, 4.0)
    assert mean_interval([0.1] * 3) == pytest.approx((0.1, 0.1), abs=1e-15)


# Differences of pairs


@given(differences)
@settings(max_examples=80, deadline=None)
def test_a_difference_has_the_interval_of_student_with_one_more_task_counted(values: list[float]) -> None:
    tasks, mean, middle = len(values), statistics.fmean(values), statistics.median(values)
    quantile = t_quantile(tasks)
    apart = [abs(value - middle) for value in values]
    assume(all(each == 0 or each > 1e-6 for each in apart))
    one_more = max(max(apart) ** 2, quantile**2 / (1 + sum(each > 0 for each in apart)))
    variance = (sum((value - mean) ** 2 for value in values) + one_more) / (tasks + 1)
    half = quantile * math.sqrt(variance / tasks)
    expected = (max(-1.0, mean - half), min(1.0, mean + half))
    assert paired_interval(values) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("tasks", [5, 20, 100, 1000])
def test_where_no_task_differs_it_reaches_as_far_as_the_rule_of_three_allows(tasks: int) -> None:
    reach = min(1.0, t_quantile(tasks) ** 2 / math.sqrt(tasks * (tasks + 1)))
    assert paired_interval([0.0] * tasks) == pytest.approx((-reach, reach), rel=1e-9)


def test_with_many_tasks_it_is_close_to_the_interval_of_student() -> None:
    values = np.random.default_rng(0).integers(-4, 5, 2000) / 4
    expected = stats.t.interval(0.95, 1999, loc=values.mean(), scale=stats.sem(values))
    assert paired_interval(values) == pytest.approx(expected, abs=1e-4)


# Ratios


def test_two_tasks_reach_from_the_ratio_of_one_to_that_of_the_other() -> None:
    assert ratio_interval([1, 3], [1, 1], seed=0) == (1.0, 3.0)
    assert ratio_interval([1, 3], [1, 0], seed=0) == (1.0, math.inf)


def test_it_is_a_percentile_interval_moved_out_as_far_as_t_is_from_z() -> None:
    rng = np.random.default_rng(1)
    above, below = rng.exponential(size=30), rng.integers(1, 5, 30).astype(float)
    drawn = np.random.default_rng(2).integers(0, 30, (20_000, 30))
    ratios = above[drawn].sum(axis=1) / below[drawn].sum(axis=1)
    tail = float(stats.norm.cdf(-t_quantile(30) * math.sqrt(30 / 29)))
    assert tail < 0.022
    expected = np.quantile(ratios, [tail, 1 - tail])
    found = given_interval(ratio_interval(above, below, seed=3, resamples=20_000))
    assert found == pytest.approx(expected.tolist(), abs=0.04 * (expected[1] - expected[0]))


@given(lists(st.floats(0, 100), 2, 12), st.integers(0, 100))
@settings(max_examples=50, deadline=None)
def test_a_ratio_lies_in_its_interval_and_scales_with_its_unit(values: list[float], seed: int) -> None:
    below = [1.0 + place % 3 for place in range(len(values))]
    low, high = given_interval(ratio_interval(values, below, seed=seed, resamples=200))
    ratio = math.fsum(values) / math.fsum(below)
    assert -1e-12 <= low <= ratio * (1 + 1e-12) + 1e-12
    assert high >= ratio * (1 - 1e-12) - 1e-12
    doubled = ratio_interval([2 * value for value in values], below, seed=seed, resamples=200)
    assert doubled == pytest.approx((2 * low, 2 * high), rel=1e-12)


def test_a_ratio_that_all_tasks_share_is_certain() -> None:
    assert ratio_interval([2, 4, 6, 10], [1, 2, 3, 5], seed=0) == pytest.approx((2.0, 2.0), rel=1e-12)


def test_a_denominator_that_few_tasks_have_leaves_the_upper_end_open() -> None:
    low, high = given_interval(ratio_interval([1.0] * 6, [1.0, 0, 0, 0, 0, 0], seed=0))
    assert high == math.inf
    assert 1.0 < low < 6.0
    assert given_interval(ratio_interval([1.0] * 60, [1.0] * 40 + [0.0] * 20, seed=0)).high < 2.0


def test_the_same_seed_gives_the_same_ratio_interval_and_another_seed_nearly_so() -> None:
    rng = np.random.default_rng(1)
    above, below = rng.random(40), rng.random(40)
    first, again, other = (given_interval(ratio_interval(above, below, seed=seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert other == pytest.approx(first, abs=0.15 * (first.high - first.low))


def test_a_ratio_without_denominators_has_no_interval() -> None:
    assert ratio_interval([1.0, 2.0], [0.0, 0.0], seed=0) is None


def test_a_ratio_needs_both_numbers_of_every_task() -> None:
    with pytest.raises(ValueError, match="numerator and a denominator"):
        ratio_interval([1.0, 2.0], [1.0], seed=0)
    with pytest.raises(ValueError, match="must lie between 0"):
        ratio_interval([1.0, 2.0], [1.0, -1.0], seed=0)
    with pytest.raises(ValueError, match="finite"):
        ratio_interval([1.0, 2.0], [1.0, math.nan], seed=0)


# How often they hold the truth

SHAPES = {"even": (1.0, 1.0), "at the ends": (0.5, 0.5), "hard": (0.2, 2.0)}
SIMULATIONS = 4000


def held(bounds: tuple[Floats, Floats] | None, truth: Floats | float) -> float:
    assert bounds is not None
    low, high = bounds
    return float(((low <= truth) & (truth <= high)).mean())


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("repeats", [1, 4])
def test_at_100_tasks_95_percent_means_93_to_97(shape: str, repeats: int) -> None:
    rng = np.random.default_rng(11)
    a, b = SHAPES[shape]
    rates = rng.beta(a, b, (SIMULATIONS, 100))
    first, second = (rng.binomial(repeats, rates) / repeats for _ in range(2))
    assert 0.93 <= held(share_bounds(first), a / (a + b)) <= 0.97
    assert 0.93 <= held(paired_bounds(second - first), 0.0) <= 0.975
    if repeats > 1:
        variances = first * (1 - first) / (repeats - 1)
        assert 0.93 <= held(these_tasks_bounds(variances, first), rates.mean(axis=1)) <= 0.975


def test_at_100_tasks_the_mean_of_costs_is_held_in_nearly_95_percent() -> None:
    costs = np.random.default_rng(12).lognormal(0, 1, (SIMULATIONS, 100))
    found, truth = held(mean_bounds(costs), math.exp(0.5)), math.exp(0.5)
    mean, error = costs.mean(axis=1), costs.std(axis=1, ddof=1) / 10
    uncorrected = held((mean - t_quantile(100) * error, mean + t_quantile(100) * error), truth)
    assert 0.925 <= found <= 0.97
    assert found > uncorrected + 0.01
