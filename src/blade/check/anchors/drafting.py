"""From a golden report, and its rollouts where they are at hand, to a list of anchor facts worth asking for."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from blade.check.anchors import from_text
from blade.check.anchors.fact import DIFFICULTIES, AnchorFact, numbered
from blade.check.anchors.from_text import MOST_GUESSABLE, USUAL
from blade.check.anchors.guessing import guesser
from blade.check.checking import check
from blade.check.claims.claim import CONTRADICTED, SUPPORTED
from blade.check.claims.truth import Truth
from blade.check.passages import read
from blade.check.scoring.matching import Wanted
from blade.check.scoring.rarity import Rarity
from blade.check.scoring.score import MET
from blade.check.scoring.shelf import Shelf
from blade.check.scoring.statements import statements
from blade.check.text.said import Said

FROM_TEXT: Final = "text"
FROM_RUNS: Final = "findings"

_PER_SUBJECT: Final = 2


class LeftOut(NamedTuple):
    """A fact that was drafted and is not asked for."""

    fact: str
    why: str


class Drafted(NamedTuple):
    """The facts, and what was left out."""

    facts: list[AnchorFact]
    left_out: list[LeftOut]
    method: str


def draft(golden: str, *, most: int = USUAL, found: Sequence[AnchorFact] = (), truth: Truth | None = None) -> Drafted:
    """The facts of a golden report: `found` in the runs where the report holds them, then those that its text gives.

    Where `truth` is at hand, each fact is held against it and marked; a contradicted one is left out.
    """
    known = statements(read(golden))
    shelf, rarity, guess = Shelf(known), Rarity(known), guesser(golden, known)
    left_out: list[LeftOut] = []
    held = []
    for fact in found:
        credit = shelf.best(Wanted(Said.of(fact.fact), rarity)).credit
        guessability = guess(fact.fact)
        if credit < MET:
            left_out.append(LeftOut(fact.fact, "the golden report does not say it"))
        elif guessability >= MOST_GUESSABLE:
            left_out.append(LeftOut(fact.fact, "the tables of aggregates give it away"))
        else:
            held.append(fact._replace(guessability=guessability))
    told = from_text.draft(golden, most=2 * most) if len(held) < most else []
    candidates = [*_sorted(held), *_sorted(told)]
    marked = [_checked(fact, truth) for fact in candidates] if truth else candidates
    left_out += [
        LeftOut(fact.fact, f"the data contradict it: {fact.why}") for fact in marked if fact.checked == CONTRADICTED
    ]
    sound = [fact for fact in marked if fact.checked != CONTRADICTED]
    method = "+".join(name for name, part in ((FROM_RUNS, held), (FROM_TEXT, told)) if part)
    return Drafted(numbered(_spread(sound, most)), left_out, method or FROM_TEXT)


def _sorted(facts: Iterable[AnchorFact]) -> list[AnchorFact]:
    """The most telling first."""
    order = list(DIFFICULTIES)
    return sorted(facts, key=lambda fact: order.index(fact.difficulty))


def _spread(facts: Sequence[AnchorFact], most: int) -> list[AnchorFact]:
    """Facts about many things, few about each; what says the same as another one stands once."""
    subjects: Counter[str] = Counter()
    taken: list[AnchorFact] = []
    told: list[Said] = []
    for fact in facts:
        said = Said.of(fact.fact)
        if len(taken) >= most or subjects[fact.subject] >= _PER_SUBJECT or any(_same(said, each) for each in told):
            continue
        subjects[fact.subject] += 1
        taken.append(fact)
        told.append(said)
    return taken


def _same(one: Said, other: Said) -> bool:
    """Whether two facts name the same things and tell nearly the same of them."""
    common = one.concepts & other.concepts
    return one.names == other.names and 2 * len(common) > len(one.concepts | other.concepts) and bool(one.names)


def _checked(fact: AnchorFact, truth: Truth) -> AnchorFact:
    """A fact with what the data say of it."""
    found = check(fact.fact, truth)
    if found.contradictions:
        first = found.contradictions[0]
        why = f"{first.claim.subject}: {first.claim.value}; true is {first.true} ({first.source})"
        return fact._replace(checked=CONTRADICTED, why=why)
    verdict = SUPPORTED if found.counts[SUPPORTED] else "not checkable"
    return fact._replace(checked=verdict)
