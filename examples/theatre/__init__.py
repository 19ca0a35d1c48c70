"""What all simulated worlds share: scripts, faults, agents, vocabularies, the play, and the files it leaves.

A world says what its tasks and tools are; everything here treats every world alike.
"""

from examples.theatre.agents import Agent, Exposure
from examples.theatre.benchmark import Benchmark, families_struck
from examples.theatre.simulation import play, simulate
from examples.theatre.vocabulary import Vocabulary

__all__ = [
    "Agent",
    "Benchmark",
    "Exposure",
    "Vocabulary",
    "families_struck",
    "play",
    "simulate",
]
