"""Write simulated runs of a world from the command line: `python -m examples.office OUT`."""

import argparse
import json
from pathlib import Path

from examples.theatre.benchmark import Benchmark
from examples.theatre.simulation import simulate, stem_of


def run(benchmark: Benchmark) -> None:
    """Write the runs and print a line about each."""
    options = _parser(benchmark).parse_args()
    paths = simulate(
        benchmark,
        options.out,
        agents=options.agents,
        tasks=options.tasks,
        repeats=options.repeats,
        seed=options.seed,
        wrong_gold=options.wrong_gold,
        observability=options.observability,
        vocabulary=options.vocabulary,
    )
    print(f"{'run':<24} {'tasks':>5} {'rollouts':>8} {'pass@1':>7}")
    for name in options.agents:
        print(_summary(options.out, stem_of(benchmark.agent(name)), options.tasks))
    print(f"{len(paths)} files in {options.out}")


def _parser(benchmark: Benchmark) -> argparse.ArgumentParser:
    program = f"python -m examples.{benchmark.name}"
    parser = argparse.ArgumentParser(prog=program, description=f"Write simulated runs. {benchmark.what}")
    names = sorted(benchmark.agents)
    parser.add_argument("out", type=Path, help="the directory to write into")
    usual, known = ["steady", "hasty"], ", ".join(names)
    parser.add_argument("--agents", nargs="+", choices=names, default=usual, metavar="NAME", help=f"among {known}")
    parser.add_argument("--tasks", type=int, default=60)
    parser.add_argument("--repeats", type=int, default=4)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--wrong-gold", type=float, default=0.0, help="share of questions with a wrong gold")
    parser.add_argument("--observability", action="store_true", help="add ng_trajectory and ng_perf to the rows")
    parser.add_argument("--vocabulary", choices=list(benchmark.vocabularies), help="the names and words of the runs")
    return parser


def _summary(out: Path, stem: str, tasks: int) -> str:
    """Return a line about a run: tasks, rows, and the mean over tasks of their rows' rewards."""
    lines = (out / f"{stem}.jsonl").read_text(encoding="utf-8").splitlines()
    rewards: dict[str, list[float]] = {}
    for row in map(json.loads, lines):
        task = json.dumps(row["responses_create_params"]["input"])
        rewards.setdefault(task, []).append(row["reward"])
    score = sum(sum(values) / len(values) for values in rewards.values()) / len(rewards)
    return f"{stem:<24} {tasks:>5} {len(lines):>8} {score:>7.1%}"
