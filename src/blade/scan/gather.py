"""Columns of many batches, kept until they are worth a part."""

from collections import defaultdict
from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np

from blade.rollout import Rollout
from blade.scan.actions import Actions
from blade.scan.columns import NO_INTEGER, Columns, input_columns, rollout_columns
from blade.scan.fields import Fields
from blade.scan.signals import readings_of, signal_columns
from blade.scan.tables import TABLES
from blade.scan.trajectories import Trajectories

_KINDS = {
    name: {column.name: column.type for column in table.columns} | {"shape": "BIGINT"} for name, table in TABLES.items()
}


class Gathered:
    """The columns of every table that the rows of one role fill."""

    def __init__(self, role: str) -> None:
        self._owed = role == "inputs"
        self._columns: dict[str, list[Columns]] = defaultdict(list)
        self.size = 0

    def take(self, batch: list[Rollout]) -> None:
        """Add the columns of a batch; the batch itself can go."""
        if self._owed:
            self._add("input_fields", Fields(batch).columns())
            self._add("inputs", input_columns(batch))
            return
        trajectories = Trajectories(batch)
        self._add("steps", trajectories.step_columns())
        actions = Actions(trajectories)
        self._add("actions", actions.columns())
        fields = Fields(batch)
        self._add("fields", fields.columns())
        readings = list(readings_of(actions, fields))
        self._add("signals", signal_columns(readings))
        self._add("rollouts", rollout_columns(readings))

    def _add(self, table: str, columns: Columns) -> None:
        self._columns[table].append(columns)
        self.size += len(columns["row"])

    def flush(self, write: Callable[[str, int, Columns], None], number: int) -> None:
        """Hand everything over as part `number` and start anew."""
        for table, batches in self._columns.items():
            write(table, number, _joined(batches, _KINDS[table]))
        self._columns.clear()
        self.size = 0


def as_array(values: Any, kind: str) -> np.ndarray:
    """Values as an array that DuckDB reads without asking Python about each: null has a stand-in."""
    if isinstance(values, np.ndarray):
        return values
    if kind in ("VARCHAR", "BOOLEAN"):
        return np.array(values, dtype=object)
    if kind == "DOUBLE":
        return np.array(values, dtype=np.float64)  # None becomes NaN
    count = values.count(None)
    if count == len(values):
        return np.full(count, NO_INTEGER)
    return np.array([NO_INTEGER if value is None else value for value in values] if count else values, dtype=np.int64)


def _joined(batches: list[Columns], kinds: dict[str, str]) -> Columns:
    """One set of columns of many, as arrays; shapes are numbered anew."""
    joined: Columns = {
        name: _as_one([batch[name] for batch in batches], kinds[name]) for name in batches[0] if name != "shapes"
    }
    if "shapes" in batches[0]:
        counts = [len(batch["shapes"]["kind"]) for batch in batches]
        starts = np.cumsum([0, *counts[:-1]])
        joined["shape"] += np.repeat(starts, [len(batch["row"]) for batch in batches])
        joined["shapes"] = _joined([batch["shapes"] for batch in batches], kinds) | {"shape": np.arange(sum(counts))}
    return joined


def _as_one(parts: list[Any], kind: str) -> np.ndarray:
    """The values of a column of many batches as one array."""
    if any(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate([as_array(part, kind) for part in parts])
    return as_array(list(chain.from_iterable(parts)), kind)
