"""How often the intervals cover what they say: simulated runs whose truth is known.

    python -m bench.coverage [--simulations 10000] [--seed 1] [--workers 2] [--write FILE]

Tasks are drawn from a distribution of difficulty, rollouts from the tasks; an interval of 95 % should hold
the truth in 95 % of the simulations. Prints a table, and with `--write bench/coverage.json` keeps the figures.
"""

import argparse
import json
import math
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blade.measure import intervals

Floats = npt.NDArray[np.float64]
Bounds = tuple[Floats, Floats]

LEVEL = 0.95
TASKS = (20, 50, 100, 500)
REPEATS = (1, 4, 8)
_CHUNK = 2_000_000

METHODS = {
    "shares": "Wilson's score interval at the effective number of tasks, t for z, one more task counted",
    "paired": "Student's t, one more task counted",
    "these tasks": "Wilson's score interval at the effective number of rollouts, what may be missed counted",
    "means": "Student's t with Hall's correction for skewness",
    "ratios": "percentiles of a bootstrap over tasks, moved outwards as t is from z",
}


class Shape(NamedTuple):
    """A distribution over tasks: how to draw from it, and its mean."""

    draw: Callable[[np.random.Generator, tuple[int, ...]], Floats]
    mean: float


def _beta(a: float, b: float) -> Shape:
    return Shape(lambda generator, size: generator.beta(a, b, size), a / (a + b))


SHAPES = {
    "Beta(1, 1)": _beta(1, 1),
    "Beta(.5, .5)": _beta(0.5, 0.5),
    "Beta(2, 2)": _beta(2, 2),
    "Beta(.2, 2)": _beta(0.2, 2),
    "half easy, half hard": Shape(lambda generator, size: np.where(generator.random(size) < 0.5, 0.95, 0.05), 0.5),
}


def lifted(rates: Floats, shape: Shape, difference: float, _: np.random.Generator) -> Floats:
    """A candidate that is better everywhere: the share h of all failures is repaired, p + h (1 - p).

    The mean difference is h (1 - mean), exactly; the true difference varies over tasks by h² Var(p).
    """
    return rates + difference / (1.0 - shape.mean) * (1.0 - rates)


def solved(rates: Floats, shape: Shape, difference: float, generator: np.random.Generator) -> Floats:
    """A candidate that is better at few tasks: a random share g of the tasks is always passed, the others as before.

    The mean difference is g (1 - mean), exactly; it varies over tasks by g E(1 - p)² - g² (1 - mean)².
    """
    chosen = generator.random(rates.shape) < difference / (1.0 - shape.mean)
    return np.where(chosen, 1.0, rates)


Candidate = Callable[[Floats, Shape, float, np.random.Generator], Floats]

CANDIDATES: dict[str, tuple[Candidate, float]] = {
    "the same policy": (lifted, 0.0),
    "15 % of all failures repaired": (lifted, 0.15),
    "10 % of the tasks solved": (solved, 0.10),
    "3 % of the tasks solved": (solved, 0.03),
}
"""Second runs, with the share that is repaired or solved."""

SKEWED = {
    "normal": Shape(lambda generator, size: generator.normal(0.0, 1.0, size), 0.0),
    "exponential": Shape(lambda generator, size: generator.exponential(1.0, size), 1.0),
    "lognormal, sigma 0.5": Shape(lambda generator, size: generator.lognormal(0.0, 0.5, size), math.exp(0.125)),
    "lognormal, sigma 1": Shape(lambda generator, size: generator.lognormal(0.0, 1.0, size), math.exp(0.5)),
}
"""Per-task means without bounds, with their true mean."""


class Cell(NamedTuple):
    """One figure to find: which interval, and of what."""

    interval: str
    shape: str
    tasks: int
    repeats: int = 1
    candidate: str = ""


def cells() -> Iterator[Cell]:
    """The grid."""
    for shape in SHAPES:
        for tasks in TASKS:
            for repeats in REPEATS:
                yield Cell("shares", shape, tasks, repeats)
                yield from (Cell("paired", shape, tasks, repeats, candidate) for candidate in CANDIDATES)
                if repeats > 1:
                    yield Cell("these tasks", shape, tasks, repeats)
            yield Cell("ratios", shape, tasks, 4)
    for name in SKEWED:
        yield from (Cell("means", name, tasks) for tasks in TASKS)


def _shares(cell: Cell, generator: np.random.Generator, count: int) -> tuple[Bounds, Floats | float]:
    shape = SHAPES[cell.shape]
    rates = shape.draw(generator, (count, cell.tasks))
    seen = generator.binomial(cell.repeats, rates) / cell.repeats
    return _known(intervals.share_bounds(seen, level=LEVEL)), shape.mean


def _paired(cell: Cell, generator: np.random.Generator, count: int) -> tuple[Bounds, Floats | float]:
    shape, (candidate, share) = SHAPES[cell.shape], CANDIDATES[cell.candidate]
    difference = share * (1.0 - shape.mean)
    rates = shape.draw(generator, (count, cell.tasks))
    others = candidate(rates, shape, difference, generator)
    seen = generator.binomial(cell.repeats, others) - generator.binomial(cell.repeats, rates)
    return _known(intervals.paired_bounds(seen / cell.repeats, level=LEVEL)), difference


