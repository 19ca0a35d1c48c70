"""Faults that end at a limit: of tokens, of time, of turns."""

import random
from dataclasses import replace

from examples.office.faults.registry import fault
from examples.office.script import (
    CHARACTERS_PER_TOKEN,
    TOKEN_LIMIT,
    TURN_LIMIT,
    Ending,
    Move,
    Script,
)
from examples.office.tasks import Task

_RAMBLE = (
    "Before I go on I want to weigh every way in which the request could be read. ",
    "One could say that the date is meant in another sense, though the request is clear. ",
    "It may also be useful to recall what has been found so far and why it matters here. ",
    "Let me restate the request once more and compare it with the tools that I have. ",
    "There is a further point to consider, which is the order in which things are done. ",
)


def _rambling(stream: random.Random, sentences: int) -> str:
    return "".join(stream.choice(_RAMBLE) for _ in range(sentences))


@fault("BI", "harness", other_owners=("model",))
def truncated(script: Script, task: Task, stream: random.Random) -> Script:
    """The model rambles until the token limit cuts its message, before the work is done."""
    position = min(script.positions(acts=True), default=len(script.moves))
    text = _rambling(stream, 60)[: CHARACTERS_PER_TOKEN * TOKEN_LIMIT - 1]
    cut = script.stopped_before(position, text)
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
        thought=_rambling(stream, 40),
        reply="",
        struck=True,
    )
    return replace(stopped, moves=(*stopped.moves, slow), ending=Ending.TIME_LIMIT)


@fault("BI", "harness", other_owners=("model",))
def context_overflow(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model lists whole calendars until its context is full, and the run ends there."""
    if "calendar_search" not in task.tools:
        return None
    position = min(script.positions(acts=True), default=len(script.moves))
    stopped = script.stopped_before(position, None)
    wide = Move("calendar_search", {}, "I want to see the whole calendar.", struck=True)
    again = Move("calendar_search", {"date_from": "2026-01-01"}, "Once more, to be sure.")
    moves = (*stopped.moves, wide, *[again] * 2)
    return replace(stopped, moves=moves, ending=Ending.CONTEXT_LIMIT, refused_call=400)


@fault("BI", "model", other_owners=("harness",))
def loop(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model repeats one look-up until the turn limit."""
    looks = script.positions(acts=False)
    if not looks:
        return None
    position = looks[0]
    repeated = replace(script.moves[position], thought="Let me check that again.", says=None)
    first = replace(repeated, struck=True)
    moves = (*script.moves[: position + 1], first, *[repeated] * TURN_LIMIT)
    return replace(script, moves=moves, closing=None, answer=None, ending=Ending.TURN_LIMIT)
