"""Harmless habits of programmers, beside those of every world."""

import random

from examples.repair.families import LOG
from examples.theatre.decoys import SHARED_DECOYS, Habit, before_all
from examples.theatre.script import Script, look
from examples.theatre.tasks import Task


def reads_log(script: Script, task: Task, stream: random.Random) -> Script:
    """Begin with a log that is full of the word error."""
    return before_all(script, task, look("read_file", "What does the last build say?", {"path": LOG}))


def reads_errors(script: Script, task: Task, stream: random.Random) -> Script:
    """Begin with a search for errors, which finds the names of classes."""
    return before_all(script, task, look("search_text", "Does anything here raise an error?", {"text": "Error"}))


def mended_mistake(script: Script, task: Task, stream: random.Random) -> Script:
    """Begin with a file that is not there, and go on with one that is."""
    return before_all(
        script,
        task,
        look("read_file", "The notes first.", {"path": "NOTES.md"}),
        look("read_file", "Then the readme.", {"path": "README.md"}),
    )


DECOYS: dict[str, Habit] = {
    **{habit.__name__: habit for habit in (reads_log, reads_errors, mended_mistake)},
    **SHARED_DECOYS,
}
