"""Columns are written as the Parquet parts of the store."""

import os
import secrets
from pathlib import Path
from typing import Any

import duckdb

from blade.scan.columns import NO_INTEGER, Columns
from blade.scan.tables import TABLES, Column

_ROW_GROUP = 100_000
_WORTH_NUMBERING = 20_000
"""Rows from which on numbering the words of shapes costs less than packing them letter by letter."""


def connect() -> duckdb.DuckDBPyConnection:
    """A connection that works on one core and never looks for extensions, nor at objects: they are text or cast."""
    config: dict[str, Any] = {
        "threads": 1,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "pandas_analyze_sample": 0,
    }
    return duckdb.connect(config=config)


def write_part(connection: duckdb.DuckDBPyConnection, path: Path, table: str, columns: Columns) -> None:
    """Write one part under a temporary name and move it into place, so that nobody sees half of it."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
    try:
        _register(connection, columns)
        form = f"FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE {_ROW_GROUP}"
        connection.execute(f"COPY ({_select(table, columns)}) TO '{quoted(temporary)}' ({form})")
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
        connection.unregister("batch")


def empty_select(table: str) -> str:
    """A query without rows that has the table's columns."""
    casts = ", ".join(f"NULL::{column.type} AS {column.name}" for column in TABLES[table].columns)
    return f"SELECT {casts} WHERE false"


def quoted(path: Path | str) -> str:
    """A path as it stands inside an SQL string."""
    return str(path).replace("'", "''")


def _register(connection: duckdb.DuckDBPyConnection, columns: Columns) -> None:
    connection.register("batch", {name: values for name, values in columns.items() if name != "shapes"})
    if "shapes" in columns:
        connection.register("shapes", columns["shapes"])
        if _is_large(columns):
            _number_words(connection, [name for name in columns["shapes"] if name != "shape"])


def _is_large(columns: Columns) -> bool:
    return len(columns["row"]) >= _WORTH_NUMBERING


def _number_words(connection: duckdb.DuckDBPyConnection, names: list[str]) -> None:
    """Make `numbered` of `shapes`, its texts as words of an enumeration, which are joined and packed by number."""
    words = f"SELECT unnest([{', '.join(names)}]) AS word FROM shapes"
    texts = ", ".join(f"{name}::word AS {name}" for name in names)
    connection.execute("DROP TABLE IF EXISTS numbered")
    connection.execute(
        f"CREATE OR REPLACE TEMP TYPE word AS ENUM (SELECT DISTINCT word FROM ({words}) WHERE word NOT NULL)"
    )
    connection.execute(f"CREATE TEMP TABLE numbered AS SELECT shape, {texts} FROM shapes")


def _select(table: str, columns: Columns) -> str:
    shapes = columns.get("shapes", {})
    expressions = ", ".join(f"{_expression(column, shapes)} AS {column.name}" for column in TABLES[table].columns)
    if not shapes:
        return f"SELECT {expressions} FROM batch"
    joined = "numbered AS shapes" if _is_large(columns) else "shapes"
    return f"SELECT {expressions} FROM batch JOIN {joined} ON batch.shape = shapes.shape"


def _expression(column: Column, shapes: Columns) -> str:
    if column.name in shapes:
        return f"shapes.{column.name}"
    source = f"batch.{column.name}"
    if column.type in ("BIGINT", "INTEGER"):
        return f"nullif({source}, {NO_INTEGER})::{column.type}"
    if column.type == "DOUBLE":
        return f"CASE WHEN NOT isfinite({source}::DOUBLE) THEN NULL ELSE {source}::DOUBLE END"
    return f"{source}::{column.type}"
