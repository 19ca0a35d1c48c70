"""The field of extracted answers is found, and a vote over them is counted in the order of repeats."""

import itertools
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import blade
from blade.measure.answers import answer_field, majority_at, with_answers
from blade.measure.outcomes import FAILED, NOT_MEASURED, PASSED, PassRule
from blade.measure.panel import Panel, load_panel
from blade.measure.rates import first_of
from tests.building import Row, here, row, write

Given = tuple[int, str | None]
"""The outcome of a rollout and its extracted answer."""


def panel(*tasks: Sequence[Given]) -> Panel:
    """A run of these rollouts, task by task."""
    rollouts = [each for task in tasks for each in task]
    outcome = np.array([outcome for outcome, _ in rollouts], dtype=np.int8)
    return Panel(
        run="votes",
        rule=PassRule(),
        tasks=[str(number) for number in range(len(tasks))],
        task=np.repeat(np.arange(len(tasks)), [len(task) for task in tasks]),
        rollout=[str(place) for task in tasks for place in range(len(task))],
        outcome=outcome,
        reward=np.where(outcome == NOT_MEASURED, np.nan, outcome),
        place=np.zeros((len(rollouts), 2), dtype=np.int64),
        answers=[answer for _, answer in rollouts],
    )


def judged(gold: str, *answers: str | None) -> list[Given]:
    """Rollouts whose outcome depends on their answer alone."""
    return [(PASSED if answer == gold else FAILED, answer) for answer in answers]


def voted(first: Sequence[Given]) -> float:
    """What a vote scores, averaged over every way to break its ties and over the rollouts that gave the winner."""
    answers = [answer for _, answer in first if answer is not None]
    most = max(map(answers.count, answers), default=0)
    winners = sorted({answer for answer in answers if answers.count(answer) == most})
    scores = [[outcome for outcome, answer in first if answer == winner] for winner in winners]
    return sum(sum(score) / len(score) for score in scores) / len(scores) if scores else 0.0


rollouts = st.lists(
    st.tuples(st.sampled_from([PASSED, FAILED, NOT_MEASURED]), st.sampled_from(["a", "b", "c", None])), max_size=7
)


@given(st.lists(rollouts, min_size=1, max_size=5), st.integers(1, 5))
@settings(max_examples=120, deadline=None)
def test_a_vote_is_taken_over_the_first_k_measured_rollouts_of_tasks_that_have_them(
    tasks: list[list[Given]], k: int
) -> None:
    measured = [[each for each in task if each[0] != NOT_MEASURED] for task in tasks]
    judged_otherwise = any(outcome == PASSED and answer is None for task in measured for outcome, answer in task)
    about = [task for task in measured if not judged_otherwise or any(answer is not None for _, answer in task)]
    expected = [voted(task[:k]) for task in about if len(task) >= k]
    assert majority_at(k, panel(*tasks)).tolist() == pytest.approx(expected)


def test_the_most_frequent_answer_scores_whether_it_is_right_or_wrong() -> None:
    right, wrong = judged("4", "4", "5", "4"), judged("4", "5", "4", "5")
    assert majority_at(3, panel(right, wrong)).tolist() == [1.0, 0.0]


def test_equally_frequent_answers_share() -> None:
    assert majority_at(2, panel(judged("4", "4", "5"))).tolist() == [0.5]
    assert majority_at(3, panel(judged("4", "4", "5", "6"))).tolist() == pytest.approx([1 / 3])
    assert majority_at(5, panel(judged("4", "4", "4", "5", "5", "6"))).tolist() == [0.5]


def test_a_rollout_without_an_answer_has_no_vote_and_a_task_without_any_scores_nothing() -> None:
    assert majority_at(3, panel(judged("4", None, None, "4"))).tolist() == [1.0]
    assert majority_at(2, panel(judged("4", None, None), judged("4", "4", "4"))).tolist() == [0.0, 1.0]


def test_where_rollouts_pass_without_an_answer_only_tasks_that_have_one_count() -> None:
    judged_otherwise: list[Given] = [(PASSED, None), (FAILED, None)]
    assert majority_at(2, panel(judged_otherwise, judged("4", "4", "4"), judged("4", None, None))).tolist() == [1.0]
    assert majority_at(2, panel(judged_otherwise)).tolist() == []
    not_measured: Given = (NOT_MEASURED, "4")
    assert majority_at(2, panel([*judged_otherwise, not_measured])).tolist() == []


def test_only_the_first_k_in_the_order_of_repeats_have_a_vote() -> None:
    run = panel(judged("4", "5", "4", "4", "4"))
    assert [majority_at(k, run).tolist() for k in (1, 2, 3, 4)] == [[0.0], [0.5], [1.0], [1.0]]


def test_rollouts_that_are_not_measured_have_neither_vote_nor_place() -> None:
    run = panel([(NOT_MEASURED, "5"), (NOT_MEASURED, "5"), *judged("4", "4", "4", "5")])
    assert majority_at(3, run).tolist() == [1.0]
    assert majority_at(4, run).tolist() == []


