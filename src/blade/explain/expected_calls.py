"""Lists of expected calls, recognised by what they hold: objects with the name of a tool and its arguments.

A name such as `expected_actions` helps where the data leave it open, and decides nothing else. What rollouts of one
task differ in is a record of what they did, not what was expected of them.
"""

import ast
import re
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from blade import content
from blade.explain.cases import Cases
from blade.explain.rereading import Spot, field_of, read_again
from blade.scan.tables import FIELD_LIMIT

MOST_READ: Final = 5_000
"""Rows that are read again because their list does not fit into the store."""

MOST_CALLS: Final = 100
"""Calls of one list that are looked at."""

_MOSTLY: Final = 0.5
_SLIPS: Final = 0.02
"""Share of tasks whose rollouts may differ in what is expected of them."""

_REPEATED: Final = 3
"""Tasks with several rollouts from which on these tell whether a field belongs to the task."""

_ARGUMENT_KEYS: Final[tuple[str, ...]] = (
    "arguments", "args", "kwargs", "parameters", "params", "input", "inputs", "argument", "parameter",
)  # fmt: skip
_NO_ARGUMENTS: Final = frozenset((
    "id", "call_id", "action_id", "type", "order", "step", "index", "requestor", "info", "compare_args", "comment",
    "description", "reward", "status",
))  # fmt: skip
_WRITTEN: Final = re.compile(r"\s*([A-Za-z_][\w.]{0,80})\(")
_LONGEST_WRITTEN: Final = 500
_DEEPEST: Final = 4
"""Objects within objects in which a call is looked for."""

SAYS_EXPECTED: Final = re.compile(
    r"expect|gold|target|referenc|truth|correct|oracle|solution|required|desired|label|goal|should|ideal", re.IGNORECASE
)
"""Names of fields that say what ought to be."""

_LISTS: Final = """
SELECT name, count(*) FILTER (values > 1) AS varied, count(*) FILTER (rollouts > 1) AS repeated
FROM (SELECT task, name, count(DISTINCT text) AS values, count(*) AS rollouts, bool_or(text <> '[]') AS filled
      FROM {table} WHERE kind = 'list' AND (text = '[]' OR starts_with(text, '[{{') OR starts_with(text, '["'))
      AND {standing} GROUP BY ALL)
GROUP BY name HAVING bool_or(filled) ORDER BY name
"""
_VALUES: Final = """
SELECT DISTINCT ON (run, task) run, task, file, row, text FROM {table}
WHERE name = $name AND kind = 'list' AND {standing} ORDER BY run, task, file, row
"""
_TABLES: Final = ({"table": "fields", "standing": "standing = 'row'"}, {"table": "input_fields", "standing": "true"})

Expected = list[tuple[str, Any]]
"""Calls, each with its tool and its arguments."""


class ExpectedCalls(NamedTuple):
    """A field that lists the calls which are expected, and what it holds of each task."""

    field: str
    by_task: dict[int, Expected]


def expected_calls(cases: Cases, tools: Iterable[str]) -> ExpectedCalls | None:
    """The field with the expected calls, where there is one; the list of a task may be empty."""
    known = frozenset(tools)
    for table in _TABLES:
        for name in _candidates(cases, table):
            found = _by_task(cases, name, table, known)
            named = [tool for calls in found.values() for tool, _ in calls]
            if named and sum(tool in known for tool in named) >= _MOSTLY * len(named):
                return ExpectedCalls(name, found)
    return None


def _candidates(cases: Cases, table: Mapping[str, str]) -> list[str]:
    """Fields that hold lists and belong to the task rather than to the rollout; telling names first."""
    rows = cases.store.connection.execute(_LISTS.format(**table)).fetchall()
    kept = []
    for name, varied, repeated in rows:
        told = bool(SAYS_EXPECTED.search(name))
        of_task = varied <= _SLIPS * repeated if repeated >= _REPEATED else told
        if of_task or table["table"] == "input_fields":
            kept.append((not told, name))
    return [name for _, name in sorted(kept)]


