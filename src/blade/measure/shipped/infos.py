"""`rollout_infos`: what a sidecar says of every rollout, held against the rows one by one."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from blade.measure.shipped.facts import NO_TASK, Facts, Rows
from blade.measure.shipped.formulas import Array, Whole
from blade.measure.shipped.readings import Reading
from blade.measure.shipped.report import Tally, index_of, map_of, number_of, tolerance
from blade.measure.shipped.sheet import two_names

_IDENTITY = ("rollout_id", "_ng_task_index", "_ng_rollout_index")
_EXPLAINED = {
    "failed": "this rollout failed in every attempt and has no row",
    "missing": "this rollout is owed and has no row",
}


class Infos:
    """The rollouts that a sidecar lists, with their values."""

    def __init__(self, groups: Sequence[dict[str, Any]], ids: Whole) -> None:
        self.tasks_listed: set[int] = set()
        self.values: dict[str, list[tuple[int, float]]] = defaultdict(list)
        self.key: list[tuple[int, int]] = []
        self.unread = 0
        for group, task in zip(groups, ids.tolist(), strict=True):
            infos = group.get("rollout_infos")
            if isinstance(infos, list) and task != NO_TASK:
                self.tasks_listed.add(task)
                for info in infos:
                    self._add(task, map_of(info))
        self.different: dict[str, list[int]] = defaultdict(list)
        """For each column, the rows whose own values differ from what is listed."""
        self.not_listed: list[int] = []

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

        def refs(task: int | None, column: str | None) -> list[str]:
            places = [*(self.different.get(column, ()) if column else ()), *self.not_listed]
            return facts.refs_at(at for at in places if task is None or facts.task[at] == task)

        return Reading(
            "by the values that the file lists for every rollout, which are not those of the rows", self.rows(), refs
        )

    def check(self, tally: Tally, facts: Facts, chosen: Rows) -> None:
        """Hold every listed rollout against its row."""
        at = {key: place for place, key in enumerate(zip(chosen.tasks.tolist(), chosen.repeats.tolist(), strict=True))}
        places = np.array([at.get(key, -1) for key in self.key], dtype=np.int64)
        self._check_presence(tally, facts, chosen, at)
        for name, listed in self.values.items():
            column = two_names(name, self.values) or chosen.value(name)
            if isinstance(column, str):
                tally.skip(f"rollout_infos: {name}", column)
                continue
            self._check_column(tally, facts, chosen, name, column, listed, places)
        if self.unread:
            tally.skip("rollout_infos", f"{self.unread:,} entries name no rollout")

    def _check_presence(self, tally: Tally, facts: Facts, chosen: Rows, at: dict[tuple[int, int], int]) -> None:
        listed = set(self.key)
        known: dict[tuple[int, int], int] = {}
        for one in np.flatnonzero(np.isin(facts.standing.astype(str), list(_EXPLAINED))).tolist():
            known[int(facts.task[one]), int(facts.repeat[one])] = one
        for task, repeat in dict.fromkeys(self.key):
            if (task, repeat) in at:
                tally.agree()
                continue
            place = known.get((task, repeat))
            why = _EXPLAINED[facts.standing[place]] if place is not None else "no row that can be read is this rollout"
            refs = facts.refs_at([place]) if place is not None else []
            more = "; lines of the rollouts file could not be read" if place is None and facts.skipped else ""
            tally.differ(
                f"task {task}, rollout {repeat}", "rollout_infos", "listed", None, why=_sentence(why + more), refs=refs
            )
        for (task, repeat), row in at.items():
            if task in self.tasks_listed and (task, repeat) not in listed:
                self.not_listed.append(int(chosen.at[row]))
                why = "The rollouts file has this row, and the file does not list it."
                refs = facts.refs_at([int(chosen.at[row])])
                tally.differ(f"task {task}, rollout {repeat}", "rollout_infos", None, "a row", why=why, refs=refs)

    def _check_column(
        self,
        tally: Tally,
        facts: Facts,
        chosen: Rows,
        name: str,
        column: Array,
        listed: list[tuple[int, float]],
        places: Whole,
    ) -> None:
        numbers = np.array([number for number, _ in listed], dtype=np.int64)
        shipped = np.array([value for _, value in listed], dtype=np.float64)
        rows = places[numbers]
        numbers, shipped, rows = numbers[rows >= 0], shipped[rows >= 0], rows[rows >= 0]
        with np.errstate(all="ignore"):
            ok = np.abs(column[rows] - shipped) <= tolerance(shipped)
        tally.agree(int(ok.sum()))
        for number, value, row in zip(numbers[~ok], shipped[~ok], rows[~ok], strict=True):
            task, repeat = self.key[int(number)]
            at, ours = int(chosen.at[row]), float(column[row])
            self.different[name].append(at)
            missing = bool(np.isnan(ours))
            why = "The row has no such number." if missing else "The row itself has another value."
            tally.differ(
                f"task {task}, rollout {repeat}",
                name,
                float(value),
                None if missing else ours,
                why=why,
                refs=facts.refs_at([at]),
            )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."
