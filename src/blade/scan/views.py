"""The query engine's side of the store: parts as tables, runs settled, questions answered."""

import os
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import duckdb
from duckdb.func import SPECIAL

from blade.artifacts.files import RowSource
from blade.artifacts.nemo_gym.rollouts import RolloutReader
from blade.ref import RESERVED, code_of
from blade.rollout import Place, Rollout
from blade.scan import places
from blade.scan.catalog import DERIVED
from blade.scan.entries import FileScan
from blade.scan.parts import connect, empty_select, quoted
from blade.scan.settle import settle, shards_are_apart
from blade.scan.summary import summarize
from blade.scan.tables import TABLES

if TYPE_CHECKING:
    from blade.scan.store import SettledRun

_WRITTEN = {
    "rows.parquet": ("SELECT * EXCLUDE (unnamed, repeat, bytes) FROM settled", "FORMAT parquet"),
    "owed.parquet": ("SELECT * FROM owed", "FORMAT parquet"),
    "places.tsv": (
        f"SELECT {places.KEY_SQL} AS key, file, row, bytes FROM settled ORDER BY key",
        "FORMAT csv, DELIMITER '\t', HEADER false, QUOTE '', ESCAPE ''",
    ),
}
"""Files of a settled run: what each holds, and how."""


def settle_runs(runs: Sequence["SettledRun"]) -> None:
    """Settle runs: write where each of their rollouts stands, and sum each up."""
    with _connect() as connection:
        for run in runs:
            _parts(connection, run.scans)
            settle(connection, run.files.name, run.split)
            run.directory.mkdir(parents=True, exist_ok=True)
            for name, (query, form) in _WRITTEN.items():
                path, temporary = run.directory / name, run.directory / f"{name}.{os.getpid()}.tmp"
                connection.execute(f"COPY ({query}) TO '{quoted(temporary)}' ({form})")
                temporary.replace(path)
            run.summaries = summarize(connection, run.files.name, list(run.files.rollouts))
            if shards_are_apart(connection):
                for summary in run.summaries:
                    summary.problems.append("the shards number their tasks apart: a task is named by shard and index")


def _connect() -> duckdb.DuckDBPyConnection:
    """A connection that can write a field as people do, whatever its kind."""
    connection = connect()
    connection.execute(
        "CREATE TEMP MACRO field_text(kind, text, number) AS "
        "CASE kind WHEN 'boolean' THEN if(number = 1, 'true', 'false') ELSE coalesce(text, number::VARCHAR) END"
    )
    return connection


def _parts(connection: duckdb.DuckDBPyConnection, scans: Sequence[FileScan]) -> None:
    """Views over the parts of some files, numbered in order, and a table of the files."""
    for table in TABLES:
        selects = [
            _part_select(table, number, scan)
            for number, scan in enumerate(scans)
            if table in scan.tables and scan.part_paths(table)
        ]
        empty = f"SELECT 0 AS file, * FROM ({empty_select(table)})"
        connection.execute(f"CREATE OR REPLACE TEMP VIEW part_{table} AS {' UNION ALL '.join(selects) or empty}")
    connection.execute("CREATE OR REPLACE TEMP TABLE scanned (file INTEGER, path VARCHAR, role VARCHAR, shard INTEGER)")
    connection.execute("CREATE OR REPLACE TEMP TABLE pieces (file INTEGER, start BIGINT, lines_before BIGINT)")
    for number, scan in enumerate(scans):
        connection.execute("INSERT INTO scanned VALUES (?, ?, ?, ?)", [number, scan.path, scan.role, scan.shard])
        if scan.manifest and scan.manifest.starts:
            starts = [[number, *start] for start in scan.manifest.starts]
            connection.executemany("INSERT INTO pieces VALUES (?, ?, ?)", starts)


def _part_select(table: str, number: int, scan: FileScan) -> str:
    paths = ", ".join(f"'{quoted(path)}'" for path in scan.part_paths(table))
    return f"SELECT {number} AS file, * FROM read_parquet([{paths}])"


class Views(NamedTuple):
    """A connection with every table of the store, and the files it reads the texts of steps from."""

    connection: duckdb.DuckDBPyConnection
    texts: "list[_StepTexts]"

    def close(self) -> None:
        self.connection.close()
        for texts in self.texts:
            texts.close()


