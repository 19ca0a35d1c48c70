"""Columns of steps: one row per item of the trajectories of a batch."""

from itertools import chain
from operator import attrgetter
from typing import Any

import numpy as np
from msgspec import Raw

from blade.item import ABSENT, NULL, Item, body_of, form_of, speaker_of
from blade.rollout import Rollout
from blade.scan.columns import Columns


class _Codes(dict[Any, int]):
    """Numbers what it is asked for, in order of first appearance."""

    def __missing__(self, key: Any) -> int:
        self[key] = code = len(self)
        return code


_NULL_SIZE = len(NULL)
"""A body that is longer is neither null nor an empty list."""

_shape = attrgetter("type", "role", "name", "status")


class Trajectories:
    """The steps of a batch, item by item, with what the steps and the actions are both made from."""

    def __init__(self, batch: list[Rollout]) -> None:
        self.batch = batch
        self.offsets = np.array([rollout.place.offset for rollout in batch], dtype=np.int64)
        self.items: list[Item] = list(chain.from_iterable(rollout.items for rollout in batch))
        counts = np.array([len(rollout.items) for rollout in batch], dtype=np.int64)
        self.owner = np.repeat(np.arange(len(batch)), counts)
        self.number = np.arange(len(self.items)) - np.repeat(np.cumsum(counts) - counts, counts)
        codes = _Codes()
        self.code = np.fromiter(map(codes.__getitem__, map(_shape, self.items)), dtype=np.int32, count=len(self.items))
        self.shapes = list(codes)
        self.forms = [form_of(kind, role) for kind, role, _, _ in self.shapes]
        self.names = [speaker_of(Item(type=kind, name=name)) for kind, _, name, _ in self.shapes]
        self.statuses = [status for _, _, _, status in self.shapes]
        self.body = self._bodies()
        self.size = np.fromiter(map(len, self.body), dtype=np.int64, count=len(self.body))

    def _bodies(self) -> list[Raw]:
        """The body of every item: nearly always under the first key of its form, or under the second alone."""
        first = [attrgetter(form.keys[0]) for form in self.forms]
        second = [attrgetter(form.keys[1 % len(form.keys)]) for form in self.forms]
        return [
            body
            if len(body := first[code](item)) > _NULL_SIZE
            or (not body and len(body := second[code](item)) > _NULL_SIZE)
            else body_of(item) or ABSENT
            for code, item in zip(self.code.tolist(), self.items, strict=True)
        ]

    def at(self, places: np.ndarray) -> list[Item]:
        """The items at these places."""
        return list(map(self.items.__getitem__, places.tolist()))

    def flagged(self, flags: list[bool]) -> np.ndarray:
        """Whether each item is of a shape with a true flag."""
        return np.array(flags, dtype=bool)[self.code] if flags else np.zeros(0, dtype=bool)

    def of_kind(self, kind: str, actor: str | None = None) -> np.ndarray:
        """Whether each item is of `kind`, and by `actor` where one is given."""
        return self.flagged([form.kind == kind and actor in (None, form.actor) for form in self.forms])

    def step_columns(self) -> Columns:
        """One row per item; its kind, actor, type, name and status stand in `shape`, by number, and under `shapes`."""
        return {
            "row": self.offsets[self.owner],
            "step": self.number,
            "shape": self.code,
            "bytes": self.size,
            "shapes": {
                "kind": [form.kind for form in self.forms],
                "actor": [form.actor for form in self.forms],
                "type": [kind or role or "untyped" for kind, role, _, _ in self.shapes],
                "name": self.names,
                "status": self.statuses,
            },
        }
