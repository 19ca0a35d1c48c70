"""Vocabularies: the names and words in which one and the same world appears.

Faults, solutions and verifiers know a world by its own names. What a run shows goes through a
vocabulary: tools, keys of arguments and records, fields of rows, ids, prompts, and every sentence
that an agent, a tool, a verifier or the machinery says. So nothing can be recognised by a name.
"""

import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Arguments = dict[str, Any]
Phrases = Mapping[str, str | tuple[str, ...]]
"""Sentences by what they are for. Where there are several, a rollout draws one."""

Rendering = Callable[[Arguments], Arguments]


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The names of one rendering of a world; what is not mapped keeps the world's own name.

    `tools`, `keys` and `fields` map the world's own names to those that are shown; a field that
    maps to None is left out of rows. `renderings` say how the arguments of a tool are shown where
    other keys are not enough, and `declared` describes tools that stand for several of the
    world's own. `answer` and `error` write what a tool returns. `task_id` is the form of the
    benchmark's own ids. Runs that are not `indexed` have no indices in their rows, and no
    sidecars, which are joined by them. `ending_field` is a field that names how the agent ended,
    with a word for each ending in `ending_words`. Where messages are `plain`, their content is a
    text and not a list of parts.
    """

    name: str
    phrases: Phrases
    tools: Mapping[str, str] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, str | None] = field(default_factory=dict)
    renderings: Mapping[str, Rendering] = field(default_factory=dict)
    declared: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    answer: Callable[[Any], str] = json.dumps
    error: Callable[[str, str], str] = lambda kind, message: json.dumps({"error": {"type": kind, "message": message}})
    kinds: Mapping[str, str] = field(default_factory=dict)
    task_id: str = "{benchmark}-{family}-{index:04d}"
    indexed: bool = True
    ending_field: str | None = None
    ending_words: Mapping[str, str] = field(default_factory=dict)
    plain: bool = False

    def phrase(self, purpose: str, stream: random.Random | None = None, /, **details: Any) -> str:
        """Return a sentence for a purpose, drawn where there are several, with its details filled in."""
        known = self.phrases[purpose]
        if not isinstance(known, str):
            known = known[0] if stream is None else stream.choice(known)
        return known.format(**details)

    def tool(self, name: str) -> str:
        """Return the shown name of a tool."""
        return self.tools.get(name, name)

    def key(self, name: str) -> str:
        """Return the shown name of a key."""
        return self.keys.get(name, name)

    def arguments(self, tool: str, arguments: Arguments) -> Arguments:
        """Return a call's arguments as they are shown."""
        render = self.renderings.get(tool)
        return render(arguments) if render else self.keyed(arguments)

    def keyed(self, value: Any) -> Any:
        """Return a value with the shown names of all keys in it, at any depth."""
        if isinstance(value, dict):
            return {self.key(key): self.keyed(member) for key, member in value.items()}
        if isinstance(value, list):
            return [self.keyed(member) for member in value]
        return value

    def row(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return a row with the shown names of its fields."""
        shown = {key: self.fields.get(key, key) for key in row}
        return {name: row[key] for key, name in shown.items() if name is not None}
