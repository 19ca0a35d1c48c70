"""Labels of tasks: the cause of most of what a task fails by, how sure that is, and what else it may be."""

from pathlib import Path

from blade.explain.records import TaskLabel
from tests.building import Row, call, message, result
from tests.explain.planting import Make, explained, failing, passing, run_of

CUT = {"model": "m", "output": [message("and")], "incomplete_details": {"reason": "max_output_tokens"}}


def labels(directory: Path, make: Make, *, tasks: int = 10, repeats: int = 4) -> dict[str, TaskLabel]:
    [path] = [run_of(directory / "a_rollouts.jsonl", make, tasks=tasks, repeats=repeats)]
    return {label.task: label for label in explained(path).tasks}


def cut(task: int, repeat: int) -> Row:
    return failing(task, repeat) | {"response": CUT}


def lost(task: int, repeat: int) -> Row:
    return failing(task, repeat, call(), result("503 Service Unavailable: upstream connect error"))


def test_a_task_has_the_cause_of_most_of_its_failures_and_the_next_one_behind_it(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        return passing(task, repeat) if repeat == 3 else cut(task, repeat) if repeat else lost(task, repeat)

    label = labels(tmp_path, make)["0"]
    assert (label.mode, label.cause, label.runner_up) == ("output truncated", "BI", "IR")
    assert label.confidence == "medium"
    assert label.refs == ["a:0/1#0", "a:0/2#0"]


def test_where_causes_hold_the_same_the_more_telling_mode_decides(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        if repeat == 0:
            return cut(task, repeat)
        return failing(task, repeat, message(f"It is {task}{repeat}.")) if repeat == 1 else passing(task, repeat)

    label = labels(tmp_path, make)["0"]
    assert (label.mode, label.runner_up) == ("output truncated", "UK")


def test_a_task_that_does_not_fail_has_no_cause(tmp_path: Path) -> None:
    label = labels(tmp_path, lambda t, r: passing(t, r) if t else cut(t, r))["3"]
    assert (label.cause, label.confidence, label.runner_up, label.refs) == (None, None, None, [])


def test_what_ended_every_failure_is_sure(tmp_path: Path) -> None:
    assert labels(tmp_path, lambda t, r: passing(t, r) if r else cut(t, r))["0"].confidence == "high"


def test_a_wrong_answer_of_a_task_that_is_right_at_times_is_likely_unreliable(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        return passing(task, repeat) if repeat else failing(task, repeat, message(f"It is not {task}."))

    label = labels(tmp_path, make)["0"]
    assert (label.cause, label.confidence) == ("UK", "medium")


def test_one_try_that_is_wrong_is_no_sure_sign_of_a_gap(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        return passing(task, repeat) if task % 2 else failing(task, repeat, message(f"It is not {task}."))

    assert labels(tmp_path, make, repeats=1)["0"].confidence == "low"


def test_the_order_of_rows_changes_no_label(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        kinds = (passing, cut, lost, failing)
        return kinds[(task * repeat + task) % 4](task, repeat)

    one = labels(tmp_path / "one", make)
    other = labels(tmp_path / "other", lambda t, r: make(9 - t, 3 - r))
    for task, label in one.items():
        assert (label.mode, label.cause, label.confidence) == (
            other[task].mode,
            other[task].cause,
            other[task].confidence,
        )
