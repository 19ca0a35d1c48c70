"""Rates are means over tasks of what their definitions say, over measured rollouts, with intervals by task."""

import itertools
import math
import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blade.measure.intervals import mean_interval, share_interval, these_tasks_interval
from blade.measure.outcomes import FAILED, NOT_MEASURED, PASSED, PassRule
from blade.measure.panel import Panel
from blade.measure.rates import (
    NEW_TASKS,
    THESE_TASKS,
    Bounds,
    Estimate,
    bucket_of,
    buckets,
    first_of,
    most_repeats,
    pass_at,
    pass_hat,
    rates,
    share_of_tasks,
    usual_repeats,
    worst_case,
)

P, F, N = PASSED, FAILED, NOT_MEASURED
Run = Sequence[Sequence[int]]
"""The outcomes of the rollouts of each task, in the order of its repeats."""


def panel(run: Run, rewards: Sequence[Sequence[float]] | None = None, **more: Any) -> Panel:
    """A run with these outcomes; the reward is that of the outcome, where none is given."""
    outcome = np.array([outcome for task in run for outcome in task], dtype=np.int8)
    known = np.array([reward for task in rewards or [] for reward in task])
    return Panel(
        run="rates",
        rule=PassRule(),
        tasks=[str(number) for number in range(len(run))],
        task=np.repeat(np.arange(len(run)), [len(task) for task in run]),
        rollout=[str(place) for task in run for place in range(len(task))],
        outcome=outcome,
        reward=known if rewards else np.where(outcome == N, np.nan, outcome),
        place=np.zeros((len(outcome), 2), dtype=np.int64),
        **more,
    )


def graded(rewards: Sequence[Sequence[float]], threshold: float = 1.0) -> Panel:
    """A run with these rewards, NaN where nothing was measured."""
    run = [[N if math.isnan(reward) else P if reward >= threshold else F for reward in task] for task in rewards]
    return panel(run, rewards)


def measured(task: Sequence[int]) -> list[int]:
    return [outcome for outcome in task if outcome != N]


def any_of(task: Sequence[int], k: int) -> float:
    """pass@k by trying every k of the rollouts."""
    return statistics.fmean(any(chosen) for chosen in itertools.combinations(task, k))


def all_of(task: Sequence[int], k: int) -> float:
    """pass^k by trying every k of the rollouts."""
    return statistics.fmean(all(chosen) for chosen in itertools.combinations(task, k))


def jackknife(values: Sequence[float]) -> float:
    """The variance by leaving each rollout out, from what is found without it."""
    mean = statistics.fmean(values)
    return (len(values) - 1) / len(values) * sum((value - mean) ** 2 for value in values)


def without_each(task: Sequence[int]) -> list[list[int]]:
    return [[*task[:place], *task[place + 1 :]] for place in range(len(task))]


def same(found: Estimate, expected: Estimate) -> bool:
    """Whether two estimates are the same but for rounding."""
    ends = [(found.value, expected.value), (found.low, expected.low), (found.high, expected.high)]
    known = [(a is None) == (b is None) and (a is None or a == pytest.approx(b, abs=1e-9)) for a, b in ends]
    return all(known) and found.tasks == expected.tasks


def all_the_same(found: dict[str, Estimate], expected: dict[str, Estimate]) -> bool:
    return list(found) == list(expected) and all(same(found[name], expected[name]) for name in found)


outcomes = st.sampled_from([P, P, F, F, N])
runs = st.lists(st.lists(outcomes, min_size=1, max_size=6), min_size=1, max_size=8)
even_runs = st.integers(1, 5).flatmap(
    lambda n: st.lists(st.lists(st.sampled_from([P, F]), min_size=n, max_size=n), min_size=2, max_size=8)
)
estimands = st.sampled_from([NEW_TASKS, THESE_TASKS])


# Of each task


