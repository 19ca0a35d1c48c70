"""What a row says, in whatever dialect and shape its producer wrote it."""

import json
from pathlib import Path
from typing import Any

import pytest

import blade
from blade.item import FORMS
from blade.vocabulary import ACTORS, STEP_KINDS
from tests.building import Row, ask, call, facts, here, message, owed, reasoning, result, row, tool_records, write

ACTION = "select tool, arguments, arguments_json, result_step, result_kind, result_bytes, result_status from actions"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


def only(path: Path, line: Any) -> blade.Rollout:
    """The rollout of a file that holds this line alone."""
    [rollout] = blade.read(write(path, [line]))
    assert isinstance(rollout, blade.Rollout)
    return rollout


def kinds(path: Path, *items: Any) -> list[tuple[Any, ...]]:
    """Kind, actor, type and text of each step, which the store tells as the record does."""
    rollout = only(path, row(*items))
    told = [(step.kind, step.actor, step.type, step.text) for step in rollout.steps]
    with blade.load(path, here()) as store:
        assert ask(store, "select kind, actor, type, text from steps order by step") == told
        assert ask(store, "select bytes from steps order by step") == [(step.size,) for step in rollout.steps]
    return told


# Rewards

REWARDS = [
    (1, 1.0, "reward", None),
    (0.25, 0.25, "reward", None),
    (-2, -2.0, "reward", None),
    (True, 1.0, "reward", None),
    (False, 0.0, "reward", None),
    ("0.5", 0.5, "reward", "reward is text, read as 0.5"),
    ("passed", None, "reward", "reward is text, read as null"),
    ("nan", None, "reward", "reward is text, read as null"),
    ([1], None, "reward", "reward is not a number, read as null"),
    ({"value": 1}, None, "reward", "reward is not a number, read as null"),
    (None, None, "reward", None),
]


def test_a_reward_of_any_type_is_a_number_or_null_with_a_note(path: Path) -> None:
    write(path, [row(task=number, reward=reward) for number, (reward, *_) in enumerate(REWARDS)])
    assert facts(path, "select reward, reward_field, problems") == [tuple(expected) for _, *expected in REWARDS]


def test_a_score_stands_for_a_reward_that_is_absent_but_not_for_one_that_is_null(path: Path) -> None:
    write(path, [row(reward=..., score=0.5), row(reward=None, score=0.5), row(reward=0, score=1), row(reward=...)])
    assert facts(path, "select reward, reward_field") == [
        (0.5, "score"),
        (None, "reward"),
        (0.0, "reward"),
        (None, None),
    ]


def test_an_integer_before_a_fraction_costs_neither_of_them(path: Path) -> None:
    values = [1, 0.7, None, 0, 0.05]
    lines = [
        row(responses_create_params={"input": "x", "temperature": value, "top_p": value})
        | {"response": {"output": [], "created_at": value, "usage": {"input_tokens": 1, "cost": value}}}
        for value in values
    ]
    found = facts(write(path, lines), "select temperature, top_p, started_at, cost")
    assert found == [(value,) * 4 for value in values]


def test_settings_are_the_request_s_before_the_response_s(path: Path) -> None:
    asked = {"input": "x", "temperature": 0.0, "max_output_tokens": 7, "reasoning": {"effort": "high"}}
    echoed = {"output": [], "temperature": 1.0, "top_p": 0.9, "max_output_tokens": 9, "reasoning": {"effort": "low"}}
    write(path, [row(responses_create_params=asked, response=echoed), row(responses_create_params={}, response=echoed)])
    settings = "select temperature, top_p, max_output_tokens, reasoning_effort"
    assert facts(path, settings) == [(0.0, 0.9, 7, "high"), (1.0, 0.9, 9, "low")]


