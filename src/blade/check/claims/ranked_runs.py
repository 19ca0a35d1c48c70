"""Claims that a run is the best or the worst of all, or beats another one."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from blade import numbers
from blade.check.claims import truth as known
from blade.check.claims.claim import Claim, Judged, contradicted, not_checkable, supported
from blade.check.claims.mentions import RUN, parts, runs, whats
from blade.check.claims.scene import Scene, Sentence
from blade.check.claims.truth import Quantity, Truth
from blade.check.text.figures import NUMBER_WORDS
from blade.check.text.names import ROLLOUT, TASK

KIND: Final = "superlative"

_ENDS: Final = {"highest": True, "best": True, "strongest": True, "lowest": False, "worst": False, "weakest": False}
_OF_WHOLE: Final = frozenset(["mean reward", "consistency", "coverage"])
_ELSEWHERE: Final = frozenset(
    [
        *("slice", "slices", "category", "task", "tasks", "difficulty", "mode", "cause", "stage", "tool", "tools"),
        *("its", "their", "not", "no", "nor", "neither", "never", "if", "would", "could", "should", "may", "might"),
        *("one", "among", "except", "but", "second", "third", "next", "nearly", "almost", "on", "when", "where", "at"),
        *("either", "for", "to", "rollout", "rollouts", "case", "possible"),
    ]
)
"""Words with which something else than one run among all is spoken of, or nothing is said for sure."""

_SCORES: Final = frozenset(["scores", "scored", "performs", "performed"])
_BEATS: Final = {
    **dict.fromkeys(["beats", "beat", "outscores", "outscored", "surpasses", "surpassed", "tops"], True),
    **dict.fromkeys(["trails", "trailed"], False),
}


def find(scene: Scene) -> Iterator[Judged]:
    """Sentences that rank runs."""
    for sentence in scene.sentences:
        if len(scene.truth.runs) > 1 and not _speaks_of_parts(sentence):
            yield from _ranked(sentence, scene.truth)
            yield from _beaten(sentence, scene.truth)


def _speaks_of_parts(sentence: Sentence) -> bool:
    return bool(parts(sentence.mentions)) or any(name.kind in (TASK, ROLLOUT) for name in sentence.said.named)


def _ranked(sentence: Sentence, truth: Truth) -> Iterator[Judged]:
    """`A has the highest pass@1 of all runs`, `of the three runs A scores worst`."""
    named, words = runs(sentence.mentions), sentence.said.words
    ends = [word for word in words if word in _ENDS]
    if len(named) != 1 or len(ends) != 1 or set(words) & _ELSEWHERE:
        return
    measure = _measure(sentence)
    if measure is None:
        return
    claim = Claim(KIND, sentence.text[:300], sentence.line, named[0], f"{ends[0]} {measure}")
    why = _unknown(sentence, truth)
    values = _values(measure, truth)
    if why or len(values) != len(truth.runs):
        yield not_checkable(claim, why or f"{measure} is not known of every run")
        return
    best = (max if _ENDS[ends[0]] else min)(each.value for each in values.values())
    won = [each for each in values.values() if abs(each.value - best) < 1e-9]
    if named[0] in {each.run for each in won}:
        yield supported(claim, f"{measure} of all runs")
    else:
        yield contradicted(claim, f"{won[0].run} ({_shown(won[0])})", f"{measure} of all runs")


def _unknown(sentence: Sentence, truth: Truth) -> str:
    """Why nobody can tell here which run is first: there are runs that were not given."""
    absent = [run for run in runs(sentence.mentions) if run not in truth.run_names]
    if absent:
        return f"run {absent[0]} was not given"
    words = sentence.said.words
    for place, word in enumerate(words[:-1]):
        count = int(word) if word.isdigit() and len(word) < 4 else NUMBER_WORDS.get(word)
        if count and words[place + 1] in ("runs", "models", "builds") and count != len(truth.runs):
            return f"{len(truth.runs)} runs were given"
    return "" if sentence.is_of_all else "the report speaks of runs that were not given"


def _measure(sentence: Sentence) -> str | None:
    """The one measure of whole runs that is named; how a run scores is its pass@1."""
    told = [what for what in whats(sentence.mentions) if what not in ("tasks", "rollouts")]
    if not told:
        return "pass@1" if _is_of_quality(sentence.said.words) else None
    of_whole = [what for what in told if "@" in what or "^" in what or what in _OF_WHOLE]
    return of_whole[0] if len(told) == 1 and of_whole else None


def _is_of_quality(words: Sequence[str]) -> bool:
    """`scores worst`, `the best run`; and not `the worst offender`."""
    if _SCORES & set(words):
        return True
    return any(word in _ENDS and after in ("run", "model") for word, after in pairwise(words))


def _values(measure: str, truth: Truth) -> dict[str, Quantity]:
    return {each.run: each for each in reversed(truth.of(known.WHOLE, "")) if each.what == measure and each.run}


def _beaten(sentence: Sentence, truth: Truth) -> Iterator[Judged]:
    """`A beats B`, with nothing between them but the verb."""
    found = [each for each in sentence.mentions if each.kind == RUN]
    if len(found) != 2 or found[1].first - found[0].after != 1 or _ELSEWHERE & set(sentence.said.words):
        return
    word = sentence.said.tokens[found[0].after].word
    told = [what for what in whats(sentence.mentions) if what != "pass@1"]
    first, second = (each.key for each in found)
    if word not in _BEATS or told or first == second:
        return
    claim = Claim(KIND, sentence.text[:300], sentence.line, first, f"{word} {second}")
    values = _values("pass@1", truth)
    if first not in values or second not in values:
        yield not_checkable(claim, f"run {first if first not in values else second} was not given")
    elif values[first].value != values[second].value and ((values[first].value > values[second].value) == _BEATS[word]):
        yield supported(claim, "pass@1 of both runs")
    else:
        shown = "; ".join(f"{run}: {_shown(values[run])}" for run in (first, second))
        yield contradicted(claim, shown, "pass@1 of both runs")


def _shown(each: Quantity) -> str:
    return numbers.percent(each.value) if each.unit == known.SHARE else numbers.amount(each.value)
