"""What lowers the score that facts alone would give: untruth that goes through a whole report."""

from collections.abc import Sequence
from math import prod
from typing import Final

from blade.check.scoring import contents, exchanged
from blade.check.scoring.belongings import Belongings
from blade.check.scoring.candidate import Candidate
from blade.check.scoring.disorder import reads_shuffled
from blade.check.scoring.evidence import Evidence
from blade.check.scoring.golden import MET, wholesale
from blade.check.scoring.ledger import Ledger, cause_agreement, outcome_agreement
from blade.check.scoring.matching import Match
from blade.check.scoring.opposing import is_of_others
from blade.check.scoring.wholesale import sign

NOISE: Final = 3
"""Altered copies that a report in honest words may have by chance."""

_SPOKEN_OF: Final = 0.3
_DISORDERED: Final = (0.05, 0.35)
_OUTCOMES: Final = (0.15, 0.5)
_NAMES: Final = (0.2, 0.5)
_RUNS: Final = (0.15, 0.45)
_EXCHANGED: Final = (0.3, 0.6)
_CLAIMS: Final = 4
"""A quarter of the claims contradicted leaves nothing to trust."""

LOWERS: Final = {
    "altered": 0.75,
    "disordered": 0.75,
    "causes_against": 0.75,
    "outcomes_against": 0.7,
    "names_against": 0.6,
    "runs_against": 0.75,
    "tasks_against": 0.75,
    "denied": 0.75,
    "turned": 0.75,
    "out_of_order": 0.75,
    "evidence_astray": 0.12,
    "misplaced": 0.12,
    "claims_against": 0.75,
}
"""By how much each kind of untruth lowers a score where it goes through a whole report."""


def trust(
    candidate: Candidate, matches: Sequence[Match], proof: Evidence, *, contradicted: float | None
) -> dict[str, float]:
    """Of each kind of untruth how far it goes through the report, 0 to 1; and the `factor` that they make together."""
    golden, copies = candidate.golden, list(candidate.copies.values())
    pairs = list(zip(golden.wanted, matches, strict=True))
    ledger = Ledger(candidate.statements, golden.cast)
    shares = {
        "altered": _altered(candidate),
        "disordered": sign(len(candidate.shuffled) / max(1, len(candidate.statements)), _DISORDERED),
        "causes_against": cause_agreement(ledger, golden.ledger, copies).share,
        "outcomes_against": sign(outcome_agreement(ledger, golden.ledger).share, _OUTCOMES),
        "names_against": sign(_exchanged(candidate, matches), _NAMES),
        "runs_against": _runs_against(candidate, matches),
        "tasks_against": sign(exchanged.of_other_tasks(pairs, candidate.shelf), _EXCHANGED),
        **wholesale(golden, matches).beyond(golden.wholesale),
        "evidence_astray": proof.astray,
        "misplaced": contents.misplaced(copies),
        "claims_against": min(1.0, _CLAIMS * (contradicted or 0.0)),
    }
    shares["turned"] = max(shares["turned"], sign(exchanged.turned_round(copies), _EXCHANGED))
    if reads_shuffled(candidate.statements):
        shares["out_of_order"] = 1.0
    return {"factor": prod(1 - LOWERS[name] * value for name, value in shares.items()), **shares}


def _altered(candidate: Candidate) -> float:
    """The share of statements that are altered copies of golden ones; few of them are no sign of anything."""
    telling = [copy for copy in candidate.copies.values() if copy.tells]
    altered = sum(bool(copy.altered) for copy in telling)
    whole = max(len(telling), len(candidate.statements) // 4, 1)
    return min(1.0, 2 * max(0, altered - NOISE) / whole)


def _exchanged(candidate: Candidate, matches: Sequence[Match]) -> float:
    """Of the facts with identifiers or titles that the candidate speaks of, the share that has others instead."""
    golden = candidate.golden
    told = [
        candidate.names_others(number, match)
        for number, match in enumerate(matches)
        if match.credit >= _SPOKEN_OF and (golden.wanted[number].things or golden.titled[number])
    ]
    return sum(told) / len(told) if len(told) > NOISE else 0.0


def _runs_against(candidate: Candidate, matches: Sequence[Match]) -> float:
    """How clearly the report tells of each run what is true of another."""
    golden = candidate.golden
    shares = (
        exchanged.of_other_runs(list(zip(golden.wanted, matches, strict=True)), golden.cast),
        exchanged.runs_of_copies(candidate.copies.values(), golden.cast),
        Belongings(candidate.statements, golden.cast).exchanged(golden.belongings),
    )
    return max(sign(_strangers(candidate, matches), _RUNS), *(sign(share, _EXCHANGED) for share in shares))


def _strangers(candidate: Candidate, matches: Sequence[Match]) -> float:
    """The share of facts that stand in a passage about other runs."""
    golden = candidate.golden
    pairs = [(wanted, match) for wanted, match in zip(golden.wanted, matches, strict=True) if match.credit >= MET]
    found = [is_of_others(wanted, match, golden.cast) for wanted, match in pairs]
    return sum(found) / len(found) if len(found) > NOISE else 0.0
