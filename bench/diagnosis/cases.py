"""The cases: which fault is planted where, how often, in runs of which size; and how a case is played."""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from bench.diagnosis.truth import Truth, read_truth
from examples import office

WORLDS: Final[dict[str, ModuleType]] = {"office": office}
BASELINE, CANDIDATE = "baseline", "candidate"
NOISE, OFFSET = "noise", "offset"

SIZES: Final = ((40, 4), (120, 1), (40, 8), (120, 4), (40, 1), (120, 8))
QUICK_SIZES: Final = ((40, 4),)

BACKGROUND: Final = {"knowledge_gap": (1.0, 0.15), "unreliable_knowledge": (0.35, 0.4)}
"""Natural difficulty, the same tasks for both runs: faults with their rate and their share of the tasks."""

EXPOSURES: Final = ((0.7, 0.7), (1.0, 0.4), (0.5, 1.0))
"""Rate and share of a planted fault, taken in turn."""

UNMEASURED: Final = ((0.3, 1.0), (0.5, 0.6), (0.2, 1.0))
"""The same for a fault that leaves rollouts unmeasured: most tasks keep some that are measured."""

OFFSETS: Final = (("truncated", "knowledge_gap"), ("early_stop", "misjudged"))
"""Pairs of faults: the baseline has the first, the candidate the second."""


@dataclass(frozen=True, slots=True)
class Case:
    """Two runs of one world, and what differs between them.

    `faults` maps each run to the fault planted in it. Noise has none; an offsetting case has one in each run.
    """

    kind: str
    stage: str
    world: str
    tasks: int
    repeats: int
    seed: int
    faults: tuple[tuple[str, str], ...] = ()
    rate: float = 0.0
    share: float = 0.0
    wordier: bool = False

    @property
    def name(self) -> str:
        where = "+".join(f"{fault}@{run}" for run, fault in self.faults) or NOISE
        return f"{self.world} {where} {self.tasks}x{self.repeats} seed {self.seed}"


def grid(*, stage: str = "all", quick: bool = False, seeds: int = 1) -> Iterator[Case]:
    """Yield the cases: every kind in every world and size, then noise, then offsetting pairs."""
    sizes = QUICK_SIZES if quick else SIZES
    for world, module in WORLDS.items():
        for number, fault in enumerate(_planted_kinds(module, stage)):
            for place, (tasks, repeats) in enumerate(sizes):
                for seed in range(seeds):
                    yield _planted(world, fault, tasks, repeats, number + place, seed)
        if stage in ("all", "signals"):
            yield from _unplanted(world, sizes, 2 * seeds)
            yield from _offsetting(world, sizes, seeds)


def _planted_kinds(module: ModuleType, stage: str) -> Iterator[Any]:
    for fault in module.FAULTS.values():
        if fault.outcome is not None and stage in ("all", fault.stage):
            yield fault


def _planted(world: str, fault: Any, tasks: int, repeats: int, turn: int, seed: int) -> Case:
    exposures = UNMEASURED if fault.outcome == "not_measured" else EXPOSURES
    rate, share = exposures[turn % len(exposures)]
    if fault.cause in ("KG", "UK"):
        rate, share = (1.0, 0.7) if fault.cause == "KG" else (0.45, 1.0)
    return Case(
        kind=fault.name,
        stage=fault.stage,
        world=world,
        tasks=tasks,
        repeats=repeats,
        seed=100 + 17 * seed + turn,
        faults=((BASELINE if turn % 4 == 3 else CANDIDATE, fault.name),),
        rate=rate,
        share=share,
        wordier=turn % 2 == 1,
    )


def _unplanted(world: str, sizes: Sequence[tuple[int, int]], seeds: int) -> Iterator[Case]:
    for tasks, repeats in sizes:
        for seed in range(seeds):
            yield Case(NOISE, "signals", world, tasks, repeats, 500 + seed, wordier=seed % 2 == 1)


def _offsetting(world: str, sizes: Sequence[tuple[int, int]], seeds: int) -> Iterator[Case]:
    known = WORLDS[world].FAULTS
    for first, second in OFFSETS:
        if first in known and second in known:
            for tasks, repeats in sizes:
                for seed in range(seeds):
                    faults = ((BASELINE, first), (CANDIDATE, second))
                    stage = max(known[first].stage, known[second].stage, key=["signals", "contrast"].index)
                    yield Case(OFFSET, stage, world, tasks, repeats, 900 + seed, faults, rate=0.8, share=0.8)


def play(case: Case, directory: Path) -> tuple[list[Path], Truth]:
    """Simulate both runs and return their rollouts files, the baseline first, and the truth, which is kept apart."""
    module = WORLDS[case.world]
    runs, truths = directory / "runs", directory / "truth"
    agents = [_agent(case, module, run) for run in (BASELINE, CANDIDATE)]
    module.simulate(
        runs, agents=agents, tasks=case.tasks, repeats=case.repeats, seed=case.seed, **_benchmark(case, module)
    )
    truths.mkdir(exist_ok=True)
    for path in [*runs.glob("*truth.json*")]:
        shutil.move(path, truths / path.name)
    told = [read_truth(truths / f"{run}_rollouts_truth.jsonl") for run in (BASELINE, CANDIDATE)]
    return [runs / f"{run}_rollouts.jsonl" for run in (BASELINE, CANDIDATE)], Truth(*told)


def _agent(case: Case, module: ModuleType, run: str) -> Any:
    planted = dict(case.faults).get(run)
    exposures = {name: module.Exposure(rate, share, common=True) for name, (rate, share) in BACKGROUND.items()}
    lacking: tuple[str, ...] = ()
    if planted == "tool_missing":
        lacking = module.REMOVABLE_TOOLS
    elif planted is not None and not module.FAULTS[planted].inherent:
        # What a model does not know it knows in no repeat.
        rate = 1.0 if module.FAULTS[planted].cause == "KG" else case.rate
        exposures[planted] = module.Exposure(rate, case.share, common=True)
    decoys = dict(module.USUAL_DECOYS)
    if run == CANDIDATE and case.wordier:
        decoys = {name: min(0.9, 2.5 * rate) for name, rate in decoys.items()}
    return module.Agent(run, f"model-{run}", faults=exposures, decoys=decoys, without_tools=lacking)


def _benchmark(case: Case, module: ModuleType) -> dict[str, Any]:
    """Return what the benchmark itself is like: enough tasks that the faults can strike, and its own faults."""
    every = module.families_struck("truncated")
    struck = [module.families_struck(fault) for _, fault in case.faults]
    favoured = {family for families in struck if families != every for family in families}
    wrong_gold = 0.3 if any(fault == "wrong_gold" for _, fault in case.faults) else 0.0
    return {"favoured": sorted(favoured), "wrong_gold": wrong_gold}
