"""Faults of the benchmark itself: its gold answers, its tools, its verifier."""

import random
from dataclasses import replace

from examples.theatre.faults.registry import CONTRAST, fault
from examples.theatre.script import Script
from examples.theatre.tasks import Task


@fault("TI", "data", inherent=True, stage=CONTRAST, finding="wrong gold")
def wrong_gold(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The expected answer is wrong, so that the right one fails."""
    return replace(script, closing_struck=True) if task.errs else None


@fault("BI", "tools", inherent=True)
def tool_missing(script: Script, task: Task, stream: random.Random) -> Script | None:
    """A tool that the task needs is not among those that the agent was given."""
    lacking = [n for n, move in enumerate(script.moves) if move.tool not in task.tools]
    if not lacking:
        return None
    wanted = task.vocabulary.tool(script.moves[lacking[0]].tool).replace("_", " ")
    closing = task.say("voice: tool missing", stream, tool=wanted)
    return replace(script.stopped_before(lacking[0], closing), closing_struck=True)


@fault("BI", "tools", inherent=True, other_owners=("model",))
def tool_renamed(script: Script, task: Task, stream: random.Random) -> Script | None:
    """A tool goes by another name than the model is used to: it calls the old one, and gives up."""
    old = dict(task.renamed)
    places = [n for n, move in enumerate(script.moves) if task.vocabulary.tool(move.tool) in old]
    if not places:
        return None
    move = replace(script.moves[places[0]], struck=True)
    again = replace(move, thought=task.say("voice: tried again", stream), struck=False)
    closing = task.say("voice: gives up", stream, reason=task.say("voice: no such tool", stream))
    stopped = script.stopped_before(places[0], closing)
    return replace(stopped, moves=(*stopped.moves, move, again))


@fault("TI", "verifier", stage=CONTRAST)
def misjudged(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The verifier rejects the right answer that it accepts at other times."""
    if script.answer is None:
        return None
    return replace(script, misjudged=True, closing_struck=True)


@fault("TI", "verifier", stage=CONTRAST)
def judged_by_form(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The verifier rejects the right answer in another usual form: 1,200 or + 45."""
    other_form = _other_form(script.answer or "")
    if other_form is None:
        return None
    return replace(script, answer=other_form, closing_struck=True)


def _other_form(answer: str) -> str | None:
    if answer.isdecimal() and int(answer) >= 1000:
        return f"{int(answer):,}"
    return f"+ {answer[1:]}" if answer.startswith("+") else None
