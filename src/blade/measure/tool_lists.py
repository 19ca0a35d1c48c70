"""Lists of tools by name, read from a row of a run: the store holds no more than their hash."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from blade import content
from blade.artifacts.files import read_row
from blade.artifacts.nemo_gym.rollouts import RolloutReader
from blade.errors import InputError
from blade.rollout import Place, Rollout

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
    path, row, length = found
    try:
        line = read_row(Path(path), row, length)
    except InputError:
        return {}
    rollout = RolloutReader().read(line, Place(path, row, length, 0))
    return _declared(rollout) if isinstance(rollout, Rollout) else {}


def _declared(rollout: Rollout) -> Declared:
    try:
        tools = content.value_of(rollout.tools)
        return {name: content.canonical(tool) for tool in tools if (name := _name(tool))}
    except (ValueError, TypeError):
        return {}


def _name(tool: Any) -> str:
    """The name of a declared tool, which chat APIs nest one level deeper."""
    declared = tool.get("function") if isinstance(tool, dict) and isinstance(tool.get("function"), dict) else tool
    name = declared.get("name") if isinstance(declared, dict) else None
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
