"""Signals: what a detector says of one rollout, with the place that shows it.

A detector is a pure function from a `Reading` to signals, and a row of the registry: `@detector(...)` in a module of
this room that `blade.detect.detectors` lists. Its row says what the signal means and what it does not, and its role:

* `ending`: it says what ended the rollout.
* `behaviour`: it may explain a failure, unless passing rollouts of the same task show it as often.
* `evidence`: it explains nothing by itself; other findings build on it.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from blade.detect.reading import Reading

ENDING: Final = "ending"
BEHAVIOUR: Final = "behaviour"
EVIDENCE: Final = "evidence"

QUOTE_LIMIT: Final = 300
"""Characters of a quote; it is an exact part of the text of its step, or of its field."""

MOST_PLACES: Final = 20
"""Places that one rollout keeps of one signal."""


class Signal(NamedTuple):
    """One place of a rollout that shows something."""

    step: int | None
    """The step, as refs count it; None where a field shows it and the rollout has no step."""
    quote: str
    """Exact text of the step; of the field, where one is named. May be empty where the absence of text is the point."""
    detail: str = ""
    """What exactly: a tool, a kind of error, a key."""
    field: str = ""
    """The field that the quote is from, where it is not from the step."""


class Detector(NamedTuple):
    """A row of the registry."""

    name: str
    family: str
    """A word of `vocabulary.SIGNAL_FAMILIES`."""
    role: str
    cause: str
    """The usual cause of a failure that shows it, a word of `vocabulary.CAUSES`."""
    owner: str
    title: str
    """How a failure mode made of it is called."""
    meaning: str
    but: str
    """What it does not mean."""
    detect: "Callable[[Reading], Iterable[Signal]]"
    needs: str = ""
    """What the reading must hold for it to be asked at all: the name of a property of `Reading`."""


DETECTORS: Final[dict[str, Detector]] = {}
"""Name to row, filled by `detector`; `blade.detect.detectors.all_detectors` imports every module first."""


def detector(
    name: str,
    *,
    family: str,
    role: str,
    title: str,
    meaning: str,
    but: str,
    cause: str = "BI",
    owner: str = "model",
    needs: str = "",
) -> "Callable[[Callable[[Reading], Iterable[Signal]]], Callable[[Reading], Iterable[Signal]]]":
    """Register a function as the detector of the signal `name`."""

    def register(detect: "Callable[[Reading], Iterable[Signal]]") -> "Callable[[Reading], Iterable[Signal]]":
        if name in DETECTORS:
            raise ValueError(f"two detectors are named {name}")
        DETECTORS[name] = Detector(name, family, role, cause, owner, title, meaning, but, detect, needs)
        return detect

    return register


def quoted(text: str, start: int = 0, limit: int = QUOTE_LIMIT) -> str:
    """An exact part of a text, from `start` on, on one line where the first is not empty."""
    part = text[start : start + limit]
    stripped = part.lstrip()
    return stripped.split("\n", 1)[0].rstrip() or stripped
