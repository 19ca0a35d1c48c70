"""Tasks of the office: drafts of its families, in the words of a vocabulary, over one state of the databases."""

import random
from dataclasses import dataclass

from examples.office.families import FAMILIES
from examples.office.seeding import build_world
from examples.office.tools import TOOLBOX
from examples.office.verifier import rejected, verify
from examples.office.world import World
from examples.theatre.script import Move, Script
from examples.theatre.tasks import Draft, Families, Family, Row, Task, Verdict
from examples.theatre.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class OfficeSetting:
    """The databases before a task, and as they must be after it; nobody may change either."""

    start: World
    goal: World
    goal_hash: str

    def begin(self) -> World:
        return self.start.copy()

    def verify(self, task: Task, state: World, last_message: str | None) -> Verdict:
        return verify(task, state, self.goal, last_message)

    def rejected(self, task: Task, verdict: Verdict) -> Verdict:
        return rejected(task, verdict)

    def fields(self, task: Task) -> Row:
        return {
            "category": task.family.category,
            "difficulty": task.family.difficulty,
            "expected_actions": task.expected_actions,
            "expected_answer": task.expected_answer,
            "verifier_metadata": {"family": task.family.name, "expected_state_hash": self.goal_hash},
        }


class OfficeMaker:
    """Makes tasks of one office."""

    families: Families = FAMILIES

    def __init__(self, seed: int, vocabulary: Vocabulary) -> None:
        self.office = build_world(seed)
        self.vocabulary = vocabulary

    def draft(self, kind: Family, stream: random.Random) -> Draft:
        return kind.draw(self.office, stream)

    def prompt(self, kind: Family, draft: Draft) -> str:
        return self.vocabulary.phrase(f"prompt: {draft.asks or kind.name}", **draft.details)

    def task(self, index: int, kind: Family, draft: Draft) -> Task:
        goal = reached_state(draft.solution, self.office)
        return Task(
            benchmark="office",
            index=index,
            family=kind,
            vocabulary=self.vocabulary,
            toolbox=TOOLBOX,
            setting=OfficeSetting(self.office, goal, goal.fingerprint()),
            prompt=self.prompt(kind, draft),
            solution=draft.solution,
            wrong_answers=draft.wrong_answers,
            expected_answer=draft.solution.answer,
            answer_form=self.vocabulary.phrase("answer form"),
            system=self._system(),
            tools=tuple(TOOLBOX.tools),
            widest=_LISTS_ALL,
        )

    def _system(self) -> str:
        office = self.office
        return self.vocabulary.phrase(
            "system",
            owner=office.owner["name"],
            email=office.owner["email"],
            weekday=f"{office.today:%A}",
            today=office.today.isoformat(),
        )


_AGAIN = Move("calendar_search", {"date_from": "2026-01-01"}, "Once more, to be sure.")
_LISTS_ALL = (Move("calendar_search", {}, "I want to see the whole calendar."), _AGAIN, _AGAIN)


def reached_state(script: Script, start: World) -> World:
    """Return the state after a script's actions."""
    world = start.copy()
    for move in script.moves:
        if move.acts:
            TOOLBOX.tools[move.tool].run(world, move.arguments)
    return world
