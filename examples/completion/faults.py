"""Faults of completing: cases at the edge that are forgotten, functions under another name."""

import random
from dataclasses import replace

from examples.theatre.faults import CONTRAST, Fault, collected, conduct, fault, knowledge, limits
from examples.theatre.faults import surroundings as around
from examples.theatre.script import Script
from examples.theatre.tasks import Task


def _slipped(script: Script, task: Task, slip: str) -> Script | None:
    code = task.slips.get(slip)
    return None if code is None or script.answer is None else replace(script, answer=code, closing_struck=True)


@fault("BI", "model", stage=CONTRAST)
def renamed(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model gives the function another name than the one that is asked for."""
    return _slipped(script, task, "renamed")


@fault("BI", "model", stage=CONTRAST)
def edge_forgotten(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The function passes the base tests and fails plus tests: a case at the edge was not thought of."""
    return _slipped(script, task, "edge_forgotten")


FAULTS: dict[str, Fault] = {
    **collected(around, limits, conduct),
    **{one.name: one for one in (renamed, edge_forgotten)},
    **collected(knowledge),
}
