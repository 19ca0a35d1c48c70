"""Tools: what an agent is told of each, and what a call of one comes back with."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from examples.theatre.schema import Schema, violations
from examples.theatre.script import count_tokens
from examples.theatre.vocabulary import Arguments, Vocabulary

Run = Callable[[Any, Arguments], Any]


class ToolError(Exception):
    """A tool cannot do what it was asked: a kind, which is a word for programs, and details for the sentence."""

    def __init__(self, kind: str, **details: Any) -> None:
        super().__init__(kind)
        self.kind = kind
        self.details = details


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: its declaration for the model and the function behind it."""

    name: str
    description: str
    parameters: Schema
    run: Run


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model gets to read, and whether it is an error."""

    text: str
    failed: bool


class Toolbox:
    """All tools of a world, by name."""

    def __init__(self) -> None:
        self.tools: dict[str, Tool] = {}

    def tool(self, description: str, *, required: Sequence[str] = (), **properties: Schema) -> Callable[[Run], Run]:
        """Register the function below as the tool of that name."""
        parameters: Schema = {
            "type": "object",
            "properties": properties,
            "required": list(required),
            "additionalProperties": False,
        }

        def register(run: Run) -> Run:
            self.tools[run.__name__] = Tool(run.__name__, description, parameters, run)
            return run

        return register


def described(description: str) -> Schema:
    """Return the schema of a text."""
    return {"type": "string", "description": description}


@cache
def declarations(
    toolbox: Toolbox, vocabulary: Vocabulary, names: tuple[str, ...], renamed: tuple[tuple[str, str], ...] = ()
) -> list[dict[str, Any]]:
    """Return tools as an agent sees them; a tool that stands for several is declared once."""
    shown: dict[str, dict[str, Any]] = {}
    for name in names:
        known = _shown_tool(toolbox.tools[name], vocabulary)
        known["name"] = dict(renamed).get(known["name"], known["name"])
        shown.setdefault(known["name"], known)
    return list(shown.values())


@cache
def declared_tokens(
    toolbox: Toolbox, vocabulary: Vocabulary, names: tuple[str, ...], renamed: tuple[tuple[str, str], ...] = ()
) -> int:
    """Return how many tokens the declarations take up."""
    return count_tokens(declarations(toolbox, vocabulary, names, renamed))


def _shown_tool(tool: Tool, vocabulary: Vocabulary) -> dict[str, Any]:
    name = vocabulary.tool(tool.name)
    own = vocabulary.declared.get(name, {})
    return {
        "type": "function",
        "name": name,
        "description": own.get("description", tool.description),
        "parameters": own.get("parameters") or _shown_schema(tool.parameters, vocabulary),
        "strict": False,
    }


def _shown_schema(schema: Schema, vocabulary: Vocabulary) -> Schema:
    properties = {vocabulary.key(key): member for key, member in schema["properties"].items()}
    return {**schema, "properties": properties, "required": [vocabulary.key(key) for key in schema["required"]]}


@dataclass(frozen=True, slots=True)
class Counter:
    """Where an agent's calls are answered: the tools that it was given, under their shown names."""

    toolbox: Toolbox
    vocabulary: Vocabulary
    declared: Mapping[str, Schema]

    def answer(self, state: Any, name: str, arguments: Arguments, raw: str | None = None) -> Reply:
        """Run a tool, named as the world names it, on a state; `raw` are arguments that are no JSON object."""
        shown = self.vocabulary.tool(name)
        try:
            if raw is not None:
                raise ToolError("not_json", tool=shown, text=raw)
            self._check(shown, self.vocabulary.arguments(name, arguments))
            result = self.toolbox.tools[name].run(state, arguments)
        except ToolError as error:
            return Reply(self._error(error), failed=True)
        return Reply(self.vocabulary.answer(self.vocabulary.keyed(result)), failed=False)

    def _check(self, shown: str, arguments: Arguments) -> None:
        if shown not in self.declared:
            raise ToolError("unknown_tool", tool=shown)
        if problems := violations(arguments, self.declared[shown]):
            raise ToolError("invalid_arguments", tool=shown, problems="; ".join(problems))

    def _error(self, error: ToolError) -> str:
        message = self.vocabulary.phrase(f"tool: {error.kind}", **error.details)
        return self.vocabulary.error(self.vocabulary.kinds.get(error.kind, error.kind), message)


def arguments_text(arguments: Arguments, raw: str | None = None) -> str:
    """Return a call's arguments as its item holds them."""
    return json.dumps(arguments) if raw is None else raw
