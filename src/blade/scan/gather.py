"""Columns of many batches, kept until they are worth a part."""

from collections import defaultdict
from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np

from blade.rollout import Rollout
from blade.scan.columns import Columns, Trajectories, field_columns, input_columns, rollout_columns


class Gathered:
    """The columns of every table that the rows of one role fill."""

    def __init__(self, role: str) -> None:
        self._owed = role == "inputs"
        self._columns: dict[str, list[Columns]] = defaultdict(list)
        self.size = 0

    def take(self, batch: list[Rollout]) -> None:
        """Add the columns of a batch; the batch itself can go."""
        if self._owed:
            self._add("input_fields", field_columns(batch))
            self._add("inputs", input_columns(batch))
            return
        trajectories = Trajectories(batch)
        self._add("steps", trajectories.step_columns())
        self._add("actions", trajectories.action_columns())
        self._add("fields", field_columns(batch))
        self._add("rollouts", rollout_columns(batch))

    def _add(self, table: str, columns: Columns) -> None:
        self._columns[table].append(columns)
        self.size += len(columns["row"])

    def flush(self, write: Callable[[str, int, Columns], None], number: int) -> None:
        """Hand everything over as part `number` and start anew."""
        for table, batches in self._columns.items():
            write(table, number, _joined(batches))
        self._columns.clear()
        self.size = 0


def _joined(batches: list[Columns]) -> Columns:
    """One set of columns of many; shapes are numbered anew."""
    joined = {
        name: _concatenated([batch[name] for batch in batches])
        for name in batches[0]
        if name not in ("shape", "shapes")
    }
    if "shapes" in batches[0]:
        counts = [len(batch["shapes"]["kind"]) for batch in batches]
        starts = np.cumsum([0, *counts[:-1]])
        joined["shape"] = np.concatenate([batch["shape"] + start for batch, start in zip(batches, starts, strict=True)])
        joined["shapes"] = _joined([batch["shapes"] for batch in batches]) | {"shape": np.arange(sum(counts))}
    return joined


def _concatenated(values: list[Any]) -> Any:
    if isinstance(values[0], np.ndarray):
        return np.concatenate(values)
    return list(chain.from_iterable(values))
