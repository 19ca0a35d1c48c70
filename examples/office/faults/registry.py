"""What a fault is, and the registry in which all of them stand."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from examples.office.script import Script
from examples.office.tasks import Task

Strike = Callable[[Script, Task, random.Random], Script | None]

FAILED = "failed"
NOT_MEASURED = "not_measured"

SIGNALS = "signals"
CONTRAST = "contrast"


@dataclass(frozen=True, slots=True)
class Fault:
    """One way in which a rollout goes wrong, with the truth about it.

    `strike` returns the changed script, or None where the fault has nothing to strike: a task
    without a date has no wrong year. `outcome` is what becomes of every rollout that it
    strikes, None for a fault that leaves the result alone. `other_owners` could act on it too.
    An `inherent` fault lies in the task or the tools as given: it strikes wherever it can,
    whoever the agent is. `stage` says what it takes to find it: the signals of one rollout, or
    a contrast with other rollouts, runs or expected values.
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


FAULTS: dict[str, Fault] = {}


def fault(
    cause: str,
    owner: str,
    *,
    outcome: str | None = FAILED,
    other_owners: tuple[str, ...] = (),
    inherent: bool = False,
    stage: str = SIGNALS,
) -> Callable[[Strike], Strike]:
    """Register the function below as the fault of that name; its docstring says what it does."""

    def register(strike: Strike) -> Strike:
        what = (strike.__doc__ or "").strip()
        name = strike.__name__
        FAULTS[name] = Fault(name, what, cause, owner, outcome, strike, other_owners, inherent, stage)
        return strike

    return register
