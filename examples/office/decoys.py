"""Habits that do no harm: as frequent in rollouts that pass as in those that fail.

A diagnosis that names one of them as the cause of failures is wrong.
"""

import random
from collections.abc import Callable
from dataclasses import replace

from examples.office.script import Move, Script
from examples.office.tasks import Task

Habit = Callable[[Script, Task, random.Random], Script]
DECOYS: dict[str, Habit] = {}


def decoy(habit: Habit) -> Habit:
    """Register the function below as the decoy of that name."""
    DECOYS[habit.__name__] = habit
    return habit


def _before_all(script: Script, task: Task, *moves: Move) -> Script:
    if any(move.tool not in task.tools for move in moves):
        return script
    return replace(script, moves=(*moves, *script.moves))


@decoy
def needless_search(script: Script, task: Task, stream: random.Random) -> Script:
    """Begin with a search that nobody needs."""
    team = stream.choice(("Finance", "Design", "Platform", "Sales"))
    return _before_all(script, task, Move("directory_search", {"query": team}, "I look at who is around first."))


@decoy
def mended_mistake(script: Script, task: Task, stream: random.Random) -> Script:
    """Begin with a call that the schema rejects, and mend it."""
    day = task.start.today
    flawed = {"date_from": f"{day.day} {day:%B}", "date_to": f"{day.day} {day:%B}"}
    mended = {"date_from": day.isoformat(), "date_to": day.isoformat()}
    return _before_all(
        script,
        task,
        Move("calendar_search", flawed, "I want to know what today looks like."),
        Move("calendar_search", mended, "The dates have to be written as YYYY-MM-DD."),
    )


@decoy
def wordy_start(script: Script, task: Task, stream: random.Random) -> Script:
    """Say at length what is going to be done."""
    text = (
        "Of course, I will take care of this for you right away. I am going to go through "
        "your request step by step, look up whatever is needed, and let you know as soon as "
        "everything is in order."
    )
    if not script.moves and not script.closing:
        return script
    if not script.moves:
        return replace(script, closing=f"{text}\n\n{script.closing}")
    return script.with_move(0, replace(script.moves[0], says=text))
