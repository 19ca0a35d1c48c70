"""Columns of facts: one row per rollout, and per rollout that is owed.

The columns of steps, actions and fields are made in bulk in modules of their own. Everything works on a
batch of rollouts at once and on undecoded bytes for as long as it can: a step costs about a microsecond,
which is what lets the scan keep up with reading. Values that repeat (the kind of a step, the name of a
field) are numbered here and named again when the part is written.
"""

from typing import Any, Final

import numpy as np

from blade import content
from blade.detect.reading import Reading
from blade.item import body_of
from blade.rollout import Rollout
from blade.scan.tables import ANSWER_LIMIT, END_LIMIT, INPUTS, ROLLOUTS

Columns = dict[str, Any]
"""Column name to its values: a list, or an array, all of one length.

Where `shape` is among them, `shapes` holds the columns of what each shape stands for.
"""

NO_INTEGER: Final = int(np.iinfo(np.int64).min)
"""Stands for null in an array of integers."""


def rollout_columns(readings: list[Reading]) -> Columns:
    """One row per rollout."""
    batch = [reading.rollout for reading in readings]
    answers = [reading.answer for reading in readings]
    columns = {column.name: list(map(column.read, batch)) for column in ROLLOUTS.columns if column.read}
    columns["answer_step"] = [answer and answer[0] for answer in answers]
    columns["answer"] = [answer and answer[1][:ANSWER_LIMIT] for answer in answers]
    columns["answer_hash"] = [answer and content.digest(answer[1].strip()) for answer in answers]
    return columns | _end_columns(readings)


def _end_columns(readings: list[Reading]) -> Columns:
    """How each trajectory ends: its last step, and the last that is the result of a tool."""
    forms = [reading.forms[-1] if reading.forms else None for reading in readings]
    results = list(map(_last_result, readings))
    return {
        "end_kind": [form and form.kind for form in forms],
        "end_actor": [form and form.actor for form in forms],
        "end_text": [_both_ends(reading, reading.last) for reading in readings],
        "last_result_step": results,
        "last_result": list(map(_both_ends, readings, results)),
    }


def _last_result(reading: Reading) -> int | None:
    for step in range(reading.last, -1, -1):
        if reading.forms[step].kind == "result":
            return step
    return None


def _both_ends(reading: Reading, step: int | None) -> str | None:
    """The text of a step; of a long one the beginning and the end, where errors say what they are."""
    return None if step is None or step < 0 else content.ends_of(body_of(reading.items[step]), END_LIMIT)


def input_columns(batch: list[Rollout]) -> Columns:
    """One row per rollout that is owed."""
    return {column.name: list(map(column.read, batch)) for column in INPUTS.columns if column.read}
