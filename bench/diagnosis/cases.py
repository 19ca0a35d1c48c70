"""The cases: which fault is planted where, how often, in runs of which size; and how a case is played."""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench.diagnosis.truth import Truth, read_truth
from examples.theatre import Agent, Benchmark, Exposure, families_struck, simulate
from examples.theatre.faults import CONTRAST, NOT_MEASURED, SIGNALS, Fault
from examples.worlds import WORLDS

BASELINE, CANDIDATE = "baseline", "candidate"
NOISE, OFFSET = "noise", "offset"
DUPLICATES, CHANGED_PROMPTS, LEAK = "duplicates", "changed_prompts", "leak"

SPECIAL: Final = {DUPLICATES: "duplicates", CHANGED_PROMPTS: "changed prompt", LEAK: "leak"}
"""Kinds that are no fault of a rollout, and the health finding that must name their tasks."""

SIZES: Final = ((40, 4), (120, 1), (40, 8), (120, 4), (40, 1), (120, 8))
QUICK_SIZES: Final = ((40, 4),)

BACKGROUND: Final = {"knowledge_gap": (1.0, 0.15), "unreliable_knowledge": (0.35, 0.4)}
"""Natural difficulty, the same tasks for both runs: faults with their rate and their share of the tasks."""

DECOY_RATE: Final = 0.25
WORDIER: Final = 2.5
"""By how much a candidate that is wordier shows its decoys more often, in half of the cases."""

EXPOSURES: Final = ((0.7, 0.7), (1.0, 0.4), (0.5, 1.0))
"""Rate and share of a planted fault, taken in turn."""

UNMEASURED: Final = ((0.3, 1.0), (0.5, 0.6), (0.2, 1.0))
"""The same for a fault that leaves rollouts unmeasured: most tasks keep some that are measured."""

KNOWLEDGE: Final = {"KG": (1.0, 0.7), "UK": (0.45, 1.0)}
"""The same for what a model does not know: a gap is there in every repeat, and unreliable knowledge is not."""

OFFSETS: Final = (("truncated", "knowledge_gap"), ("early_stop", "misjudged"))
"""Pairs of faults: the baseline has the first, the candidate the second."""


