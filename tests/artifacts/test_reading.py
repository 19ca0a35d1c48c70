"""What becomes of a line, whatever stands on it: a rollout, or a record of why there is none."""

import json
from pathlib import Path
from typing import Any

import pytest

import blade
from tests.building import as_line, ask, fact, facts, here, message, row, write

GOOD = row()


def read(path: Path) -> tuple[list[blade.Rollout], list[blade.Skipped]]:
    """The rollouts and the skipped lines of a file, which must be what the store holds too."""
    found = list(blade.read(path))
    rollouts = [each for each in found if isinstance(each, blade.Rollout)]
    skipped = [each for each in found if isinstance(each, blade.Skipped)]
    with blade.load(path, here(cache=blade.Cache())) as store:
        assert ask(store, "select count(*) from rollouts") == [(len(rollouts),)]
        assert ask(store, "select line, why from skipped") == [(skip.line, skip.why) for skip in skipped]
        for ref, line in ask(store, "select ref, line from rollouts"):
            assert isinstance(blade.resolve(ref, path), blade.Rollout), f"{ref} of line {line} is not found again"
    return rollouts, skipped


def only(path: Path) -> blade.Rollout:
    """The one rollout of a file."""
    [rollout], skipped = read(path)
    assert skipped == []
    return rollout


NOT_ROWS = [
    ("<PLACEHOLDER ROW>", "not JSON"),
    ("[1, 2]", "a JSON list, not an object"),
    ('"text"', "a JSON string, not an object"),
    ("12", "a JSON number, not an object"),
    ("true", "a JSON boolean, not an object"),
    ("null", "a JSON null, not an object"),
    ('{"reward": 1.0} {"reward": 1.0}', "not JSON"),
    ('{"reward": }', "not JSON"),
    ("{'reward': 1.0}", "not JSON"),
    (as_line(GOOD)[:-20], "cut off"),
    (b"\xff\xfe\x00\x01", "not JSON"),
    (b"\x00\x00\x00", "not JSON"),
    ("\x1b[31m\u202eevil\x9b", "not JSON"),
]


def test_a_line_that_is_no_object_costs_that_line_only(tmp_path: Path) -> None:
    lines = [line for number, (line, _) in enumerate(NOT_ROWS) for line in (line, row(task=number))]
    rollouts, skipped = read(write(tmp_path / "run.jsonl", lines))
    assert [rollout.task_index for rollout in rollouts] == list(range(len(NOT_ROWS)))
    assert [skip.line for skip in skipped] == list(range(1, len(lines), 2))
    for skip, (_, reason) in zip(skipped, NOT_ROWS, strict=True):
        assert reason in skip.why
        assert skip.why.isprintable()


def test_a_json_array_instead_of_lines_is_skipped_with_its_reason(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(json.dumps([GOOD, GOOD]))
    rollouts, [skip] = read(path)
    assert rollouts == []
    assert skip.why == "a JSON list, not an object"


def test_an_indented_array_costs_its_lines_but_not_the_scan(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(json.dumps([{"reward": 1.0}], indent=2))
    rollouts, skipped = read(path)
    assert rollouts == []
    assert [skip.line for skip in skipped] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b" \t\n", b"\n\n\r\n  \n"])
