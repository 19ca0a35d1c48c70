"""Write simulated runs from the command line: `python -m examples.office OUT`."""

import argparse
import json
from pathlib import Path

from examples.office.agents import AGENTS
from examples.office.simulation import simulate, stem_of


def main() -> None:
    """Write the runs and print a line about each."""
    options = _parser().parse_args()
    paths = simulate(
        options.out,
        agents=options.agents,
        tasks=options.tasks,
        repeats=options.repeats,
        seed=options.seed,
        wrong_gold=options.wrong_gold,
        observability=options.observability,
    )
    print(f"{'run':<24} {'tasks':>5} {'rollouts':>8} {'pass@1':>7}")
    for name in options.agents:
        print(_summary(options.out, name, options.tasks))
    print(f"{len(paths)} files in {options.out}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m examples.office", description=__doc__)
    parser.add_argument("out", type=Path, help="the directory to write into")
    parser.add_argument("--agents", nargs="+", choices=sorted(AGENTS), default=["steady", "hasty"], metavar="NAME")
    parser.add_argument("--tasks", type=int, default=60)
    parser.add_argument("--repeats", type=int, default=4)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--wrong-gold", type=float, default=0.0, help="share of questions with a wrong gold")
    parser.add_argument("--observability", action="store_true", help="add ng_trajectory and ng_perf to the rows")
    return parser


def _summary(out: Path, agent: str, tasks: int) -> str:
    stem = stem_of(AGENTS[agent])
    aggregate = json.loads((out / f"{stem}_aggregate_metrics.json").read_text(encoding="utf-8"))
    groups = aggregate[0]["group_level_metrics"]
    rollouts = sum(group["num_rollouts"] for group in groups)
    score = sum(group["mean/reward"] for group in groups) / len(groups)
    return f"{stem:<24} {tasks:>5} {rollouts:>8} {score:>7.1%}"


if __name__ == "__main__":
    main()
