"""Tasks: a request in words, the script that fulfils it, and what the verifier expects."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from examples.theatre.dice import chance, dice
from examples.theatre.script import Move, Script
from examples.theatre.tools import Counter, Toolbox, declarations, declared_tokens
from examples.theatre.vocabulary import Vocabulary

MAX_DRAWS = 20

Row = dict[str, Any]
Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the verifier found: the reward, and the fields that it writes."""

    reward: float
    fields: Row
    text: str | None = None
    """The first thing that is wrong, in words."""


class Setting(Protocol):
    """What a task of one world is about: how it begins, and how its end is judged."""

    def begin(self) -> Any:
        """Return a state that tools may change."""

    def verify(self, task: "Task", state: Any, last_message: str | None) -> Verdict:
        """Judge where a rollout ended."""

    def rejected(self, task: "Task", verdict: Verdict) -> Verdict:
        """Return the verdict of a verifier that does not accept the answer."""

    def fields(self, task: "Task") -> Row:
        """Return what the dataset says of the task."""


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of task: `draw` makes one, knowing only how to draw and what has been there before."""

    name: str
    category: str
    difficulty: str
    draw: Callable[..., "Draft"]


@dataclass(frozen=True, slots=True)
class Draft:
    """A task without a number: what its prompt tells, its solution, and answers that are wrong.

    `asks` names the sentence in which it is asked, where it is not the family's name. `slips`
    are the answers to which particular mistakes lead, by the name of the fault.
    """

    details: Mapping[str, Any]
    solution: Script
    wrong_answers: tuple[str, ...] = ()
    asks: str | None = None
    slips: Mapping[str, str] = field(default_factory=dict)
    setting: Any = None


Drawer = Callable[..., Draft]


class Families:
    """The families of a world, in turn."""

    def __init__(self) -> None:
        self.families: list[Family] = []

    def family(self, category: str, difficulty: str) -> Callable[[Drawer], Drawer]:
        """Register the function below as the family of that name."""

        def register(draw: Drawer) -> Drawer:
            self.families.append(Family(draw.__name__, category, difficulty, draw))
            return draw

        return register

    def __iter__(self) -> Iterator[Family]:
        return iter(self.families)

    def __len__(self) -> int:
        return len(self.families)

    def in_turn(self, index: int, favoured: Sequence[str]) -> list[Family]:
        """Return the families in the order in which they are asked for a task with this index."""
        turn = index % len(self.families)
        families = [*self.families[turn:], *self.families[:turn]]
        if not favoured or index % 2 == 0:
            return families
        first = favoured[index // 2 % len(favoured)]
        return sorted(families, key=lambda family: (family.name != first, family.name not in favoured))


@dataclass(frozen=True, slots=True)
class Task:
    """One item of a benchmark, in the words of one vocabulary.

    `expected_answer` is what the verifier holds to be right. Where it is not the solution's own
    answer, the benchmark errs. `setting` is a `Setting` of the world's own kind. `tools` are those
    that the agent is given, `renamed` those that it is given under another name than it is used
    to. `widest` are the look-ups that return most. `slips` are as in `Draft`.
    """

    benchmark: str
    index: int
    family: Family
    vocabulary: Vocabulary
    toolbox: Toolbox
    setting: Any
    prompt: str
    solution: Script
    wrong_answers: tuple[str, ...]
    expected_answer: str | None
    answer_form: str
    system: str | None
    tools: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...] = ()
    widest: tuple[Move, ...] = ()
    leaks: bool = False
    slips: Mapping[str, str] = field(default_factory=dict)

    @property
    def task_id(self) -> str:
        """Return the world's own name of the task, by which chance knows it."""
        return f"{self.benchmark}-{self.family.name.replace('_', '-')}-{self.index:04d}"

    @property
    def shown_id(self) -> str:
        """Return the benchmark's own name of the task, as rows show it."""
        family = self.family.name.replace("_", "-")
        return self.vocabulary.task_id.format(benchmark=self.benchmark, family=family, index=self.index)

    @property
    def errs(self) -> bool:
        """Tell whether the expected answer is wrong."""
        return self.expected_answer != self.solution.answer

    @property
    def asks_for_text(self) -> bool:
        """Tell whether the message itself is what is judged."""
        return self.solution.answer is None and not self.solution.moves

    @property
    def expected_actions(self) -> list[dict[str, Any]]:
        """Return the calls that change the world, in order, as they are shown."""
        return [
            {
                "name": self.vocabulary.tool(move.tool),
                "arguments": self.vocabulary.arguments(move.tool, move.arguments),
            }
            for move in self.solution.moves
            if move.acts
        ]

    def request(self) -> list[dict[str, str]]:
        """Return the input messages."""
        system = [] if self.system is None else [{"role": "system", "content": self.system, "type": "message"}]
        return [*system, {"role": "user", "content": self.prompt, "type": "message"}]

    def declarations(self) -> list[dict[str, Any]]:
        """Return the tools as the agent sees them."""
        return declarations(self.toolbox, self.vocabulary, self.tools, self.renamed)

    def tool_tokens(self) -> int:
        """Return how many tokens the tools take up in every model call."""
        return declared_tokens(self.toolbox, self.vocabulary, self.tools, self.renamed) if self.tools else 0

    def counter(self) -> Counter:
        """Return where the agent's calls are answered."""
        declared = {tool["name"]: tool["parameters"] for tool in self.declarations()}
        return Counter(self.toolbox, self.vocabulary, declared)

    def last_message(self, script: Script) -> str | None:
        """Return the text of a script's last message, with the answer in the form that was asked for."""
        if script.closing is None or script.answer is None:
            return script.closing
        marked = self.answer_form.replace("{answer}", script.answer)
        return f"{script.closing}\n\n{marked}" if script.closing else marked

    def say(self, purpose: str, stream: random.Random, **details: Any) -> str:
        """Return a sentence in the task's vocabulary."""
        return self.vocabulary.phrase(purpose, stream, **details)


