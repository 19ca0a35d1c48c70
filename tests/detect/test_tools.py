"""How tools were called, and what became of it."""

import json
from typing import Any

import pytest

from tests.building import Row, call, message, result, row
from tests.detect.reading_rows import acted, details, names, offering, steps, tool

TEXT = {"type": "string"}
FIND = tool("find", ("query",), query=TEXT, limit={"type": "integer"}, order={"enum": ["up", "down"]})


def test_a_tool_that_is_not_among_those_offered_is_unknown() -> None:
    made = acted(("find", '{"query": "x"}', "found"), ("seek", "{}", "found"), **offering(FIND))
    assert details(made, "unknown tool") == ["seek"]
    assert steps(made, "unknown tool") == [2]


def test_a_tool_that_its_answer_calls_unknown_is_unknown_though_nothing_was_declared() -> None:
    made = acted(("seek", "{}", "Error: unknown tool seek"))
    assert details(made, "unknown tool") == ["seek"]
    assert steps(made, "unknown tool") == [1]


def test_without_a_complete_list_of_tools_no_tool_is_unknown() -> None:
    assert "unknown tool" not in names(acted(("seek", "{}", "found")))
    made = acted(("seek", "{}", "found"), **offering(FIND, {"type": "web_search"}))
    assert "unknown tool" not in names(made)


@pytest.mark.parametrize(
    ("arguments", "breach"),
    [
        ({}, "find: missing query"),
        ({"query": 3}, "find: type query"),
        ({"query": "x", "order": "sideways"}, "find: choice order"),
        ({"query": "x", "colour": "red"}, "find: unexpected colour"),
        ({"query": "x", "limit": "3"}, "find: type limit"),
    ],
)
def test_arguments_are_held_against_the_tools_own_schema(arguments: Row, breach: str) -> None:
    made = acted(("find", json.dumps(arguments), "found"), **offering(FIND))
    assert details(made, "arguments break schema") == [breach]


def test_arguments_that_keep_to_the_schema_break_nothing() -> None:
    made = acted(("find", '{"query": "x", "limit": 3, "order": "up"}', "found"), **offering(FIND))
    assert names(made) == set()


def test_tools_are_read_from_the_response_where_the_request_has_none() -> None:
    response = {"output": [call("find", "{}", "a"), result("found", "a"), message("Done.")], "tools": [FIND]}
    assert details(row(response=response), "arguments break schema") == ["find: missing query"]


@pytest.mark.parametrize(
    "schema",
    [
        None,
        3,
        [],
        {"type": "nothing"},
        {"$ref": "http://example.org/x"},
        {"properties": {"query": {"pattern": "(?<="}}},
    ],
    ids=str,
)
def test_a_schema_that_is_none_breaks_nothing(schema: Any) -> None:
    odd = {"type": "function", "name": "find", "parameters": schema}
    assert names(acted(("find", '{"query": 3}', "found"), **offering(odd))) == set()


def test_broken_json_is_told_where_json_was_meant() -> None:
    assert details(acted(("find", '{"query": "x"', "found")), "arguments not JSON") == ["find"]
    assert "arguments not JSON" not in names(acted(("shell", "ls -la", "x"), ("shell", "pwd", "y")))
    mixed = acted(("find", '{"query": "x"}', "found"), ("find", "query x", "found"))
    assert steps(mixed, "arguments not JSON") == [2]


def test_every_error_of_a_tool_is_told_with_tool_and_kind() -> None:
    made = acted(
        ("find", "{}", "Error: query is required"),
        ("find", '{"query": "x"}', "found"),
        ("move", "{}", {"error": "entry 3 not found"}),
        ("move", '{"id": 4}', "moved"),
    )
    assert details(made, "tool error") == ["find: invalid arguments", "move: not found"]
    assert "error not recovered" not in names(made)


def test_errors_that_nothing_mends_are_told_from_the_first_of_them_on() -> None:
    made = acted(
        ("find", "{}", "found"), ("move", "{}", "Error: id is required"), ("move", '{"id": "x"}', "Error: no such id")
    )
    assert steps(made, "error not recovered") == [3]
    assert details(made, "error not recovered") == ["move: invalid arguments"]


def test_a_later_success_of_any_tool_may_have_mended_it() -> None:
    made = acted(("find_by_mail", "{}", "Error: user not found"), ("find_by_name", "{}", "user 4"))
    assert "error not recovered" not in names(made)


def test_the_same_call_with_the_same_answer_is_repeated_from_the_third_time_on() -> None:
    same = ("find", '{"query": "x", "limit": 3}', "nothing")
    other = ("find", '{"limit":3,"query":"x"}', "nothing")
    assert "call repeated" not in names(acted(same, other))
    made = acted(same, other, same, same)
    assert (steps(made, "call repeated"), details(made, "call repeated")) == ([4], ["find, 4 times"])


def test_waiting_until_the_answer_changes_is_no_repetition() -> None:
    polls = [("state", "{}", text) for text in ("queued", "running", "running", "done")]
    assert "call repeated" not in names(acted(*polls))


def test_a_history_that_is_held_again_repeats_nothing() -> None:
    step = [call("find", "{}", "a"), result("nothing", "a")]
    nested = row([*step], [*step], [*step], message("Done."))
    assert "call repeated" not in names(nested)


def test_two_calls_in_turn_are_a_loop_from_the_third_round_on() -> None:
    up, down = ("move", '{"by": 1}', "at 1"), ("move", '{"by": -1}', "at 0")
    assert "calls alternate" not in names(acted(up, down, up, down))
    made = acted(up, down, up, down, up, down)
    assert details(made, "calls alternate") == ["move, move: 3 rounds"]
    assert steps(made, "calls alternate") == [8]
    told_anew = [("move", '{"by": 1}', f"at {n}") if n % 2 else ("move", '{"by": -1}', f"at {n}") for n in range(6)]
    assert "calls alternate" not in names(acted(*told_anew))


def test_a_call_that_alone_has_no_answer_is_told() -> None:
    made = acted(("find", "{}", "a"), ("find", '{"n": 2}', "b"), ("find", '{"n": 3}', None), closing=None)
    assert steps(made, "call without output") == [4]


def test_where_calls_have_no_answers_as_a_rule_none_is_missing() -> None:
    assert "call without output" not in names(acted(("find", "{}", None), ("find", "{}", None)))
    assert "call without output" not in names(acted(("click", "{}", None), closing=None))


def test_tools_that_were_offered_and_left_alone_are_told() -> None:
    assert details(row(message("4"), **offering(FIND)), "no tool used") == ["1 offered"]
    assert "no tool used" not in names(row(message("4")))
    assert "no tool used" not in names(acted(("find", '{"query": "x"}', "found"), **offering(FIND)))


def test_tools_that_were_used_before_the_trajectory_begins_were_not_left_alone() -> None:
    prompt = [message("Who sold it?", "user"), call("find", '{"query": "x"}', "a"), result("Ann", "a")]
    assert "no tool used" not in names(row(message("Ann did."), **offering(FIND, prompt=prompt)))


def test_calls_in_chat_messages_and_calls_that_a_server_ran_are_read_alike() -> None:
    chat = [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "a", "function": {"name": "find", "arguments": "{"}}],
        },
        {"role": "tool", "tool_call_id": "a", "content": "Error: invalid JSON"},
        {"role": "assistant", "content": "I see."},
    ]
    assert {"arguments not JSON", "tool error"} <= names(row(*chat))
    served = {"type": "mcp_call", "name": "find", "arguments": "{}", "error": "Error: no such index"}
    assert details(row(served, message("I see.")), "tool error") == ["find: not found"]
