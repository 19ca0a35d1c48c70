"""`quality_summary.json`: the health report of a run, held against the rows and against its own verdicts."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from blade.artifacts import sidecars
from blade.artifacts.discover import SidecarFile
from blade.errors import InputError
from blade.measure.shipped.facts import Facts, Mask
from blade.measure.shipped.report import Tally, cut, index_of, map_of, number_of
from blade.measure.shipped.verdicts import (
    FOREIGN,
    UNREADABLE,
    VERDICTS,
    findings_of,
    is_foreign,
    key_of,
    rows_by_key,
)


def check(tally: Tally, facts: Facts, entries: Sequence[Any], scope: Mask) -> None:
    """Records, tallies of verdicts, issues and tasks."""
    summary = map_of(entries[0])
    run, tasks = map_of(summary.get("run")), map_of(summary.get("tasks"))
    if not run and not tasks:
        tally.problem("holds neither a run nor tasks")
        return
    ours = Counter(str(task) for task in facts.task[scope & facts.main].tolist())
    readable = [task for task in tasks if not task.startswith(UNREADABLE)]
    if facts.indexed and is_foreign(readable, ours):
        tally.problem(FOREIGN)
        return
    verdicts = _verdicts(tally, facts)
    _check_records(tally, facts, run, scope)
    _check_tallies(tally, run, tasks, verdicts)
    _check_issues(tally, facts, map_of(run.get("issues")), verdicts, scope)
    if facts.indexed:
        _check_tasks(tally, facts, {task: map_of(tasks[task]) for task in readable}, ours, verdicts)
    elif tasks:
        tally.skip("tasks", "the rows have no task index")
    if len(readable) < len(tasks):
        tally.skip("tasks of lines that cannot be read", "are no tasks of the run")
    for key in map_of(run.get("stats")):
        tally.skip(f"stats: {cut(key)}", "comes from captured model calls")
    if "captures" in map_of(run.get("artifacts")):
        tally.skip("captures", "comes from captured model calls")
    if map_of(map_of(run.get("artifacts")).get("coverage")):
        tally.skip("coverage", "says which checks had their evidence, which is not read here")


def _verdicts(tally: Tally, facts: Facts) -> list[Mapping[str, Any]] | None:
    """The rows of the verdicts beside the summary, where they can be read."""
    paths = facts.run.files.of_kind("health verdicts")
    if not paths:
        return None
    try:
        rows = sidecars.read(SidecarFile("health verdicts", paths[0]))
    except (InputError, OSError, EOFError, ValueError):
        tally.note("The verdicts beside it cannot be read.")
        return None
    return [row for row in rows if isinstance(row, dict)]


def _check_records(tally: Tally, facts: Facts, run: Mapping[str, Any], scope: Mask) -> None:
    records = map_of(run.get("artifacts")).get("records")
    if records is None:
        return
    rows = int((scope & facts.main).sum())
    why = f"{rows:,} rows can be read here, and {facts.skipped:,} lines cannot."
    tally.compare("the run", "records", records, float(rows + facts.skipped), why)


def _check_tallies(
    tally: Tally, run: Mapping[str, Any], tasks: Mapping[str, Any], verdicts: list[Mapping[str, Any]] | None
) -> None:
    """The verdicts of the run against the rows of the verdicts, else against the file's own tasks."""
    stated = map_of(run.get("verdicts"))
    if verdicts is not None:
        counts: Mapping[str, float] = Counter(str(row.get("verdict")) for row in verdicts)
        source = "rollout_verdicts.jsonl"
    else:
        counts = {name: sum(number_of(map_of(task).get(name)) or 0 for task in tasks.values()) for name in VERDICTS}
        source = "the tasks of the same file"
    for name, value in stated.items():
        if name not in VERDICTS:
            tally.skip(f"verdicts: {cut(name)}", "no verdict that is known")
        elif verdicts is None and not tasks:
            tally.skip(f"verdicts: {name}", "nothing beside it lists the verdicts")
        else:
            why = f"This is the count over {source}."
            tally.compare("the run", f"verdicts: {name}", value, float(counts.get(name, 0)), why)


def _check_issues(
    tally: Tally, facts: Facts, issues: Mapping[str, Any], verdicts: list[Mapping[str, Any]] | None, scope: Mask
) -> None:
    """How often each check fired: by the verdicts, and for two checks by the rows."""
    counts = _findings(verdicts or [])
    copies = [rows for rows in rows_by_key(facts, scope).values() if _are_copies(facts, rows)]
    seen = {"record_unreadable": facts.skipped, "rollout_duplicate_identity": sum(map(len, copies))}
    stated = {**{name: 0 for name, count in seen.items() if count}, **issues}
    for name, value in stated.items():
        if name in seen and facts.indexed:
            why = "The rows show another number of them."
            number = number_of(value)
            if number == seen[name]:
                tally.agree()
            else:
                refs = facts.refs_at(at for rows in copies for at in rows) if name.startswith("rollout") else []
                tally.differ("the run", f"issues: {name}", value, seen[name], why=why, refs=refs)
        elif verdicts is None or name.startswith("task_"):
            tally.skip(f"issues: {cut(name)}", "nothing beside it lists the findings")
        elif number_of(value) in counts[name]:
            tally.agree()
        else:
            why = "This is the count of findings in rollout_verdicts.jsonl."
            tally.differ("the run", cut(f"issues: {name}"), value, counts[name][0], why=why)


def _findings(verdicts: Sequence[Mapping[str, Any]]) -> dict[str, tuple[int, int]]:
    """For every check, its findings and the rollouts that have one."""
    counts: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for row in verdicts:
        for name, count in Counter(findings_of(row)).items():
            counts[name] = (counts[name][0] + count, counts[name][1] + 1)
    return counts


def _are_copies(facts: Facts, rows: Sequence[int]) -> bool:
    return any(facts.standing[at] == "duplicate" for at in rows)


def _check_tasks(
    tally: Tally,
    facts: Facts,
    tasks: Mapping[str, Mapping[str, Any]],
    ours: Counter[str],
    verdicts: list[Mapping[str, Any]] | None,
) -> None:
    """Repeats against the rows, verdicts against the rows of the verdicts."""
    listed: dict[str, Counter[str]] = defaultdict(Counter)
    for row in verdicts or ():
        if (key := key_of(row)) is not None:
            listed[str(key[0])][str(row.get("verdict"))] += 1
    for task in dict.fromkeys([*tasks, *ours]):
        where = cut(f"task {task}")
        if task not in tasks:
            tally.differ(where, "tasks", None, ours[task], why="The file has nothing on it.", refs=_refs(facts, task))
            continue
        stated = tasks[task]
        if "repeats" in stated:
            value, rows = stated["repeats"], float(ours[task])
            if number_of(value) == rows:
                tally.agree()
            else:
                why = "The rollouts file has another number of rows of this task."
                tally.differ(where, "repeats", value, rows, why=why, refs=_refs(facts, task))
        for name in VERDICTS:
            if name in stated and verdicts is None:
                tally.skip(f"tasks: {name}", "nothing beside it lists the verdicts")
            elif name in stated:
                why = "This is the count over rollout_verdicts.jsonl."
                tally.compare(where, name, stated[name], float(listed[task][name]), why)


def _refs(facts: Facts, task: str) -> list[str]:
    index = index_of(int(task)) if task.lstrip("-").isdecimal() and len(task) < 16 else None
    return facts.refs_at(np.flatnonzero(facts.main & (facts.task == index))) if index is not None else []
