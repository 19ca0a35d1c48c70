"""A simulated benchmark: an office assistant with real databases and agents of known faults.

`simulate` writes the artifacts of NeMo Gym runs together with the truth about every rollout.
"""

from examples.office.agents import AGENTS, USUAL_DECOYS, Agent, Exposure
from examples.office.decoys import DECOYS
from examples.office.directing import REMOVABLE_TOOLS, families_struck
from examples.office.faults import FAULTS, Fault
from examples.office.simulation import play, simulate
from examples.office.tasks import Task, generate_tasks

__all__ = [
    "AGENTS",
    "DECOYS",
    "FAULTS",
    "REMOVABLE_TOOLS",
    "USUAL_DECOYS",
    "Agent",
    "Exposure",
    "Fault",
    "Task",
    "families_struck",
    "generate_tasks",
    "play",
    "simulate",
]