@dataclass(frozen=True, slots=True)
class Case:
    """Two runs of one world, and what differs between them.

    `faults` pairs runs with the fault planted in each. Noise has none; an offsetting case has one in each run.
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
    vocabulary: str | None = None

    @property
    def name(self) -> str:
        where = "+".join(f"{fault}@{run}" for run, fault in self.faults) or self.kind
        world = self.world if self.vocabulary is None else f"{self.world}/{self.vocabulary}"
        return f"{world} {where} {self.tasks}x{self.repeats} seed {self.seed}"


@dataclass(frozen=True, slots=True)
class _Setting:
    """Where a case takes place."""

    world: str
    tasks: int
    repeats: int
    turn: int
    seed: int

    @property
    def vocabulary(self) -> str:
        names = list(WORLDS[self.world].vocabularies)
        return names[self.turn % len(names)]

    @property
    def indexed(self) -> bool:
        return WORLDS[self.world].vocabularies[self.vocabulary].indexed

    def case(self, kind: str, stage: str, first_seed: int, **more: Any) -> Case:
        return Case(
            kind,
            stage,
            self.world,
            self.tasks,
            self.repeats,
            first_seed + 17 * self.seed + self.turn,
            vocabulary=self.vocabulary,
            **more,
        )


def grid(*, stage: str = "all", quick: bool = False, seeds: int = 1) -> Iterator[Case]:
    """Yield the cases: every kind in every world and size, then noise, then offsetting pairs."""
    sizes = QUICK_SIZES if quick else SIZES
    for world in WORLDS:
        for case in _cases(world, sizes, seeds):
            if stage in ("all", case.stage):
                yield case


def _cases(world: str, sizes: Sequence[tuple[int, int]], seeds: int) -> Iterator[Case]:
    planted = [fault for fault in WORLDS[world].faults.values() if _can_be_planted(world, fault)]
    for number, fault in enumerate(planted):
        for setting in _settings(world, sizes, seeds, number):
            if setting.indexed or not fault.filed:
                yield _planted(setting, fault)
    for number, kind in enumerate(SPECIAL):
        for setting in _settings(world, sizes, seeds, number):
            if _struck(world, "wrong_gold") if kind == LEAK else setting.indexed:
                yield setting.case(kind, CONTRAST, 700, share=0.3)
    for setting in _settings(world, sizes, 2 * seeds, 0):
        yield setting.case(NOISE, SIGNALS, 500, wordier=setting.seed % 2 == 1)
    for number, pair in enumerate(OFFSETS):
        for setting in _settings(world, sizes, seeds, number):
            if all(fault in {one.name for one in planted} for fault in pair):
                yield _offsetting(setting, pair)


def _settings(world: str, sizes: Sequence[tuple[int, int]], seeds: int, number: int) -> Iterator[_Setting]:
    for place, (tasks, repeats) in enumerate(sizes):
        for seed in range(seeds):
            yield _Setting(world, tasks, repeats, number + place, seed)


def _can_be_planted(world: str, fault: Fault) -> bool:
    return fault.outcome is not None and bool(_struck(world, fault.name))


@cache
def _struck(world: str, fault: str) -> frozenset[str]:
    return frozenset(families_struck(WORLDS[world], fault))


def _planted(setting: _Setting, fault: Fault) -> Case:
    exposures = UNMEASURED if fault.outcome == NOT_MEASURED else EXPOSURES
    rate, share = KNOWLEDGE.get(fault.cause, exposures[setting.turn % len(exposures)])
    run = BASELINE if setting.turn % 4 == 3 else CANDIDATE
    return setting.case(
        fault.name,
        fault.stage,
        100,
        faults=((run, fault.name),),
        rate=rate,
        share=share,
        wordier=setting.turn % 2 == 1,
    )


def _offsetting(setting: _Setting, pair: tuple[str, str]) -> Case:
    first, second = (WORLDS[setting.world].faults[name] for name in pair)
    stage = CONTRAST if CONTRAST in (first.stage, second.stage) else SIGNALS
    faults = ((BASELINE, first.name), (CANDIDATE, second.name))
    return setting.case(OFFSET, stage, 900, faults=faults, rate=0.8, share=0.8)


class Played(NamedTuple):
    """The rollouts files of two runs, the baseline first, and the truth about them, which is kept apart."""

    paths: list[Path]
    truth: Truth


def play(case: Case, directory: Path) -> Played:
    """Simulate both runs of a case."""
    world = WORLDS[case.world]
    runs, truths = directory / "runs", directory / "truth"
    simulate(
        world,
        runs,
        agents=[_agent(case, world, run) for run in (BASELINE, CANDIDATE)],
        tasks=case.tasks,
        repeats=case.repeats,
        seed=case.seed,
        vocabulary=case.vocabulary,
        favoured=_favoured(case),
        wrong_gold=0.3 if case.kind == "wrong_gold" else 0.0,
        leaked=case.share if case.kind == LEAK else 0.0,
    )
    truths.mkdir(exist_ok=True)
    for path in [*runs.glob("*truth.json*")]:
        shutil.move(path, truths / path.name)
    told = [read_truth(truths / f"{run}_rollouts_truth.jsonl") for run in (BASELINE, CANDIDATE)]
    return Played([runs / f"{run}_rollouts.jsonl" for run in (BASELINE, CANDIDATE)], Truth(*told))


def _agent(case: Case, world: Benchmark, run: str) -> Agent:
    planted = dict(case.faults).get(run)
    exposures = {name: Exposure(rate, share, common=True) for name, (rate, share) in BACKGROUND.items()}
    if planted is not None and not world.faults[planted].inherent:
        # What a model does not know it knows in no repeat.
        rate = 1.0 if world.faults[planted].cause == "KG" else case.rate
        exposures[planted] = Exposure(rate, case.share, common=True)
    louder = WORDIER if run == CANDIDATE and case.wordier else 1.0
    return Agent(
        run,
        f"model-{run}",
        faults=exposures,
        decoys=dict.fromkeys(world.decoys, DECOY_RATE * louder),
        without_tools=world.removable if planted == "tool_missing" else (),
        renamed_tools=world.removable if planted == "tool_renamed" else (),
        reworded=case.share if (run, case.kind) == (CANDIDATE, CHANGED_PROMPTS) else 0.0,
        duplicated=case.share if (run, case.kind) == (CANDIDATE, DUPLICATES) else 0.0,
    )


def _favoured(case: Case) -> list[str]:
    """Return the families that the planted faults can strike, where those are not all: enough tasks shall be struck."""
    every = {family.name for family in WORLDS[case.world].families}
    struck = [_struck(case.world, fault) for _, fault in case.faults]
    if case.kind == LEAK:
        struck = [_struck(case.world, "knowledge_gap")]
    return sorted({family for families in struck if families != every for family in families})
