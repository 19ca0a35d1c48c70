"""Rollouts of one agent: every repeat of every task, played, verified and put on a clock."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace

from examples.office.agents import Agent
from examples.office.dice import chance
from examples.office.directing import Direction, direct
from examples.office.faults import FAILED
from examples.office.performance import Performance, perform
from examples.office.tasks import Task
from examples.office.verifier import Verdict, verify

PARALLEL = 8
RETRY_DELAY = 45.0
EPOCH = 1_773_300_000.0

PASSED = "passed"


@dataclass(frozen=True, slots=True)
class Rollout:
    """One repeat of one task, with all that is known about it. Times are Unix seconds."""

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
    def in_main_file(self) -> bool:
        """Tell whether the rollouts file has a row for it."""
        return self.direction.script.delivered


def run_agent(agent: Agent, tasks: Sequence[Task], *, repeats: int, seed: int) -> list[Rollout]:
    """Return the rollouts of an agent in task order."""
    start = EPOCH + round(chance(seed, agent.name, "clock") * 86_400, 3)
    slots = [start] * PARALLEL
    rollouts = []
    for task in (_as_given(task, agent, seed) for task in tasks):
        for repeat in range(repeats):
            began = heapq.heappop(slots)
            rollout = _play(agent, task, repeat, seed, began)
            heapq.heappush(slots, rollout.finished)
            rollouts.append(rollout)
    return rollouts


def _as_given(task: Task, agent: Agent, seed: int) -> Task:
    """Return the task as the agent's run puts it: with its tools, in its words."""
    tools = tuple(name for name in task.tools if name not in agent.without_tools)
    if chance(seed, agent.name, task.task_id, "reworded") < agent.reworded:
        return replace(task, tools=tools, prompt=f"Good morning! {task.prompt}")
    return replace(task, tools=tools)


def _play(agent: Agent, task: Task, repeat: int, seed: int, began: float) -> Rollout:
    direction = direct(agent, task, repeat, seed=seed)
    key = f"{seed}/{agent.name}/{task.task_id}/{repeat}"
    performance = perform(direction.script, task, key)
    verdict = verify(task, performance.world, performance.last_message)
    began = round(began + RETRY_DELAY * len(direction.script.failed_attempts), 3)
    finished = round(began + performance.elapsed, 3)
    return Rollout(agent, task, repeat, direction, performance, verdict, began, finished)
