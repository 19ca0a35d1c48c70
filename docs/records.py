"""The keys of `analysis.json` as tables: from the schema, with what the types that write it say of each key."""

import ast
import importlib
import inspect
import pkgutil
import textwrap
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any, Final

import msgspec

import blade.explain
import blade.measure
import blade.report
from blade.report.schema import analysis_schema

_ROOMS: Final = (blade.measure, blade.explain, blade.report)
_BEGINNING: Final = "#/$defs/"


def tables() -> Iterator[tuple[str, str, list[tuple[str, str, str]]]]:
    """Every record that stands in the file, the file itself first: its name, what it is, and its keys."""
    schema = analysis_schema()
    known, waiting, seen = schema["$defs"], [_name(schema["$ref"])], []
    while waiting:
        name = waiting.pop(0)
        if name in seen:
            continue
        seen.append(name)
        keys = known[name].get("properties", {})
        meanings = _meanings(_types()[name])
        yield (
            name,
            known[name].get("description", ""),
            [(key, _type(of), meanings.get(key, "")) for key, of in keys.items()],
        )
        waiting += [_name(ref) for of in keys.values() for ref in _refs(of)]


def _name(ref: str) -> str:
    return ref.removeprefix(_BEGINNING)


def _refs(of: Any) -> Iterator[str]:
    if isinstance(of, dict):
        if "$ref" in of:
            yield of["$ref"]
        for part in of.values():
            yield from _refs(part)
    elif isinstance(of, list):
        for part in of:
            yield from _refs(part)


def _type(of: dict[str, Any]) -> str:
    """A type in words."""
    if "$ref" in of:
        return _name(of["$ref"])
    if "anyOf" in of:
        return " or ".join(_type(each) for each in of["anyOf"])
    if of.get("type") == "array":
        items = of.get("items") or {}
        if "prefixItems" in of:
            return f"({', '.join(_type(each) for each in of['prefixItems'])})"
        return f"list of {_type(items)}" if items else "list"
    if of.get("type") == "object" and isinstance(of.get("additionalProperties"), dict):
        return f"map to {_type(of['additionalProperties'])}"
    return of.get("type", "any value")


@cache
def _types() -> dict[str, type]:
    """Every record of the rooms that make findings, by its name in the schema."""
    found: dict[str, type] = {}
    for room in _ROOMS:
        for module in _modules(room):
            for name, kind in inspect.getmembers(module, inspect.isclass):
                if issubclass(kind, msgspec.Struct) and kind.__module__ == module.__name__:
                    found[name] = kind
    return found


def _modules(room: ModuleType) -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
        yield importlib.import_module(found.name)


def _meanings(kind: type) -> dict[str, str]:
    """What the texts below the attributes of a record say, those of its bases too; by their names in the file."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if issubclass(base, msgspec.Struct) and base is not msgspec.Struct:
            found |= _texts(base)
    names = {info.name: info.encode_name for info in msgspec.structs.fields(kind)}  # type: ignore[type-var]
    return {names.get(name, name): " ".join(text.split()) for name, text in found.items()}


def _texts(kind: type) -> dict[str, str]:
    """The text that stands below each attribute in the source."""
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    assert isinstance(body, ast.ClassDef)
    found: dict[str, str] = {}
    for before, after in zip(body.body, body.body[1:], strict=False):
        if (
            isinstance(before, ast.AnnAssign)
            and isinstance(before.target, ast.Name)
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
        ):
            found[before.target.id] = str(after.value.value)
    return found
