"""What can only be said over all rows of a run: which task and repeat each row is, and which rows count.

Identity follows the outputs contract. A task is its index, else the row's own id, else its place in order
of first appearance (rows without either are one task where their prompts are equal). A repeat is its index,
else its order of appearance within the task. Failed attempts are `2.a1`, further rows of a repeat `2.d1`,
later stages `2.s1`.
"""

from typing import Any, Final

import duckdb

SETTLE_VERSION: Final = 1
"""Part of the key of a settled run; raised when the rules change."""

_ROWS = """
CREATE OR REPLACE TEMP TABLE identified AS
WITH agents AS (SELECT count(DISTINCT agent) AS many FROM part_rollouts JOIN scanned USING (file) WHERE role = 'rollouts'),
claimed AS (
    SELECT file, row, role, bytes, prompt_hash, rollout_index, stage,
           CASE WHEN agents.many > 1 AND agent IS NOT NULL THEN $run || '@' || agent ELSE $run END AS run,
           CASE WHEN task_index IS NOT NULL AND (SELECT apart FROM shards) THEN 's' || file || '.' || task_index
                ELSE coalesce(task_index::VARCHAR, row_id) END AS claim,
           CASE WHEN task_index IS NULL AND row_id IS NULL THEN coalesce(prompt_hash, file || ' ' || row) END AS likeness
    FROM {source} JOIN scanned USING (file), agents
),
placed AS (
    SELECT *, min(file * 1e15::HUGEINT + row) OVER (PARTITION BY run, claim, likeness) AS first_seen FROM claimed
)
SELECT * EXCLUDE (claim, likeness, first_seen),
       coalesce(claim, (dense_rank() OVER (PARTITION BY run ORDER BY first_seen) - 1)::VARCHAR) AS task,
       claim IS NULL AS unnamed
FROM placed
"""

_SHARDS = """
CREATE OR REPLACE TEMP TABLE shards AS
WITH seen AS (
    SELECT task_index, count(DISTINCT file) AS files, count(DISTINCT prompt_hash) AS prompts, count(DISTINCT (file, prompt_hash)) AS pairs
    FROM part_rollouts JOIN scanned USING (file) WHERE role = 'rollouts' AND task_index IS NOT NULL AND prompt_hash IS NOT NULL GROUP BY 1
)
SELECT count(*) FILTER (files > 1) > 0 AND count(*) FILTER (files > 1 AND prompts < pairs) = 0 AS apart FROM seen
"""

_SETTLED = """
CREATE OR REPLACE TEMP TABLE settled AS
WITH counted AS (
    SELECT *, coalesce(rollout_index, row_number() OVER (PARTITION BY run, task, role, rollout_index IS NULL ORDER BY file, row) - 1)
              || CASE WHEN stage IS NULL THEN '' ELSE '.s' || stage END AS repeat
    FROM identified
),
ordered AS (
    SELECT *, row_number() OVER same AS nth, count(*) OVER (PARTITION BY run, task, repeat, role) AS copies,
           count(*) FILTER (role = 'rollouts') OVER (PARTITION BY run, task, repeat) AS rows_of_repeat
    FROM counted WINDOW same AS (PARTITION BY run, task, repeat, role ORDER BY file, row)
)
SELECT file, row, bytes, run, task, unnamed,
       CASE WHEN role = 'failures' THEN repeat || '.a' || nth WHEN nth > 1 THEN repeat || '.d' || (nth - 1) ELSE repeat END AS rollout,
       repeat,
       CASE WHEN role = 'rollouts' THEN CASE nth WHEN 1 THEN 'row' ELSE 'duplicate' END
            WHEN nth = copies AND rows_of_repeat = 0 THEN 'failed' ELSE 'attempt' END AS standing
FROM ordered
"""

_OWED = """
CREATE OR REPLACE TEMP TABLE owed AS
WITH counted AS (
    SELECT *, coalesce(rollout_index, row_number() OVER (PARTITION BY run, task, rollout_index IS NULL ORDER BY file, row) - 1)::VARCHAR AS repeat
    FROM identified_inputs
)
SELECT file, row, run, task, repeat AS rollout,
       coalesce((SELECT max(standing) FROM settled WHERE settled.run = counted.run AND settled.task = counted.task
                 AND settled.repeat = counted.repeat AND standing IN ('row', 'failed')), 'missing') AS standing
FROM counted
"""


def settle(connection: duckdb.DuckDBPyConnection, run: str) -> None:
    """Make the tables `settled` and `owed` from the parts of one run's files."""
    connection.execute(_SHARDS)
    _identify(connection, run, "part_inputs", extra="0 AS bytes, NULL::VARCHAR AS stage, ")
    connection.execute("ALTER TABLE identified RENAME TO identified_inputs")
    _identify(connection, run, "part_rollouts")
    connection.execute(_SETTLED)
    connection.execute(_OWED)
    connection.execute("DROP TABLE identified_inputs")


def _identify(connection: duckdb.DuckDBPyConnection, run: str, table: str, extra: str = "") -> None:
    source = f"(SELECT {extra}* FROM {table})"
    connection.execute(_ROWS.format(source=source), {"run": run})


def shards_are_apart(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether the shards number their tasks independently, so that an index alone names no task."""
    row: Any = connection.execute("SELECT apart FROM shards").fetchone()
    return bool(row[0])
