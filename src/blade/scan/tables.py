"""The tables of the fact store: every column, its type and its meaning, in one place.

A new fact about a rollout is one new row of `ROLLOUTS`, with the way to read it off the record. The
columns of the other tables are made in bulk by `blade.scan.columns`.
"""

from collections.abc import Callable
from operator import attrgetter
from typing import Any, NamedTuple

from blade.detect.signal import MOST_PLACES
from blade.rollout import Rollout

SCHEMA_VERSION = 4
"""Part of the key of every stored scan: a change of any column, or of how it is read, raises it."""

ARGUMENTS_LIMIT = 2_000
ANSWER_LIMIT = 2_000
FIELD_LIMIT = 1_000
END_LIMIT = 1_000
"""Characters kept of a call's arguments, of an answer, of a field's text, of the texts a rollout ends with."""


class Column(NamedTuple):
    """A column: its SQL type and what it means; for a fact of a rollout, how to read it."""

    name: str
    type: str
    meaning: str
    read: Callable[[Rollout], Any] | None = None


class Table(NamedTuple):
    """A table of parts, one row per `what`."""

    name: str
    what: str
    columns: tuple[Column, ...]


def _fact(name: str, kind: str, path: str, meaning: str) -> Column:
    return Column(name, kind, meaning, attrgetter(path))


_ROW = Column("row", "BIGINT", "Byte at which the row begins in its file; with `file` it names the row in every table.")