def test_the_seed_is_read_from_the_text_of_the_extra_body(path: Path) -> None:
    asked = {"input": "x", "metadata": {"extra_body": json.dumps({"seed": 5})}}
    assert facts(write(path, [row(responses_create_params=asked)]), "select seed") == [(5,)]


def test_usage_is_read_in_both_namings_and_all_zero_is_not_measured(path: Path) -> None:
    usages = [
        {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5, "input_tokens_details": {"cached_tokens": 1}},
        {"prompt_tokens": 3, "completion_tokens": 2, "completion_tokens_details": {"reasoning_tokens": 1}},
        {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0},
        None,
    ]
    write(path, [row(response={"output": [], "usage": usage}) for usage in usages])
    assert facts(path, "select input_tokens, output_tokens, total_tokens, cached_tokens, reasoning_tokens") == [
        (3, 2, 5, 1, None),
        (3, 2, None, None, 1),
        (None,) * 5,
        (None,) * 5,
    ]


def test_a_mask_is_read_at_the_top_and_in_the_instance_s_config(path: Path) -> None:
    lines = [
        row(mask_sample=True),
        row(instance_config={"mask_sample": True}),
        row(mask_sample=False, instance_config={"mask_sample": True}),
        row(instance_config={}),
        row(mask_sample="yes"),
    ]
    assert facts(write(path, lines), "select masked") == [(True,), (True,), (False,), (None,), (None,)]


def test_how_a_rollout_ended_is_read_from_every_place_that_says_so(path: Path) -> None:
    cut = row(response={"output": [], "status": None, "incomplete_details": {"reason": "max_output_tokens"}})
    failed = row(response=..., _ng_failure_class="agent_run_error", _ng_failure_message="it broke", failure_kind="x")
    none = row(failure_reason="none", error={"code": 5})
    write(path, [cut, failed, none])
    assert facts(path, "select status, incomplete, failure_class, failure_kind, failure_text, error, steps_from") == [
        (None, "max_output_tokens", None, None, None, None, "response"),
        (None, None, "agent_run_error", "x", "it broke", None, "none"),
        (None, None, None, None, None, '{"code":5}', "response"),
    ]


# Responses and items of unusual shape


def test_a_response_that_is_no_object_is_no_trajectory_and_costs_nothing_else(path: Path) -> None:
    lines = [row(task=number, response=odd) for number, odd in enumerate([None, "text", [1], 5, ..., {}])]
    write(path, lines)
    assert facts(path, "select reward, steps, steps_from") == [(1.0, 0, "none")] * 6
    problems = [problem for [problem] in facts(path, "select problems")]
    words = ("string", "list", "number")
    assert problems == [None, *(f"response is a {word}, not an object" for word in words), None, None]


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (None, []),
        ([], []),
        ("just text", [("message", "model", "message", "just text")]),
        ({"role": "user", "content": "hi"}, [("message", "user", "user", "hi")]),
        (["a", "b"], [("message", "model", "message", "a"), ("message", "model", "message", "b")]),
        (
            [7, None, True],
            [
                ("other", "environment", "int", "7"),
                ("other", "environment", "NoneType", ""),
                ("other", "environment", "bool", "true"),
            ],
        ),
        ([[message("a"), [message("b"), []]], message("c")], [("message", "model", "message", text) for text in "abc"]),
        ([[message("a")], "b"], [("message", "model", "message", text) for text in "ab"]),
    ],
)
def test_an_output_of_any_shape_becomes_steps(output: Any, expected: list[Any], path: Path) -> None:
    write(path, [row(response={"output": output})])
    assert facts(path, "select kind, actor, type, coalesce(text, '') from steps") == expected


def test_an_odd_item_costs_no_other_item(path: Path) -> None:
    odd = {"type": 5, "role": ["x"], "name": {"a": 1}, "call_id": 7, "status": False, "content": 3}
    told = kinds(path, message("before"), odd, message("after"))
    assert [told[0][3], told[2][3]] == ["before", "after"]
    assert told[1][2] == "5"


