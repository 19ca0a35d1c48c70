"""The truth beside a run: what decided each rollout, and what every agent is made of."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from examples.theatre.agents import Agent
from examples.theatre.benchmark import Benchmark
from examples.theatre.dice import token
from examples.theatre.rollouts import Rollout


@dataclass(frozen=True, slots=True)
class Truth:
    """One line of a truth file.

    `ref` is how a report names the rollout within its run: task and repeat. `prompt` is a hash
    of what the task asked. `fault` is what decided the outcome, null for a pass that counts.
    `occurred` has that fault and those that left the outcome alone. `step` is the index in
    `response.output` of the item where the fault shows first, null where no item shows it.
    `leaks` tells that the prompt gives the answer away. `copies` is how many rows there are.
    The field names keep clear of those by which a reader knows rollouts.
    """

    run: str
    ref: str
    task_index: int
    rollout_index: int
    task_id: str
    category: str
    prompt: str
    leaks: bool
    outcome: str
    fault: str | None
    cause: str | None
    owner: str | None
    other_owners: tuple[str, ...]
    step: int | None
    occurred: tuple[str, ...]
    decoys: tuple[str, ...]
    in_main_file: bool
    copies: int
    failed_attempts: int


def truth_of(run: str, ref: str, rollout: Rollout) -> dict[str, Any]:
    """Return the truth about a rollout, ready for JSON."""
    direction = rollout.direction
    fault = direction.decided_by
    in_file = rollout.in_main_file
    truth = Truth(
        run=run,
        ref=ref,
        task_index=rollout.task.index,
        rollout_index=rollout.repeat,
        task_id=rollout.task.shown_id,
        category=rollout.task.family.category,
        prompt=token(json.dumps(rollout.task.request()), length=16),
        leaks=rollout.task.leaks,
        outcome=rollout.outcome,
        fault=fault.name if fault else None,
        cause=fault.cause if fault else None,
        owner=fault.owner if fault else None,
        other_owners=fault.other_owners if fault else (),
        step=rollout.performance.struck_at if in_file else None,
        occurred=direction.occurred,
        decoys=direction.decoys if in_file else (),
        in_main_file=in_file,
        copies=rollout.copies,
        failed_attempts=len(direction.script.failed_attempts),
    )
    return asdict(truth)


def parameters(benchmark: Benchmark, agents: Sequence[Agent], **settings: Any) -> dict[str, Any]:
    """Return what the runs of a directory were made with, and what each fault is."""
    return {
        "world": benchmark.name,
        **settings,
        "agents": [agent.parameters() for agent in agents],
        "faults": {
            name: {
                "what": fault.what,
                "cause": fault.cause,
                "owner": fault.owner,
                "other_owners": fault.other_owners,
                "outcome": fault.outcome,
                "stage": fault.stage,
            }
            for name, fault in benchmark.faults.items()
        },
    }
