"""Faults of the office's agents and of their surroundings, each with the truth about it.

`FAULTS` holds every fault by name. Where several would strike one rollout, the first in this
order decides: what the surroundings break, then what the benchmark gets wrong, then limits,
conduct, arguments and knowledge.
"""

from examples.office.faults import arguments, excess
from examples.theatre.faults import Fault, benchmark, collected, conduct, knowledge, limits, surroundings

FAULTS: dict[str, Fault] = collected(surroundings, benchmark, limits, conduct, excess, arguments, knowledge)

__all__ = ["FAULTS"]
