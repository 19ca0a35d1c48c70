"""The values within JSON, each with its key; JSON that stands in a string of JSON is opened too."""

import json
from collections.abc import Iterator
from typing import Any, Final

_LONGEST: Final = 1_000_000
_DEEPEST: Final = 40
_MOST: Final = 20_000


def leaves(line: str) -> list[tuple[str, Any]] | None:
    """Keys with values in the order of the text; None for a line that is no JSON."""
    whole = _decoded(line)
    if whole is None:
        return None
    found: list[tuple[str, Any]] = []
    for each in _walk(whole):
        found.append(each)
        if len(found) >= _MOST:
            break
    return found


def _decoded(text: str) -> Any:
    """An object or a list; None for anything else."""
    if text.lstrip()[:1] not in ("{", "[") or len(text) > _LONGEST:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _walk(whole: Any) -> Iterator[tuple[str, Any]]:
    stack: list[tuple[str, Any, int]] = [("", whole, 0)]
    while stack:
        key, value, depth = stack.pop()
        inner = _decoded(value) if isinstance(value, str) else value
        if isinstance(inner, dict | list) and depth < _DEEPEST:
            items = inner.items() if isinstance(inner, dict) else ((key, each) for each in inner)
            stack += [(str(name), each, depth + 1) for name, each in reversed(list(items))]
        elif not isinstance(value, dict | list):
            yield key, value


def written(value: Any) -> str:
    """A value as JSON has it."""
    return json.dumps(value, ensure_ascii=False)
