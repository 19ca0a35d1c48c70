"""The score of a candidate: facts that it holds, facts that it contradicts, evidence that is there."""

from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import Any, Final, NamedTuple

from blade.check.passages import read
from blade.check.scoring import contents
from blade.check.scoring.cast import Cast
from blade.check.scoring.copies import Copy, Originals
from blade.check.scoring.disorder import disordered, reads_shuffled
from blade.check.scoring.evidence import Evidence, Rollouts, evidence
from blade.check.scoring.ledger import Ledger, cause_agreement, outcome_agreement
from blade.check.scoring.matching import Match, Wanted, stands
from blade.check.scoring.opposing import is_of_others, opposed
from blade.check.scoring.rarity import Rarity
from blade.check.scoring.shelf import Shelf
from blade.check.scoring.statements import statements
from blade.check.scoring.titles import Titles
from blade.check.scoring.wholesale import Wholesale, sign
from blade.check.text.names import THING
from blade.check.text.said import Said, turned

MET: Final = 0.6
"""The credit from which a fact is met."""

_SURE: Final = 0.85
_CONTRADICTED: Final = -0.6
"""What a contradicted fact adds."""

_UNDECIDED: Final = 0.25
"""The most that a fact counts which the candidate states and contradicts."""

_CHECKLIST: Final = {"anchor_coverage": 0.86, "evidence": 0.07, "quantitative": 0.04, "structure": 0.03}
_HOLISTIC: Final = {"golden_overlap": 0.7, "table_score": 0.3}
_OF_CHECKLIST: Final = 0.92
_ENOUGH_OVERLAP: Final = 0.55
_NOISE: Final = 3
"""Altered copies that a report in honest words may have by chance."""

_SPOKEN_OF: Final = 0.3
_EXCHANGED: Final = 0.4
_DENIED: Final = 0.35
_DISORDERED: Final = (0.05, 0.35)
_OUTCOMES: Final = (0.15, 0.5)
_NAMES: Final = (0.2, 0.5)
_RUNS: Final = (0.15, 0.45)
_CLAIMS: Final = 4
"""A quarter of the claims contradicted leaves nothing to trust."""

_TOLD: Final = 0.1
LOWERS: Final = {
    "altered": 0.75,
    "disordered": 0.75,
    "causes_against": 0.75,
    "outcomes_against": 0.7,
    "names_against": 0.6,
    "runs_against": 0.6,
    "denied": 0.75,
    "turned": 0.75,
    "out_of_order": 0.75,
    "evidence_astray": 0.12,
    "misplaced": 0.12,
    "claims_against": 0.75,
}
"""By how much each kind of untruth lowers a score where it goes through a whole report."""


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


class Fact(NamedTuple):
    """A fact to look for."""

    id: str
    text: str


class Golden:
    """A golden report with its facts, read once for many candidates."""

    def __init__(self, source: str, facts: Sequence[Fact]) -> None:
        self.facts = list(facts)
        self.report = read(source)
        self.statements = statements(self.report)
        self.rarity = Rarity(self.statements)
        self.originals = Originals(self.statements, self.rarity)
        self.wanted = [Wanted(Said.of(fact.text), self.rarity) for fact in facts]

    @cached_property
    def ledger(self) -> Ledger:
        """What it says of each task."""
        return Ledger(self.statements, self.cast)

    @cached_property
    def cast(self) -> Cast:
        """The runs it speaks of."""
        return Cast.of(self.report)

    @cached_property
    def wholesale(self) -> Wholesale:
        """How its own words deny or turn the facts: they do not, so that it is how far words can tell."""
        return _wholesale(self, [self.own.best(wanted) for wanted in self.wanted])

    @cached_property
    def own(self) -> Shelf:
        """Its own passages."""
        return Shelf(self.statements)

    @cached_property
    def titles(self) -> Titles:
        """What it calls its failure modes and other parts."""
        return Titles(self.report)

    @cached_property
    def titled(self) -> list[list[frozenset[str]]]:
        """Of each fact the titles that it holds."""
        return [self.titles.of(wanted.said) for wanted in self.wanted]

    @cached_property
    def things(self) -> frozenset[str]:
        """The identifiers that it knows."""
        return frozenset().union(*(_things(each.said) for each in self.statements))

    @cached_property
    def named_with(self) -> list[frozenset[str]]:
        """Of each fact the identifiers that the golden report names with it."""
        known = {id(each): each for each in self.statements}
        return [
            frozenset().union(_things(wanted.said), *(_things(known[key].said) for key in keys))
            for wanted, keys in zip(self.wanted, self.supports, strict=True)
        ]

    @cached_property
    def supports(self) -> list[set[int]]:
        """Of each fact the golden statements that it stands in."""
        return [
            {id(match.window.statements[0]) for match in self.own.about(each) if match.window and match.credit >= MET}
            for each in self.wanted
        ]


