"""The tables that a question may name: those of the parts as they are seen, and those made of them."""

from blade.scan.tables import TABLES, Column, Table

_WHO = (
    Column("run", "VARCHAR", "The run; `stem@agent` where one file holds several agents."),
    Column("task", "VARCHAR", "The task's id as refs write it."),
    Column("rollout", "VARCHAR", "The repeat as refs write it; `2.a1` for a failed attempt, `2.d1` for a duplicate."),
    Column(
        "standing",
        "VARCHAR",
        "row, duplicate, failed or attempt; only `row` is a rollout of the run's main file that counts.",
    ),
)

DERIVED = (
    Table(
        "runs",
        "run",
        (
            Column("run", "VARCHAR", "The run's name."),
            Column("files", "VARCHAR[]", "Its rollouts file or shards."),
            Column("model", "VARCHAR", "Its model; several are joined by +."),
            Column("agent", "VARCHAR", "Its agent."),
            Column("rows", "BIGINT", "Rows of the main file that could be read."),
            Column("tasks", "BIGINT", "Different tasks among them."),
            Column("expected", "BIGINT", "Rollouts that are owed, where inputs or configs say so."),
            Column("missing", "BIGINT", "Rollouts that are owed and have neither row nor failed attempt."),
            Column("failed", "BIGINT", "Rollouts that failed in every attempt and have no row."),
            Column("skipped", "BIGINT", "Lines that could not be read."),
        ),
    ),
    Table(
        "skipped",
        "line that could not be read",
        (
            Column("file", "VARCHAR", "The file."),
            Column("line", "BIGINT", "The line, from 1."),
            Column("why", "VARCHAR", "What is wrong with it."),
        ),
    ),
    Table(
        "owed",
        "rollout that the materialized inputs owe",
        (
            *_WHO[:3],
            Column("standing", "VARCHAR", "row, failed or missing."),
        ),
    ),
)
"""Tables that are made of the parts rather than written by the map."""

WIDE = Table(
    "wide",
    "row of `rollouts` that counts, with a column for every field, under the field's own name",
    (
        *_WHO[:3],
        Column("ref", "VARCHAR", "The ref that `blade show` takes."),
        Column("model", "VARCHAR", "The model of the row."),
        Column("reward", "DOUBLE", "The raw reward."),
        Column("masked", "BOOLEAN", "Whether the row says that its reward is no verdict."),
        Column(
            '"<field>"',
            "VARCHAR",
            "Each field; DOUBLE or BOOLEAN where all values are; `field.<name>` if taken.",
        ),
    ),
)
"""Made only when a question names it, since its columns have to be looked up."""

STEP_TEXT = Column("text", "VARCHAR", "The whole text of the step, read from its row when asked for.")

_REF = Column("ref", "VARCHAR", "The ref that `blade show` takes.")
_STEP_REF = Column("ref", "VARCHAR", "The ref of the step, for `blade show`.")
_SIGNAL_REF = Column("ref", "VARCHAR", "The ref of the step, or of the rollout where no step shows the signal.")
_PATH = Column("path", "VARCHAR", "The file that holds the row.")
_FILE = Column(
    "file", "INTEGER", "Number of the file among those of all runs; with `row` it names a row in every table."
)


def documented_tables() -> list[Table]:
    """Every table that a question may name, with its columns as they are seen there."""
    runs, skipped, owed = DERIVED
    seen = [
        _documented("rollouts", *_WHO, _REF, _PATH),
        _documented("steps", *_WHO, _STEP_REF, STEP_TEXT),
        _documented("actions", *_WHO, _STEP_REF),
        _documented("signals", *_WHO, _SIGNAL_REF),
        _documented("fields", *_WHO, _REF),
    ]
    inputs = [_documented(name, *_WHO[:3], _PATH) for name in ("inputs", "input_fields")]
    return [runs, *seen, WIDE, owed, *inputs, skipped]


def _documented(name: str, *before: Column) -> Table:
    table = TABLES[name]
    return Table(name, table.what, (*before, _FILE, *table.columns))
