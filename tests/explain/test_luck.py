"""Gaps are told from bad luck by what the tasks that vary say of it."""

import numpy as np
import pytest

from blade.explain.luck import bad_luck, wrong_rate


def played(chances: np.ndarray, tries: int, seed: int) -> np.ndarray:
    """How often each task is right, of so many tries."""
    return np.random.default_rng(seed).binomial(tries, chances)


@pytest.mark.parametrize("q", [0.2, 0.5, 0.8])
def test_the_chance_of_a_wrong_answer_is_found_from_the_tasks_that_vary_alone(q: float) -> None:
    right = played(np.full(20_000, 1 - q), 4, 1)
    varied = (right > 0) & (right < 4)
    assert wrong_rate(right[varied], np.full(varied.sum(), 4)) == pytest.approx(q, abs=0.01)


def test_gaps_are_gaps_and_tasks_of_a_run_that_is_unreliable_everywhere_are_not() -> None:
    chances = np.concatenate([np.zeros(30), np.ones(70)])
    right = np.stack([played(chances, 4, 1)])
    assert not bad_luck(right, np.full_like(right, 4)).any()
    right = np.stack([played(np.full(100, 0.35), 4, 2)])
    assert bad_luck(right, np.full_like(right, 4))[right == 0].all()


def test_a_gap_of_both_runs_is_told_from_the_bad_luck_of_one() -> None:
    gaps, unreliable = np.zeros(10), np.full(60, 0.5)
    first = played(np.concatenate([gaps, np.ones(60)]), 4, 3)
    second = played(np.concatenate([gaps, unreliable]), 4, 4)
    right = np.stack([first, second])
    found = bad_luck(right, np.full_like(right, 4))
    assert not found[:, :10].any()
    assert (second[10:] == 0).any()
    assert found[1, 10:][second[10:] == 0].all()


def test_one_try_is_bad_luck_where_another_run_is_seldom_right() -> None:
    right, tried = np.array([[1], [0]]), np.array([[4], [1]])
    assert bad_luck(right, tried).tolist() == [[False], [True]]
    assert not bad_luck(np.array([[4], [0]]), np.array([[4], [4]])).any()


def test_nothing_that_was_right_or_never_tried_is_bad_luck() -> None:
    generator = np.random.default_rng(5)
    tried = generator.integers(0, 5, (3, 200))
    right = generator.binomial(tried, 0.4)
    found = bad_luck(right, tried)
    assert not found[(right > 0) | (tried == 0)].any()
