"""What a diagnosis says, read from its document: terms, modes and findings, with the rollouts that each names.

The shape is that of `blade.analysis/1`; a key that is missing reads as empty, so that a poor document scores badly
instead of stopping the bench.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from bench.diagnosis.truth import Key

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Term:
    """One term of a difference: a mode, its cause, how much it moved, and the rollouts behind it."""

    mode: str
    cause: str
    points: float
    beyond_noise: bool
    rollouts: frozenset[Key]

    def toward(self, direction: float) -> float:
        """Return how much it moved in a direction, negative where it moved the other way."""
        return self.points if direction >= 0 else -self.points


@dataclass(frozen=True, slots=True)
class Mode:
    """One way in which rollouts of a run fail."""

    run: str
    name: str
    cause: str
    owner: str
    rollouts: frozenset[Key]


def keys(refs: Iterable[str]) -> frozenset[Key]:
    """Return the rollouts that refs point to, whatever the step or the attempt."""
    return frozenset(_key(ref) for ref in refs)


def _key(ref: str) -> Key:
    run, _, place = ref.partition("#")[0].partition(":")
    task, _, repeat = place.partition("/")
    return (unquote(run), unquote(task), unquote(repeat).partition(".a")[0])


def comparison(document: Document) -> Document:
    """Return the one comparison of a document, or an empty one."""
    found: list[Document] = document.get("comparisons") or [{}]
    return found[0]


def delta(document: Document) -> float | None:
    """Return the difference in points."""
    return (comparison(document).get("delta") or {}).get("value")


def terms(document: Document) -> list[Term]:
    """Return the terms of the difference."""
    return [
        Term(
            mode=term["mode"],
            cause=term["cause"],
            points=term["points"],
            beyond_noise=term.get("within_noise") is False,
            rollouts=keys(term.get("refs") or ()),
        )
        for term in comparison(document).get("terms") or ()
    ]


def modes(document: Document) -> list[Mode]:
    """Return the modes of all runs."""
    return [
        Mode(run["run"], mode["mode"], mode["cause"], mode["owner"], keys(mode.get("refs") or ()))
        for run in document.get("runs") or ()
        for mode in run.get("modes") or ()
    ]


def not_measured(document: Document, run: str) -> frozenset[Key]:
    """Return the rollouts of a run that the document says are not measured."""
    return frozenset().union(
        *(
            keys(group.get("refs") or ())
            for found in document.get("runs") or ()
            if found["run"] == run
            for group in found.get("not_measured") or ()
        )
    )


def concerned_tasks(document: Document, finding: str) -> set[str]:
    """Return the tasks that the health findings of a kind name."""
    return {
        str(task).rpartition(":")[2]
        for found in document.get("health") or ()
        if found["kind"] == finding
        for task in found.get("tasks") or ()
    }
