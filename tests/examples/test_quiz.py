"""The simulated quiz: answers are right, forms are demanded, conditions are checked one by one."""

import pytest

from examples.quiz import Agent, Exposure, generate_tasks, play
from examples.quiz.families import as_roman
from examples.theatre.rollouts import Rollout
from examples.theatre.rows import rollout_row
from examples.theatre.tasks import Task


def played(fault: str, vocabulary: str = "exam") -> list[Rollout]:
    """The rollouts that a fault decided, at full rate."""
    agent = Agent("tested", "model", faults={fault: Exposure(1.0)})
    rollouts = play(agent, tasks=32, repeats=1, seed=5, vocabulary=vocabulary)
    return [rollout for rollout in rollouts if fault in rollout.direction.occurred]


def family(name: str) -> list[Task]:
    return [task for task in generate_tasks(48, seed=5) if task.family.name == name]


@pytest.mark.parametrize(("number", "letters"), [(1994, "MCMXCIV"), (3888, "MMMDCCCLXXXVIII"), (1066, "MLXVI")])
def test_roman_numerals_are_written_as_they_are(number: int, letters: str) -> None:
    assert as_roman(number) == letters


def test_letters_are_counted_in_the_text_that_is_shown() -> None:
    for task in family("count_letter"):
        question = task.prompt.partition("\n\n")[0]
        letter = question.partition("'")[2][0]
        text = question.partition("text: ")[2]
        assert task.expected_answer == str(text.count(letter))


def test_a_slip_answers_another_question_and_is_among_no_random_answers() -> None:
    for task in family("shopping"):
        assert set(task.slips) == {"wrong_entity", "wrong_unit"}
        assert task.expected_answer not in task.slips.values()
        assert task.slips["wrong_unit"] == f"{task.expected_answer}00"


def test_every_form_that_is_demanded_is_met_by_the_solution_and_missed_without_it() -> None:
    forms = {task.answer_form for task in generate_tasks(16, seed=5, vocabulary="trial") if task.expected_answer}
    assert len(forms) == 3
    for rollout in played("answer_unmarked", "trial"):
        assert rollout_row(rollout)["prediction"] is None


def test_the_verifier_says_which_condition_a_text_misses() -> None:
    kinds = {rollout_row(rollout)["error_kind"] for rollout in played("instruction_missed")}
    others = {rollout_row(rollout)["violated_rule"] for rollout in played("instruction_missed", "trial")}
    assert kinds <= {"too_long", "word_missing", "wrong_case", "wrong_ending"}
    assert others <= {"length_limit", "keyword_absent", "capital_letters", "last_word"}
    assert len(kinds) == len(others) > 1


def test_thoughts_alone_leave_no_message() -> None:
    for rollout in played("thoughts_alone"):
        assert [item["type"] for item in rollout.performance.output] == ["reasoning"]


def test_second_thoughts_hold_the_right_answer_and_end_with_another() -> None:
    for rollout in played("second_thoughts"):
        message = rollout.performance.last_message or ""
        assert f"Answer: {rollout.task.expected_answer}\n" in message
        assert not message.endswith(f"Answer: {rollout.task.expected_answer}")