def open_views(runs: Sequence["SettledRun"]) -> Views:
    """Every table of the store, closed to everything else."""
    connection = _connect()
    connection.execute("SET threads = 2")
    scans = [scan for run in runs for scan in run.scans]
    _parts(connection, scans)
    _settled_views(connection, runs)
    texts = [_StepTexts(Path(scan.path)) for scan in scans]
    _define_step_text(connection, texts)
    _row_views(connection)
    _derived_tables(connection, runs)
    directories = {str(scan.directory) for scan in scans} | {str(run.directory) for run in runs}
    allowed = ", ".join(f"'{quoted(directory)}/'" for directory in sorted(directories))
    connection.execute(f"SET allowed_directories = [{allowed}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return Views(connection, texts)


def _settled_views(connection: duckdb.DuckDBPyConnection, runs: Sequence["SettledRun"]) -> None:
    """What was settled run by run, with files numbered over all runs."""
    views = {"settled": "rows.parquet", "owed_rows": "owed.parquet"}
    for view, name in views.items():
        first, selects = 0, []
        for run in runs:
            path = quoted(run.directory / name)
            selects.append(f"SELECT * REPLACE (file + {first} AS file) FROM read_parquet('{path}')")
            first += len(run.scans)
        connection.execute(f"CREATE TEMP VIEW {view} AS {' UNION ALL '.join(selects)}")


def _row_views(connection: duckdb.DuckDBPyConnection) -> None:
    """The tables of rows, each row with its run, task, rollout, standing and ref."""
    escaped = "part"
    for character in RESERVED:
        escaped = f"replace({escaped}, chr({ord(character)}), '{code_of(character)}')"
    reserved = " || ".join(f"chr({ord(character)})" for character in RESERVED)
    plain = f"translate(part, {reserved}, '') = part"
    connection.execute(f"CREATE TEMP MACRO ref_part(part) AS CASE WHEN {plain} THEN part ELSE {escaped} END")
    who = "s.run, s.task, s.rollout, s.standing"
    ref = "ref_part(s.run) || ':' || ref_part(s.task) || '/' || ref_part(s.rollout) AS ref"
    joined = "FROM settled s JOIN part_{} p USING (file, row)"
    facts = "p.* REPLACE (p.line + s.lines_before AS line)"
    _view(
        connection, "rollouts", f"{who}, {ref}, f.path, {facts} {joined.format('rollouts')} JOIN scanned f USING (file)"
    )
    at_step = ref.replace(" AS ref", " || '#' || p.step AS ref")
    _view(connection, "fields", f"{who}, {ref}, p.* {joined.format('fields')}")
    _view(connection, "actions", f"{who}, {at_step}, p.* {joined.format('actions')}")
    at_place = ref.replace(" AS ref", " || coalesce('#' || p.step, '') AS ref")
    _view(connection, "signals", f"{who}, {at_place}, p.* {joined.format('signals')}")
    text = "step_text(p.file, p.row, p.step) AS text"
    _view(connection, "steps", f"{who}, {at_step}, {text}, p.* {joined.format('steps')}")
    for table in ("inputs", "input_fields"):
        owed = f"FROM part_{table} p JOIN scanned f USING (file) LEFT JOIN owed_rows o USING (file, row)"
        line = " REPLACE (p.line + q.lines_before AS line)" if table == "inputs" else ""
        piece = "ASOF JOIN pieces q ON p.file = q.file AND p.row >= q.start" if line else ""
        _view(connection, table, f"o.run, o.task, o.rollout, f.path, p.*{line} {owed} {piece}")
    _view(connection, "owed", "run, task, rollout, standing FROM owed_rows")


def _view(connection: duckdb.DuckDBPyConnection, name: str, select: str) -> None:
    connection.execute(f"CREATE TEMP VIEW {name} AS SELECT {select}")


def _define_step_text(connection: duckdb.DuckDBPyConnection, texts: "list[_StepTexts]") -> None:
    """The SQL function that reads the text of a step from its row."""
    parameters: list[Any] = ["INTEGER", "BIGINT", "INTEGER"]

    def step_text(file: int | None, row: int | None, step: int | None) -> str | None:
        return None if file is None or row is None or step is None else texts[file].text(row, step)

    connection.create_function("step_text", step_text, parameters, "VARCHAR", null_handling=SPECIAL)


class _StepTexts:
    """The texts of the steps of one file; the row that was read last is kept. Threads take turns."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._turn = threading.Lock()
        self._source: RowSource | None = None
        self._reader = RolloutReader()
        self._row = -1
        self._rollout: Rollout | None = None

    def text(self, row: int, step: int) -> str | None:
        with self._turn:
            if row != self._row:
                self._rollout = self._read(row)
                self._row = row
            return self._rollout.text(step) if self._rollout and 0 <= step < len(self._rollout.items) else None

    def _read(self, row: int) -> Rollout | None:
        self._source = self._source or RowSource(self._path)
        found = self._reader.read(self._source.line_at(row), Place(str(self._path), row, 0, 0))
        return found if isinstance(found, Rollout) else None

    def close(self) -> None:
        if self._source:
            self._source.close()


def _derived_tables(connection: duckdb.DuckDBPyConnection, runs: Iterable["SettledRun"]) -> None:
    for table in (DERIVED[0], DERIVED[1]):
        columns = ", ".join(f"{column.name} {column.type}" for column in table.columns)
        connection.execute(f"CREATE TEMP TABLE {table.name} ({columns})")
    for run in runs:
        for summary in run.summaries:
            values = [
                summary.run,
                summary.files,
                summary.model,
                summary.agent,
                summary.rows,
                summary.tasks,
                summary.expected,
                summary.missing_count,
                summary.failed_rollouts,
                summary.skipped_count,
            ]
            connection.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        skips = [
            [skip.file, skip.line, skip.why] for scan in run.scans if scan.manifest for skip in scan.manifest.skips
        ]
        if skips:
            connection.executemany("INSERT INTO skipped VALUES (?, ?, ?)", skips)