CONTENTS = [
    ("plain", "plain"),
    ("", ""),
    ([], ""),
    (None, ""),
    (["a", "b"], "a\nb"),
    ([{"type": "output_text", "text": "a"}, {"type": "output_text", "text": "b"}], "a\nb"),
    ([{"type": "refusal", "refusal": "I will not"}], "I will not"),
    ([{"type": "output_text", "text": "look"}, {"type": "input_image", "image_url": "data:x"}], "look\n[input_image]"),
    ([{"type": "text", "text": {"nested": 1}}], '{"nested":1}'),
    ([{"type": "unknown", "value": 1}], '{"type":"unknown","value":1}'),
    ([1, None, "x"], "1\nx"),
    (5, "5"),
]


def test_content_of_any_shape_has_a_text(path: Path) -> None:
    told = kinds(path, *(message(content) for content, _ in CONTENTS))
    assert [text for *_, text in told] == [text for _, text in CONTENTS]


def test_every_type_of_item_has_its_kind(path: Path) -> None:
    items = [{"type": kind, "id": f"id{place}"} for place, kind in enumerate(FORMS)]
    for kind, actor, *_ in kinds(path, *items):
        assert kind in STEP_KINDS
        assert actor in ACTORS
    assert [kind for kind, *_ in kinds(path, *items)] == [form.kind for form in FORMS.values()]


def test_every_type_of_item_shows_its_body_under_each_of_its_keys(path: Path) -> None:
    pairs = [(kind, key) for kind, form in FORMS.items() for key in form.keys]
    items = [{"type": kind, "id": "x", key: f"the {key}"} for kind, key in pairs]
    assert [text for *_, text in kinds(path, *items)] == [f"the {key}" for _, key in pairs]


def test_of_several_keys_a_body_is_the_first_of_its_form(path: Path) -> None:
    item = call(arguments='{"a": 1}', output="what came back", content="a remark", status="completed")
    answer = result("what came back", content="a remark", summary="short", arguments="{}")
    told = kinds(
        path,
        item,
        answer,
        message("said", output="not said"),
        {"type": "custom_tool_call", "input": "ls", "arguments": "{}"},
    )
    assert [text for *_, text in told] == ['{"a": 1}', "what came back", "said", "ls"]
    assert facts(path, "select arguments from actions") == [('{"a":1}',), ("ls",)]


def test_a_type_that_nobody_knows_is_kept_numbered_and_shown(path: Path) -> None:
    told = kinds(
        path,
        {"type": "novel", "content": "x"},
        {"content": "y"},
        {"type": "novel_call", "arguments": "{}"},
        {"type": "novel_output", "output": "z"},
    )
    assert told == [
        ("other", "environment", "novel", "x"),
        ("other", "environment", "untyped", "y"),
        ("call", "model", "novel_call", "{}"),
        ("result", "tool", "novel_output", "z"),
    ]


def test_the_role_of_a_message_says_who_acted(path: Path) -> None:
    actors = {"user": "user", "system": "system", "developer": "system", "assistant": "model", "game": "environment"}
    told = kinds(path, *({"role": role, "content": "x"} for role in actors), *(message("x", role) for role in actors))
    assert [actor for _, actor, *_ in told] == [*actors.values()] * 2
    assert [kind for _, _, kind, _ in told] == [*actors, *["message"] * len(actors)]


# Calls


def test_results_answer_the_calls_with_their_id_in_order(path: Path) -> None:
    steps = [call("a", call_id="1"), call("b", call_id="2"), result("r2", "2"), result("r1", "1")]
    steps += [call("c", call_id="1"), result("r3", "1"), call("d", call_id="9"), result("stray", "8")]
    write(path, [row(*steps)])
    assert facts(path, "select tool, result_step from actions") == [("a", 3), ("b", 2), ("c", 5), ("d", None)]


