"""Claims that every failure of a run is of one kind."""

from collections.abc import Iterator, Sequence
from typing import Final

from blade.check.claims import truth as known
from blade.check.claims.claim import Claim, Judged, contradicted, not_checkable, supported
from blade.check.claims.mentions import parts, runs
from blade.check.claims.scene import Scene, Sentence
from blade.check.claims.truth import Quantity, Truth
from blade.check.text.names import ROLLOUT, TASK

KIND: Final = "superlative"

_EVERY: Final = frozenset(["every", "all", "each"])
_OF: Final = frozenset(["of", "the", "its", "single", "their"])
_FAILURES: Final = (
    *(("failing", noun) for noun in ("rollout", "rollouts", "attempt", "attempts")),
    *(("failed", noun) for noun in ("rollout", "rollouts", "attempt", "attempts")),
    ("failures",),
    ("failure",),
)
_UNSURE: Final = frozenset(
    [
        *("nearly", "almost", "not", "no", "never", "without", "except", "but", "if", "would", "most", "virtually"),
        *("other", "others", "remaining", "these", "those", "or", "because", "where", "when", "which", "that"),
        *("half", "practically", "task", "tasks", "first"),
    ]
)
_CLEARLY: Final = 0.8
"""Share of the failures up to which it is clear that they are not all."""

_KINDS: Final = (known.MODE, known.SIGNAL)


def find(scene: Scene) -> Iterator[Judged]:
    """`Every failing rollout of A hits the turn limit`."""
    for sentence in scene.sentences:
        if _speaks_of_all(sentence):
            yield from _held(sentence, scene.truth)


def _speaks_of_all(sentence: Sentence) -> bool:
    words = sentence.said.words
    named = {at for each in sentence.mentions if each.kind in _KINDS for at in range(each.first, each.after)}
    around = {token.word for at, token in enumerate(sentence.said.tokens) if at not in named}
    if around & _UNSURE or sentence.said.figures:
        return False
    return any(word in _EVERY and _failures_at(words, place + 1) for place, word in enumerate(words))


def _failures_at(words: Sequence[str], place: int) -> bool:
    while place < len(words) and words[place] in _OF:
        place += 1
    return any(tuple(words[place : place + len(phrase)]) == phrase for phrase in _FAILURES)


def _held(sentence: Sentence, truth: Truth) -> Iterator[Judged]:
    named = runs(sentence.mentions) or next((found for each in sentence.above if (found := runs(each.mentions))), [])
    told = [(kind, name) for kind, name in parts(sentence.mentions) if kind in _KINDS]
    if not told or len(parts(sentence.mentions)) != len(told) or len(named) != 1:
        return
    if any(name.kind in (TASK, ROLLOUT) for name in sentence.said.named):
        return
    run, label = named[0], told[0][1]
    claim = Claim(KIND, sentence.text[:300], sentence.line, f"{run}, {label}", "every failure")
    if run not in truth.run_names:
        yield not_checkable(claim, f"run {run} was not given")
        return
    failed = next((each for each in truth.of(known.WHOLE, "") if (each.run, each.what) == (run, "failed")), None)
    most = max(_counts(told, run, truth), key=lambda each: each.value, default=None)
    if most is None or failed is None or not failed.value:
        yield not_checkable(claim, "the data have no such number")
    elif most.value >= failed.value:
        yield supported(claim, most.source)
    elif most.value > _CLEARLY * failed.value:
        yield not_checkable(claim, "nearly all of them are; the others may be judged otherwise")
    else:
        yield contradicted(claim, f"{most.value:,.0f} of {most.of:,.0f} failing rollouts", most.source)


def _counts(told: Sequence[tuple[str, str]], run: str, truth: Truth) -> Iterator[Quantity]:
    for kind, name in told:
        yield from (each for each in truth.of(kind, name) if (each.run, each.what) == (run, "rollouts") and each.of)
