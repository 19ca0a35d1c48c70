"""Claims that one run is higher, better or worse than another, and that something is in one run only."""

from collections.abc import Iterator, Sequence
from typing import Final

from blade import numbers
from blade.check.claims import truth as known
from blade.check.claims.claim import Claim, Judged, contradicted, supported
from blade.check.claims.mentions import RUN, Mention, parts, whats
from blade.check.claims.scene import Scene, Sentence
from blade.check.claims.truth import Truth
from blade.check.text.directions import Direction
from blade.check.text.figures import POINTS
from blade.check.text.names import TASK

KIND: Final = "direction"

_WORSE_IF_MORE: Final = frozenset(["failed", "failing", "lost", "not measured", "missing", "cost"])
_ABOUT_QUALITY: Final = frozenset(
    ["better", "worse", "outperforms", "outperformed", "underperforms", "underperformed", "ahead", "behind"]
)
_CHANGES: Final = frozenset(
    [
        "improves",
        "improved",
        "regresses",
        "regressed",
        "gains",
        "gained",
        "loses",
        "lost",
        "improvement",
        "regression",
        "declines",
        "declined",
    ]
)


def find(scene: Scene) -> Iterator[Judged]:
    """Comparisons of two runs in one sentence."""
    for sentence in scene.sentences:
        yield from _compared(sentence, scene.truth)
        yield from _only_in(sentence, scene.truth)


def _compared(sentence: Sentence, truth: Truth) -> Iterator[Judged]:
    """`A is better than B`, `A's pass@1 is lower than B's`, `A outperforms B`."""
    mentions = _two_runs(sentence.mentions)
    if mentions is None or any(name.kind == TASK for name in sentence.said.named):
        return
    words = [each for each in sentence.said.directions if each.axis == "level" and _is_between(each, mentions)]
    if len(words) != 1 or not _has_than(sentence, words[0], mentions[1]):
        return
    first, second = (each.key for each in mentions)
    measure = _measure(sentence, words[0])
    if measure is None:
        return
    values = [_value(run, measure, truth) for run in (first, second)]
    if None in values:
        return
    told = f"{first} {'above' if words[0].sign > 0 else 'below'} {second}"
    claim = Claim(KIND, sentence.text[:300], sentence.line, measure, told)
    one, other = values
    holds = one is not None and other is not None and (one > other if words[0].sign > 0 else one < other)
    if holds:
        yield supported(claim, f"{measure} of both runs")
    else:
        shown = "; ".join(f"{run}: {_shown(value)}" for run, value in zip((first, second), values, strict=True))
        yield contradicted(claim, shown, f"{measure} of both runs")


def _two_runs(mentions: Sequence[Mention]) -> tuple[Mention, Mention] | None:
    found = [each for each in mentions if each.kind == RUN]
    if len({each.key for each in found}) != 2:
        return None
    first = found[0]
    second = next(each for each in found if each.key != first.key)
    return first, second


def _is_between(each: Direction, mentions: tuple[Mention, Mention]) -> bool:
    return mentions[0].first < each.place < mentions[1].first


def _has_than(sentence: Sentence, each: Direction, second: Mention) -> bool:
    between = [token.word for token in sentence.said.tokens[each.place : second.first]]
    return "than" in between or bool(set(between[:1]) & (_ABOUT_QUALITY | _ABOVE) and len(between) <= 3)


def _measure(sentence: Sentence, each: Direction) -> str | None:
    """What is compared; quality means pass@1. Anything that is not a measure of a whole run is left alone."""
    if parts(sentence.mentions):
        return None
    measures = [what for what in whats(sentence.mentions) if what not in ("tasks", "rollouts")]
    word = sentence.said.tokens[each.place].word
    if word in _ABOUT_QUALITY:
        return "pass@1" if not measures or measures[0].startswith("pass@1") or "tasks" not in measures else None
    metrics = [what for what in measures if "@" in what or "^" in what or what in _MEASURES]
    if not metrics and (_SCORES & set(sentence.said.words) or _is_of_points(sentence)):
        return "pass@1"
    return metrics[0] if len(metrics) == 1 else None


def _is_of_points(sentence: Sentence) -> bool:
    """Whether a run stands so many points above or below another."""
    return any(figure.kind == POINTS for figure in sentence.said.figures) and not whats(sentence.mentions)


_SCORES: Final = frozenset(["scores", "scored", "score", "performs", "performed", "does", "did"])
_ABOVE: Final = frozenset(["above", "below"])
_MEASURES: Final = frozenset(["consistency", "coverage", "retry value", "mean reward"])


def _value(run: str, measure: str, truth: Truth) -> float | None:
    found = [each for each in truth.of(known.WHOLE, "") if each.run == run and each.what == measure]
    return found[0].value if found else None


def _shown(value: float | None) -> str:
    return numbers.percent(value) if value is not None and 0 <= value <= 1 else numbers.amount(value)


def _only_in(sentence: Sentence, truth: Truth) -> Iterator[Judged]:
    """`Only in A`, with the names of modes: the other run must not have them."""
    run = _exclusive(sentence)
    if run is None:
        return
    named = {each.key for each in sentence.mentions if each.kind == RUN}
    for kind, name in parts(sentence.mentions):
        if kind != known.MODE:
            continue
        having = {each.run for each in truth.of(kind, name) if each.what == "rollouts" and each.value > 0}
        having &= named if "not" in sentence.said.words else having
        claim = Claim(KIND, sentence.text[:300], sentence.line, name, f"only in {run}")
        if having == {run}:
            yield supported(claim, "modes of the runs")
        elif having:
            yield contradicted(claim, f"in {', '.join(sorted(having))}", "modes of the runs")


def _exclusive(sentence: Sentence) -> str | None:
    """The run right behind `only in`, `only for`, `exclusive to`."""
    tokens = sentence.said.tokens
    for each in sentence.mentions:
        before = tuple(token.word for token in tokens[max(0, each.first - 2) : each.first])
        if each.kind == RUN and before in _EXCLUSIVE:
            return each.key
    return None


_EXCLUSIVE: Final = (("only", "in"), ("only", "for"), ("only", "by"), ("exclusive", "to"), ("unique", "to"))