@dataclass(frozen=True, slots=True)
class Defects:
    """What is wrong with the benchmark itself, as shares of the tasks that ask for an answer."""

    wrong_gold: float = 0.0
    leaked: float = 0.0


SOUND = Defects()


class Maker(Protocol):
    """What makes tasks of one world in one vocabulary."""

    families: Families

    def draft(self, kind: Family, stream: random.Random) -> Draft:
        """Draw a task of a family."""

    def prompt(self, kind: Family, draft: Draft) -> str:
        """Return what the task asks."""

    def task(self, index: int, kind: Family, draft: Draft) -> Task:
        """Return the task with this number."""


class FamilyMaker:
    """A maker whose families draw from nothing but chance."""

    families: Families

    def __init__(self, seed: int, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    def draft(self, kind: Family, stream: random.Random) -> Draft:
        return kind.draw(stream)


def make_tasks(
    maker: Maker, count: int, *, seed: int, defects: Defects = SOUND, favoured: Sequence[str] = ()
) -> list[Task]:
    """Return the first `count` tasks of a seed, with the families in turn and no prompt twice.

    Every second task is of one of the families that are `favoured`. Raises ValueError where the
    world is too small to ask that many different things.
    """
    prompts: set[str] = set()
    tasks = []
    for index in range(count):
        for kind, draft in _drafts(maker, seed, index, favoured):
            prompt = maker.prompt(kind, draft)
            if prompt not in prompts:
                break
        else:
            raise ValueError(f"this world has nothing new to ask after {index} tasks")
        prompts.add(prompt)
        tasks.append(_with_defects(maker.task(index, kind, draft), seed, defects))
    return tasks


def _drafts(maker: Maker, seed: int, index: int, favoured: Sequence[str]) -> Iterator[tuple[Family, Draft]]:
    for turn, kind in enumerate(maker.families.in_turn(index, favoured)):
        for attempt in range(MAX_DRAWS):
            yield kind, maker.draft(kind, dice(seed, "task", index, turn, attempt))


def _with_defects(task: Task, seed: int, defects: Defects) -> Task:
    if not task.wrong_answers:
        return task
    if chance(seed, "wrong gold", task.index) < defects.wrong_gold:
        return _with_wrong_gold(task)
    if chance(seed, "leak", task.index) < defects.leaked:
        hint = task.vocabulary.phrase("leak", answer=task.expected_answer)
        return replace(task, prompt=f"{task.prompt}\n\n{hint}", leaks=True)
    return task


def _with_wrong_gold(task: Task) -> Task:
    """Expect a wrong answer, and take care that no agent comes upon it by mistake."""
    expected, *others = task.wrong_answers
    return replace(task, expected_answer=expected, wrong_answers=tuple(others))
