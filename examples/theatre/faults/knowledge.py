"""Faults of knowledge: the run is clean and the answer is wrong."""

import random
from dataclasses import replace

from examples.theatre.faults.registry import fault
from examples.theatre.script import Script
from examples.theatre.tasks import Task


def _answers_wrongly(script: Script, task: Task, stream: random.Random) -> Script | None:
    if script.answer is None or task.leaks:
        return None
    answer = stream.choice(task.wrong_answers)
    thinking = task.say("voice: guesses", stream) if script.thinking else None
    return replace(script, answer=answer, thinking=thinking, closing_struck=True)


@fault("KG", "model")
def knowledge_gap(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model does not know the answer: on the tasks that it concerns it is always wrong."""
    return _answers_wrongly(script, task, stream)


@fault("UK", "model")
def unreliable_knowledge(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model knows the answer and now and then gives another."""
    return _answers_wrongly(script, task, stream)
