"""Faults that are not the model's: broken backends, lost connections, a judge that fails."""

import random
from dataclasses import replace

from examples.theatre.faults.registry import NOT_MEASURED, fault
from examples.theatre.script import Ending, FailedAttempt, Script
from examples.theatre.tasks import Task

MAX_ATTEMPTS = 3


def _broken_at(script: Script, position: int, reply: str) -> Script:
    """Return the script that ends with a call which the world never saw."""
    move = replace(script.moves[position], reply=reply, struck=True)
    moves = (*script.moves[:position], move)
    return replace(script, moves=moves, closing=None, answer=None, ending=Ending.BROKEN_OFF)


def _any_position(script: Script, stream: random.Random) -> int | None:
    """Return where the machinery breaks: at some move that is still needed for the task."""
    return stream.randrange(_needed(script)) if script.moves else None


def _needed(script: Script) -> int:
    """Return how many moves there are up to the last act, after which the work is done; all, where none acts."""
    return max(script.positions(acts=True), default=len(script.moves) - 1) + 1


@fault("IR", "infrastructure", outcome=NOT_MEASURED, filed=True)
def rollout_lost(script: Script, task: Task, stream: random.Random) -> Script:
    """Every attempt dies with the sandbox host, so that the main file has no row."""
    message = task.say("machine: host gone", stream, number=stream.randint(10, 99))
    attempt = FailedAttempt("infrastructure_error", message, 502)
    return replace(script, failed_attempts=(attempt,) * MAX_ATTEMPTS, delivered=False)


@fault("TI", "verifier", outcome=NOT_MEASURED, filed=True)
def judge_failed(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The judge of the answer gives an error, so that the row goes to the failures file."""
    if script.answer is None:
        return None
    attempt = FailedAttempt("judge_failed", task.say("machine: judge failed", stream), judged_response=True)
    return replace(script, failed_attempts=(attempt,), delivered=False)


@fault("TI", "verifier", outcome=NOT_MEASURED)
def verifier_error(script: Script, task: Task, stream: random.Random) -> Script:
    """The verifier itself gives an error: reward 0 in the main file, with a field that says so."""
    marks = {"verifier_error": task.say("machine: verifier error", stream)}
    return replace(script, marks=marks, unverified=True, closing_struck=True)


@fault("IR", "infrastructure", outcome=NOT_MEASURED)
def backend_down(script: Script, task: Task, stream: random.Random) -> Script | None:
    """A tool's backend answers 503 and the rollout ends: reward 0 in the main file, unmarked."""
    position = _any_position(script, stream)
    if position is None:
        return None
    name = task.vocabulary.tool(script.moves[position].tool)
    retried = task.say("voice: service retried", stream, tool=name)
    broken = _broken_at(script, position, task.say("machine: backend down", stream))
    again = replace(broken.moves[-1], thought=retried, struck=False)
    return replace(broken, moves=(*broken.moves, again))


@fault("IR", "infrastructure", outcome=NOT_MEASURED)
def connection_reset(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The connection breaks in a tool call: reward 0 in the main file, with a failure kind."""
    position = _any_position(script, stream)
    if position is None:
        return None
    broken = _broken_at(script, position, task.say("machine: connection reset", stream))
    return replace(broken, marks={"failure_kind": "transport_peer_drop"})


@fault("IR", "infrastructure", outcome=NOT_MEASURED)
def mislabelled_crash(script: Script, task: Task, stream: random.Random) -> Script:
    """The sandbox is lost in mid-rollout; the failure kind blames the agent's time, the text does not."""
    keep = stream.randrange(max(1, _needed(script)))
    cut = replace(script, moves=script.moves[:keep], closing=None, answer=None)
    marks = {"failure_kind": "agent_timeout", "error_message": task.say("machine: sandbox lost", stream)}
    return replace(cut, ending=Ending.BROKEN_OFF, marks=marks)


@fault("IR", "infrastructure", outcome=NOT_MEASURED)
def provider_out(script: Script, task: Task, stream: random.Random) -> Script:
    """The model's provider goes away in mid-rollout, and the row is masked."""
    keep = stream.randrange(max(1, _needed(script)))
    cut = replace(script, moves=script.moves[:keep], closing=None, answer=None)
    marks = {"failure_kind": "provider_unavailable", "mask_sample": True}
    return replace(cut, ending=Ending.BROKEN_OFF, refused_call=503, marks=marks)


@fault("IR", "infrastructure", outcome=None, filed=True)
def failed_attempt(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The first attempt finds no server; the second gives the row, and its result counts."""
    if not script.delivered:
        return None
    unreachable = FailedAttempt("agent_request_failed", task.say("machine: unreachable", stream), 503)
    return replace(script, failed_attempts=(unreachable, *script.failed_attempts))
