"""What can only be said over all rows of a run: which task and repeat each row is, and which rows count.

Identity follows the outputs contract. A task is its index, else the row's own id, else its place in order
of first appearance (rows without either are one task where their prompts are equal). A repeat is its index,
else its order of appearance within the task. Failed attempts are `2.a1`, further rows of a repeat `2.d1`,
later stages `2.s1`. Where a file holds several agents, or where a split is asked for, each agent or value is a
run of its own, `stem@value`.
"""

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from blade.scan.tables import TABLES

if TYPE_CHECKING:
    import duckdb

SETTLE_VERSION: Final = 2
"""Part of the key of a settled run; raised when the rules change."""

SETTLED_FILES: Final = ("rows.parquet", "owed.parquet", "places.tsv")
"""What a settled run is kept as, beside its manifest."""

_SHARDS = """
CREATE OR REPLACE TEMP TABLE shards AS
WITH seen AS (
    SELECT task_index, count(DISTINCT file) AS files, count(DISTINCT prompt_hash) AS prompts,
           count(DISTINCT (file, prompt_hash)) AS pairs
    FROM part_rollouts JOIN scanned USING (file)
    WHERE role = 'rollouts' AND task_index IS NOT NULL AND prompt_hash IS NOT NULL
    GROUP BY task_index
)
SELECT count(*) FILTER (files > 1) > 0 AND count(*) FILTER (files > 1 AND prompts < pairs) = 0 AS apart FROM seen
"""
"""Whether the shards number their tasks apart: no index that two of them share has a prompt in common."""

_IDENTIFIED = """
CREATE OR REPLACE TEMP TABLE {name} AS
WITH agents AS (
    SELECT count(DISTINCT agent) AS many FROM part_rollouts JOIN scanned USING (file) WHERE role = 'rollouts'
),
claimed AS (
    SELECT part.file, part.row, role, bytes, rollout_index, stage, lines_before,
           $run || coalesce('@' || {split}, '') AS run,
           CASE WHEN task_index IS NULL THEN row_id
                WHEN shards.apart THEN 's' || shard || '.' || task_index
                ELSE task_index::VARCHAR END AS claim,
           CASE WHEN claim IS NULL THEN coalesce(prompt_hash, part.file || ' ' || part.row) END AS likeness
    FROM {source} AS part JOIN scanned USING (file) {joined}
         ASOF JOIN pieces ON part.file = pieces.file AND part.row >= pieces.start, agents, shards
),
placed AS (
    SELECT *, min((file, row)) OVER (PARTITION BY run, claim, likeness) AS first_seen FROM claimed
)
SELECT * EXCLUDE (claim, likeness, first_seen), claim IS NULL AS unnamed,
       coalesce(
           claim,
           if(bool_or(claim IS NOT NULL) OVER (PARTITION BY run), 'unnamed', '')
               || (dense_rank() OVER (PARTITION BY run, claim IS NULL ORDER BY first_seen) - 1)
       ) AS task
FROM placed
"""
"""The run and the task of every row."""

_REPEATS = """
    SELECT *,
           coalesce(
               rollout_index,
               coalesce(max(rollout_index) OVER (PARTITION BY run, task, role) + 1, 0)
                   + row_number() OVER (PARTITION BY run, task, role, rollout_index IS NULL ORDER BY file, row) - 1
           ) || CASE WHEN stage IS NULL THEN '' ELSE '.s' || stage END AS repeat
    FROM {source}
"""

