"""Harmless habits of those who answer, beside those of every world."""

import random
from dataclasses import replace

from examples.theatre.decoys import Habit, long_thought, wordy_start
from examples.theatre.script import Script
from examples.theatre.tasks import Task


def _opens_with(script: Script, task: Task, purpose: str, stream: random.Random) -> Script:
    if not script.closing or task.asks_for_text:
        return script
    return replace(script, closing=f"{task.say(purpose, stream)} {script.closing}")


def warns_of_error(script: Script, task: Task, stream: random.Random) -> Script:
    """Speak of an error that others make."""
    return _opens_with(script, task, "voice: common error", stream)


def doubts(script: Script, task: Task, stream: random.Random) -> Script:
    """Call the question a hard one."""
    return _opens_with(script, task, "voice: doubts", stream)


DECOYS: dict[str, Habit] = {habit.__name__: habit for habit in (warns_of_error, doubts, wordy_start, long_thought)}