def test_line_ends_and_blank_lines_of_every_kind_are_no_part_of_a_row(end: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(as_line(row(task=1)) + end + as_line(row(task=2)) + end)
    rollouts, skipped = read(path)
    assert [rollout.task_index for rollout in rollouts] == [1, 2]
    assert skipped == []


def test_blank_lines_count_as_lines(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", ["", GOOD, "  ", "oops", row(task=1)])
    assert facts(path, "select line") == [(2,), (5,)]
    with blade.load(path, here()) as store:
        assert ask(store, "select line from skipped") == [(4,)]


def test_the_last_line_needs_no_line_end(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(as_line(row(task=1)) + b"\n" + as_line(row(task=2)))
    assert [rollout.task_index for rollout in read(path)[0]] == [1, 2]


def test_a_last_line_that_is_cut_off_is_skipped_with_its_size(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(as_line(GOOD) + b"\n" + as_line(GOOD)[:70])
    rollouts, [skip] = read(path)
    assert len(rollouts) == 1
    assert skip.why.startswith("JSON that is cut off after 70 characters")


@pytest.mark.parametrize("start", [b"\xef\xbb\xbf", b"   ", b"\xef\xbb\xbf \t"])
def test_what_stands_before_the_first_row_is_no_part_of_it(start: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(start + as_line(row(task=1)) + b"\n  " + as_line(row(task=2)) + b"\n")
    rollouts, skipped = read(path)
    assert [rollout.task_index for rollout in rollouts] == [1, 2]
    assert skipped == []
    assert facts(path, "select ref") == [("run:1/0",), ("run:2/0",)]


def test_a_mark_alone_is_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"\xef\xbb\xbf\n")
    assert read(path) == ([], [])


def test_an_empty_file_is_a_run_without_rows(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"")
    with blade.load(path, here()) as store:
        [summary] = store.summaries
    assert (summary.run, summary.rows, summary.tasks) == ("run", 0, 0)
    assert any("is empty" in problem for problem in summary.problems)


def test_a_line_longer_than_the_limit_is_skipped_and_the_next_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", [row(task=1), row(task=2, note="x" * 3_000_000), row(task=3)])
    with blade.load(path, here(longest_line=1_000_000)) as store:
        assert ask(store, "select task from rollouts order by row") == [("1",), ("3",)]
        assert ask(store, "select line, why from skipped") == [(2, "longer than 1 MB")]


def test_a_line_of_exactly_the_limit_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", [GOOD, GOOD])
    length = len(as_line(GOOD))
    assert len(facts(path, "select line", longest_line=length)) == 2
    assert facts(path, "select line", longest_line=length - 1) == []


# Text and numbers that strict JSON does not have


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_a_number_that_json_does_not_have_is_read_as_null_and_said(constant: str, tmp_path: Path) -> None:
    line = json.dumps(row(reward=..., weight=7))[:-1] + f', "reward": {constant}, "score_of_judge": {constant}}}'
    path = write(tmp_path / "run.jsonl", [line])
    assert facts(path, "select reward, problems") == [(None, f"{constant} was read as null")]
    assert sorted(facts(path, "select name, kind, number from fields")) == [
        ("score_of_judge", "null", None),
        ("weight", "number", 7.0),
    ]
    assert only(path).answer() == (0, "4")


def test_a_number_too_large_for_a_double_is_null(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", [json.dumps(row(reward=...))[:-1] + ', "reward": 1e400, "far": -1e999}'])
    assert fact(path, "select reward") is None
    assert facts(path, "select kind, number from fields") == [("null", None)]


@pytest.mark.parametrize("key", ["reward", "elapsed_seconds", "anything", "_ng_task_index", "_ng_rollout_index"])
def test_no_integer_is_too_long_to_be_read_past(key: str, tmp_path: Path) -> None:
    made = json.dumps(row() | {key: 0})
    lines = [made.replace(f'"{key}": 0', f'"{key}": {"9" * digits}') for digits in (25, 400, 5_000)]
    rollouts, skipped = read(write(tmp_path / "run.jsonl", [row(task=5), *lines, row(task=6)]))
    assert len(rollouts) + len(skipped) == 5
    assert [rollout.task_index for rollout in (rollouts[0], rollouts[-1])] == [5, 6]


@pytest.mark.parametrize("where", ["responses_create_params", "response"])
def test_no_setting_is_too_large_to_be_read_past(where: str, tmp_path: Path) -> None:
    odd = [
        row(task=1) | {where: {"output": [], "input": "x", key: value}}
        for key in ("temperature", "top_p", "max_output_tokens", "created_at", "completed_at")
        for value in (2**63, 2**64, 10**30, 10**400, 1e300, -(2**63), -1)
    ]
    rollouts, skipped = read(write(tmp_path / "run.jsonl", [row(), *odd, row()]))
    assert len(rollouts) == len(odd) + 2
    assert skipped == []


def test_no_seed_is_too_odd_to_be_read_past(tmp_path: Path) -> None:
    odd = []
    for value in (2**63, 2**64, 10**30, -(2**63), 0.5, "x", None, [1], True):
        odd.append(row())
        odd[-1]["responses_create_params"]["metadata"] = {"extra_body": json.dumps({"seed": value})}
    assert len(read(write(tmp_path / "run.jsonl", [row(), *odd]))[0]) == len(odd) + 1


def test_no_usage_is_too_odd_to_be_read_past(tmp_path: Path) -> None:
    odd = [
        row(response={"output": [], "usage": {"input_tokens": 1, key: value}})
        for key in ("input_tokens", "output_tokens", "total_tokens", "cost", "input_tokens_details")
        for value in (2**63, 10**400, 1e300, -1, 0.5, "x", [1])
    ]
    assert len(read(write(tmp_path / "run.jsonl", [row(), *odd]))[0]) == len(odd) + 1


def test_the_last_of_equal_keys_wins(tmp_path: Path) -> None:
    line = json.dumps(row(score=3))[:-1] + ', "reward": 0.25, "score": 4, "_ng_task_index": 9}'
    path = write(tmp_path / "run.jsonl", [line])
    assert facts(path, "select task, reward") == [("9", 0.25)]
    assert facts(path, "select number from fields where name = 'score'") == [(4.0,)]


@pytest.mark.parametrize("key", ["note", "reward_text"])
def test_bytes_that_are_not_utf8_are_replaced_and_said(key: str, tmp_path: Path) -> None:
    line = as_line(row(**{key: "ab"})).replace(b'"ab"', b'"a\xff\xfeb"')
    path = write(tmp_path / "run.jsonl", [line])
    assert only(path).fields[key] == "a\ufffd\ufffdb"
    assert fact(path, "select problems") == "bytes that are not UTF-8 were replaced"


def test_bytes_that_are_not_utf8_do_not_cost_the_trajectory(tmp_path: Path) -> None:
    line = as_line(row(message("answer XX"))).replace(b"XX", b"\xc3\x28")
    rollout = only(write(tmp_path / "run.jsonl", [line]))
    assert rollout.steps[0].text == "answer \ufffd("


@pytest.mark.parametrize("text", ['"\\ud800"', '"\\udfff x"', '"\\ud83d\\ud83d"'])
def test_lone_surrogates_are_replaced_wherever_they_stand(text: str, tmp_path: Path) -> None:
    line = json.dumps(row(message("TEXT"), note="TEXT", prompt="TEXT", task_id="TEXT")).replace('"TEXT"', text)
    rollout = only(write(tmp_path / "run.jsonl", [line]))
    for found in (rollout.steps[0].text, rollout.prompt[0].text, rollout.fields["note"], rollout.row_id):
        assert isinstance(found, str)
        found.encode()


def test_nul_characters_are_text_like_any_other(tmp_path: Path) -> None:
    odd = row(message("a\x00b"), note="c\x00d", task=..., task_id="e\x00f")
    path = write(tmp_path / "run.jsonl", [odd])
    assert facts(path, "select task, answer") == [("e\x00f", "a\x00b")]
    assert facts(path, "select text from fields where name = 'note'") == [("c\x00d",)]
    assert facts(path, "select ref") == [("run:e%00f/0",)]


def test_control_characters_that_json_would_have_escaped_are_read(tmp_path: Path) -> None:
    line = as_line(row(note="TAB")).replace(b"TAB", b"a\tb")
    rollouts, skipped = read(write(tmp_path / "run.jsonl", [line]))
    assert len(rollouts) + len(skipped) == 1


# Depth and width

DEPTHS = [50, 200, 300, 450, 500, 600, 800, 900, 950, 980, 990, 1_000, 1_100, 3_000, 10_000]
PLACES = {
    "field": '"odd": DEEP',
    "reward": '"reward": DEEP',
    "id": '"task_id": DEEP',
    "task index": '"_ng_task_index": DEEP',
    "end state": '"final_state": DEEP',
    "error": '"error": DEEP',
    "agent": '"agent_ref": DEEP',
    "response": '"response": DEEP',
    "output": '"response": {"output": DEEP}',
    "output item": '"response": {"output": [DEEP]}',
    "content": '"response": {"output": [{"type": "message", "role": "assistant", "content": DEEP}]}',
    "tool output": '"response": {"output": [{"type": "function_call", "call_id": "c", "name": "t", "arguments": "{}"},'
    ' {"type": "function_call_output", "call_id": "c", "output": DEEP}]}',
    "arguments": '"response": {"output": [{"type": "function_call", "name": "t", "arguments": DEEP}]}',
    "argument text": '"response": {"output": [{"type": "function_call", "name": "t", "arguments": "DEEP"}]}',
    "inline call": '"response": {"output": [{"role": "assistant", "content": "<tool_call>DEEP</tool_call>"}]}',
    "tool calls": '"response": {"output": [{"role": "assistant", "content": "x", "tool_calls": DEEP}]}',
    "status": '"response": {"output": [{"type": "message", "role": "assistant", "status": DEEP}]}',
    "response error": '"response": {"error": DEEP, "output": []}',
    "prompt": '"responses_create_params": {"input": DEEP}',
    "prompt content": '"responses_create_params": {"input": [{"role": "user", "content": DEEP}]}',
    "tools": '"responses_create_params": {"input": "x", "tools": DEEP}',
    "metadata": '"responses_create_params": {"input": [], "metadata": DEEP}',
    "trajectory": '"ng_trajectory": DEEP',
    "conversation": '"ng_trajectory": {"invocations": [{"conversation": DEEP}]}',
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", ["list", "object"])
def test_no_depth_ends_the_scan(place: str, kind: str, tmp_path: Path) -> None:
    """Where exactly nesting becomes too deep is of no matter; that the other rows are read is."""
    lines: list[Any] = [row(task=0)]
    for depth in DEPTHS:
        deep = "[" * depth + "]" * depth if kind == "list" else '{"a":' * depth + "1" + "}" * depth
        if place in ("argument text", "inline call"):
            deep = deep.replace('"', '\\"')
        lines.append("{" + PLACES[place].replace("DEEP", deep) + ', "deep": true}')
    path = write(tmp_path / "run.jsonl", [*lines, row(task=1)])
    with blade.load(path, here()) as store:
        rows, skipped = ask(store, "select count(*) from rollouts")[0][0], ask(store, "select line from skipped")
        assert rows + len(skipped) == len(lines) + 1
        assert (1,) not in skipped
        assert (len(lines) + 1,) not in skipped
        assert rows > 5


@pytest.mark.parametrize(("rows", "keys"), [(400, 1), (6, 450)])
def test_any_number_of_different_keys_is_read(rows: int, keys: int, tmp_path: Path) -> None:
    names = [[f"key_{number}_{key}" for key in range(keys)] for number in range(rows)]
    lines = [row(task=number, **dict.fromkeys(names[number], number)) for number in range(rows)]
    found = facts(write(tmp_path / "run.jsonl", lines), "select row, name, number from fields")
    assert sorted((name, number) for _, name, number in found) == sorted(
        (name, float(number)) for number in range(rows) for name in names[number]
    )


@pytest.mark.parametrize("nested", [False, True])
def test_of_very_many_fields_in_one_row_the_first_are_kept_and_the_others_counted(nested: bool, tmp_path: Path) -> None:
    many = {f"key_{number}": number for number in range(700)}
    path = write(tmp_path / "run.jsonl", [row(**({"all": many} if nested else many))])
    assert len(facts(path, "select name from fields")) == 500
    assert fact(path, "select problems") == "200 fields beyond the first 500 were left out"
