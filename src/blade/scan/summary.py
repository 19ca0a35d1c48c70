"""What a settled run holds, in numbers: computed once, kept beside it, shown by `blade runs`."""

import math
from typing import TYPE_CHECKING, Any

import msgspec

from blade.rollout import Skipped

if TYPE_CHECKING:
    import duckdb

MOST_SHOWN = 100
"""Skipped lines and missing rollouts that a summary names one by one; the others are counted."""

_IDENTITY = (
    "model",
    "temperature",
    "top_p",
    "max_output_tokens",
    "reasoning_effort",
    "tools_hash",
    "system_hash",
    "skills_hash",
    "environment",
)
_MOST_VALUES = 20


class Spread(msgspec.Struct):
    """The rewards of the rows that count, as they stand; no pass rule is applied."""

    count: int = 0
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    at_one: int = 0
    absent: int = 0


class Identity(msgspec.Struct):
    """The values of one trait over the rows that count, each with its number of rows; null where unknown."""

    trait: str
    values: list[tuple[Any, int]]


class RunSummary(msgspec.Struct, kw_only=True):
    """One run: what is there, what is owed, what it was run with."""

    run: str
    files: list[str]
    agent: str | None = None
    model: str | None = None
    rows: int = 0
    """Rows of the main file that could be read, duplicates too."""
    tasks: int = 0
    repeats: list[int] = []
    """Fewest, median and most rollouts of a task."""
    expected: int | None = None
    expected_from: str | None = None
    missing: list[str] = []
    missing_count: int = 0
    coverage: float | None = None
    duplicates: int = 0
    failed_attempts: int = 0
    failed_rollouts: int = 0
    masked: int = 0
    truncated: int = 0
    without_steps: int = 0
    reward: Spread = msgspec.field(default_factory=Spread)
    identity: list[Identity] = []
    steps: int = 0
    calls: int = 0
    skipped: list[Skipped] = []
    skipped_count: int = 0
    sidecars: list[dict[str, Any]] = []
    config: dict[str, Any] | None = None
    notes: str | None = None
    problems: list[str] = []
    """What was irregular, with how often, in words."""


_COUNTED = """
CREATE OR REPLACE TEMP TABLE counted AS
SELECT p.*, s.task, s.rollout, s.standing, s.unnamed
FROM part_rollouts p JOIN settled s USING (file, row) WHERE s.run = ?
"""

_COUNTS = """
SELECT count(*) FILTER (standing IN ('row', 'duplicate')) AS rows,
       count(DISTINCT task) FILTER (standing = 'row') AS tasks,
       count(*) FILTER (standing = 'duplicate') AS duplicates,
       count(*) FILTER (standing IN ('attempt', 'failed')) AS failed_attempts,
       count(*) FILTER (standing = 'failed') AS failed_rollouts,
       count(*) FILTER (standing = 'row' AND masked) AS masked,
       count(*) FILTER (standing = 'row' AND incomplete IS NOT NULL) AS truncated,
       count(*) FILTER (standing = 'row' AND steps = 0) AS without_steps,
       coalesce(sum(steps) FILTER (standing = 'row'), 0)::BIGINT AS steps
FROM counted
"""

_REWARDS = """
SELECT count(reward) AS count, avg(reward) AS mean, min(reward) AS low, max(reward) AS high,
       count(*) FILTER (reward = 1) AS at_one, count(*) FILTER (reward IS NULL) AS absent
FROM counted WHERE standing = 'row'
"""

_REPEATS = """
SELECT min(many), quantile_disc(many, 0.5), max(many)
FROM (SELECT count(*) AS many FROM counted WHERE standing = 'row' GROUP BY task)
"""

_CALLS = "SELECT count(*) AS calls FROM part_actions JOIN counted USING (file, row) WHERE standing = 'row'"

_OWED = """
SELECT count(*) AS owed, count(*) FILTER (standing = 'missing') AS missing,
       count(*) FILTER (standing = 'row') AS present
FROM owed WHERE run = ?
"""

_MISSING = f"""
SELECT task || '/' || rollout FROM owed WHERE run = ? AND standing = 'missing' ORDER BY file, row LIMIT {MOST_SHOWN}
"""

_IRREGULAR = """
SELECT problem, count(*) FROM (SELECT unnest(string_split(problems, '; ')) AS problem FROM counted)
GROUP BY problem ORDER BY 2 DESC, 1 LIMIT 20
"""

