"""Faults of conduct: steps left out, promises not kept, errors that nobody mends."""

import random
from dataclasses import replace

from examples.office.faults.registry import CONTRAST, fault
from examples.office.script import Move, Script, substituted
from examples.office.tasks import Task


@fault("BI", "model")
def refusal(script: Script, task: Task, stream: random.Random) -> Script:
    """The model declines a request that it could fulfil."""
    text = "I'm sorry, but I can't help with that request."
    return replace(script.stopped_before(0, text), closing_struck=True)


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
    done = "The first part is done" if len(acts) > 1 else "I have found what is needed"
    closing = f"{done}. Let me know whether I should go on."
    return replace(script.stopped_before(acts[-1], closing), closing_struck=True)


@fault("BI", "model", stage=CONTRAST)
def overreach(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model does what is asked, and then sends a mail that nobody asked for."""
    if "mail_send" not in task.tools:
        return None
    mail = {
        "to": [task.start.owner["email"]],
        "subject": "For your information",
        "body": "I have dealt with your request.",
    }
    thought = "I also send a note about it."
    extra = Move("mail_send", mail, thought, acts=True, struck=True)
    return replace(script, moves=(*script.moves, extra))


@fault("BI", "model")
def answer_unmarked(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model answers in a sentence, without the line that it was told to write."""
    if script.answer is None:
        return None
    closing = f"{script.closing} It is {script.answer}."
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
    closing = "I found nothing under that address, so I stop here."
    return replace(script, moves=(*before, *blind[: hit + 1]), closing=closing, answer=None)


def _gives_up(script: Script, position: int, tries: tuple[Move, ...], reason: str) -> Script:
    stopped = script.stopped_before(position, f"I could not finish this: {reason}.")
    return replace(stopped, moves=(*stopped.moves, *tries))


@fault("BI", "model")
def unknown_tool(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model calls a tool that does not exist, and gives up."""
    acts = script.positions(acts=True)
    if not acts:
        return None
    subject, _, verb = script.moves[acts[0]].tool.partition("_")
    made_up = replace(script.moves[acts[0]], tool=f"{verb}_{subject}_entry", struck=True)
    return _gives_up(script, acts[0], (made_up,), "the tool for it is not there")


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
    return _gives_up(script, acts[0], (flawed,), "the tool gave an error")
