"""The truth beside a run: what decided each rollout, and what every agent is made of."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from examples.office.agents import Agent
from examples.office.dice import token
from examples.office.faults import FAULTS
from examples.office.rollouts import Rollout


@dataclass(frozen=True, slots=True)
class Truth:
    """One line of a truth file.

    `ref` is how a report names the rollout within its run: task and repeat. `prompt` is a hash
    of what the task asked. `fault` is what decided the outcome, null for a pass. `occurred` has that fault and those
    that left the outcome alone. `step` is the index in `response.output` of the item where the
    fault shows first, null where no item shows it. The field names keep clear of those by
    which a reader knows rollouts.
    """

    run: str
    ref: str
    task_index: int
    rollout_index: int
    task_id: str
    category: str
    prompt: str
    outcome: str
    fault: str | None
    cause: str | None
    owner: str | None
    other_owners: tuple[str, ...]
    step: int | None
    occurred: tuple[str, ...]
    decoys: tuple[str, ...]
    in_main_file: bool
    failed_attempts: int


def truth_of(run: str, rollout: Rollout) -> dict[str, Any]:
    """Return the truth about a rollout, ready for JSON."""
    direction = rollout.direction
    fault = direction.decided_by
    in_file = rollout.in_main_file
    truth = Truth(
        run=run,
        ref=f"{rollout.task.index}/{rollout.repeat}",
        task_index=rollout.task.index,
        rollout_index=rollout.repeat,
        task_id=rollout.task.task_id,
        category=rollout.task.family.category,
        prompt=token(json.dumps(rollout.task.request()), length=16),
        outcome=rollout.outcome,
        fault=fault.name if fault else None,
        cause=fault.cause if fault else None,
        owner=fault.owner if fault else None,
        other_owners=fault.other_owners if fault else (),
        step=rollout.performance.struck_at if in_file else None,
        occurred=direction.occurred,
        decoys=direction.decoys if in_file else (),
        in_main_file=in_file,
        failed_attempts=len(direction.script.failed_attempts),
    )
    return asdict(truth)


def parameters(agents: Sequence[Agent], *, tasks: int, repeats: int, seed: int, wrong_gold: float) -> dict[str, Any]:
    """Return what the runs of a directory were made with, and what each fault is."""
    return {
        "seed": seed,
        "tasks": tasks,
        "repeats": repeats,
        "wrong_gold": wrong_gold,
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
            for name, fault in FAULTS.items()
        },
    }
