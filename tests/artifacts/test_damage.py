"""However rows are damaged, nothing ends the scan and no other row changes."""

import copy
import json
import random
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import blade
from bench import corpus
from examples.office import AGENTS, play
from examples.theatre.rows import rollout_row
from tests.building import Row, as_line, call, here, message, result, row, write

COMPARED = {
    "rollouts": "SELECT row, * EXCLUDE (file, row, path, ref, run, task, rollout, standing, line) FROM rollouts",
    "steps": "SELECT row, step, kind, actor, type, name, status, bytes FROM steps",
    "actions": "SELECT row, * EXCLUDE (file, row, ref, run, task, rollout, standing) FROM actions",
    "signals": "SELECT row, signal, nth, step, detail, quote, field FROM signals",
    "fields": "SELECT row, name, kind, number, text, hash FROM fields",
}
SLOW = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))


@cache
def valid() -> tuple[bytes, ...]:
    """Rows of every kind there is."""
    played = [rollout_row(each, observability=True) for each in play(AGENTS["hasty"], tasks=3, repeats=1)]
    made = [
        row(task=..., prompt=[message("x", "user")], nested={"a": {"b": [1, "é"]}}),
        row(message("a", tool_calls=[])),
    ]
    made.append(row(call(), result(["x", {"text": "y"}]), [message("inner")], task=1, reward="1"))
    generated = [line for line in islice(corpus.rows(seed=8), 30) if len(line) < 15_000][:3]
    return (*map(as_line, played), *map(as_line, made), *generated)


class Facts(dict[str, dict[int, list[Any]]]):
    """Every fact of a file by table and by the byte at which its row begins."""

    def __init__(self, path: Path) -> None:
        with blade.load(path, here()) as store:
            for table, query in COMPARED.items():
                rows: dict[int, list[Any]] = {}
                for offset, *cells in store.connection.execute(query).fetchall():
                    rows.setdefault(offset, []).append(cells)
                self[table] = {offset: sorted(found, key=repr) for offset, found in rows.items()}
            self.skipped = [line for [line] in store.sql("SELECT line FROM skipped ORDER BY line").rows]
        self.rows = sorted(self["rollouts"])

    def of(self, offset: int) -> dict[str, list[Any]]:
        return {table: rows.get(offset, []) for table, rows in self.items()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[bytes, dict[str, list[Any]]]:
    """The facts of every undamaged row."""
    path = write(tmp_path_factory.mktemp("whole") / "run.jsonl", valid())
    facts, found, at = Facts(path), {}, 0
    for line in valid():
        found[line] = facts.of(at)
        at += len(line) + 1
    return found


def assert_only_the_damage_shows(data: bytes, whole: dict[bytes, dict[str, list[Any]]], directory: Path) -> None:
    path = directory / "run.jsonl"
    path.write_bytes(data)
    facts, at, filled = Facts(path), 0, 0
    for line in data.split(b"\n"):
        if line.strip() and (at or line != b"\xef\xbb\xbf"):
            filled += 1
        if line in whole:
            assert facts.of(at) == whole[line]
        at += len(line) + 1
    assert len(facts.rows) + len(facts.skipped) == filled


def damaged(data: bytearray, random_: random.Random) -> bytes:
    """Bytes with a few places cut, flipped, filled, doubled or moved."""
    for _ in range(random_.randint(1, 6)):
        at = random_.randrange(len(data) + 1)
        some = bytes(
            random_.choices(b'{}[]",:\\\x00\xff\xc3\xed\xa0\x80\n\r e-9utf\xef\xbb\xbf', k=random_.randint(1, 6))
        )
        match random_.randrange(6):
            case 0:
                del data[at : at + random_.randint(1, 200)]
            case 1:
                data[at:at] = some
            case 2:
                data[at : at + len(some)] = some
            case 3:
                start = random_.randrange(len(data) + 1)
                data[at:at] = data[start : start + random_.randint(1, 3_000)]
            case 4 if at < len(data):
                data[at] ^= 1 << random_.randrange(8)
            case _:
                lines = bytes(data).split(b"\n")
                lines.insert(random_.randrange(len(lines)), random_.choice(lines))
                data[:] = b"\n".join(lines)
    return bytes(data)


@SLOW
@given(st.integers(0, 10**9))
def test_damaged_bytes_cost_no_row_but_their_own(
    tmp_path_factory: pytest.TempPathFactory, whole: dict[bytes, dict[str, list[Any]]], seed: int
) -> None:
    random_ = random.Random(seed)
    lines = random_.sample(valid(), k=random_.randint(1, len(valid())))
    data = damaged(bytearray(b"\n".join(lines)), random_)
    assert_only_the_damage_shows(data, whole, tmp_path_factory.mktemp("damaged"))


VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1e308,
    2**70,
    "",
    "x",
    "\ud800",
    "\x00",
    [],
    {},
    [[]],
    [None],
    {"": None},
    ["x", 1],
    {"text": 1},
    {"type": "x"},
    float("nan"),
    "9" * 30,
    [{"type": "function_call", "arguments": 5}],
    {'a"\\\n': 1},
    "1e999",
]


