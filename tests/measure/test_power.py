"""What a comparison could have shown: variances, the minimum detectable difference, and what would settle one."""

import math
import statistics
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from blade.measure.permutation import sign_flip_counts
from blade.measure.power import DifferenceVariance, Settling, difference_variance, minimum_detectable, to_settle

Rollouts = list[list[int]]
"""Outcomes of the rollouts of each task."""


def estimate(first: Rollouts, second: Rollouts) -> DifferenceVariance | None:
    counts = [[sum(task) for task in first], list(map(len, first)), [sum(task) for task in second]]
    return difference_variance(*counts, list(map(len, second)))


def known(first: Rollouts, second: Rollouts) -> DifferenceVariance:
    variance = estimate(first, second)
    assert variance is not None
    return variance


def runs(fewest: int, most: int) -> st.SearchStrategy[tuple[Rollouts, Rollouts]]:
    """Two runs over the same tasks, each with so many rollouts of a task."""
    task = st.lists(st.integers(0, 1), min_size=fewest, max_size=most)
    pairs = st.lists(st.tuples(task, task), min_size=2, max_size=12)
    return pairs.map(lambda tasks: ([pair[0] for pair in tasks], [pair[1] for pair in tasks]))


def spread(
    *, tasks: int = 100, between: float = 0.02, within: float | None = 0.4, repeats: float = 4, step: float = 0.25
) -> DifferenceVariance:
    return DifferenceVariance(tasks, between, within, repeats, step)


spreads = st.builds(
    spread,
    tasks=st.integers(10, 500),
    between=st.floats(0, 0.2),
    within=st.floats(0.01, 0.5),
    repeats=st.integers(1, 10),
    step=st.sampled_from([0.0, 0.125, 0.25, 1.0]),
)


def detectable(variance: DifferenceVariance, **options: float) -> float:
    found = minimum_detectable(variance, **options)
    return math.inf if found is None else found


# Variances


@given(runs(2, 6))
@settings(max_examples=80, deadline=None)
def test_the_variances_are_those_of_rollouts_within_and_of_tasks_between(pair: tuple[Rollouts, Rollouts]) -> None:
    first, second = pair
    tasks = len(first)
    singles = [[statistics.variance(task) for task in run] for run in pair]
    noise = sum(
        statistics.fmean(single / len(task) for single, task in zip(of_run, run, strict=True))
        for of_run, run in zip(singles, pair, strict=True)
    )
    differences = [statistics.fmean(b) - statistics.fmean(a) for a, b in zip(first, second, strict=True)]
    apart = sum(abs(difference) > 1e-9 for difference in differences)
    least = float(stats.t.ppf(0.975, tasks - 1)) ** 2 / (1 + apart) / (tasks + 1)
    found = known(first, second)
    assert found.tasks == tasks
    assert found.within == pytest.approx(sum(map(statistics.fmean, singles)), abs=1e-12)
    assert found.between == pytest.approx(max(statistics.variance(differences) - noise, least - noise, 0.0), abs=1e-9)
    assert found.total == pytest.approx(max(statistics.variance(differences), least, noise), abs=1e-9)
    assert found.total > 0


@given(runs(1, 1))
@settings(max_examples=40, deadline=None)
def test_single_rollouts_cannot_tell_noise_from_tasks_that_differ(pair: tuple[Rollouts, Rollouts]) -> None:
    found = known(*pair)
    assert found.within is None
    assert found.repeats == 1.0
    differences = [b - a for [a], [b] in zip(*pair, strict=True)]
    assert found.total == found.between >= statistics.variance(differences) - 1e-12
    assert found.total > 0


@given(runs(1, 4))
@settings(max_examples=60, deadline=None)
def test_swapped_runs_and_tasks_in_another_order_have_the_same_variances(pair: tuple[Rollouts, Rollouts]) -> None:
    first, second = pair
    found = known(first, second)
    for other in (known(second, first), known(first[::-1], second[::-1])):
        assert (other.tasks, other.within is None) == (found.tasks, found.within is None)
        assert other.total == pytest.approx(found.total, abs=1e-9)
        assert (other.within or 0) == pytest.approx(found.within or 0, abs=1e-9)
        assert other.step == pytest.approx(found.step)
        assert minimum_detectable(other) == pytest.approx(minimum_detectable(found), abs=1e-9)