_SOURCES = """
SELECT count(*) FILTER (unnamed) AS unnamed,
       count(*) FILTER (task_index IS NULL AND NOT unnamed) AS by_id,
       count(*) FILTER (steps_from NOT IN ('response', 'none')) AS elsewhere,
       count(*) FILTER (reward_field = 'score') AS scored
FROM counted WHERE standing = 'row'
"""


def summarize(connection: "duckdb.DuckDBPyConnection", run: str, files: list[str]) -> list[RunSummary]:
    """Summaries of the settled run: one, or one per agent where a file holds several."""
    runs = connection.execute("SELECT run FROM settled GROUP BY run ORDER BY min((file, row))").fetchall()
    return [_summary(connection, name, files) for (name,) in runs or [(run,)]]


def _summary(connection: "duckdb.DuckDBPyConnection", run: str, files: list[str]) -> RunSummary:
    connection.execute(_COUNTED, [run])
    summary = RunSummary(run=run, files=files, **_one(connection, _COUNTS))
    summary.reward = Spread(**_one(connection, _REWARDS))
    summary.repeats = [int(many) for many in connection.execute(_REPEATS).fetchone() or () if many is not None]
    summary.identity = [identity for trait in _IDENTITY if (identity := _identity(connection, trait))]
    summary.model = _only(connection, "model")
    summary.agent = _only(connection, "agent")
    summary.calls = _one(connection, _CALLS)["calls"]
    _count_owed(connection, summary)
    summary.problems = _problems(connection, summary)
    return summary


def _one(connection: "duckdb.DuckDBPyConnection", query: str, parameters: list[Any] | None = None) -> dict[str, Any]:
    result = connection.execute(query, parameters or [])
    names = [column[0] for column in result.description]
    return dict(zip(names, result.fetchone() or (), strict=False))


def _identity(connection: "duckdb.DuckDBPyConnection", trait: str) -> Identity | None:
    query = f"SELECT {trait}, count(*) FROM counted WHERE standing = 'row' GROUP BY 1 ORDER BY 2 DESC, 1"
    values = connection.execute(f"{query} LIMIT {_MOST_VALUES}").fetchall()
    return Identity(trait, values) if any(value is not None for value, _ in values) else None


def _only(connection: "duckdb.DuckDBPyConnection", trait: str) -> str | None:
    """The one value of a trait; several are joined, most frequent first."""
    named = f"FROM counted WHERE standing = 'row' AND {trait} <> '' GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 5"
    return " + ".join(value for (value,) in connection.execute(f"SELECT {trait} {named}").fetchall()) or None


def _count_owed(connection: "duckdb.DuckDBPyConnection", summary: RunSummary) -> None:
    """Against the materialized inputs, where there are any."""
    counts = _one(connection, _OWED, [summary.run])
    if counts["owed"]:
        summary.expected, summary.expected_from = counts["owed"], "materialized inputs"
        summary.missing_count = counts["missing"]
        summary.coverage = counts["present"] / counts["owed"]
        summary.missing = [place for (place,) in connection.execute(_MISSING, [summary.run]).fetchall()]


def _problems(connection: "duckdb.DuckDBPyConnection", summary: RunSummary) -> list[str]:
    """What was irregular: about single rows first, then about the run."""
    sources, reward = _one(connection, _SOURCES), summary.reward
    low, high = reward.low, reward.high
    told = [
        *((problem, count, "") for problem, count in connection.execute(_IRREGULAR).fetchall()),
        ("no task index and no id", sources["unnamed"], ": tasks are numbered in order of first appearance"),
        ("no task index", sources["by_id"], ": tasks are named by the rows' own id"),
        ("no response", sources["elsewhere"], ": steps are read from the recorded trajectory"),
        ("no reward", sources["scored"], ": score is read instead"),
        ("a task and repeat that already has a row", summary.duplicates, ": counted once"),
        ("no trajectory", summary.without_steps, ""),
        ("no reward and no score", reward.absent, ": not measured"),
    ]
    notes = [f"{what} ({_rows(count)}){then}" for what, count, then in told if count]
    if high is not None and high < 1:
        notes.append(f"no reward reaches 1: the highest is {high:g}")
    if high is not None and low is not None and (high > 1 or low < 0):
        notes.append(f"rewards outside 0 to 1: from {low:g} to {high:g}")
    return notes


def _rows(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"


def percent(share: float) -> str:
    """A share as a percentage that never rounds to 0 or 100 unless it is."""
    value = 100 * share
    if 0 < value < 0.1 or 99.9 < value < 100:
        return f"{math.floor(value * 100) / 100:g} %"
    return f"{value:.1f} %"
