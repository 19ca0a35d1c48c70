"""The numbers of a sidecar as a table, one row per group of rollouts and one column per key.

Each key belongs to a family that can recompute it from rows; a new family of keys is one object with
`parse` and `solve`. What belongs to no family, or has no rows to be computed from, is left unchecked.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from blade.measure.shipped.facts import TWO_NAMES, Mask, Rows
from blade.measure.shipped.formulas import STATISTICS, Array, Groups, Whole
from blade.measure.shipped.report import Tally, number_of, tolerance

LONGEST_KEY = 300
"""Characters of the longest key that is taken for one of Gym's."""

MOST_CELLS = 10_000_000
"""Numbers of one table: groups times keys. Further keys are left unchecked."""


class Solved(NamedTuple):
    """A number for every group, NaN where there is none, and how large the values behind it are."""

    values: Array
    scale: float = 0.0


class View(NamedTuple):
    """Rows, and the number of the group that each of them belongs to, -1 for none."""

    rows: Rows
    groups: Whole
    size: int

    def present(self) -> Array:
        """How many rows each group has."""
        return np.bincount(self.groups[self.groups >= 0], minlength=self.size).astype(np.float64)


class Family(Protocol):
    """Keys that are recomputed in one way."""

    def parse(self, key: str, /) -> Hashable | None:
        """What a key of this family asks for; None for other keys."""

    def columns(self, wanted: Sequence[Any], /) -> Iterable[str]:
        """The columns that will be needed."""

    def solve(self, wanted: Sequence[Any], view: View, /) -> list[Solved | str]:
        """The numbers, or why there are none."""


class Statistics:
    """`mean/reward` and the like: one statistic over the values of one column."""

    def __init__(self, names: Iterable[str] = ("mean", "max", "min", "median", "std")) -> None:
        self._names = frozenset(names)

    def parse(self, key: str) -> Hashable | None:
        name, slash, column = key.partition("/")
        return (name, column) if slash and column and name in self._names else None

    def columns(self, wanted: Sequence[Any]) -> Iterable[str]:
        return {column for _, column in wanted}

    def solve(self, wanted: Sequence[Any], view: View, /) -> list[Solved | str]:
        named = self.columns(wanted)
        made: dict[str, Groups | str] = {}
        for column in named:
            values = two_names(column, named) or view.rows.value(column)
            made[column] = values if isinstance(values, str) else Groups(values, view.groups, view.size)
        return [solved(name, made[column]) for name, column in wanted]


def two_names(column: str, named: Iterable[str]) -> str | None:
    """Why a count of tokens cannot be had, where usage stands in both namings."""
    pair = next((set(pair) for pair in TWO_NAMES.items() if column in pair), None)
    return "usage is named in two ways, which the store does not tell apart" if pair and pair <= set(named) else None


def solved(name: str, groups: Groups | str) -> Solved | str:
    """A statistic of groups."""
    if isinstance(groups, str):
        return groups
    return Solved(STATISTICS[name](groups), groups.scale())


class Counts:
    """Numbers of rollouts per group: how many there are, how many were expected, and what follows."""

    _KEYS = ("num_rollouts", "expected_num_rollouts", "missing_num_rollouts", "reward_profile_completion_pct")

    def __init__(self, owed: Mapping[int, int] | None = None, ids: Whole | None = None) -> None:
        self._owed, self._ids = owed, ids

    def parse(self, key: str) -> Hashable | None:
        return key if key in self._KEYS else None

    def columns(self, _: Sequence[Any], /) -> Iterable[str]:
        return ()

    def solve(self, wanted: Sequence[Any], view: View, /) -> list[Solved | str]:
        present = view.present()
        expected = present
        if self._owed is not None and self._ids is not None:
            expected = np.array([self._owed.get(int(task), 0) for task in self._ids], dtype=np.float64)
        with np.errstate(all="ignore"):
            values = (present, expected, expected - present, 100 * present / expected)
        known = dict(zip(self._KEYS, values, strict=True))
        if self._owed is not None and not self._owed:
            reason = "says how many rollouts are owed, and the run has no materialized inputs"
            return [Solved(present) if key == "num_rollouts" else reason for key in wanted]
        return [Solved(known[key]) for key in wanted]


