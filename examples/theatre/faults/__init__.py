"""Faults that can strike in any world, each with the truth about it.

A world collects the modules that suit it, and its own; where several faults would strike one
rollout, the first in its collection decides. A fault that finds nothing to strike in a world
does no harm there.
"""

from examples.theatre.faults.registry import CONTRAST, FAILED, NOT_MEASURED, PASSED, SIGNALS, Fault, collected, fault

__all__ = ["CONTRAST", "FAILED", "NOT_MEASURED", "PASSED", "SIGNALS", "Fault", "collected", "fault"]
