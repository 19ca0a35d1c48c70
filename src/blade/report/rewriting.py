"""Rewrites every text within records; ids stay what they are, so that refs lead where they led before."""

import dataclasses
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import msgspec

_IDS: Final = frozenset({"ref", "refs", "anchor", "task", "run", "failing", "passing", "fingerprint", "schema"})
"""Attributes that name something rather than tell it."""


def rewritten(value: Any, change: Callable[[str], str]) -> Any:
    """The same value with every text changed, but for ids; what no text changed in is given back itself."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, (int, float, type(None), bytes)):
        return value
    if isinstance(value, (list, tuple)):
        return _sequence(value, change)
    if isinstance(value, dict):
        return {name: rewritten(part, change) for name, part in value.items()}
    kind: type = type(value)
    names = _attributes(kind)
    if not names:
        return value
    old = {name: getattr(value, name) for name in names if not _is_id(name, getattr(value, name))}
    new = {name: rewritten(part, change) for name, part in old.items()}
    changed = {name: part for name, part in new.items() if part is not old[name]}
    if not changed:
        return value
    replace = msgspec.structs.replace if isinstance(value, msgspec.Struct) else dataclasses.replace
    return replace(value, **changed)


def _is_id(name: str, value: Any) -> bool:
    """Whether an attribute names something: a text, or a list of texts, under a name of `_IDS`."""
    if name not in _IDS:
        return False
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(part, str) for part in value[:1]))


def _sequence(value: Any, change: Callable[[str], str]) -> Any:
    new = [rewritten(part, change) for part in value]
    if all(part is old for part, old in zip(new, value, strict=True)):
        return value
    if isinstance(value, list):
        return new
    return type(value)(*new) if hasattr(value, "_fields") else tuple(new)


@cache
def _attributes(kind: type) -> tuple[str, ...]:
    """The attributes of a record type; none for what is no record."""
    if issubclass(kind, msgspec.Struct):
        return kind.__struct_fields__
    return tuple(field.name for field in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else ()
