"""A simulated benchmark: a function is completed from its signature, judged by base tests and further plus tests.

`simulate` writes the artifacts of NeMo Gym runs together with the truth about every rollout. What the agents write is
run, and the verdicts are those of the tests.
"""

from functools import partial

from examples import theatre
from examples.completion.agents import AGENTS, USUAL_DECOYS
from examples.completion.families import FAMILIES
from examples.completion.faults import FAULTS
from examples.completion.tasks import CompletionMaker
from examples.completion.vocabularies import SHEET
from examples.theatre import Agent, Benchmark, Exposure
from examples.theatre.decoys import long_thought, wordy_start

BENCHMARK = Benchmark(
    name="completion",
    what="Functions are completed from a signature and a docstring; base tests and plus tests judge them.",
    families=FAMILIES,
    maker=CompletionMaker,
    vocabularies={"sheet": SHEET},
    faults=FAULTS,
    decoys={habit.__name__: habit for habit in (wordy_start, long_thought)},
    agents=AGENTS,
    usual_decoys=USUAL_DECOYS,
    lapses=("edge_forgotten",),
)

simulate = partial(theatre.simulate, BENCHMARK)
play = partial(theatre.play, BENCHMARK)
generate_tasks = BENCHMARK.tasks

__all__ = ["AGENTS", "BENCHMARK", "FAULTS", "Agent", "Exposure", "generate_tasks", "play", "simulate"]
