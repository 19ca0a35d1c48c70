"""A benchmark: all that one world gives to be played."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from examples.theatre.agents import Agent
from examples.theatre.decoys import Habit
from examples.theatre.dice import dice
from examples.theatre.faults import Fault
from examples.theatre.tasks import SOUND, Defects, Families, Maker, Task, make_tasks
from examples.theatre.vocabulary import Vocabulary

PROBES_EACH = 4
"""Tasks of each family on which it is tried whether a fault can strike there."""


@dataclass(frozen=True, eq=False)
class Benchmark:
    """One world: its tasks, what can go wrong in it, who acts in it, and how it can look.

    The first of the `vocabularies` is the usual one. `lapses` are the faults of an agent that is
    not skilled enough. `usual_decoys` say how often an ordinary agent shows which. `removable`
    are tools without which some tasks cannot be done, and the others can. `maker` returns what
    makes the tasks of a seed in a vocabulary.
    """

    name: str
    what: str
    families: Families
    maker: Callable[[int, Vocabulary], Maker]
    vocabularies: Mapping[str, Vocabulary]
    faults: Mapping[str, Fault]
    decoys: Mapping[str, Habit]
    agents: Mapping[str, Agent]
    usual_decoys: Mapping[str, float]
    lapses: tuple[str, ...] = ()
    removable: tuple[str, ...] = ()

    def vocabulary(self, name: str | None = None) -> Vocabulary:
        """Return a vocabulary by name, or the usual one."""
        return next(iter(self.vocabularies.values())) if name is None else self.vocabularies[name]

    def tasks(
        self,
        count: int,
        *,
        seed: int,
        vocabulary: str | None = None,
        defects: Defects = SOUND,
        favoured: Sequence[str] = (),
    ) -> list[Task]:
        """Return the first `count` tasks of a seed."""
        maker = self.maker(seed, self.vocabulary(vocabulary))
        return make_tasks(maker, count, seed=seed, defects=defects, favoured=favoured)

    def agent(self, agent: Agent | str) -> Agent:
        """Return a profile by name, or an agent as it is once all that it names is found to be known."""
        known = self.agents[agent] if isinstance(agent, str) else agent
        unknown = sorted((known.faults.keys() - self.faults) | (known.decoys.keys() - self.decoys))
        unknown += sorted({*known.without_tools, *known.renamed_tools} - {*self.removable})
        if unknown:
            raise ValueError(f"agent {known.name}: not known in {self.name}: {', '.join(unknown)}")
        return known


def families_struck(benchmark: Benchmark, fault: str) -> set[str]:
    """Return the families with a task that a fault can strike."""
    tasks = _probes(benchmark)
    if fault in ("tool_missing", "tool_renamed"):
        tasks = [as_given(task, benchmark, fault) for task in tasks]
    strike = benchmark.faults[fault].strike
    return {task.family.name for task in tasks if strike(task.solution, task, dice(fault)) is not None}


@cache
def _probes(benchmark: Benchmark) -> list[Task]:
    """Return tasks of every family, sound ones and such with a wrong gold."""
    count = PROBES_EACH * len(benchmark.families)
    return [task for defects in (SOUND, Defects(1.0)) for task in benchmark.tasks(count, seed=0, defects=defects)]


def as_given(task: Task, benchmark: Benchmark, fault: str) -> Task:
    """Return the task without its removable tools, or with other names for them."""
    if fault == "tool_missing":
        return replace(task, tools=tuple(name for name in task.tools if name not in benchmark.removable))
    return replace(task, renamed=other_names(task, benchmark.removable))


def other_names(task: Task, tools: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Pair the shown names of tools with other names."""
    shown = [task.vocabulary.tool(name) for name in tools]
    return tuple((name, f"{name}_v2") for name in shown)
