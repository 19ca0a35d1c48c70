"""The tools that a rollout was offered, and whether a call keeps to what they declare."""

from functools import cached_property
from typing import Any, Final, NamedTuple

from msgspec import Raw

from blade import content
from blade.detect.commands import COMMAND_KEYS

_MOST_KEPT: Final = 2_000
_LONGEST_SAID: Final = 200
_KINDS: Final = {"type": "type", "enum": "choice", "const": "choice"}


class Breach(NamedTuple):
    """How arguments break a tool's schema."""

    kind: str
    """`missing`, `unexpected`, `type`, `choice` or `other`."""
    key: str
    """The argument; for one inside another, `outer.inner`."""
    said: str


class Toolbox:
    """Declared tools by name; schemas are compiled when a call is first held against them."""

    def __init__(self, declared: list[Any]) -> None:
        self._schemas: dict[str, Any] = {}
        self._validators: dict[str, Any] = {}
        self.complete = bool(declared)
        """Whether every declared tool has a name, so that a name that is missing is unknown."""
        for tool in declared:
            function = declaration_of(tool)
            name = function.get("name")
            if not isinstance(name, str) or not name:
                self.complete = False
                continue
            schema = function.get("parameters", function.get("input_schema"))
            self._schemas[name] = schema if isinstance(schema, dict) else None

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(self._schemas)

    def __contains__(self, name: str) -> bool:
        return name in self._schemas

    def breaches(self, tool: str, arguments: Any) -> list[Breach]:
        """How these arguments break the schema of the tool; nothing where there is none that can be used."""
        try:
            validator = self._validators[tool]
        except KeyError:
            validator = self._compile(tool)
        if validator is None:
            return []
        try:
            if validator.is_valid(arguments):
                return []
            return [_breach(error) for _, error in zip(range(10), validator.iter_errors(arguments), strict=False)]
        except (ValueError, OverflowError, TypeError):  # an integer or a depth that the validator cannot hold
            return []

    def _compile(self, tool: str) -> Any:
        schema = self._schemas.get(tool)
        if tool not in self._schemas:
            return None
        self._validators[tool] = _compiled(schema) if schema else None
        return self._validators[tool]

    @cached_property
    def runners(self) -> frozenset[str]:
        """The tools that take a command or a program."""
        schemas = {name: schema.get("properties") if schema else None for name, schema in self._schemas.items()}
        return frozenset(
            name for name, keys in schemas.items() if isinstance(keys, dict) and keys.keys() & COMMAND_KEYS
        )

    @cached_property
    def required(self) -> dict[str, frozenset[str]]:
        """Of each tool the arguments that it demands."""
        found = {}
        for name, schema in self._schemas.items():
            listed = schema.get("required") if schema else None
            found[name] = (
                frozenset(key for key in listed if isinstance(key, str)) if isinstance(listed, list) else frozenset()
            )
        return found


_EMPTY: Final = Toolbox([])
_kept: dict[str, Toolbox] = {}


def toolbox_of(tools: Raw, known_by: str | None) -> Toolbox:
    """The toolbox of a list of tools; lists of the same hash share one."""
    if not tools or known_by is None:
        return _EMPTY
    if known_by not in _kept:
        if len(_kept) >= _MOST_KEPT:
            _kept.clear()
        try:
            declared = content.value_of(tools)
        except ValueError:
            declared = None
        _kept[known_by] = Toolbox(declared) if isinstance(declared, list) else _EMPTY
    return _kept[known_by]


def declaration_of(tool: Any) -> dict[str, Any]:
    """The declaration of a tool, which chat APIs nest one level deeper."""
    declared = tool if isinstance(tool, dict) else {}
    inner = declared.get("function")
    return inner if isinstance(inner, dict) else declared


def _compiled(schema: dict[str, Any]) -> Any:
    """A validator; None for a schema that is none, or that points out of itself."""
    import jsonschema_rs

    try:
        return jsonschema_rs.validator_for(
            schema,
            retriever=_refuse,
            pattern_options=jsonschema_rs.RegexOptions(),  # linear time, whatever the schema and the text are
            validate_formats=False,
        )
    except (ValueError, TypeError, OverflowError, RecursionError):
        return None


def _refuse(uri: str) -> Any:
    raise ValueError(f"schemas are not fetched: {uri}")


def _breach(error: Any) -> Breach:
    kind, path = error.kind.name, ".".join(map(str, error.instance_path))
    said = str(error.message)[:_LONGEST_SAID]
    if kind == "required":
        return Breach("missing", ".".join(filter(None, (path, str(error.kind.property)))), said)
    if kind in ("additionalProperties", "unevaluatedProperties"):
        return Breach("unexpected", ".".join(filter(None, (path, ", ".join(map(str, error.kind.unexpected))))), said)
    return Breach(_KINDS.get(kind, "other"), path, said)
