"""What a figure is said of: the runs and the parts that stand near it, or that it stands under."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from blade.check.claims import truth as known
from blade.check.claims.mentions import RUN, Mention, parts, runs
from blade.check.claims.scene import Label, Sentence
from blade.check.claims.truth import Truth
from blade.check.text.figures import Figure

OUTCOME_WHATS: Final = frozenset(["passed", "failed", "measured", "not measured", "missing"])


OF_ROLLOUTS: Final = frozenset([known.MODE, known.CAUSE, known.REASON, known.STAGE])


class Reading(NamedTuple):
    """How a figure is to be read."""

    runs: tuple[str, ...]
    parts: tuple[tuple[str, str], ...]
    """Kinds and names; none for a run as a whole."""
    whats: tuple[str, ...]
    sure: bool
    """Whether run, part and measure are all told."""
    reached: bool = False
    """Whether it is told how many came as far as a stage."""
    of_failing: bool = False
    """Whether failures are spoken of, so that a share of a mode or cause is one of them."""


def parts_of(sentence: Sentence, figure: Figure, begin: int, end: int) -> tuple[list[tuple[str, str]], bool]:
    """The parts that a figure is of, behind it, else before, else in the sentence; and whether they are beside it."""
    tokens, mentions = sentence.said.tokens, sentence.mentions
    first = figure.after + _is_in_brackets(sentence, figure)
    stop = next((at for at in range(first, end) if tokens[at].text in ",;()"), end)
    behind = [each for each in mentions if figure.after <= each.first < min(stop, figure.after + 6)]
    before = [
        each
        for each in mentions
        if begin <= each.first < figure.place and _is_in_clause(sentence, each.first, figure.place)
    ]
    beside = main(behind) or main(before)
    if beside:
        return beside, True
    found = main(each for each in mentions if not _is_later_clause(sentence, figure.place, each.first))
    earlier = [
        each
        for each in mentions
        if (each.kind, each.key) in found
        and each.first < figure.place
        and _is_in_clause(sentence, each.first, figure.place)
    ]
    return found, len(found) == 1 and bool(earlier)


def _is_in_brackets(sentence: Sentence, figure: Figure) -> bool:
    """Whether a figure stands in brackets of its own: `the failures (54 %) are UK`."""
    tokens = sentence.said.tokens
    behind = tokens[figure.after].text if figure.after < len(tokens) else ""
    return figure.place > 0 and tokens[figure.place - 1].text == "(" and behind == ")"


def _is_later_clause(sentence: Sentence, place: int, other: int) -> bool:
    """Whether something is named only in a clause behind a figure's own."""
    return other > place and not _is_in_clause(sentence, place, other)


_LABELS: Final = frozenset([known.CAUSE, known.SIGNAL])


def main(mentions: Iterable[Mention]) -> list[tuple[str, str]]:
    """The parts among some mentions; beside a mode neither its cause counts, nor what stands within its name."""
    found = list(mentions)
    modes = [each for each in found if each.kind == known.MODE]
    if not modes:
        return parts(found)
    inside = [
        each
        for each in found
        if each.kind in _LABELS or any(mode.first <= each.first < mode.after for mode in modes if mode is not each)
    ]
    kept = [each for each in found if each.kind == known.MODE or each not in inside]
    return parts(kept)


def is_judgement(over: Sequence[tuple[str, str]], *, shared: bool) -> bool:
    """Whether something is counted by cause in a report that does not share the data's labels: it has its own."""
    return not shared and any(kind == known.CAUSE for kind, _ in over)


def settled(reading: Reading, *, sure: bool) -> Reading:
    """What is counted of a part: of buckets it is tasks, of modes and stages rollouts, whatever became of them."""
    kinds = {kind for kind, _ in reading.parts}
    if kinds == {known.BUCKET}:
        return reading._replace(whats=("tasks",), sure=sure and len(reading.parts) == 1)
    if kinds == {known.STAGE} and not reading.whats and reading.reached:
        return reading._replace(whats=("rollouts",), sure=sure and len(reading.parts) == 1)
    if kinds <= OF_ROLLOUTS and kinds and set(reading.whats) <= OUTCOME_WHATS | {"rollouts"}:
        return reading._replace(whats=("rollouts",))
    return reading


def run_of(sentence: Sentence, figure: Figure, end: int, truth: Truth) -> tuple[list[str], bool]:
    """The runs that a figure may speak of, and whether it is one for sure."""
    mentions = [each for each in sentence.mentions if each.kind == RUN]
    named = runs(mentions)
    if len(named) == 1:
        is_near = any(_is_in_clause(sentence, each.first, figure.place) for each in mentions)
        return named, is_near or _is_subject(sentence, mentions[0])
    if not named:
        return runs_above(sentence.above) or truth.run_names, True
    if beside := [each for each in mentions if each.after == figure.place]:
        return [beside[0].key], True
    behind = [each for each in mentions if figure.after <= each.first < min(end, figure.after + 7)]
    if behind and is_attached(sentence, figure.after, behind[0].first):
        return [behind[0].key], True
    return _runs_of_clause(sentence, mentions, figure) or named, True


def _runs_of_clause(sentence: Sentence, mentions: Sequence[Mention], figure: Figure) -> list[str]:
    """The runs that share a clause with a figure; behind `A:` it is A alone, up to the next of the kind."""
    tokens = sentence.said.tokens
    titles = [each for each in mentions if each.after < len(tokens) and tokens[each.after].text == ":"]
    before = [each for each in titles if each.after < figure.place]
    if before:
        return [before[-1].key]
    return runs(each for each in mentions if _is_in_clause(sentence, each.first, figure.place))


def _is_in_clause(sentence: Sentence, one: int, other: int) -> bool:
    """Whether no semicolon stands between two places."""
    return all(token.text != ";" for token in sentence.said.tokens[min(one, other) : max(one, other)])


def _is_subject(sentence: Sentence, run: Mention) -> bool:
    """Whether all clauses of a sentence are about the run that it opens with."""
    before = {token.word for token in sentence.said.tokens[: run.first]}
    return run.first <= _OPENING and "than" not in before and not _OTHERS & set(sentence.said.words)


_OPENING: Final = 4
_OTHERS: Final = frozenset(
    ["other", "others", "latter", "former", "second", "baseline", "candidate", "both", "together"]
)
"""Words for a run that is not named."""


_TO: Final = frozenset(
    ["in", "of", "for", "by", "with", "on", "(", "rollouts", "tasks", "measured", "its", "the", "run", "pass@1", "%"]
)


def is_attached(sentence: Sentence, begin: int, end: int) -> bool:
    """Whether only words such as `in` stand between a figure and a run."""
    return all(token.word in _TO for token in sentence.said.tokens[begin:end]) and begin < end


def runs_above(above: Sequence[Label]) -> list[str]:
    """The runs of the nearest label that names any."""
    for label in above:
        if found := runs(label.mentions):
            return found
    return []


def first_parts(above: Sequence[Label]) -> list[tuple[str, str]]:
    """The parts of the nearest label that names any."""
    for label in above:
        if found := main(label.mentions):
            return found
    return []
