"""The funnel is what passes went through, and where the others were lost."""

from pathlib import Path

from tests.building import Row, message
from tests.explain.planting import explained, failing, passing, run_of, tried


def stages(path: Path) -> dict[str, int]:
    [run] = explained(path).runs
    return {stage.stage: stage.reached for stage in run.funnel}


def test_stages_are_derived_from_what_passes_went_through(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        if repeat == 0:
            return failing(task, repeat, message("I will not."), parsed=False)
        if repeat == 1:
            return failing(task, repeat, *tried("found"), message("It is 7."), parsed=task < 5)
        return passing(task, repeat, *tried("found"), message("It is 5."), parsed=True)

    path = run_of(tmp_path / "a_rollouts.jsonl", make)
    assert stages(path) == {
        "owed": 40, "started": 40, "acted": 30, "answered": 30, "parsed": 25, "judged": 25, "passed": 20,
    }  # fmt: skip
    [run] = explained(path).runs
    assert run.largest_drop == "acted"


def test_where_passes_make_no_calls_there_is_no_such_stage(tmp_path: Path) -> None:
    path = run_of(tmp_path / "a_rollouts.jsonl", lambda t, r: (failing if r == 0 else passing)(t, r))
    assert stages(path) == {"owed": 40, "started": 40, "answered": 40, "judged": 40, "passed": 30}


def test_each_stage_is_reached_by_no_more_than_the_one_before(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        if (task + repeat) % 3 == 0:
            return failing(task, repeat, done=bool(task % 2), checked=bool(repeat % 2))
        return passing(task, repeat, done=True, checked=True)

    reached = list(stages(run_of(tmp_path / "a_rollouts.jsonl", make)).values())
    assert reached == sorted(reached, reverse=True)
