"""Claims that something is the most or the least of its kind: slices, modes, causes, stages, runs."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from blade import numbers
from blade.check.claims import ranked_runs, universals
from blade.check.claims import truth as known
from blade.check.claims.claim import Claim, Judged, contradicted, not_checkable, supported
from blade.check.claims.mentions import Mention, runs, whats
from blade.check.claims.own_words import meant, shares_words, words_of_subject
from blade.check.claims.scene import Scene, Sentence
from blade.check.claims.truth import Pair, Quantity, Truth
from blade.check.text.figures import POINTS

KIND: Final = "superlative"

_MOST: Final = frozenset(
    [
        "highest",
        "most",
        "largest",
        "biggest",
        "greatest",
        "best",
        "strongest",
        "dominant",
        "top",
        "leading",
        "main",
        "easiest",
        "commonest",
    ]
)
_LEAST: Final = frozenset(["lowest", "least", "smallest", "fewest", "worst", "weakest", "hardest"])
_KIND_WORDS: Final = {
    known.SLICE: frozenset(["slice", "slices", "category", "categories", "difficulty", "family", "domain", "group"]),
    known.MODE: frozenset(["mode", "modes", "failure", "term"]),
    known.CAUSE: frozenset(["cause", "causes"]),
    known.STAGE: frozenset(["stage", "stages"]),
}
_MEASURED_BY: Final = {
    known.SLICE: "pass@1",
    known.MODE: "rollouts",
    known.CAUSE: "rollouts",
    known.STAGE: "lost",
}
_REACH: Final = 9


class _Said(NamedTuple):
    """A superlative as it stands: of what kind of thing, which thing, at which end."""

    about: str
    name: str
    most: bool
    runs: tuple[str, ...]


def find(scene: Scene) -> Iterator[Judged]:
    """Superlatives over things that the data rank."""
    for sentence in scene.sentences:
        for said in _superlatives(sentence, scene.truth):
            yield from _judge(said, sentence, scene.truth)
        yield from _in_own_words(sentence, scene.truth)
    yield from ranked_runs.find(scene)
    yield from universals.find(scene)


def _superlatives(sentence: Sentence, truth: Truth) -> Iterator[_Said]:
    tokens = sentence.said.tokens
    for place, token in enumerate(tokens):
        most = token.word in _MOST
        if not most and token.word not in _LEAST:
            continue
        if place and tokens[place - 1].word in ("at", "second", "third", "next"):
            continue
        near = {each.word for each in tokens[max(0, place - 2) : place + 5]}
        about = next((kind for kind, words in _KIND_WORDS.items() if near & words), None)
        thing = _thing(sentence.mentions, about, place)
        if about == known.SLICE and thing is None:
            thing = _value_of_field(sentence, place, truth)
        if about is None and token.word in ("best", "worst", "highest", "lowest", "weakest", "strongest"):
            about, thing = known.SLICE, _thing(sentence.mentions, known.SLICE, place)
        if about is None or thing is None or (about == known.CAUSE and not sentence.shares_labels):
            continue
        found = runs(sentence.mentions) or next((own for label in sentence.above if (own := runs(label.mentions))), [])
        yield _Said(about, thing.key, most, tuple(found or truth.run_names))


def _in_own_words(sentence: Sentence, truth: Truth) -> Iterator[Judged]:
    """`The most frequent failure mode of A is …`, where the mode is told by most of its words."""
    text = sentence.said.flat
    named = runs(sentence.mentions)
    begin = next((found for phrase in _FIRST_MODE if (found := text.find(phrase)) >= 0), -1)
    if begin < 0 or len(named) != 1 or any(each.kind == known.MODE for each in sentence.mentions):
        return
    place = next(at for at, token in enumerate(sentence.said.tokens) if token.word in ("most", "commonest", "main"))
    words = words_of_subject(sentence, place)
    counts = {
        each.name: each
        for each in truth.quantities
        if (each.run, each.about, each.what) == (named[0], known.MODE, "rollouts") and each.name not in truth.rest
    }
    if not words or len(counts) < 2:
        return
    claim = Claim(KIND, sentence.text[:300], sentence.line, "mode in words of its own", "most by rollouts")
    told = meant(words, list(counts))
    won = _ends(list(counts.values()), most=True)
    first = {each.name for each in won}
    if told and set(told) <= first:
        yield supported(claim, "rollouts of each mode")
    elif told and not any(shares_words(words, title) for title in first):
        shown = f"{won[0].name} ({_value(won[0])}; “{told[0]}”: {_value(counts[told[0]])})"
        yield contradicted(claim, f"{named[0]}: {shown}", "rollouts of each mode")
    else:
        yield not_checkable(claim, "which failure mode is meant is not told clearly")


_FIRST_MODE: Final = tuple(
    f" {word} failure mode "
    for word in ("most common", "most frequent", "commonest", "main", "most often seen", "most numerous")
)


def _thing(mentions: Sequence[Mention], about: str | None, place: int) -> Mention | None:
    """The thing that a superlative is said of: the nearest of its kind, behind it sooner than before it."""
    of_kind = [each for each in mentions if each.kind == about]
    behind = [each for each in of_kind if place < each.first <= place + _REACH]
    before = [each for each in of_kind if place - _REACH <= each.first < place]
    return behind[0] if behind else before[-1] if before else None


def _value_of_field(sentence: Sentence, place: int, truth: Truth) -> Mention | None:
    """A value of the field that is named there, though it is a word that often means something else."""
    tokens = sentence.said.tokens
    fields = {token.word for token in tokens[max(0, place - 2) : place + 5]}
    found = [
        Mention(known.SLICE, name, at, at + 1)
        for name in dict.fromkeys(truth.names.values())
        if name.partition(" = ")[0].rpartition(".")[2] in fields
        for at, token in enumerate(tokens)
        if abs(at - place) <= _REACH and token.word == name.partition(" = ")[2].lower()
    ]
    return found[0] if len(found) == 1 else None


def _judge(said: _Said, sentence: Sentence, truth: Truth) -> Iterator[Judged]:
    measure = _measure(said, sentence)
    if measure == "delta":
        ranked = {f"{pair.candidate} against {pair.baseline}": _changes(said, pair, truth) for pair in truth.pairs}
    else:
        ranked = {run: _ranking(said, run, measure, truth) for run in said.runs}
    ranked = {run: each for run, each in ranked.items() if len(each) > 1}
    if not ranked:
        return
    most = said.most
    end = "most" if most else "least"
    claim = Claim(KIND, sentence.text[:300], sentence.line, f"{said.about} {said.name}", f"{end} by {measure}")
    winners = {run: _ends(each, most=most) for run, each in ranked.items()}
    if any(said.name in {each.name for each in won} for won in winners.values()):
        yield supported(claim, f"{measure} of each {said.about}")
        return
    if len(ranked) > 1 and len(said.runs) > 1 and not runs(sentence.mentions):
        return
    shown = "; ".join(f"{run}{': ' if run else ''}{won[0].name} ({_value(won[0])})" for run, won in winners.items())
    yield contradicted(claim, shown, f"{measure} of each {said.about}")


def _measure(said: _Said, sentence: Sentence) -> str:
    told = whats(sentence.mentions)
    if said.about == known.SLICE:
        metrics = [what for what in told if "@" in what or "^" in what]
        return metrics[0] if metrics else "pass@1"
    if said.about in (known.MODE, known.CAUSE) and _is_of_change(sentence):
        return "delta"
    if said.about in (known.MODE, known.CAUSE) and "tasks" in told and "rollouts" not in told:
        return "tasks"
    return _MEASURED_BY[said.about]


def _changes(said: _Said, pair: Pair, truth: Truth) -> list[Quantity]:
    """What the difference of two runs is made of, by size."""
    found = {
        each.name: each._replace(value=abs(each.value))
        for each in truth.quantities
        if (each.about, each.what, each.others) == (said.about, "delta", pair[:2])
    }
    return list(found.values()) if said.name in found else []


def _is_of_change(sentence: Sentence) -> bool:
    """Whether a sentence tells what a difference is made of, and not how often something fails."""
    words = set(sentence.said.words)
    return bool(words & {"term", "terms", "change", "difference"}) or any(
        figure.kind == POINTS for figure in sentence.said.figures
    )


def _ranking(said: _Said, run: str, measure: str, truth: Truth) -> list[Quantity]:
    """All things of the kind with their measure; of slices those of the same field."""
    field = said.name.partition(" = ")[0]
    found: dict[str, Quantity] = {}
    for each in truth.quantities:
        if (each.run, each.about, each.what) != (run, said.about, measure):
            continue
        if said.about == known.SLICE and each.name.partition(" = ")[0] != field:
            continue
        if each.unit != known.POINTS and each.name not in truth.rest:
            found.setdefault(each.name, each)
    return list(found.values()) if said.name in found else []


def _ends(ranked: Sequence[Quantity], *, most: bool) -> list[Quantity]:
    """The first of a ranking, and those that are as far."""
    best = (max if most else min)(each.value for each in ranked)
    return [each for each in ranked if abs(each.value - best) < 1e-9]


def _value(each: Quantity) -> str:
    return numbers.percent(each.value) if each.unit == known.SHARE else f"{each.value:,.0f}"
