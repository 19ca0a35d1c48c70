"""Figures of sentences, and how each is to be read."""

from collections.abc import Iterator, Sequence
from typing import Final

from blade.check.claims.about import (
    Reading,
    first_parts,
    is_attached,
    is_judgement,
    parts_of,
    run_of,
    runs_above,
    settled,
)
from blade.check.claims.claim import Judged
from blade.check.claims.measures import whats_of
from blade.check.claims.mentions import RUN, runs, whats
from blade.check.claims.numbers_held import judge
from blade.check.claims.plainness import OF_PAIRS, counts, is_between, is_count_of_all, is_plainly_said, is_supposed
from blade.check.claims.scene import Sentence
from blade.check.claims.truth import SLICE, Truth
from blade.check.text.figures import COUNT, PERCENT, POINTS, Figure
from blade.check.text.names import ROLLOUT, TASK
from blade.check.text.said import Said
from blade.check.text.tokens import MARK

_MOST_FIGURES: Final = 100
"""Figures of a sentence; one that has more is a list, and nobody can say what of."""


def in_sentence(sentence: Sentence, truth: Truth) -> Iterator[Judged]:
    """The figures of a sentence that say something of the runs, each with its verdict."""
    figures = [figure for figure in sentence.said.figures if counts(figure, sentence.said, sentence.mentions)]
    if not figures or len(figures) > _MOST_FIGURES or not _speaks_of_runs(sentence):
        return
    before: Reading | None = None
    latest: dict[str, tuple[Figure, Reading]] = {}
    for number, figure in enumerate(figures):
        begin = figures[number - 1].after if number else 0
        end = figures[number + 1].place if number + 1 < len(figures) else len(sentence.said.tokens)
        reading = _read(sentence, figure, begin, end, truth)
        if before and before.sure and _goes_on(sentence, figure, end):
            reading = before._replace(runs=tuple(run_of(sentence, figure, end, truth)[0]))
        elif figure.kind in latest and (run := _carried(sentence, figure, latest[figure.kind], reading)):
            reading = latest[figure.kind][1]._replace(runs=(run,))
        if reading is not None:
            yield judge(figure, reading, truth, sentence.text, sentence.line)
        if reading is not None and reading.sure:
            latest[figure.kind] = (figure, reading)
        before = reading


def _goes_on(sentence: Sentence, figure: Figure, end: int) -> bool:
    """Whether a bare number goes on with what the number before it counts: `12 rollouts in A, 3 in B`."""
    behind = [each for each in sentence.mentions if figure.after <= each.first < min(end, figure.after + 4)]
    if figure.kind != COUNT or not behind or behind[0].kind != RUN:
        return False
    return is_attached(sentence, figure.after, behind[0].first)


def _carried(sentence: Sentence, figure: Figure, before: tuple[Figure, Reading], reading: Reading | None) -> str | None:
    """The run of a figure that goes on with the measure of one before it: `A solves 94 %; B only 70 %`."""
    earlier, told = before
    if reading is not None and reading.sure:
        return None
    tokens = sentence.said.tokens
    between = [each for each in sentence.mentions if earlier.after <= each.first < figure.place]
    behind = [each for each in sentence.mentions if figure.after <= each.first < figure.after + 3]
    named = [each for each in between if each.kind == RUN]
    if (
        len(named) != 1
        or between[-1] is not named[0]
        or any(each.key not in _NOUNS | set(told.whats) for each in between[:-1])
    ):
        return None
    if behind and not runs(behind):
        return None
    words = {token.word for token in tokens[named[0].after : figure.place] if token.kind != MARK}
    return named[0].key if words <= _GOING_ON else None


_NOUNS: Final = frozenset(["rollouts", "tasks"])


_GOING_ON: Final = frozenset(
    [
        "only",
        "just",
        "at",
        "is",
        "reaches",
        "has",
        "with",
        "solves",
        "passes",
        "gets",
        "manages",
        "scores",
        "s",
        "to",
        "uses",
        "needs",
    ]
)


def _speaks_of_runs(sentence: Sentence) -> bool:
    """Whether a sentence is about runs and their parts at all, and not about single tasks or rollouts."""
    labels = [sentence.said, *(label.said for label in sentence.above[:2])]
    kinds = {name.kind for said in labels for name in said.named}
    return bool(sentence.mentions) and not kinds & {TASK, ROLLOUT}


def _read(sentence: Sentence, figure: Figure, begin: int, end: int, truth: Truth) -> Reading | None:
    run, run_sure = run_of(sentence, figure, end, truth)
    own, attached = parts_of(sentence, figure, begin, end)
    over = own or first_parts(sentence.above)
    measures = whats_of(sentence, figure, begin, end) or _usual(sentence, figure, over)
    if not (over or measures) or (measures == ["tasks"] and _names_task(sentence, figure)):
        return None
    run_sure = (
        run_sure
        and (attached or not own)
        and not is_between(sentence, over)
        and not is_supposed(sentence.said)
        and (bool(over) or is_count_of_all(sentence, figure))
        and (
            _is_the_difference(sentence, measures)
            or is_plainly_said(sentence, figure, end, measures, of_part=bool(over))
        )
    )
    named = tuple(run) or tuple(runs_above(sentence.above))
    told = named or tuple(truth.run_names)
    run_sure = run_sure and (sentence.is_of_all or list(told) != truth.run_names or bool(runs(sentence.mentions)))
    if set(measures) & OF_PAIRS and len(runs(sentence.mentions)) == 2:
        told = tuple(runs(sentence.mentions))
    run_sure = run_sure and not is_judgement(over, shared=sentence.shares_labels)
    sure = run_sure and len(over) <= 1 and len(measures) == 1
    reading = Reading(told, tuple(over), tuple(measures), sure, _reaches(sentence), _speaks_of_failures(sentence))
    return settled(reading, sure=run_sure and len(told) == 1)


def _names_task(sentence: Sentence, figure: Figure) -> bool:
    """Whether `Tasks: 64` lists the one task that its passage speaks of, rather than counting tasks."""
    said = sentence.said.tokens[max(0, figure.place - 1) : figure.place]
    return [token.text for token in said] == [":"] and any(
        name.kind == TASK and name.key == f"{figure.value:g}" for name in Said(sentence.passage.text).named
    )


def _usual(sentence: Sentence, figure: Figure, over: Sequence[tuple[str, str]]) -> list[str]:
    """What a bare percentage of a slice is, where nothing else is spoken of."""
    is_slice = len(over) == 1 and over[0][0] == SLICE
    is_bare = figure.kind == PERCENT and not set(whats(sentence.mentions)) - _NOUNS
    return ["pass@1"] if is_slice and is_bare else []


def _is_the_difference(sentence: Sentence, measures: Sequence[str]) -> bool:
    """Whether points are all that lies between two runs: no other points are spoken of."""
    points = [figure for figure in sentence.said.figures if figure.kind == POINTS and not figure.bound]
    return list(measures) == ["delta"] and len(points) == 1 and len(runs(sentence.mentions)) == 2


def _reaches(sentence: Sentence) -> bool:
    """Whether it is told how many came as far as something."""
    return bool(_COMES & set(sentence.said.words))


def _speaks_of_failures(sentence: Sentence) -> bool:
    return "failed" in whats(sentence.mentions)


_COMES: Final = frozenset(["reach", "reaches", "reached", "came", "come", "comes", "arrive", "arrives", "arrived"])
