"""A simulated benchmark: defects in small repositories, real edits, tests that really run.

`simulate` writes the artifacts of NeMo Gym runs together with the truth about every rollout.
"""

from functools import partial

from examples import theatre
from examples.repair.agents import AGENTS, USUAL_DECOYS
from examples.repair.decoys import DECOYS
from examples.repair.families import FAMILIES
from examples.repair.faults import FAULTS
from examples.repair.tasks import RepairMaker
from examples.repair.vocabularies import TERMINAL, WORKBENCH
from examples.theatre import Agent, Benchmark, Exposure

BENCHMARK = Benchmark(
    name="repair",
    what="A programmer mends defects in small repositories; its edits are made and its tests are run.",
    families=FAMILIES,
    maker=RepairMaker,
    vocabularies={"workbench": WORKBENCH, "terminal": TERMINAL},
    faults=FAULTS,
    decoys=DECOYS,
    agents=AGENTS,
    usual_decoys=USUAL_DECOYS,
    lapses=("unreliable_knowledge", "untested"),
    removable=("replace_text",),
)

simulate = partial(theatre.simulate, BENCHMARK)
play = partial(theatre.play, BENCHMARK)
generate_tasks = BENCHMARK.tasks

__all__ = ["AGENTS", "BENCHMARK", "DECOYS", "FAULTS", "Agent", "Exposure", "generate_tasks", "play", "simulate"]
