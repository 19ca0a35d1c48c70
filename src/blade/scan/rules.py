"""Rules over rollouts: boolean SQL expressions, asked of a view with one row for each rollout, within bounds.

A rule is one expression: no statement, no other table, nothing that is not true or false. It runs where everything
runs that is asked of the store: without access to anything else, and for a limited time.
"""

import difflib
import json
import re
from typing import Any, Final, NamedTuple

import duckdb

from blade.detect.detectors import all_detectors
from blade.errors import QueryError
from blade.scan.ask import KINDS, within
from blade.scan.tables import ROLLOUTS

SECONDS: Final = 10.0
"""Time that one rule may take."""

_VIEW: Final = "rule_rows"
_MOST_FIELDS: Final = 400
_MOST_TOOLS: Final = 100
_LONGEST_RULE: Final = 10_000

_VALUES: Final = {
    "boolean": "max(number) {} = 1",
    "number": "max(number) {}",
    "text": "max(coalesce(text, number::VARCHAR)) {}",
}
"""A field's value among the rows of `fields`, by what it holds; the filter that chooses the field stands for `{}`."""

_FACTS: Final = tuple(
    column.name
    for column in ROLLOUTS.columns
    if column.name not in ("row", "bytes", "line") and not column.name.endswith("_hash")
)
"""Facts of a rollout that rules may name, beside its run, task, rollout, standing and ref."""

_WHO: Final = ("run", "task", "rollout", "standing", "ref")


class Names(NamedTuple):
    """What rules may name."""

    facts: list[str]
    signals: list[str]
    """`signal_<name>`: how often the signal was seen."""
    tools: list[str]
    """`calls_<tool>` and `errors_<tool>`: how often a tool was called, and how often its answer was an error."""
    fields: list[str]
    """Fields of the rows, under their own names; `field.<name>` where a fact has the name."""

    @property
    def all(self) -> list[str]:
        return [*self.facts, *self.signals, *self.tools, *self.fields]


class Rows(NamedTuple):
    """The rollouts for which a rule holds, by file and row of the store."""

    file: Any
    row: Any


def signal_name(name: str) -> str:
    """How rules name a signal."""
    return f"signal_{_snake(name)}"


def _snake(name: str) -> str:
    return re.sub(r"\W+", "_", name.strip().lower()).strip("_")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _joined(table: str, columns: str, name: str) -> str:
    return f" LEFT JOIN (SELECT file, row, {columns} FROM part_{table} GROUP BY ALL) {name} USING (file, row)"


