"""One case in judgement: what is true, what was said, and what became of each check."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from bench.diagnosis.cases import Case
from bench.diagnosis.document import Document, terms
from bench.diagnosis.truth import KNOWLEDGE, TELLING_REPEATS, Key, Told, Truth, differences, points

CHECKS: Final = (
    "verdict",
    "delta",
    "cause",
    "shares",
    "precision",
    "recall",
    "owner",
    "decoys",
    "story",
    "health",
)
UNKNOWN: Final = "unknown"
PRECISION_NEEDED: Final = 0.9
RECALL_NEEDED: Final = 0.8


@dataclass(slots=True)
class Score:
    """What became of every check of one case: right, wrong, or None where it was not asked; and why."""

    checks: dict[str, bool | None] = field(default_factory=lambda: dict.fromkeys(CHECKS))
    why: dict[str, str] = field(default_factory=dict)

    def note(self, check: str, right: bool, why: str = "") -> None:
        """Record one check, and where it is wrong, what was said in place of what is true."""
        self.checks[check] = right
        if not right:
            self.why[check] = why

    @property
    def perfect(self) -> bool:
        return False not in self.checks.values()


@dataclass(frozen=True, slots=True)
class Judging:
    """One case, its truth and what was said of it."""

    case: Case
    truth: Truth
    document: Document
    score: Score

    @property
    def direction(self) -> float:
        return float(differences(self.truth).sum())

    def cause_of(self, cause: str | None) -> str:
        """Return the cause as far as it can be told: few repeats do not tell gaps from unreliable knowledge."""
        if self.case.repeats < TELLING_REPEATS and cause in (*KNOWLEDGE, UNKNOWN):
            return "KG or UK"
        return cause or ""

    def true_points(self) -> dict[str, float]:
        return points(self.truth, lambda told: self.cause_of(told.cause))

    def said_points(self) -> dict[str, float]:
        said: defaultdict[str, float] = defaultdict(float)
        for term in terms(self.document):
            said[self.cause_of(term.cause)] += term.points
        return dict(said)


def decided_by(rollouts: Iterable[Told], fault: str) -> set[Key]:
    """Return the rollouts that a fault decided."""
    return {told.key for told in rollouts if told.fault == fault}
