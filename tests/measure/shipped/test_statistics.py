"""Statistics over rows as Gym takes them: of an agent, of each task, of each repeat."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.building import Row, owed
from tests.measure.shipped.test_oracle import (
    USAGE,
    across_repeats,
    aggregate,
    agrees_entirely,
    by_task,
    described,
    grid,
    held,
    only,
    performance,
    profile,
    repeat_levels,
    said,
    scored,
)

REWARDS = [[1, 0, 1], [0, 0, 1], [1, 1, 1], [0, 0, 0]]
UNEVEN = [[1, 0, 1], [0, 0], [1], [0.5, 0, -2, 7]]
SOLVER = {"agent_ref": {"name": "solver"}}


def inputs(owes: dict[int, int]) -> list[Row]:
    return [owed(task, rollout, prompt=f"Task {task}", **SOLVER) for task, n in owes.items() for rollout in range(n)]


@pytest.mark.parametrize("rewards", [REWARDS, UNEVEN, [[0.25]], [[1], [0], [1]], [[1, 0, 0.5, 0.25]]])
def test_every_kind_of_statistics_agrees_with_the_rows(tmp_path: Path, rewards: Any) -> None:
    rows = grid(rewards, correct=True, length=7)
    owes = {task: len(given) for task, given in enumerate(rewards)}
    found = held(
        tmp_path,
        rows,
        {
            "aggregate metrics": aggregate(rows),
            "agent metrics": [described(rows) | SOLVER],
            "reward profile": profile(rows, owes),
            "materialized inputs": inputs(owes),
        },
    )
    assert len(found) == 3
    assert all(map(agrees_entirely, found.values()))
    columns, tasks = 6, len(rewards)
    assert found["agent metrics"].checked == 5 * columns
    assert found["reward profile"].checked == tasks * (5 * columns + 4 + 1) + len(rows) * (columns + 1)
    assert found["aggregate metrics"].checked == found["reward profile"].checked + 6 * columns


ROWS: dict[str, Callable[[int], Row]] = {
    "numbers, truths and texts of the verifier": lambda n: {
        "n": n / 7,
        "flag": n % 2 == 0,
        "text": "5",
        "mixed": n if n % 2 else str(n),
        "nothing": None,
        "nested": {"a": n},
        "listed": [n],
    },
    "fields that the store knows by other names": lambda n: {
        "id": n,
        "task_id": 7,
        "score": n / 3,
        "stage_index": 0,
        "elapsed_seconds": 1.5 * n,
        "mask_sample": False,
        "_ng_attempt_index": 1,
        "_private": n,
        "agent_timed_out": n > 3,
        "failure_kind": None,
    },
    "fields that are not in every row": lambda n: {"rare": n} if n % 3 == 0 else {},
    "a field that one row has": lambda n: {"once": 1.5} if n == 4 else {},
    "names with signs in them": lambda n: {"a.b": n, "a/b": -n, "mean/x": 3, "é": n, "OCR/Regular Text": 1, "'; --": n},
    "large and small numbers": lambda n: {"big": 10**12 + n, "long": 2**53 + 2 * n, "tiny": n * 1e-12, "minus": -n},
}


@pytest.mark.parametrize("what", ROWS)
def test_every_number_at_the_top_of_a_row_is_a_column(tmp_path: Path, what: str) -> None:
    rows = [one | ROWS[what](number) for number, one in enumerate(grid(REWARDS))]
    assert agrees_entirely(held(tmp_path, rows, {"aggregate metrics": aggregate(rows)})["aggregate metrics"])


USAGES: dict[str, Callable[[int], Any]] = {
    "the names of responses": lambda n: {"input_tokens": 50 + n, "output_tokens": n, "total_tokens": 50 + 2 * n},
    "the names of chat": lambda n: {"prompt_tokens": 5 + n, "completion_tokens": n, "total_tokens": 5 + 2 * n},
    "costs": lambda n: {**USAGE, "cost": 0.25 * n},
    "only a total": lambda n: {"total_tokens": 3 + n},
    "none in some rows": lambda n: USAGE if n % 2 else None,
    "all zero": lambda _: dict.fromkeys(USAGE, 0),
}


@pytest.mark.parametrize("what", USAGES)
def test_usage_is_counted_over_fields_of_the_same_name(tmp_path: Path, what: str) -> None:
    rows = [
        scored(number // 2, number % 2, 1.0, usage=USAGES[what](number), cost=9.0, total_tokens=99)
        for number in range(6)
    ]
    made = aggregate(rows)
    assert made[0]["agent_metrics"]["mean/cost"] == (0.625 if what == "costs" else 9.0)
    assert agrees_entirely(held(tmp_path, rows, {"aggregate metrics": made})["aggregate metrics"])


def test_usage_in_both_namings_is_left_unchecked_with_the_reason(tmp_path: Path) -> None:
    rows = [scored(task, 0, 1.0, usage={**USAGE, "prompt_tokens": 11, "completion_tokens": 5}) for task in range(3)]
    check = held(tmp_path, rows, {"agent metrics": [described(rows) | SOLVER]})["agent metrics"]
    [(keys, why)] = check.unchecked
    assert "mean/input_tokens" in keys
    assert why == "usage is named in two ways, which the store does not tell apart"
    assert (check.checked, check.agreed) == (10, 10)


def test_a_reward_that_is_no_number_to_gym_is_no_value(tmp_path: Path) -> None:
    rows = grid(REWARDS)
    rows[1]["reward"], rows[4]["reward"] = "1", None
    del rows[7]["reward"]
    rows[7]["score"] = 0.5
    assert agrees_entirely(held(tmp_path, rows, {"aggregate metrics": aggregate(rows)})["aggregate metrics"])


def test_gaps_among_the_indices_and_any_order_of_rows_are_usual(tmp_path: Path) -> None:
    rows = [scored(5 + 3 * task, 2 * repeat, task - repeat) for task in range(4) for repeat in range(3)]
    made = aggregate(rows)
    random.Random(5).shuffle(rows)
    assert agrees_entirely(held(tmp_path, rows, {"aggregate metrics": made})["aggregate metrics"])


def test_rows_without_an_index_stand_at_zero(tmp_path: Path) -> None:
    rows = [scored(task, ..., task % 2) for task in range(1, 5)] + [scored(..., ..., 1)]
    assert agrees_entirely(held(tmp_path, rows, {"aggregate metrics": aggregate(rows)})["aggregate metrics"])


def test_agents_metrics_need_no_index_and_no_agent_in_the_rows(tmp_path: Path) -> None:
    rows = [scored(..., ..., n % 2, agent=None, usage={**USAGE, "input_tokens": n}, prompt=f"p{n}") for n in range(5)]
    assert agrees_entirely(held(tmp_path, rows, {"agent metrics": [described(rows) | SOLVER]})["agent metrics"])


@pytest.mark.parametrize("rewards", [REWARDS, UNEVEN])
def test_repeats_and_what_is_taken_across_them_agree(tmp_path: Path, rewards: Any) -> None:
    rows = grid(rewards)
    [entry] = aggregate(rows, **across_repeats(rows))
    entry |= {
        "_ng_environment_server": "maths",
        "repeat_level_metrics": repeat_levels(rows),
        "perf_summary": performance(rows) | {"overall_observability_coverage": None},
    }
    found = held(
        tmp_path,
        rows,
        {
            "aggregate metrics": [entry],
            "repeat metrics": [SOLVER | one for one in repeat_levels(rows)],
            "agent metrics": [described(rows) | across_repeats(rows) | SOLVER],
        },
    )
    assert len(found) == 3
    assert all(map(agrees_entirely, found.values()))
    most = max(map(len, rewards))
    full = [one for one in repeat_levels(rows) if one["sample_count"] > 1]
    assert found["repeat metrics"].checked == 2 * most + 10 * 4 * len(full) + 4 * 4 * (most - len(full))


def test_what_captured_calls_alone_can_say_is_left_unchecked(tmp_path: Path) -> None:
    rows = grid(REWARDS)
    summary = performance(rows) | {"mean_num_turns": 3.5, "total_reasoning_tokens": 5, "mean_prompt_tokens": 10.5}
    check = held(tmp_path, rows, {"aggregate metrics": [{**aggregate(rows)[0], "perf_summary": summary}]})
    found = check["aggregate metrics"]
    assert said(only(found)) == ("agent solver", "mean_prompt_tokens", 10.5, 10.0)
    assert dict(found.unchecked) == {
        "perf_summary: mean_num_turns": "comes from captured model calls, by rules that are not known here",
        "perf_summary: total_reasoning_tokens": "is not that of `response.usage`: perhaps of captured calls",
    }


def older(rows: list[Row]) -> list[Row]:
    """A profile of a generation that names no task: statistics and the input row."""
    gone = {"_ng_task_index", "rollout_infos"}
    return [
        {key: one[key] for key in one if key not in gone and "num_" not in key}
        for one in profile(rows, dict.fromkeys(range(9), 3))
    ]


def test_lines_that_name_no_task_are_matched_by_their_samples(tmp_path: Path) -> None:
    rows = grid(REWARDS)
    made = older(rows)
    random.Random(1).shuffle(made)
    check = held(tmp_path, rows, {"reward profile": made, "materialized inputs": inputs(dict.fromkeys(range(4), 3))})
    assert agrees_entirely(check["reward profile"])
    assert check["reward profile"].notes == ["Its rows name no task: they are matched by their samples."]


def test_lines_without_a_telling_sample_are_taken_in_order_or_by_their_statistics(tmp_path: Path) -> None:
    rows = grid(REWARDS)
    owing = inputs(dict.fromkeys(range(4), 3))
    made = [one | {"sample": {}} for one in older(rows)]
    check = held(tmp_path, rows, {"reward profile": made, "materialized inputs": owing})["reward profile"]
    assert agrees_entirely(check)
    assert check.notes == ["Its rows name no task: they are taken in order of the tasks."]
    check = held(tmp_path, rows, {"reward profile": made[1:] + made[:1]})["reward profile"]
    assert check.disagreements == []
    assert check.notes == ["Its rows name no task: they are matched with tasks of equal statistics."]


def test_a_line_that_names_no_task_and_is_wrong_is_told_by_its_number(tmp_path: Path) -> None:
    rows = grid(REWARDS)
    made = older(rows)
    made[2]["max/reward"] = 0.5
    assert said(only(held(tmp_path, rows, {"reward profile": made})["reward profile"])) == (
        "line 3",
        "max/reward",
        0.5,
        1.0,
    )


def test_what_is_owed_comes_from_the_inputs_and_cannot_be_checked_without_them(tmp_path: Path) -> None:
    rows = grid(REWARDS)[:-1]
    owes = dict.fromkeys(range(4), 3)
    found = held(tmp_path, rows, {"reward profile": profile(rows, owes), "materialized inputs": inputs(owes)})
    assert agrees_entirely(found["reward profile"])
    (tmp_path / "run_materialized_inputs.jsonl").unlink()
    check = held(tmp_path, rows, {})["reward profile"]
    assert check.disagreements == []
    assert check.unchecked == [
        (
            "expected_num_rollouts, missing_num_rollouts, reward_profile_completion_pct",
            "says how many rollouts are owed, and the run has no materialized inputs",
        )
    ]


def test_a_headline_repeats_the_metrics_of_its_own_file_under_any_name(tmp_path: Path) -> None:
    rows = grid(REWARDS)
    [entry] = aggregate(rows, wer=0.125)
    entry["key_metrics"] |= {"mean/reward": 0.75, "error rate": 0.125, "unheard of": 0.625}
    check = held(tmp_path, rows, {"aggregate metrics": [entry]})["aggregate metrics"]
    found = only(check)
    assert said(found) == ("agent solver", "key_metrics: mean/reward", 0.75, 0.5)
    assert found.why == "The agent_metrics of the same file have another value under this key."
    assert found.recomputed_from == "its agent_metrics"
    assert dict(check.unchecked) == {
        "wer": "the server's own metric: its definition is not in the file",
        "key_metrics: error rate": "has the value of wer",
        "key_metrics: unheard of": "is in agent_metrics under no name or value",
    }


def test_parts_of_an_entry_that_are_not_what_they_should_be_are_told(tmp_path: Path) -> None:
    rows = grid(REWARDS)
    [entry] = aggregate(rows)
    entry |= {"perf_summary": 3, "latency": 5, "repeat_level_metrics": None}
    entry["group_level_metrics"].append("task 9")
    check = held(tmp_path, rows, {"aggregate metrics": [entry]})["aggregate metrics"]
    assert check.disagreements == []
    assert check.unchecked == [
        ("entries of group_level_metrics that are no objects", "hold no numbers under a name"),
        ("perf_summary", "is not of the kind that this part has"),
        ("latency", "no part of an entry that is known"),
    ]


def test_numbers_that_the_store_cannot_hold_are_left_unchecked(tmp_path: Path) -> None:
    rows = [one | {"huge": 10**400} for one in grid(REWARDS)]
    made: Any = described([{key: one[key] for key in one if key != "huge"} for one in rows]) | {"mean/huge": 1e300}
    check = held(tmp_path, rows, {"agent metrics": [made]})["agent metrics"]
    assert check.disagreements == []
    assert check.unchecked == [("mean/huge", "holds integers that are too large to be recomputed")]


def test_rows_with_very_many_fields_leave_the_last_of_them_unchecked(tmp_path: Path) -> None:
    rows = [one | {f"f{number}": number for number in range(505)} for one in grid([[1, 0], [0, 1]])]
    check = held(tmp_path, rows, {"agent metrics": [described(rows)]})["agent metrics"]
    assert check.disagreements == []
    [(keys, why)] = check.unchecked
    assert why == "stands among fields that were left out of rows with very many"
    assert check.checked + 5 * keys.count("mean/") >= 5 * 500


def test_a_task_that_no_row_is_of_and_one_that_is_not_listed_are_reported(tmp_path: Path) -> None:
    rows = grid(REWARDS)
    made = aggregate(rows)
    groups = made[0]["group_level_metrics"]
    groups[2] = {"_ng_task_index": 77, **{key: value for key, value in groups[2].items() if "/" in key}}
    check = held(tmp_path, rows, {"aggregate metrics": made})["aggregate metrics"]
    told = {(one.where, one.key): (one.shipped, one.recomputed, one.refs) for one in check.disagreements}
    assert told == {
        ("task 77", "the task"): ("statistics", None, []),
        ("task 2", "the task"): (None, "rows", ["run:2/0", "run:2/1", "run:2/2"]),
    }


def test_a_task_that_stands_twice_is_compared_once_and_said(tmp_path: Path) -> None:
    rows = grid(REWARDS)
    made = aggregate(rows)
    made[0]["group_level_metrics"].append(json.loads(json.dumps(made[0]["group_level_metrics"][1])))
    check = held(tmp_path, rows, {"aggregate metrics": made})["aggregate metrics"]
    assert check.unchecked == [("task 1", "stands in the file more than once: the first is compared")]
    assert [one.where for one in check.disagreements] == ["task 1"]
    assert len(by_task(rows)) == 4
