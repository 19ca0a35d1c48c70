"""How tasks differ from run to run: each in a group, the first run being the baseline."""

from collections.abc import Iterable
from typing import Final

Shares = tuple[float | None, ...]
"""The share of repeats that pass, of one task in each run; None where it is not measured."""

_GROUPS: Final = (
    "lower than in {}",
    "lower in some, higher in others",
    "never passes",
    "as often as in {}",
    "always passes",
    "higher than in {}",
    "not measured in every run",
)
LOWER, MIXED, NEVER, EQUAL, ALWAYS, HIGHER, MISSING = range(len(_GROUPS))
"""The groups, in the order in which pictures show them."""

_OF_ONE_RUN: Final = {EQUAL: "sometimes passes", MISSING: "not measured"}


def group_of(shares: Shares) -> tuple[int, float]:
    """The group of a task, and by how much it changed over all runs."""
    there = [share for share in shares if share is not None]
    if len(there) < len(shares) or not there:
        return MISSING, 0.0
    changes = [share - there[0] for share in there[1:]]
    if min(changes, default=0) < 0:
        return (MIXED if max(changes) > 0 else LOWER), sum(changes)
    if max(changes, default=0) > 0:
        return HIGHER, sum(changes)
    return (ALWAYS if there[0] == 1 else EQUAL if there[0] > 0 else NEVER), 0.0


def name_of(group: int, baseline: str, *, runs: int) -> str:
    """What a group is called."""
    alone = _OF_ONE_RUN.get(group) if runs == 1 else None
    return alone or _GROUPS[group].format(baseline)


def means(part: Iterable[Shares]) -> Shares:
    """The mean share of some tasks in each run, over those that are measured there."""
    found: list[float | None] = []
    for column in zip(*part, strict=True):
        there = [share for share in column if share is not None]
        found.append(sum(there) / len(there) if there else None)
    return tuple(found)
