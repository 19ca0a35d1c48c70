"""Faults that end at a limit: of tokens, of time, of turns."""

import random
from dataclasses import replace

from examples.theatre.faults.registry import fault
from examples.theatre.script import CHARACTERS_PER_TOKEN, TOKEN_LIMIT, TURN_LIMIT, Ending, Script
from examples.theatre.tasks import Task


def _rambling(task: Task, stream: random.Random, sentences: int) -> str:
    return "".join(task.say("voice: rambling", stream) for _ in range(sentences))


def _first_act(script: Script) -> int:
    return min(script.positions(acts=True), default=len(script.moves))


@fault("BI", "harness", other_owners=("model",))
def truncated(script: Script, task: Task, stream: random.Random) -> Script:
    """The model rambles until the token limit cuts its message, before the work is done."""
    text = _rambling(task, stream, 60)[: CHARACTERS_PER_TOKEN * TOKEN_LIMIT - 1]
    cut = script.stopped_before(_first_act(script), text)
    return replace(cut, ending=Ending.TOKEN_LIMIT, closing_struck=True)


@fault("BI", "harness", other_owners=("model",))
def agent_timeout(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model thinks at such length before a call that the time limit ends the rollout."""
    if not script.moves:
        return None
    position = min(script.positions(acts=True), default=len(script.moves) - 1)
    stopped = script.stopped_before(position, None)
    slow = replace(
        script.moves[position],
        thought=_rambling(task, stream, 40),
        reply="",
        struck=True,
    )
    return replace(stopped, moves=(*stopped.moves, slow), ending=Ending.TIME_LIMIT)


@fault("BI", "harness", other_owners=("model",))
def context_overflow(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model lists all there is until its context is full, and the run ends there."""
    if any(move.tool not in task.tools for move in task.widest) or not task.widest:
        return None
    stopped = script.stopped_before(_first_act(script), None)
    first, *others = task.widest
    moves = (*stopped.moves, replace(first, struck=True), *others)
    return replace(stopped, moves=moves, ending=Ending.CONTEXT_LIMIT, refused_call=400)


@fault("BI", "model", other_owners=("harness",))
def loop(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model repeats one look-up until the turn limit."""
    looks = script.positions(acts=False)
    if not looks:
        return None
    position = looks[0]
    repeated = replace(script.moves[position], thought=task.say("voice: checks again", stream), says=None)
    first = replace(repeated, struck=True)
    moves = (*script.moves[: position + 1], first, *[repeated] * TURN_LIMIT)
    return replace(script, moves=moves, closing=None, answer=None, ending=Ending.TURN_LIMIT)


@fault("BI", "model", other_owners=("harness",))
def alternating_loop(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model goes back and forth between two look-ups until the turn limit."""
    looks = [script.moves[place] for place in script.positions(acts=False)]
    if len(looks) < 2 or looks[0] == looks[1]:
        return None
    pair = [replace(move, thought=task.say("voice: checks again", stream), says=None) for move in looks[:2]]
    moves = (*looks[:2], replace(pair[0], struck=True), pair[1], *pair * TURN_LIMIT)[:TURN_LIMIT]
    return replace(script, moves=moves, closing=None, answer=None, ending=Ending.TURN_LIMIT)
