"""`rollout_infos`: what a sidecar says of every rollout, held against the rows one by one."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from blade.measure.shipped.facts import NO_TASK, Facts, Mask, Rows
from blade.measure.shipped.formulas import Array, Whole
from blade.measure.shipped.readings import Part, Reading
from blade.measure.shipped.report import Tally, index_of, map_of, number_of, tolerance
from blade.measure.shipped.sheet import two_names

_IDENTITY = ("rollout_id", "_ng_task_index", "_ng_rollout_index")
_EXPLAINED = {
    "failed": "This rollout failed in every attempt and has no row.",
    "missing": "This rollout is owed and has no row.",
}
Key = tuple[int, int]
"""Task and repeat."""


class Infos:
    """The rollouts that a sidecar lists, with their values."""

    def __init__(self, groups: Sequence[dict[str, Any]], ids: Whole) -> None:
        self.tasks_listed: set[int] = set()
        self.values: dict[str, list[tuple[int, float]]] = defaultdict(list)
        self.key: list[Key] = []
        self.unread = 0
        for group, task in zip(groups, ids.tolist(), strict=True):
            infos = group.get("rollout_infos")
            if isinstance(infos, list) and task != NO_TASK:
                self.tasks_listed.add(task)
                for info in infos:
                    self._add(task, map_of(info))
        self.different: dict[str, Whole] = {}
        """For each column, the rows whose own values differ from what is listed."""
        self._not_listed: list[int] = []

    def _add(self, task: int, info: dict[str, Any]) -> None:
        repeat = index_of(info.get("_ng_rollout_index"))
        if repeat is None:
            self.unread += 1
            return
        number = len(self.key)
        self.key.append((task, repeat))
        for name, value in info.items():
            as_number = float(value) if isinstance(value, bool) else number_of(value)
            if name not in _IDENTITY and as_number is not None:
                self.values[name].append((number, as_number))

    def rows(self) -> Rows:
        """The listed rollouts as rows: the sidecar's own evidence for its statistics."""
        key = np.array(self.key, dtype=np.int64).reshape(-1, 2)
        order = np.lexsort((key[:, 1], key[:, 0]))

        def value(name: str) -> Array | str:
            column = np.full(len(key), np.nan)
            for number, one in self.values.get(name, ()):
                column[number] = one
            return column[order]

        nothing = np.full(len(key), -1, dtype=np.int64)
        return Rows(key[order, 0], key[order, 1], value, lambda _: nothing, nothing)

    def reading(self, facts: Facts) -> Reading:
        """The listed values as a reading; its rows are those that differ from what is listed."""
        unlisted = np.array(self._not_listed, dtype=np.int64)

        def refs(part: Part) -> list[str]:
            return [*self.refs(facts, part), *facts.refs_at(part.among(facts, unlisted))]

        return Reading(
            "by the values that the file lists for every rollout, which are not those of the rows", self.rows(), refs
        )

    def refs(self, facts: Facts, part: Part) -> list[str]:
        """The rows of a part whose own values, in its columns, differ from what is listed."""
        places = [self.different[column] for column in part.columns if column in self.different]
        return facts.refs_at(np.unique(part.among(facts, np.concatenate(places)))) if places else []

    def check(self, tally: Tally, facts: Facts, where: Mask, chosen: Rows) -> None:
        """Hold every listed rollout against its row: `chosen` entered, of those that are the entry's."""
        at = {key: place for place, key in enumerate(zip(chosen.tasks.tolist(), chosen.repeats.tolist(), strict=True))}
        self._check_listed(tally, facts, where, at)
        self._check_unlisted(tally, facts, chosen, at)
        places = np.array([at.get(key, -1) for key in self.key], dtype=np.int64)
        for name in self.values:
            column = two_names(name, self.values) or chosen.value(name)
            if isinstance(column, str):
                tally.skip(f"rollout_infos: {name}", column)
            else:
                self._check_column(tally, facts, chosen, name, column, places)
        if self.unread:
            tally.skip("rollout_infos", f"{self.unread:,} entries name no rollout")

    def _check_listed(self, tally: Tally, facts: Facts, where: Mask, at: Mapping[Key, int]) -> None:
        """Every rollout that is listed has a row."""
        standing = np.flatnonzero(where & np.isin(facts.standing.astype(str), ["row", *_EXPLAINED])).tolist()
        known = {(int(facts.task[one]), int(facts.repeat[one])): one for one in standing}
        for key in dict.fromkeys(self.key):
            place = known.get(key)
            if key in at:
                tally.agree()
            elif place is None:
                more = "; lines of the rollouts file could not be read" if facts.skipped else ""
                why = f"No row that can be read is this rollout{more}."
                tally.differ(_where(key), "rollout_infos", "listed", None, why=why)
            elif facts.standing[place] == "row":
                tally.skip("rollout_infos of masked rows", "masked rows enter no statistics")
            else:
                why, refs = _EXPLAINED[facts.standing[place]], facts.refs_at([place])
                tally.differ(_where(key), "rollout_infos", "listed", None, why=why, refs=refs)

    def _check_unlisted(self, tally: Tally, facts: Facts, chosen: Rows, at: Mapping[Key, int]) -> None:
        """Of tasks whose rollouts are listed, every row is."""
        listed = set(self.key)
        why = "The rollouts file has this row, and the file does not list it."
        for key, row in at.items():
            if key[0] in self.tasks_listed and key not in listed:
                place = int(chosen.at[row])
                self._not_listed.append(place)
                tally.differ(_where(key), "rollout_infos", None, "a row", why=why, refs=facts.refs_at([place]))

    def _check_column(self, tally: Tally, facts: Facts, chosen: Rows, name: str, column: Array, places: Whole) -> None:
        """Every value that is listed in a column is the row's own."""
        numbers = np.array([number for number, _ in self.values[name]], dtype=np.int64)
        shipped = np.array([value for _, value in self.values[name]], dtype=np.float64)
        there = places[numbers] >= 0
        numbers, shipped = numbers[there], shipped[there]
        rows = places[numbers]
        with np.errstate(all="ignore"):
            ok = np.abs(column[rows] - shipped) <= tolerance(shipped)
        tally.agree(int(ok.sum()))
        self.different[name] = chosen.at[rows[~ok]]
        for number, value, row in zip(numbers[~ok], shipped[~ok], rows[~ok], strict=True):
            given = number_of(float(column[row]))
            why = "The row has no such number." if given is None else "The row itself has another value."
            refs = facts.refs_at([int(chosen.at[row])])
            tally.differ(_where(self.key[int(number)]), name, float(value), given, why=why, refs=refs)


def _where(key: Key) -> str:
    return f"task {key[0]}, rollout {key[1]}"
