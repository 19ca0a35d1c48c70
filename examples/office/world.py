"""The office's databases, and what it means for two of them to be in the same state."""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any

Row = dict[str, Any]

TABLES = ("people", "events", "mail", "board", "expenses", "claims")
_PREFIXES = {"events": "evt", "mail": "msg", "board": "tsk", "claims": "clm"}


def canonical(value: object) -> str:
    """Return the one JSON text of a value: sorted keys, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


@dataclass(slots=True)
class World:
    """Six tables of rows by id, the day it is, and the person whose office this is.

    Rows are replaced and never changed in place, so that copies may share them.
    """

    today: date
    owner: Row
    tables: dict[str, dict[str, Row]]
    created: set[str] = field(default_factory=set)
    serial: int = 9000

    def copy(self) -> "World":
        """Return a world that can change without changing this one."""
        tables = {name: dict(rows) for name, rows in self.tables.items()}
        return World(self.today, self.owner, tables, set(self.created), self.serial)

    def rows(self, table: str) -> Iterator[Row]:
        """Yield a table's rows in the order in which they came into it."""
        yield from self.tables[table].values()

    def find(self, table: str, row_id: str) -> Row | None:
        """Return the row with this id, or None."""
        return self.tables[table].get(row_id)

    def add(self, table: str, row: Row) -> Row:
        """Store a new row under the table's next id and return it."""
        self.serial += 1
        stored = {"id": f"{_PREFIXES[table]}-{self.serial}", **row}
        self.tables[table][stored["id"]] = stored
        self.created.add(stored["id"])
        return stored

    def change(self, table: str, row_id: str, **fields: Any) -> Row:
        """Replace fields of a row and return the new row."""
        row = {**self.tables[table][row_id], **fields}
        self.tables[table][row_id] = row
        return row

    def remove(self, table: str, row_id: str) -> Row:
        """Take a row out of its table and return it."""
        self.created.discard(row_id)
        return self.tables[table].pop(row_id)

    def snapshot(self) -> dict[str, list[Row]]:
        """Return the state in canonical order.

        Rows that were created lose their ids: an id tells in which order things were done,
        and two ways to the same end are the same end.
        """
        return {name: self._canonical_rows(name) for name in TABLES}

    def fingerprint(self) -> str:
        """Return a hash of the snapshot."""
        return hashlib.sha256(canonical(self.snapshot()).encode()).hexdigest()[:16]

    def _canonical_rows(self, table: str) -> list[Row]:
        rows = self.tables[table]
        old = [rows[row_id] for row_id in sorted(rows) if row_id not in self.created]
        new = [without_id(row) for row_id, row in rows.items() if row_id in self.created]
        return old + sorted(new, key=canonical)


def without_id(row: Row) -> Row:
    """Return the row's content."""
    return {key: value for key, value in row.items() if key != "id"}


Shown = Callable[[str], str]
"""The name under which a table or a key is shown."""


def difference(actual: World, expected: World, shown: Shown = str) -> list[str]:
    """Say in short lines where one state departs from another; no line means equal."""
    lines: list[str] = []
    for table in TABLES:
        lines += _old_rows_difference(table, actual, expected, shown)
        lines += _new_rows_difference(table, actual, expected, shown)
    return lines


def _old_rows_difference(table: str, actual: World, expected: World, shown: Shown) -> Iterator[str]:
    here, there = actual.tables[table], expected.tables[table]
    for row_id in sorted((here.keys() | there.keys()) - actual.created - expected.created):
        ours, theirs = here.get(row_id), there.get(row_id)
        if ours is theirs:
            continue
        place = f"{shown(table)} {row_id}"
        if ours is None:
            yield f"{place}: was removed, expected to stay"
        elif theirs is None:
            yield f"{place}: is still there, expected to be removed"
        else:
            yield from _field_lines(place, ours, theirs, shown)


def _new_rows_difference(table: str, actual: World, expected: World, shown: Shown) -> Iterator[str]:
    ours, theirs = _new_rows(table, actual), _new_rows(table, expected)
    extra = [row for row in ours if row not in theirs]
    absent = [row for row in theirs if row not in ours]
    name = shown(table)
    for row, wanted in zip(extra, absent, strict=False):
        yield from _field_lines(f"{name} (new)", row, wanted, shown)
    for wanted in absent[len(extra) :]:
        yield f"{name}: expected a new row and found none: {canonical(_keyed(wanted, shown))}"
    for row in extra[len(absent) :]:
        yield f"{name}: found a new row that was not expected: {canonical(_keyed(row, shown))}"
    if not extra and not absent and len(ours) != len(theirs):
        yield f"{name}: {len(ours)} new rows, expected {len(theirs)}"


def _new_rows(table: str, world: World) -> list[Row]:
    rows = world.tables[table]
    return [without_id(rows[row_id]) for row_id in sorted(world.created) if row_id in rows]


def _keyed(row: Row, shown: Shown) -> Row:
    return {shown(key): value for key, value in row.items()}


def _field_lines(place: str, ours: Row, theirs: Row, shown: Shown) -> Iterator[str]:
    for key in sorted(ours.keys() | theirs.keys()):
        if ours.get(key) != theirs.get(key):
            yield f"{place}: {shown(key)} is {ours.get(key)!r}, expected {theirs.get(key)!r}"
