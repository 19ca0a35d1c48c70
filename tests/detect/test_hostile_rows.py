"""Detectors never raise, whatever a rollout holds, and long texts cost no more than their length."""

import json
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blade.detect import checks, commands, demands, edits, fields, limits, results, speech
from blade.detect.detectors import signals_of
from tests.building import Row, as_line, call, message, reasoning, result, row
from tests.detect.reading_rows import acted, read, shown

TELLING = [
    "Error: ",
    "error",
    "Traceback (most recent call last):\n",
    '  File "a", line 1\n',
    "ValueError: x",
    "exit code 1",
    "1 failed",
    "passed",
    "assert ",
    "pytest",
    "\\boxed{",
    "Answer: ",
    "<answer>",
    "json",
    "I can't ",
    "help",
    "confirm?",
    "###STOP###",
    "hard-coded expected",
    "503 Service Unavailable",
    "maximum number of turns reached",
    "tests/test_a.py",
    "*** Begin Patch\n*** Update File: ",
    "sed -i ",
    "cat > a <<",
    "\ud800",
    "\u0130",
    "ﬁ",
    "\x00",
    "\n",
    "{",
    "[",
    '"',
    "\\",
    " ",
    "null",
    "0",
    "-1",
]
TEXT = st.lists(st.sampled_from(TELLING) | st.text(max_size=6), max_size=8).map("".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
KEYS = (
    st.sampled_from(["path", "command", "content", "new_str", "old_str", "patch", "edits", "query", "line", "code"])
    | TEXT
)
ARGUMENTS = TEXT | st.dictionaries(KEYS, JSON, max_size=4).map(json.dumps) | JSON
TOOLS = st.sampled_from(["shell", "run_tests", "submit", "find"]) | TEXT
IDS = st.sampled_from(["a", "b", None])
PARTS = st.lists(st.fixed_dictionaries({"type": st.just("output_text"), "text": TEXT}) | JSON, max_size=2)
BODIES = TEXT | PARTS | JSON
ITEMS = (
    st.builds(call, TOOLS, ARGUMENTS, IDS)
    | st.builds(result, BODIES, IDS)
    | st.builds(message, BODIES, st.sampled_from(["assistant", "user", "system", "judge"]))
    | st.builds(reasoning, TEXT)
    | st.dictionaries(st.sampled_from(["type", "role", "content", "output", "arguments", "tool_calls", "error"]), JSON)
)
NAMES = st.lists(
    st.sampled_from(
        [
            "agent",
            "judge",
            "timed",
            "out",
            "max",
            "turns",
            "reached",
            "error",
            "extracted",
            "answer",
            "finish",
            "reason",
            "is",
        ]
    ),
    min_size=1,
    max_size=4,
).map("_".join)
DECLARED = st.lists(
    st.fixed_dictionaries(
        {"name": TOOLS, "parameters": JSON | st.fixed_dictionaries({"properties": JSON, "required": JSON})}
    )
    | JSON,
    max_size=3,
)
ROWS = st.builds(
    lambda items, more, prompt, tools: (
        row(*items, **more) | {"responses_create_params": {"input": prompt, "tools": tools}}
    ),
    st.lists(ITEMS | st.lists(ITEMS, max_size=2), max_size=8),
    st.dictionaries(NAMES, JSON, max_size=4),
    TEXT | st.lists(ITEMS, max_size=3),
    DECLARED,
)


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(ROWS)
def test_whatever_a_row_holds_is_read_and_every_quote_stands_in_its_step(made: Row) -> None:
    shown(made)


@settings(max_examples=100, deadline=None)
@given(TEXT, TEXT)
def test_every_reading_of_a_text_takes_any_text(text: str, other: str) -> None:
    speech.refuses(text)
    speech.gives_up(text)
    speech.asks(text)
    speech.claims_success(text)
    checks.outcome_of(text)
    checks.is_summary(text)
    commands.runs_tests(text)
    limits.limit_in_word(text)
    fields.said_by(text)
    results.kind_of(text)
    edits.edit_of({"path": text, "content": other}, other)
    for demand in demands.demands_of([("system", text), ("user", other)]):
        demands.misses(other, demand)


PUMPS = [
    "a",
    " ",
    "(",
    "a ",
    "a.",
    "error ",
    "Error: ",
    "not ",
    "a: ",
    "1 ",
    "=",
    "= ",
    "\n",
    "{",
    "[",
    '"',
    "\\",
    "/a",
    "-a ",
    "cat ",
    "sed -i ",
    "rm ",
    "if ",
    "i can't ",
    "cannot ",
    "put ",
    "in <a",
    "boxed{",
    "answer: ",
    "your ",
    "1 failed ",
    "exit code ",
    "Traceback (most recent call last)\n",
    "yes ",
    "python -m ",
    "a=b ",
    "test_",
    "hard-code ",
    "the ",
    "confirm ",
    "\u0130",
]
LENGTH = 200_000
BOUND = 2.0
"""Seconds: what is quadratic takes hours at this length, what is linear some milliseconds."""


def hostile_rows(text: str) -> list[Row]:
    """A long text wherever detectors look."""
    return [
        row(message(text), prompt=text),
        row(message(f"I am sorry. {text}"), prompt=f"Put your answer in {text}"),
        acted(("shell", json.dumps({"command": text}), text), closing=text),
        acted(("edit", json.dumps({"path": "tests/test_a.py", "content": text}), f"Error: {text}"), closing="Done."),
        acted(("f", text, {"error": text}), ("f", text, [text]), ("pytest", "{}", f"1 failed {text}")),
        row(
            message(text, "user"),
            message(text),
            message(f"{text}###STOP###", "user"),
            extracted_answer=text,
            error=text,
        ),
        row(message("4"), judge_error=text, stop_reason=text, **{text[:5_000] or "x": True}),
    ]


@pytest.mark.parametrize("pump", PUMPS, ids=repr)
def test_long_texts_cost_linear_time(pump: str) -> None:
    text = pump * (LENGTH // len(pump))
    for made in hostile_rows(text):
        reading = read(as_line(made))
        start = time.process_time()
        for _ in signals_of(reading):
            pass
        assert time.process_time() - start < BOUND


def test_many_calls_cost_linear_time() -> None:
    many = acted(*[("f", json.dumps({"n": n % 7}), "same") for n in range(20_000)])
    reading = read(many)
    start = time.process_time()
    found = list(signals_of(reading))
    assert time.process_time() - start < BOUND
    assert len(found) < 60


def test_a_hostile_schema_costs_linear_time() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}
    declared = {"type": "function", "name": "f", "parameters": schema}
    made: Any = acted(("f", json.dumps({"a": "a" * LENGTH + "!"}), "ok"))
    made["responses_create_params"]["tools"] = [declared]
    start = time.process_time()
    assert [each.signal.detail for each in shown(made)] == ["f: other a"]
    assert time.process_time() - start < BOUND
