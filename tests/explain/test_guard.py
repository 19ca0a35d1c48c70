"""The guard holds rollouts against others of the same task and run, exactly."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from blade.explain.guard import BETWEEN, NONE, WITHIN, association, hypergeometric, odds_ratio, tables_of, upper_mid_p

cells = st.tuples(*[st.integers(0, 5)] * 4).filter(
    lambda t: t[0] + t[1] > 0 and t[2] + t[3] > 0 and t[0] + t[2] > 0 and t[1] + t[3] > 0
)


def by_enumeration(tables: list[tuple[int, ...]]) -> float:
    """The mid-p over every way in which the failures could have fallen."""
    seen = sum(table[0] for table in tables)
    kinds = [stats.hypergeom(sum(t), t[0] + t[1], t[0] + t[2]) for t in tables]
    values = [range(min(t[0] + t[1], t[0] + t[2]) + 1) for t in tables]
    p = 0.0
    for combination in itertools.product(*values):
        chance = math.prod(kind.pmf(k) for kind, k in zip(kinds, combination, strict=True))
        p += chance * (1.0 if sum(combination) > seen else 0.5 if sum(combination) == seen else 0.0)
    return p


@given(st.lists(cells, min_size=1, max_size=3))
@settings(max_examples=60, deadline=None)
def test_p_is_that_of_counting_every_way_in_which_failures_could_fall(tables: list[tuple[int, ...]]) -> None:
    assert upper_mid_p(np.array(tables, dtype=float)) == pytest.approx(by_enumeration(tables), abs=1e-9)


@given(st.integers(1, 40), st.data())
def test_one_draw_is_scipys_hypergeometric(n: int, data: st.DataObject) -> None:
    shown, failed = data.draw(st.integers(0, n)), data.draw(st.integers(0, n))
    chances, low = hypergeometric(n, shown, failed)
    expected = stats.hypergeom(n, shown, failed).pmf(np.arange(low, low + len(chances)))
    np.testing.assert_allclose(chances, expected, atol=1e-10)


def test_the_odds_ratio_and_its_interval_are_those_of_scipy() -> None:
    tables = [(12, 5, 8, 15), (9, 4, 11, 16), (7, 3, 13, 17)]
    value, low, high = odds_ratio(np.array(tables, dtype=float))
    pooled = sum(a * d / (a + b + c + d) for a, b, c, d in tables) / sum(
        b * c / (a + b + c + d) for a, b, c, d in tables
    )
    assert value == pytest.approx(pooled)
    assert low is not None
    assert high is not None
    assert low < value < high
    [single] = [odds_ratio(np.array([table], dtype=float)) for table in [(12, 5, 8, 15)]]
    woolf = math.sqrt(1 / 12 + 1 / 5 + 1 / 8 + 1 / 15)
    assert math.log(single[2] or 0) - math.log(single[0]) == pytest.approx(1.959964 * woolf, rel=1e-3)


def test_a_behaviour_that_no_pass_shows_has_no_upper_bound() -> None:
    value, low, high = odds_ratio(np.array([[6.0, 0.0, 2.0, 8.0]]))
    assert value > 10
    assert low is not None
    assert low > 1
    assert high is None


def test_large_strata_are_judged_by_the_normal_approximation_which_is_close() -> None:
    tables = np.tile([30.0, 22.0, 20.0, 28.0], (80, 1))
    exact = stats.norm.sf((30 - 26) * 80 / math.sqrt(80 * 52 * 50 * 48 * 50 / (100**2 * 99)))
    assert upper_mid_p(tables) == pytest.approx(exact, rel=0.05)


def test_only_strata_that_differ_in_both_inform() -> None:
    shown = np.array([1, 0, 1, 1, 1, 0], dtype=bool)
    failed = np.array([1, 0, 1, 0, 1, 1], dtype=bool)
    stratum = np.array([0, 0, 1, 1, 2, 2])
    assert tables_of(shown, failed, stratum).tolist() == [[1, 0, 0, 1]]


def test_without_a_telling_task_the_tasks_of_one_run_are_asked_and_without_those_nothing() -> None:
    shown, failed = np.array([1, 1, 0, 0], dtype=bool), np.array([1, 1, 0, 0], dtype=bool)
    alone, together = np.arange(4), np.zeros(4, dtype=int)
    assert association(shown, failed, together, together).by == WITHIN
    assert association(shown, failed, alone, together).by == BETWEEN
    assert association(shown, failed, alone, alone).by == NONE
    assert association(shown, failed, alone, alone).value is None


def test_pooling_over_runs_would_confound_and_is_not_done() -> None:
    """The candidate is wordier and worse, yet within each run wordiness says nothing."""
    run = np.repeat([0, 1], 400)
    stratum = run * 100 + np.tile(np.repeat(np.arange(100), 4), 2)
    alarms = {"within": 0, "pooled": 0}
    for seed in range(60):
        generator = np.random.default_rng(seed)
        failed = generator.random(800) < np.where(run, 0.7, 0.1)
        wordy = generator.random(800) < np.where(run, 0.8, 0.1)
        alarms["within"] += association(wordy, failed, stratum, run).p < 0.05
        alarms["pooled"] += association(wordy, failed, np.zeros(800, dtype=int), run).p < 0.05
    assert alarms["within"] <= 8
    assert alarms["pooled"] == 60
