"""Faults in a call's arguments: the right tool with a wrong year, unit or key."""

import random
from dataclasses import replace

from examples.theatre.faults import CONTRAST, fault
from examples.theatre.script import Move, Script, substituted
from examples.theatre.tasks import Task

_RENAMED = {
    "date": "day",
    "due": "due_date",
    "to": "recipient",
    "event_id": "id",
    "task_id": "id",
    "amount": "total",
}


def _acts_with(script: Script, *keys: str) -> list[int]:
    acts = script.positions(acts=True)
    return [place for place in acts if not set(keys).isdisjoint(script.moves[place].arguments)]


@fault("BI", "model", stage=CONTRAST)
def wrong_year(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model writes a date of the year before."""
    places = _acts_with(script, "date", "due")
    if not places:
        return None
    move = script.moves[places[0]]
    key = "date" if "date" in move.arguments else "due"
    year, rest = move.arguments[key].split("-", 1)
    arguments = {**move.arguments, key: f"{int(year) - 1}-{rest}"}
    return script.with_move(places[0], replace(move, arguments=arguments, struck=True))


@fault("BI", "model", stage=CONTRAST)
def wrong_unit(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model submits an amount in cents, or in another currency."""
    places = _acts_with(script, "amount")
    if not places:
        return None
    move = script.moves[places[0]]
    others = sorted({"EUR", "USD", "GBP"} - {move.arguments["currency"]})
    slips = ({"amount": round(move.arguments["amount"] * 100)}, {"currency": stream.choice(others)})
    arguments = {**move.arguments, **stream.choice(slips)}
    return script.with_move(places[0], replace(move, arguments=arguments, struck=True))


@fault("BI", "model", stage=CONTRAST)
def wrong_person(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model searches for a first name alone and takes a namesake."""
    for position, move in enumerate(script.moves[:-1]):
        after = script.moves[position + 1]
        if move.tool == "directory_search" and after.acts:
            first_name = move.arguments["query"].split()[0]
            return _mistaken(script, position, first_name, _namesakes(task, move), stream)
    return None


def _namesakes(task: Task, move: Move) -> list[str]:
    name = move.arguments["query"]
    return [
        person["email"]
        for person in task.setting.start.rows("people")
        if person["name"].split()[0] == name.split()[0] and person["name"] != name
    ]


def _mistaken(
    script: Script, position: int, first_name: str, namesakes: list[str], stream: random.Random
) -> Script | None:
    if not namesakes:
        return None
    search, after = script.moves[position], script.moves[position + 1 :]
    swap = dict.fromkeys(search.guesses, stream.choice(namesakes))
    taken = [replace(move, arguments=substituted(move.arguments, swap)) for move in after]
    taken[0] = replace(taken[0], struck=True)
    vague = replace(search, arguments={"query": first_name})
    return replace(script, moves=(*script.moves[:position], vague, *taken))


@fault("BI", "model", other_owners=("tools",))
def wrong_key(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model passes an argument under another key, twice, and gives up at the errors."""
    places = _acts_with(script, *_RENAMED)
    if not places:
        return None
    move = script.moves[places[0]]
    key = next(key for key in _RENAMED if key in move.arguments)
    arguments = {_RENAMED[name] if name == key else name: value for name, value in move.arguments.items()}
    flawed = replace(move, arguments=arguments)
    tries = (replace(flawed, struck=True), replace(flawed, thought=task.say("voice: tried again", stream)))
    stopped = script.stopped_before(places[0], task.say("voice: not accepted", stream))
    return replace(stopped, moves=(*stopped.moves, *tries))


@fault("BI", "model", stage=CONTRAST)
def swapped_keys(script: Script, task: Task, stream: random.Random) -> Script | None:
    """The model passes the text of a mail as its subject, and the subject as its text."""
    places = [place for place in _acts_with(script, "body") if script.moves[place].tool == "mail_send"]
    if not places:
        return None
    move = script.moves[places[0]]
    swapped = {"subject": move.arguments["body"], "body": move.arguments["subject"]}
    return script.with_move(places[0], replace(move, arguments={**move.arguments, **swapped}, struck=True))
