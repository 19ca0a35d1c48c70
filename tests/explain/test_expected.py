"""Rows that say what is expected: lists of calls are found by what they hold, and diffed against what was done."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import blade
from blade.explain.cases import Cases
from blade.explain.expected_calls import calls_in
from blade.explain.side_by_side import Aligned, beside_expected
from blade.measure.outcomes import PassRule
from tests.building import Row, here, message, owed, write
from tests.explain.acting import (
    Change,
    Step,
    a_year_before,
    acting,
    changed,
    right,
    wandering,
    with_free_words,
    without,
)
from tests.explain.planting import explained, failing, passing, run_of

Listed = Callable[[list[Step]], Any]


def acts(task: int) -> list[Step]:
    """The calls that a benchmark would list: those that act."""
    return without(right(task), "find_person")


SHAPES: dict[str, Listed] = {
    "name and arguments": lambda steps: [{"name": tool, "arguments": given} for tool, given in steps],
    "tool and kwargs": lambda steps: [{"tool": tool, "kwargs": given, "id": 3} for tool, given in steps],
    "a function of its own": lambda steps: [
        {"type": "function", "function": {"name": tool, "arguments": json.dumps(given)}} for tool, given in steps
    ],
    "arguments beside the name": lambda steps: [{"api": tool, **given} for tool, given in steps],
    "the name as a key": lambda steps: [{tool: given} for tool, given in steps],
    "as programs write it": lambda steps: [
        f"{tool}({', '.join(f'{key}={value!r}' for key, value in given.items())})" for tool, given in steps
    ],
}


def expecting(change: Change, listed: Listed = SHAPES["name and arguments"], *, field: str = "oracle_steps") -> Any:
    """Rows with the expected calls in a field; single rollouts of a third of the tasks fail by a change."""

    def make(task: int, repeat: int) -> Row:
        fails = task % 3 == 0
        steps = wandering(with_free_words(right(task), repeat), task, repeat)
        return acting(task, repeat, change(steps) if fails else steps, passes=not fails, **{field: listed(acts(task))})

    return make


@pytest.mark.parametrize("shape", SHAPES)
def test_a_list_of_calls_is_known_by_its_shape_and_diffed_by_value(tmp_path: Path, shape: str) -> None:
    make = expecting(lambda steps: changed(steps, "book_room", day=a_year_before), SHAPES[shape])
    [run] = explained(run_of(tmp_path / "a_rollouts.jsonl", make, tasks=30, repeats=1)).runs
    [mode] = run.modes
    assert (mode.mode, mode.tier, mode.rollouts) == ("not as expected: date one year before", "expected", 10)
    assert (mode.cause, mode.owner, mode.in_passes) == ("BI", "model", 0)


def test_what_is_expected_may_stand_in_the_materialized_inputs_alone(tmp_path: Path) -> None:
    make = expecting(lambda steps: without(steps, "send_letter"))
    rows = [make(task, 0) for task in range(30)]
    listed = [row.pop("oracle_steps") for row in rows]
    path = write(tmp_path / "a_rollouts.jsonl", rows)
    inputs = [owed(task, 0, f"Book the room of task {task}", plan=listed[task]) for task in range(30)]
    write(tmp_path / "a_rollouts_materialized_inputs.jsonl", inputs)
    [mode] = explained(path).runs[0].modes
    assert (mode.title, mode.rollouts) == ("Stopped before send_letter", 10)


def test_a_list_that_the_store_cuts_is_read_again(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        row = expecting(lambda steps: changed(steps, "book_room", seats=99))(task, repeat)
        row["oracle_steps"] += [{"name": "find_person", "arguments": {"name": "x" * 300}}] * 5
        return row

    modes = explained(run_of(tmp_path / "a_rollouts.jsonl", make, tasks=30, repeats=1)).runs[0].modes
    assert {mode.tier for mode in modes} == {"expected"}
    assert any(mode.title.startswith("book_room seats") for mode in modes)


def test_a_record_of_what_was_done_is_not_what_was_expected(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        fails = repeat == 0
        steps = changed(right(task), "book_room", day=a_year_before) if fails else right(task)
        listed = [{"name": tool, "arguments": given} for tool, given in steps]
        return acting(task, repeat, steps, passes=not fails, predicted_calls=listed)

    [mode] = explained(run_of(tmp_path / "a_rollouts.jsonl", make)).runs[0].modes
    assert mode.tier == "contrast"


def test_an_expected_call_that_passes_leave_out_as_often_is_no_fault(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        steps = right(task) if (task + repeat) % 2 else without(right(task), "find_person")
        listed = [{"name": tool, "arguments": given} for tool, given in right(task)]
        return acting(task, repeat, steps, passes=repeat > 1, expected_actions=listed)

    modes = explained(run_of(tmp_path / "a_rollouts.jsonl", make, tasks=20)).runs[0].modes
    assert not any(mode.tier == "expected" for mode in modes)


def beside(path: Path, ref: str) -> list[Aligned]:
    with blade.load([path], here()) as store:
        cases = Cases.of(store, ["a"], PassRule())
        [case] = [number for number in range(len(cases)) if cases.ref(number) == ref]
        return beside_expected(cases, case)


def test_a_rollout_is_shown_beside_what_is_expected(tmp_path: Path) -> None:
    def change(steps: list[Step]) -> list[Step]:
        return [*without(changed(steps, "book_room", seats=99), "send_letter"), ("book_room", {"day": "2026-01-01"})]

    rows = beside(run_of(tmp_path / "a_rollouts.jsonl", expecting(change), tasks=6, repeats=1), "a:3/0")
    assert [(row.kind, row.here and row.here.tool, row.there and row.there.tool) for row in rows] == [
        ("differs", "book_room", "book_room"),
        ("only there", None, "send_letter"),
        ("only here", "book_room", None),
    ]
    assert ("seats", "larger") in [(each.path, each.words) for each in rows[0].differences]


def test_rollouts_of_other_tasks_change_nothing_beside_what_is_expected(tmp_path: Path) -> None:
    make = expecting(lambda steps: changed(steps, "send_letter", to="x@y.example"))
    few = beside(run_of(tmp_path / "few" / "a_rollouts.jsonl", make, tasks=4, repeats=2), "a:3/1")
    rows = [make(task, repeat) for task in (3, 9, 4, 2, 1, 0, 7) for repeat in (1, 0)]
    assert beside(write(tmp_path / "many" / "a_rollouts.jsonl", rows), "a:3/1") == few


def answering(given: Callable[[int], str], *, said: Callable[[int], str] = str, fails: int = 4) -> Any:
    """Rows that answer with a number; some tasks fail by what they answer."""

    def make(task: int, repeat: int) -> Row:
        right_one = 1_000 + 37 * task
        steps = [message(said(right_one)), message("That is it.")]
        if task < fails:
            return failing(task, repeat, *steps, extracted=given(right_one), gold=str(right_one))
        return passing(task, repeat, *steps, extracted=str(right_one), gold=str(right_one))

    return make


@pytest.mark.parametrize(
    ("given", "mode"),
    [
        (lambda right: str(right * 100), "answer: scale 100 times as large"),
        (lambda right: str(-right), "answer: number opposite sign"),
    ],
)
def test_an_answer_that_is_right_but_for_a_slip_is_no_lack_of_knowledge(
    tmp_path: Path, given: Callable[[int], str], mode: str
) -> None:
    path = run_of(tmp_path / "a_rollouts.jsonl", answering(given, said=lambda _: "So."), tasks=20, repeats=2)
    [found] = explained(path).runs[0].modes
    assert (found.mode, found.cause, found.owner, found.rollouts) == (mode, "BI", "model", 8)


def test_an_answer_that_is_just_wrong_is_left_to_knowledge(tmp_path: Path) -> None:
    make = answering(lambda right: str(right + 11), said=lambda _: "So.")
    [found] = explained(run_of(tmp_path / "a_rollouts.jsonl", make, tasks=20)).runs[0].modes
    assert (found.tier, found.cause) == ("wrong answer", "KG")


def test_a_right_answer_worked_out_and_not_given_is_no_lack_of_knowledge(tmp_path: Path) -> None:
    make = answering(lambda right: str(right + 11), said=lambda right: f"That makes {right}.")
    [found] = explained(run_of(tmp_path / "a_rollouts.jsonl", make, tasks=20, repeats=2)).runs[0].modes
    assert (found.mode, found.cause, found.rollouts) == ("answer: worked out and not given", "BI", 8)


def test_an_answer_that_was_weighed_against_the_right_one_is_left_to_knowledge(tmp_path: Path) -> None:
    make = answering(lambda right: str(right + 11), said=lambda right: f"It is {right} or {right + 11}.")
    [found] = explained(run_of(tmp_path / "a_rollouts.jsonl", make, tasks=20)).runs[0].modes
    assert found.tier == "wrong answer"


def test_a_list_of_calls_may_be_nested_deeply_or_hold_odd_backslashes() -> None:
    deep: dict[str, Any] = {"name": "book_room", "arguments": {}}
    for _ in range(400):
        deep = {"call": deep}
    assert calls_in([deep], frozenset({"book_room"})) is None
    assert calls_in(["book_room(note='\\d')"], frozenset({"book_room"})) == [("book_room", {"note": "\\d"})]


def test_an_expected_act_left_out_is_named_though_tasks_are_few(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        fails = task < 8 and repeat < 3
        steps = without(right(task), "find_person", *(["send_letter"] if fails and task % 2 else ["book_room"] * fails))
        return acting(task, repeat, steps, passes=not fails, oracle_steps=SHAPES["name and arguments"](acts(task)))

    [run] = explained(run_of(tmp_path / "a_rollouts.jsonl", make, tasks=12)).runs
    assert {mode.tier for mode in run.modes} == {"expected"}
    assert sum(mode.rollouts for mode in run.modes) == 24