def _by_task(cases: Cases, name: str, table: Mapping[str, str], known: frozenset[str]) -> dict[int, Expected]:
    """What a field holds of each task; nothing where its values are no lists of calls."""
    place = _numbers(cases)
    found: dict[int, Expected] = {}
    cut: dict[Spot, int] = {}
    waiting: set[int] = set()
    for run, task, file, row, text in cases.store.connection.execute(
        _VALUES.format(**table), {"name": name}
    ).fetchall():
        number = place.get((run, task))
        if number is None or number in found or number in waiting:
            continue
        if len(text) >= FIELD_LIMIT:
            cut[file, row] = number
            waiting.add(number)
        elif (calls := calls_in(_decoded(text), known)) is not None:
            found[number] = calls
    for spot, rollout in read_again(cases.store, list(cut)[:MOST_READ]):
        calls = calls_in(field_of(rollout, name), known)
        if calls is not None:
            found[cut[spot]] = calls
    return found


def _numbers(cases: Cases) -> dict[tuple[str, str], int]:
    """The number of each task by its run and its name there."""
    found = {}
    for run, panel in enumerate(cases.panels):
        span = cases.of_run(run)
        numbers = dict(zip(panel.task.tolist(), cases.task[span].tolist(), strict=True))
        found.update({(panel.run, panel.tasks[task]): number for task, number in numbers.items()})
    return found


def _decoded(text: str) -> Any:
    try:
        return content.value_of(text)
    except ValueError:
        return None


def calls_in(value: Any, known: frozenset[str]) -> Expected | None:
    """The calls that a list holds; None where it is no list of calls."""
    if not isinstance(value, list):
        return None
    read = [_call_in(each, known) for each in value[:MOST_CALLS]]
    found = [call for call in read if call is not None]
    return found if len(found) == len(read) else None


def _call_in(item: Any, known: frozenset[str], depth: int = _DEEPEST) -> tuple[str, Any] | None:
    if isinstance(item, str):
        return _written(item)
    if not isinstance(item, dict) or not item:
        return None
    for inner in ("function", "call", "tool_call", "action"):
        if isinstance(item.get(inner), dict):
            return _call_in(item[inner], known, depth - 1) if depth else None
    named = [key for key, value in item.items() if isinstance(value, str) and value in known]
    if named:
        return item[named[0]], _arguments(item, named[0])
    if len(item) == 1 and (tool := next(iter(item))) in known and isinstance(item[tool], dict):
        return tool, item[tool]
    usual = next(
        (key for key in ("name", "tool", "tool_name", "function", "action") if isinstance(item.get(key), str)), None
    )
    own = next((key for key in _ARGUMENT_KEYS if isinstance(item.get(key), dict)), None)
    return (item[usual], item[own]) if usual and own else None


def _arguments(item: dict[str, Any], name_key: str) -> Any:
    """What a call is made with: under a key of its own, else what stands beside the name."""
    usual = next((key for key in _ARGUMENT_KEYS if key in item), None)
    if usual is None:
        objects = [key for key, value in item.items() if isinstance(value, dict)]
        if len(objects) != 1:
            return {key: value for key, value in item.items() if key != name_key and key not in _NO_ARGUMENTS}
        usual = objects[0]
    value = item[usual]
    if isinstance(value, str):
        opened = _decoded(value)
        return opened if isinstance(opened, dict) else value
    return value if value is not None else {}


def _written(text: str) -> tuple[str, Any] | None:
    """A call that is written as programs do: `book(day="2026-03-10", seats=2)`."""
    if len(text) > _LONGEST_WRITTEN or not _WRITTEN.match(text):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what it warns of, such as an odd backslash, is the author's affair
            tree = ast.parse(text.strip(), mode="eval").body
        if not isinstance(tree, ast.Call) or tree.args:
            return None
        arguments = {each.arg: ast.literal_eval(each.value) for each in tree.keywords if each.arg}
        return ast.unparse(tree.func), arguments
    except (SyntaxError, ValueError, RecursionError, MemoryError, TypeError):
        return None
