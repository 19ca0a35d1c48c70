"""Evidence of a candidate: what it points to and quotes, and whether that is there."""

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import Final, NamedTuple, Protocol

from blade.check.scoring.statements import Statement
from blade.check.text.blocks import CODE
from blade.check.text.names import QUOTE, REFERENCE, ROLLOUT, TASK, THING, Name, key_of
from blade.check.text.said import Said

_ENOUGH: Final = 0.35
"""The share of the golden report's evidence that is plenty."""

_MOST: Final = 2_000


class Rollouts(Protocol):
    """Where evidence can be looked up."""

    def resolves(self, ref: str) -> bool:
        """Whether a ref points to something."""

    def holds(self, quote: str, refs: Sequence[str]) -> bool:
        """Whether one of the rollouts at these refs says this."""


class Evidence(NamedTuple):
    """What a report points to, and how much of it is there."""

    ids: int
    ids_found: int
    quotes: int
    quotes_found: int
    wanted: int
    """Pieces of evidence that the golden report has."""

    @property
    def score(self) -> float:
        """How much there is, by how much of it holds."""
        found = self.ids_found + self.quotes_found
        enough = max(1.0, _ENOUGH * self.wanted)
        return sqrt(min(1.0, found / enough)) * self.holding

    @property
    def holding(self) -> float:
        """The share that leads somewhere; ids and quotes count alike."""
        shares = [
            found / whole for whole, found in ((self.ids, self.ids_found), (self.quotes, self.quotes_found)) if whole
        ]
        return sum(shares) / len(shares) if shares else 0.0

    @property
    def astray(self) -> float:
        """The larger of the shares of ids and of quotes that lead nowhere."""
        shares = [
            1 - found / whole
            for whole, found in ((self.ids, self.ids_found), (self.quotes, self.quotes_found))
            if whole > 2
        ]
        return max(shares, default=0.0)


def evidence(candidate: Sequence[Statement], golden: Sequence[Statement], rollouts: Rollouts | None = None) -> Evidence:
    """What the candidate points to, looked up in rollouts, or in the golden report where there are none."""
    known = _Known(golden)
    ids, quotes = _distinct(_ids(candidate)), _distinct(_quotes(candidate))
    if rollouts is None:
        return Evidence(
            len(ids), sum(known.points_to(each) for each in ids), len(quotes), sum(map(known.says, quotes)), known.size
        )
    refs = [each for each in ids if ":" in each]
    held = sum(known.says(each) or rollouts.holds(each, refs) for each in quotes)
    return Evidence(len(refs), sum(map(rollouts.resolves, refs)), len(quotes), held, known.size)


class _Known:
    """The evidence of the golden report."""

    def __init__(self, golden: Sequence[Statement]) -> None:
        self._ids = set(_ids(golden))
        self._text = " ".join(each.said.flat for each in golden)
        self.size = len(self._ids) + len(_distinct(_quotes(golden)))

    def points_to(self, key: str) -> bool:
        return key in self._ids

    def says(self, quote: str) -> bool:
        return f" {key_of(quote)} " in self._text


def _distinct(found: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(found))[:_MOST]


def _ids(statements: Sequence[Statement]) -> Iterator[str]:
    """Refs, and rollouts of tasks that are named with them."""
    for each in statements:
        yield from (name.key for name in each.said.named if name.kind == REFERENCE)
        tasks = _tasks(each.said) or _tasks(each.above)
        if len(tasks) == 1:
            yield from (f"{tasks[0]}/{name.key}" for name in each.said.named if name.kind == ROLLOUT)


def _tasks(said: Said) -> list[str]:
    return list(dict.fromkeys(name.key for name in said.named if name.kind == TASK))


def _quotes(statements: Sequence[Statement]) -> Iterator[str]:
    """Exact words: code, and what stands in quotation marks; of blocks of code each line."""
    for each in statements:
        if each.passage.kind == CODE:
            yield from (line.strip() for line in each.said.inline.text.split("\n") if len(key_of(line).split()) > 2)
        else:
            yield from (each.said.inline.text[name.start : name.end] for name in each.said.named if _is_quote(name))


def _is_quote(name: Name) -> bool:
    return name.kind == QUOTE or (name.kind == THING and len(name.key) > 3)
