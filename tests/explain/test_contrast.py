"""Failing rollouts are held against passing ones of the same task: what they do otherwise becomes a mode."""

import random
from pathlib import Path
from typing import Any

import pytest

import blade
from blade.explain.cases import Cases
from blade.explain.contrast import Contrasts
from blade.explain.records import ModeShare, RunFailures
from blade.explain.side_by_side import SideBySide, side_by_side
from blade.measure.outcomes import PassRule
from tests.building import Row, call, here, message, result, write
from tests.explain.acting import (
    Change,
    Step,
    a_year_before,
    acting,
    changed,
    right,
    struck,
    wandering,
    with_free_words,
    without,
)
from tests.explain.planting import explained, modes, rollouts, run_of


def found(path: Path, change: Change, **options: Any) -> ModeShare:
    """The one mode of a run in which every failure has one change."""
    [run] = explained(run_of(path / "a_rollouts.jsonl", struck(change), tasks=12, **options)).runs
    [mode] = run.modes
    return mode


def test_a_date_that_failures_give_otherwise_is_named_with_its_shift(tmp_path: Path) -> None:
    mode = found(tmp_path, lambda steps: changed(steps, "book_room", day=a_year_before))
    assert mode.mode == "unlike passes: date one year before"
    assert mode.title == "book_room day: one year before that of passing rollouts"
    assert (mode.cause, mode.owner, mode.tier, mode.guard) == ("BI", "model", "contrast", "within tasks")
    assert (mode.rollouts, mode.in_passes) == (24, 0)
    assert mode.rule.startswith("24 of 24 failing rollouts")
    assert mode.odds_ratio is not None


def _renamed(steps: list[Step]) -> list[Step]:
    return [(tool, {"date" if key == "day" else key: value for key, value in given.items()}) for tool, given in steps]


def _posted(steps: list[Step]) -> list[Step]:
    return [("post_notice" if tool == "send_letter" else tool, given) for tool, given in steps]


KINDS: dict[str, Change] = {
    "book_room seats: 100 times as large": lambda steps: changed(steps, "book_room", seats=lambda seats: seats * 100),
    "send_letter to: the same name at another domain": lambda steps: changed(
        steps, "send_letter", to=lambda to: to.replace("mill.", "")
    ),
    "book_room day: under another key": _renamed,
    "find_person left out": lambda steps: without(steps, "find_person"),
    "Stopped before send_letter": lambda steps: without(steps, "send_letter"),
    "cancel_room: a call too many": lambda steps: [*steps, ("cancel_room", {"why": "a mistake"})],
    "send_letter: a call too many": lambda steps: [*steps, *steps[-1:]],
    "post_notice called instead of send_letter": _posted,
}


@pytest.mark.parametrize("title", KINDS)
def test_each_kind_of_divergence_has_its_name(tmp_path: Path, title: str) -> None:
    mode = found(tmp_path, KINDS[title])
    assert mode.title == title
    assert (mode.rollouts, mode.in_passes) == (24, 0)


def test_refs_point_to_the_call_that_differs_and_to_where_a_call_is_lacking(tmp_path: Path) -> None:
    def refs(change: Change, name: str) -> set[str]:
        path = run_of(
            tmp_path / f"{name}_rollouts.jsonl",
            lambda t, r: acting(t, r, change(right(t)) if r < 2 else right(t), passes=r > 1),
        )
        [run] = explained(path).runs
        return {ref.split("#")[1] for mode in run.modes for ref in mode.refs}

    assert refs(lambda steps: changed(steps, "book_room", seats=99), "a") == {"2"}
    assert refs(lambda steps: without(steps, "find_person"), "b") == {"0"}
    assert refs(lambda steps: without(steps, "book_room"), "c") == {"2"}
    assert refs(lambda steps: without(steps, "send_letter"), "d") == {"4"}


def test_the_same_fault_in_several_calls_is_one_mode(tmp_path: Path) -> None:
    def change(steps: list[Any]) -> list[Any]:
        return changed(changed(steps, "book_room", guest="x@y.example"), "send_letter", to="x@y.example")

    assert found(tmp_path, change).title in (
        "book_room guest, send_letter to: another address",
        "send_letter to, book_room guest: another address",
    )


