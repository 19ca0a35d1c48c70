"""What is counted: a number of some rollouts is not one of all of them, and a rate may be taken over tasks or rows."""

from pathlib import Path

import pytest

from blade.check.checking import check
from blade.check.claims import truth as known
from blade.check.claims.claim import CONTRADICTED, SUPPORTED
from blade.check.claims.truth import Quantity, Run, Task, Truth
from tests.building import run


def _of_run(name: str, passed: int, rate: float) -> list[Quantity]:
    whole = (name, known.WHOLE, "")
    return [
        Quantity(*whole, "pass@1", rate, known.SHARE, None, f"{name}: mean over tasks"),
        Quantity(*whole, "tasks", 15, known.COUNT),
        Quantity(*whole, "rollouts", 60, known.COUNT),
        Quantity(*whole, "measured", 56, known.COUNT, 60),
        Quantity(*whole, "not measured", 4, known.COUNT, 60),
        Quantity(*whole, "passed", passed, known.COUNT, 56),
        Quantity(*whole, "failed", 56 - passed, known.COUNT, 56),
        Quantity(name, known.BUCKET, "never", "tasks", 7, known.COUNT, 15),
    ]


@pytest.fixture
def truth() -> Truth:
    """Two runs of fifteen tasks; four rollouts of each have no verdict."""
    tasks = {("heron", "8"): Task(4, 4, "always", frozenset(), frozenset())}
    tasks["egret", "8"] = Task(1, 4, "sometimes", frozenset(), frozenset())
    return Truth(
        [Run("heron", None, None), Run("egret", None, None)],
        [*_of_run("heron", 22, 0.417), *_of_run("egret", 30, 0.55)],
        tasks=tasks,
    )


def _verdicts(sentence: str, truth: Truth) -> dict[str, int]:
    return check(f"# Note\n\n{sentence}\n", truth).counts


@pytest.mark.parametrize(
    "sentence",
    [
        "Four rollouts of heron were lost to a timeout of the gateway.",
        "11 rollouts of heron are missing.",
        "Missing: 11 rollouts of heron.",
        "4 rollouts of heron were never measured.",
        "11 rollouts of heron never finish.",
        "heron has 11 rollouts, all lost to a timeout.",
        "11 rollouts of the run heron failed.",
        "5 tasks of heron fail in every rollout.",
        "9 of 60 rollouts of heron were lost.",
    ],
)
def test_a_count_of_some_rollouts_is_not_held_against_all(sentence: str, truth: Truth) -> None:
    assert _verdicts(sentence, truth)[CONTRADICTED] == 0


@pytest.mark.parametrize(
    "sentence", ["4 rollouts of heron were never measured.", "Four of 60 rollouts of egret were not measured."]
)
def test_rollouts_never_measured_are_those_without_a_verdict(sentence: str, truth: Truth) -> None:
    assert _verdicts(sentence, truth)[SUPPORTED] == 1
    wrong = sentence.replace("4", "9").replace("Four", "Nine")
    assert check(f"# Note\n\n{wrong}\n", truth).contradictions[0].true == "4 of 60"


@pytest.mark.parametrize("sentence", ["heron has 48 rollouts.", "heron has 12 tasks.", "In egret 9 tasks never pass."])
def test_a_whole_measure_is_still_held_against_the_data(sentence: str, truth: Truth) -> None:
    assert _verdicts(sentence, truth)[CONTRADICTED] == 1


@pytest.mark.parametrize(
    ("share", "where"), [("41.7", "heron: mean over tasks"), ("39.3", ": share of its measured rollouts")]
)
def test_a_pass_rate_may_be_one_of_tasks_or_of_rollouts(share: str, where: str, truth: Truth) -> None:
    found = check(f"# Note\n\nheron passes {share} %.\n", truth)
    assert [(each.verdict, each.source) for each in found.claims] == [(SUPPORTED, where)]
    assert _verdicts("heron passes 44.0 %.", truth)[CONTRADICTED] == 1


def test_the_run_of_a_wrong_outcome_is_the_one_that_is_named_behind_it(truth: Truth) -> None:
    found = check("# Note\n\nTask 8 went from 4/4 on heron to 2/4 on egret.\n", truth)
    assert [each.true for each in found.contradictions] == ["egret: 1 of 4"]


def test_a_list_of_one_task_is_no_count_of_tasks(truth: Truth) -> None:
    assert _verdicts("The answer to task 8 is in doubt. Tasks: 8.", truth)[CONTRADICTED] == 0
    assert _verdicts("The answer to task 8 is in doubt.\n\nTasks: 9.", truth)[CONTRADICTED] == 1


def test_a_report_without_text_is_refused(tmp_path: Path) -> None:
    empty = tmp_path / "empty.md"
    empty.write_text("\n \n", encoding="utf-8")
    said = run("check", empty, "--runs", tmp_path)
    assert said.code == 2
    assert "it holds no text" in said.err