_SETTLED = f"""
CREATE OR REPLACE TEMP TABLE settled AS
WITH counted AS ({_REPEATS.format(source="identified")}),
ordered AS (
    SELECT *,
           row_number() OVER (PARTITION BY run, task, repeat, role ORDER BY file, row) AS nth,
           count(*) OVER (PARTITION BY run, task, repeat, role) AS copies,
           count(*) FILTER (role = 'rollouts') OVER (PARTITION BY run, task, repeat) AS rows_of_repeat
    FROM counted
)
SELECT file, row, bytes, run, task, unnamed, repeat, lines_before,
       CASE WHEN role = 'failures' THEN repeat || '.a' || nth
            WHEN nth > 1 THEN repeat || '.d' || (nth - 1)
            ELSE repeat END AS rollout,
       CASE WHEN role = 'rollouts' THEN if(nth = 1, 'row', 'duplicate')
            WHEN nth = copies AND rows_of_repeat = 0 THEN 'failed'
            ELSE 'attempt' END AS standing
FROM ordered
"""
"""The repeat and the standing of every row."""

_OWED = f"""
CREATE OR REPLACE TEMP TABLE owed AS
WITH counted AS ({_REPEATS.format(source="identified_inputs")}),
present AS (
    SELECT run, task, repeat, max(standing) AS standing
    FROM settled WHERE standing IN ('row', 'failed') GROUP BY ALL
)
SELECT DISTINCT ON (run, task, repeat)
       file, row, run, task, repeat AS rollout, coalesce(present.standing, 'missing') AS standing
FROM counted LEFT JOIN present USING (run, task, repeat)
ORDER BY file, row
"""
"""Every rollout that the materialized inputs owe, and whether it is there."""


class Split(NamedTuple):
    """What makes several runs of one: how to read its value off a row, and what has to be joined for that."""

    value: str
    joined: str = ""


BY_AGENT: Final = Split("CASE WHEN agents.many > 1 THEN agent END")
"""The split that every run has: several agents in one file are runs of their own."""

UNKNOWN: Final = "none"
"""The value of rows that do not say."""

_ALIASES: Final = {"skills": "skills_hash", "tools": "tools_hash", "instructions": "system_hash"}


def split_by(name: str, table: str) -> Split:
    """The split by a column of `table`, else by a field of that name; rows that do not say are `none`."""
    column = _ALIASES.get(name, name)
    if any(known.name == column for known in TABLES[table].columns):
        return Split(f"left(coalesce(part.{column}::VARCHAR, '{UNKNOWN}'), 80)")
    fields = "part_fields" if table == "rollouts" else "part_input_fields"
    named = name.replace("'", "''")
    value = "max(field_text(kind, text, number))"
    joined = (
        f"LEFT JOIN (SELECT file, row, {value} AS value FROM {fields} WHERE name = '{named}' GROUP BY ALL) AS split"
    )
    return Split(
        f"left(coalesce(split.value, '{UNKNOWN}'), 80)", f"{joined} ON split.file = part.file AND split.row = part.row"
    )


def settle(connection: "duckdb.DuckDBPyConnection", run: str, split: str = "") -> None:
    """Make the tables `settled` and `owed` from the parts of one run's files."""
    connection.execute(_SHARDS)
    inputs = "(SELECT *, 0 AS bytes, NULL::VARCHAR AS stage FROM part_inputs)"
    for name, source, table in (
        ("identified", "part_rollouts", "rollouts"),
        ("identified_inputs", inputs, "inputs"),
    ):
        by = split_by(split, table) if split and split != "agent" else BY_AGENT
        query = _IDENTIFIED.format(name=name, source=source, split=by.value, joined=by.joined)
        connection.execute(query, {"run": run})
    connection.execute(
        "DELETE FROM identified_inputs WHERE run NOT IN (SELECT run FROM identified WHERE role = 'rollouts')"
        " AND EXISTS (SELECT 1 FROM identified) AND $split <> ''",
        {"split": split},
    )
    connection.execute(_SETTLED)
    connection.execute(_OWED)


def shards_are_apart(connection: "duckdb.DuckDBPyConnection") -> bool:
    """Whether the shards number their tasks independently, so that an index alone names no task."""
    row: Any = connection.execute("SELECT apart FROM shards").fetchone()
    return bool(row[0])
