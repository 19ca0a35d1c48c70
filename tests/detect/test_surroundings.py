"""What went wrong around the model: its machinery, its verifier, its simulated user."""

import pytest

from tests.building import Row, call, message, result, row
from tests.detect.reading_rows import acted, details, names, steps

DOWN = "503 Service Unavailable: no healthy upstream"


def test_an_error_of_the_machinery_is_no_error_of_the_call() -> None:
    made = acted(("find", "{}", DOWN), ("find", "{}", "found"))
    assert details(made, "tool error from infrastructure") == ["find, worked again: service down"]
    assert "tool error" not in names(made)


def test_whether_the_tool_worked_again_is_told() -> None:
    made = acted(("find", "{}", DOWN), ("find", "{}", DOWN), closing="The service is down.")
    assert details(made, "tool error from infrastructure") == ["find, not again: service down"] * 2
    assert "error not recovered" not in names(made)


def test_a_page_that_explains_what_503_means_is_no_error() -> None:
    page = "HTTP status codes\n\n503 Service Unavailable means that the server is overloaded."
    assert names(acted(("open", '{"url": "x"}', page))) == set()


@pytest.mark.parametrize(
    "fields",
    [
        {"judge_error": "HTTP 500 from the judge"},
        {"invalid_judge_response": True},
        {"graderException": "ValueError: no verdict"},
        {"verifier": {"error": "could not load the reference"}},
        {"failure_reason": "judge model timed out"},
    ],
    ids=str,
)
def test_a_verifier_that_failed_is_told_by_its_fields(fields: Row) -> None:
    assert len(details(row(**fields), "verifier error")) == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"judge_error": None, "judge_error_detail": "", "invalid_judge_response": False},
        {"judge_passed": False, "failure_reason": "judge_evaluation_failed"},
        {"verifier_exit_code": 1, "verifier_error": "none"},
        {"test_error": 3, "error_message": "the answer is wrong"},
        {"judge_output": "The response has an error in line 3. Verdict: no"},
    ],
    ids=str,
)
def test_a_verifier_that_judged_has_not_failed(fields: Row) -> None:
    assert "verifier error" not in names(row(**fields))


def talk(*turns: tuple[str, str]) -> Row:
    return row(*(message(text, role) for role, text in turns))


def test_a_user_that_repeats_itself_is_told_once() -> None:
    same = ("user", "I want to change my flight to Monday.")
    made = talk(
        same, ("assistant", "Which one?"), same, ("assistant", "Please name the flight."), same, ("assistant", "Well.")
    )
    assert steps(made, "user repeats itself") == [2]
    assert "user repeats itself" not in names(
        talk(("user", "ok"), ("assistant", "a"), ("user", "ok"), ("assistant", "b"))
    )


def test_a_trajectory_that_holds_its_history_again_repeats_nobody() -> None:
    history = [message("I want to change my flight.", "user"), call("find", "{}", "a"), result("found", "a")]
    assert "user repeats itself" not in names(row([*history], [*history, message("Done.")]))


def test_an_empty_turn_of_the_user_is_told() -> None:
    assert steps(talk(("assistant", "Which?"), ("user", " "), ("assistant", "Hello?")), "user turn empty") == [1]


def test_a_user_that_speaks_as_the_agent_is_told() -> None:
    assert "user plays the agent" in names(talk(("assistant", "Hello."), ("user", "Hi! How can I help you today?")))
    assert "user plays the agent" not in names(talk(("assistant", "How can I help you today?"), ("user", "Hi.")))


AGREED = [
    ("Shall I book it? Please confirm (yes/no).", "Yes, go ahead. ###STOP###"),
    ("Would you like me to transfer you to a person?", "Yes, please transfer me. Thank you! ###STOP###"),
    ("Do you want me to proceed with the refund?", "###STOP###"),
]


@pytest.mark.parametrize(("question", "answer"), AGREED)
def test_a_user_that_agrees_and_leaves_in_one_breath_stopped_too_early(question: str, answer: str) -> None:
    assert "user stopped too early" in names(talk(("assistant", question), ("user", answer)))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is there anything else I can do?", "No, thanks. ###STOP###"),
        ("Shall I book it? Please confirm (yes/no).", "Yes, go ahead."),
        ("Would you like me to transfer you to a person?", "No, that's all. ###STOP###"),
        ("Would you like me to cancel it?", "Actually, never mind. Please do not cancel it. ###STOP###"),
        ("Your flight is booked.", "Yes, thank you. ###STOP###"),
    ],
)
def test_a_user_that_declines_or_has_what_it_wanted_may_leave(question: str, answer: str) -> None:
    assert "user stopped too early" not in names(talk(("assistant", question), ("user", answer)))
