"""Columns of facts: one row per rollout, and per rollout that is owed.

The columns of steps, actions and fields are made in bulk in modules of their own. Everything works on a
batch of rollouts at once and on undecoded bytes for as long as it can: a step costs about a microsecond,
which is what lets the scan keep up with reading. Values that repeat (the kind of a step, the name of a
field) are numbered here and named again when the part is written.
"""

from typing import Any, Final

import numpy as np

from blade import content
from blade.item import Item, body_of, form_of
from blade.rollout import Rollout
from blade.scan.tables import ANSWER_LIMIT, END_LIMIT, INPUTS, ROLLOUTS

Columns = dict[str, Any]
"""Column name to its values: a list, or an array, all of one length.

Where `shape` is among them, `shapes` holds the columns of what each shape stands for.
"""

NO_INTEGER: Final = int(np.iinfo(np.int64).min)
"""Stands for null in an array of integers."""


def rollout_columns(batch: list[Rollout], answers: list[tuple[int, str] | None]) -> Columns:
    """One row per rollout; `answers` are what `Rollout.answer` gives of each."""
    columns = {column.name: list(map(column.read, batch)) for column in ROLLOUTS.columns if column.read}
    columns["answer_step"] = [answer and answer[0] for answer in answers]
    columns["answer"] = [answer and answer[1][:ANSWER_LIMIT] for answer in answers]
    columns["answer_hash"] = [answer and content.digest(answer[1].strip()) for answer in answers]
    return columns | _end_columns(batch)


def _end_columns(batch: list[Rollout]) -> Columns:
    """How each trajectory ends: its last step, and the last that is the result of a tool."""
    ends = [rollout.items[-1] if rollout.items else None for rollout in batch]
    forms = [item and form_of(item.type, item.role) for item in ends]
    results = [_last_result(rollout.items) for rollout in batch]
    return {
        "end_kind": [form and form.kind for form in forms],
        "end_actor": [form and form.actor for form in forms],
        "end_text": [item and _both_ends(item) for item in ends],
        "last_result_step": results,
        "last_result": [
            None if step is None else _both_ends(rollout.items[step])
            for rollout, step in zip(batch, results, strict=True)
        ],
    }


def _last_result(items: list[Item]) -> int | None:
    for step in range(len(items) - 1, -1, -1):
        if form_of(items[step].type, items[step].role).kind == "result":
            return step
    return None


def _both_ends(item: Item) -> str:
    """The text of an item; of a long one the beginning and the end, where errors say what they are."""
    text = content.text_of(body_of(item))
    return text if len(text) <= END_LIMIT else f"{text[: END_LIMIT // 2]}\n…\n{text[-END_LIMIT // 2 :]}"


def input_columns(batch: list[Rollout]) -> Columns:
    """One row per rollout that is owed."""
    return {column.name: list(map(column.read, batch)) for column in INPUTS.columns if column.read}
