"""Facts drafted from the text of a golden report, where no rollouts are at hand."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from blade.check.anchors.fact import HIGH, LOW, MEDIUM, AnchorFact, Value, numbered
from blade.check.anchors.guessing import guesser
from blade.check.passages import ROW, Passage, read
from blade.check.scoring.matching import Wanted
from blade.check.scoring.rarity import Rarity
from blade.check.scoring.shelf import Shelf
from blade.check.scoring.statements import Statement, statements
from blade.check.text.agreeing import step_of
from blade.check.text.blocks import CODE
from blade.check.text.figures import OF
from blade.check.text.names import CAUSE, QUOTE, REFERENCE, ROLLOUT, STEP, TASK, THING
from blade.check.text.said import Said, causes
from blade.check.text.tokens import tokens

USUAL: Final = 25
"""Facts of a report."""

MOST_GUESSABLE: Final = 0.5
"""A fact that the tables hold to this degree is left out."""

_LEAST_HELD: Final = 0.85
"""How well the golden report itself must hold a fact."""

_FEWEST_WORDS: Final = 6
_MOST_WORDS: Final = 70
_PER_SUBJECT: Final = 2
_DULL: Final = frozenset(
    [
        "aggregate",
        "aggregated",
        "inventory",
        "artifact",
        "artifacts",
        "reproducibility",
        "reproduce",
        "funnel",
        "appendix",
        "contents",
        "changelog",
    ]
)


class _Draft(NamedTuple):
    """A statement that could be a fact."""

    text: str
    said: Said
    statement: Statement
    subject: str
    worth: float


def draft(golden: str, *, most: int = USUAL) -> list[AnchorFact]:
    """The most concrete facts of a report, spread over what it speaks of, none that its tables give away."""
    known = statements(read(golden))
    rarity, shelf, guess = Rarity(known), Shelf(known), guesser(golden, known)
    drafts = sorted(_drafts(known, rarity), key=lambda each: (-each.worth, each.statement.line))
    taken: list[AnchorFact] = []
    subjects: Counter[str] = Counter()
    told: set[str] = set()
    for each in drafts:
        if len(taken) >= most:
            break
        if subjects[each.subject] >= _PER_SUBJECT or each.said.flat in told:
            continue
        guessability = guess(each.text)
        if guessability >= MOST_GUESSABLE or shelf.best(Wanted(each.said, rarity)).credit < _LEAST_HELD:
            continue
        subjects[each.subject] += 1
        told.add(each.said.flat)
        taken.append(_fact(each, guessability))
    return numbered(sorted(taken, key=lambda fact: fact.line or 0))


def _drafts(known: Sequence[Statement], rarity: Rarity) -> Iterator[_Draft]:
    for each in known:
        passage = each.passage
        if passage.kind == CODE or not each.is_readable or _is_dull(passage):
            continue
        subject = _subject(each)
        text = _alone(each, subject)
        said = Said.of(text)
        if not _FEWEST_WORDS <= len(said.words) <= _MOST_WORDS:
            continue
        worth = _worth(said, rarity, in_table=passage.kind == ROW)
        if worth > 0:
            yield _Draft(text, said, each, subject or passage.section, worth)


def _is_dull(passage: Passage) -> bool:
    return bool({token.word for token in tokens(passage.section)} & _DULL)


def _subject(statement: Statement) -> str:
    """What a statement is about: the task that it names, or the heading it stands under."""
    for said in (statement.said, statement.above):
        tasks = list(dict.fromkeys(name.key for name in said.named if name.kind == TASK))
        if len(tasks) == 1:
            return f"Task {tasks[0]}"
        if tasks:
            return "Tasks " + ", ".join(tasks[:6])
    deep = statement.passage.headings[2:]
    return deep[-1] if deep else ""


def _alone(statement: Statement, subject: str) -> str:
    """A statement that can be read alone: with its subject, where only the heading tells it."""
    text = " ".join(statement.said.inline.text.split())
    text = re.sub(r"[;,:]$", "", text)
    if subject and Said.of(subject).names - statement.said.names:
        return f"{subject}: {text}"
    is_titled = any(word in statement.said.flat for word in Said.of(subject).words if len(word) > 3)
    return text if not subject or is_titled or statement.said.names else f"{subject}: {text}"


def _worth(said: Said, rarity: Rarity, *, in_table: bool) -> float:
    """How concrete a statement is; 0 for one that says nothing one could be wrong about."""
    kinds = Counter(name.kind for name in set(said.named))
    names = 2.0 * min(kinds[TASK], 2) + min(kinds[THING] + kinds[QUOTE], 4) + 0.5 * min(kinds[ROLLOUT], 2)
    names += 0.4 * min(kinds[REFERENCE] + kinds[STEP], 2)
    figures = sum(0.3 if figure.bound else 1.0 for figure in said.figures)
    told = sum(rarity.concept(word) for word in said.concepts)
    if not names or not (figures or said.signs or causes(said)) or len(said.concepts) < (2 if in_table else 3):
        return 0.0
    worth = names + min(figures, 4) + 0.5 * len(causes(said)) + min(told, 4) + 0.3 * len(said.signs)
    return worth * (0.6 if in_table else 1.0)


def _fact(found: _Draft, guessability: float) -> AnchorFact:
    said = found.said
    return AnchorFact(
        id="",
        fact=found.text,
        difficulty=_difficulty(said),
        mean_score=_mean_score(said),
        subject=found.subject,
        what=found.statement.passage.section,
        direction=", ".join(sorted(f"{axis} {min(signs):+d}" for axis, signs in said.signs.items() if len(signs) == 1)),
        values=tuple(_values(said)),
        entities=tuple(dict.fromkeys(name.id for name in said.named if name.kind not in (REFERENCE, CAUSE)))[:12],
        refs=tuple(dict.fromkeys(name.key for name in said.named if name.kind == REFERENCE)),
        line=found.statement.line,
        guessability=guessability,
    )


def _difficulty(said: Said) -> str:
    kinds = {name.kind for name in said.named}
    if kinds & {REFERENCE, ROLLOUT, STEP} or (TASK in kinds and kinds & {THING, QUOTE}):
        return HIGH
    return MEDIUM if TASK in kinds else LOW


def _mean_score(said: Said) -> float | None:
    """The pass rate that the fact itself gives for the one task it speaks of."""
    tasks = {name.key for name in said.named if name.kind == TASK}
    rates = [value / whole for value, whole, figure in said.passes if figure.kind == OF and whole and whole <= 64]
    return round(rates[0], 3) if len(tasks) == 1 and len(rates) == 1 else None


def _values(said: Said) -> Iterator[Value]:
    for figure in said.figures[:12]:
        if not figure.bound:
            yield Value(figure.value, figure.kind, figure.of, 0.0 if figure.kind == OF else step_of(figure))
