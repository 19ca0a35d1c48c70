"""Check a tool call's arguments against the part of JSON Schema that the tools here use."""

import re
from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}


def violations(value: object, schema: Schema, place: str = "arguments") -> list[str]:
    """Return what is wrong with a value, one readable line each; nothing means valid."""
    return list(_violations(value, schema, place))


def _violations(value: object, schema: Schema, place: str) -> Iterator[str]:
    wanted = schema["type"]
    # JSON keeps booleans and numbers apart; Python's bool is an int.
    if not isinstance(value, _TYPES[wanted]) or (isinstance(value, bool) and wanted != "boolean"):
        yield f"{place} must be of type {wanted}"
    elif isinstance(value, dict):
        yield from _object_violations(value, schema)
    elif isinstance(value, list):
        yield from _array_violations(value, schema, place)
    else:
        yield from _scalar_violations(value, schema, place)


def _object_violations(value: dict[str, Any], schema: Schema) -> Iterator[str]:
    properties = schema["properties"]
    for name in schema.get("required", ()):
        if name not in value:
            yield f"'{name}' is required"
    for name, member in value.items():
        if name in properties:
            yield from _violations(member, properties[name], name)
        else:
            yield f"'{name}' is not known; known are {', '.join(properties)}"


def _array_violations(value: list[Any], schema: Schema, place: str) -> Iterator[str]:
    if len(value) < schema.get("minItems", 0):
        yield f"{place} must have at least {schema['minItems']} entries"
    for position, member in enumerate(value):
        yield from _violations(member, schema["items"], f"{place}[{position}]")


def _scalar_violations(value: Any, schema: Schema, place: str) -> Iterator[str]:
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place} must be one of {', '.join(schema['enum'])}"
    if "pattern" in schema and not re.fullmatch(schema["pattern"], value):
        yield f"{place} must look like {schema['description']}, not '{value}'"
    if "minimum" in schema and value < schema["minimum"]:
        yield f"{place} must be at least {schema['minimum']}"
