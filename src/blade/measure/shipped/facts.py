"""The rows of one run as arrays: what Gym would have seen of them, and what is owed but not there.

Beside the rows of the main file stand duplicates, failed attempts, rollouts that are missing and lines
that could not be read, so that a reading of "which rows entered" is a choice among them.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blade.artifacts.nemo_gym import names
from blade.measure.shipped.formulas import Array, Whole
from blade.scan.store import SettledRun, Store

Mask = npt.NDArray[np.bool_]

USAGE = {
    "input_tokens": "input_tokens",
    "prompt_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "completion_tokens": "output_tokens",
    "total_tokens": "total_tokens",
    "cost": "cost",
}
"""Keys of `response.usage`, in both namings, and the column of the store that holds them."""

TWO_NAMES = {"input_tokens": "prompt_tokens", "output_tokens": "completion_tokens"}
_INDICES = ("_ng_task_index", "_ng_rollout_index")
_ZERO_USAGE = "usage is all zero"
_LOST = "fields beyond the first"
_NO_NUMBER = ("reward is text", "reward is not a number")
_MOST_CANDIDATES = 8

NO_TASK = -(2**62)
"""Stands for a task that is none of the run's; the next ones stand for lines that could not be read."""

ALL_SHARDS = -1
"""Stands for the shard of a file that speaks of the whole run."""

_FACTS = """
SELECT file, row, ref, run, task, rollout, standing, task_index, rollout_index, attempt_index, agent, environment,
       reward, reward_field, input_tokens, output_tokens, total_tokens, cost, reasoning_tokens, cached_tokens,
       masked, model, row_id, prompt_hash, coalesce(problems, '') AS problems
FROM rollouts WHERE file BETWEEN ? AND ? ORDER BY file, row
"""
_OWED = """
SELECT i.file, i.task_index, i.rollout_index, i.agent, i.run, i.task, i.rollout, o.standing
FROM inputs i LEFT JOIN owed o USING (run, task, rollout) WHERE i.file BETWEEN ? AND ? ORDER BY i.file, i.row
"""


class Rows(NamedTuple):
    """Rows in order of task and repeat, and the columns they have."""

    tasks: Whole
    repeats: Whole
    value: Callable[[str], "Array | str"]
    """The values of a column, NaN where there is none; or why there is no such column."""
    answer: Callable[[str], Whole]
    """A number for each different value of a field, -1 where there is none."""
    at: Whole
    """Where each row stands in the facts; -1 for what stands only in a sidecar."""


