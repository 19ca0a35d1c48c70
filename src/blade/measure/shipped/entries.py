"""Finds what an entry of a sidecar speaks of: its agent's rows, its tasks, the version that wrote it."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from blade.artifacts.nemo_gym.rollouts import RolloutReader
from blade.measure.shipped.facts import NO_TASK, Facts, Mask
from blade.measure.shipped.formulas import Groups, Whole
from blade.measure.shipped.readings import Entry
from blade.measure.shipped.report import Tally, index_of, map_of, number_of
from blade.rollout import Place, Rollout

_NEWEST_KEYS = ("_ng_environment_server", "repeat_level_metrics", "perf_summary")
_NEWEST_METRICS = ("coverage/", "num_repeats")
_MOST_COLUMNS = 50

Mark = tuple[str, ...]
"""The means of a group or a task, by which they are matched where nothing else names the task."""


def agent_of(entry: Mapping[str, Any]) -> str | None:
    """The name in `agent_ref`."""
    named = map_of(entry.get("agent_ref")).get("name")
    return named if isinstance(named, str) and named else None


def is_newest(*maps: Mapping[str, Any]) -> bool:
    """Whether keys of Gym 0.7 are among these."""
    return any(
        key in _NEWEST_KEYS or key.startswith(_NEWEST_METRICS) or "_across_repeats/" in key
        for one in maps
        for key in one
    )


def entry_of(tally: Tally, facts: Facts, entry: Mapping[str, Any], scope: Mask, *, newest: bool) -> Entry | None:
    """The rows of an entry's environment server or agent; all rows where rows name none."""
    server, agent = entry.get("_ng_environment_server"), agent_of(entry)
    names = {row["agent"] for row in facts.facts[: facts.rows]} - {None}
    for name, field in ((server, "environment"), (agent, "agent")):
        if not isinstance(name, str) or not name:
            continue
        where = scope & np.array([row[field] == name for row in facts.facts], dtype=bool)
        if (where & facts.main).any():
            return Entry(where, newest, scope & ~where)
    if names and agent and (len(names) > 1 or _has_nameless(facts, scope)):
        tally.note(f"No row is of the agent {agent}.")
        return None
    if agent and names:
        tally.note(f"The rows name the agent {next(iter(names))}, the file names {agent}.")
    return Entry(scope, newest)


def _has_nameless(facts: Facts, scope: Mask) -> bool:
    return any(row["agent"] is None for row, inside in zip(facts.facts[: facts.rows], scope, strict=False) if inside)


def task_ids(tally: Tally, facts: Facts, entry: Entry, groups: Sequence[Mapping[str, Any]]) -> Whole:
    """The task of every group; `NO_TASK` where it is none of the run's."""
    indices = [index_of(group.get("_ng_task_index")) for group in groups]
    if facts.indexed and all(index is not None for index in indices):
        return _once(tally, [index if index is not None else NO_TASK for index in indices])
    rows = np.flatnonzero(entry.where & (facts.standing == "row"))
    found = _by_sample(facts, rows, groups)
    if found is None:
        columns = sorted({key[5:] for group in groups for key in group if key.startswith("mean/")})[:_MOST_COLUMNS]
        facts.load(columns)
        marks, tasks = _marks_of_groups(groups, columns), _marks_of_tasks(facts, rows, columns)
        found = _by_order(marks, tasks)
        tally.note(
            "Its rows name no task: they are taken in order of the tasks."
            if found is not None
            else "Its rows name no task: they are matched with tasks of equal statistics."
        )
        found = found if found is not None else _by_marks(marks, tasks)
    else:
        tally.note("Its rows name no task: they are matched by their samples.")
    return _once(tally, found)


def _once(tally: Tally, ids: Sequence[int]) -> Whole:
    """Every task once; a task that comes again is none of the run's."""
    seen: set[int] = set()
    kept = []
    for task in ids:
        if task != NO_TASK and task in seen:
            tally.skip(f"task {task}", "stands in the file more than once: the first is compared")
        kept.append(NO_TASK if task in seen else task)
        seen.add(task)
    return np.array(kept, dtype=np.int64)


def _by_sample(facts: Facts, rows: Whole, groups: Sequence[Mapping[str, Any]]) -> list[int] | None:
    """By the environment's own id of the task, else by the prompt, where that is in every sample and is unique."""
    reader = RolloutReader(facts.run.scans[0].id_fields if facts.run.scans else ())
    samples = [_read(reader, map_of(group.get("sample"))) for group in groups]
    for field in ("prompt_hash", "row_id"):
        known: dict[str, set[int]] = {}
        for at in rows.tolist():
            known.setdefault(facts.facts[at][field] or "", set()).add(int(facts.task[at]))
        asked = [_key(sample, field) for sample in samples]
        unique = len(set(asked)) == len(asked) and all(len(known.get(key or "", ())) <= 1 for key in asked)
        if unique and asked and None not in asked and any(key in known for key in asked):
            return [next(iter(known.get(key or "", ())), NO_TASK) for key in asked]
    return None


def _key(sample: Rollout | None, field: str) -> str | None:
    if sample is None:
        return None
    return sample.hashes.prompt if field == "prompt_hash" else sample.row_id


def _read(reader: RolloutReader, sample: Mapping[str, Any]) -> Rollout | None:
    try:
        line = msgspec.json.encode(sample)
    except (ValueError, OverflowError, RecursionError, msgspec.MsgspecError):
        return None
    found = reader.read(line, Place("", 0, 0, 0))
    return found if isinstance(found, Rollout) else None


def _by_order(marks: Sequence[Mark], tasks: dict[int, Mark]) -> list[int] | None:
    """The tasks in order, where the statistics of most are those of the group at their place."""
    if len(tasks) != len(marks):
        return None
    equal = sum(given == ours for given, ours in zip(marks, tasks.values(), strict=True))
    return list(tasks) if 2 * equal >= len(marks) else None


def _by_marks(marks: Sequence[Mark], tasks: dict[int, Mark]) -> list[int]:
    """Each group with a task of the same means, then the others in order."""
    free: dict[Mark, list[int]] = {}
    for task in reversed(tasks):
        free.setdefault(tasks[task], []).append(task)
    found = [free[mark].pop() if free.get(mark) else NO_TASK for mark in marks]
    left = sorted((task for tasks in free.values() for task in tasks), reverse=True)
    return [task if task != NO_TASK else left.pop() if left else NO_TASK for task in found]


def _marks_of_groups(groups: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> list[Mark]:
    return [tuple(_shown(number_of(group.get(f"mean/{column}"))) for column in columns) for group in groups]


def _marks_of_tasks(facts: Facts, rows: Whole, columns: Sequence[str]) -> dict[int, Mark]:
    """The means of every task, as they are compared."""
    tasks, numbers = np.unique(facts.task[rows], return_inverse=True)
    means = []
    for column in columns:
        values = facts.column(column)
        known = np.full(len(rows), np.nan) if isinstance(values, str) else values[rows]
        means.append(Groups(known, numbers.astype(np.int64), len(tasks)).mean().tolist())
    return {task: tuple(_shown(mean[place]) for mean in means) for place, task in enumerate(tasks.tolist())}


def _shown(value: float | None) -> str:
    return "" if value is None or value != value else f"{value:.6g}"
