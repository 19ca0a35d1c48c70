"""Write, score and check everything, and print how it went: `python -m bench.scoring`."""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import blade
from bench.scoring.cases import BY_HAND, STYLES, Benchmark, about, by_hand
from bench.scoring.planted import Found, plant_and_check
from bench.scoring.tale import tale_of
from blade.check.calibrate import calibrate
from blade.check.claims.from_store import truth_of
from blade.check.claims.truth import Truth
from blade.check.scoring.score import Golden, score
from blade.report.composing import compose
from blade.report.findings import gather
from blade.report.markdown import render
from examples.worlds import WORLDS


class World(NamedTuple):
    name: str
    vocabulary: str
    agents: tuple[str, str]
    seed: int


RUNS = (
    World("office", "bureau", ("steady", "hasty"), 3),
    World("repair", "terminal", ("hasty", "rig-trouble"), 3),
    World("quiz", "trial", ("steady", "wordy"), 3),
)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench.scoring", description=__doc__)
    parser.add_argument("--tasks", type=int, default=30)
    parser.add_argument("--repeats", type=int, default=4)
    options = parser.parse_args()
    wrong = sum(_scores(by_hand(name)) for name in BY_HAND)
    with tempfile.TemporaryDirectory() as directory:
        for world in RUNS:
            place = Path(directory) / f"{world.name}-{world.vocabulary}"
            paths = _played(world, place, options.tasks, options.repeats)
            with blade.load(paths, blade.Options(workers=1)) as store:
                told, truth = tale_of(store, world.name.capitalize()), truth_of(store)
                wrong += sum(_scores(about(told, style)) for style in STYLES)
                reports = {style: write(told) for style, write in STYLES.items()}
                reports["the product's own"] = render(compose(gather(store, blade.Settings()), store))
                for style, report in reports.items():
                    _checks(f"{told.benchmark}, {style}", report, truth)
    sys.exit(int(wrong > 0))


def _played(world: World, place: Path, tasks: int, repeats: int) -> list[str]:
    from examples import theatre

    theatre.simulate(
        WORLDS[world.name],
        place,
        agents=list(world.agents),
        tasks=tasks,
        repeats=repeats,
        seed=world.seed,
        vocabulary=world.vocabulary,
    )
    return [str(place / f"{agent}_rollouts.jsonl") for agent in world.agents]


def _scores(benchmark: Benchmark) -> int:
    """Print the scores of one benchmark; the number of those that are not as they should be."""
    known = Golden(benchmark.golden, benchmark.facts)
    lines = benchmark.golden.count("\n")
    print(f"\n{benchmark.name}: {lines} lines, {len(benchmark.facts)} facts")
    wrong = 0
    for candidate in benchmark.candidates:
        found = score(candidate.text, known)
        holds = candidate.holds(found.final)
        wrong += not holds
        met = sum(hit.met for hit in found.hits)
        print(
            f"  {found.final:.3f}  {met:2d} met  {candidate.kind:14s} {candidate.name}{'' if holds else '   <-- WRONG'}"
        )
    controls = calibrate(benchmark.golden, benchmark.facts)
    print(f"  controls: {controls.note}")
    return wrong + (not controls.holds)


def _checks(name: str, report: str, truth: Truth) -> None:
    """Print how many claims hold, and how many planted errors are found."""
    found = [plant_and_check(report, truth, seed=seed) for seed in (1, 2, 3)]
    errors = sum(len(each.errors) for each in found)
    missed = sum(len(each.missed) for each in found)
    false = sum(each.false for each in found)
    kinds = "; ".join(_by_kind(found))
    print(f"  check of {name}: {errors - missed} of {errors} planted errors found, {false} false alarms ({kinds})")


def _by_kind(found: list[Found]) -> Iterator[str]:
    for kind in sorted({error.kind for each in found for error in each.errors}):
        whole = sum(error.kind == kind for each in found for error in each.errors)
        missed = sum(error.kind == kind for each in found for error in each.missed)
        yield f"{kind} {whole - missed}/{whole}"


if __name__ == "__main__":
    main()