def test_words_that_each_rollout_chooses_are_no_divergence(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        return acting(task, repeat, with_free_words(right(task), repeat), passes=repeat > 1)

    [run] = explained(run_of(tmp_path / "a_rollouts.jsonl", make)).runs
    assert not any(mode.tier == "contrast" for mode in run.modes)


@pytest.mark.parametrize("seed", range(6))
def test_what_passes_do_as_often_is_never_named(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    fails = {(task, repeat): chance.random() < 0.4 for task in range(30) for repeat in range(4)}

    def make(task: int, repeat: int) -> Row:
        steps = wandering(with_free_words(right(task), repeat), task + 100 * seed, repeat)
        return acting(task, repeat, steps, passes=not fails[task, repeat])

    [run] = explained(run_of(tmp_path / "a_rollouts.jsonl", make, tasks=30)).runs
    assert not any(mode.tier == "contrast" for mode in run.modes)


def test_with_one_repeat_the_other_run_is_what_rollouts_are_held_against(tmp_path: Path) -> None:
    a = run_of(tmp_path / "a_rollouts.jsonl", struck(list, repeats=()), tasks=30, repeats=1)
    change = struck(lambda steps: changed(steps, "book_room", day=a_year_before), repeats=(0,), tasks=range(10))
    b = run_of(tmp_path / "b_rollouts.jsonl", change, tasks=30, repeats=1)
    [mode] = explained(a, b).runs[1].modes
    assert (mode.mode, mode.rollouts, mode.guard) == ("unlike passes: date one year before", 10, "between tasks")


def test_a_task_that_nobody_passes_has_nothing_to_be_held_against(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        return acting(task, repeat, right(task), passes=False)

    [run] = explained(run_of(tmp_path / "a_rollouts.jsonl", make)).runs
    assert {mode.tier for mode in run.modes} == {"wrong answer"}


def test_what_an_error_prevents_is_explained_by_the_error(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        if repeat > 1:
            return acting(task, repeat, right(task))
        failed = acting(task, repeat, right(task)[:1], passes=False)
        failed["response"]["output"][2:] = [
            call("book_room", '{"day": "x"}', "c9"),
            result("Error: permission denied for rooms", "c9"),
            message("I could not do it."),
        ]
        return failed

    [run] = explained(run_of(tmp_path / "a_rollouts.jsonl", make, tasks=12)).runs
    assert not any(mode.tier == "contrast" for mode in run.modes)


def test_the_order_of_rows_and_of_runs_changes_no_name_and_no_rollout(tmp_path: Path) -> None:
    make = struck(lambda steps: changed(steps, "book_room", day=a_year_before), tasks=range(12))
    rows = [make(task, repeat) for task in range(20) for repeat in range(4)]
    other = [struck(list, repeats=())(task, repeat) for task in range(20) for repeat in range(4)]
    random.Random(3).shuffle(rows)
    a, b = write(tmp_path / "a_rollouts.jsonl", rows), write(tmp_path / "b_rollouts.jsonl", other)
    first, second = explained(a, b), explained(b, a)

    def told(runs: list[RunFailures]) -> dict[str, dict[str, set[str]]]:
        return {run.run: {key: rollouts(mode.refs) for key, mode in modes(run).items()} for run in runs}

    assert told(first.runs) == told(second.runs)
    terms = [{term.mode: round(term.points, 9) for term in each.comparisons[0].terms} for each in (first, second)]
    assert terms[0] == {mode: -points for mode, points in terms[1].items()}


def beside(path: Path, ref: str) -> SideBySide:
    with blade.load([path], here()) as store:
        cases = Cases.of(store, ["a"], PassRule())
        [case] = [number for number in range(len(cases)) if cases.ref(number) == ref]
        found = side_by_side(cases, case)
    assert found is not None
    return found


def test_a_failing_rollout_is_shown_beside_the_pass_that_is_nearest(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        steps = with_free_words(right(task), repeat)
        if repeat == 0:
            steps = [("list_rooms", {"floor": 2}), *without(changed(steps, "book_room", seats=40), "find_person")]
        return acting(task, repeat, steps, passes=repeat > 0)

    found = beside(run_of(tmp_path / "a_rollouts.jsonl", make, tasks=5), "a:3/0")
    assert found.passing == "a:3/1"
    assert [(row.kind, row.here and row.here.tool, row.there and row.there.tool) for row in found.rows] == [
        ("only there", None, "find_person"),
        ("only here", "list_rooms", None),
        ("differs", "book_room", "book_room"),
        ("same", "send_letter", "send_letter"),
    ]
    assert (found.parting, found.kind, found.step) == (2, "argument", 2)
    assert {difference.path for difference in found.rows[2].differences} >= {"seats"}
    assert found.rows[2].here is not None
    assert found.rows[2].here.ref == "a:3/0#2"


def test_look_ups_that_both_make_in_their_own_order_part_nobody(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        looks = [("list_rooms", {"floor": 1}), ("list_rooms", {"floor": 2})]
        return acting(task, repeat, [*(looks if repeat else looks[::-1]), *right(task)], passes=repeat > 0)

    found = beside(run_of(tmp_path / "a_rollouts.jsonl", make, tasks=5), "a:0/0")
    assert (found.parting, found.kind, found.step) == (None, "answers", None)


def test_what_gives_a_divergence_away_is_recognised_in_tasks_that_nobody_passes(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        never = task >= 16
        if repeat < 2 or never:
            steps = changed(right(task), "book_room", day=a_year_before) if repeat < 2 else right(task)
            return acting(task, repeat, steps, passes=False)
        return acting(task, repeat, right(task))

    named = modes(explained(run_of(tmp_path / "a_rollouts.jsonl", make, tasks=20)).runs[0])
    assert named["unlike passes: date one year before"].rollouts == 40


def test_a_shell_is_as_many_tools_as_it_runs_programs(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        commands = ["cat a.txt", f"cd /repo && pytest -k case{task}"] if repeat > 1 else ["grep -rn x .", "cat a.txt"]
        return acting(task, repeat, [("bash", {"command": command}) for command in commands], passes=repeat > 1)

    titles = {mode.title for mode in explained(run_of(tmp_path / "a_rollouts.jsonl", make, tasks=12)).runs[0].modes}
    assert "bash pytest left out" in titles or "Stopped before bash pytest" in titles


def test_a_call_that_passes_make_twice_is_lacking_where_it_is_made_once(tmp_path: Path) -> None:
    def twice(task: int, repeat: int) -> Row:
        steps = right(task)
        return acting(task, repeat, steps if repeat < 2 else [*steps, steps[1]], passes=repeat > 1)

    [run] = explained(run_of(tmp_path / "a_rollouts.jsonl", twice, tasks=12)).runs
    [mode] = run.modes
    assert mode.title == "Stopped before book_room"


def test_hard_tasks_that_bring_a_call_about_do_not_make_it_a_fault(tmp_path: Path) -> None:
    """Each run has one repeat: tasks alone can tell, and a third of the rollouts that make the call pass."""
    calm = run_of(tmp_path / "a_rollouts.jsonl", struck(list, repeats=()), tasks=60, repeats=1)

    def make(task: int, repeat: int) -> Row:
        hard = task < 30
        steps = [*right(task), ("cancel_room", {"why": "a mistake"})] if hard else right(task)
        return acting(task, repeat, steps, passes=not hard or task % 3 == 0)

    other = run_of(tmp_path / "b_rollouts.jsonl", make, tasks=60, repeats=1)
    assert not any(mode.tier == "contrast" for mode in explained(calm, other).runs[1].modes)


def test_a_pass_that_edited_the_tests_is_nothing_to_be_held_against(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        look = {"command": "view", "path": "tests/test_sum.py"}
        edit = {"command": "str_replace", "path": "tests/test_sum.py", "old_str": "== 3", "new_str": "== 4"}
        steps = [("editor", look), *([("editor", edit)] if repeat == 3 else []), *right(task)]
        return acting(task, repeat, steps, passes=repeat == 3)

    with blade.load([run_of(tmp_path / "a_rollouts.jsonl", make, tasks=12)], here()) as store:
        cases = Cases.of(store, ["a"], PassRule())
        assert Contrasts.of(cases).found == []
