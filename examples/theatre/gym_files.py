"""Write one run in a directory, under the names that NeMo Gym gives its files."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from examples.theatre.metrics import aggregate_metrics, reward_profile
from examples.theatre.notes import run_notes
from examples.theatre.rollouts import Rollout
from examples.theatre.rows import failure_rows, input_row, rollout_row
from examples.theatre.truth import truth_of

INDICES = ("_ng_task_index", "_ng_rollout_index", "_ng_attempt_index")


def write_run(directory: Path, stem: str, rollouts: Sequence[Rollout], *, observability: bool = False) -> list[Path]:
    """Write all files of a run and return their paths, the rollouts file first.

    A run without indices in its rows has no sidecars beside its notes: they are joined by them.
    """
    finished = sorted(rollouts, key=lambda rollout: rollout.finished)
    rows = [rollout_row(rollout, observability=observability) for rollout in finished for _ in range(rollout.copies)]
    refs = _refs(finished)
    truths = [truth_of(stem, refs[rollout.key], rollout) for rollout in rollouts]
    indexed = rollouts[0].task.vocabulary.indexed
    contents = {
        ".jsonl": json_lines(rows if indexed else map(_without_indices, rows)),
        **(_sidecars(rows, rollouts, finished) if indexed else {}),
        "_notes.md": run_notes(stem, rollouts),
        "_truth.jsonl": json_lines(truths),
    }
    return [write_text(directory / f"{stem}{suffix}", content) for suffix, content in contents.items()]


def _sidecars(
    rows: Sequence[dict[str, Any]], rollouts: Sequence[Rollout], finished: Iterable[Rollout]
) -> dict[str, str]:
    inputs = [input_row(r.agent, r.task, r.repeat) for r in rollouts]
    failures = [row for rollout in finished for row in failure_rows(rollout)]
    return {
        "_materialized_inputs.jsonl": json_lines(inputs),
        "_failures.jsonl": json_lines(failures),
        "_aggregate_metrics.json": json.dumps(aggregate_metrics(rows), indent=2),
        "_reward_profiling.jsonl": json_lines(reward_profile(rows, inputs)),
    }


def _refs(finished: Iterable[Rollout]) -> dict[str, str]:
    """Return how a report names each rollout: by its indices, else by its task's id and the order of its row."""
    refs = {}
    seen: Counter[str] = Counter()
    for rollout in finished:
        task, repeat = str(rollout.task.index), rollout.repeat
        if not rollout.task.vocabulary.indexed:
            task, repeat = rollout.task.shown_id, seen[task]
        seen[str(rollout.task.index)] += rollout.copies
        refs[rollout.key] = f"{task}/{repeat}"
    return refs


def _without_indices(row: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in INDICES}


def json_lines(rows: Iterable[dict[str, Any]]) -> str:
    """Return rows as JSON Lines, without spaces, as Gym writes them."""
    return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)


def write_text(path: Path, content: str) -> Path:
    """Write a file with the same bytes on every platform and return its path."""
    path.write_text(content, encoding="utf-8", newline="\n")
    return path
