"""What was answered, and in which form."""

from typing import Any

import pytest

from tests.building import Row, message, row
from tests.detect.reading_rows import acted, details, names


def asked(prompt: Any, answer: str, **more: Any) -> Row:
    return row(message(answer), prompt=prompt, **more)


DEMANDS = [
    ("Solve it. Put your final answer inside \\boxed{}.", "It is 4.", "It is \\boxed{4}."),
    ("Think, then place your final answer inside <answer></answer> tags.", "It is 4.", "<answer>4</answer>"),
    ("End your response with one line in this exact format:\nFinal answer: <number>", "4.", "So.\n**Final Answer:** 4"),
    ('Say yes or no. Finish with the line "Verdict: yes" or "Verdict: no".', "Yes.", "Verdict: yes"),
    ("Respond only with a JSON object.", "The colour is red.", 'Here it is:\n```json\n{"colour": "red"}\n```'),
    ("Which one? Reply with the correct option letter.", "the second", "B"),
    ("Choose one. Close with the words: The right one is (X).", "D.", "So: the right one is (D)."),
    ('End with a JSON object that has the one key "sum".', "It is 4.", 'So.\n{"sum": 4}'),
    ("Solve the problem below and put the result into \\boxed{}.", "4", "\\boxed{4}"),
    ("Return your code within a single code block.", "print(4)", "```python\nprint(4)\n```"),
]


@pytest.mark.parametrize(("prompt", "without", "having"), DEMANDS, ids=lambda text: text[:24])
def test_an_answer_lacks_the_form_that_was_demanded_or_has_it(prompt: str, without: str, having: str) -> None:
    assert "format missed" in names(asked(prompt, without))
    assert "format missed" not in names(asked(prompt, having))


def test_the_instructions_demand_as_well() -> None:
    prompt = [message("Put the answer in \\boxed{}.", "system"), message("What is 2 + 2?", "user")]
    assert details(asked(prompt, "4"), "format missed") == ["boxed"]


@pytest.mark.parametrize(
    "prompt",
    [
        "The text below is enclosed in <document> tags. Summarize it.\n<document>x</document>",
        "Please provide your response as plain text without any JSON formatting.",
        "Write a function that returns JSON. Explain it.",
        "Complete the following code:\n\n```python\ndef f():\n```",
        "Write a letter to your aunt. Answer with at least 3 letters.",
        "If you cannot solve it, put \\boxed{none} there.",
        "The proof ends with \\boxed{4}. Is it right?",
        "Put your reasoning in a separate code block, starting with <think>.",
        "The page holds <b>bold</b> and <title>Home</title> elements. Describe it.",
        "The form asks for Answer: yes or no. What does the law say?",
    ],
)
def test_what_describes_the_input_forbids_or_depends_on_something_demands_nothing(prompt: str) -> None:
    assert "format missed" not in names(asked(prompt, "It is so."))


def test_a_tag_that_is_written_in_another_way_was_meant() -> None:
    prompt = "Place your final answer inside <solution></solution> tags."
    assert "format missed" not in names(asked(prompt, "It is \\solution{4}."))
    assert "format missed" not in names(asked(prompt, "Solution: 4"))
    assert "format missed" in names(asked(prompt, "The solution is 4."))


def test_of_several_forms_any_will_do() -> None:
    prompt = "Put only your final answer inside <answer></answer> tags or \\boxed{...}."
    assert "format missed" not in names(asked(prompt, "\\boxed{4}"))
    assert details(asked(prompt, "4"), "format missed") == ["boxed, tag <answer>"]


def test_a_demand_on_answers_to_questions_is_made_of_questions_alone() -> None:
    rules = message(
        "When you are asked a question, the message ends with a line 'Answer: ' and the bare answer.", "system"
    )
    assert "format missed" in names(asked([rules, message("Who is it?", "user")], "It is Ann."))
    assert "format missed" not in names(asked([rules, message("Move the meeting.", "user")], "It is moved."))
    rules = message("Questions are to be answered with <reply>…</reply> around nothing but the answer.", "system")
    assert details(asked([rules, message("Who is it?", "user")], "It is Ann."), "format missed") == ["tag <reply>"]
    assert "format missed" not in names(asked([rules, message("Move the meeting.", "user")], "It is moved."))


def test_a_rollout_without_a_last_word_misses_no_form() -> None:
    made = acted(("find", "{}", "found"), closing=None, prompt="Put your answer inside \\boxed{}.")
    assert "format missed" not in names(made)


def test_answers_that_differ_are_told() -> None:
    made = asked("Solve it.", "It is \\boxed{4}. On second thought, it is \\boxed{5}.")
    assert details(made, "answers differ") == ["2 answers: 4 and 5"]
    assert "answers differ" in names(asked("Solve it.", "Answer: 4\n\nWait.\n\nAnswer: 17"))
    assert "answers differ" in names(
        asked("Choose.", "The correct option is (D).\n\nNo.\n\nThe correct option is (C).")
    )
    assert "answers differ" in names(asked("Say it.", '{"result": "Friday"}\n\nActually, no.\n\n{"result": "Sunday"}'))


@pytest.mark.parametrize(
    "text",
    [
        "It is \\boxed{4}. So the answer is \\boxed{ 4 }.",
        "\\boxed{\\frac{1}{2}} and again \\boxed{\\left(\\frac{1}{2}\\right)}",
        "Answer: 4\n**Final answer:** `4`",
        "The answer to the first question helps with the second. Answer: 4",
        "No box here.",
    ],
)
def test_one_answer_written_twice_is_one(text: str) -> None:
    assert "answers differ" not in names(asked("Solve it.", text))


@pytest.mark.parametrize(
    "fields",
    [
        {"extracted_answer": None},
        {"parsedChoice": ""},
        {"verifier": {"extracted_reply": None}},
        {"parse_failed": True},
        {"extraction_successful": False},
    ],
    ids=str,
)
def test_nothing_extracted_is_told_by_the_parts_of_a_name(fields: Row) -> None:
    assert "nothing extracted" in names(row(message("It is 4."), **fields))


@pytest.mark.parametrize(
    "fields",
    [
        {"extracted_answer": "4"},
        {"extracted_answer": 0},
        {"predicted_nodes": []},
        {"extracted_answer": None, "predicted_answer": "4"},
        {"extracted_answer": None, "expected_answer": None},
        {"parse_failed": False},
        {"gold_parsed_answer": None},
        {"parser": None, "extracted_at": None},
    ],
    ids=str,
)
def test_what_holds_something_or_was_not_due_is_not_missing(fields: Row) -> None:
    assert "nothing extracted" not in names(row(message("It is 4."), **fields))


def test_nothing_can_be_extracted_from_no_message() -> None:
    assert "nothing extracted" not in names(row(message(""), extracted_answer=None))
