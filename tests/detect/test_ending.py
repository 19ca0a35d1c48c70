"""What ended a rollout."""

from typing import Any

import pytest

from blade.detect.detectors import all_detectors
from blade.detect.signal import ENDING
from tests.building import call, message, reasoning, result, row
from tests.detect.reading_rows import acted, names, offering, shown, steps, tool

FIELDS = {
    "agent time-out": [
        {"agent_timed_out": True},
        {"episodeTimeLimitHit": True},
        {"run": {"timed_out": True}},
        {"agent_timeout_error": 1},
    ],
    "verifier time-out": [{"eval_timed_out": True}, {"grader_error": "timed out after 600 s"}],
    "container time-out": [{"sandbox_timed_out": True}],
    "context overflow": [{"context_length_exceeded_error": 1}, {"end_reason": "context_window_exceeded"}],
    "turn limit": [
        {"max_turns_reached": True},
        {"termination_reason": "max_steps"},
        {"stop": {"reason": "iteration limit"}},
    ],
    "output truncated": [{"finish_reason": "length"}, {"response_truncated": True}, {"stop_reason": "max_tokens"}],
    "cancelled": [{"status": "cancelled"}, {"was_aborted": True}],
    "content filter": [{"finish_reason": "content_filter"}],
    "stopped from outside": [{"finished_naturally": False}],
}


@pytest.mark.parametrize(
    ("signal", "fields"), [(name, each) for name, all_ in FIELDS.items() for each in all_], ids=str
)
def test_a_field_tells_what_ended_the_rollout_whatever_its_name(signal: str, fields: dict[str, Any]) -> None:
    assert signal in names(row(**fields))


@pytest.mark.parametrize(
    "fields",
    [
        {"agent_timed_out": False},
        {"agent_timeout": 2700},
        {"config": {"timeout": 1, "max_turns": 5, "max_tokens": 1}},
        {"timeout_rate": 1.0},
        {"max_steps": 1},
        {"use_timeout": True},
        {"termination_reason": "user_stop"},
        {"status": "completed", "finish_reason": "stop"},
        {"finished_naturally": True},
        {"truncated": True},
        {"context": "The maximum context length was exceeded in chapter two."},
        {"error_message": "Wrong answer: mismatched output length"},
        {"length": "length", "max_tokens_seen": "max_tokens"},
    ],
    ids=str,
)
def test_settings_quiet_values_and_other_words_end_nothing(fields: dict[str, Any]) -> None:
    assert names(row(**fields)) == set()


def test_an_episode_that_a_limit_ended_is_told_from_one_that_ended_itself() -> None:
    assert "turn limit" in names(row(truncated=True, terminated=False))
    assert names(row(truncated=False, terminated=True)) == set()


def test_output_that_was_cut_is_read_from_the_details_though_the_status_is_null() -> None:
    cut = {"status": None, "incomplete_details": {"reason": "max_output_tokens"}, "output": [message("It is th")]}
    [signal] = shown(row(response=cut))
    assert (signal.name, signal.signal.field) == ("output truncated", "response.incomplete_details.reason")
    assert signal.signal.quote == "max_output_tokens"


def test_an_error_of_the_response_tells_of_the_context() -> None:
    error = "BadRequest: this model's maximum context length is 8192 tokens, you asked for 9001"
    assert names(row(call(), result("text"), error=error)) == {"context overflow"}


def test_the_last_words_of_the_harness_tell_of_a_limit() -> None:
    said = message("Maximum number of turns reached. Stopping.", role="user")
    assert "turn limit" in names(row(call(), result("3 of 9"), said))
    assert "turn limit" in names(row(call(), result("Agent stopped: iteration limit exceeded")))


def test_the_model_may_speak_of_limits() -> None:
    spoken = "The API has a maximum number of actions per day, and I think we reached it, so the rest is for tomorrow."
    assert "turn limit" not in names(row(call(), result("ok"), message(spoken)))


REFUSALS = [
    "I'm sorry, but I can't help with that request.",
    "I cannot assist with this.",
    "I must decline. Writing this would break my rules.",
    "As an AI language model, I cannot provide instructions for that.",
    "Sorry, I won't do that. I will not help with deceiving people.",
    "Sorry, this is outside of what I can help with.",
]
NO_REFUSALS = [
    "I can't find any open bug with that name; the closest is BUG-12.",
    "I was unable to locate the order, so I checked the archive: it was shipped on Monday.",
    "I'm not sure who wrote it, so I can't answer that.",
    "Which of the two accounts do you mean?",
    "The library cannot provide thread safety, so I added a lock. All is done.",
    "You can't help but notice the pattern: the answer is 12.",
    "4",
]


@pytest.mark.parametrize("text", REFUSALS)
def test_a_short_last_message_that_declines_is_a_refusal(text: str) -> None:
    assert "refusal" in names(row(message(text)))


@pytest.mark.parametrize("text", NO_REFUSALS)
def test_looking_in_vain_asking_and_explaining_are_no_refusals(text: str) -> None:
    assert "refusal" not in names(row(message(text)))


def test_a_long_answer_that_declines_on_the_way_is_no_refusal() -> None:
    assert "refusal" not in names(row(message("I can't help with the first part. " + "The second part is easy. " * 60)))


