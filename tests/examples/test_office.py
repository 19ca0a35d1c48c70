"""The simulated office: its tasks can be done, and its tools do what they say."""

import json
from itertools import pairwise
from typing import Any

import pytest

from examples.office import Agent, Exposure, generate_tasks, play
from examples.office.tasks import reached_state
from examples.office.tools import TOOLS
from examples.theatre.performance import perform
from examples.theatre.tasks import Task

TASKS, SEED = 22, 11


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    return generate_tasks(TASKS, seed=SEED)


def answer(task: Task, state: Any, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    reply: dict[str, Any] = json.loads(task.counter().answer(state, tool, arguments).text)
    return reply


def test_the_expected_actions_lead_to_the_expected_end_state(tasks: list[Task]) -> None:
    for task in tasks:
        world, start = task.setting.begin(), task.setting.start
        for action in task.expected_actions:
            assert "error" not in answer(task, world, action["name"], action["arguments"])
        assert world.snapshot() == task.setting.goal.snapshot()
        assert (world.fingerprint() == start.fingerprint()) is not bool(task.expected_actions)


def test_every_look_up_of_a_solution_finds_something(tasks: list[Task]) -> None:
    for task in tasks:
        for move in task.solution.moves:
            if not move.acts:
                (found,) = answer(task, task.setting.begin(), move.tool, move.arguments).values()
                assert found, (task.task_id, move)


def test_playing_a_task_leaves_its_start_as_it_was(tasks: list[Task]) -> None:
    before = [task.setting.start.fingerprint() for task in tasks]
    for task in tasks:
        perform(task.solution, task, "test")
        reached_state(task.solution, task.setting.start)
    assert [task.setting.start.fingerprint() for task in tasks] == before


def test_tools_declare_a_well_formed_schema() -> None:
    known = {"type", "description", "properties", "required", "additionalProperties"}
    for tool in TOOLS.values():
        schema = tool.parameters
        assert tool.description
        assert set(schema) <= known
        assert (schema["type"], schema["additionalProperties"]) == ("object", False)
        assert set(schema["required"]) <= set(schema["properties"])
        for name, member in schema["properties"].items():
            assert member["type"] in {"string", "integer", "number", "array"}, name
            assert member["description"]


@pytest.mark.parametrize(
    ("tool", "arguments", "kind", "words"),
    [
        ("calendar_erase", {}, "unknown_tool", "calendar_erase"),
        ("directory_search", {}, "invalid_arguments", "'query' is required"),
        ("directory_search", {"query": 3}, "invalid_arguments", "query must be of type string"),
        ("calendar_cancel", {"id": "x"}, "invalid_arguments", "'id' is not known"),
        ("calendar_search", {"date_from": "5 March"}, "invalid_arguments", "YYYY-MM-DD"),
        ("mail_search", {"sender": "Kim"}, "invalid_arguments", "an e-mail address"),
        ("calendar_cancel", {"event_id": "evt-1"}, "not_found", "evt-1"),
        (
            "expense_submit",
            {"title": "x", "amount": True, "currency": "EUR"},
            "invalid_arguments",
            "amount must be of type number",
        ),
        (
            "expense_submit",
            {"title": "x", "amount": -1, "currency": "DKK"},
            "invalid_arguments",
            "currency must be one of EUR, USD, GBP",
        ),
        (
            "mail_send",
            {"to": [], "subject": "x", "body": "y"},
            "invalid_arguments",
            "at least 1 entries",
        ),
    ],
)
def test_a_bad_call_gets_a_readable_error_and_changes_nothing(
    tasks: list[Task], tool: str, arguments: dict[str, Any], kind: str, words: str
) -> None:
    world = tasks[0].setting.begin()
    error = answer(tasks[0], world, tool, arguments)["error"]
    assert error["type"] == kind
    assert words in error["message"]
    assert world.fingerprint() == tasks[0].setting.start.fingerprint()


def test_an_appointment_cannot_go_where_another_is(tasks: list[Task]) -> None:
    world = tasks[0].setting.begin()
    first, second, *_ = world.rows("events")
    arguments = {"event_id": first["id"], "date": second["date"], "start": second["start"]}
    assert answer(tasks[0], world, "calendar_move", arguments)["error"]["type"] == "conflict"


def test_the_other_house_speaks_of_the_same_things_in_other_words(tasks: list[Task]) -> None:
    for task in generate_tasks(TASKS, seed=SEED, vocabulary="bureau"):
        output = perform(task.solution, task, "test").output
        for call, reply in pairwise(output):
            if call["type"] == "function_call":
                assert call["name"] not in TOOLS
                assert not reply["output"].startswith("Error")


def test_the_step_of_a_fault_shows_the_fault() -> None:
    agent = Agent("tested", "model", faults={"wrong_year": Exposure(1.0)})
    struck = [r for r in play(agent, tasks=44, repeats=2, seed=SEED) if r.direction.decided_by]
    assert struck
    for rollout in struck:
        assert rollout.performance.struck_at is not None
        call = rollout.performance.output[rollout.performance.struck_at]
        assert call["type"] == "function_call"
        assert "2025-" in call["arguments"]