def test_repeats_are_those_of_both_runs_where_they_are_equal_and_their_harmonic_mean_where_not() -> None:
    mixed, even = [[0, 1, 0, 1]] * 10, [[1, 1, 0, 0]] * 10
    assert known(mixed, even).repeats == pytest.approx(4)
    many = [[0, 1] * 6] * 10
    single = {4: 4 / 3 / 4, 12: 12 / 11 / 4}
    expected = (single[4] + single[12]) / (single[4] / 4 + single[12] / 12)
    assert known(mixed, many).repeats == pytest.approx(expected)
    assert 4 < expected < 12


def test_a_task_with_one_rollout_is_given_the_noise_of_the_others() -> None:
    repeated = [[0, 1, 0, 1], [1, 1, 0, 1], [0, 0, 0, 0]]
    singles = list(map(statistics.variance, repeated))
    found = known([*repeated, [1]], [*repeated, [1]])
    assert found.within == pytest.approx(2 * statistics.fmean(singles))
    noise = 2 * (sum(singles) / 4 + statistics.fmean(singles)) / 4
    assert found.within is not None
    assert found.within / found.repeats == pytest.approx(noise)


def test_one_repeated_task_is_too_few_to_know_the_noise() -> None:
    assert known([[0, 1], [1], [0]], [[0, 1], [1, 1], [0, 1]]).within is None
    assert known([[0, 1], [1, 0], [0]], [[0, 1], [1, 1], [0, 1]]).within is not None


def test_runs_that_look_identical_leave_possible_what_the_rule_of_three_does() -> None:
    for tasks in (5, 20, 200):
        same = [[1, 1]] * tasks
        expected = float(stats.t.ppf(0.975, tasks - 1)) ** 2 / (tasks + 1)
        assert known(same, same).total == pytest.approx(expected)


@pytest.mark.parametrize("repeats", [2, 5])
def test_over_many_simulations_the_variances_are_the_true_ones(repeats: int) -> None:
    rng = np.random.default_rng(repeats)
    between, within = [], []
    for _ in range(300):
        rates, others = rng.uniform(0, 1, 80), rng.uniform(0, 1, 80)
        measured = np.full(80, repeats)
        found = difference_variance(rng.binomial(repeats, rates), measured, rng.binomial(repeats, others), measured)
        assert found is not None
        assert found.within is not None
        between.append(found.between)
        within.append(found.within)
    assert statistics.fmean(between) == pytest.approx(2 / 12, rel=0.05)
    assert statistics.fmean(within) == pytest.approx(2 / 6, rel=0.03)


def test_the_step_is_the_fraction_that_all_differences_are_multiples_of() -> None:
    assert known([[0, 0, 0, 1]] * 3, [[0, 1, 1, 1], [0, 0, 0, 1], [1, 1, 0, 1]]).step == pytest.approx(0.5)
    assert known([[0, 0, 1]] * 3, [[0, 1], [1, 1], [0, 0]]).step == pytest.approx(1 / 6)
    assert known([[0, 0, 1]] * 3, [[0, 0, 1]] * 3).step == pytest.approx(1 / 3)


def test_differences_that_cancel_out_look_alike_from_both_sides() -> None:
    first, second = [[0, 0, 1, 1]] * 9, [[1, 1, 1, 1], [0, 0, 0, 1], [0, 0, 0, 1], *[[0, 0, 1, 1]] * 6]
    assert known(first, second) == known(second, first)
    assert known(first, second).skewness == 0.0


@given(runs(1, 4))
@settings(max_examples=60, deadline=None)
def test_the_shape_is_that_of_the_differences_seen_from_the_side_of_their_mean(
    pair: tuple[Rollouts, Rollouts],
) -> None:
    differences = [statistics.fmean(b) - statistics.fmean(a) for a, b in zip(*pair, strict=True)]
    found, mean = known(*pair), statistics.fmean(differences)
    if statistics.pvariance(differences) < 1e-9:
        assert (found.skewness, found.kurtosis) == (0.0, 3.0)
    else:
        assert found.kurtosis == pytest.approx(float(stats.kurtosis(differences, fisher=False)))
        seen = math.copysign(1, mean) * float(stats.skew(differences)) if abs(mean) > 1e-9 else 0.0
        assert found.skewness == pytest.approx(seen, abs=1e-9)


