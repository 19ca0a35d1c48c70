"""Faults of conduct: steps left out, promises not kept, errors that nobody mends."""

import random
from dataclasses import replace

from examples.theatre.faults.registry import CONTRAST, fault
from examples.theatre.script import Move, Script, substituted
from examples.theatre.tasks import Task


@fault("BI", "model")
def refusal(script: Script, task: Task, stream: random.Random) -> Script:
    """The model declines a request that it could fulfil."""
    return replace(script.stopped_before(0, task.say("voice: refusal", stream)), closing_struck=True)


@fault("BI", "model")
def empty_answer(script: Script, task: Task, stream: random.Random) -> Script:
    """The model stops with an empty message before the work is done."""
    position = min(script.positions(acts=True), default=len(script.moves))
    return replace(script.stopped_before(position, ""), closing_struck=True)


@fault("BI", "model")
def false_claim(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model looks things up, does nothing, and says that all is done."""
    acts = script.positions(acts=True)
    if not acts:
        return None
    return replace(script.stopped_before(acts[0], script.closing), closing_struck=True)


@fault("BI", "model")
def early_stop(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model stops before the last action, as if the rest could wait."""
    acts = script.positions(acts=True)
    if not acts:
        return None
    done = task.say("voice: first part done" if len(acts) > 1 else "voice: all found", stream)
    closing = task.say("voice: asks whether to go on", stream, done=done)
    return replace(script.stopped_before(acts[-1], closing), closing_struck=True)


@fault("BI", "model")
def answer_unmarked(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model answers in a sentence, without the form that it was told to keep to."""
    if script.answer is None or task.answer_form == "{answer}":
        return None
    closing = task.say("voice: answer in a sentence", stream, closing=script.closing, answer=script.answer).strip()
    return replace(script, closing=closing, answer=None, closing_struck=True)


@fault("BI", "model", stage=CONTRAST)
def skipped_lookup(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model assumes an address or an id where it should have looked it up."""
    places = [place for place, move in enumerate(script.moves) if move.guesses]
    if not places:
        return None
    skipped = stream.choice(places)
    before, guesses = script.moves[:skipped], script.moves[skipped].guesses
    after = script.moves[skipped + 1 :]
    blind = [replace(move, arguments=substituted(move.arguments, guesses)) for move in after]
    hit = next(n for n, move in enumerate(blind) if move.arguments != after[n].arguments)
    blind[hit] = replace(blind[hit], struck=True)
    if blind[hit].acts:
        return replace(script, moves=(*before, *blind))
    closing = task.say("voice: found nothing", stream)
    return replace(script, moves=(*before, *blind[: hit + 1]), closing=closing, answer=None)


def gives_up(script: Script, position: int, tries: tuple[Move, ...], closing: str) -> Script:
    """Return the script that ends with tries which lead to nothing."""
    stopped = script.stopped_before(position, closing)
    return replace(stopped, moves=(*stopped.moves, *tries))


@fault("BI", "model")
def unknown_tool(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model calls a tool that does not exist, and gives up."""
    acts = script.positions(acts=True)
    if not acts:
        return None
    subject, _, verb = task.vocabulary.tool(script.moves[acts[0]].tool).partition("_")
    made_up = replace(script.moves[acts[0]], tool=f"{verb or 'do'}_{subject}_entry", struck=True)
    reason = task.say("voice: no such tool", stream)
    return gives_up(script, acts[0], (made_up,), task.say("voice: gives up", stream, reason=reason))


@fault("BI", "model", other_owners=("harness",))
def no_recovery(script: Script, task: Task, stream: random.Random) -> Script | None:
    """A call comes back with an error that is easy to mend, and the model gives up."""
    acts = script.positions(acts=True)
    if not acts:
        return None
    move = script.moves[acts[0]]
    arguments = dict(move.arguments)
    arguments.pop(max(arguments))
    flawed = replace(move, arguments=arguments, struck=True)
    reason = task.say("voice: an error came", stream)
    return gives_up(script, acts[0], (flawed,), task.say("voice: gives up", stream, reason=reason))


@fault("BI", "model", other_owners=("harness", "tools"))
def permission_denied(script: Script, task: Task, stream: random.Random) -> Script | None:
    """A tool denies permission where another way would be open, and the model gives up."""
    acts = script.positions(acts=True)
    if not acts:
        return None
    denied = task.vocabulary.error(
        task.vocabulary.kinds.get("permission_denied", "permission_denied"), task.say("tool: permission_denied", stream)
    )
    tries = (replace(script.moves[acts[0]], reply=denied, struck=True),)
    reason = task.say("voice: not allowed", stream)
    return gives_up(script, acts[0], tries, task.say("voice: gives up", stream, reason=reason))


@fault("BI", "model", other_owners=("tools",))
def broken_arguments(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model writes arguments that are no JSON, twice, and gives up at the errors."""
    acts = script.positions(acts=True)
    if not acts:
        return None
    move = script.moves[acts[0]]
    shown = task.vocabulary.arguments(move.tool, move.arguments)
    raw = "{" + ", ".join(f"{key}: '{value}'" for key, value in shown.items()) + stream.choice((")", "", "}}"))
    tries = (
        replace(move, raw=raw, struck=True),
        replace(move, raw=raw[:-1], thought=task.say("voice: tried again", stream)),
    )
    reason = task.say("voice: an error came", stream)
    return gives_up(script, acts[0], tries, task.say("voice: gives up", stream, reason=reason))


_NAMING_KEYS = {"event_id", "task_id", "mail_id", "path"}
"""Keys under which a call names what it is about; no call has two of them."""


@fault("BI", "model", other_owners=("harness", "tools"))
def lost_target(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model mistypes what it wants to change, is told that there is no such thing, and gives up."""
    for place in script.positions(acts=True):
        move = script.moves[place]
        for key in _NAMING_KEYS & move.arguments.keys():
            mistyped = replace(move, arguments={**move.arguments, key: f"{move.arguments[key]}x"}, struck=True)
            reason = task.say("voice: an error came", stream)
            return gives_up(script, place, (mistyped,), task.say("voice: gives up", stream, reason=reason))
    return None