def test_an_answer_that_was_judged_both_ways_scores_its_share_of_passes() -> None:
    assert majority_at(3, panel([(PASSED, "4"), (FAILED, "4"), (FAILED, "4")])).tolist() == pytest.approx([1 / 3])


@given(st.lists(rollouts, min_size=1, max_size=4), st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_where_all_rollouts_answer_alike_a_vote_is_their_average(tasks: list[list[Given]], k: int) -> None:
    run = panel(*[[(outcome, "same") for outcome, _ in task] for task in tasks])
    assert majority_at(k, run).tolist() == pytest.approx(first_of(k, run)[run.measured >= k].tolist())


@given(st.lists(rollouts, min_size=1, max_size=4), st.permutations(["a", "b", "c"]), st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_other_names_for_the_answers_change_no_vote(tasks: list[list[Given]], names: list[str], k: int) -> None:
    other = dict(zip(["a", "b", "c"], names, strict=True))
    renamed = [[(outcome, other.get(answer or "")) for outcome, answer in task] for task in tasks]
    assert majority_at(k, panel(*renamed)).tolist() == pytest.approx(majority_at(k, panel(*tasks)).tolist())


@given(st.lists(st.sampled_from("ab"), min_size=3, max_size=3))
@settings(max_examples=20, deadline=None)
def test_a_vote_of_all_rollouts_does_not_depend_on_their_order(answers: list[str]) -> None:
    scores = {majority_at(3, panel(judged("a", *order))).tolist()[0] for order in itertools.permutations(answers)}
    assert scores == {float(Counter(answers)["a"] >= 2)}


def field_of(path: Path, *rows: Row) -> str | None:
    with blade.load(write(path / "run.jsonl", rows), here()) as store:
        return answer_field(store, store.summaries[0].run)


def test_a_field_with_a_known_name_holds_the_answers(tmp_path: Path) -> None:
    assert field_of(tmp_path, row(score_text="x", extracted_answer="4", parsed_choice="B")) == "extracted_answer"


def test_of_several_known_names_the_first_one_counts(tmp_path: Path) -> None:
    assert field_of(tmp_path, row(prediction="4", predicted_answer="5", final_answer="6")) == "predicted_answer"


@pytest.mark.parametrize("name", ["parsed_choice", "PredLabel", "hyp_text", "extracted_value", "final_verdict"])
def test_a_field_with_a_likely_name_holds_the_answers_where_no_known_one_does(tmp_path: Path, name: str) -> None:
    assert field_of(tmp_path, row(**{name: "B", "category": "algebra"})) == name


def test_of_several_likely_names_the_one_that_is_filled_most_counts(tmp_path: Path) -> None:
    rows = [row(rollout=0, parsed_choice="B", hyp_text=None), row(rollout=1, parsed_choice="C", hyp_text="yes")]
    assert field_of(tmp_path, *rows) == "parsed_choice"


@pytest.mark.parametrize(
    "fields", [{}, {"expected_answer": "4"}, {"extracted_answer": None}, {"answer_format": "B"}, {"extracted": {}}]
)
def test_without_such_a_field_there_are_no_answers(tmp_path: Path, fields: Row) -> None:
    assert field_of(tmp_path, row(**fields)) is None


def test_a_field_that_is_always_empty_gives_way_to_one_that_is_not(tmp_path: Path) -> None:
    assert field_of(tmp_path, row(extracted_answer=None, prediction="4")) == "prediction"


def test_a_panel_takes_up_the_answer_of_every_rollout_in_its_order(tmp_path: Path) -> None:
    rows = [
        row(task=1, rollout=0, prompt="q1", extracted_answer="b"),
        row(task=0, rollout=10, prompt="q0", extracted_answer="z"),
        row(task=0, rollout=2, prompt="q0", extracted_answer=None),
        row(task=0, rollout=1, prompt="q0", extracted_answer="a"),
        row(task=1, rollout=1, prompt="q1"),
    ]
    with blade.load(write(tmp_path / "run.jsonl", rows), here()) as store:
        run = with_answers(store, load_panel(store, store.summaries[0].run), "extracted_answer")
    assert run.answers == ["a", None, "z", "b", None]


def test_answers_that_are_equal_as_values_vote_together_and_others_do_not(tmp_path: Path) -> None:
    long = "x" * 10_000
    values = [(0, 4), (0, 4.0), (0, 5), (1, True), (1, False), (1, True), (2, long), (2, long), (2, long + "y")]
    rows = [
        row(task=task, rollout=place, prompt=f"q{task}", reward=float(place % 3 != 2), prediction=value)
        for place, (task, value) in enumerate(values)
    ]
    with blade.load(write(tmp_path / "run.jsonl", rows), here()) as store:
        run = with_answers(store, load_panel(store, store.summaries[0].run), "prediction")
    a = run.answers
    assert a[0] == a[1] != a[2]
    assert a[3] == a[5] != a[4]
    assert a[6] == a[7] != a[8]
    assert majority_at(3, run).tolist() == [1.0, 0.5, 1.0]
