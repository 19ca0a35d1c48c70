"""The files of a NeMo Gym run, by name. A new sidecar is one new row of `SIDECARS`."""

import re
from pathlib import Path
from typing import Final, NamedTuple

ROW_ENDINGS: Final = (".jsonl", ".ndjson")
COMPRESSED_ENDINGS: Final = (".gz", ".zst")

ID_FIELDS: Final = (
    "task_id",
    "problem_id",
    "instance_id",
    "question_id",
    "uuid",
    "uid",
    "row_id",
    "hashid",
    "id",
    "name",
)
"""The environments' own ids of a task, the most telling first."""


class Sidecar(NamedTuple):
    """A kind of file beside a rollouts file: how its name ends, and what it says."""

    kind: str
    ending: str
    meaning: str


SIDECARS: Final = (
    Sidecar("materialized inputs", "_materialized_inputs.jsonl", "One line per rollout that is owed: the denominator."),
    Sidecar("failures", "_failures.jsonl", "One line per attempt that failed; the last per rollout stands."),
    Sidecar("aggregate metrics", "_aggregate_metrics.json", "The metrics that the run itself computed."),
    Sidecar("reward profile", "_reward_profiling.jsonl", "Statistics per task, with the input row."),
    Sidecar("agent metrics", "_agent_metrics.json", "Statistics per agent."),
    Sidecar("repeat metrics", "_repeat_level_metrics.json", "Statistics per repeat."),
    Sidecar("metrics", "_metrics.json", "A flat metrics file of a report."),
    Sidecar("notes", "_notes.md", "What the people who ran it wrote down."),
    Sidecar("truth", "_truth.jsonl", "What a simulated benchmark knows about its own rollouts."),
)
"""Named after the stem of the rollouts file."""

SHARED: Final = (
    Sidecar("health summary", "quality_summary.json", "The run's own health report."),
    Sidecar("health verdicts", "rollout_verdicts.jsonl", "The run's own verdict per rollout."),
    Sidecar("comparison", "compare_report.json", "The run's own comparison with another."),
    Sidecar("comparison text", "compare_report.md", "The same for people."),
    Sidecar("dataset statistics", "example_metrics.json", "Statistics of a dataset; no artifact of a run."),
    Sidecar("notes", "notes.md", "What the people who ran it wrote down."),
)
"""Named the same in every directory, so that they may speak of any run in it."""

_SHARD = re.compile(
    r"(.*?)[-_.]?(?:(?:shard|part)[-_.]?\d+(?:[-_.]?of[-_.]?\d+)?|\d+[-_.]of[-_.]\d+)(?=$|[-_.])(.*)", re.IGNORECASE
)


def stem_of(name: str) -> str:
    """A file's name without its compression and its row ending."""
    for ending in (*COMPRESSED_ENDINGS, *ROW_ENDINGS, ".json"):
        name = name.removesuffix(ending)
    return name


def is_row_file(path: Path) -> bool:
    """Whether the name says that the file holds rows."""
    name = path.name.lower()
    for ending in COMPRESSED_ENDINGS:
        name = name.removesuffix(ending)
    return name.endswith(ROW_ENDINGS)


def sidecar_kind(path: Path) -> str | None:
    """The kind of sidecar that a name belongs to, or None for what may be a rollouts file."""
    name = path.name
    for ending in COMPRESSED_ENDINGS:
        name = name.removesuffix(ending)
    for sidecar in SHARED:
        if name == sidecar.ending:
            return sidecar.kind
    return next(
        (sidecar.kind for sidecar in SIDECARS if name.endswith(sidecar.ending) and name != sidecar.ending), None
    )


def run_name(stem: str) -> str:
    """The run that a rollouts file's stem stands for."""
    return stem.removesuffix("_rollouts") or stem


def shard_of(stem: str) -> str | None:
    """The stem that a numbered shard belongs to, or None for a file that is no shard."""
    match = _SHARD.fullmatch(stem)
    return ((match[1] + match[2]).strip("-_.") or "rollouts") if match else None