class Facts:
    """Rows of a run and what is known of rollouts without a row, in parallel arrays."""

    def __init__(self, store: Store, run: SettledRun) -> None:
        before = store.runs[: next(place for place, other in enumerate(store.runs) if other is run)]
        first = sum(len(other.scans) for other in before)
        self._files = (first, first + len(run.scans) - 1)
        self._ask = store.connection.execute
        self.run = run
        self._shards = [self._shard_of(scan.path) for scan in run.scans]
        self.skipped = sum(scan.manifest.skipped for scan in run.scans if scan.manifest and scan.role == "rollouts")
        self._load(self._ask(_FACTS, self._files))
        self.owed: list[dict[str, Any]] = _dicts(self._ask(_OWED, self._files))
        self._add_missing()
        self._number_tasks()
        self._columns: dict[str, Array] = {}
        self._answers: dict[str, Whole] = {}
        self.incomplete: dict[str, str] = {}

    def _load(self, result: Any) -> None:
        self._names = [column[0] for column in result.description]
        rows = _dicts(result)
        self.rows = len(rows)
        self.facts = rows
        files = np.array([row["file"] for row in rows], dtype=np.int64)
        self._keys = (files << 44) | np.array([row["row"] for row in rows], dtype=np.int64)

    def _add_missing(self) -> None:
        """Rollouts without a row, and lines that could not be read, as rows that hold nothing."""
        blank = dict.fromkeys(self._names) | {"problems": ""}
        agents = {row["agent"] for row in self.facts}
        only = next(iter(agents)) if len(agents) == 1 else None
        seen: set[tuple[Any, ...]] = set()
        for owed in self.owed:
            who = (owed["run"], owed["task"], owed["rollout"])
            if owed["standing"] == "missing" and who not in seen:
                seen.add(who)
                self.facts.append(blank | owed | {"agent": owed["agent"] or only})
        files = [
            file
            for file, scan in enumerate(self.run.scans, self._files[0])
            for _ in range(scan.manifest.skipped if scan.manifest and scan.role == "rollouts" else 0)
        ]
        self.facts.extend(
            blank | {"standing": "skipped", "task_index": NO_TASK + 1 + place, "agent": only, "file": file}
            for place, file in enumerate(files)
        )

    def _number_tasks(self) -> None:
        """Task and repeat as Gym takes them: the indices, 0 where one is missing; else as settled."""
        facts = self.facts
        self.refs: list[str] = [row["ref"] for row in facts]
        self.standing = np.array([row["standing"] or "" for row in facts], dtype=object)
        self.main = np.isin(self.standing.astype(str), ["row", "duplicate"]) if facts else np.zeros(0, dtype=bool)
        self.indexed = any(row["task_index"] is not None for row in facts[: self.rows])
        if self.indexed:
            self.task = np.array([row["task_index"] or 0 for row in facts], dtype=np.int64)
        else:
            order = {task: number for number, task in enumerate(dict.fromkeys(row.get("task") for row in facts))}
            self.task = np.array([order[row.get("task")] for row in facts], dtype=np.int64)
        repeats = any(row["rollout_index"] is not None for row in facts[: self.rows])
        self.repeat = np.array([_repeat(row, indexed=repeats) for row in facts], dtype=np.int64)
        self.shard = np.array([self._shards[row["file"] - self._files[0]] for row in facts], dtype=np.int64)

    def _shard_of(self, path: str) -> int:
        """The shard that a file is or is named after; `ALL_SHARDS` for one that speaks of the whole run."""
        shards = self.run.files.rollouts
        if len(shards) < 2:
            return ALL_SHARDS
        for place, shard in enumerate(shards):
            stem = names.stem_of(Path(shard).name)
            beside = [str(Path(shard).with_name(name)) for name in (stem, names.run_name(stem))]
            endings = [name + sidecar.ending for name in beside for sidecar in names.SIDECARS]
            if path == shard or path.startswith(tuple(endings)):
                return place
        return ALL_SHARDS

    def scope(self, path: str) -> Mask:
        """The rows a sidecar can speak of: those of the shard that it is named after, else all."""
        shard = self._shard_of(path)
        return np.ones(len(self.facts), dtype=bool) if shard == ALL_SHARDS else np.asarray(self.shard == shard)

    def owed_within(self, scope: Mask) -> list[dict[str, Any]]:
        """The lines of materialized inputs that owe rollouts of these rows' shards."""
        shards = {ALL_SHARDS, *self.shard[scope].tolist()}
        return [row for row in self.owed if self._shards[row["file"] - self._files[0]] in shards]

    def load(self, columns: Iterable[str]) -> None:
        """Read columns of fields, all in one question."""
        wanted = sorted({name for name in columns if name not in self._columns and name not in _INDICES})
        if not wanted:
            return
        found = self._ask(
            "SELECT w.place, f.file, f.row, f.number FROM fields f "
            "JOIN (SELECT unnest(?) AS name, generate_subscripts(?, 1) - 1 AS place) w USING (name) "
            "WHERE f.file BETWEEN ? AND ? AND f.kind IN ('number', 'boolean')",
            [wanted, wanted, *self._files],
        ).fetchnumpy()
        order = np.argsort(found["place"], kind="stable")
        starts = np.searchsorted(found["place"][order], np.arange(len(wanted) + 1))
        rows = self._places(found)
        numbers = np.asarray(np.ma.filled(found["number"].astype(np.float64), np.nan))
        for place, name in enumerate(wanted):
            at = order[starts[place] : starts[place + 1]]
            fields = np.full(len(self.facts), np.nan)
            fields[rows[at]] = numbers[at]
            if np.isnan(numbers[at]).any():
                self.incomplete[name] = "holds integers that are too large to be recomputed"
            self._columns[name] = self._with_standard_keys(name, fields)
            self._check_lost(name)

    def _check_lost(self, name: str) -> None:
        column = self._columns[name]
        if any(_LOST in row["problems"] and np.isnan(column[at]) for at, row in enumerate(self.facts)):
            self.incomplete[name] = "stands among fields that were left out of rows with very many"

    def _places(self, found: Any) -> Whole:
        keys = (np.asarray(found["file"], dtype=np.int64) << 44) | np.asarray(found["row"], dtype=np.int64)
        return np.asarray(np.searchsorted(self._keys, keys), dtype=np.int64)

    def _with_standard_keys(self, name: str, fields: Array) -> Array:
        """Keys that the store keeps in columns of their own; usage goes before a field of the same name."""
        if name == "reward":
            return self._of(lambda row: None if _no_number(row) else row["reward"])
        if name == "_ng_attempt_index":
            return self._of(lambda row: row["attempt_index"])
        if name in USAGE:
            used = self._of(lambda row: _usage(row, name))
            return np.where(np.isnan(used), fields, used)
        return fields

    def _of(self, read: Callable[[dict[str, Any]], Any]) -> Array:
        values = [read(row) for row in self.facts]
        return np.array([np.nan if value is None else float(value) for value in values], dtype=np.float64)

    def column(self, name: str) -> Array | str:
        """The values of a column of Gym's, or why it cannot be had."""
        if name in _INDICES:
            return "is an index"
        if name in self.incomplete:
            return self.incomplete[name]
        self.load([name])
        if np.isnan(self._columns[name]).all():
            return "no row has a number under this name: the server's own, or from rows that are not here"
        return self.incomplete.get(name) or self._columns[name]

    def fact(self, name: str) -> Array:
        """A column of the store as it is."""
        return self._of(lambda row: row[name])

    def masked(self, where: Mask) -> Mask:
        """Rows of `where` with a truthy `mask_sample` at the top, the only one that Gym 0.7 heeds."""
        return self._masked & where

    @cached_property
    def _masked(self) -> Mask:
        found = self._ask(
            "SELECT file, row FROM fields WHERE file BETWEEN ? AND ? AND name = 'mask_sample' "
            "AND (number <> 0 OR (kind IN ('text', 'list', 'object') AND text NOT IN ('', '[]', '{}')))",
            list(self._files),
        ).fetchnumpy()
        masked = np.zeros(len(self.facts), dtype=bool)
        masked[self._places(found)] = True
        return masked

    def answers(self, field: str) -> Whole:
        """A number for each different value of a field; -1 for null and for no field."""
        if field not in self._answers:
            found = self._ask(
                "SELECT file, row, dense_rank() OVER (ORDER BY concat_ws('|', kind, number, hash, text)) AS value "
                "FROM fields WHERE file BETWEEN ? AND ? AND name = ? AND kind <> 'null'",
                [*self._files, field],
            ).fetchnumpy()
            answers = np.full(len(self.facts), -1, dtype=np.int64)
            answers[self._places(found)] = found["value"]
            self._answers[field] = answers
        return self._answers[field]

    def fields_with_texts(self, texts: Sequence[str]) -> list[str]:
        """Fields of which some value is one of these texts."""
        asked = "SELECT name FROM fields WHERE file BETWEEN ? AND ? AND kind = 'text' AND text IN (SELECT unnest(?))"
        ranked = f"{asked} GROUP BY name ORDER BY count(*) DESC, name LIMIT {_MOST_CANDIDATES}"
        return [name for (name,) in self._ask(ranked, [*self._files, list(texts)]).fetchall()]

    def fields_like(self, like: Sequence[str]) -> list[str]:
        """Fields whose names hold one of these words and that are no objects."""
        held = " OR ".join("contains(lower(name), ?)" for _ in like)
        asked = f"SELECT name FROM fields WHERE file BETWEEN ? AND ? AND kind <> 'object' AND ({held})"
        ranked = f"{asked} GROUP BY name ORDER BY count(*) DESC, name LIMIT {2 * _MOST_CANDIDATES}"
        return [name for (name,) in self._ask(ranked, [*self._files, *like]).fetchall()]

    def texts(self, field: str) -> list[str | None]:
        """A field of text, for every row."""
        asked = "SELECT file, row, text FROM fields WHERE file BETWEEN ? AND ? AND name = ? AND kind = 'text'"
        found = self._ask(asked, [*self._files, field]).fetchnumpy()
        values: list[str | None] = [None] * len(self.facts)
        for place, text in zip(self._places(found), found["text"], strict=True):
            values[int(place)] = str(text)
        return values

    def rows_of(self, chosen: Iterable[int] | Whole, zeros: Mask | None = None) -> Rows:
        """Rows by their places, in order of task and repeat; those in `zeros` hold a reward of 0 and nothing else."""
        at = np.asarray(list(chosen) if not isinstance(chosen, np.ndarray) else chosen, dtype=np.int64)
        at = at[np.lexsort((at, self.repeat[at], self.task[at]))]
        empty = zeros[at] if zeros is not None and zeros[at].any() else None

        def value(name: str) -> Array | str:
            column = self.column(name)
            if isinstance(column, str):
                return column
            return column[at] if empty is None else np.where(empty, 0.0 if name == "reward" else np.nan, column[at])

        return Rows(self.task[at], self.repeat[at], value, lambda field: self.answers(field)[at], at)

    def refs_at(self, places: Iterable[int]) -> list[str]:
        """The refs of rows that are there."""
        return [ref for place in places if (ref := self.refs[int(place)])]


def _dicts(result: Any) -> list[dict[str, Any]]:
    columns = [column[0] for column in result.description]
    return [dict(zip(columns, row, strict=True)) for row in result.fetchall()]


def _repeat(row: dict[str, Any], *, indexed: bool) -> int:
    """The repeat's index, 0 where it is missing; where no row has one, its place within the task."""
    if indexed:
        return int(row["rollout_index"] or 0)
    start = str(row.get("rollout") or "0").split(".", 1)[0]
    return int(start) if start.isdecimal() and len(start) < 16 else 0


def _no_number(row: dict[str, Any]) -> bool:
    """Whether the reward was taken from something that is no number to Gym."""
    return row["reward_field"] != "reward" or any(problem in row["problems"] for problem in _NO_NUMBER)


def _usage(row: dict[str, Any], name: str) -> float | None:
    if name != "cost" and row["input_tokens"] is None and _ZERO_USAGE in row["problems"]:
        return 0.0
    value = row[USAGE[name]]
    return None if value is None else float(value)
