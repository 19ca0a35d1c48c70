"""Run agents through a benchmark and write everything that an evaluation leaves behind."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from examples.theatre.agents import Agent
from examples.theatre.benchmark import Benchmark
from examples.theatre.gym_files import write_run, write_text
from examples.theatre.rollouts import Rollout, run_agent
from examples.theatre.tasks import Defects, Task
from examples.theatre.truth import parameters


def simulate(
    benchmark: Benchmark,
    out_dir: str | Path,
    *,
    agents: Iterable[Agent | str] = ("steady", "hasty"),
    tasks: int = 60,
    repeats: int = 4,
    seed: int = 7,
    wrong_gold: float = 0.0,
    leaked: float = 0.0,
    observability: bool = False,
    favoured: Sequence[str] = (),
    vocabulary: str | None = None,
) -> list[Path]:
    """Write one run per agent into a directory and return the paths of all files.

    The run of the agent `steady` has the rollouts file `steady_rollouts.jsonl`, its sidecars
    beside it, and `steady_rollouts_truth.jsonl`; `truth.json` describes agents and faults. The
    same arguments give the same bytes. `wrong_gold` is the share of the questions whose
    expected answer is wrong, `leaked` the share whose prompt tells it; every second task is of a
    family that is `favoured`. With `observability`, rows carry `ng_trajectory` and `ng_perf`.
    Raises KeyError for a profile or a vocabulary that does not exist, and ValueError for an
    agent of which something is not known in this world.
    """
    directory = Path(out_dir)
    cast = [benchmark.agent(agent) for agent in agents]
    directory.mkdir(parents=True, exist_ok=True)
    defects = Defects(wrong_gold, leaked)
    drawn = benchmark.tasks(tasks, seed=seed, vocabulary=vocabulary, defects=defects, favoured=favoured)
    paths = []
    for agent in cast:
        rollouts = run_agent(benchmark, agent, drawn, repeats=repeats, seed=seed)
        paths += write_run(directory, stem_of(agent), rollouts, observability=observability)
    description = parameters(
        benchmark,
        cast,
        vocabulary=benchmark.vocabulary(vocabulary).name,
        seed=seed,
        tasks=tasks,
        repeats=repeats,
        wrong_gold=wrong_gold,
        leaked=leaked,
    )
    content = json.dumps(description, indent=2) + "\n"
    return [*paths, write_text(directory / "truth.json", content)]


def play(
    benchmark: Benchmark,
    agent: Agent | str,
    *,
    tasks: Sequence[Task] | int = 60,
    repeats: int = 4,
    seed: int = 7,
    vocabulary: str | None = None,
) -> list[Rollout]:
    """Return the rollouts of one agent without writing anything."""
    drawn = benchmark.tasks(tasks, seed=seed, vocabulary=vocabulary) if isinstance(tasks, int) else tasks
    return run_agent(benchmark, benchmark.agent(agent), drawn, repeats=repeats, seed=seed)


def stem_of(agent: Agent) -> str:
    """Return the name from which all files of an agent's run are named."""
    return f"{agent.name}_rollouts"
