"""A simulated benchmark: questions without tools, answers in a demanded form, a verifier that compares.

`simulate` writes the artifacts of NeMo Gym runs together with the truth about every rollout.
"""

from functools import partial

from examples import theatre
from examples.quiz.agents import AGENTS, USUAL_DECOYS
from examples.quiz.decoys import DECOYS
from examples.quiz.families import FAMILIES
from examples.quiz.faults import FAULTS
from examples.quiz.tasks import QuizMaker
from examples.quiz.vocabularies import EXAM, TRIAL
from examples.theatre import Agent, Benchmark, Exposure

BENCHMARK = Benchmark(
    name="quiz",
    what="Questions are answered without tools, in a form that the prompt demands.",
    families=FAMILIES,
    maker=QuizMaker,
    vocabularies={"exam": EXAM, "trial": TRIAL},
    faults=FAULTS,
    decoys=DECOYS,
    agents=AGENTS,
    usual_decoys=USUAL_DECOYS,
    lapses=("unreliable_knowledge", "instruction_missed"),
)

simulate = partial(theatre.simulate, BENCHMARK)
play = partial(theatre.play, BENCHMARK)
generate_tasks = BENCHMARK.tasks

__all__ = ["AGENTS", "BENCHMARK", "DECOYS", "FAULTS", "Agent", "Exposure", "generate_tasks", "play", "simulate"]