def test_tasks_that_one_run_has_not_measured_are_left_out() -> None:
    first, second = [[0, 1], [1, 1], [0, 0]], [[1, 1], [0, 1], [0, 1]]
    assert known([*first, [], [1, 1], []], [*second, [0, 1], [], []]) == known(first, second)


def test_fewer_than_two_common_tasks_say_nothing() -> None:
    assert estimate([], []) is None
    assert estimate([[0, 1]], [[1, 1]]) is None
    assert estimate([[0, 1], []], [[1, 1], [0, 1]]) is None


@pytest.mark.parametrize("counts", [([1, 1], [2, 2], [1], [2]), ([[1]], [[2]], [[1]], [[2]]), (1, 2, 1, 2)])
def test_counts_of_other_shapes_are_refused(counts: Sequence[npt.ArrayLike]) -> None:
    with pytest.raises(ValueError, match="one entry for each task"):
        difference_variance(*counts)


# The minimum detectable difference


@pytest.mark.parametrize(("alpha", "power"), [(0.05, 0.8), (0.01, 0.9), (0.1, 0.5)])
@pytest.mark.parametrize(("skewness", "kurtosis"), [(0.0, 3.0), (0.0, 1.5), (1.0, 4.0), (-2.0, 8.0)])
def test_it_is_two_quantiles_away_with_a_step_for_continuity(
    alpha: float, power: float, skewness: float, kurtosis: float
) -> None:
    variance = spread(tasks=40, between=0.03, within=0.36, repeats=4, step=0.25)
    variance = variance._replace(skewness=skewness, kurtosis=kurtosis)
    t, z = stats.t.ppf(1 - alpha / 2, 39), stats.norm.ppf(power)
    factor = math.sqrt(1 - t * skewness / math.sqrt(40) + t**2 * (kurtosis - 1) / 160)
    expected = (t + z * factor) * math.sqrt((0.03 + 0.36 / 4) / 40) + 0.25 / 40
    assert minimum_detectable(variance, alpha=alpha, power=power) == pytest.approx(expected)


def test_its_defaults_are_five_percent_and_eighty() -> None:
    assert minimum_detectable(spread()) == minimum_detectable(spread(), alpha=0.05, power=0.8)


@given(spreads, st.integers(1, 300))
@settings(max_examples=60, deadline=None)
def test_it_falls_with_tasks_and_with_repeats(variance: DifferenceVariance, more: int) -> None:
    least = detectable(variance)
    assert detectable(variance._replace(tasks=variance.tasks + more)) < max(least, 1.0001)
    assert detectable(variance._replace(repeats=variance.repeats + more)) < max(least, 1.0001)


@given(spreads)
@settings(max_examples=40, deadline=None)
def test_it_rises_with_the_power_and_the_certainty_asked_for(variance: DifferenceVariance) -> None:
    least = detectable(variance)
    assert detectable(variance, power=0.9) >= least >= detectable(variance, power=0.6)
    assert detectable(variance, alpha=0.01) >= least >= detectable(variance, alpha=0.2)


def test_more_repeats_help_no_further_than_tasks_that_differ_allow() -> None:
    endless = detectable(spread(repeats=1e12, step=0.0))
    assert endless == pytest.approx(detectable(spread(within=0.0, step=0.0)))
    assert endless > 0.03


def test_with_fewer_than_six_tasks_or_much_noise_no_difference_would_do() -> None:
    tiny = {"between": 1e-4, "within": 1e-4, "step": 0.0}
    assert minimum_detectable(spread(tasks=5, **tiny)) is None
    assert minimum_detectable(spread(tasks=6, **tiny)) is not None
    assert minimum_detectable(spread(tasks=6, **tiny), alpha=0.01) is None
    assert minimum_detectable(spread(tasks=6, between=0.5, within=0.5, repeats=1)) is None