def test_only_the_last_word_can_refuse() -> None:
    items = [
        message("I'm sorry, but I can't help with that."),
        message("Please try.", role="user"),
        message("It is 4."),
    ]
    assert "refusal" not in names(row(*items))


def test_giving_up_is_no_refusal_and_an_answer_all_the_same_is_no_giving_up() -> None:
    assert names(row(message("I was unable to complete the task: the export tool gave an error."))) == {"gave up"}
    answer = "I could not find the exact figure. However, based on the report it is about 4."
    assert names(row(message(answer))) == set()


@pytest.mark.parametrize(
    "text",
    [
        "Could not complete the task: the call failed.",
        "My calls keep being rejected. Giving up on this.",
        "Nothing there. Stopping.",
        "We can't proceed further.",
    ],
)
def test_giving_up_needs_no_subject(text: str) -> None:
    assert "gave up" in names(acted(("find", "{}", "nothing"), closing=text))


@pytest.mark.parametrize(
    "text",
    [
        "Not done. Reason: no such function is available.",
        "There is no tool that would send it, so this stays undone.",
        "I can't go on: I was not given a way to run the tests.",
        "I don't have access to the mail tool, sorry.",
    ],
)
def test_a_tool_that_is_said_to_be_lacking_is_the_tools_affair(text: str) -> None:
    found = names(acted(("find", "{}", "nothing"), closing=text))
    assert "tool lacked" in found
    assert "gave up" not in found


@pytest.mark.parametrize(
    "text", ["No tool errors occurred; the mail is not sent twice.", "There was no way out for him."]
)
def test_tools_that_are_spoken_of_are_not_lacking(text: str) -> None:
    assert "tool lacked" not in names(acted(("find", "{}", "nothing"), closing=text))


@pytest.mark.parametrize(
    "text",
    [
        "The list is incomplete by design; I added the three missing names.",
        "The bus will not stop here on Sundays.",
        "Nothing was left to do after the third step, so the entry is as you want it.",
        "I fixed the case that failed to parse.",
    ],
)
def test_speaking_of_stops_and_failures_is_no_giving_up(text: str) -> None:
    assert "gave up" not in names(acted(("find", "{}", "found"), closing=text))


def test_an_empty_last_message_is_an_empty_answer() -> None:
    assert names(row(message(""))) == {"empty answer"}
    assert "empty answer" in names(row(call(), result("found"), message([{"type": "output_text", "text": " "}])))
    assert "empty answer" not in names(row(message("It is 4."), message("")))
    assert "empty answer" not in names(
        row(message("", tool_calls=[{"id": "a", "function": {"name": "f", "arguments": "{}"}}]))
    )


def test_ending_in_thought_or_in_the_midst_of_work_is_no_answer() -> None:
    assert "no answer" in names(row(reasoning("So it must be 4.")))
    assert "no answer" in names(row(message("Let me look."), call(), result("found")))
    assert "no answer" in names(row(message("Let me look."), call()))


def test_work_that_is_done_through_tools_needs_no_last_message() -> None:
    assert "no answer" not in names(row(call("press", '{"x": 3}'), result("pressed")))
    assert "no answer" not in names(row(message("This is it."), call("submit_solution"), result("received")))
    assert "no answer" not in names(row(message("I hand over."), call("transfer_to_person"), result("done")))
    assert "no answer" not in names(row(message("4"), reasoning("")))


def test_asking_whether_to_go_on_is_an_early_stop_where_nobody_answers() -> None:
    ask = "I have found the entry. Let me know whether I should go on."
    assert "early stop" in names(acted(("find", "{}", "entry 7"), closing=ask))
    assert steps(acted(("find", "{}", "entry 7"), closing=ask), "early stop") == [2]
    assert "early stop" in names(row(message("Would you like me to send it?"), **offering(tool("send"))))


@pytest.mark.parametrize(
    "text",
    [
        "The entry is moved. Let me know if you need anything else!",
        "Done. Is there anything else I can help you with?",
        "It is 4. Would you like me to explain the steps?",
        "If you would like me to send it, tell me. I sent it already.",
        "Who wrote Hamlet? Shakespeare did.",
    ],
)
def test_courtesy_is_no_early_stop(text: str) -> None:
    assert "early stop" not in names(acted(("find", "{}", "entry 7"), closing=text))


def test_questions_to_somebody_who_is_there_are_no_early_stop() -> None:
    items = [
        call(),
        result("entry 7"),
        message("Shall I go on?"),
        message("Yes.", role="user"),
        message("Shall I send it?"),
    ]
    assert "early stop" not in names(row(*items))
    assert "early stop" not in names(row(message("Shall I go on?")))


def test_a_turn_of_a_conversation_that_the_prompt_holds_is_no_early_stop() -> None:
    talk = [message("Move my seat.", "user"), message("Which flight?"), message("Flight 7.", "user")]
    assert "early stop" not in names(row(message("Shall I move it?"), **offering(tool("move"), prompt=talk)))


def test_endings_stand_first_and_in_their_order_of_precedence() -> None:
    order = [row.name for row in all_detectors().values()]
    endings = [row.name for row in all_detectors().values() if row.role == ENDING]
    assert order[: len(endings)] == endings
    told = [
        "context overflow",
        "output truncated",
        "agent time-out",
        "turn limit",
        "stopped from outside",
        "refusal",
        "empty answer",
        "no answer",
    ]
    assert [name for name in endings if name in told] == told
