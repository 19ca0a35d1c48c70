"""Every section and key of a profile, with what it may hold: the one place to add one."""

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from blade.vocabulary import CAUSES, OWNERS

NAME: Final = re.compile(r"[\w][\w .,:/()’'-]{0,79}")
"""What stages and modes may be called."""


class Key(NamedTuple):
    """A key of a section."""

    name: str
    what: str
    """What it holds, in words."""
    meaning: str
    fits: Callable[[Any], bool]
    needed: bool = False


class Section(NamedTuple):
    """A section of a profile; a listed one stands in it any number of times, as `[[name]]`."""

    name: str
    meaning: str
    keys: tuple[Key, ...]
    listed: bool = False

    def key(self, name: str) -> Key | None:
        return next((key for key in self.keys if key.name == name), None)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < float("inf")


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(NAME.fullmatch(value))


def _are_patterns(value: Any) -> bool:
    return _are_texts(value) and all(map(_compiles, value))


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


_NAMED: Final = Key("name", "a short name", "What it is called in results.", _is_name, needed=True)
_WHEN: Final = Key(
    "when",
    "a SQL expression that is true or false",
    "Which rollouts it holds for: over facts, fields, signals and calls.",
    _is_text,
    needed=True,
)

SECTIONS: Final = (
    Section(
        "benchmark",
        "What the profile is about.",
        (
            Key("name", "a text", "The benchmark's name.", _is_text),
            Key("note", "a text", "Anything a reader should know.", _is_text),
        ),
    ),
    Section(
        "tasks",
        "What names a task.",
        (Key("id_fields", "a list of names", "Fields that name a task, before the usual ones.", _are_texts),),
    ),
    Section(
        "pass",
        "When a rollout passes.",
        (Key("threshold", "a number", "The reward from which on a rollout passes; 1 without it.", _is_number),),
    ),
    Section(
        "slices",
        "What to slice by.",
        (Key("fields", "a list of names", "Fields that say what kind of task a task is.", _are_texts),),
    ),
    Section(
        "answers",
        "Where the rows say what is expected and what was given.",
        (
            Key("expected", "a list of names", "Fields with what is expected.", _are_texts),
            Key("given", "a list of names", "Fields with what was given, in the same order.", _are_texts),
        ),
    ),
    Section(
        "redact",
        "What must not be shared.",
        (Key("patterns", "a list of regular expressions", "Text that is taken out of what is shared.", _are_patterns),),
    ),
    Section(
        "stage",
        "A stage of the way to a pass, in order.",
        (_NAMED, _WHEN),
        listed=True,
    ),
    Section(
        "mode",
        "A failure mode, the most telling first.",
        (
            _NAMED,
            Key("title", "a text", "How it is told; its name without one.", _is_text),
            _WHEN,
            Key("cause", f"one of {', '.join(CAUSES)}", "Its cause.", CAUSES.__contains__, needed=True),
            Key("owner", f"one of {', '.join(OWNERS)}", "Who can act on it.", OWNERS.__contains__, needed=True),
        ),
        listed=True,
    ),
)


def section(name: str) -> Section | None:
    """The section of this name."""
    return next((each for each in SECTIONS if each.name == name), None)
