"""What would fix it: bounded, guarded against habits, true where the truth is known."""

from pathlib import Path

import pytest

import blade
from blade.explain.analysis import explain
from blade.explain.records import Analysis, Counterfactual, Intervention
from examples.office import Agent, Exposure, simulate
from tests.building import Row, call, here, message, result
from tests.explain.planting import failing, passing, run_of, tried

DENIED = "Error: permission denied for calendar 'c0'"
CUT = {
    "response": {
        "model": "tiny",
        "output": [message("and then")],
        "incomplete_details": {"reason": "max_output_tokens"},
        "max_output_tokens": 4096,
        "usage": {"input_tokens": 10, "output_tokens": 4096, "total_tokens": 4106},
    }
}


def mended(*paths: Path, fixed: str | None = None) -> Analysis:
    with blade.load(list(paths), here()) as store:
        return explain(store, compared=False, fixed=fixed)


def row_of(found: Analysis, what: str) -> Counterfactual:
    return next(row for row in found.counterfactual if row.what == what)


def cut(task: int, repeat: int) -> Row:
    return failing(task, repeat) | CUT


def test_a_fault_that_strikes_at_random_gives_back_what_other_rollouts_of_the_task_score(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        return cut(task, repeat) if repeat == 0 else (passing if repeat > 1 else failing)(task, repeat)

    [fix, *_] = mended(run_of(tmp_path / "a_rollouts.jsonl", make)).interventions
    assert fix.modes == ["output truncated"]
    assert fix.recoverable == pytest.approx(25)
    assert fix.gain.value == pytest.approx(100 * (2 / 3 - 1 / 2))
    assert fix.rank == 1
    assert fix.owner == "harness"
    assert fix.title.startswith("Raise the output limit above 4,096 tokens")
    assert "10 rollouts of 10 tasks" in fix.title
    assert sorted(fix.tasks, key=int) == [str(task) for task in range(10)]
    assert len(fix.refs) == 10


def test_a_habit_that_passes_share_gives_nothing_back(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        habit = tried(DENIED) if repeat < 4 or task % 2 else tried("found")
        return (failing if repeat % 4 < 2 else passing)(task, repeat, *habit, message(f"It is {repeat}."))

    found = mended(run_of(tmp_path / "a_rollouts.jsonl", make, repeats=8))
    told = [one for one in found.interventions if any("permission" in mode for mode in one.modes)]
    assert all(one.gain.value <= 1e-9 for one in told)


def test_passing_rollouts_that_show_the_signal_are_replaced_too(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        if repeat < 4:
            return (passing if repeat == 0 else failing)(task, repeat, *tried(DENIED), message(f"It is {repeat}."))
        return (failing if repeat == 4 else passing)(task, repeat)

    [fix, *_] = mended(run_of(tmp_path / "a_rollouts.jsonl", make, repeats=8)).interventions
    assert "permission denied" in fix.modes[0]
    assert fix.gain.value == pytest.approx(100 * (3 / 4 - 4 / 8))


def test_tasks_that_always_show_it_gain_nothing_unless_another_run_tells(tmp_path: Path) -> None:
    struck = run_of(tmp_path / "struck_rollouts.jsonl", lambda t, r: cut(t, r) if t < 5 else passing(t, r))
    whole = run_of(tmp_path / "whole_rollouts.jsonl", lambda t, r: (passing if r else failing)(t, r))
    [alone] = mended(struck).interventions
    assert (alone.gain.value, alone.recoverable) == (0, 50)
    assert "nothing is counted as won" in alone.why
    [told] = mended(whole, struck).interventions
    assert told.run == "struck"
    assert told.gain.value == pytest.approx(50 * 0.75)
    assert "whole tells what they can score" in told.why


def test_the_run_to_mend_can_be_named(tmp_path: Path) -> None:
    a = run_of(tmp_path / "a_rollouts.jsonl", lambda t, r: cut(t, r) if r else passing(t, r))
    b = run_of(tmp_path / "b_rollouts.jsonl", passing)
    assert mended(a, b).interventions == []
    assert {one.run for one in mended(a, b, fixed="a").interventions} == {"a"}


def test_no_gain_exceeds_what_the_failures_cost_and_all_modes_reach_the_best_rollouts(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        if repeat == 0:
            return cut(task, repeat)
        return failing(task, repeat, *tried(DENIED), message("no")) if repeat == 1 else passing(task, repeat)

    found = mended(run_of(tmp_path / "a_rollouts.jsonl", make))
    for row in found.counterfactual:
        assert row.recoverable is None or row.gain.value <= row.recoverable + 1e-9
    assert row_of(found, "baseline").points == pytest.approx(50)
    assert row_of(found, "all modes").points == row_of(found, "oracle").points == pytest.approx(100)
    gains = [one.gain.value for one in found.interventions]
    assert gains == sorted(gains, reverse=True)
    assert [one.rank for one in found.interventions] == list(range(1, len(gains) + 1))


def test_what_is_not_measured_is_told_in_points_of_a_scoreboard(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        if repeat == 0:
            return failing(task, repeat, call(), result("503 Service Unavailable: upstream connect error"))
        return passing(task, repeat)

    [fix] = mended(run_of(tmp_path / "a_rollouts.jsonl", make)).interventions
    assert fix.as_failed
    assert fix.owner == "infrastructure"
    assert fix.gain.value == pytest.approx(25)


def test_a_pass_costs_less_where_the_rollouts_that_are_left_out_cost_much(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        usage = {"usage": {"input_tokens": 10, "output_tokens": 90, "total_tokens": 100}}
        row = passing(task, repeat)
        return cut(task, repeat) if repeat == 0 else row | {"response": row["response"] | usage}

    [fix] = mended(run_of(tmp_path / "a_rollouts.jsonl", make)).interventions
    [saving] = fix.saving
    assert saving.what == "total tokens"
    assert (saving.now, saving.then) == (pytest.approx((4106 + 300) / 3), pytest.approx(100))


def test_a_large_gain_takes_few_repeats_to_confirm(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        return cut(task, repeat) if repeat < 3 else passing(task, repeat)

    [fix] = mended(run_of(tmp_path / "a_rollouts.jsonl", make, tasks=20)).interventions
    assert fix.confirm_repeats is not None
    assert 1 <= fix.confirm_repeats <= 4
    assert "20 tasks" in fix.confirm


@pytest.mark.parametrize("fault", ["truncated", "wrong_year", "early_stop"])
def test_the_guarded_gain_is_what_the_same_agent_scores_without_the_fault(tmp_path: Path, fault: str) -> None:
    natural = {
        "knowledge_gap": Exposure(1.0, 0.15, common=True),
        "unreliable_knowledge": Exposure(0.35, 0.4, common=True),
    }
    whole = Agent("whole", "m", faults=natural)
    struck = Agent("struck", "m", faults=natural | {fault: Exposure(0.5, 0.8, common=True)})
    simulate(tmp_path, agents=[whole, struck], tasks=60, repeats=6, seed=5)
    rates = {}
    for name in ("whole", "struck"):
        [run] = blade.metrics(tmp_path / f"{name}_rollouts.jsonl", options=here())
        rates[name] = run.metrics["pass@1"].value or 0.0
    true = 100 * (rates["whole"] - rates["struck"])
    fix: Intervention = mended(tmp_path / "struck_rollouts.jsonl").interventions[0]
    assert fix.gain.value == pytest.approx(true, abs=3)
    assert fix.gain.low is not None
    assert fix.gain.high is not None
    assert fix.gain.low <= true <= fix.gain.high