def claimed(difference: float, *, tasks: int, repeats: int, simulations: int, seed: int, between: float = 0.0) -> float:
    """The share of simulated pairs of runs in which the test claims a difference."""
    rng = np.random.default_rng(seed)
    measured, found = np.full(tasks, repeats), 0
    for _ in range(simulations):
        rates = rng.uniform(0.2, 0.5, tasks)
        others = rates + difference + math.sqrt(3 * between) * rng.uniform(-1, 1, tasks)
        first, second = rng.binomial(repeats, rates), rng.binomial(repeats, others)
        found += sign_flip_counts(first, measured, second, measured) < 0.05
    return found / simulations


@pytest.mark.parametrize(("tasks", "repeats", "between"), [(60, 1, 0.0), (60, 4, 0.0), (100, 4, 0.01)])
def test_a_true_difference_of_that_size_is_found_in_about_80_percent(tasks: int, repeats: int, between: float) -> None:
    # within of both runs over uniform rates, the second shifted, found by trying: the effect enters its own variance
    effect = 0.15
    for _ in range(20):
        rates = np.linspace(0.2, 0.5, 10_001)
        within = float((rates * (1 - rates) + (rates + effect) * (1 - rates - effect)).mean()) - between
        effect = detectable(spread(tasks=tasks, between=between, within=within, repeats=repeats, step=1 / repeats))
    share = claimed(effect, tasks=tasks, repeats=repeats, simulations=500, seed=1, between=between)
    assert 0.75 <= share <= 0.87


@pytest.mark.parametrize(("tasks", "repeats"), [(30, 1), (50, 4)])
def test_in_pure_noise_a_difference_is_claimed_in_about_5_percent_at_most(tasks: int, repeats: int) -> None:
    assert claimed(0.0, tasks=tasks, repeats=repeats, simulations=800, seed=2) <= 0.065


# What would settle a difference


@given(spreads, st.floats(0.02, 0.9))
@settings(max_examples=100, deadline=None)
def test_the_tasks_that_settle_a_difference_are_the_fewest_at_which_it_is_detectable(
    variance: DifferenceVariance, delta: float
) -> None:
    tasks = to_settle(delta, variance).tasks
    assert tasks is not None
    assert detectable(variance._replace(tasks=tasks)) <= delta
    assert detectable(variance._replace(tasks=tasks - 1)) > delta


@given(spreads, st.floats(0.02, 0.9))
@settings(max_examples=100, deadline=None)
def test_the_repeats_that_settle_a_difference_are_the_fewest_at_which_it_is_detectable(
    variance: DifferenceVariance, delta: float
) -> None:
    def at(repeats: float) -> float:
        return detectable(variance._replace(repeats=repeats, step=variance.step * variance.repeats / repeats))

    repeats = to_settle(delta, variance).repeats
    if repeats is None:
        assert at(1e8) > delta
    else:
        assert at(repeats) <= delta
        assert repeats == 1 or at(repeats - 1) > delta


@given(spreads)
@settings(max_examples=60, deadline=None)
def test_the_minimum_detectable_difference_is_settled_by_what_there_is(variance: DifferenceVariance) -> None:
    least = minimum_detectable(variance)
    if least is not None:
        assert to_settle(least * (1 + 1e-9), variance) == (variance.repeats, variance.tasks)
        finer = to_settle(least / 2, variance)
        assert finer.tasks is not None
        assert finer.tasks > variance.tasks
        assert finer.repeats is None or finer.repeats > variance.repeats


def test_the_sign_of_the_difference_does_not_matter_and_none_needs_no_settling() -> None:
    assert to_settle(-0.07, spread()) == to_settle(0.07, spread())
    assert to_settle(0.0, spread()) == Settling(None, None)


def test_repeats_cannot_settle_what_lies_between_tasks_or_where_their_noise_is_unknown() -> None:
    assert to_settle(0.02, spread(between=0.1)).repeats is None
    assert to_settle(0.02, spread(between=0.1)).tasks is not None
    unknown = to_settle(0.2, spread(between=0.3, within=None, repeats=1.0, step=1.0))
    assert unknown.repeats is None
    assert unknown.tasks is not None


def test_with_fewer_than_six_tasks_only_more_tasks_settle_anything() -> None:
    assert to_settle(0.9, spread(tasks=5, between=1e-6, within=1e-6, step=0.0)) == Settling(None, 6)