class Sheet:
    """Shipped numbers of some groups, as far as a family can recompute them."""

    def __init__(self, names: Sequence[str], ids: Whole, by: str, families: Sequence[Family]) -> None:
        self.names = names
        self.ids = ids
        self.by = by
        self._families = families
        self.keys: list[str] = []
        self.given: list[Any] = []
        self._asked: list[tuple[int, Any]] = []
        self.shipped: Array = np.zeros((len(names), 0))

    def fill(self, maps: Sequence[Mapping[str, Any]], tally: Tally, *, ignore: Iterable[str] = ()) -> None:
        """Take up the numbers of one map per group."""
        passed = set(ignore)
        columns: list[Array] = []
        for key in dict.fromkeys(key for one in maps for key in one):
            if key in passed:
                continue
            if (len(columns) + 1) * len(maps) > MOST_CELLS:
                tally.skip(key, "stands after more keys than are compared for so many groups")
                continue
            asked = self._claim(key)
            if asked is None:
                tally.skip(key, _why_unclaimed(key, (one[key] for one in maps if key in one)))
                continue
            values = [number_of(one.get(key)) for one in maps]
            if any(key in one and value is None for one, value in zip(maps, values, strict=True)):
                tally.skip(key, "is not always a finite number")
            if any(value is not None for value in values):
                self.keys.append(key)
                self._asked.append(asked)
                columns.append(np.array([np.nan if value is None else value for value in values]))
        if columns:
            self.shipped = np.column_stack(columns)

    def _claim(self, key: str) -> tuple[int, Any] | None:
        if len(key) > LONGEST_KEY:
            return None
        for number, family in enumerate(self._families):
            parsed = family.parse(key)
            if parsed is not None:
                return number, parsed
        return None

    @property
    def columns(self) -> set[str]:
        """All columns that its keys need."""
        return {column for place in range(len(self.keys)) for column in self.columns_at(place)}

    def columns_at(self, place: int) -> frozenset[str]:
        """The columns that one key needs."""
        number, asked = self._asked[place]
        return frozenset(self._families[number].columns([asked]))

    def _wanted(self, number: int) -> list[Any]:
        return [asked for family, asked in self._asked if family == number]

    def groups(self, rows: Rows) -> Whole:
        """The number of the group that each row belongs to, -1 for none."""
        if self.by == "all":
            return np.zeros(len(rows.tasks), dtype=np.int64)
        labels = rows.tasks if self.by == "task" else rows.repeats
        order = np.argsort(self.ids, kind="stable")
        ordered = self.ids[order]
        place = np.minimum(np.searchsorted(ordered, labels), max(len(ordered) - 1, 0))
        if not len(ordered):
            return np.full(len(labels), -1, dtype=np.int64)
        return np.asarray(np.where(ordered[place] == labels, order[place], -1), dtype=np.int64)

    def solve(self, rows: Rows) -> "Answers":
        """What the keys are by these rows."""
        view = View(rows, self.groups(rows), len(self.names))
        ours = np.full(self.shipped.shape, np.nan)
        scale = np.zeros(len(self.keys))
        reasons: dict[int, str] = {}
        for number, family in enumerate(self._families):
            places = [place for place, (owner, _) in enumerate(self._asked) if owner == number]
            if not places:
                continue
            for place, answer in zip(places, family.solve(self._wanted(number), view), strict=True):
                if isinstance(answer, str):
                    reasons[place] = answer
                else:
                    ours[:, place], scale[place] = answer
        return Answers(ours, self._matches(ours, scale), reasons, view.present() > 0)

    def _matches(self, ours: Array, scale: Array) -> Mask:
        with np.errstate(all="ignore"):
            return np.asarray(np.abs(ours - self.shipped) <= tolerance(self.shipped, scale))


class Answers(NamedTuple):
    """The numbers of a sheet by some rows."""

    ours: Array
    ok: Mask
    reasons: dict[int, str]
    present: Mask
    """Groups that have a row."""


def _why_unclaimed(key: str, values: Iterable[Any]) -> str:
    if key.startswith("histogram/"):
        return "a histogram, which is not read"
    if all(isinstance(value, (dict, list, str, bool, type(None))) for value in values):
        return "no number, or a structure of the server's own"
    return "the server's own metric: its definition is not in the file"
