"""A simulated benchmark: an office assistant with real databases and agents of known faults.

`simulate` writes the artifacts of NeMo Gym runs together with the truth about every rollout.
"""

from functools import partial

from examples import theatre
from examples.office.agents import AGENTS, USUAL_DECOYS
from examples.office.decoys import DECOYS
from examples.office.families import FAMILIES
from examples.office.faults import FAULTS
from examples.office.tasks import OfficeMaker
from examples.office.vocabularies import BUREAU, OFFICE
from examples.theatre import Agent, Benchmark, Exposure

BENCHMARK = Benchmark(
    name="office",
    what="An office assistant works on databases: a directory, a calendar, mail, boards and expenses.",
    families=FAMILIES,
    maker=OfficeMaker,
    vocabularies={"office": OFFICE, "bureau": BUREAU},
    faults=FAULTS,
    decoys=DECOYS,
    agents=AGENTS,
    usual_decoys=USUAL_DECOYS,
    lapses=("unreliable_knowledge", "skipped_lookup", "early_stop"),
    removable=("mail_forward",),
)

simulate = partial(theatre.simulate, BENCHMARK)
play = partial(theatre.play, BENCHMARK)
generate_tasks = BENCHMARK.tasks

__all__ = ["AGENTS", "BENCHMARK", "DECOYS", "FAULTS", "Agent", "Exposure", "generate_tasks", "play", "simulate"]
