"""The metrics of whole runs: figures that others published, and what must not change them."""

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import blade
from blade.measure.rates import THESE_TASKS
from tests.building import Row, here, owed, row, write

Rewards = dict[int, list[float | None]]
"""Of each task the rewards of its rollouts."""


def rows_of(rewards: Rewards, **more: object) -> list[Row]:
    return [
        row(task=task, rollout=rollout, prompt=f"Question {task}?", reward=reward, **more)
        for task, of_task in rewards.items()
        for rollout, reward in enumerate(of_task)
    ]


def measured(path: Path, **how: object) -> blade.RunMetrics:
    """The metrics of the only run at a path."""
    [found] = blade.metrics(path, blade.Settings(**how), here())  # type: ignore[arg-type]
    return found


def numbers(run: blade.RunMetrics) -> dict[str, object]:
    """Every number of a run; nothing that names it or its files."""
    names = ("tasks", "rollouts", "measured", "passed", "row_mean", "reward_spread", "buckets", "repeats")
    rates = {
        name: [rounded(rate.value), rounded(rate.low), rounded(rate.high), rate.tasks]
        for name, rate in run.metrics.items()
    }
    return {name: rounded(getattr(run, name)) for name in names} | {"rates": rates}


def rounded(value: Any) -> Any:
    """Without what the order of a sum leaves in the last digits."""
    return round(value, 12) if isinstance(value, float) else value


# Figures that nobody here wrote


def test_the_published_rates_of_an_airline_run_come_out(published: Path) -> None:
    run = measured(published / "tau_airline")
    found = [run.metrics[f"pass^{k}"].value for k in (1, 2, 3, 4)]
    assert [round(value or 0.0, 3) for value in found] == [0.420, 0.273, 0.220, 0.200]
    assert (run.tasks, run.measured, run.rollouts) == (50, 200, 200)


def test_the_published_rates_of_two_models_come_out(published: Path) -> None:
    found = {run.run: run.metrics["pass@1"].value for run in blade.metrics(published / "mint", options=here())}
    assert round(100 * (found["gpt-3.5-turbo-0613"] or 0), 2) == 36.18
    assert round(100 * (found["gpt-4-0613"] or 0), 2) == 69.45


# What changes no number

REWARDS: Rewards = {0: [1.0, 0.0, 1.0], 1: [0.0, 0.0], 2: [1.0], 3: [None, 1.0, 0.5], 10: [0.25, 1.0, 1.0, 0.0]}


@pytest.mark.parametrize("change", ["shuffled", "shards", "gzip", "CRLF", "byte order mark", "twice", "other names"])
def test_how_the_rows_lie_on_disk_changes_no_number(tmp_path: Path, change: str) -> None:
    lines = rows_of(REWARDS)
    plain = numbers(measured(write(tmp_path / "plain" / "m.jsonl", lines)))
    path = tmp_path / "other" / "m.jsonl"
    if change == "shuffled":
        random.Random(5).shuffle(lines)
    if change == "twice":
        lines += lines[:4]
    if change == "other names":
        lines = [each | {"_ng_task_index": 100 + each["_ng_task_index"]} for each in lines]
    if change == "shards":
        for shard in range(3):
            write(path.with_name(f"m_shard{shard}.jsonl"), lines[shard::3])
    else:
        text = write(path, lines).read_bytes()
        if change == "CRLF":
            path.write_bytes(text.replace(b"\n", b"\r\n"))
        if change == "byte order mark":
            path.write_bytes(b"\xef\xbb\xbf" + text)
        if change == "gzip":
            path.with_name("m.jsonl.gz").write_bytes(gzip.compress(text))
            path.unlink()
    run = measured(path.parent)
    assert numbers(run) == plain
    assert run.duplicates == (4 if change == "twice" else 0)


