"""`rollout_verdicts.jsonl`: the health report's verdict on every rollout, held against the rows that are there."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from blade.measure.shipped.facts import Facts, Mask
from blade.measure.shipped.report import Tally, cut, index_of

UNREADABLE = "__unreadable_record__"
VERDICTS = ("healthy", "unhealthy", "unobserved")
FOREIGN = "most of its tasks are not of this run: it speaks of another one in the directory"
Key = tuple[int, int]


def check(tally: Tally, facts: Facts, entries: Sequence[Any], scope: Mask) -> None:
    """Which rollouts have a verdict, and the findings that can be seen from here."""
    if not facts.indexed:
        tally.problem("the rows have no task index, so that verdicts cannot be told apart")
        return
    verdicts = [(key_of(entry), entry) for entry in entries]
    ours = rows_by_key(facts, scope)
    tasks = {task for task, _ in ours}
    named = {key[0] for key, _ in verdicts if key}
    if is_foreign(named, tasks):
        tally.problem(FOREIGN)
        return
    listed = Counter(key for key, _ in verdicts if key)
    _check_listed(tally, facts, listed, ours)
    _check_duplicates(tally, facts, verdicts, ours)
    _check_unreadable(tally, facts, entries)
    for _, entry in verdicts:
        if entry.get("verdict") not in VERDICTS:
            tally.skip(cut(f"verdict {entry.get('verdict')!r}"), "no verdict that is known")


def key_of(entry: Mapping[str, Any]) -> Key | None:
    """Task and rollout, or None for what is no rollout's."""
    task, rollout = index_of(entry.get("_ng_task_index")), index_of(entry.get("_ng_rollout_index"))
    return (task, rollout or 0) if task is not None else None


def rows_by_key(facts: Facts, scope: Mask) -> dict[Key, list[int]]:
    """The rows of the main file, duplicates too, by task and repeat."""
    found: dict[Key, list[int]] = {}
    for at in np.flatnonzero(scope & facts.main).tolist():
        found.setdefault((int(facts.task[at]), int(facts.repeat[at])), []).append(at)
    return found


def is_foreign(named: Iterable[Any], ours: Iterable[Any]) -> bool:
    """Whether most of what a file names is not there."""
    names = set(named)
    return bool(names) and 2 * len(names - set(ours)) > len(names)


def findings_of(entry: Mapping[str, Any]) -> list[str]:
    """The checks that found something."""
    findings = entry.get("findings")
    named = [one.get("check") for one in findings if isinstance(one, dict)] if isinstance(findings, list) else []
    return [name for name in named if isinstance(name, str)]


def _check_listed(tally: Tally, facts: Facts, listed: Counter[Key], ours: dict[Key, list[int]]) -> None:
    for key in dict.fromkeys([*listed, *ours]):
        where = f"task {key[0]}, rollout {key[1]}"
        rows, verdicts = len(ours.get(key, ())), listed[key]
        if rows == verdicts:
            tally.agree()
            continue
        why = f"The run has {rows or 'no'} row{'' if rows == 1 else 's'} of this rollout."
        tally.differ(where, "verdicts", verdicts, rows, why=why, refs=facts.refs_at(ours.get(key, ())))


def _check_duplicates(
    tally: Tally, facts: Facts, verdicts: Sequence[tuple[Key | None, Mapping[str, Any]]], ours: dict[Key, list[int]]
) -> None:
    """All copies of a rollout are flagged, and nothing else."""
    flagged = {key for key, entry in verdicts if key and "rollout_duplicate_identity" in findings_of(entry)}
    copies = {key for key, rows in ours.items() if any(facts.standing[at] == "duplicate" for at in rows)}
    for key in sorted(flagged | copies):
        if key in flagged and key in copies:
            tally.agree()
            continue
        found = "has several rows" if key in copies else "has one row at most"
        tally.differ(
            f"task {key[0]}, rollout {key[1]}",
            "rollout_duplicate_identity",
            key in flagged,
            key in copies,
            why=f"This rollout {found} here.",
            refs=facts.refs_at(ours.get(key, ())),
        )


def _check_unreadable(tally: Tally, facts: Facts, entries: Sequence[Mapping[str, Any]]) -> None:
    """Lines that the report could not read against those that were skipped here."""
    lines = [entry for entry in entries if str(entry.get("_ng_task_index", "")).startswith(UNREADABLE)]
    if lines or facts.skipped:
        why = f"{facts.skipped:,} lines of the rollouts file could not be read here."
        tally.compare("the run", "record_unreadable", len(lines), float(facts.skipped), why)