ROLLOUTS = Table(
    "rollouts",
    "row of a rollouts file or failures sidecar that could be read",
    (
        _fact("row", "BIGINT", "place.offset", _ROW.meaning),
        _fact("bytes", "BIGINT", "place.length", "Length of the row on disk."),
        _fact("line", "BIGINT", "place.line", "Line of the row in its file, from 1."),
        _fact("task_index", "BIGINT", "task_index", "`_ng_task_index`."),
        _fact("rollout_index", "BIGINT", "rollout_index", "`_ng_rollout_index`: the repeat."),
        _fact("attempt_index", "BIGINT", "attempt_index", "`_ng_attempt_index`: failures before this row."),
        _fact("stage", "VARCHAR", "stage", "`stage_index` of drivers that write several rows per repeat."),
        _fact("row_id", "VARCHAR", "row_id", "The environment's own id of the task."),
        _fact("row_id_field", "VARCHAR", "row_id_field", "The field that id stands in."),
        _fact("agent", "VARCHAR", "agent", "`agent_ref.name`, else the environment server."),
        _fact("environment", "VARCHAR", "environment", "`_ng_environment_server`, else `task_source`."),
        _fact("model", "VARCHAR", "model", "Model of the response, else of the request, else of the captured calls."),
        _fact("reward", "DOUBLE", "reward", "The raw reward; no pass rule is applied here."),
        _fact("reward_field", "VARCHAR", "reward_field", "`reward`, or `score` where there is no reward."),
        _fact("temperature", "DOUBLE", "sampling.temperature", "Of the request, else of the response's echo."),
        _fact("top_p", "DOUBLE", "sampling.top_p", "Of the request, else of the response's echo."),
        _fact(
            "max_output_tokens", "BIGINT", "sampling.max_output_tokens", "Of the request, else of the response's echo."
        ),
        _fact(
            "reasoning_effort", "VARCHAR", "sampling.reasoning_effort", "Of the request, else of the response's echo."
        ),
        _fact("seed", "BIGINT", "sampling.seed", "The repeat's seed in the request's `extra_body`."),
        _fact("input_tokens", "BIGINT", "usage.input_tokens", "As reported; null where unknown or all zero."),
        _fact("output_tokens", "BIGINT", "usage.output_tokens", "As reported; null where unknown or all zero."),
        _fact("reasoning_tokens", "BIGINT", "usage.reasoning_tokens", "As reported, part of the output tokens."),
        _fact("cached_tokens", "BIGINT", "usage.cached_tokens", "As reported, part of the input tokens."),
        _fact("total_tokens", "BIGINT", "usage.total_tokens", "As reported."),
        _fact("cost", "DOUBLE", "usage.cost", "As reported."),
        _fact("status", "VARCHAR", "evidence.status", "`response.status`; often null, also where output was cut."),
        _fact("incomplete", "VARCHAR", "evidence.incomplete", "`incomplete_details.reason`: why output was cut."),
        _fact("error", "VARCHAR", "evidence.error", "`response.error`, else the field `error`."),
        _fact("masked", "BOOLEAN", "evidence.masked", "`mask_sample`, at the top or in `instance_config`."),
        _fact("failure_class", "VARCHAR", "evidence.failure_class", "`_ng_failure_class`."),
        _fact("failure_kind", "VARCHAR", "evidence.failure_kind", "`failure_kind`."),
        _fact("failure_stage", "VARCHAR", "evidence.failure_stage", "`_ng_failure_stage`."),
        _fact("failure_text", "VARCHAR", "evidence.failure_text", "The first failure message that the row carries."),
        _fact("started_at", "DOUBLE", "timing.started_at", "Unix seconds, from the trajectory, else `created_at`."),
        _fact("completed_at", "DOUBLE", "timing.completed_at", "Unix seconds."),
        _fact(
            "elapsed_seconds",
            "DOUBLE",
            "timing.elapsed_seconds",
            "Wall clock, from the row, else the trajectory's span.",
        ),
        _fact("model_calls", "BIGINT", "observed.model_calls", "Captured model calls."),
        _fact("failed_model_calls", "BIGINT", "observed.failed_model_calls", "Captured model calls that failed."),
        _fact("finish_reason", "VARCHAR", "observed.finish_reason", "Finish reason of the last captured model call."),
        _fact(
            "sandbox_outcome", "VARCHAR", "observed.sandbox_outcome", "How the sandbox ended, where it was observed."
        ),
        _fact("compactions", "BIGINT", "observed.compactions", "Context compactions observed."),
        _fact("observation_gaps", "BIGINT", "observed.gaps", "Gaps that the observations admit."),
        _fact("prompt_hash", "VARCHAR", "hashes.prompt", "Stands for the prompt in normal form."),
        _fact("system_hash", "VARCHAR", "hashes.system", "Stands for its leading instructions: the prompt template."),
        _fact(
            "question_hash",
            "VARCHAR",
            "hashes.question",
            "Stands for the prompt without its leading instructions: what makes the task this task.",
        ),
        _fact("tools_hash", "VARCHAR", "hashes.tools", "Stands for the list of tools."),
        _fact(
            "tools_from", "VARCHAR", "hashes.tools_from", "`request` or `response`; hashes of the two do not compare."
        ),
        _fact("skills_hash", "VARCHAR", "hashes.skills", "`skills_ref.hash`."),
        _fact("end_state_hash", "VARCHAR", "hashes.end_state", "Stands for the end state, where a field holds one."),
        _fact("prompt_bytes", "BIGINT", "prompt_size", "Bytes of `input` on disk."),
        _fact("steps_from", "VARCHAR", "steps_from", "Where the steps were read from: `response` unless it is absent."),
        Column("steps", "BIGINT", "Number of steps.", lambda rollout: len(rollout.items)),
        Column("answer_step", "BIGINT", "Step of the last message of the model that calls nothing."),
        Column("answer", "VARCHAR", f"Its text without thinking, at most {ANSWER_LIMIT:,} characters."),
        Column("answer_hash", "VARCHAR", "Stands for the whole answer."),
        Column("end_kind", "VARCHAR", "Kind of the last step."),
        Column("end_actor", "VARCHAR", "Actor of the last step."),
        Column("end_text", "VARCHAR", f"Its text; of more than {END_LIMIT:,} characters, the beginning and the end."),
        Column("last_result_step", "BIGINT", "The last step that is the result of a tool."),
        Column("last_result", "VARCHAR", "Its text, cut in the same way."),
        Column(
            "problems",
            "VARCHAR",
            "What was irregular about the row, in words.",
            lambda rollout: "; ".join(rollout.problems) or None,
        ),
    ),
)

