"""Health reports and flat metrics, held against the rows: what they state is recomputed, and what differs is told."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.building import Row, row
from tests.measure.shipped.test_oracle import by_place_and_key, held, only, said

ROWS = [
    row(task=task, rollout=rollout, prompt=f"Question {task}?", reward=float(task > rollout))
    for task in range(3)
    for rollout in range(2)
]


def verdicts_of(rows: list[Row], unhealthy: dict[tuple[int, int], list[str]]) -> list[Row]:
    """A `rollout_verdicts.jsonl` of these rows; those named are unhealthy, with what was found."""
    return [
        {
            "_ng_task_index": key[0],
            "_ng_rollout_index": key[1],
            "rollout_id": f"{key[0]}-{key[1]}",
            "verdict": "unhealthy" if key in unhealthy else "healthy",
            "findings": [{"check": name, "detail": {}} for name in unhealthy.get(key, [])],
            "unobserved": [],
        }
        for key in ((each["_ng_task_index"], each["_ng_rollout_index"]) for each in rows)
    ]


def summary_of(verdicts: list[Row]) -> Row:
    """The `quality_summary.json` that goes with verdicts."""
    tasks: dict[str, Counter[str]] = {}
    for each in verdicts:
        tasks.setdefault(str(each["_ng_task_index"]), Counter())[each["verdict"]] += 1
    names = ("healthy", "unhealthy", "unobserved")
    total: Counter[str] = sum(tasks.values(), Counter())
    return {
        "run": {
            "ignored_checks": [],
            "artifacts": {"records": len(verdicts), "captures": 0, "coverage": {}},
            "verdicts": {name: total[name] for name in names},
            "issues": dict(Counter(found["check"] for each in verdicts for found in each["findings"])),
            "stats": {"duplicated_calls": {"replayed": 0, "rollouts": 0}},
        },
        "tasks": {
            task: {"repeats": sum(counts.values()), **{name: counts[name] for name in names}, "flags": []}
            for task, counts in tasks.items()
        },
    }


HOLLOW = {(0, 1): ["agent_turn_hollow"], (2, 0): ["agent_turn_hollow", "model_call_failed"]}


def health(directory: Path, rows: list[Row], verdicts: list[Row], summary: Row) -> dict[str, Any]:
    return held(directory, rows, {"health verdicts": verdicts, "health summary": summary})


def test_a_health_report_that_is_right_agrees(tmp_path: Path) -> None:
    verdicts = verdicts_of(ROWS, HOLLOW)
    found = health(tmp_path, ROWS, verdicts, summary_of(verdicts))
    for check in found.values():
        assert (check.problem, check.disagreements) == (None, [])
        assert check.checked == check.agreed > 5
    assert [what for what, _ in found["health summary"].unchecked] == ["stats: duplicated_calls, captures"]


def test_what_a_health_summary_has_wrong_is_told_with_both_numbers(tmp_path: Path) -> None:
    verdicts = verdicts_of(ROWS, HOLLOW)
    summary = summary_of(verdicts)
    summary["run"]["artifacts"]["records"] = 7
    summary["run"]["verdicts"]["healthy"] = 5
    summary["run"]["issues"]["model_call_failed"] = 3
    summary["tasks"]["1"]["repeats"] = 4
    del summary["tasks"]["2"]
    found = by_place_and_key(health(tmp_path, ROWS, verdicts, summary)["health summary"])
    assert {place: (one.shipped, one.recomputed) for place, one in found.items()} == {
        ("the run", "records"): (7, 6),
        ("the run", "verdicts: healthy"): (5, 4),
        ("the run", "issues: model_call_failed"): (3, 1),
        ("task 1", "repeats"): (4, 2),
        ("task 2", "tasks"): (None, 2),
    }
    assert found["task 1", "repeats"].refs == ["run:1/0", "run:1/1"]


def test_verdicts_on_rollouts_that_are_not_there_and_rollouts_without_one_are_told(tmp_path: Path) -> None:
    verdicts = verdicts_of([*ROWS[1:], row(task=2, rollout=5)], {})
    found = by_place_and_key(held(tmp_path, ROWS, {"health verdicts": verdicts})["health verdicts"])
    assert {place: (one.shipped, one.recomputed, one.why) for (place, _), one in found.items()} == {
        "task 0, rollout 0": (0, 1, "The run has 1 row of this rollout."),
        "task 2, rollout 5": (1, 0, "The run has no rows of this rollout."),
    }


def test_duplicates_and_unreadable_lines_are_seen_on_both_sides(tmp_path: Path) -> None:
    rows = [*ROWS, ROWS[0]]
    verdicts = verdicts_of(rows, {(0, 0): ["rollout_duplicate_identity"]})
    right = held(tmp_path / "right", rows, {"health verdicts": verdicts})["health verdicts"]
    assert (right.disagreements, right.checked) == ([], 7)
    silent = held(tmp_path / "silent", rows, {"health verdicts": verdicts_of(rows, {})})["health verdicts"]
    assert said(only(silent)) == ("task 0, rollout 0", "rollout_duplicate_identity", False, True)
    broken = held(tmp_path / "broken", [*ROWS, "{"], {"health verdicts": verdicts_of(ROWS, {})})["health verdicts"]
    assert said(only(broken)) == ("the run", "record_unreadable", 0, 1)


def test_a_health_report_of_another_run_is_left_alone(tmp_path: Path) -> None:
    other = verdicts_of([row(task=task) for task in range(50, 60)], {})
    for check in health(tmp_path, ROWS, other, summary_of(other)).values():
        assert check.problem == "most of its tasks are not of this run: it speaks of another one in the directory"
        assert check.checked == 0


# Flat metrics

REWARDS = {0: [1.0, 0.0, 0.0, 0.0], 1: [1.0, 1.0, 1.0, 1.0], 2: [0.0, 0.0, 1.0, 1.0]}
GRADED = [
    row(task=task, rollout=rollout, prompt=f"Question {task}?", reward=reward)
    for task, of_task in REWARDS.items()
    for rollout, reward in enumerate(of_task)
]
"""pass@1 is 7/12, pass@2 is (1/2 + 1 + 5/6) / 3, pass@4 is 1."""


@pytest.mark.parametrize(
    "states",
    [
        {"pass_at_1": 7 / 12, "pass_at_4": 1.0, "total_tasks": 3, "total_rollouts": 12, "mean_reward": 7 / 12},
        {"pass_at_1": 58.3, "pass_at_2": 77.8, "pass_at_k": 100.0, "k": 4},
        {"pass_at_1": 0.58, "pass_at_k": 1.0, "model_name": "tiny", "benchmark": "sums"},
    ],
)
def test_flat_metrics_that_are_right_agree_in_percent_and_as_rounded_fractions(
    tmp_path: Path, states: dict[str, Any]
) -> None:
    check = held(tmp_path, GRADED, {"metrics": states})["metrics"]
    assert (check.problem, check.disagreements) == (None, [])
    assert check.checked == check.agreed >= 2


def test_flat_metrics_that_are_wrong_are_told_with_what_would_explain_them(tmp_path: Path) -> None:
    masked = [each | {"mask_sample": each["_ng_task_index"] == 2 and each["_ng_rollout_index"] > 1} for each in GRADED]
    states = {"pass_at_1": 7 / 12, "pass_at_4": 0.2, "total_rollouts": 14}
    found = by_place_and_key(held(tmp_path, masked, {"metrics": states})["metrics"])
    told = {key: (one.recomputed, one.why, one.refs) for (_, key), one in found.items()}
    assert told == {
        "pass_at_1": (pytest.approx(5 / 12), "It agrees if 2 masked rows count too.", ["run:2/2", "run:2/3"]),
        "pass_at_4": (1.0, "Nothing here explains it.", []),
        "total_rollouts": (12, "Nothing here explains it.", []),
    }


def test_a_rate_that_was_counted_as_failures_or_row_by_row_says_so(tmp_path: Path) -> None:
    lost = [each | {"reward": None if each["_ng_task_index"] == 0 else each["reward"]} for each in GRADED]
    as_failed = held(tmp_path / "failed", lost, {"metrics": {"pass_at_1": 0.5}})["metrics"]
    assert only(as_failed).why == "It agrees if 4 rows without reward count as failed."
    uneven = [each for each in GRADED if each["_ng_task_index"] != 1 or each["_ng_rollout_index"] == 0]
    by_rows = held(tmp_path / "rows", uneven, {"metrics": {"pass_at_1": 4 / 9}})["metrics"]
    assert only(by_rows).why == "It agrees if every rollout weighs the same; tasks have different numbers of them."


def test_another_k_than_the_one_that_is_named_is_recognised(tmp_path: Path) -> None:
    check = held(tmp_path, GRADED, {"metrics": {"pass_at_4": 0.778, "pass_at_1": 0.583}})["metrics"]
    assert only(check).why == "It agrees with pass@2."
