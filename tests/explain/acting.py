"""Rollouts of a small world with tools: each task asks for a booking, made of a look-up and two acts."""

import json
import random
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from tests.building import Row, call, message, result, row

Step = tuple[str, dict[str, Any]]

START = date(2026, 3, 2)


def right(task: int) -> list[Step]:
    """What a rollout of a task should do."""
    day = (START + timedelta(days=task)).isoformat()
    who = f"person{task}@mill.example"
    return [
        ("find_person", {"name": f"Person {task}"}),
        ("book_room", {"day": day, "guest": who, "seats": 4 + task % 3, "note": f"A note about task {task} for all"}),
        ("send_letter", {"to": who, "text": f"The room is yours, person {task}, see you there"}),
    ]


def acting(task: int, repeat: int, steps: list[Step], *, passes: bool = True, said: str = "Done.", **more: Any) -> Row:
    """A rollout that makes these calls, each of which succeeds, and ends with a message."""
    made = []
    for number, (tool, arguments) in enumerate(steps):
        made += [call(tool, json.dumps(arguments), f"c{number}"), result({"ok": True, "tool": tool}, f"c{number}")]
    more = {"reward": 1.0 if passes else 0.0, **more}
    return row(*made, message(said), task=task, rollout=repeat, prompt=f"Book the room of task {task}", **more)


def with_free_words(steps: list[Step], repeat: int) -> list[Step]:
    """The same calls in each rollout's own words, where words are free."""
    words = {"note": f"Somebody wrote this as number {repeat} of them", "text": f"In my own {repeat} words, it is done"}
    return [(tool, arguments | {key: words[key] for key in words if key in arguments}) for tool, arguments in steps]


def changed(steps: list[Step], tool: str, **arguments: Any) -> list[Step]:
    """The calls, those of one tool with other arguments; a value may be made from the old one."""
    return [
        (name, {**old, **{key: value(old[key]) if callable(value) else value for key, value in arguments.items()}})
        if name == tool
        else (name, old)
        for name, old in steps
    ]


def without(steps: list[Step], *tools: str) -> list[Step]:
    return [step for step in steps if step[0] not in tools]


def a_year_before(day: str) -> str:
    return f"{int(day[:4]) - 1}{day[4:]}"


def wandering(steps: list[Step], task: int, repeat: int, share: float = 0.4) -> list[Step]:
    """The calls with a needless look-up now and then, whatever becomes of the rollout."""
    chance = random.Random(f"{task}/{repeat}")
    return [("list_rooms", {"floor": chance.randint(1, 9)}), *steps] if chance.random() < share else steps


Change = Callable[[list[Step]], list[Step]]


def struck(change: Change, *, repeats: tuple[int, ...] = (0, 1), tasks: range = range(1_000)) -> Callable[..., Row]:
    """A row of a run in which some repeats of some tasks fail because of a change of what they do."""

    def make(task: int, repeat: int) -> Row:
        steps = wandering(with_free_words(right(task), repeat), task, repeat)
        fails = repeat in repeats and task in tasks
        return acting(task, repeat, change(steps) if fails else steps, passes=not fails)

    return make