def score(
    candidate: str, golden: Golden, rollouts: Rollouts | None = None, *, contradicted: float | None = None
) -> Score:
    """How much of the golden report's truth a candidate holds.

    Evidence is looked up in `rollouts`, or in the golden report where there are none. `contradicted` is the share of
    the candidate's claims that the data contradict, where it was checked.
    """
    return _Scoring(candidate, golden, rollouts, contradicted).score()


class _Scoring:
    def __init__(self, candidate: str, golden: Golden, rollouts: Rollouts | None, contradicted: float | None) -> None:
        self.golden, self.rollouts, self.contradicted = golden, rollouts, contradicted
        self.report = read(candidate)
        self.statements = statements(self.report)
        self.shuffled = disordered(self.statements, golden.statements)
        self.shelf = Shelf([each for each in self.statements if id(each) not in self.shuffled])
        self.copies: dict[int, Copy] = {}
        for each in self.statements:
            if each.is_readable and id(each) not in self.shuffled and (copy := golden.originals.copy_of(each)):
                self.copies[id(each)] = copy

    def score(self) -> Score:
        matches = [self.shelf.best(wanted) for wanted in self.golden.wanted]
        hits = [self._hit(number, match) for number, match in enumerate(matches)]
        proof = evidence(self.statements, self.golden.statements, self.rollouts)
        checklist = self._checklist(hits, proof)
        holistic = self._holistic()
        truth = self._truth(proof, matches)
        told = _OF_CHECKLIST * checklist["score"] + (1 - _OF_CHECKLIST) * holistic["normalized_score"]
        final = max(0.0, min(1.0, told * truth["factor"]))
        return Score(
            round(final, 4), _rounded(checklist), _rounded(holistic), hits, _rounded(truth), self._note(hits, truth)
        )

    def _hit(self, number: int, match: Match) -> Hit:
        fact, wanted = self.golden.facts[number], self.golden.wanted[number]
        against = self._against(number, wanted)
        sound = match.credit >= _SURE and not self._is_altered(match)
        agreeing = _agreeing(wanted, match) * (_EXCHANGED if self._names_others(number, match) else 1.0)
        agreeing *= _EXCHANGED if is_of_others(wanted, match, self.golden.cast) else 1.0
        value, line = match.credit * agreeing, match.window.line if match.window else None
        if against and not sound:
            value, line = _CONTRADICTED, against[0][1]
        elif against:
            value = min(value, _UNDECIDED) if len(against) > 1 else value
        met = value >= MET
        reasons = tuple(dict.fromkeys(reason for reason, _ in against)) if not met else ()
        return Hit(fact.id, round(max(0.0, value), 3) if value >= 0 else value, met, fact.text, reasons, line)

    def _names_others(self, number: int, match: Match) -> bool:
        """Whether a passage lacks a name of the fact and has another one of the golden report in its place."""
        if match.window is None:
            return False
        if self.golden.titles.exchanged(self.golden.titled[number], match.window):
            return True
        names = [name for name in self.golden.wanted[number].names if name.kind == THING]
        missing = [name for name in names if not stands(name, match.window)]
        return bool(missing) and bool(_things(match.window.said) & self.golden.things - self.golden.named_with[number])

    def _exchanged(self, matches: Sequence[Match]) -> float:
        """Of the facts with identifiers or titles that the candidate speaks of, the share that has others instead."""
        golden = self.golden
        told = [
            self._names_others(number, match)
            for number, match in enumerate(matches)
            if match.credit >= _SPOKEN_OF and (golden.wanted[number].things or golden.titled[number])
        ]
        return sum(told) / len(told) if len(told) > _NOISE else 0.0

    def _is_altered(self, match: Match) -> bool:
        return match.window is not None and any(
            id(each) in self.copies and self.copies[id(each)].altered for each in match.window.statements
        )

    def _against(self, number: int, wanted: Wanted) -> list[tuple[str, int]]:
        """Reasons why the candidate contradicts a fact, each with its line."""
        supports = self.golden.supports[number]
        found = [
            (reason, copy.statement.line)
            for copy in self.copies.values()
            if copy.altered and id(copy.original) in supports
            for reason in copy.altered
        ]
        for match in self.shelf.about(wanted):
            found += [
                (reason, match.window.line) for reason in opposed(wanted, match, self.golden.cast) if match.window
            ]
        return found

    def _checklist(self, hits: list[Hit], proof: Evidence) -> dict[str, float]:
        facts = contents.figured(self.golden.statements)
        values = {
            "anchor_coverage": max(0.0, sum(map(_counted, hits)) / len(hits)) if hits else 0.0,
            "evidence": proof.score,
            "quantitative": min(1.0, contents.held(facts, self.shelf, self.golden.rarity) / _ENOUGH_OVERLAP),
            "structure": contents.structure(self.report, self.golden.report),
        }
        return {"score": sum(_CHECKLIST[name] * value for name, value in values.items()), **values}

    def _holistic(self) -> dict[str, float]:
        told = contents.held(contents.concrete(self.golden.statements), self.shelf, self.golden.rarity)
        values = {
            "golden_overlap": min(1.0, told / _ENOUGH_OVERLAP),
            "table_score": contents.held(contents.rows(self.golden.statements), self.shelf, self.golden.rarity),
        }
        return {"normalized_score": sum(_HOLISTIC[name] * value for name, value in values.items()), **values}

    def _truth(self, proof: Evidence, matches: Sequence[Match]) -> dict[str, float]:
        """What lowers the score that facts alone would give."""
        copies = list(self.copies.values())
        whole = _wholesale(self.golden, matches)
        ledger, known = Ledger(self.statements, self.golden.cast), self.golden.ledger
        shares = {
            "altered": self._altered(),
            "disordered": sign(len(self.shuffled) / max(1, len(self.statements)), _DISORDERED),
            "causes_against": cause_agreement(ledger, known, copies).share,
            "outcomes_against": sign(outcome_agreement(ledger, known).share, _OUTCOMES),
            "names_against": sign(self._exchanged(matches), _NAMES),
            "runs_against": sign(_strangers(self.golden, matches), _RUNS),
            **whole.beyond(self.golden.wholesale),
            "evidence_astray": proof.astray,
            "misplaced": contents.misplaced(copies),
            "claims_against": min(1.0, _CLAIMS * (self.contradicted or 0.0)),
        }
        if reads_shuffled(self.statements):
            shares["out_of_order"] = 1.0
        return {"factor": prod(1 - LOWERS[name] * value for name, value in shares.items()), **shares}

    def _altered(self) -> float:
        """The share of statements that are altered copies of golden ones; few of them are no sign of anything."""
        telling = [copy for copy in self.copies.values() if copy.tells]
        altered = sum(bool(copy.altered) for copy in telling)
        whole = max(len(telling), len(self.statements) // 4, 1)
        return min(1.0, 2 * max(0, altered - _NOISE) / whole)

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


def _wholesale(golden: Golden, matches: Sequence[Match]) -> Wholesale:
    return Wholesale.of([(wanted.said, match) for wanted, match in zip(golden.wanted, matches, strict=True)])


def _strangers(golden: Golden, matches: Sequence[Match]) -> float:
    """The share of facts that stand in a passage about other runs."""
    pairs = [(wanted, match) for wanted, match in zip(golden.wanted, matches, strict=True) if match.credit >= MET]
    found = [is_of_others(wanted, match, golden.cast) for wanted, match in pairs]
    return sum(found) / len(found) if len(found) > _NOISE else 0.0


def _things(said: Said) -> frozenset[str]:
    return frozenset(name.id for name in said.named if name.kind == THING)


def _rounded(values: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in values.items()}
