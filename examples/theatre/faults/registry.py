"""What a fault is, and how the faults of a world are collected."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

from examples.theatre.script import Script
from examples.theatre.tasks import Task

Strike = Callable[[Script, Task, random.Random], Script | None]

PASSED = "passed"
FAILED = "failed"
NOT_MEASURED = "not_measured"

SIGNALS = "signals"
CONTRAST = "contrast"


@dataclass(frozen=True, slots=True)
class Fault:
    """One way in which a rollout goes wrong, with the truth about it.

    `strike` returns the changed script, or None where the fault has nothing to strike: a task
    without a date has no wrong year. `outcome` is what becomes of every rollout that it
    strikes, None for a fault that leaves the result alone, and `passed` for a pass that should
    not count. `other_owners` could act on it too. An `inherent` fault lies in the task or the
    tools as given: it strikes wherever it can, whoever the agent is. `stage` says what it takes
    to find it: the signals of one rollout, or a contrast with other rollouts, runs or expected
    values. `finding` is the kind of health finding that must name its tasks, where the fault is
    the benchmark's own. A fault that is `filed` shows in the failures file alone.
    """

    name: str
    what: str
    cause: str
    owner: str
    outcome: str | None
    strike: Strike
    other_owners: tuple[str, ...] = ()
    inherent: bool = False
    stage: str = SIGNALS
    finding: str | None = None
    filed: bool = False


def fault(
    cause: str,
    owner: str,
    *,
    outcome: str | None = FAILED,
    other_owners: tuple[str, ...] = (),
    inherent: bool = False,
    stage: str = SIGNALS,
    finding: str | None = None,
    filed: bool = False,
) -> Callable[[Strike], Fault]:
    """Make a fault of the function below, which gives it its name and, by its docstring, its description."""

    def make(strike: Strike) -> Fault:
        return Fault(
            name=strike.__name__,
            what=(strike.__doc__ or "").strip(),
            cause=cause,
            owner=owner,
            outcome=outcome,
            strike=strike,
            other_owners=other_owners,
            inherent=inherent,
            stage=stage,
            finding=finding,
            filed=filed,
        )

    return make


def collected(*modules: ModuleType) -> dict[str, Fault]:
    """Return the faults of modules by name, in the order of the modules and of the functions in each."""
    faults = [found for module in modules for found in vars(module).values() if isinstance(found, Fault)]
    return {found.name: found for found in faults}
