"""Write one run in a directory, under the names that NeMo Gym gives its files."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from examples.office.metrics import aggregate_metrics, reward_profile
from examples.office.notes import run_notes
from examples.office.rollouts import Rollout
from examples.office.rows import failure_rows, input_row, rollout_row
from examples.office.truth import truth_of


def write_run(directory: Path, stem: str, rollouts: Sequence[Rollout], *, observability: bool = False) -> list[Path]:
    """Write all files of a run and return their paths, the rollouts file first."""
    inputs = [input_row(r.agent, r.task, r.repeat) for r in rollouts]
    finished = sorted(rollouts, key=lambda rollout: rollout.finished)
    rows = [rollout_row(r, observability=observability) for r in finished if r.in_main_file]
    failures = [row for rollout in finished for row in failure_rows(rollout)]
    truths = [truth_of(stem, rollout) for rollout in rollouts]
    contents = {
        ".jsonl": json_lines(rows),
        "_materialized_inputs.jsonl": json_lines(inputs),
        "_failures.jsonl": json_lines(failures),
        "_aggregate_metrics.json": json.dumps(aggregate_metrics(rows), indent=2),
        "_reward_profiling.jsonl": json_lines(reward_profile(rows, inputs)),
        "_notes.md": run_notes(stem, rollouts),
        "_truth.jsonl": json_lines(truths),
    }
    return [write_text(directory / f"{stem}{suffix}", content) for suffix, content in contents.items()]


def json_lines(rows: Iterable[dict[str, Any]]) -> str:
    """Return rows as JSON Lines, without spaces, as Gym writes them."""
    return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)


def write_text(path: Path, content: str) -> Path:
    """Write a file with the same bytes on every platform and return its path."""
    path.write_text(content, encoding="utf-8", newline="\n")
    return path