@given(
    rewards=st.dictionaries(
        st.integers(0, 30), st.lists(st.sampled_from([0.0, 1.0, None]), min_size=1, max_size=4), min_size=1, max_size=6
    ),
    order=st.randoms(use_true_random=False),
)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_neither_the_order_of_rows_nor_the_numbers_of_tasks_matter(
    tmp_path_factory: pytest.TempPathFactory, rewards: Rewards, order: random.Random
) -> None:
    lines = rows_of(rewards)
    plain = numbers(measured(write(tmp_path_factory.mktemp("a") / "m.jsonl", lines)))
    other = [each | {"_ng_task_index": 1000 - each["_ng_task_index"]} for each in lines]
    order.shuffle(other)
    assert numbers(measured(write(tmp_path_factory.mktemp("b") / "m.jsonl", other))) == plain


def test_a_retried_rollout_is_counted_once(tmp_path: Path) -> None:
    path = write(tmp_path / "m_rollouts.jsonl", rows_of({0: [1.0], 1: [0.0]}))
    before = numbers(measured(path))
    failed = row(task=1, reward=0.0, prompt="Question 1?", _ng_failure_class="transient")
    write(tmp_path / "m_rollouts_failures.jsonl", [failed, failed])
    assert numbers(measured(path)) == before


# Input that is hard to measure


def test_one_task_has_rates_without_intervals_and_says_why(tmp_path: Path) -> None:
    run = measured(write(tmp_path / "m.jsonl", rows_of({0: [1.0, 0.0]})))
    assert (run.metrics["pass@1"].value, run.metrics["pass@1"].low) == (0.5, None)
    assert any("one task says nothing about how tasks differ" in warning for warning in run.warnings)


def test_single_rollouts_have_no_interval_for_these_tasks_and_say_why(tmp_path: Path) -> None:
    path = write(tmp_path / "m.jsonl", rows_of({0: [1.0], 1: [0.0]}))
    assert measured(path).metrics["pass@1"].low is not None
    run = measured(path, estimand=THESE_TASKS)
    assert run.metrics["pass@1"].low is None
    assert any("one rollout each" in warning for warning in run.warnings)


@pytest.mark.parametrize("lines", [[], ["<PLACEHOLDER ROW>"], [row(reward=None)], [row(mask_sample=True)]])
def test_a_run_without_a_measurement_has_no_rates_and_says_so(tmp_path: Path, lines: list[Row]) -> None:
    run = measured(write(tmp_path / "m_rollouts.jsonl", lines))
    rates = [rate for name, rate in run.metrics.items() if name != "coverage"]
    assert {(rate.value, rate.low, rate.tasks) for rate in rates} == {(None, None, 0)}
    assert "no rollout is measured: there is no rate to give" in run.warnings


def test_rewards_that_are_no_number_are_no_zeros(tmp_path: Path) -> None:
    lines: list[Row | str] = list(rows_of({0: [1.0], 1: [1.0], 2: [1.0], 3: [0.0]}))
    for place, value in enumerate(("NaN", "Infinity", "-Infinity"), 1):
        lines.append(json.dumps(row(task=place, rollout=1, prompt=f"Question {place}?", reward=7)).replace("7", value))
    run = measured(write(tmp_path / "m.jsonl", lines))
    assert (run.measured, run.passed, run.rollouts) == (4, 3, 7)
    assert [(each.why, each.rollouts) for each in run.not_measured] == [("no reward", 3)]


@pytest.mark.parametrize(
    ("rewards", "warning"),
    [
        ([0.0, 50.0, 100.0], "rewards go up to 100, above the threshold of 1"),
        ([-1.0, 0.0, 1.0], "rewards go down to −1"),
        ([0.2, 0.9], "no reward reaches the threshold of 1: the highest is 0.9"),
    ],
)
def test_rewards_on_another_scale_are_warned_of(tmp_path: Path, rewards: list[float], warning: str) -> None:
    run = measured(write(tmp_path / "m.jsonl", rows_of({task: [reward] for task, reward in enumerate(rewards)})))
    assert any(warning in each for each in run.warnings)
    assert run.metrics["mean_reward"].value == pytest.approx(sum(rewards) / len(rewards))


