"""Agents: named profiles of a model with a skill, faults at given rates, and harmless habits."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Exposure:
    """How often a fault strikes: at `rate` per rollout, on a share of the tasks.

    Which tasks belong to the share is fixed for an agent and a fault; where it is `common`, for
    the fault alone, so that all agents meet the same hard tasks. `category` narrows them down
    to one category.
    """

    rate: float
    share: float = 1.0
    category: str | None = None
    common: bool = False


@dataclass(frozen=True, slots=True)
class Agent:
    """A scripted agent. At skill 1 and without faults it passes every task.

    A lower skill adds occasional lapses, more of them on hard tasks. Its run may differ from
    others in its set-up: `without_tools` are not given to it, `renamed_tools` go by another name
    than it is used to, `reworded` is the share of tasks whose prompt has other words, and
    `duplicated` the share of rows that its run wrote twice.
    """

    name: str
    model: str
    skill: float = 1.0
    faults: Mapping[str, Exposure] = field(default_factory=dict)
    decoys: Mapping[str, float] = field(default_factory=dict)
    temperature: float = 0.7
    without_tools: tuple[str, ...] = ()
    reworded: float = 0.0
    renamed_tools: tuple[str, ...] = ()
    duplicated: float = 0.0

    def parameters(self) -> dict[str, Any]:
        """Return everything that decides how the agent acts, ready for JSON."""
        return {
            "name": self.name,
            "model": self.model,
            "skill": self.skill,
            "temperature": self.temperature,
            "without_tools": self.without_tools,
            "reworded": self.reworded,
            "renamed_tools": self.renamed_tools,
            "duplicated": self.duplicated,
            "faults": {name: asdict(exposure) for name, exposure in self.faults.items()},
            "decoys": dict(self.decoys),
        }
