"""Run agents through the benchmark and write everything that an evaluation leaves behind."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from examples.office.agents import AGENTS, Agent
from examples.office.gym_files import write_run, write_text
from examples.office.rollouts import Rollout, run_agent
from examples.office.tasks import Task, generate_tasks
from examples.office.truth import parameters


def simulate(
    out_dir: str | Path,
    *,
    agents: Iterable[Agent | str] = ("steady", "hasty"),
    tasks: int = 60,
    repeats: int = 4,
    seed: int = 7,
    wrong_gold: float = 0.0,
    observability: bool = False,
    favoured: Sequence[str] = (),
) -> list[Path]:
    """Write one run per agent into a directory and return the paths of all files.

    The run of the agent `steady` has the rollouts file `steady_rollouts.jsonl`, its sidecars
    beside it, and `steady_rollouts_truth.jsonl`; `truth.json` describes agents and faults. The
    same arguments give the same bytes. `wrong_gold` is the share of the questions whose
    expected answer is wrong; every second task is of a family that is `favoured`. With
    `observability`, rows carry `ng_trajectory` and `ng_perf`. Raises KeyError for a profile that does not exist.
    """
    directory = Path(out_dir)
    cast = [AGENTS[agent] if isinstance(agent, str) else agent for agent in agents]
    directory.mkdir(parents=True, exist_ok=True)
    drawn = generate_tasks(tasks, seed=seed, wrong_gold=wrong_gold, favoured=favoured)
    paths = []
    for agent in cast:
        rollouts = run_agent(agent, drawn, repeats=repeats, seed=seed)
        paths += write_run(directory, stem_of(agent), rollouts, observability=observability)
    description = parameters(cast, tasks=tasks, repeats=repeats, seed=seed, wrong_gold=wrong_gold)
    content = json.dumps(description, indent=2) + "\n"
    return [*paths, write_text(directory / "truth.json", content)]


def play(agent: Agent | str, *, tasks: Sequence[Task] | int = 60, repeats: int = 4, seed: int = 7) -> list[Rollout]:
    """Return the rollouts of one agent without writing anything."""
    drawn = generate_tasks(tasks, seed=seed) if isinstance(tasks, int) else tasks
    player = AGENTS[agent] if isinstance(agent, str) else agent
    return run_agent(player, drawn, repeats=repeats, seed=seed)


def stem_of(agent: Agent) -> str:
    """Return the name from which all files of an agent's run are named."""
    return f"{agent.name}_rollouts"
