"""The sign-flip test is the one that enumerates all sign patterns."""

import itertools
import math
import tracemalloc
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from blade.measure import permutation
from blade.measure.permutation import LATTICES, lattice, sign_flip, sign_flip_counts, smallest_p

Counts = tuple[list[int], list[int], list[int], list[int]]


def enumerated(steps: Sequence[int]) -> float:
    """p by trying every sign pattern on whole numbers."""
    patterns = np.array(list(itertools.product((-1, 1), repeat=len(steps))))
    return float((np.abs(patterns @ np.array(steps)) >= abs(sum(steps))).mean())


def in_whole_steps(counts: Counts) -> list[int]:
    """Differences of pass rates as whole multiples of the smallest fraction that they share."""
    tasks = [task for task in zip(*counts, strict=True) if task[1] and task[3]]
    common = math.lcm(*(measured for task in tasks for measured in task[1::2]))
    return [b * (common // of_b) - a * (common // of_a) for a, of_a, b, of_b in tasks]


def counts_of(repeats: st.SearchStrategy[int], most: int = 9) -> st.SearchStrategy[Counts]:
    one = repeats.flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
    both = st.tuples(one, one).map(lambda pair: (*pair[0], *pair[1]))
    return st.lists(both, min_size=1, max_size=most).map(
        lambda tasks: tuple(list(column) for column in zip(*tasks, strict=True))  # type: ignore[arg-type,return-value]
    )


whole = st.lists(st.integers(-6, 6), min_size=1, max_size=9)


@given(counts_of(st.integers(0, 9)))
@settings(max_examples=100, deadline=None)
def test_p_of_counts_is_the_share_of_all_sign_patterns_that_are_as_extreme(counts: Counts) -> None:
    steps = in_whole_steps(counts)
    assert sign_flip_counts(*counts) == pytest.approx(enumerated(steps) if steps else 1.0, rel=1e-12)


@given(whole, st.sampled_from([math.pi, 1e-7 * math.e, 1e5 * math.sqrt(2)]))
@settings(max_examples=100, deadline=None)
def test_p_of_few_tasks_is_exact_for_values_of_no_common_fraction_too(steps: list[int], unit: float) -> None:
    assert sign_flip([step * unit for step in steps], seed=0) == pytest.approx(enumerated(steps), rel=1e-12)


def test_p_of_twelve_tasks_is_exact() -> None:
    steps = [5, -3, 4, 4, -1, 2, 6, 0, -2, 3, 1, 5]
    assert sign_flip(np.array(steps) / 8, seed=0) == pytest.approx(enumerated(steps), rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_p_is_that_of_scipy(seed: int) -> None:
    values = np.random.default_rng(seed).normal(0.3, 1, 10)
    found = stats.permutation_test((values,), np.mean, permutation_type="samples", n_resamples=np.inf)
    assert sign_flip(values, seed=0) == pytest.approx(float(found.pvalue), rel=1e-12)


@pytest.mark.parametrize("better", [3, 9, 300, 330, 550, 600, 1100])
@pytest.mark.parametrize("worse", [0, 1, 8, 290, 500])
def test_p_of_equal_differences_is_that_of_the_sign_test_for_any_number_of_tasks(better: int, worse: int) -> None:
    expected = float(stats.binomtest(better, better + worse).pvalue)
    found = sign_flip([0.25] * better + [-0.25] * worse, seed=0)
    assert found == pytest.approx(max(expected, smallest_p(better + worse)), rel=1e-9)


def test_p_of_many_tasks_is_close_to_that_of_a_normal_variable() -> None:
    steps = np.random.default_rng(1).integers(-8, 9, 900)
    z = abs(steps.sum()) / math.sqrt((steps**2).sum())
    assert sign_flip(steps / 8, seed=0) == pytest.approx(2 * float(stats.norm.sf(z)), rel=0.01)


@pytest.mark.parametrize("tasks", [21, 40, 300])
def test_random_sign_patterns_agree_with_the_exact_p_within_their_error(tasks: int) -> None:
    steps = np.random.default_rng(tasks).choice([-3, -2, -1, 1, 2, 4], tasks)
    exact, drawn = (sign_flip(steps * unit, seed=3, draws=40_000) for unit in (0.25, math.pi))
    assert exact == sign_flip(steps * 0.25, seed=4)
    assert drawn != exact
    assert abs(drawn - exact) < 4 * math.sqrt(exact * (1 - exact) / 40_000)


def test_a_random_p_counts_what_was_seen_as_one_of_the_patterns() -> None:
    values = np.random.default_rng(0).random(60) + 0.1
    assert sign_flip(values, seed=0, draws=10_000) == 1 / 10_001
    assert sign_flip(values, seed=0) == 1 / 20_001


def test_a_random_p_is_the_same_for_the_same_seed_in_any_order_and_for_swapped_runs() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(0.1, 1, 50)
    p = sign_flip(values, seed=9)
    assert sign_flip(values, seed=9) == p
    assert sign_flip(rng.permutation(values), seed=9) == p
    assert sign_flip(-values, seed=9) == p
    assert sign_flip(values, seed=10) != p


def test_too_few_draws_for_a_random_p_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 10,000 draws"):
        sign_flip(np.random.default_rng(2).normal(0.1, 1, 50), seed=0, draws=9_999)


@given(counts_of(st.integers(0, 6)), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_p_is_the_same_for_swapped_runs_and_tasks_in_any_order(counts: Counts, order: object) -> None:
    p = sign_flip_counts(*counts)
    assert sign_flip_counts(*counts[2:], *counts[:2]) == p
    tasks = list(zip(*counts, strict=True))
    order.shuffle(tasks)  # type: ignore[attr-defined]
    assert sign_flip_counts(*zip(*tasks, strict=True)) == p


@given(counts_of(st.integers(1, 6)))
@settings(max_examples=40, deadline=None)
def test_failures_in_the_place_of_passes_give_the_same_p(counts: Counts) -> None:
    a, of_a, b, of_b = (np.array(each) for each in counts)
    assert sign_flip_counts(of_a - a, of_a, of_b - b, of_b) == sign_flip_counts(a, of_a, b, of_b)


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(1, 3)), min_size=0, max_size=40))
@settings(max_examples=40, deadline=None)
def test_a_run_against_itself_and_against_the_same_rates_at_more_repeats_has_p_1(tasks: list[tuple[int, int]]) -> None:
    passed, times = [task[0] for task in tasks], np.array([task[1] for task in tasks], dtype=int)
    measured = [8] * len(tasks)
    assert sign_flip_counts(passed, measured, passed, measured) == 1.0
    assert sign_flip_counts(passed, measured, np.array(passed, dtype=int) * times, 8 * times) == 1.0


@given(whole)
@settings(max_examples=40, deadline=None)
def test_tasks_that_do_not_differ_or_were_not_measured_change_nothing(steps: list[int]) -> None:
    p = sign_flip([step / 6 for step in steps], seed=0)
    assert sign_flip([0.0, *(step / 6 for step in steps), 0.0, 0.0], seed=0) == p
    counts = [max(step, 0) for step in steps], [6] * len(steps), [max(-step, 0) for step in steps], [6] * len(steps)
    assert sign_flip_counts(*counts) == p
    a, of_a, b, of_b = counts
    assert sign_flip_counts([*a, 3, 0, 0], [*of_a, 3, 0, 0], [*b, 0, 3, 0], [*of_b, 0, 3, 0]) == p


@given(whole)
@settings(max_examples=40, deadline=None)
def test_p_lies_between_the_smallest_possible_and_1(steps: list[int]) -> None:
    differ = [step for step in steps if step]
    assert smallest_p(len(differ)) <= sign_flip(steps, seed=0) <= 1.0


@pytest.mark.parametrize(
    ("tasks", "expected"), [(0, 1.0), (1, 1.0), (2, 0.5), (5, 0.0625), (6, 0.03125), (999, 2.0**-998)]
)
def test_no_result_has_a_smaller_p_than_two_patterns_of_all(tasks: int, expected: float) -> None:
    assert smallest_p(tasks) == expected
    assert sign_flip([0.5] * tasks, seed=0) == expected


def test_p_never_reaches_zero() -> None:
    assert 0 < sign_flip([1.0] * 3000, seed=0) < 1e-300
    assert 0 < smallest_p(10**6) < 1e-300


@pytest.mark.parametrize("sizes", [[1] * 8, [1, 2, 3, 4, 5, 6, 7, 8], [1, 1, 1, 1, 2, 2, 8, 8]])
def test_in_pure_noise_p_below_any_limit_is_no_more_frequent_than_the_limit(sizes: list[int]) -> None:
    signs = itertools.product((-1, 1), repeat=len(sizes))
    ps = np.array([sign_flip(np.array(pattern) * sizes / 8, seed=0) for pattern in signs])
    for limit in np.unique(ps):
        assert (ps <= limit).mean() <= limit * (1 + 1e-12)


def test_sums_that_differ_by_rounding_only_count_as_equal() -> None:
    assert 0.3 - 0.1 - 0.2 != 0
    assert sign_flip([0.3, -0.1, -0.2], seed=0) == 1.0
    assert sign_flip([0.3 * math.pi, -0.1 * math.pi, -0.2 * math.pi], seed=0) == 1.0
    assert sign_flip([0.1] * 3 + [-0.3, 0.3, 0.3], seed=0) == enumerated([1, 1, 1, -3, 3, 3])


def test_a_difference_by_rounding_only_is_no_difference() -> None:
    values = [0.1, 0.2, -0.1] * 10
    assert sign_flip([*values, 0.1 + 0.2 - 0.3], seed=0) == sign_flip(values, seed=0)
    assert sign_flip([0.5] * 5 + [1e-17] * 12, seed=0) == sign_flip([0.5] * 5, seed=0)


@pytest.mark.parametrize(("of_a", "of_b"), [(32, 5), (17, 19), (1, 200), (64, 48)])
def test_p_of_counts_is_exact_for_runs_of_unlike_repeats(of_a: int, of_b: int) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, of_a + 1, 30), rng.integers(0, of_b + 1, 30)
    first, second = (sign_flip_counts(a, [of_a] * 30, b, [of_b] * 30, seed=seed) for seed in (1, 2))
    assert first == second
    # the distribution of the sum of whole numbers, counted in a plain way
    sums = {0: 1}
    for step in (b * of_a - a * of_b).tolist():
        counted: dict[int, int] = {}
        for total, count in sums.items():
            for signed in (total + step, total - step):
                counted[signed] = counted.get(signed, 0) + count
        sums = counted
    seen = abs(int((b * of_a - a * of_b).sum()))
    expected = sum(count for total, count in sums.items() if abs(total) >= seen) / 2**30
    assert first == pytest.approx(expected, rel=1e-9)


