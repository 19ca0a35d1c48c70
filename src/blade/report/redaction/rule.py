"""Rules: functions that say where private things stand in a text. All take time in proportion to its length."""

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final, NamedTuple

from blade.report.redaction.passage import Passage

KEY: Final = "key"
TOKEN: Final = "token"  # noqa: S105 - the name of a kind, no token
SECRET: Final = "secret"  # noqa: S105
PRIVATE_KEY: Final = "private-key"
EMAIL: Final = "email"
USER: Final = "user"
ADDRESS: Final = "address"
HOST: Final = "host"
ENDPOINT: Final = "endpoint"
PATH: Final = "path"
OWN: Final = "private"

MEANING: Final = {
    PRIVATE_KEY: "blocks of private keys",
    KEY: "keys and tokens in the shapes of their vendors",
    TOKEN: "bearer and basic credentials, signed tokens",
    SECRET: "passwords and other secrets beside the name that tells of them",
    EMAIL: "e-mail addresses",
    USER: "user names, known from the paths of home directories",
    ADDRESS: "addresses of private networks",
    HOST: "names of private hosts",
    ENDPOINT: "addresses at which somebody serves models",
    PATH: "paths on the file systems of clusters",
    OWN: "what the profile's own patterns match",
}
"""What is redacted, by the name that its placeholders bear."""


class Found(NamedTuple):
    """A private thing in a text."""

    start: int
    end: int
    kind: str
    """A key of `MEANING`."""


Find = Callable[[Passage], Iterator[Found]]


class Rule(NamedTuple):
    """A row of the registry."""

    place: int
    """Where two rules find the same thing, the lower place says what it is."""
    name: str
    cues: tuple[str, ...]
    """Texts in lower case of which one must be there for the rule to find anything; without any it always looks."""
    find: Find


_RULES: Final[list[Rule]] = []


def rule(place: int, *cues: str) -> Callable[[Find], Find]:
    """Register a function as a rule."""

    def register(find: Find) -> Find:
        _RULES.append(Rule(place, find.__name__, cues, find))
        return find

    return register


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule of this room, in the order of their places."""
    from blade.report import redaction

    for module in sorted(found.name for found in pkgutil.iter_modules(redaction.__path__)):
        importlib.import_module(f"{redaction.__name__}.{module}")
    return tuple(sorted(_RULES, key=lambda row: (row.place, row.name)))


def rules_for(passage: Passage) -> list[Rule]:
    """The rules that may find something; most texts have no cue of any."""
    there = passage.lowered.__contains__
    rules = all_rules() if any(map(there, _all_cues())) else _rules_without_cues()
    return [row for row in rules if not row.cues or any(map(there, row.cues))]


@cache
def _all_cues() -> tuple[str, ...]:
    return tuple(dict.fromkeys(cue for row in all_rules() for cue in row.cues))


@cache
def _rules_without_cues() -> tuple[Rule, ...]:
    return tuple(row for row in all_rules() if not row.cues)
