"""A simulated benchmark: an office assistant with real databases and agents of known faults.

`simulate` writes the artifacts of NeMo Gym runs together with the truth about every rollout.
"""

from examples.office.agents import AGENTS, Agent, Exposure
from examples.office.decoys import DECOYS
from examples.office.faults import FAULTS, Fault
from examples.office.simulation import play, simulate
from examples.office.tasks import Task, generate_tasks

__all__ = [
    "AGENTS",
    "DECOYS",
    "FAULTS",
    "Agent",
    "Exposure",
    "Fault",
    "Task",
    "generate_tasks",
    "play",
    "simulate",
]
