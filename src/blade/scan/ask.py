"""Questions in SQL to the tables of a store: reading only, and within bounds."""

import re
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import duckdb

from blade.errors import QueryError
from blade.scan.catalog import WIDE

MOST_ROWS = 100_000
"""Rows of an answer that are held; a question for more is refused with the advice to ask for less."""

_MOST_WIDE = 400
"""Fields that become columns, the most frequent first."""


_Made = TypeVar("_Made")


class Result(NamedTuple):
    """An answer: the names of its columns, and its rows."""

    columns: list[str]
    rows: list[tuple[Any, ...]]


def ask(
    connection: duckdb.DuckDBPyConnection, query: str, parameters: Sequence[Any] = (), seconds: float | None = None
) -> Result:
    """Run one reading statement, for at most `seconds`."""
    try:
        statements = connection.extract_statements(query)
    except duckdb.Error as error:
        raise QueryError(_first_line(error), hint="see `blade sql --tables` for the tables and columns") from None
    if len(statements) != 1:
        raise QueryError(f"expected one statement, found {len(statements)}")
    if statements[0].type.name != "SELECT":
        raise QueryError("only a plain SELECT is allowed", hint="the store is read-only")
    if re.search(r"\bwide\b", query, re.IGNORECASE):
        _define_wide(connection)
    return _within(connection, seconds, lambda: _fetch(connection, query, parameters))


KINDS = """
SELECT name, CASE WHEN bool_and(kind = 'boolean') FILTER (kind <> 'null') THEN 'boolean'
                  WHEN bool_and(kind = 'number' AND text IS NULL) FILTER (kind <> 'null') THEN 'number'
                  ELSE 'text' END
FROM fields WHERE standing = 'row' GROUP BY name ORDER BY count(*) DESC, name LIMIT ?
"""

_VALUES = {"boolean": "max(number) = 1", "number": "max(number)", "text": "max(coalesce(text, number::VARCHAR))"}


def _define_wide(connection: duckdb.DuckDBPyConnection) -> None:
    """The view `wide`, with the fields that these runs have."""
    taken = {column.name for column in WIDE.columns}
    columns, seen = [], set(taken)
    for name, kind in connection.execute(KINDS, [_MOST_WIDE]).fetchall():
        shown = f"field.{name}" if name.lower() in taken else name
        if shown.lower() in seen:  # names are not told apart by case here
            continue
        seen.add(shown.lower())
        quoted_name = "'" + name.replace("'", "''") + "'"
        alias = '"' + shown.replace('"', '""') + '"'
        value = _VALUES[kind].replace(")", f") FILTER (name = {quoted_name})", 1) if kind != "text" else None
        value = value or f"max(coalesce(text, number::VARCHAR)) FILTER (name = {quoted_name})"
        columns.append(f"{value} AS {alias}")
    fields = ", ".join(["file", "row", *columns])
    connection.execute(
        "CREATE OR REPLACE TEMP VIEW wide AS "
        "SELECT r.run, r.task, r.rollout, r.ref, r.model, r.reward, r.masked, f.* EXCLUDE (file, row) "
        f"FROM rollouts r LEFT JOIN (SELECT {fields} FROM part_fields GROUP BY file, row) f USING (file, row) "
        "WHERE r.standing = 'row'"
    )


def _fetch(connection: duckdb.DuckDBPyConnection, query: str, parameters: Sequence[Any]) -> Result:
    try:
        answer = connection.execute(query, list(parameters))
        rows = answer.fetchmany(MOST_ROWS + 1)
        names = [column[0] for column in answer.description or []]
    except duckdb.Error as error:
        raise QueryError(_first_line(error), hint="see `blade sql --tables` for the tables and columns") from None
    if len(rows) > MOST_ROWS:
        raise QueryError(f"more than {MOST_ROWS:,} rows", hint="add a LIMIT, or aggregate")
    return Result(names, rows)


def _within(connection: duckdb.DuckDBPyConnection, seconds: float | None, work: Callable[[], Result]) -> Result:
    try:
        return within(connection, seconds, work)
    except QueryError as error:
        if seconds is not None and "INTERRUPT" in error.text.upper():
            raise QueryError(f"took longer than {seconds:g} s", hint="ask for less, or raise --seconds") from None
        raise


def within(connection: duckdb.DuckDBPyConnection, seconds: float | None, work: Callable[[], _Made]) -> _Made:
    """Do something with a connection, which is interrupted after so many seconds."""
    if seconds is None:
        return work()
    timer = threading.Timer(seconds, connection.interrupt)
    timer.daemon = True
    timer.start()
    try:
        return work()
    finally:
        timer.cancel()


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0]
