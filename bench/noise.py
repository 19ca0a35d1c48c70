"""How often a difference is claimed where there is none, and found where there is one.

    python -m bench.noise [--simulations 2000] [--seed 1] [--workers 2] [--write FILE]

False alarms: both runs come from one policy; p < 0.05 may be claimed in 5 % of the pairs. Power: the
candidate is truly better by the difference that such pairs state as their minimum detectable one, on average
(the fixed point of effect → stated effect); it should be found in 80 % of the pairs. Prints tables, and
with `--write bench/noise.json` keeps the figures.
"""

import math
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bench.coverage import REPEATS, SHAPES, TASKS, Candidate, lifted, run, solved
from blade.measure.multiplicity import simultaneous_intervals
from blade.measure.permutation import sign_flip_counts
from blade.measure.power import difference_variance, minimum_detectable

Counts = npt.NDArray[np.int64]

ALPHA, POWER = 0.05, 0.8
MODES = 8
_PILOT, _STEPS = 300, 8

METHODS = {
    "p": "paired sign-flip over tasks, exact on the lattice of differences",
    "minimum detectable": "t quantiles times the standard error, with the sign-flip's continuity correction",
    "terms": "max-|t| over a bootstrap of tasks, one more task counted",
}

CANDIDATES: dict[str, Candidate] = {"everywhere": lifted, "at few tasks": solved}
"""Where the candidate is better: see `bench.coverage` for why the mean difference is exact."""


class Cell(NamedTuple):
    """One figure to find. `of_second` are the repeats of the second run where they differ."""

    question: str
    shape: str
    tasks: int
    repeats: int
    candidate: str = ""
    of_second: int = 0


class Pair(NamedTuple):
    """The counts of two runs at the same tasks."""

    passed_a: Counts
    measured_a: Counts
    passed_b: Counts
    measured_b: Counts


def cells() -> Iterator[Cell]:
    """The grid."""
    for shape in SHAPES:
        for tasks in TASKS:
            yield Cell("false alarms", shape, tasks, 8, of_second=1)
            yield Cell("false alarms of terms", shape, tasks, 4)
            for repeats in REPEATS:
                yield Cell("false alarms", shape, tasks, repeats)
                yield from (Cell("power", shape, tasks, repeats, candidate) for candidate in CANDIDATES)


def pair(cell: Cell, difference: float, generator: np.random.Generator) -> Pair:
    """Two runs, the second of which is truly better by `difference` over tasks like these."""
    shape = SHAPES[cell.shape]
    rates = shape.draw(generator, (cell.tasks,))
    others = CANDIDATES[cell.candidate](rates, shape, difference, generator) if difference else rates
    first, second = cell.repeats, cell.of_second or cell.repeats
    return Pair(
        generator.binomial(first, rates), np.full(cell.tasks, first),
        generator.binomial(second, others), np.full(cell.tasks, second),
    )  # fmt: skip


def stated(cell: Cell, difference: float, generator: np.random.Generator, count: int) -> float:
    """The minimum detectable difference that pairs state on average; one that states none counts as 1."""
    total = 0.0
    for _ in range(count):
        variance = difference_variance(*pair(cell, difference, generator))
        least = minimum_detectable(variance, alpha=ALPHA, power=POWER) if variance else None
        total += 1.0 if least is None else least
    return total / count


def claimed(cell: Cell, difference: float, generator: np.random.Generator, count: int) -> float:
    """The share of pairs in which a difference is claimed."""
    return sum(sign_flip_counts(*pair(cell, difference, generator)) < ALPHA for _ in range(count)) / count


def false_alarms(cell: Cell, seed: list[int], count: int) -> dict[str, float]:
    return {"claimed": claimed(cell, 0.0, np.random.default_rng(seed), count)}


def detection(cell: Cell, seed: list[int], count: int) -> dict[str, float | None]:
    """Power at the effect that equals what pairs with this effect state; None where no effect does."""
    most = 0.999 * (1.0 - SHAPES[cell.shape].mean)
    in_noise = stated(cell, 0.0, np.random.default_rng(seed), _PILOT)
    effect = min(in_noise, most)
    for _ in range(_STEPS):
        effect = min(stated(cell, effect, np.random.default_rng(seed), _PILOT), most)
    if effect >= most:
        return {"effect": None, "stated in noise": round(in_noise, 4), "claimed": None}
    found = claimed(cell, effect, np.random.default_rng([*seed, 1]), count)
    return {"effect": round(effect, 4), "stated in noise": round(in_noise, 4), "claimed": found}


def false_alarms_of_terms(cell: Cell, seed: list[int], count: int) -> dict[str, float]:
    """The share of pairs in which any of eight modes of failure seems to have changed, at 95 % for all."""
    generator, alarms = np.random.default_rng(seed), 0
    usual = generator.dirichlet(np.ones(MODES))
    count //= 4
    for number in range(count):
        rates = SHAPES[cell.shape].draw(generator, (cell.tasks,))
        modes = generator.dirichlet(2.0 * usual + 0.02, cell.tasks)
        chances = np.column_stack(((1.0 - rates)[:, None] * modes, rates))
        chances /= chances.sum(axis=1, keepdims=True)
        first, second = (generator.multinomial(cell.repeats, chances)[:, :MODES] / cell.repeats for _ in range(2))
        found = simultaneous_intervals(first - second, seed=number, resamples=2000) or []
        alarms += any(low > 0 or high < 0 for low, high in found)
    return {"claimed": alarms / count}


ASKED = {"false alarms": false_alarms, "power": detection, "false alarms of terms": false_alarms_of_terms}


def answer(work: tuple[int, Cell, int, int]) -> dict[str, Any]:
    number, cell, simulations, seed = work
    found = ASKED[cell.question](cell, [seed, number], simulations)
    return {name: value for name, value in cell._asdict().items() if value} | found


def measure(simulations: int, seed: int, workers: int) -> dict[str, Any]:
    """All figures, with what is needed to find them again."""
    work = [(number, cell, simulations, seed) for number, cell in enumerate(cells())]
    with ProcessPoolExecutor(workers) as pool:
        found = list(pool.map(answer, work, chunksize=1))
    errors = {str(share): round(math.sqrt(share * (1 - share) / simulations), 5) for share in (ALPHA, POWER)}
    return {
        "seed": seed, "simulations": simulations, "alpha": ALPHA, "power": POWER, "standard_errors": errors,
        "simulations_of_terms": simulations // 4, "methods": METHODS, "cells": found,
    }  # fmt: skip


def report(figures: dict[str, Any]) -> Iterator[str]:
    """The figures as lines: every cell, in % claimed, with the effect in points where there is one."""
    errors = figures["standard_errors"]
    yield f"{figures['simulations']:,} pairs for each figure, claimed in %; standard errors {errors}"
    for cell in sorted(figures["cells"], key=lambda cell: (cell["question"], cell.get("candidate", ""))):
        repeats = f"{cell['repeats']}" + (f" and {cell['of_second']}" if "of_second" in cell else "")
        share = "-" if cell["claimed"] is None else f"{100 * cell['claimed']:.1f}"
        line = f"{cell['question']:22}{cell.get('candidate', ''):13}{cell['shape']:22}"
        line += f"{cell['tasks']:>4}{repeats:>8}{share:>7}"
        if "effect" in cell:
            effect = "-" if cell["effect"] is None else f"{100 * cell['effect']:.1f}"
            line += f"  effect {effect}, stated in noise {100 * cell['stated in noise']:.1f}"
        yield line


def main() -> None:
    run(__doc__ or "", 2000, measure, report)


if __name__ == "__main__":
    main()
