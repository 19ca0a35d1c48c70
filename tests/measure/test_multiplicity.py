"""Adjusted p-values are those of the definitions; simultaneous intervals hold together."""

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from blade.measure.intervals import paired_interval
from blade.measure.multiplicity import benjamini_hochberg, holm, simultaneous_intervals

ps = st.lists(st.one_of(st.floats(0, 1), st.integers(0, 20).map(lambda n: n / 20)), min_size=1, max_size=8)


def closed_bonferroni(given_ps: Sequence[float]) -> list[float]:
    """Holm by its theory: a claim holds where Bonferroni rejects every set of questions with it inside."""
    places = range(len(given_ps))
    subsets = [chosen for size in places for chosen in itertools.combinations(places, size + 1)]
    return [
        max(min(1.0, len(chosen) * min(given_ps[each] for each in chosen)) for chosen in subsets if place in chosen)
        for place in places
    ]


def test_holm_multiplies_the_smallest_p_by_all_the_next_by_one_fewer_and_never_goes_down() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])


@given(ps)
@settings(max_examples=60, deadline=None)
def test_holm_is_the_closed_test_of_bonferroni(given_ps: list[float]) -> None:
    assert holm(given_ps).tolist() == pytest.approx(closed_bonferroni(given_ps), rel=1e-12)


@given(ps)
@settings(max_examples=60, deadline=None)
def test_benjamini_hochberg_is_that_of_scipy(given_ps: list[float]) -> None:
    expected = stats.false_discovery_control(given_ps, method="bh")
    assert benjamini_hochberg(given_ps).tolist() == pytest.approx(expected.tolist(), rel=1e-12)


