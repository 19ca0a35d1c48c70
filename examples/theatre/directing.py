"""Decide what happens in one rollout: which fault strikes, which habits show."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from examples.theatre.agents import Agent
from examples.theatre.benchmark import Benchmark
from examples.theatre.dice import chance, dice
from examples.theatre.faults import Fault
from examples.theatre.script import Script
from examples.theatre.tasks import Task

HARDNESS = {"easy": 0.15, "medium": 0.4, "hard": 0.65}
JITTER = 0.3


@dataclass(frozen=True, slots=True)
class Direction:
    """The script of one rollout and the truth about it.

    `decided_by` is the fault that settles the outcome. `occurred` has it and the faults that
    leave the outcome alone.
    """

    script: Script
    decided_by: Fault | None
    occurred: tuple[str, ...]
    decoys: tuple[str, ...]


def direct(benchmark: Benchmark, agent: Agent, task: Task, repeat: int, *, seed: int) -> Direction:
    """Return what this agent does at this repeat of the task."""
    return _Draw(benchmark, agent, task, repeat, seed).direction()


def concerns(agent: Agent, fault: str, task: Task, *, seed: int) -> bool:
    """Tell whether a task is among those on which an agent's fault may strike."""
    exposure = agent.faults[fault]
    if exposure.category not in (None, task.family.category):
        return False
    whose = () if exposure.common else (agent.name,)
    return chance(seed, *whose, fault, task.task_id, "share") < exposure.share


def lapse_chance(agent: Agent, task: Task, *, seed: int) -> float:
    """Return how likely it is that the agent fails for want of skill: hardness x (1 - skill)."""
    jitter = JITTER * (chance(seed, task.task_id, "hardness") - 0.5)
    hardness = HARDNESS[task.family.difficulty] + jitter
    return max(0.0, hardness) * (1.0 - agent.skill)


@dataclass(frozen=True, slots=True)
class _Draw:
    """All draws of one rollout; each has a name, so that none depends on another."""

    benchmark: Benchmark
    agent: Agent
    task: Task
    repeat: int
    seed: int

    def direction(self) -> Direction:
        script, decided_by = self._decided()
        occurred = [decided_by.name] if decided_by else []
        for fault in self._drawn(decisive=False):
            changed = self._strike(fault, script)
            if changed is not None:
                script = changed
                occurred.append(fault.name)
        script, shown = self._with_decoys(script)
        return Direction(script, decided_by, tuple(occurred), shown)

    def _decided(self) -> tuple[Script, Fault | None]:
        """Let the first fault that can strike decide, so that the truth is never in doubt."""
        for fault in (*self._drawn(decisive=True), *self._lapses()):
            script = self._strike(fault, self.task.solution)
            if script is not None:
                return script, fault
        return self.task.solution, None

    def _drawn(self, *, decisive: bool) -> Iterator[Fault]:
        for fault in self.benchmark.faults.values():
            if (fault.outcome is not None) is decisive and self._is_drawn(fault):
                yield fault

    def _is_drawn(self, fault: Fault) -> bool:
        if fault.inherent or fault.name not in self.agent.faults:
            return fault.inherent
        struck = self._chance(fault.name) < self.agent.faults[fault.name].rate
        return struck and concerns(self.agent, fault.name, self.task, seed=self.seed)

    def _lapses(self) -> list[Fault]:
        """Return the lapses in the order in which they are tried, or none."""
        if self._chance("lapse") >= lapse_chance(self.agent, self.task, seed=self.seed):
            return []
        lapses = self.benchmark.lapses
        return [self.benchmark.faults[name] for name in self._dice("lapse").sample(lapses, len(lapses))]

    def _with_decoys(self, script: Script) -> tuple[Script, tuple[str, ...]]:
        shown = []
        for name, rate in self.agent.decoys.items():
            if self._chance(name) < rate:
                changed = self.benchmark.decoys[name](script, self.task, self._dice(name))
                if changed is not script:
                    shown.append(name)
                script = changed
        return script, tuple(shown)

    def _strike(self, fault: Fault, script: Script) -> Script | None:
        return fault.strike(script, self.task, self._dice(fault.name))

    def _keys(self) -> tuple[object, ...]:
        return (self.seed, self.agent.name, self.task.task_id, self.repeat)

    def _chance(self, name: str) -> float:
        return chance(*self._keys(), name, "whether")

    def _dice(self, name: str) -> random.Random:
        return dice(*self._keys(), name, "how")
