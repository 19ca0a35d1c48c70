"""The candidates of the bench, each with what it should score."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from bench.scoring import golden, others, tale
from bench.scoring.tale import Tale
from blade.check.scoring.score import Fact

PLACE = Path(__file__).parent
STYLES: dict[str, Callable[[Tale], str]] = {"eleven sections": golden.eleven_sections, "notebook": golden.notebook}

AT_LEAST = {"golden": 0.85, "honest, full": 0.70, "honest, terse": 0.55}
FALSE_AT_MOST = 0.40
BETWEEN = (FALSE_AT_MOST, 0.80)
"""What half of the truth scores."""


class Candidate(NamedTuple):
    name: str
    kind: str
    """`golden`, `honest, full`, `honest, terse`, `half` or `false`."""
    text: str

    def holds(self, score: float) -> bool:
        """Whether it scores as it should."""
        if self.kind == "false":
            return score <= FALSE_AT_MOST
        if self.kind == "half":
            return BETWEEN[0] < score < BETWEEN[1]
        return score >= AT_LEAST[self.kind]


class Benchmark(NamedTuple):
    name: str
    golden: str
    facts: list[Fact]
    candidates: list[Candidate]


def about(told: Tale, style: str) -> Benchmark:
    """A golden report in one style, and candidates by other hands, true and false."""
    text = STYLES[style](told)
    facts = [Fact(f"B{number}", fact) for number, fact in enumerate(golden.facts(told), 1)]
    return Benchmark(f"{told.benchmark}, {style}", text, facts, list(_candidates(told, style)))


def _candidates(told: Tale, style: str) -> Iterator[Candidate]:
    yield Candidate("golden report itself", "golden", STYLES[style](told))
    yield Candidate("full, in other words", "honest, full", others.full(told))
    yield Candidate("terse notes", "honest, terse", others.terse(told))
    yield Candidate("half, in other words", "half", others.full(tale.half(told)))
    yield Candidate("half, terse", "half", others.terse(tale.half(told)))
    yield Candidate("vague", "false", others.vague(told))
    untrue = {
        "other numbers": tale.with_other_numbers(told),
        "swapped verdicts": tale.with_swapped_verdicts(told),
        "other causes": tale.with_other_causes(told),
        "other tasks": tale.with_other_tasks(told),
    }
    for name, false in untrue.items():
        yield Candidate(f"{name}, in the same style", "false", STYLES[style](false))
        yield Candidate(f"{name}, in other words", "false", others.full(false))
        yield Candidate(f"{name}, terse", "false", others.terse(false))


_KINDS = {
    "golden": "golden",
    "honest-full": "honest, full",
    "honest-letter": "honest, full",
    "honest-terse": "honest, terse",
    "honest-half": "half",
    "wrong-fluent": "false",
    "wrong-in-the-same-words": "false",
}
BY_HAND = {"parcels": ("orchid", "fern"), "kata": ("basalt", "quartz")}
"""Golden reports that were written by hand with their candidates, and the runs that they speak of."""


def by_hand(name: str) -> Benchmark:
    """A golden report, candidates that were written by hand, and some of them with runs, tasks or digits exchanged."""
    place = PLACE / name
    found = json.loads((place / "facts.json").read_text(encoding="utf-8"))["anchor_facts"]
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(place.glob("*.md"))}
    candidates = [Candidate(each, _KINDS[each], text) for each, text in texts.items()]
    for each in ("honest-full", "honest-terse", "golden"):
        candidates += [
            Candidate(f"{each}, runs exchanged", "false", others.with_runs_exchanged(texts[each], *BY_HAND[name])),
            Candidate(f"{each}, tasks exchanged", "false", others.with_tasks_exchanged(texts[each])),
            Candidate(f"{each}, other digits", "false", others.with_other_digits(texts[each])),
        ]
    facts = [Fact(each["id"], each["fact"]) for each in found]
    return Benchmark(f"{name.capitalize()}, by hand", texts["golden"], facts, candidates)