def test_a_line_that_cannot_be_read_is_told_with_the_numbers(tmp_path: Path) -> None:
    path = write(tmp_path / "m.jsonl", [*rows_of({0: [1.0], 1: [0.0]}), '{"reward": 1.0, "resp'])
    [warning] = measured(path).warnings
    assert warning.startswith(f"1 line could not be read and is not in the numbers: {path}:3: ")


def test_variants_that_count_as_duplicates_are_told_with_what_tells_them_apart(tmp_path: Path) -> None:
    lines = rows_of({0: [1.0], 1: [0.0]}, skills_ref={"hash": "aaa"}) + rows_of({0: [1.0], 1: [1.0]})
    path = write(tmp_path / "m.jsonl", lines)
    [warning] = measured(path).warnings
    assert warning.startswith(
        "2 duplicate rows left out that differ in skills from the row that counts: --split-by skills"
    )
    runs = blade.metrics(path, options=here(split_by="skills"))
    assert {run.run: (run.passed, run.duplicates, run.warnings) for run in runs} == {
        "m@aaa": (1, 0, []),
        "m@none": (2, 0, []),
    }


# Slices


def test_slices_are_fields_that_stay_the_same_within_a_task(tmp_path: Path) -> None:
    lines = [
        each | {"genre": "duet" if each["_ng_task_index"] % 2 else "solo", "mood": each["_ng_rollout_index"]}
        for each in rows_of({task: [1.0, float(task > 2)] for task in range(6)})
    ]
    run = measured(write(tmp_path / "m.jsonl", lines))
    assert {(each.field, each.value, each.tasks) for each in run.slices} == {("genre", "duet", 3), ("genre", "solo", 3)}
    rates = {each.value: each.metrics["pass@1"].value for each in run.slices}
    assert rates == {"duet": pytest.approx(5 / 6), "solo": pytest.approx(2 / 3)}


def test_a_field_of_the_inputs_makes_slices_too_and_missing_rollouts_are_in_them(tmp_path: Path) -> None:
    inputs = [owed(task=task, prompt=f"Question {task}?", genre="duet" if task > 1 else "solo") for task in range(4)]
    write(tmp_path / "m_rollouts_materialized_inputs.jsonl", inputs)
    run = measured(write(tmp_path / "m_rollouts.jsonl", rows_of({0: [1.0], 1: [0.0], 2: [1.0]})))
    found = {each.value: (each.tasks, each.rollouts, each.measured) for each in run.slices}
    assert found == {"duet": (2, 2, 1), "solo": (2, 2, 2)}
    as_failed = {each.value: each.metrics_as_failed["pass@1"].value for each in run.slices}
    assert as_failed == {"duet": 0.5, "solo": 0.5}


def test_a_field_to_slice_by_that_no_row_has_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(blade.InputError, match="no row has a field named genre"):
        measured(write(tmp_path / "m.jsonl", [row()]), by=("genre",))


# What is spent


def test_what_is_spent_per_pass_is_what_all_rollouts_spent(tmp_path: Path) -> None:
    lines = [
        each | {"response": {"output": [], "usage": {"input_tokens": 100, "output_tokens": 20, "cost": 0.5}}}
        for each in rows_of({0: [1.0, 0.0], 1: [0.0, 0.0]})
    ]
    run = measured(write(tmp_path / "m.jsonl", lines))
    found = {each.what: (each.per_rollout.value, each.per_pass.value) for each in run.spending}
    assert found["output tokens"] == (20.0, 80.0)
    assert found["cost"] == (0.5, 2.0)


def test_where_nothing_passes_nothing_is_spent_per_pass(tmp_path: Path) -> None:
    run = measured(write(tmp_path / "m.jsonl", rows_of({0: [0.0], 1: [0.0]})))
    assert {each.per_pass.value for each in run.spending} == {None}
