"""What an agent is going to do: moves, a closing message, an ending, and how its row is filed.

The solution of a task is a script, and a fault is a change of a script. Nothing here knows how
a script looks on disk.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from examples.theatre.vocabulary import Arguments

TURN_LIMIT = 16
TOKEN_LIMIT = 1024
CHARACTERS_PER_TOKEN = 4


def count_tokens(value: object) -> int:
    """Return how many tokens a value has, roughly."""
    text = value if isinstance(value, str) else json.dumps(value)
    return len(text) // CHARACTERS_PER_TOKEN + 1


class Ending(StrEnum):
    """Why the agent stopped."""

    FINISHED = "finished"
    TURN_LIMIT = "turn limit"
    TOKEN_LIMIT = "token limit"
    TIME_LIMIT = "time limit"
    CONTEXT_LIMIT = "context limit"
    BROKEN_OFF = "broken off"


@dataclass(frozen=True, slots=True)
class Move:
    """One turn with one tool call.

    `acts` tells a change of the world from a look-up. `guesses` maps what the look-up tells to
    what somebody who skips it would assume. `reply` stands in for the tool's own answer where the
    call never reaches the world; an empty one means that no answer ever comes. `note` is put
    before what the tool answers. `says` is a message in the same turn. `raw` are arguments as
    written where they are no JSON. `struck` marks where a fault shows first.
    """

    tool: str
    arguments: Arguments
    thought: str
    acts: bool = False
    guesses: Mapping[str, str] = field(default_factory=dict)
    says: str | None = None
    reply: str | None = None
    note: str | None = None
    raw: str | None = None
    struck: bool = False


def look(tool: str, thought: str, arguments: Arguments, guesses: Iterable[tuple[str, str]] = ()) -> Move:
    """Return a look-up; `guesses` pairs what it tells with what a hurried agent assumes."""
    return Move(tool, arguments, thought, guesses=dict(guesses))


def act(tool: str, thought: str, arguments: Arguments) -> Move:
    """Return a change of the world."""
    return Move(tool, arguments, thought, acts=True)


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """An attempt that gave no result and left a line in the failures file."""

    failure_class: str
    message: str
    http_status: int | None = None
    judged_response: bool = False


@dataclass(frozen=True, slots=True)
class Script:
    """All of one rollout before it is played.

    `closing` is the last message, None where the agent never gets to say one; `thinking` is what
    it thinks before that. `answer` is what it answers where an answer is asked, and `unmarked`
    says that it stands in the closing alone, without the form that was asked for. `marks` are
    fields that the collector puts on the row. `refused_call` is the HTTP status of a last model
    call that failed. A script that is `misjudged` is rejected by the verifier whatever it is worth, of one that
    is `unverified` it says nothing, and one that is not `delivered` has no row in the main file.
    """

    moves: tuple[Move, ...]
    closing: str | None
    answer: str | None = None
    ending: Ending = Ending.FINISHED
    thinking: str | None = None
    closing_struck: bool = False
    refused_call: int | None = None
    failed_attempts: tuple[FailedAttempt, ...] = ()
    misjudged: bool = False
    unverified: bool = False
    delivered: bool = True
    marks: Mapping[str, Any] = field(default_factory=dict)

    def positions(self, *, acts: bool) -> list[int]:
        """Return where the acts are, or the look-ups."""
        return [place for place, move in enumerate(self.moves) if move.acts is acts]

    def with_move(self, position: int, move: Move) -> "Script":
        """Return the script with one move replaced."""
        moves = (*self.moves[:position], move, *self.moves[position + 1 :])
        return replace(self, moves=moves)

    def stopped_before(self, position: int, closing: str | None) -> "Script":
        """Return the script that ends before a move, with another last message."""
        return replace(self, moves=self.moves[:position], closing=closing, answer=None)


def substituted(value: Any, substitutes: Mapping[str, str]) -> Any:
    """Return a value with every text that equals a key of the mapping replaced, at any depth."""
    if isinstance(value, dict):
        return {key: substituted(member, substitutes) for key, member in value.items()}
    if isinstance(value, list):
        return [substituted(member, substitutes) for member in value]
    return substitutes.get(value, value) if isinstance(value, str) else value
