"""Harmless habits of the office's agents, beside those of every world."""

import random

from examples.theatre.decoys import SHARED_DECOYS, Habit, before_all
from examples.theatre.script import Move, Script
from examples.theatre.tasks import Task


def needless_search(script: Script, task: Task, stream: random.Random) -> Script:
    """Begin with a search that nobody needs."""
    team = stream.choice(("Finance", "Design", "Platform", "Sales"))
    return before_all(script, task, Move("directory_search", {"query": team}, task.say("voice: looks around", stream)))


def mended_mistake(script: Script, task: Task, stream: random.Random) -> Script:
    """Begin with a call that the schema rejects, and mend it."""
    day = task.setting.start.today
    flawed = {"date_from": f"{day.day} {day:%B}", "date_to": f"{day.day} {day:%B}"}
    mended = {"date_from": day.isoformat(), "date_to": day.isoformat()}
    return before_all(
        script,
        task,
        Move("calendar_search", flawed, "I want to know what today looks like."),
        Move("calendar_search", mended, "The dates have to be written as YYYY-MM-DD."),
    )


DECOYS: dict[str, Habit] = {
    **{habit.__name__: habit for habit in (needless_search, mended_mistake)},
    **SHARED_DECOYS,
}
