"""How fast runs are measured and compared once they are scanned.

    python -m bench.measuring [--rounds 5]

On one core, the fastest of several rounds: the bootstrap and the tests on counts alone, beside scipy's; then whole
`metrics` and `compare` of simulated runs, from the store to the verdict.
"""

import argparse
import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # one core: before NumPy is imported

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import blade
from blade.measure.multiplicity import simultaneous_intervals
from blade.measure.permutation import sign_flip_counts
from blade.measure.power import difference_variance, minimum_detectable
from blade.measure.resampling import bootstrap_means

TASKS, REPEATS, RESAMPLES = 1_000, 8, 10_000


def fastest(work: Callable[[], Any], rounds: int) -> float:
    """Seconds of the fastest round."""
    best = float("inf")
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - started)
    return best


def counts(seed: int) -> tuple[Any, Any]:
    """Passed and measured rollouts of the tasks of one run."""
    generator = np.random.default_rng(seed)
    rates = np.random.default_rng(0).random(TASKS)
    return generator.binomial(REPEATS, rates), np.full(TASKS, REPEATS)


def on_counts(rounds: int) -> dict[str, float]:
    """What is computed from the counts of two runs."""
    from scipy.stats import bootstrap

    (passed_a, measured_a), (passed_b, measured_b) = counts(1), counts(2)
    shares = np.column_stack((passed_a / measured_a, passed_b / measured_b))
    differences = shares[:, 1] - shares[:, 0]
    terms = np.random.default_rng(3).uniform(-0.2, 0.2, (TASKS, 12))

    def by_scipy() -> None:
        bootstrap((differences,), np.mean, n_resamples=RESAMPLES, method="percentile", batch=500)

    pair = (passed_a, measured_a, passed_b, measured_b)
    return {
        "10,000 paired resamples of both runs": fastest(
            lambda: bootstrap_means(shares, resamples=RESAMPLES, seed=1), rounds
        ),
        "scipy.stats.bootstrap, 10,000 of the difference": fastest(by_scipy, rounds),
        "simultaneous intervals of 12 terms": fastest(
            lambda: simultaneous_intervals(terms, seed=1, resamples=RESAMPLES), rounds
        ),
        "exact sign-flip test": fastest(lambda: sign_flip_counts(*pair), rounds),
        "minimum detectable difference": fastest(
            lambda: minimum_detectable(difference_variance(*pair) or exit("no variance")), rounds
        ),
    }


def write_run(path: Path, seed: int) -> None:
    """A rollouts file of TASKS × REPEATS rows with a short trajectory and some fields."""
    passed, measured = counts(seed)
    with path.open("w", encoding="utf-8") as file:
        for task in range(TASKS):
            for repeat in range(int(measured[task])):
                row = {
                    "_ng_task_index": task,
                    "_ng_rollout_index": repeat,
                    "responses_create_params": {"input": [{"role": "user", "content": f"Question {task}?"}]},
                    "response": {"output": [{"type": "message", "role": "assistant", "content": "An answer."}]},
                    "reward": float(repeat < passed[task]),
                    "category": f"kind {task % 10}",
                    "level": task % 3,
                    "extracted_answer": str(repeat < passed[task]),
                }
                file.write(json.dumps(row) + "\n")


def on_runs(rounds: int, directory: Path) -> dict[str, float]:
    """Whole verbs, once the runs are scanned."""
    paths = [directory / "a_rollouts.jsonl", directory / "b_rollouts.jsonl"]
    for seed, path in enumerate(paths, start=1):
        write_run(path, seed)
    with blade.load(paths, blade.Options(workers=1)) as store:
        return {
            "metrics of both runs, from the store": fastest(lambda: blade.metrics(store), rounds),
            "compare, from the store": fastest(lambda: blade.compare(store), rounds),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory(prefix="blade-bench-") as name:
        found = on_counts(rounds) | on_runs(rounds, Path(name))
    print(f"{TASKS:,} tasks × {REPEATS} repeats, one core")
    for what, seconds in found.items():
        print(f"  {what:50}{1000 * seconds:10,.1f} ms")


if __name__ == "__main__":
    main()
