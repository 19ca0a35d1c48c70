"""`blade task`: one task, with all that is known of it."""

import json
from pathlib import Path

import pytest

from tests.building import Row, call, message, result, run
from tests.explain.planting import failing, passing, run_of


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    def steps(task: int, repeat: int, *, right: bool) -> list[Row]:
        year = 2026 if right else 2025
        return [
            call("find", f'{{"name": "thing {task}"}}', call_id="c1"),
            result(f"id {task}", call_id="c1"),
            call("book", f'{{"day": "{year}-03-10", "id": {task}}}', call_id="c2"),
            result("booked", call_id="c2"),
            message(f"Booked it for {year}, try {repeat}."),
        ]

    def early(task: int, repeat: int) -> Row:
        right = repeat > 0
        return (passing if right else failing)(task, repeat, *steps(task, repeat, right=right))

    def late(task: int, repeat: int) -> Row:
        return passing(task, repeat, *steps(task, repeat, right=True))

    return [run_of(tmp_path / "early_rollouts.jsonl", early), run_of(tmp_path / "late_rollouts.jsonl", late)]


def test_a_task_is_told_run_by_run_with_its_cause_and_both_sides(runs: list[Path]) -> None:
    said = run("task", *runs, "3", "--no-cache")
    assert said.code == 0, said.err
    assert "Task 3" in said.out
    assert "early: 3 of 4 measured rollouts passed" in said.out
    assert "late: 4 of 4 measured rollouts passed" in said.out
    assert "BI: " in said.out
    assert "confidence high" in said.out
    assert "one year before" in said.out
    assert "early:3/0#" in said.out


def test_a_ref_of_a_rollout_names_its_task(runs: list[Path]) -> None:
    assert run("task", *runs, "early:3/0#2", "--no-cache").out == run("task", *runs, "3", "--no-cache").out


def test_a_task_that_is_not_there_is_refused_with_those_that_are(runs: list[Path]) -> None:
    said = run("task", *runs, "99", "--no-cache")
    assert said.code == 2
    assert said.err.startswith("blade: no run has a task 99 (there are 10, such as ")


def test_a_task_named_before_the_runs_is_told_to_come_last(runs: list[Path]) -> None:
    said = run("task", "0", runs[0])
    assert said.code == 2
    assert "TASK comes last: blade task" in said.err


def test_as_json_every_attempt_has_its_outcome_mode_and_evidence(runs: list[Path]) -> None:
    told = json.loads(run("task", *runs, "3", "--no-cache", "--json").out)
    early, late = told["runs"]
    assert [each["outcome"] for each in early["attempts"]] == ["failed", "passed", "passed", "passed"]
    assert early["label"]["cause"] == early["attempts"][0]["cause"] == "BI"
    assert early["contrast"]["failing"] == "early:3/0"
    assert early["contrast"]["lines"][early["contrast"]["parting"]]["differences"] == ["day: one year before"]
    assert late["label"]["cause"] is None


def test_what_a_task_holds_steers_no_terminal(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        return (passing if repeat else failing)(task, repeat, message(f"\x1b[31mred\u202e {repeat}"))

    said = run("task", run_of(tmp_path / "a_rollouts.jsonl", make), "1", "--no-cache")
    assert "\x1b[31m" not in said.out
    assert "\u202e" not in said.out
