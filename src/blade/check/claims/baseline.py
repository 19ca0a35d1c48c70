"""Which run a report takes as the baseline, as far as it says so."""

from collections.abc import Iterable
from typing import Final

from blade.check.claims.mentions import RUN, Mentions, runs
from blade.check.claims.truth import Run, Truth
from blade.check.passages import Passage, read
from blade.check.text.inline import Inline
from blade.check.text.said import Said

_BASELINE: Final = "baseline"
_NEAR: Final = 4
"""Words between the word and the run that it is said of."""

_RIGHT_BEHIND: Final = 2
_MOST_PASSAGES: Final = 2_000


def named_baseline(source: str, known: Iterable[Run]) -> str | None:
    """The one run that a report calls its baseline; None where it calls none so, or several."""
    vocabulary = Mentions(Truth(known, []))
    found: set[str] = set()
    for passage in read(source).passages[:_MOST_PASSAGES]:
        texts = [Inline(cell.header) for cell in passage.cells] + [cell.text for cell in passage.cells]
        texts = [text for text in texts or [passage.text] if _BASELINE in text.text.lower()]
        found.update(run for text in texts if (run := _of_row(passage, text, vocabulary) or _beside(text, vocabulary)))
    return found.pop() if len(found) == 1 else None


def _of_row(passage: Passage, text: Inline, vocabulary: Mentions) -> str | None:
    """The run of a row in which a cell says nothing but `baseline`."""
    if text.text.strip().lower() != _BASELINE or text not in [cell.text for cell in passage.cells]:
        return None
    named = runs(each for cell in passage.cells for each in vocabulary.find(Said(cell.text)))
    return named[0] if len(named) == 1 else None


def _beside(text: Inline, vocabulary: Mentions) -> str | None:
    """The run nearest to the word: `baseline: A`, `against the baseline A`, `A, the baseline`, `A is the baseline`."""
    said = Said(text)
    places = [place for place, token in enumerate(said.tokens) if token.word == _BASELINE]
    mentions = [each for each in vocabulary.find(said) if each.kind == RUN]
    if len(places) != 1 or not mentions:
        return None
    behind = [each for each in mentions if 0 < each.first - places[0] <= _RIGHT_BEHIND]
    if behind and not _comma(said, places[0], behind[0].first):
        return behind[0].key
    before = [each for each in mentions if 0 <= places[0] - each.after < _NEAR]
    return before[-1].key if before else None


def _comma(said: Said, begin: int, end: int) -> bool:
    return any(token.text == "," for token in said.tokens[begin:end])
