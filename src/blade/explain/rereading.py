"""Rows read again by their places: where the store holds a value cut short, or none at all."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from blade import content
from blade.rollout import Rollout, opened_fields
from blade.scan.resolve import rows_at

if TYPE_CHECKING:
    from blade.scan.store import Store

_PATHS = "SELECT DISTINCT file, path FROM rollouts UNION SELECT DISTINCT file, path FROM inputs ORDER BY file"

Spot = tuple[int, int]
"""File and row, as the store names them."""


def read_again(store: "Store", spots: Iterable[Spot]) -> Iterator[tuple[Spot, Rollout]]:
    """The rollouts, or inputs, at these places, one at a time; what cannot be read any more is left out."""
    by_file: dict[int, list[int]] = defaultdict(list)
    for file, row in sorted(set(spots)):
        by_file[file].append(row)
    paths = dict(store.connection.execute(_PATHS).fetchall()) if by_file else {}
    for file, rows in by_file.items():
        for row, rollout in rows_at(paths.get(file, ""), ((row, 0) for row in rows)):
            yield (file, row), rollout


def field_of(rollout: Rollout, name: str) -> Any:
    """The whole value of a field, by the name that the store has for it; None where there is none."""
    for each, value in opened_fields(rollout.fields):
        if each == name:
            try:
                return content.plain(value)
            except ValueError:
                return None
    return None
