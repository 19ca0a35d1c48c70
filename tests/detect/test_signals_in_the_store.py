"""Signals as the store has them: the same as a reading of each row by itself, with refs that show their steps."""

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import blade
from bench import corpus
from blade.artifacts.nemo_gym.rollouts import RolloutReader
from blade.detect.detectors import all_detectors, signals_of
from blade.detect.reading import Reading
from blade.rollout import Place, Rollout
from blade.scan import work
from blade.vocabulary import CAUSES, OWNERS, SIGNAL_FAMILIES, SIGNAL_ROLES
from examples.office import AGENTS, simulate
from tests.building import Row, as_line, ask, call, facts, here, message, result, row, tool_records, write
from tests.conftest import SHARED
from tests.detect.reading_rows import acted, offering, tool

COLUMNS = "row, signal, nth, step, detail, quote, field"
NOT_RUNS = ("_materialized_inputs.jsonl", "_reward_profiling.jsonl", "_failures.jsonl", "_truth.jsonl", "_labels.jsonl")
REAL = sorted(path for path in SHARED.glob("**/*.jsonl") if not path.name.endswith(NOT_RUNS))


def readings(path: Path) -> list[Reading]:
    """Every row of a file, read by itself."""
    reader, offset, found = RolloutReader(), 0, []
    for number, line in enumerate(path.read_bytes().splitlines(keepends=True), start=1):
        rollout = reader.read(line.strip(), Place(str(path), offset, len(line), number)) if line.strip() else None
        if isinstance(rollout, Rollout):
            found.append(Reading.of(rollout))
        offset += len(line)
    return found


def by_row(path: Path) -> list[tuple[Any, ...]]:
    """What the signals of a file should be."""
    return sorted(
        (
            (
                reading.rollout.place.offset,
                name,
                nth,
                signal.step,
                signal.detail or None,
                signal.quote,
                signal.field or None,
            )
            for reading in readings(path)
            for name, nth, signal in signals_of(reading)
        ),
        key=repr,
    )


def stored(path: Path) -> list[tuple[Any, ...]]:
    with blade.load(path, here()) as store:
        return sorted(store.connection.execute(f"SELECT {COLUMNS} FROM part_signals").fetchall(), key=repr)


def odd_rows() -> list[Row]:
    """Rows that are not joined in bulk, and rows with every kind of field."""
    chat = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{"}}],
    }
    served = {"type": "mcp_call", "name": "find", "arguments": '{"a": 1}', "error": "Error: no such index"}
    inline = message('I act. <tool_call>{"name": "f", "arguments": {"b": [1, 2]}}</tool_call>')
    failed = acted(("find", "{}", "Error: query is required"), ("find", None, "Error: query is required"))
    declared = acted(("find", '{"query": 3}', {"error": "no"}), **offering(tool("find", query={"type": "string"})))
    rows = [
        row(chat, {"role": "tool", "tool_call_id": "a", "content": "Error: not JSON"}),
        row(served, inline, message("Done.")),
        row(call("f", "", "x"), result("", "x"), call("f", "not json", "y"), result([{"text": "Error: no"}], "y")),
        row(message("4"), extracted_answer=None, verifier={"agent_timed_out": True, "inner": {"judge_error": "boom"}}),
        row(message("I can't help with that."), status="cancelled", error={"message": "maximum context length"}),
        row(
            call("f", "{}", "t1"),
            result("ok", "t1"),
            ng_trajectory=tool_records({"tool_call_id": "t1", "status": "failed"}),
        ),
        failed,
        declared,
        row(response=...),
    ]
    return [made | {"_ng_task_index": number} for number, made in enumerate(rows)]


@pytest.mark.parametrize("number", range(len(odd_rows())))
def test_a_scan_finds_what_a_reading_of_the_row_alone_finds(tmp_path: Path, number: int) -> None:
    path = write(tmp_path / "odd.jsonl", odd_rows()[number : number + 1])
    assert stored(path) == by_row(path)


def test_a_scan_of_many_rows_finds_what_readings_of_each_find(tmp_path: Path) -> None:
    simulate(tmp_path, agents=list(AGENTS)[:3], tasks=12, repeats=2, seed=3)
    for path in sorted(tmp_path.glob("*_rollouts.jsonl")):
        assert stored(path) == by_row(path) != []
    path = write(tmp_path / "generated.jsonl", [*islice(corpus.rows(seed=4), 30), *map(json.dumps, odd_rows())])
    assert stored(path) == by_row(path) != []


def test_what_fields_tell_of_a_row_does_not_hang_on_the_other_rows_of_its_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "BATCH_ROWS", 2)
    kind, flag = {"failure_kind": "agent_timeout"}, {"agent_timed_out": True}
    path = write(tmp_path / "run.jsonl", [row(**kind, **flag), row(), row(**flag), row(**kind, **flag)])
    assert stored(path) == by_row(path) != []