@pytest.mark.parametrize("n", range(1, 8))
def test_pass_at_k_and_pass_hat_k_average_over_every_k_of_the_rollouts(n: int) -> None:
    for passed, k in itertools.product(range(n + 1), range(1, n + 1)):
        task = [P] * passed + [F] * (n - passed)
        counts = np.array([passed]), np.array([n])
        assert pass_at(k, *counts).tolist() == pytest.approx([any_of(task, k)], abs=1e-12)
        assert pass_hat(k, *counts).tolist() == pytest.approx([all_of(task, k)], abs=1e-12)


@given(st.integers(1, 40).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
@settings(max_examples=80, deadline=None)
def test_more_tries_pass_more_often_and_all_of_more_pass_less_often(counts: tuple[int, int]) -> None:
    passed, n = np.array([counts[0]]), np.array([counts[1]])
    at = [float(pass_at(k, passed, n)[0]) for k in range(1, n[0] + 1)]
    hat = [float(pass_hat(k, passed, n)[0]) for k in range(1, n[0] + 1)]
    assert at == sorted(at)
    assert hat == sorted(hat, reverse=True)
    assert at[0] == pytest.approx(passed[0] / n[0])
    assert hat[0] == pytest.approx(passed[0] / n[0])
    assert at[-1] == float(passed[0] > 0)
    assert hat[-1] == float(passed[0] == n[0])
    for k in (1, (int(n[0]) + 1) // 2, int(n[0])):
        chosen = math.comb(int(n[0]), k)
        assert at[k - 1] == pytest.approx(1 - math.comb(int(n[0] - passed[0]), k) / chosen, abs=1e-9)
        assert hat[k - 1] == pytest.approx(math.comb(int(passed[0]), k) / chosen, abs=1e-9)


@given(runs, st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_the_first_k_are_the_first_measured_ones_in_the_order_of_repeats(run: Run, k: int) -> None:
    found = first_of(k, panel(run)).tolist()
    for task, share in zip(run, found, strict=True):
        first = measured(task)[:k]
        assert share == pytest.approx(statistics.fmean(first) if first else math.nan, nan_ok=True)


# Of a run


@given(runs)
@settings(max_examples=80, deadline=None)
def test_each_rate_is_a_mean_over_the_tasks_that_have_enough_measured_rollouts(run: Run) -> None:
    found = rates(panel(run))
    tasks = [task for task in map(measured, run) if task]
    most = max(map(len, tasks), default=0)
    names = [f"{name}{k}" for k in range(1, most + 1) for name in ("pass@", "pass^", "avg-of-")]
    assert [name for name in found if name[-1].isdigit()] == names
    for k in range(1, most + 1):
        enough = [task for task in tasks if len(task) >= k]
        for name, of_task in (("pass@", any_of), ("pass^", all_of)):
            values = [of_task(task, k) for task in enough]
            assert found[f"{name}{k}"].value == pytest.approx(statistics.fmean(values))
            assert found[f"{name}{k}"].tasks == len(enough)
        firsts = [statistics.fmean(task[:k]) for task in enough]
        assert found[f"avg-of-{k}"].value == pytest.approx(statistics.fmean(firsts))
        assert found[f"avg-of-{k}"].tasks == len(enough)
    if tasks:
        assert found["consistency"].value == pytest.approx(statistics.fmean(all(task) for task in tasks))
        assert found["consistency"].tasks == len(tasks)


@given(runs)
@settings(max_examples=60, deadline=None)
def test_the_value_of_a_retry_is_what_the_usual_repeats_gain_over_the_tasks_that_have_them(run: Run) -> None:
    found = rates(panel(run)).get("retry_value")
    counts = [len(measured(task)) for task in run if measured(task)]
    if not counts:
        assert found is None
        return
    usual = statistics.median_low(counts)
    assert usual_repeats(panel(run)) == usual
    assert most_repeats(panel(run)) == max(counts)
    enough = [measured(task) for task in run if len(measured(task)) >= usual]
    assert found is not None
    assert found.tasks == len(enough)
    assert found.value == pytest.approx(
        statistics.fmean(any_of(task, usual) - any_of(task, 1) for task in enough), abs=1e-12
    )


@given(even_runs)
@settings(max_examples=50, deadline=None)
def test_at_equal_repeats_pass_at_k_rises_and_pass_hat_k_falls_with_k(run: Run) -> None:
    found, repeats = rates(panel(run)), len(run[0])
    at = [found[f"pass@{k}"].value or 0.0 for k in range(1, repeats + 1)]
    hat = [found[f"pass^{k}"].value or 0.0 for k in range(1, repeats + 1)]
    assert at == sorted(at)
    assert hat == sorted(hat, reverse=True)
    assert found[f"pass^{repeats}"].value == pytest.approx(found["consistency"].value)
    assert found[f"avg-of-{repeats}"].value == pytest.approx(found["pass@1"].value)
    assert found["retry_value"].value == pytest.approx(at[-1] - at[0], abs=1e-12)


@given(even_runs, estimands)
@settings(max_examples=50, deadline=None)
def test_failures_in_the_place_of_passes_turn_pass_at_k_into_pass_hat_k(run: Run, estimand: str) -> None:
    found = rates(panel(run), estimand=estimand)
    other = rates(panel([[P + F - outcome for outcome in task] for task in run]), estimand=estimand)
    for k in range(1, len(run[0]) + 1):
        at, hat = found[f"pass@{k}"], other[f"pass^{k}"]
        mirrored = Estimate(
            value=1 - (hat.value or 0.0),
            low=None if hat.high is None else 1 - hat.high,
            high=None if hat.low is None else 1 - hat.low,
            tasks=hat.tasks,
        )
        assert same(at, mirrored)


@given(runs, estimands, st.data())
@settings(max_examples=50, deadline=None)
def test_the_order_and_the_names_of_the_tasks_change_no_rate(run: Run, estimand: str, data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(range(len(run))))
    found = rates(panel(run), estimand=estimand)
    assert all_the_same(rates(panel([run[task] for task in shuffled]), estimand=estimand), found)
    assert all_the_same(rates(panel(run).only(shuffled), estimand=estimand), found)


@given(runs, estimands, st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_the_order_of_rollouts_changes_no_rate_but_those_of_the_first_k(run: Run, estimand: str, order: Any) -> None:
    shuffled = [order.sample(list(task), len(task)) for task in run]
    found, other = rates(panel(run), estimand=estimand), rates(panel(shuffled), estimand=estimand)
    names = [name for name in found if not name.startswith("avg-of-")]
    assert all_the_same({name: other[name] for name in names}, {name: found[name] for name in names})


@given(runs, estimands, st.sampled_from([0.0, 0.5, 1.0, 7.0, math.nan]))
@settings(max_examples=50, deadline=None)
def test_what_is_not_measured_changes_no_rate_whatever_its_reward(run: Run, estimand: str, reward: float) -> None:
    found = rates(
        panel(run, [[reward if each == N else float(each) for each in task] for task in run]), estimand=estimand
    )
    assert all_the_same(rates(panel([measured(task) for task in run]), estimand=estimand), found)


# Intervals


@given(runs, st.sampled_from([0.8, 0.95]))
@settings(max_examples=60, deadline=None)
def test_intervals_of_new_tasks_are_those_of_the_values_of_the_tasks(run: Run, level: float) -> None:
    found = rates(panel(run), level=level)
    for k in range(1, most_repeats(panel(run)) + 1):
        enough = [task for task in map(measured, run) if len(task) >= k]
        for name, of_task in (("pass@", any_of), ("pass^", all_of)):
            estimate = found[f"{name}{k}"]
            interval = share_interval([of_task(task, k) for task in enough], level=level)
            if interval is None:
                assert (estimate.low, estimate.high, len(enough)) == (None, None, 1)
            else:
                assert (estimate.low, estimate.high) == pytest.approx(interval, abs=1e-9)


@given(runs, st.sampled_from([0.8, 0.95]))
@settings(max_examples=80, deadline=None)
def test_intervals_of_these_tasks_vary_as_leaving_each_rollout_out_says(run: Run, level: float) -> None:
    found = rates(panel(run), estimand=THESE_TASKS, level=level)
    for k in range(1, most_repeats(panel(run)) + 1):
        enough = [task for task in map(measured, run) if len(task) >= k]
        for name, of_task in (("pass@", any_of), ("pass^", all_of)):
            spread = [
                jackknife([of_task(rest, k) for rest in without_each(task)]) if len(task) > k else math.nan
                for task in enough
            ]
            interval = these_tasks_interval(spread, [of_task(task, k) for task in enough], level=level)
            estimate = found[f"{name}{k}"]
            assert (estimate.low is None) == (interval is None)
            if interval is not None:
                assert (estimate.low, estimate.high) == pytest.approx(interval, abs=1e-6)


def test_intervals_of_the_first_k_of_these_tasks_vary_as_a_share_of_k_does() -> None:
    run = [[P, F, P, F], [P, P, F, F], [F, F, F], [P, P, P, F]]
    shares = [2 / 3, 2 / 3, 0.0, 1.0]
    expected = these_tasks_interval([share * (1 - share) / 2 for share in shares], shares)
    found = rates(panel(run), estimand=THESE_TASKS)
    assert (found["avg-of-3"].low, found["avg-of-3"].high) == pytest.approx(expected)
    assert found["avg-of-1"].low is None


def test_the_variance_of_pass_at_1_of_these_tasks_is_that_of_a_share() -> None:
    run = [[P, F, P, F], [P, P, F], [F, F, F, F, P]]
    shares = [statistics.fmean(task) for task in run]
    variances = [share * (1 - share) / (len(task) - 1) for share, task in zip(shares, run, strict=True)]
    found = rates(panel(run), estimand=THESE_TASKS)["pass@1"]
    assert (found.low, found.high) == pytest.approx(these_tasks_interval(variances, shares))


def test_one_task_has_no_interval_for_new_tasks_and_one_repeat_none_for_these() -> None:
    one_task = rates(panel([[P, F, P]]))["pass@1"]
    assert (one_task.value, one_task.low, one_task.high) == (pytest.approx(2 / 3), None, None)
    assert rates(panel([[P, F, P]]), estimand=THESE_TASKS)["pass@1"].low is not None
    one_repeat = rates(panel([[P], [F], [P]]), estimand=THESE_TASKS)["pass@1"]
    assert (one_repeat.low, one_repeat.high) == (None, None)
    assert rates(panel([[P], [F], [P]]))["pass@1"].low is not None


def test_repeats_of_a_task_weigh_no_more_than_a_task() -> None:
    assert rates(panel([[P], [F] * 9]))["pass@1"].value == 0.5
    assert share_of_tasks(np.array([1.0, 0.0])) == rates(panel([[P], [F] * 9]))["pass@1"]


def test_a_run_without_measured_rollouts_has_no_rates() -> None:
    for run in ([], [[N, N], [N]]):
        found = rates(panel(run))
        assert set(found) == {"consistency", "mean_reward"}
        assert all(estimate == Estimate(value=None) for estimate in found.values())
        assert (usual_repeats(panel(run)), most_repeats(panel(run))) == (0, 0)


# Rewards


@given(runs, estimands)
@settings(max_examples=50, deadline=None)
def test_the_mean_of_rewards_of_0_and_1_is_pass_at_1(run: Run, estimand: str) -> None:
    found = rates(panel(run), estimand=estimand)
    assert same(found["mean_reward"], found.get("pass@1", Estimate(value=None)))


@pytest.mark.parametrize("threshold", [0.0, 2.0])
@pytest.mark.parametrize("estimand", [NEW_TASKS, THESE_TASKS])
def test_the_mean_of_rewards_of_0_and_1_does_not_depend_on_when_a_rollout_passes(
    threshold: float, estimand: str
) -> None:
    rewards = [[1.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0], [0.0, 1.0, 0.0]]
    found = rates(graded(rewards, threshold), estimand=estimand)["mean_reward"]
    assert same(found, rates(graded(rewards), estimand=estimand)["mean_reward"])


@given(st.lists(st.lists(st.floats(-5, 5), min_size=1, max_size=5), min_size=2, max_size=8))
@settings(max_examples=50, deadline=None)
def test_the_mean_of_graded_rewards_is_a_mean_over_tasks_of_their_means(rewards: list[list[float]]) -> None:
    rewards = [[0.5, 0.25], *rewards]
    found, means = rates(graded(rewards))["mean_reward"], list(map(statistics.fmean, rewards))
    assert found.value == pytest.approx(statistics.fmean(means))
    assert found.tasks == len(means)
    assert (found.low, found.high) == pytest.approx(mean_interval(means), abs=1e-9)


@given(st.lists(st.lists(st.floats(-5, 5), min_size=2, max_size=5), min_size=1, max_size=8))
@settings(max_examples=50, deadline=None)
def test_the_mean_of_graded_rewards_of_these_tasks_varies_as_their_rollouts_do(rewards: list[list[float]]) -> None:
    rewards = [[0.5, 0.25], *rewards]
    found = rates(graded(rewards), estimand=THESE_TASKS)["mean_reward"]
    variance = sum(statistics.variance(task) / len(task) for task in rewards) / len(rewards) ** 2
    reach = statistics.NormalDist().inv_cdf(0.975) * math.sqrt(variance)
    mean = statistics.fmean(map(statistics.fmean, rewards))
    assert (found.low, found.high) == pytest.approx((mean - reach, mean + reach), abs=1e-7)


def test_graded_rewards_of_single_rollouts_say_nothing_about_these_tasks() -> None:
    found = rates(graded([[0.5, 0.25], [0.75]]), estimand=THESE_TASKS)["mean_reward"]
    assert found == Estimate(value=0.5625, tasks=2)


def test_rewards_that_are_not_measured_are_left_out_of_the_mean() -> None:
    found = rates(graded([[0.5, math.nan], [math.nan], [0.25, 0.75]]))["mean_reward"]
    assert (found.value, found.tasks) == (0.5, 2)


# What is not measured


@given(st.lists(st.lists(outcomes, min_size=1, max_size=3), min_size=1, max_size=3))
@settings(max_examples=60, deadline=None)
def test_the_worst_cases_are_the_extremes_over_every_way_that_it_could_have_gone(run: Run) -> None:
    gaps = sum(outcome == N for task in run for outcome in task)
    seen = []
    for filling in itertools.product((P, F), repeat=gaps):
        fill = iter(filling)
        seen.append(statistics.fmean(statistics.fmean(next(fill) if o == N else o for o in task) for task in run))
    found = worst_case(panel(run))
    assert (found.low, found.high) == pytest.approx((min(seen), max(seen)))


def test_rollouts_of_unknown_tasks_may_have_gone_either_way_too() -> None:
    found = worst_case(panel([[P, P], [F, N]], anonymous=4, unknown_tasks=2))
    assert (found.low, found.high) == (0.25, pytest.approx((1 + 0.5 + 1 + 1) / 4))
    assert worst_case(panel([])) == Bounds(low=None, high=None)


@given(runs)
@settings(max_examples=40, deadline=None)
def test_counted_as_failures_the_rates_are_those_of_a_run_that_failed_there(run: Run) -> None:
    filled = [[F if outcome == N else outcome for outcome in task] for task in run]
    assert all_the_same(rates(panel(run).as_failed), rates(panel(filled)))
    assert worst_case(panel(run)).low == pytest.approx(rates(panel(filled))["pass@1"].value)


# Buckets


@given(runs, st.integers(0, 3))
@settings(max_examples=40, deadline=None)
def test_every_task_is_in_the_bucket_of_what_its_measured_rollouts_do(run: Run, unknown: int) -> None:
    named = []
    for task in map(measured, run):
        named.append("missing" if not task else "always" if all(task) else "sometimes" if any(task) else "never")
        assert bucket_of(sum(task), len(task)) == named[-1]
    found = buckets(panel(run, anonymous=2 * unknown, unknown_tasks=unknown))
    expected = {bucket: named.count(bucket) for bucket in ("always", "sometimes", "never", "missing")}
    assert found == expected | {"missing": expected["missing"] + unknown}