def odd(value: Any, random_: random.Random, depth: int = 0) -> Any:
    """A JSON value with another in one random place."""
    if isinstance(value, (dict, list)) and value and (depth == 0 or random_.random() < 0.85):
        key = random_.choice(list(value) if isinstance(value, dict) else range(len(value)))
        changed: Any = copy.copy(value)
        if depth and random_.random() < 0.1:
            del changed[key]
        else:
            changed[key] = odd(value[key], random_, depth + 1)
        return changed
    return random_.choice(VALUES)


@SLOW
@given(st.integers(0, 10**9))
def test_a_value_of_another_type_costs_no_other_row(
    tmp_path_factory: pytest.TempPathFactory, whole: dict[bytes, dict[str, list[Any]]], seed: int
) -> None:
    random_ = random.Random(seed)
    lines = []
    for line in valid():
        changed: Row = json.loads(line)
        for _ in range(random_.randint(1, 4)):
            changed = odd(changed, random_)
        lines += [as_line(json.dumps(changed)), line]
    directory = tmp_path_factory.mktemp("odd")
    assert_only_the_damage_shows(b"\n".join(lines), whole, directory)
    for found in blade.read(directory / "run.jsonl"):
        assert isinstance(found, blade.Rollout), found


STANDARD = st.sampled_from(
    [
        "_ng_task_index",
        "_ng_rollout_index",
        "_ng_attempt_index",
        "_ng_environment_server",
        "agent_ref",
        "responses_create_params",
        "response",
        "reward",
        "skills_ref",
        "ng_trajectory",
        "ng_agent_observations",
        "ng_model_call_capture",
        "mask_sample",
        "error",
        "task_id",
        "stage_index",
    ]
)
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text() | st.sampled_from(["output", "input", "content", "type", "role", "usage", "calls", "text"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@SLOW
@given(st.lists(st.dictionaries(STANDARD | st.text(), ANY, max_size=6), min_size=1, max_size=60))
def test_any_object_at_all_is_a_rollout(tmp_path_factory: pytest.TempPathFactory, lines: list[Row]) -> None:
    path = write(tmp_path_factory.mktemp("any") / "run.jsonl", lines)
    facts = Facts(path)
    assert len(facts.rows) == len(lines)
    assert facts.skipped == []


@SLOW
@given(st.lists(st.binary(max_size=300), max_size=60))
def test_any_bytes_at_all_are_rows_or_skipped_lines(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
) -> None:
    data = b"\n".join(lines)
    path = tmp_path_factory.mktemp("bytes") / "run.jsonl"
    path.write_bytes(b" " + data)
    facts = Facts(path)
    assert len(facts.rows) + len(facts.skipped) == sum(bool(line.strip()) for line in data.split(b"\n"))