@pytest.mark.parametrize("path", REAL, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_quote_from_a_real_file_stands_in_its_step_or_field(path: Path) -> None:
    for reading in readings(path):
        for name, _, signal in signals_of(reading):
            if signal.field.startswith(("response.", "finish_reason", "sandbox")):
                continue
            if signal.field:
                assert signal.quote in _field_text(reading, signal.field), (name, signal)
            else:
                assert signal.step is not None
                assert signal.quote in reading.text(signal.step), (name, signal)


def _field_text(reading: Reading, name: str) -> str:
    from blade.content import json_of
    from blade.rollout import opened_fields

    value = dict(opened_fields(reading.fields))[name]
    return value if isinstance(value, str) else "" if value is None else json_of(value)


def test_real_files_read_the_same_in_a_scan(gym_data: Path) -> None:
    for path in sorted((gym_data / "anyswe_agent").glob("example_rollouts_*.jsonl")):
        assert stored(path) == by_row(path) != []


def test_the_ref_of_a_signal_shows_its_step(tmp_path: Path) -> None:
    made = acted(("find", "{}", "Error: no such entry"), extracted_answer=None, task=3, rollout=1)
    path = write(tmp_path / "a_rollouts.jsonl", [made])
    found = facts(path, "select signal, ref, field from signals where signal in ('tool error', 'nothing extracted')")
    assert sorted(found) == [("nothing extracted", "a:3/1#2", "extracted_answer"), ("tool error", "a:3/1#1", None)]


def test_a_rollout_without_steps_has_signals_without_a_step(tmp_path: Path) -> None:
    path = write(tmp_path / "a_rollouts.jsonl", [row(response=..., agent_timed_out=True)])
    assert facts(path, "select signal, step, ref, quote from signals") == [("agent time-out", None, "a:0/0", "true")]


def test_failed_attempts_have_signals_too(tmp_path: Path) -> None:
    write(tmp_path / "a_rollouts_failures.jsonl", [row(message(""), task=1, _ng_failure_class="judge_failed")])
    path = write(tmp_path / "a_rollouts.jsonl", [row(message("4"))])
    query = "select signal, ref, standing from signals where standing = 'failed'"
    assert facts(path, query) == [("empty answer", "a:1/0.a1#0", "failed")]


def test_actions_tell_the_error_that_answered_them(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a_rollouts.jsonl", [acted(("find", "{}", "Error: no such entry"), ("find", "{}", "found"))]
    )
    found = facts(path, "select error, error_quote from actions")
    assert found == [("not found", "Error: no such entry"), (None, None)]


def test_a_detector_that_fails_costs_the_signals_of_its_row_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(reading: Reading) -> list[Any]:
        if "b" in reading.fields:
            raise KeyError("b")
        return []

    from blade.detect import detectors

    row_ = next(iter(all_detectors().values()))._replace(detect=breaks, needs="")
    monkeypatch.setitem(detectors._BY_NEED, "", [row_])
    rows = [row(message(""), task=0), row(message(""), task=1, b=1)]
    path = write(tmp_path / "a.jsonl", rows)
    with blade.load(path, here()) as store:
        assert ask(store, "select task from signals") == [("0",)]
        assert ask(store, "select problems from rollouts order by task")[1] == (
            "signals could not be read: KeyError: 'b'",
        )


def test_every_detector_says_what_it_is() -> None:
    for row_ in all_detectors().values():
        assert row_.family in SIGNAL_FAMILIES
        assert row_.role in SIGNAL_ROLES
        assert row_.cause in CAUSES
        assert row_.owner in OWNERS
        assert row_.title[0].isupper()
        assert len(row_.title) <= 60
        assert row_.meaning.endswith(".")
        assert row_.but.startswith("It does not say")
    assert {row_.family for row_ in all_detectors().values()} == set(SIGNAL_FAMILIES)


def test_every_detector_stands_on_its_page() -> None:
    page = (Path(__file__).parents[2] / "docs" / "what-the-signals-mean.md").read_text(encoding="utf-8")
    for row_ in all_detectors().values():
        assert f"| `{row_.name}` | {row_.title} | {row_.role} | {row_.meaning} | {row_.but} |" in page


def test_no_signal_depends_on_the_reward(tmp_path: Path) -> None:
    for made in odd_rows():
        one, other = ({**made, "reward": reward, "passed": bool(reward)} for reward in (0.0, 1.0))
        found = [[tuple(each) for each in signals_of(_read(each))] for each in (one, other)]
        assert found[0] == found[1]


def _read(made: Row) -> Reading:
    line = as_line(made)
    rollout = RolloutReader().read(line, Place("x", 0, len(line), 1))
    assert isinstance(rollout, Rollout)
    return Reading.of(rollout)