def test_calls_without_ids_are_answered_in_order(path: Path) -> None:
    steps = [call("a", call_id=None), call("b", call_id=None), result("1", None), result("2", None)]
    write(path, [row(*steps), row(result("before its call", None), call("c", call_id=None))])
    assert facts(path, "select tool, result_step from actions") == [("a", 2), ("b", 3), ("c", None)]


def test_calls_of_the_chat_dialect_are_calls(path: Path) -> None:
    calls = [
        {"id": "1", "type": "function", "function": {"name": "add", "arguments": '{"b": 2, "a": 1}'}},
        {"id": "2", "type": "function", "function": {"name": "sub", "arguments": {"b": 2, "a": 1}}},
        {"id": "3", "name": "bare", "arguments": "not json"},
    ]
    told = kinds(
        path,
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "2", "content": "two"},
        {"role": "tool", "tool_call_id": "1", "content": "[1]"},
        {"role": "assistant", "content": "done", "tool_calls": []},
    )
    assert [kind[:2] for kind in told] == [
        ("message", "model"),
        ("result", "tool"),
        ("result", "tool"),
        ("message", "model"),
    ]
    assert facts(path, "select tool, place, arguments, arguments_json, result_step, result_kind from actions") == [
        ("add", 0, '{"a":1,"b":2}', True, 2, "list"),
        ("sub", 1, '{"a":1,"b":2}', True, 1, "text"),
        ("bare", 2, "not json", False, None, "missing"),
    ]
    assert facts(path, "select answer_step, answer") == [(3, "done")]


@pytest.mark.parametrize("no_calls", [{}, {"tool_calls": None}, {"tool_calls": []}])
def test_calls_that_no_parser_took_out_of_the_text_are_calls(no_calls: Row, path: Path) -> None:
    text = 'so: <tool_call>{"name": "add", "arguments": {"b": 2, "a": 1}}</tool_call> and <tool_call>sub(1)</tool_call>'
    write(path, [row(message(text, **no_calls), message("<tool_call>{"), message("no call"))])
    assert facts(path, "select tool, step, place, arguments, arguments_json from actions") == [
        ("add", 0, 0, '{"a":1,"b":2}', True),
        (None, 0, 1, "sub(1)", False),
        (None, 1, 0, "{", False),
    ]
    assert facts(path, "select answer_step") == [(2,)]


@pytest.mark.parametrize("key", ["path", "text", "content", "output", "summary", "source", "type"])
def test_arguments_that_are_an_object_are_kept_whole(key: str, path: Path) -> None:
    arguments = {key: "x", "line": 3}
    items = [
        {"type": kind, "name": "t", "arguments": arguments} for kind in ("function_call", "mcp_call", "novel_call")
    ]
    items += [{"type": kind, "name": "t", "input": arguments} for kind in ("tool_use", "custom_tool_call")]
    items += [{"role": "assistant", "tool_calls": [{"function": {"name": "t", "arguments": arguments}}]}]
    rollout = only(path, row(*items))
    assert [made.arguments_value for step in rollout.steps for made in step.calls] == [arguments] * len(items)
    assert [json.loads(text) for [text] in facts(path, "select arguments from actions")] == [arguments] * len(items)


def test_no_arguments_lean_on_those_of_another_call(path: Path) -> None:
    texts = ["1,2", "[3", "4]", '{"a":1},{"b":2}', '"open', 'close"', "", "null", "{}", " [1, 2] ", "NaN", '{"a": 1} x']
    write(path, [row(*(call(arguments=text, call_id=str(place)) for place, text in enumerate(texts)))])
    expected: list[tuple[Any, ...]] = []
    for text in texts:
        try:
            value = json.loads(text, parse_constant={}.get)
            expected.append((json.dumps(value, separators=(",", ":")), True))
        except ValueError:
            expected.append((text, False))
    assert facts(path, "select arguments, arguments_json from actions") == expected


