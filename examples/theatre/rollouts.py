"""Rollouts of one agent: every repeat of every task, played, verified and put on a clock."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace

from examples.theatre.agents import Agent
from examples.theatre.benchmark import Benchmark, other_names
from examples.theatre.dice import chance
from examples.theatre.directing import Direction, direct
from examples.theatre.faults import FAILED, PASSED
from examples.theatre.performance import Performance, perform
from examples.theatre.tasks import Task, Verdict

PARALLEL = 8
RETRY_DELAY = 45.0
EPOCH = 1_773_300_000.0


@dataclass(frozen=True, slots=True)
class Rollout:
    """One repeat of one task, with all that is known about it. Times are Unix seconds."""

    benchmark: Benchmark
    agent: Agent
    task: Task
    repeat: int
    direction: Direction
    performance: Performance
    verdict: Verdict
    began: float
    finished: float

    @property
    def key(self) -> str:
        """Return the rollout's id within its run."""
        return f"{self.task.index}-{self.repeat}"

    @property
    def outcome(self) -> str:
        """Return what truly became of it: passed, failed or not_measured."""
        decided_by = self.direction.decided_by
        if decided_by is not None and decided_by.outcome is not None:
            return decided_by.outcome
        return PASSED if self.row_reward == 1.0 else FAILED

    @property
    def row_reward(self) -> float:
        """Return the reward that stands on the row."""
        return float(self.direction.script.marks.get("reward", self.verdict.reward))

    @property
    def copies(self) -> int:
        """Return how many rows the rollouts file has for it."""
        twice = chance(self.performance.key, "duplicated") < self.agent.duplicated
        return int(self.in_main_file) * (2 if twice else 1)

    @property
    def in_main_file(self) -> bool:
        """Tell whether the rollouts file has a row for it."""
        return self.direction.script.delivered


def run_agent(benchmark: Benchmark, agent: Agent, tasks: Sequence[Task], *, repeats: int, seed: int) -> list[Rollout]:
    """Return the rollouts of an agent in task order."""
    start = EPOCH + round(chance(seed, agent.name, "clock") * 86_400, 3)
    slots = [start] * PARALLEL
    rollouts = []
    for task in (_as_given(task, agent, seed) for task in tasks):
        for repeat in range(repeats):
            began = heapq.heappop(slots)
            rollout = _play(benchmark, agent, task, repeat, seed, began)
            heapq.heappush(slots, rollout.finished)
            rollouts.append(rollout)
    return rollouts


def _as_given(task: Task, agent: Agent, seed: int) -> Task:
    """Return the task as the agent's run puts it: with its tools, in its words."""
    tools = tuple(name for name in task.tools if name not in agent.without_tools)
    given = replace(task, tools=tools, renamed=other_names(task, agent.renamed_tools))
    if chance(seed, agent.name, task.task_id, "reworded") < agent.reworded:
        return replace(given, prompt=task.vocabulary.phrase("reworded", prompt=task.prompt))
    return given


def _play(benchmark: Benchmark, agent: Agent, task: Task, repeat: int, seed: int, began: float) -> Rollout:
    direction = direct(benchmark, agent, task, repeat, seed=seed)
    key = f"{seed}/{agent.name}/{task.task_id}/{repeat}"
    performance = perform(direction.script, task, key)
    verdict = task.setting.verify(task, performance.state, performance.last_message)
    if direction.script.misjudged:
        verdict = task.setting.rejected(task, verdict)
    if direction.script.unverified:
        verdict = Verdict(0.0, dict.fromkeys(verdict.fields))
    began = round(began + RETRY_DELAY * len(direction.script.failed_attempts), 3)
    finished = round(began + performance.elapsed, 3)
    return Rollout(benchmark, agent, task, repeat, direction, performance, verdict, began, finished)
