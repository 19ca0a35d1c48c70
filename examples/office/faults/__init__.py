"""Faults of agents and of their surroundings, each with the truth about it.

`FAULTS` holds every fault by name. Where several would strike one rollout, the first in this
order decides: what the surroundings break, then what the benchmark gets wrong, then limits,
conduct, arguments and knowledge.
"""

from examples.office.faults import surroundings  # noqa: I001  the order is the precedence
from examples.office.faults import benchmark
from examples.office.faults import limits
from examples.office.faults import conduct
from examples.office.faults import arguments
from examples.office.faults import knowledge
from examples.office.faults.registry import CONTRAST, FAILED, FAULTS, NOT_MEASURED, SIGNALS, Fault, fault

__all__ = [
    "CONTRAST",
    "FAILED",
    "FAULTS",
    "NOT_MEASURED",
    "SIGNALS",
    "Fault",
    "arguments",
    "benchmark",
    "conduct",
    "fault",
    "knowledge",
    "limits",
    "surroundings",
]