def test_counts_without_a_workable_common_multiple_are_drawn() -> None:
    rng = np.random.default_rng(0)
    repeats = np.array([37, 41, 43, 47, 53, 59, 61, 67, 71, 73] * 4)
    counts = rng.binomial(repeats, 0.5), repeats, rng.binomial(repeats[::-1], 0.6), repeats[::-1]
    first, second = (sign_flip_counts(*counts, seed=seed, draws=20_000) for seed in (1, 2))
    assert first != second
    assert first == pytest.approx(second, abs=0.02)
    assert (first * 20_001) % 1 == pytest.approx(0, abs=1e-6)


@given(st.lists(st.integers(-40, 40).filter(bool), min_size=1, max_size=10), st.sampled_from(LATTICES))
@settings(max_examples=80, deadline=None)
def test_the_lattice_of_fractions_is_found_whole_and_as_coarse_as_can_be(steps: list[int], denominator: int) -> None:
    found = lattice(np.array(steps) / denominator)
    assert found is not None
    assert found.steps * found.size == pytest.approx(np.array(steps) / denominator, rel=1e-9)
    assert found.size == pytest.approx(math.gcd(*steps) / denominator, rel=1e-9)


def test_values_of_no_common_fraction_have_no_lattice() -> None:
    assert lattice(np.array([math.pi / 10, math.e / 10, 1.0])) is None


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_task_that_was_not_measured_must_be_left_out(value: float) -> None:
    with pytest.raises(ValueError, match="leave out tasks"):
        sign_flip([0.5, value], seed=0)


