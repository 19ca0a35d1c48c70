"""An anchor fact, and the file that holds them."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from blade.check.files import told
from blade.errors import InputError

HIGH: Final = "high"
MEDIUM: Final = "medium"
LOW: Final = "low"
DIFFICULTIES: Final = {
    HIGH: "Only who reads the steps of a rollout knows it.",
    MEDIUM: "Only who looks at single tasks, or compares rollouts, knows it.",
    LOW: "Who looks at groups of rollouts knows it.",
}

_LONGEST: Final = 4_000


class Value(NamedTuple):
    """A number of a fact, and how far off it may be said."""

    value: float
    unit: str
    of: float | None = None
    tolerance: float = 0.0


class AnchorFact(NamedTuple):
    """A fact that a report must hold."""

    id: str
    fact: str
    difficulty: str = MEDIUM
    mean_score: float | None = None
    """The mean reward, or pass rate, of the tasks it speaks of."""
    subject: str = ""
    what: str = ""
    direction: str = ""
    values: tuple[Value, ...] = ()
    entities: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()
    line: int | None = None
    """Where it stands in the golden report."""
    guessability: float | None = None
    """How much of it the tables of aggregates hold already, 0 to 1."""
    checked: str = ""
    """A word of `claims.VERDICTS`, where rollouts were at hand."""
    why: str = ""

    def document(self) -> dict[str, Any]:
        """As it stands in a file: the keys that users know first."""
        return {
            "id": self.id,
            "fact": self.fact,
            "difficulty": self.difficulty,
            "mean_score": self.mean_score,
            "subject": self.subject,
            "what": self.what,
            "direction": self.direction,
            "values": [value._asdict() for value in self.values],
            "entities": list(self.entities),
            "refs": list(self.refs),
            "line": self.line,
            "guessability": self.guessability,
            "checked": self.checked or None,
            "why": self.why or None,
        }


def document(
    facts: Sequence[AnchorFact], *, benchmark: str, model: str, method: str, generated_at: str
) -> dict[str, Any]:
    """The file of anchor facts."""
    return {
        "benchmark": benchmark,
        "model": model,
        "extraction_method": method,
        "generated_at": generated_at,
        "review_required": True,
        "anchor_facts": [fact.document() for fact in facts],
    }


def numbered(facts: Iterable[AnchorFact]) -> list[AnchorFact]:
    """Facts under the ids B1, B2, …"""
    return [fact._replace(id=f"B{number}") for number, fact in enumerate(facts, 1)]


def parse(text: str, *, file: str = "") -> list[AnchorFact]:
    """The facts of a file; `InputError` says what is wrong with one that is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"no JSON: {told(error)}", file=file, hint="anchor facts are a JSON document") from None
    listed = found.get("anchor_facts") if isinstance(found, dict) else found
    if not isinstance(listed, list):
        raise InputError(
            "no list of anchor_facts", file=file, hint='the shape is {"anchor_facts": [{"id", "fact", …}]}'
        )
    return [_fact(each, number, file) for number, each in enumerate(listed, 1)]


def _fact(found: Any, number: int, file: str) -> AnchorFact:
    told = found.get("fact") if isinstance(found, dict) else found
    if not isinstance(told, str) or not told.strip():
        raise InputError(f"anchor fact {number} has no text", file=file, hint='each needs "id" and "fact"')
    if not isinstance(found, dict):
        return AnchorFact(f"B{number}", told.strip()[:_LONGEST])
    score = found.get("mean_score")
    return AnchorFact(
        id=str(found.get("id") or f"B{number}"),
        fact=told.strip()[:_LONGEST],
        difficulty=str(found.get("difficulty") or MEDIUM),
        mean_score=float(score) if isinstance(score, (int, float)) and not isinstance(score, bool) else None,
        refs=tuple(str(ref) for ref in found.get("refs") or () if isinstance(ref, str)),
    )