def test_three_halves_that_fit_together_are_not_taken_for_json(path: Path) -> None:
    write(path, [row(*(call(arguments=text, call_id=text) for text in ("1,2", "[3", "4]")))])
    assert facts(path, "select arguments, arguments_json from actions") == [
        ("1,2", False),
        ("[3", False),
        ("4]", False),
    ]


SHAPES = [
    ("", "empty"),
    (" \n\t", "empty"),
    (None, "empty"),
    ([], "empty"),
    ("found it", "text"),
    ('{"a": 1}', "object"),
    ("{}", "object"),
    (' \n{"a": 1}\n', "object"),
    ("[1, 2]", "list"),
    ("[]", "list"),
    ("12", "scalar"),
    ("-1.5e3", "scalar"),
    ("true", "scalar"),
    ("null", "scalar"),
    ('"quoted"', "scalar"),
    ({"a": 1}, "object"),
    ([{"type": "output_text", "text": "x"}], "text"),
    (7, "scalar"),
    ("[INFO] started", "text"),
    ("{not json", "text"),
    ("12 apples", "text"),
    ("true story", "text"),
    ("世界", "text"),
]


def test_the_shape_of_a_result_is_told(path: Path) -> None:
    steps = [
        step
        for place, (output, _) in enumerate(SHAPES)
        for step in (call(call_id=str(place)), result(output, str(place)))
    ]
    write(path, [row(*steps)])
    assert [kind for [kind] in facts(path, "select result_kind from actions")] == [kind for _, kind in SHAPES]


def test_a_call_that_its_server_ran_carries_its_own_result(path: Path) -> None:
    served = {"type": "mcp_call", "id": "m", "name": "look", "arguments": '{"q": 1}', "output": "seen"}
    searched = {"type": "web_search_call", "id": "w", "action": {"query": "x"}, "status": "completed"}
    failed = {"type": "mcp_call", "id": "f", "name": "look", "arguments": "{}", "output": None, "error": "no"}
    write(path, [row(served, searched, failed)])
    assert facts(path, "select tool, arguments, result_step, result_kind, result_bytes from actions") == [
        ("look", '{"q":1}', 0, "text", 6),
        ("web_search", '{"query":"x"}', None, "missing", None),
        ("look", "{}", 2, "text", 4),
    ]


# Answers


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("plain", "plain"),
        ("<think>hm</think>\n\nyes", "yes"),
        ("hm</think>yes", "yes"),
        ("<thinking>hm</thinking> yes", "yes"),
        ("<think>never closed", "<think>never closed"),
    ],
)
def test_an_answer_is_without_the_thinking_before_it(text: str, answer: str, path: Path) -> None:
    write(path, [row(message(text))])
    assert facts(path, "select answer") == [(answer,)]


def test_the_answer_is_the_last_message_that_says_something_and_calls_nothing(path: Path) -> None:
    calling = {"role": "assistant", "content": "I look", "tool_calls": [{"function": {"name": "t"}}]}
    write(
        path,
        [
            row(
                message("early"),
                message("answer"),
                message("  "),
                message("<think>x</think>"),
                message("q", "user"),
                calling,
                reasoning("r"),
            )
        ],
    )
    assert facts(path, "select answer_step, answer") == [(1, "answer")]


# Trajectories


def test_what_the_trajectory_recorded_of_a_tool_is_joined_to_its_call(path: Path) -> None:
    records = [
        {
            "tool_call_id": "c1",
            "tool_name": "search",
            "status": "failed",
            "error_type": "timeout",
            "duration_ms": 12,
            "started_at": 100.0,
            "completed_at": 100.5,
        },
        {"tool_call_id": "other", "status": "completed"},
    ]
    line = row(call(), result(status="completed"), call(call_id="c2"), ng_trajectory=tool_records(*records))
    write(path, [line])
    assert facts(path, "select result_status, error_type, duration_ms from actions") == [
        ("failed", "timeout", 12.0),
        (None, None, None),
    ]
    assert facts(path, "select started_at, completed_at, elapsed_seconds, observation_gaps, problems") == [
        (100.0, 100.5, 0.5, 0, None)
    ]
    observed = only(path, line).steps[0].observed
    assert observed is not None
    assert observed.status == "failed"