class Rules:
    """The view that rules are asked of, made once for a connection."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self.names = self._define()

    def _define(self) -> Names:
        facts = [*_WHO, *_FACTS]
        taken = {name.lower() for name in facts}
        signals, signal_columns = self._signals(taken)
        tools, tool_columns = self._tools(taken)
        fields, field_columns = self._fields(taken)
        select = ", ".join(
            [
                *(f"r.{name}" for name in ("file", "row", *facts)),
                *(f"coalesce(s.{name}, 0) AS {name}" for name in signals),
                *(f"coalesce(a.{_quoted(name)}, 0) AS {_quoted(name)}" for name in tools),
                *(["f.* EXCLUDE (file, row)"] if fields else []),
            ]
        )
        joined = _joined("signals", signal_columns, "s")
        joined += _joined("actions", tool_columns, "a") if tools else ""
        joined += _joined("fields", field_columns, "f") if fields else ""
        self._connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {_VIEW} AS"
            f" SELECT {select} FROM rollouts r {joined} WHERE r.standing IN ('row', 'failed')"
        )
        return Names(facts, signals, tools, fields)

    def _signals(self, taken: set[str]) -> tuple[list[str], str]:
        names = {signal_name(name): name for name in all_detectors()}
        taken |= set(names)
        columns = [f"count(*) FILTER (signal = {_text(name)}) AS {shown}" for shown, name in names.items()]
        return list(names), ", ".join(columns)

    def _tools(self, taken: set[str]) -> tuple[list[str], str]:
        query = "SELECT tool FROM actions WHERE tool <> '' GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT ?"
        shown, columns = [], []
        for (tool,) in self._connection.execute(query, [_MOST_TOOLS]).fetchall():
            for prefix, extra in (("calls", ""), ("errors", " AND error IS NOT NULL")):
                name = f"{prefix}_{_snake(tool)}"
                if name not in taken:
                    taken.add(name)
                    shown.append(name)
                    columns.append(f"count(*) FILTER (tool = {_text(tool)}{extra}) AS {_quoted(name)}")
        return shown, ", ".join(columns)

    def _fields(self, taken: set[str]) -> tuple[list[str], str]:
        shown, columns = [], []
        for name, kind in self._connection.execute(KINDS, [_MOST_FIELDS]).fetchall():
            alias = f"field.{name}" if name.lower() in taken else name
            if alias.lower() in taken:  # names are not told apart by case here
                continue
            taken.add(alias.lower())
            shown.append(alias)
            columns.append(f"{_VALUES[kind].format(f'FILTER (name = {_text(name)})')} AS {_quoted(alias)}")
        return shown, ", ".join(columns)

    def holding(self, when: str, seconds: float = SECONDS) -> Rows:
        """The rollouts for which an expression is true; `QueryError` where it is no such thing."""
        self._check(when)
        query = f"SELECT file, row FROM {_VIEW} WHERE (\n{when}\n)"
        try:
            found = within(self._connection, seconds, lambda: self._connection.execute(query).fetchnumpy())
        except duckdb.InterruptException:
            raise QueryError(f"took longer than {seconds:g} s") from None
        except duckdb.Error as error:
            raise self._error(error) from None
        return Rows(found["file"], found["row"])

    def _check(self, when: str) -> None:
        """Whether a text is one expression over one rollout that is true or false."""
        if len(when) > _LONGEST_RULE:
            raise QueryError(f"longer than {_LONGEST_RULE:,} characters")
        query = f"SELECT (\n{when}\n) AS holds FROM {_VIEW}"
        try:
            tree = json.loads(self._connection.execute("SELECT json_serialize_sql(?)", [query]).fetchall()[0][0])
        except duckdb.Error as error:
            raise self._error(error) from None
        if tree.get("error"):
            raise QueryError(_plain(str(tree.get("error_message", "cannot be read"))))
        statements = tree.get("statements", [])
        node = statements[0]["node"] if len(statements) == 1 else {}
        if node.get("type") != "SELECT_NODE" or len(node.get("select_list", [])) != 1 or node.get("where_clause"):
            raise QueryError("not one expression", hint="a rule is what could stand behind WHERE")
        if _has_subquery(node["select_list"]):
            hint = "a rule speaks of one rollout: its facts, fields, signals and calls"
            raise QueryError("asks another table", hint=hint)
        try:
            [described] = self._connection.execute(f"DESCRIBE {query}").fetchall()
        except duckdb.Error as error:
            raise self._error(error) from None
        if described[1] != "BOOLEAN":
            raise QueryError(f"gives {described[1].lower()} rather than true or false")

    def _error(self, error: duckdb.Error) -> QueryError:
        """What is wrong with a rule, and which name may have been meant."""
        said = str(error)
        unknown = re.search(r'Referenced column "([^"]{1,200})" not found', said)
        if not unknown:
            return QueryError(_plain(said))
        names = {name.lower(): name for name in self.names.all}
        close = difflib.get_close_matches(unknown[1].lower(), list(names), 1, 0.5)
        meant = f"did you mean {_shown(names[close[0]])}?" if close else "`blade profile check` lists the names"
        return QueryError(f"there is no {unknown[1]}", hint=meant)


def _shown(name: str) -> str:
    return name if re.fullmatch(r"[a-z_]\w*", name) else _quoted(name)


def _plain(said: str) -> str:
    first = said.strip().split("\n")[0]
    return re.sub(r"^(?:[A-Z]\w+ )+Error: ", "", first)[:300]


def _has_subquery(value: Any) -> bool:
    """Whether any part of a syntax tree asks another table."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            if one.get("class") == "SUBQUERY" or one.get("type") in ("SELECT_NODE", "TABLE_FUNCTION"):
                return True
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
    return False
