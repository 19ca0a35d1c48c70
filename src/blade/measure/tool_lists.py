"""Lists of tools by name, read from a row of a run: the store holds no more than their hash."""

from typing import TYPE_CHECKING, Any, Final

from blade import content
from blade.detect.toolbox import declaration_of
from blade.errors import BladeError
from blade.rollout import Rollout
from blade.scan.resolve import read_at

if TYPE_CHECKING:
    from blade.scan.store import Store

_MOST_NAMED: Final = 5

_A_ROW: Final = """
SELECT path, row, bytes FROM rollouts WHERE run = $run AND tools_hash = $tools ORDER BY file, row LIMIT 1
"""

Declared = dict[str, str]
"""Name of a tool to its declaration in canonical JSON."""


def tools_of(store: "Store", run: str, tools_hash: str) -> Declared:
    """The tools of this hash; nothing where the row cannot be read any more."""
    found = store.connection.execute(_A_ROW, {"run": run, "tools": tools_hash}).fetchone()
    if found is None:
        return {}
    try:
        return _declared(read_at(*found))
    except BladeError:
        return {}


def _declared(rollout: Rollout) -> Declared:
    try:
        tools = content.value_of(rollout.tools)
        return {name: content.canonical(tool) for tool in tools if (name := _name(tool))}
    except (ValueError, TypeError):
        return {}


def _name(tool: Any) -> str:
    name = declaration_of(tool).get("name")
    return name if isinstance(name, str) else ""


def only_in(own: Declared, other: Declared) -> str:
    """What one list has and the other has not, in words; empty where that is nothing."""
    alone = [name for name in own if name not in other]
    changed = [name for name in own if name in other and own[name] != other[name]]
    parts = [("only here: ", alone), ("declared otherwise: ", changed)]
    return "; ".join(said + _few(names) for said, names in parts if names)


def _few(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