def test_captured_calls_are_put_in_order_of_time(path: Path) -> None:
    calls = [
        {"started_at": 3, "response_metadata": {"finish_reason": "length", "status_code": 200, "model": "m"}},
        {"started_at": 1, "response_metadata": {"finish_reason": "stop", "status_code": 500}},
        {"started_at": 2, "response_metadata": {"error_category": "timeout"}},
    ]
    flat = [{"started_at": call["started_at"], **call["response_metadata"]} for call in calls]  # type: ignore[dict-item]
    bare = row(response={"output": []})
    write(path, [bare | {"ng_trajectory": {"model_calls": calls}}, bare | {"ng_model_call_capture": {"calls": flat}}])
    assert (
        facts(path, "select model_calls, failed_model_calls, finish_reason, model, started_at")
        == [(3, 2, "length", "m", 1.0)] * 2
    )


def test_observations_tell_of_sandboxes_compactions_and_gaps(path: Path) -> None:
    records = [
        {"kind": "sandbox", "outcome": "completed"},
        {"kind": "sandbox", "outcome": "oom"},
        {"kind": "context_compaction"},
        {"kind": "tool_call", "tool_call_id": "c1", "status": "timeout"},
    ]
    write(path, [row(call(), ng_agent_observations={"source": "x", "records": records, "gaps": [{"code": "a"}]})])
    assert facts(path, "select sandbox_outcome, compactions, observation_gaps") == [("oom", 1, 1)]
    assert facts(path, "select result_status from actions") == [("timeout",)]