@given(ps)
@settings(max_examples=60, deadline=None)
def test_adjusting_never_makes_p_smaller_and_holm_is_the_stricter(given_ps: list[float]) -> None:
    strict, loose = holm(given_ps), benjamini_hochberg(given_ps)
    assert (loose >= np.array(given_ps) * (1 - 1e-12)).all()
    assert (strict >= loose * (1 - 1e-12)).all()
    assert (strict <= 1).all()


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
@given(asked=ps, order=st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_the_order_of_the_questions_does_not_matter(adjust: object, asked: list[float], order: object) -> None:
    places = list(range(len(asked)))
    order.shuffle(places)  # type: ignore[attr-defined]
    shuffled = adjust([asked[place] for place in places])  # type: ignore[operator]
    assert shuffled.tolist() == adjust(asked)[places].tolist()  # type: ignore[operator]


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
@pytest.mark.parametrize("nothing", [None, math.nan])
def test_a_question_that_was_not_asked_stays_open_and_does_not_count(adjust: object, nothing: float | None) -> None:
    with_gap = adjust([0.01, nothing, 0.02]).tolist()  # type: ignore[operator]
    assert math.isnan(with_gap[1])
    assert [with_gap[0], with_gap[2]] == adjust([0.01, 0.02]).tolist() == pytest.approx([0.02, 0.02])  # type: ignore[operator]


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_one_question_keeps_its_p_and_no_questions_have_none(adjust: object) -> None:
    assert adjust([0.03]).tolist() == [0.03]  # type: ignore[operator]
    assert adjust([]).tolist() == []  # type: ignore[operator]
    assert np.isnan(adjust([None, None])).all()  # type: ignore[operator]


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_adjusting_leaves_the_given_array_as_it_was(adjust: object) -> None:
    mine = np.array([0.03, 0.01, np.nan])
    adjust(mine)  # type: ignore[operator]
    assert mine[:2].tolist() == [0.03, 0.01]


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
@pytest.mark.parametrize("p", [-0.01, 1.01, math.inf, -math.inf])
def test_what_is_no_probability_is_refused(adjust: object, p: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        adjust([0.5, p])  # type: ignore[operator]


def noise(tasks: int, terms: int, seed: int = 0) -> np.ndarray:
    """Terms without any true change: multiples of a quarter."""
    rng = np.random.default_rng(seed)
    return np.asarray((rng.binomial(4, 0.2, (tasks, terms)) - rng.binomial(4, 0.2, (tasks, terms))) / 4)


matrices = st.tuples(st.integers(2, 15), st.integers(1, 5), st.integers(0, 10**6)).map(
    lambda shape: np.random.default_rng(shape[2]).integers(-4, 5, shape[:2]) / 4
)


@given(matrices)
@settings(max_examples=40, deadline=None)
def test_an_interval_among_several_is_never_narrower_than_alone(matrix: np.ndarray) -> None:
    together = simultaneous_intervals(matrix, seed=1, resamples=500)
    assert together is not None
    for interval, column in zip(together, matrix.T, strict=True):
        alone = paired_interval(column)
        assert alone is not None
        assert interval.low <= alone.low + 1e-12
        assert interval.high >= alone.high - 1e-12
        assert -1 <= interval.low < interval.high <= 1
        assert interval.low - 1e-12 <= column.mean() <= interval.high + 1e-12


def test_the_intervals_of_eight_terms_reach_further_than_those_of_one() -> None:
    matrix = noise(100, 8)
    together, first = simultaneous_intervals(matrix, seed=1), simultaneous_intervals(matrix[:, :1], seed=1)
    assert together is not None
    assert first is not None
    ratio = (together[0].high - together[0].low) / (first[0].high - first[0].low)
    # the normal quantile for eight independent terms by that for one
    assert ratio == pytest.approx(stats.norm.ppf(1 - 0.05 / 16) / stats.norm.ppf(0.975), rel=0.05)


def test_one_term_has_about_the_interval_that_it_has_alone() -> None:
    column = noise(100, 1)
    [together], alone = simultaneous_intervals(column, seed=1) or [None], paired_interval(column[:, 0])
    assert together == pytest.approx(alone, abs=0.005)


def test_eight_unchanged_terms_all_hold_in_nearly_all_simulations_where_single_intervals_do_not() -> None:
    alarms = alone = 0
    for seed in range(150):
        matrix = noise(60, 8, seed)
        alarms += any(low > 0 or high < 0 for low, high in simultaneous_intervals(matrix, seed=seed, resamples=1000))  # type: ignore[union-attr]
        alone += any(low > 0 or high < 0 for low, high in map(paired_interval, matrix.T))  # type: ignore[misc]
    assert alarms / 150 <= 0.08
    assert alone / 150 >= 0.2


def test_a_term_twice_or_a_term_that_never_changes_does_not_widen_the_others() -> None:
    matrix = noise(50, 2)
    before = simultaneous_intervals(matrix, seed=3, resamples=2000)
    assert before is not None
    more = np.column_stack((matrix, matrix[:, 1], np.zeros(50)))
    after = simultaneous_intervals(more, seed=3, resamples=2000)
    assert after is not None
    assert np.array(after[:2]) == pytest.approx(np.array(before), abs=1e-9)
    assert after[2] == pytest.approx(after[1], abs=1e-12)
    assert after[3].low < 0 < after[3].high


def test_mirrored_terms_have_mirrored_intervals() -> None:
    matrix = noise(40, 3)
    first = simultaneous_intervals(matrix, seed=3, resamples=2000)
    second = simultaneous_intervals(-matrix, seed=3, resamples=2000)
    assert first is not None
    assert second is not None
    assert np.array(second) == pytest.approx(-np.array(first)[:, ::-1], abs=1e-12)


def test_simultaneous_intervals_widen_with_the_level() -> None:
    matrix = noise(40, 3)
    widths = []
    for level in (0.5, 0.8, 0.9, 0.95, 0.99):
        found = simultaneous_intervals(matrix, seed=3, level=level, resamples=2000)
        assert found is not None
        widths.append([high - low for low, high in found])
    assert (np.diff(np.array(widths), axis=0) > 0).all()


def test_the_same_seed_gives_the_same_intervals() -> None:
    matrix = noise(30, 3)
    assert simultaneous_intervals(matrix, seed=5) == simultaneous_intervals(matrix, seed=5)


def test_one_task_has_no_intervals_and_no_terms_have_none_to_give() -> None:
    assert simultaneous_intervals([[0.5, 0.2]], seed=0) is None
    assert simultaneous_intervals(np.empty((0, 2)), seed=0) is None
    assert simultaneous_intervals(np.empty((5, 0)), seed=0) == []


@pytest.mark.parametrize("value", [1.1, -1.1, math.nan, math.inf])
def test_terms_beyond_a_whole_task_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match="between -1 and 1"):
        simultaneous_intervals([[0.0], [value]], seed=0)


def test_terms_that_are_no_matrix_are_refused() -> None:
    with pytest.raises(ValueError, match="matrix"):
        simultaneous_intervals([0.1, 0.2], seed=0)
