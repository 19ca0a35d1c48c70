"""Columns of signals: one row per place that a detector points to."""

from collections.abc import Iterator

import numpy as np

from blade.detect.deeds import Action
from blade.detect.detectors import Shown, signals_of
from blade.detect.reading import Reading
from blade.scan.actions import Actions
from blade.scan.columns import NO_INTEGER, Columns
from blade.scan.fields import Fields


def signal_columns(readings: list[Reading]) -> Columns:
    """One row per signal of every rollout of a batch."""
    rows: list[int] = []
    shown: list[Shown] = []
    for reading in readings:
        found = _signals_of(reading)
        shown += found
        rows += [reading.rollout.place.offset] * len(found)
    signals = [each.signal for each in shown]
    return {
        "row": np.array(rows, dtype=np.int64),
        "signal": [each.name for each in shown],
        "nth": [each.nth for each in shown],
        "step": [signal.step for signal in signals],
        "detail": [signal.detail or None for signal in signals],
        "quote": [signal.quote for signal in signals],
        "field": [signal.field or None for signal in signals],
    }


def _signals_of(reading: Reading) -> list[Shown]:
    """The signals of a rollout; a detector that fails costs them, and its rollout says so."""
    try:
        return list(signals_of(reading))
    except Exception as error:  # noqa: BLE001  whatever it is, the other rows and the facts of this one are good
        reading.rollout.problems.append(f"signals could not be read: {type(error).__name__}: {error}")
        return []


def readings_of(actions: Actions, fields: Fields) -> Iterator[Reading]:
    """What detectors read, rollout by rollout; a batch is joined and decoded together."""
    steps = actions.steps
    ends = np.searchsorted(actions.owner, np.arange(1, len(steps.batch) + 1)).tolist()
    made = _actions(actions)
    forms = list(map(steps.forms.__getitem__, steps.code.tolist()))
    telling = fields.telling()
    start = first = 0
    for place, (rollout, end) in enumerate(zip(steps.batch, ends, strict=True)):
        last = first + len(rollout.items)
        yield Reading(rollout, made[start:end], forms[first:last], telling.get(place, ()))
        start, first = end, last


def _actions(actions: Actions) -> list[Action]:
    arguments = actions.arguments
    texts, are_json, values, tools = arguments.texts, arguments.are_json, arguments.values, actions.tool
    if not all(texts):  # a call without arguments has none that could be wrong
        are_json = [bool(known) or not text for known, text in zip(are_json, texts, strict=True)]
        values = [value if text else {} for value, text in zip(values, texts, strict=True)]
        texts = [text or "" for text in texts]
    if not all(tools):
        tools = [tool or "" for tool in tools]
    results = [None if step == NO_INTEGER else step for step in actions.result_step.tolist()]
    columns = (
        actions.step.tolist(),
        tools,
        texts,
        are_json,
        values,
        results,
        actions.bodies,
        actions.errors,
        actions.call_id,
    )
    return list(map(Action, *columns))
