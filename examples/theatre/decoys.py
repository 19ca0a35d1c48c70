"""Habits that do no harm: as frequent in rollouts that pass as in those that fail.

A diagnosis that names one of them as the cause of failures is wrong.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import replace

from examples.theatre.script import Move, Script
from examples.theatre.tasks import Task

Habit = Callable[[Script, Task, random.Random], Script]
"""Returns the script itself where the habit finds no place to show."""

LONG_THOUGHT = 25


def before_all(script: Script, task: Task, *moves: Move) -> Script:
    """Return the script with these moves at its beginning, if the agent was given the tools."""
    if any(move.tool not in task.tools for move in moves):
        return script
    return replace(script, moves=(*moves, *script.moves))


def wordy_start(script: Script, task: Task, stream: random.Random) -> Script:
    """Say at length what is going to be done."""
    text = task.say("voice: wordy start", stream)
    if not script.moves and (not script.closing or task.asks_for_text):
        return script
    if not script.moves:
        return replace(script, closing=f"{text}\n\n{script.closing}")
    return script.with_move(0, replace(script.moves[0], says=text))


def long_thought(script: Script, task: Task, stream: random.Random) -> Script:
    """Think at great length before the first call, or before the answer."""
    thought = "".join(task.say("voice: long thought", stream) for _ in range(LONG_THOUGHT))
    if script.moves:
        return script.with_move(0, replace(script.moves[0], thought=f"{thought}{script.moves[0].thought}"))
    if script.closing is None:
        return script
    return replace(script, thinking=f"{thought}{script.thinking or ''}")


def warned(script: Script, task: Task, stream: random.Random) -> Script:
    """Get a warning with the answer of a call, which changes nothing."""
    places = [place for place in script.positions(acts=False) if script.moves[place].reply is None]
    if not places:
        return script
    move = script.moves[places[0]]
    return script.with_move(places[0], replace(move, note=task.say("tool: warning", stream)))


def repeated_look(script: Script, task: Task, stream: random.Random) -> Script:
    """Do the first look-up twice."""
    places = [place for place in script.positions(acts=False) if script.moves[place].reply is None]
    if not places:
        return script
    again = replace(script.moves[places[0]], thought=task.say("voice: reads again", stream), says=None, struck=False)
    moves = (*script.moves[: places[0] + 1], again, *script.moves[places[0] + 1 :])
    return replace(script, moves=moves)


SHARED_DECOYS: Mapping[str, Habit] = {
    habit.__name__: habit for habit in (wordy_start, long_thought, warned, repeated_look)
}
"""Those that every world knows; a world adds its own."""
