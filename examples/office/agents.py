"""Agents: named profiles of a model with a skill, faults at given rates, and harmless habits."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from examples.office.decoys import DECOYS
from examples.office.faults import FAULTS
from examples.office.tools import TOOLS


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


USUAL_DECOYS: Mapping[str, float] = {
    "needless_search": 0.25,
    "mended_mistake": 0.15,
    "wordy_start": 0.3,
}


@dataclass(frozen=True, slots=True)
class Agent:
    """A scripted agent. At skill 1 and without faults it passes every task.

    A lower skill adds occasional lapses, more of them on hard tasks. Its run may differ from
    others in its set-up: `without_tools` are not given to it, and `reworded` is the share of
    tasks whose prompt has other words. Raises ValueError for a fault, a decoy or a tool that
    is in no registry.
    """

    name: str
    model: str
    skill: float = 1.0
    faults: Mapping[str, Exposure] = field(default_factory=dict)
    decoys: Mapping[str, float] = field(default_factory=lambda: USUAL_DECOYS)
    temperature: float = 0.7
    without_tools: tuple[str, ...] = ()
    reworded: float = 0.0

    def __post_init__(self) -> None:
        foreign_tools = set(self.without_tools) - set(TOOLS)
        unknown = sorted((self.faults.keys() - FAULTS) | (self.decoys.keys() - DECOYS) | foreign_tools)
        if unknown:
            raise ValueError(f"agent {self.name}: not in the registry: {', '.join(unknown)}")

    def parameters(self) -> dict[str, Any]:
        """Return everything that decides how the agent acts, ready for JSON."""
        return {
            "name": self.name,
            "model": self.model,
            "skill": self.skill,
            "temperature": self.temperature,
            "without_tools": self.without_tools,
            "reworded": self.reworded,
            "faults": {name: asdict(exposure) for name, exposure in self.faults.items()},
            "decoys": dict(self.decoys),
        }


_PROFILES = (
    Agent("perfect", "oracle-1", skill=1.0, decoys={}),
    Agent(
        "steady",
        "marble-70b",
        skill=0.85,
        faults={
            "knowledge_gap": Exposure(1.0, share=0.25, category="knowledge"),
            "unreliable_knowledge": Exposure(0.35, share=0.4, category="questions"),
            "wrong_unit": Exposure(0.3, share=0.5),
        },
    ),
    Agent(
        "hasty",
        "marble-70b-turbo",
        skill=0.85,
        faults={
            "wrong_year": Exposure(0.45, category="calendar"),
            "skipped_lookup": Exposure(0.3, share=0.6),
            "early_stop": Exposure(0.5, category="combined"),
            "knowledge_gap": Exposure(1.0, share=0.25, category="knowledge"),
        },
    ),
    Agent(
        "wordy",
        "marble-70b-verbose",
        skill=0.85,
        faults={
            "truncated": Exposure(0.2),
            "loop": Exposure(0.25, category="mail"),
            "agent_timeout": Exposure(0.05),
            "context_overflow": Exposure(0.04),
        },
        decoys={**USUAL_DECOYS, "wordy_start": 0.8},
    ),
    Agent(
        "rig-trouble",
        "marble-70b",
        skill=0.85,
        faults={
            "knowledge_gap": Exposure(1.0, share=0.25, category="knowledge"),
            "unreliable_knowledge": Exposure(0.35, share=0.4, category="questions"),
            "wrong_unit": Exposure(0.3, share=0.5),
            "backend_down": Exposure(0.08),
            "connection_reset": Exposure(0.04),
            "provider_out": Exposure(0.05),
            "rollout_lost": Exposure(0.04),
            "judge_failed": Exposure(0.15),
            "failed_attempt": Exposure(0.05),
        },
    ),
    Agent(
        "careless",
        "gravel-8b",
        skill=0.5,
        faults={
            "false_claim": Exposure(0.12),
            "no_recovery": Exposure(0.1),
            "wrong_key": Exposure(0.4, category="board"),
            "unknown_tool": Exposure(0.08),
            "empty_answer": Exposure(0.05),
            "refusal": Exposure(0.04),
            "wrong_person": Exposure(0.2),
            "overreach": Exposure(0.05),
            "answer_unmarked": Exposure(0.15),
        },
    ),
    Agent("short-handed", "marble-70b", skill=0.85, without_tools=("mail_forward",)),
    Agent(
        "misread",
        "marble-70b",
        skill=0.85,
        faults={"misjudged": Exposure(0.25), "judged_by_form": Exposure(0.5)},
        reworded=0.1,
    ),
)

AGENTS: dict[str, Agent] = {agent.name: agent for agent in _PROFILES}