CHAT = {
    "request": {
        "messages": [
            {"role": "system", "content": "s"},
            {"role": "user", "content": "q"},
            {
                "role": "assistant",
                "content": "looking",
                "tool_calls": [{"id": "1", "function": {"name": "t", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": "1", "content": "r"},
        ]
    },
    "response": {"choices": [{"message": {"role": "assistant", "content": "a"}}]},
}
RESPONSES = {
    "request": {"input": [message("q", "user"), call("t", call_id="1"), result("r", "1")]},
    "response": {"output": [message("a")]},
}


@pytest.mark.parametrize(
    ("trajectory", "source", "texts"),
    [
        (
            {
                "invocations": [
                    {"parent_invocation_id": "p", "conversation": [message("child")]},
                    {"conversation": [message("root")]},
                ]
            },
            "conversation",
            ["root"],
        ),
        ({"invocations": [], "model_calls": [CHAT]}, "model_calls", ["looking", "r", "a"]),
        ({"model_calls": [RESPONSES]}, "model_calls", ["{}", "r", "a"]),
        (
            {"turns": [{"turn_no": 1, "question": "q", "reasoning_content": "hm", "answer": "a"}]},
            "turns",
            ["q", "hm", "a"],
        ),
        ({"invocations": [], "turns": [], "model_calls": [], "tool_calls": [], "gaps": [{"code": "x"}]}, "none", []),
        ("not an object", "none", []),
    ],
    ids=["conversation", "chat", "responses", "turns", "nothing", "text"],
)
def test_a_row_without_response_is_read_from_its_trajectory(
    trajectory: Any, source: str, texts: list[str], path: Path
) -> None:
    line = row(response=..., ng_trajectory=trajectory)
    assert [step.text for step in only(path, line).steps] == texts
    assert facts(path, "select steps_from, steps, reward") == [(source, len(texts), 1.0)]
    assert facts(path, "select text from steps") == [(text,) for text in texts]


def test_a_response_is_preferred_to_the_trajectory(path: Path) -> None:
    line = row(message("mine"), ng_trajectory={"turns": [{"question": "q", "answer": "a"}]})
    assert [step.text for step in only(path, line).steps] == ["mine"]


# Prompts, hashes, fields


def test_a_prompt_has_one_hash_however_it_is_written(path: Path) -> None:
    same = [
        "What?",
        [{"role": "user", "content": "What?"}],
        [message("What?", "user")],
        [message([{"type": "input_text", "text": "What?"}], "user", status="completed", id="x")],
    ]
    write(path, [row(prompt=prompt) for prompt in [*same, "Else?"]])
    hashes = [found for [found] in facts(path, "select prompt_hash")]
    assert len(set(hashes[:4])) == 1
    assert hashes[4] != hashes[0]


def test_instructions_are_the_leading_system_message(path: Path) -> None:
    lines = [
        row(responses_create_params={"input": "q", "instructions": "Be brief."}),
        row(responses_create_params={"input": [message("Be brief.", "developer"), message("q", "user")]}),
        row(responses_create_params={"input": [message("Be brief.", "system"), message("other", "user")]}),
        row(responses_create_params={"input": "q"}),
    ]
    write(path, lines)
    prompts, systems = zip(*facts(path, "select prompt_hash, system_hash"), strict=True)
    assert systems[0] == systems[1] == systems[2] is not None
    assert systems[3] is None
    assert prompts[0] == prompts[1] != prompts[2]
    assert [step.text for step in only(path, lines[0]).prompt] == ["Be brief.", "q"]


def test_an_end_state_is_the_same_fact_whatever_stands_beside_it(path: Path) -> None:
    both = [{"final_state": 1, "db_hash": "x"}, {"db_hash": "x", "final_state": 1}]
    for lines in ([row(**both[0]), row(**both[1])], [row(**both[1]), row(**both[0])]):
        hashes = {found for [found] in facts(write(path, lines), "select end_state_hash")}
        assert len(hashes) == 1


def test_fields_keep_their_names_kinds_and_values(path: Path) -> None:
    line = row(a=None, b=True, c=2, d=0.5, e="x" * 1200, f=[1, {"z": 1, "a": 2}], g={"h": {"i": 5}, "j": {}}, k=2**60)
    write(path, [row(k=1), line])
    found = {name: rest for name, *rest in facts(path, "select name, kind, number, text from fields")}
    assert found == {
        "a": ["null", None, None],
        "b": ["boolean", 1.0, None],
        "c": ["number", 2.0, None],
        "d": ["number", 0.5, None],
        "e": ["text", None, "x" * 1000],
        "f": ["list", None, '[1,{"a":2,"z":1}]'],
        "g.h.i": ["number", 5.0, None],
        "g.j": ["object", None, "{}"],
        "k": ["number", float(2**60), str(2**60)],
    }


def test_the_text_of_a_number_depends_on_that_number_alone(path: Path) -> None:
    write(path, [row(k=value) for value in (1, 2**60, 0.5, -(10**400))])
    texts = [text for [text] in facts(path, "select text from fields")]
    assert texts == [None, str(2**60), None, str(-(10**400))[:1000]]


def test_a_nested_rollout_stays_one_field(path: Path) -> None:
    nested = {"response": {"output": [message("x")]}, "reward": 0}
    assert facts(write(path, [row(delegated=nested)]), "select name, kind from fields") == [("delegated", "object")]


def test_fields_of_inputs_are_kept_beside_those_of_rollouts(path: Path) -> None:
    write(path, [row()])
    write(path.with_name("run_materialized_inputs.jsonl"), [owed(sample_id="s1")])
    with blade.load(path, here()) as store:
        assert ask(store, "select name, text from input_fields") == [("sample_id", "s1")]
        assert ask(store, "select i.prompt_hash = r.prompt_hash from inputs i, rollouts r") == [(True,)]
