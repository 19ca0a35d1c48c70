"""Faults of answering: slips that lead to a particular wrong answer, and instructions that are missed."""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from examples.theatre.faults import CONTRAST, Fault, benchmark, collected, conduct, fault, knowledge, limits
from examples.theatre.faults import surroundings as around
from examples.theatre.script import Script
from examples.theatre.tasks import Task


def _slipped(script: Script, task: Task, slip: str) -> Script | None:
    answer = task.slips.get(slip)
    return None if answer is None else replace(script, answer=answer, closing_struck=True)


@fault("BI", "model", stage=CONTRAST)
def wrong_year(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model answers with a date of the year before."""
    return _slipped(script, task, "wrong_year")


@fault("BI", "model", stage=CONTRAST)
def wrong_unit(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model answers in a smaller unit than the one that was asked for."""
    return _slipped(script, task, "wrong_unit")


@fault("BI", "model", stage=CONTRAST)
def wrong_entity(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model answers for somebody else than the question is about."""
    return _slipped(script, task, "wrong_entity")


@fault("BI", "model")
def second_thoughts(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model gives the right answer, takes it back, and gives another one in the same message."""
    if script.answer is None:
        return None
    closing = task.say("voice: takes it back", stream, answered=task.last_message(script))
    return replace(script, closing=closing, answer=stream.choice(task.wrong_answers), closing_struck=True)


@fault("BI", "model", other_owners=("harness",))
def thoughts_alone(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model thinks and never says a word: there is no message at all."""
    thinking = f"{script.thinking} {task.say('voice: thinks on', stream)}"
    return replace(script, thinking=thinking, closing=None, answer=None, closing_struck=True)


@fault("BI", "model", other_owners=("prompt",))
def instruction_missed(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model misses one of the conditions that a text must meet; the verifier says which."""
    if not task.asks_for_text or script.closing is None:
        return None
    broken = stream.choice(tuple(_MISSES.values()))(script.closing, task.setting.conditions)
    return replace(script, closing=broken, closing_struck=True)


_MISSES: dict[str, Callable[[str, dict[str, Any]], str]] = {
    "too_long": lambda text, _: f"people say, and {'say again, ' * 40}that {text}",
    "word_missing": lambda text, conditions: text.replace(conditions["word"], "something"),
    "wrong_case": lambda text, _: text.capitalize(),
    "wrong_ending": lambda text, _: f"{text}, and others",
}

_OWN = (instruction_missed, thoughts_alone, second_thoughts, wrong_year, wrong_unit, wrong_entity)

FAULTS: dict[str, Fault] = {
    **collected(around, benchmark, limits, conduct),
    **{one.name: one for one in _OWN},
    **collected(knowledge),
}