@pytest.mark.parametrize("differences", [0.5, [[0.5, 0.25]]])
def test_differences_are_one_for_each_task(differences: object) -> None:
    with pytest.raises(ValueError, match="one difference for each task"):
        sign_flip(differences, seed=0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "counts", [([3], [2], [0], [2]), ([0], [2], [3], [2]), ([-1], [2], [0], [2]), ([0], [2], [-1], [2])]
)
def test_more_passes_than_rollouts_are_refused(counts: Counts) -> None:
    with pytest.raises(ValueError, match="more rollouts than were measured"):
        sign_flip_counts(*counts)


@pytest.mark.parametrize("counts", [([1, 1], [2, 2], [1], [2]), ([[1]], [[2]], [[1]], [[2]]), (1, 2, 1, 2)])
def test_counts_of_other_shapes_are_refused(counts: Counts) -> None:
    with pytest.raises(ValueError, match="one entry for each task"):
        sign_flip_counts(*counts)


def test_large_sizes_are_not_counted_out_beyond_the_bound_on_work(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = np.random.default_rng(5).integers(-3, 4, 40) * 1.0
    exact = sign_flip(steps, seed=0)
    monkeypatch.setattr(permutation, "_MOST_COUNTED", 10)
    drawn = sign_flip(steps, seed=0)
    assert drawn != exact
    assert drawn == pytest.approx(exact, abs=0.02)
    assert sign_flip(steps[:12], seed=0) == pytest.approx(enumerated(steps[:12].astype(int).tolist()), rel=1e-12)


def test_two_differences_of_many_steps_take_little_memory() -> None:
    tracemalloc.start()
    p = sign_flip([30_000_001.0, -29_999_999.0], seed=0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert p == 1.0
    assert peak < 100_000_000
