"""The score of a candidate: facts that it holds, facts that it contradicts, evidence that is there."""

from typing import Any, Final, NamedTuple

from blade.check.scoring import contents
from blade.check.scoring.candidate import Candidate
from blade.check.scoring.evidence import Evidence, Rollouts, evidence
from blade.check.scoring.golden import MET, Fact, Golden
from blade.check.scoring.matching import Match, Wanted
from blade.check.scoring.opposing import is_of_others, opposed
from blade.check.scoring.trust import LOWERS, trust
from blade.check.text.said import turned

__all__ = ["MET", "Fact", "Golden", "Hit", "Score", "score"]

_SURE: Final = 0.85
_CONTRADICTED: Final = -0.6
"""What a contradicted fact adds."""

_UNDECIDED: Final = 0.25
"""The most that a fact counts which the candidate states and contradicts."""

_CHECKLIST: Final = {"anchor_coverage": 0.86, "evidence": 0.07, "quantitative": 0.04, "structure": 0.03}
_HOLISTIC: Final = {"golden_overlap": 0.7, "table_score": 0.3}
_OF_CHECKLIST: Final = 0.92
_ENOUGH_OVERLAP: Final = 0.55
_EXCHANGED: Final = 0.4
_DENIED: Final = 0.35
_TOLD: Final = 0.1


class Hit(NamedTuple):
    """A fact, and whether the candidate holds it."""

    id: str
    score: float
    met: bool
    fact: str
    contradicted: tuple[str, ...] = ()
    """In what the candidate says otherwise."""
    line: int | None = None
    """Where the candidate states it, or says otherwise."""


class Score(NamedTuple):
    """A candidate's score, with what it is made of."""

    final: float
    checklist: dict[str, float]
    holistic: dict[str, float]
    hits: list[Hit]
    truth: dict[str, float]
    note: str

    def document(self) -> dict[str, Any]:
        """In the shape that users know, and what is new."""
        return {
            "final_score": self.final,
            "checklist": self.checklist,
            "holistic": self.holistic,
            "truth": self.truth,
            "anchor_hits": [_hit(each) for each in self.hits],
            "note": self.note,
        }


def _hit(hit: Hit) -> dict[str, Any]:
    return {
        "id": hit.id,
        "score": hit.score,
        "met": hit.met,
        "fact": hit.fact,
        "contradicted": list(hit.contradicted),
        "line": hit.line,
    }


def score(
    candidate: str, golden: Golden, rollouts: Rollouts | None = None, *, contradicted: float | None = None
) -> Score:
    """How much of the golden report's truth a candidate holds.

    Evidence is looked up in `rollouts`, or in the golden report where there are none. `contradicted` is the share of
    the candidate's claims that the data contradict, where it was checked.
    """
    return _Scoring(Candidate(candidate, golden), rollouts, contradicted).score()


class _Scoring:
    def __init__(self, candidate: Candidate, rollouts: Rollouts | None, contradicted: float | None) -> None:
        self.candidate, self.golden = candidate, candidate.golden
        self.rollouts, self.contradicted = rollouts, contradicted

    def score(self) -> Score:
        matches = self.candidate.matches()
        hits = [self._hit(number, match) for number, match in enumerate(matches)]
        proof = evidence(self.candidate.statements, self.golden.statements, self.rollouts)
        checklist = self._checklist(hits, proof)
        holistic = self._holistic()
        truth = trust(self.candidate, matches, proof, contradicted=self.contradicted)
        told = _OF_CHECKLIST * checklist["score"] + (1 - _OF_CHECKLIST) * holistic["normalized_score"]
        final = max(0.0, min(1.0, told * truth["factor"]))
        return Score(
            round(final, 4), _rounded(checklist), _rounded(holistic), hits, _rounded(truth), self._note(hits, truth)
        )

    def _hit(self, number: int, match: Match) -> Hit:
        fact, wanted = self.golden.facts[number], self.golden.wanted[number]
        against = self._against(number, wanted)
        sound = match.credit >= _SURE and not self._is_altered(match)
        agreeing = _agreeing(wanted, match) * (_EXCHANGED if self.candidate.names_others(number, match) else 1.0)
        agreeing *= _EXCHANGED if is_of_others(wanted, match, self.golden.cast) else 1.0
        value, line = match.credit * agreeing, match.window.line if match.window else None
        if against and not sound:
            value, line = _CONTRADICTED, against[0][1]
        elif against:
            value = min(value, _UNDECIDED) if len(against) > 1 else value
        met = value >= MET
        reasons = tuple(dict.fromkeys(reason for reason, _ in against)) if not met else ()
        return Hit(fact.id, round(max(0.0, value), 3) if value >= 0 else value, met, fact.text, reasons, line)

    def _is_altered(self, match: Match) -> bool:
        copies = self.candidate.copies
        return match.window is not None and any(
            id(each) in copies and copies[id(each)].altered for each in match.window.statements
        )

    def _against(self, number: int, wanted: Wanted) -> list[tuple[str, int]]:
        """Reasons why the candidate contradicts a fact, each with its line."""
        supports = self.golden.supports[number]
        found = [
            (reason, copy.statement.line)
            for copy in self.candidate.copies.values()
            if copy.altered and id(copy.original) in supports
            for reason in copy.altered
        ]
        for match in self.candidate.shelf.about(wanted):
            found += [
                (reason, match.window.line) for reason in opposed(wanted, match, self.golden.cast) if match.window
            ]
        return found

    def _checklist(self, hits: list[Hit], proof: Evidence) -> dict[str, float]:
        facts = contents.figured(self.golden.statements)
        values = {
            "anchor_coverage": max(0.0, sum(map(_counted, hits)) / len(hits)) if hits else 0.0,
            "evidence": proof.score,
            "quantitative": min(1.0, self._held(facts) / _ENOUGH_OVERLAP),
            "structure": contents.structure(self.candidate.report, self.golden.report),
        }
        return {"score": sum(_CHECKLIST[name] * value for name, value in values.items()), **values}

    def _holistic(self) -> dict[str, float]:
        values = {
            "golden_overlap": min(1.0, self._held(contents.concrete(self.golden.statements)) / _ENOUGH_OVERLAP),
            "table_score": self._held(contents.rows(self.golden.statements)),
        }
        return {"normalized_score": sum(_HOLISTIC[name] * value for name, value in values.items()), **values}

    def _held(self, facts: Any) -> float:
        return contents.held(facts, self.candidate.shelf, self.golden.rarity)

    def _note(self, hits: list[Hit], truth: dict[str, float]) -> str:
        met = sum(hit.met for hit in hits)
        against = sum(bool(hit.contradicted) for hit in hits)
        told = f"{met} of {len(hits)} facts met, {against} contradicted"
        lowered = [name.replace("_", " ") for name, value in truth.items() if name in LOWERS and value > _TOLD]
        told += f"; lowered for: {', '.join(lowered)}" if lowered else ""
        where = "the rollouts" if self.rollouts else "the golden report"
        return f"{told}. Evidence was looked up in {where}."


def _agreeing(wanted: Wanted, match: Match) -> float:
    """Less than 1 where the passage denies what the fact affirms."""
    if match.window is None:
        return 0.0
    return max(0.0, 1 - _DENIED * max(0, len(turned(wanted.said, match.window.said)) - 1))


def _counted(hit: Hit) -> float:
    """What a fact adds: half of its credit where it is not met."""
    return hit.score if hit.met or hit.score < 0 else hit.score / 2


def _rounded(values: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in values.items()}
