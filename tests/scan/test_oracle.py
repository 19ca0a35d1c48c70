"""Every fact in the store is the one that a plain, slow reading of the same file finds."""

from collections import defaultdict
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import blade
from bench import corpus, oracle
from blade.content import canonical
from blade.scan.tables import TABLES
from examples.office import AGENTS, simulate
from tests.building import here, write
from tests.conftest import SHARED

KEYS = {
    "rollouts": ("row",),
    "steps": ("row", "step"),
    "actions": ("row", "step", "place"),
    "fields": ("row", "name", "kind"),
    "inputs": ("row",),
}
JUDGED = ("error", "error_quote")
"""Columns of actions that a detector fills, which a plain reading knows nothing of."""

ROLLOUTS = ("rollouts", "steps", "actions", "fields")
NOT_RUNS = ("_materialized_inputs.jsonl", "_reward_profiling.jsonl", "_failures.jsonl", "_truth.jsonl")
RUNS = sorted(path for path in (SHARED / "gym").glob("**/*.jsonl") if not path.name.endswith(NOT_RUNS))

Cells = list[tuple[Any, ...]]


Stored = dict[tuple[str, str], Cells]


def stored(store: blade.Store) -> Stored:
    """The cells of every table, by table and file."""
    cells: Stored = defaultdict(list)
    for table in KEYS:
        names = ", ".join(f"t.{column}" for column in columns_of(table))
        query = f"SELECT s.path, {names} FROM {table} t JOIN scanned s USING (file)"
        for path, *row in store.connection.execute(query).fetchall():
            cells[table, path].append(tuple(row))
    return cells


def columns_of(table: str) -> list[str]:
    """The columns that a plain reading fills too."""
    return [column.name for column in TABLES[table].columns if table != "actions" or column.name not in JUDGED]


def extracted(tables: oracle.Tables, table: str) -> Cells:
    names = columns_of(table)
    return in_order(table, [tuple(fact[name] for name in names) for fact in tables[table]])


def in_order(table: str, cells: Cells) -> Cells:
    places = [columns_of(table).index(key) for key in KEYS[table]]
    return sorted(cells, key=lambda cell: [cell[place] for place in places])


def disagreements(cells: Stored, path: Path, names: tuple[str, ...]) -> list[str]:
    """Cells in which the store and the oracle differ, in words."""
    truth = oracle.extract(path)
    found = []
    for table in names:
        ours, theirs = in_order(table, cells[table, str(path)]), extracted(truth, table)
        if len(ours) != len(theirs):
            found.append(f"{table}: {len(ours)} rows in the store, {len(theirs)} in the file")
        for our, their in zip(ours, theirs, strict=False):
            found += [
                f"{table}.{column} of row {our[0]}: stored {mine!r}, in the file {other!r}"
                for column, mine, other in zip(columns_of(table), our, their, strict=True)
                if mine != other
            ]
    return found


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "observed"])
def office(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("office")
    simulate(out, agents=list(AGENTS), tasks=14, repeats=2, seed=5, wrong_gold=0.2, observability=request.param)
    return out


@pytest.mark.parametrize("agent", sorted(AGENTS))
def test_every_fact_of_the_simulated_office_is_in_the_store(office: Path, agent: str) -> None:
    path = office / f"{agent}_rollouts.jsonl"
    failures, owed = (
        path.with_name(path.stem + ending) for ending in ("_failures.jsonl", "_materialized_inputs.jsonl")
    )
    with blade.load(path, here()) as store:
        cells = stored(store)
    assert disagreements(cells, path, ROLLOUTS) == []
    assert disagreements(cells, failures, ROLLOUTS) == []
    assert disagreements(cells, owed, ("inputs",)) == []


def test_every_fact_of_generated_rows_is_in_the_store(tmp_path: Path) -> None:
    path = write(tmp_path / "corpus.jsonl", islice(corpus.rows(seed=3), 40))
    with blade.load(path, here()) as store:
        assert disagreements(stored(store), path, ROLLOUTS) == []


class Real(NamedTuple):
    """What the store holds of all real files."""

    cells: Stored
    skipped: list[tuple[Any, ...]]
    inputs: list[Path]


@pytest.fixture(scope="module")
def real(gym_data: Path) -> Real:
    """All real files in one store."""
    with blade.load(gym_data, here()) as store:
        inputs = [Path(path) for run in store.runs for path in run.files.of_kind("materialized inputs")]
        return Real(stored(store), store.sql("SELECT file, line FROM skipped").rows, inputs)


@pytest.mark.parametrize("path", RUNS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_fact_of_a_real_file_is_in_the_store(path: Path, real: Real) -> None:
    assert disagreements(real.cells, path, ROLLOUTS) == []
    lines = [skip["line"] for skip in oracle.extract(path)["skipped"]]
    assert [line for file, line in real.skipped if file == str(path)] == lines


def test_every_fact_of_real_inputs_is_in_the_store(real: Real) -> None:
    assert len(real.inputs) > 10
    assert [found for path in real.inputs for found in disagreements(real.cells, path, ("inputs",))] == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_canonical_text_is_the_same_however_it_is_made(value: Any) -> None:
    assert canonical(value) == oracle.canonical(value)
