"""Every failing and every not-measured rollout has one mode, and habits that passes share are never named."""

import random
from pathlib import Path

from blade.explain.mode import all_tiers
from tests.building import Row, message, owed, write
from tests.explain.planting import explained, failing, modes, passing, rollouts, run_of, tried

DENIED = "Error: permission denied for calendar 'ada'"


def test_an_error_that_failures_show_more_often_than_passes_of_the_same_task_is_the_mode(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        if repeat < 2:
            return failing(task, repeat, *tried(f"Error: permission denied for calendar 'c{task}'"), message("Done."))
        return passing(task, repeat, *tried("found"), message("Done."))

    [run] = explained(run_of(tmp_path / "a_rollouts.jsonl", make)).runs
    [mode] = run.modes
    assert "permission denied" in mode.title
    assert mode.rollouts == 20
    assert mode.tasks == 10
    assert mode.share == 1.0
    assert mode.cause == "BI"
    assert mode.guard == "within tasks"
    assert mode.odds_ratio is not None
    assert mode.odds_ratio.high is None
    assert mode.refs[0] == "a:0/0#1"
    assert mode.example is not None
    assert mode.example.text == "Error: permission denied for calendar 'c0'"
    assert run.unexplained == 0.0


def test_a_habit_that_passes_show_as_often_is_not_named(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        said = message("It is 6." if repeat < 2 else "It is 5.")
        steps = [*(tried(DENIED) if repeat % 2 else []), *tried("found", arguments='{"key": "y"}'), said]
        return (failing if repeat < 2 else passing)(task, repeat, *steps)

    [run] = explained(run_of(tmp_path / "a_rollouts.jsonl", make)).runs
    assert set(modes(run)) == {"wrong answer, varies"}
    denied = [each for each in run.signals if "permission" in each.signal]
    assert denied
    assert all(not each.taken and each.failing == each.passing for each in denied)


def test_answers_never_right_are_gaps_and_answers_at_times_right_are_unreliable(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        never, at_times = task < 3, task in (3, 4) and repeat < 2
        return (failing if never or at_times else passing)(task, repeat)

    [run] = explained(run_of(tmp_path / "a_rollouts.jsonl", make)).runs
    found = modes(run)
    assert (found["wrong answer, never right"].cause, found["wrong answer, never right"].rollouts) == ("KG", 12)
    assert (found["wrong answer, varies"].cause, found["wrong answer, varies"].rollouts) == ("UK", 4)


def test_one_wrong_try_alone_is_no_gap(tmp_path: Path) -> None:
    path = run_of(tmp_path / "a_rollouts.jsonl", lambda t, r: (failing if t < 3 else passing)(t, r), repeats=1)
    [run] = explained(path).runs
    assert set(modes(run)) == {"unexplained"}
    assert run.unexplained == 1.0
    assert modes(run)["unexplained"].cause == "unknown"


def test_one_wrong_try_is_a_gap_where_another_run_is_right(tmp_path: Path) -> None:
    a = run_of(tmp_path / "a_rollouts.jsonl", passing, repeats=1)
    b = run_of(tmp_path / "b_rollouts.jsonl", lambda t, r: (failing if t < 3 else passing)(t, r), repeats=1)
    assert set(modes(explained(a, b).runs[1])) == {"wrong answer, never right"}


def test_tasks_that_chance_leaves_without_a_right_answer_are_unreliable_too(tmp_path: Path) -> None:
    chance = random.Random(5)
    right = {(task, repeat): chance.random() < 0.4 for task in range(100) for repeat in range(4)}
    path = run_of(tmp_path / "a_rollouts.jsonl", lambda t, r: (passing if right[t, r] else failing)(t, r), tasks=100)
    [run] = explained(path).runs
    assert set(modes(run)) == {"wrong answer, varies"}


def test_the_verifiers_own_kinds_of_failure_are_modes_and_restatements_are_not(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        if repeat == 0:
            kind = "bad_format" if task < 5 else "judge_timeout"
            return failing(task, repeat, error_kind=kind, verdict="incorrect", is_correct=False)
        return passing(task, repeat, error_kind=None, verdict="correct", is_correct=True)

    found = explained(run_of(tmp_path / "a_rollouts.jsonl", make))
    [run] = found.runs
    named = modes(run)
    assert named["error_kind = bad_format"].cause == "BI"
    assert named["error_kind = bad_format"].rollouts == 5
    assert set(found.restating) == {"verdict", "is_correct"}
    assert not any("verdict" in key or "is_correct" in key for key in named)
    assert {each.field for each in found.predictors} <= {"error_kind"}


def test_answers_are_no_kinds_of_failure(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        if task < 6 and repeat == 0:
            return failing(task, repeat, given="blue")
        return passing(task, repeat, given=f"shade {task}")

    [run] = explained(run_of(tmp_path / "a_rollouts.jsonl", make)).runs
    assert set(modes(run)) == {"wrong answer, varies"}


def test_properties_of_tasks_are_no_kinds_of_failure(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        hard = task < 3
        return (failing if hard else passing)(task, repeat, level="hard" if hard else "easy")

    [run] = explained(run_of(tmp_path / "a_rollouts.jsonl", make)).runs
    assert set(modes(run)) == {"wrong answer, never right"}


def test_what_is_not_measured_has_a_mode_as_well(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        if repeat == 0 and task < 4:
            return failing(task, repeat, *tried("503 Service Unavailable: no healthy upstream"))
        return passing(task, repeat)

    path = run_of(tmp_path / "a_rollouts.jsonl", make, repeats=2)
    write(
        tmp_path / "a_rollouts_materialized_inputs.jsonl",
        [owed(t, r, f"Task {t}") for t in range(11) for r in range(2)],
    )
    [run] = explained(path).runs
    found = modes(run)
    assert {(mode.cause, mode.owner, mode.rollouts) for mode in found.values()} == {
        ("IR", "infrastructure", 4),
        ("DA", "data", 2),
    }
    assert sum(mode.share for mode in found.values()) == 1.0


def test_the_same_failure_has_the_same_mode_in_both_runs(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        if repeat == 0:
            return failing(task, repeat, *tried(f"Error: no entry with id 'e-{task}{repeat}'"), message("Done."))
        return passing(task, repeat, *tried("found"), message("Done."))

    a = run_of(tmp_path / "a_rollouts.jsonl", make)
    b = run_of(tmp_path / "b_rollouts.jsonl", lambda t, r: make(t, (r + 1) % 4) | {"_ng_rollout_index": r})
    first, second = explained(a, b).runs
    assert list(modes(first)) == list(modes(second))


def test_order_of_rows_names_of_files_and_numbers_of_tasks_change_nothing(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        if repeat == 0:
            return failing(
                task, repeat, *tried(f"Error: no entry with id 'e-{task}'"), message("Done."), why="bad_order"
            )
        if repeat == 1 and task < 4:
            return failing(task, repeat)
        return passing(task, repeat, *tried("found"), message("Done."), why=None)

    rows = [make(task, repeat) for task in range(12) for repeat in range(4)]
    mixed = [row | {"_ng_task_index": 100 - row["_ng_task_index"]} for row in rows]
    random.Random(2).shuffle(mixed)
    first, second = (
        explained(write(tmp_path / f"{name}_rollouts.jsonl", lines)).runs[0]
        for name, lines in (("plain", rows), ("mixed", mixed))
    )
    summary = [[(m.mode, m.title, m.cause, m.rollouts, m.tasks, m.share) for m in run.modes] for run in (first, second)]
    assert summary[0] == summary[1]
    assert [(s.stage, s.reached) for s in first.funnel] == [(s.stage, s.reached) for s in second.funnel]


def test_refs_are_complete_and_each_failing_rollout_stands_in_one_mode(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        return (failing if (task + repeat) % 3 == 0 else passing)(task, repeat)

    [run] = explained(run_of(tmp_path / "a_rollouts.jsonl", make, tasks=30)).runs
    refs = [ref for mode in run.modes for ref in rollouts(mode.refs)]
    assert len(refs) == len(set(refs)) == run.failed
    assert all(len(mode.refs) == mode.rollouts for mode in run.modes)


def test_a_run_without_failures_has_no_modes(tmp_path: Path) -> None:
    [run] = explained(run_of(tmp_path / "a_rollouts.jsonl", passing)).runs
    assert run.modes == []
    assert run.unexplained is None


def test_the_profile_speaks_first_and_wrong_answers_last() -> None:
    assert [tier.name for tier in all_tiers()] == [
        "profile",
        "what ended it",
        "judgement",
        "verifier's fields",
        "expected",
        "contrast",
        "error texts",
        "behaviour",
        "wrong answer",
    ]


def test_who_used_up_his_answers_answered_wrongly_and_met_no_turn_limit(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        fails = repeat == 0
        ended = "max_propose_steps" if fails else "solved"
        return (failing if fails else passing)(task, repeat, terminate_reason=ended)

    [run] = explained(run_of(tmp_path / "a_rollouts.jsonl", make)).runs
    assert set(modes(run)) == {"wrong answer, varies"}


def test_what_sort_of_task_it_is_is_no_kind_of_failure(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        fails = task % 2 == 0
        return (failing if fails else passing)(task, repeat, category="Algebra" if fails else "Geometry")

    [run] = explained(run_of(tmp_path / "a_rollouts.jsonl", make, tasks=20, repeats=1)).runs
    assert not any(mode.tier == "verifier's fields" for mode in run.modes)


def test_who_answers_in_his_last_turn_was_not_kept_from_it_by_the_limit(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        if repeat > 1:
            return passing(task, repeat)
        last = message("Final answer: 17") if repeat else message("Let me see what else there is.")
        return failing(task, repeat, *tried("found"), last, terminate_reason="max_steps")

    [run] = explained(run_of(tmp_path / "a_rollouts.jsonl", make)).runs
    found = modes(run)
    assert {ref.split("/")[1].split("#")[0] for ref in found["turn limit"].refs} == {"0"}
    assert found["wrong answer, varies"].rollouts == 10
