"""The bootstrap draws tasks evenly, with replacement, and alike for the same seed."""

import itertools
import math
from collections import Counter

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blade.measure import resampling
from blade.measure.resampling import bootstrap_means, bootstrap_weights

Floats = npt.NDArray[np.float64]


def weights(tasks: int, resamples: int, seed: int = 1) -> Floats:
    return np.concatenate(list(bootstrap_weights(tasks, resamples=resamples, seed=seed)))


@given(st.integers(1, 50), st.integers(1, 60), st.integers(0, 2**32))
@settings(max_examples=50, deadline=None)
def test_every_resample_draws_as_many_tasks_as_there_are(tasks: int, resamples: int, seed: int) -> None:
    drawn = weights(tasks, resamples, seed)
    assert drawn.shape == (resamples, tasks)
    assert (drawn.sum(axis=1) == tasks).all()
    assert (drawn >= 0).all()
    assert (drawn == np.rint(drawn)).all()


def test_the_weights_of_tasks_have_the_moments_of_a_multinomial_draw() -> None:
    tasks = 5
    drawn = weights(tasks, 40_000)
    assert drawn.mean(axis=0) == pytest.approx(np.ones(tasks), abs=0.02)
    expected = np.eye(tasks) - 1 / tasks
    assert np.abs(np.cov(drawn.T) - expected).max() < 0.03


def test_every_draw_of_three_tasks_is_equally_likely() -> None:
    counts = Counter(tuple(np.bincount(draw, minlength=3).tolist()) for draw in itertools.product(range(3), repeat=3))
    drawn = Counter(tuple(map(int, row)) for row in weights(3, 54_000).tolist())
    assert set(drawn) == set(counts)
    for draw, count in counts.items():
        expected = 54_000 * count / 27
        assert abs(drawn[draw] - expected) < 5 * math.sqrt(expected)


def test_the_same_seed_gives_the_same_resamples_and_another_seed_others() -> None:
    assert np.array_equal(weights(20, 100, seed=7), weights(20, 100, seed=7))
    assert not np.array_equal(weights(20, 100, seed=7), weights(20, 100, seed=8))


@pytest.mark.parametrize("chunk", [1, 13, 26, 100, 1000])
def test_the_size_of_the_chunks_bounds_memory_and_changes_no_resample(
    chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = weights(13, 57)
    means = bootstrap_means(np.arange(26.0).reshape(13, 2), resamples=57, seed=1)
    monkeypatch.setattr(resampling, "_CHUNK", chunk)
    sizes = [part.shape for part in bootstrap_weights(13, resamples=57, seed=1)]
    assert all(rows * tasks <= max(chunk, 13) for rows, tasks in sizes)
    assert np.array_equal(weights(13, 57), whole)
    assert np.array_equal(bootstrap_means(np.arange(26.0).reshape(13, 2), resamples=57, seed=1), means)


def test_the_first_resamples_do_not_depend_on_how_many_follow() -> None:
    assert np.array_equal(weights(9, 10), weights(9, 1000)[:10])


@given(
    st.integers(1, 4).flatmap(
        lambda terms: st.lists(st.lists(st.floats(-100, 100), min_size=terms, max_size=terms), min_size=1, max_size=12)
    )
)
@settings(max_examples=50, deadline=None)
def test_the_means_are_those_of_the_tasks_that_were_drawn(matrix: list[list[float]]) -> None:
    found = bootstrap_means(matrix, resamples=20, seed=3)
    for means, counts in zip(found.tolist(), weights(len(matrix), 20, seed=3).astype(int).tolist(), strict=True):
        drawn = [row for row, count in zip(matrix, counts, strict=True) for _ in range(count)]
        expected = [math.fsum(column) / len(drawn) for column in zip(*drawn, strict=True)]
        assert means == pytest.approx(expected, abs=1e-10)


def test_columns_are_drawn_together_so_that_their_differences_are_paired() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.random(30), rng.random(30)
    found = bootstrap_means(np.column_stack((first, second, second - first)), resamples=500, seed=2)
    assert found[:, 1] - found[:, 0] == pytest.approx(found[:, 2], abs=1e-12)
    alone = bootstrap_means(first[:, None], resamples=500, seed=2)
    assert alone[:, 0] == pytest.approx(found[:, 0], abs=1e-12)


def test_the_means_spread_as_the_mean_of_so_many_tasks_does() -> None:
    values = np.random.default_rng(4).exponential(size=60)
    found = bootstrap_means(values[:, None], resamples=20_000, seed=5)[:, 0]
    assert found.mean() == pytest.approx(values.mean(), abs=4 * values.std() / math.sqrt(60 * 20_000))
    assert found.std() == pytest.approx(values.std() / math.sqrt(60), rel=0.03)


@pytest.mark.parametrize(("tasks", "resamples"), [(0, 10), (-1, 10), (10, 0), (10, -5)])
def test_a_bootstrap_needs_tasks_and_resamples(tasks: int, resamples: int) -> None:
    with pytest.raises(ValueError, match="needs tasks and resamples"):
        next(bootstrap_weights(tasks, resamples=resamples, seed=0))


def test_a_matrix_without_tasks_is_refused() -> None:
    with pytest.raises(ValueError, match="needs tasks"):
        bootstrap_means(np.empty((0, 2)), resamples=10, seed=0)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_was_not_measured_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        bootstrap_means([[1.0], [value]], resamples=10, seed=0)


@pytest.mark.parametrize("matrix", [1.0, [1.0, 2.0], [[[1.0]]]])
def test_anything_but_tasks_by_statistics_is_refused(matrix: object) -> None:
    with pytest.raises(ValueError, match="dimensions"):
        bootstrap_means(matrix, resamples=10, seed=0)  # type: ignore[arg-type]
