"""Tasks: a request in words, the actions that fulfil it, and the state they must lead to."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from examples.office.dice import chance, dice
from examples.office.families import FAMILIES, Draft, Family
from examples.office.script import Script
from examples.office.seeding import build_world
from examples.office.tools import TOOLS, call_tool
from examples.office.world import World

MAX_DRAWS = 20


@dataclass(frozen=True, slots=True)
class Task:
    """One item of the benchmark. `start` and `goal` are states; nobody may change them.

    `expected_answer` is what the verifier holds to be right. Where it is not the solution's
    own answer, the benchmark errs. `tools` are those that the agent is given.
    """

    index: int
    family: Family
    prompt: str
    solution: Script
    wrong_answers: tuple[str, ...]
    start: World
    goal: World
    goal_hash: str
    expected_answer: str | None
    tools: tuple[str, ...] = field(default=tuple(TOOLS))

    @property
    def task_id(self) -> str:
        """Return the benchmark's own name of the task."""
        return f"office-{self.family.name.replace('_', '-')}-{self.index:04d}"

    @property
    def errs(self) -> bool:
        """Tell whether the expected answer is wrong."""
        return self.expected_answer != self.solution.answer

    @property
    def expected_actions(self) -> list[dict[str, Any]]:
        """Return the calls that change the databases, in order."""
        return [{"name": move.tool, "arguments": move.arguments} for move in self.solution.moves if move.acts]

    def request(self) -> list[dict[str, str]]:
        """Return the input messages."""
        return [
            {"role": "system", "content": system_message(self.start), "type": "message"},
            {"role": "user", "content": self.prompt, "type": "message"},
        ]


def system_message(office: World) -> str:
    """Return what every agent is told before the request."""
    return (
        f"You are the office assistant of {office.owner['name']} ({office.owner['email']}). "
        f"Today is {office.today:%A}, {office.today.isoformat()}, and it is 09:00. "
        "You work with the tools alone. Look people up in the directory before you write to "
        "them, and look entries up before you change them. Dates are written YYYY-MM-DD; "
        "amounts are in the main unit of their currency, never in cents. Do everything that "
        "is asked and nothing else, then close with a short message. When you are asked a "
        "question, the message ends with a line 'Answer: ' and the bare answer."
    )


@cache
def tool_declarations(tools: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return tools as an agent sees them."""
    return [TOOLS[name].declaration() for name in tools]


def generate_tasks(count: int, *, seed: int, wrong_gold: float = 0.0, favoured: Sequence[str] = ()) -> list[Task]:
    """Return the first `count` tasks of a seed, with the families in turn.

    Every second task is of one of the families that are `favoured`. Of the tasks that ask for
    an answer, a share of `wrong_gold` expects a wrong one.
    Raises ValueError where the office is too small to ask that many different things.
    """
    office = build_world(seed)
    prompts: set[str] = set()
    tasks = []
    for index in range(count):
        kind, draft = _new_draft(office, prompts, seed, index, _in_turn(index, favoured))
        prompts.add(draft.prompt)
        task = _task(index, kind, draft, office)
        errs = draft.wrong_answers and chance(seed, "wrong gold", index) < wrong_gold
        tasks.append(_with_wrong_gold(task) if errs else task)
    return tasks


def _task(index: int, kind: Family, draft: Draft, office: World) -> Task:
    goal = reached_state(draft.solution, office)
    return Task(
        index=index,
        family=kind,
        prompt=draft.prompt,
        solution=draft.solution,
        wrong_answers=draft.wrong_answers,
        start=office,
        goal=goal,
        goal_hash=goal.fingerprint(),
        expected_answer=draft.solution.answer,
    )


def _with_wrong_gold(task: Task) -> Task:
    """Expect a wrong answer, and take care that no agent comes upon it by mistake."""
    expected, *others = task.wrong_answers
    return replace(task, expected_answer=expected, wrong_answers=tuple(others))


def reached_state(script: Script, start: World) -> World:
    """Return the state after a script's actions."""
    world = start.copy()
    for move in script.moves:
        if move.acts:
            call_tool(world, move.tool, move.arguments)
    return world


def _in_turn(index: int, favoured: Sequence[str]) -> list[Family]:
    """Return the families in the order in which they are asked for a task with this index."""
    turn = index % len(FAMILIES)
    families = [*FAMILIES[turn:], *FAMILIES[:turn]]
    if not favoured or index % 2 == 0:
        return families
    first = favoured[index // 2 % len(favoured)]
    return sorted(families, key=lambda family: (family.name != first, family.name not in favoured))


def _new_draft(
    office: World, prompts: set[str], seed: int, index: int, families: Sequence[Family]
) -> tuple[Family, Draft]:
    """Draw from the first of the families that has something new to ask."""
    for turn, kind in enumerate(families):
        for attempt in range(MAX_DRAWS):
            draft = kind.draw(office, dice(seed, "task", index, turn, attempt))
            if draft.prompt not in prompts:
                return kind, draft
    raise ValueError(f"this office has nothing new to ask after {index} tasks")
