"""Columns of facts: one row per rollout, and per rollout that is owed.

The columns of steps, actions and fields are made in bulk in modules of their own. Everything works on a
batch of rollouts at once and on undecoded bytes for as long as it can: a step costs about a microsecond,
which is what lets the scan keep up with reading. Values that repeat (the kind of a step, the name of a
field) are numbered here and named again when the part is written.
"""

from typing import Any, Final

import numpy as np

from blade import content
from blade.rollout import Rollout
from blade.scan.tables import ANSWER_LIMIT, INPUTS, ROLLOUTS

Columns = dict[str, Any]
"""Column name to its values: a list, or an array, all of one length.

Where `shape` is among them, `shapes` holds the columns of what each shape stands for.
"""

NO_INTEGER: Final = int(np.iinfo(np.int64).min)
"""Stands for null in an array of integers."""


def rollout_columns(batch: list[Rollout]) -> Columns:
    """One row per rollout."""
    columns = {column.name: list(map(column.read, batch)) for column in ROLLOUTS.columns if column.read}
    answers = [rollout.answer() or (None, None) for rollout in batch]
    columns["answer_step"] = [number for number, _ in answers]
    columns["answer"] = [text and text[:ANSWER_LIMIT] for _, text in answers]
    columns["answer_hash"] = [text and content.digest(text.strip()) for _, text in answers]
    return columns


def input_columns(batch: list[Rollout]) -> Columns:
    """One row per rollout that is owed."""
    return {column.name: list(map(column.read, batch)) for column in INPUTS.columns if column.read}