INPUTS = Table(
    "inputs",
    "rollout that is owed, from the materialized inputs",
    (
        _fact("row", "BIGINT", "place.offset", _ROW.meaning),
        _fact("line", "BIGINT", "place.line", "Line of the row in its file, from 1."),
        _fact("task_index", "BIGINT", "task_index", "`_ng_task_index`."),
        _fact("rollout_index", "BIGINT", "rollout_index", "`_ng_rollout_index`."),
        _fact("row_id", "VARCHAR", "row_id", "The environment's own id of the task."),
        _fact("agent", "VARCHAR", "agent", "`agent_ref.name`."),
        _fact("prompt_hash", "VARCHAR", "hashes.prompt", "Stands for the prompt in normal form."),
        _fact("question_hash", "VARCHAR", "hashes.question", "Stands for the prompt without its instructions."),
        _fact("tools_hash", "VARCHAR", "hashes.tools", "Stands for the list of tools."),
        _fact("skills_hash", "VARCHAR", "hashes.skills", "`skills_ref.hash`."),
    ),
)

STEPS = Table(
    "steps",
    "item of a trajectory",
    (
        _ROW,
        Column("step", "INTEGER", "Its number, as refs count it."),
        Column("kind", "VARCHAR", "message, reasoning, call, result or other."),
        Column("actor", "VARCHAR", "model, user, system, tool or environment."),
        Column("type", "VARCHAR", "The item's own type."),
        Column("name", "VARCHAR", "The tool, or the speaker that a message names."),
        Column("status", "VARCHAR", "The item's own status."),
        Column("bytes", "INTEGER", "Bytes of its content on disk; of its mended JSON, where the row had to be mended."),
    ),
)

ACTIONS = Table(
    "actions",
    "call of a tool",
    (
        _ROW,
        Column("step", "INTEGER", "The step that makes the call."),
        Column("place", "INTEGER", "Its place among the calls of that step, from 0."),
        Column("tool", "VARCHAR", "The tool that is called."),
        Column(
            "arguments",
            "VARCHAR",
            f"Canonical JSON, or the text as it stands where it is none; at most {ARGUMENTS_LIMIT:,} characters.",
        ),
        Column("arguments_json", "BOOLEAN", "Whether the arguments are JSON."),
        Column("result_step", "INTEGER", "The step that answers the call, null where none does."),
        Column("result_kind", "VARCHAR", "Shape of the result: missing, empty, object, list, scalar or text."),
        Column("result_bytes", "INTEGER", "Bytes of the result on disk."),
        Column("result_status", "VARCHAR", "Status that the trajectory recorded, else the item's own."),
        Column("error_type", "VARCHAR", "Error type that the trajectory recorded."),
        Column("error", "VARCHAR", "The kind of error that the result is, judged by its text; null where it is none."),
        Column("error_quote", "VARCHAR", "The words of the result that say so."),
        Column("duration_ms", "DOUBLE", "Duration that the trajectory recorded."),
    ),
)

FIELDS = Table(
    "fields",
    "verifier or metadata field of a row, objects opened as `outer.inner`",
    (
        _ROW,
        Column("name", "VARCHAR", "The field's own name."),
        Column("kind", "VARCHAR", "null, boolean, number, text, list or object."),
        Column("number", "DOUBLE", "The value of a number; 1 and 0 for true and false."),
        Column("text", "VARCHAR", f"A text, or the JSON of a list or object, at most {FIELD_LIMIT:,} characters."),
        Column("hash", "VARCHAR", "Stands for the whole value of a list, an object or a text that was cut."),
    ),
)

SIGNALS = Table(
    "signals",
    "place of a rollout that a detector points to",
    (
        _ROW,
        Column("signal", "VARCHAR", "Name of the signal; [what it means](what-the-signals-mean.md)."),
        Column(
            "nth", "INTEGER", f"Its place among the signals of that name in the rollout, from 0 to {MOST_PLACES - 1}."
        ),
        Column("step", "INTEGER", "The step that shows it, null where a field does."),
        Column("detail", "VARCHAR", "What exactly: a tool, a kind of error, an argument."),
        Column("quote", "VARCHAR", "Exact text of the step, or of the field where one is named."),
        Column("field", "VARCHAR", "The field that the quote is from, null where it is from the step."),
    ),
)

INPUT_FIELDS = FIELDS._replace(name="input_fields", what="field of a materialized input")

TABLES = {table.name: table for table in (ROLLOUTS, STEPS, ACTIONS, SIGNALS, FIELDS, INPUTS, INPUT_FIELDS)}
"""The tables whose parts the map writes; `blade.scan.store` adds those that are made of them."""