def _these_tasks(cell: Cell, generator: np.random.Generator, count: int) -> tuple[Bounds, Floats | float]:
    rates = SHAPES[cell.shape].draw(generator, (count, cell.tasks))
    seen = generator.binomial(cell.repeats, rates) / cell.repeats
    spread = seen * (1.0 - seen) / (cell.repeats - 1)
    return intervals.these_tasks_bounds(spread, seen, level=LEVEL), rates.mean(axis=-1)


def _means(cell: Cell, generator: np.random.Generator, count: int) -> tuple[Bounds, Floats | float]:
    draw, mean = SKEWED[cell.shape]
    return _known(intervals.mean_bounds(draw(generator, (count, cell.tasks)), level=LEVEL)), mean


def _ratios(cell: Cell, generator: np.random.Generator, count: int) -> tuple[Bounds, Floats | float]:
    """The cost of a solved rollout, where hard tasks cost more: a rollout costs 2 - p on average, lognormal."""
    shape = SHAPES[cell.shape]
    low, high = np.empty(count), np.empty(count)
    for number in range(count):
        rates = shape.draw(generator, (cell.tasks,))
        passed = generator.binomial(cell.repeats, rates)
        costs = (2.0 - rates) * generator.lognormal(-0.125, 0.5, (cell.repeats, cell.tasks)).sum(axis=0)
        found = intervals.ratio_interval(costs, passed, seed=number, level=LEVEL, resamples=1000)
        low[number], high[number] = found or (0.0, np.inf)
    return (low, high), (2.0 - shape.mean) / shape.mean


SIMULATED = {"shares": _shares, "paired": _paired, "these tasks": _these_tasks, "means": _means, "ratios": _ratios}
SLOW = {"ratios": 10}
"""Intervals that are simulated so many times less often."""


def _known(bounds: Bounds | None) -> Bounds:
    assert bounds is not None
    return bounds


def cover(work: tuple[int, Cell, int, int]) -> dict[str, Any]:
    """The share of simulations whose interval holds the truth, and the mean width of the interval."""
    number, cell, simulations, seed = work
    generator = np.random.default_rng([seed, number])
    simulations //= SLOW.get(cell.interval, 1)
    held, width, chunk = 0, 0.0, max(1, _CHUNK // cell.tasks)
    for begin in range(0, simulations, chunk):
        (low, high), truth = SIMULATED[cell.interval](cell, generator, min(chunk, simulations - begin))
        held += int(((low <= truth + 1e-12) & (truth - 1e-12 <= high)).sum())
        width += float((high - low).sum())
    found = {name: value for name, value in cell._asdict().items() if value != ""}
    mean_width = round(width / simulations, 4) if math.isfinite(width) else None
    return {**found, "coverage": round(held / simulations, 4), "width": mean_width, "simulations": simulations}


def measure(simulations: int, seed: int, workers: int) -> dict[str, Any]:
    """All figures, with what is needed to find them again."""
    work = [(number, cell, simulations, seed) for number, cell in enumerate(cells())]
    with ProcessPoolExecutor(workers) as pool:
        found = list(pool.map(cover, work, chunksize=1))
    error = math.sqrt(LEVEL * (1 - LEVEL) / simulations)
    return {
        "seed": seed, "simulations": simulations, "level": LEVEL, "standard_error": round(error, 5),
        "methods": METHODS, "cells": found,
    }  # fmt: skip


def report(figures: dict[str, Any]) -> Iterator[str]:
    """The figures as a table: a line for each shape and number of tasks, a column for each number of repeats."""
    yield f"{figures['simulations']:,} simulations, standard error {figures['standard_error']:.2%}, coverage in %"
    lines: dict[tuple[str, ...], dict[int, float]] = {}
    for cell in figures["cells"]:
        key = (cell["interval"], cell.get("candidate", ""), cell["shape"], str(cell["tasks"]))
        lines.setdefault(key, {})[cell["repeats"]] = 100 * cell["coverage"]
    yield f"{'':67}{'tasks':>6}" + "".join(f"{repeats:>7}" for repeats in REPEATS)
    for (interval, candidate, shape, tasks), shown in sorted(lines.items(), key=lambda line: line[0][:3]):
        columns = "".join(f"{shown[repeats]:7.1f}" if repeats in shown else " " * 7 for repeats in REPEATS)
        yield f"{interval:13}{candidate:32}{shape:22}{tasks:>6}{columns}"


def write(figures: dict[str, Any], path: Path) -> None:
    """One line a cell, so that a change shows which."""
    head = {name: value for name, value in figures.items() if name != "cells"}
    lines = ",\n".join(f"  {json.dumps(cell)}" for cell in figures["cells"])
    path.write_text(json.dumps(head, indent=1)[:-2] + f',\n "cells": [\n{lines}\n ]\n}}\n')


def run(
    description: str, simulations: int, measure: Callable[[int, int, int], dict[str, Any]],
    report: Callable[[dict[str, Any]], Iterable[str]],
) -> None:  # fmt: skip
    """The command line that both simulations share."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=simulations, help="How many for each figure.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--write", type=Path, help="A JSON file for the figures.")
    arguments = parser.parse_args()
    figures = measure(arguments.simulations, arguments.seed, arguments.workers)
    if arguments.write:
        write(figures, arguments.write)
    print("\n".join(report(figures)))


def main() -> None:
    run(__doc__ or "", 10_000, measure, report)


if __name__ == "__main__":
    main()
