"""The usual agents of the completion."""

from examples.theatre.agents import Agent, Exposure

USUAL_DECOYS = {"wordy_start": 0.3, "long_thought": 0.2}

_PROFILES = (
    Agent("perfect", "oracle-1", skill=1.0),
    Agent(
        "careful",
        "basalt-14b",
        skill=0.95,
        faults={
            "knowledge_gap": Exposure(1.0, share=0.2, category="parsing"),
            "edge_forgotten": Exposure(0.25, share=0.3),
        },
        decoys=USUAL_DECOYS,
    ),
    Agent(
        "quick",
        "basalt-14b-lite",
        skill=0.9,
        faults={
            "truncated": Exposure(0.08),
            "answer_unmarked": Exposure(0.08),
            "renamed": Exposure(0.6, share=0.15),
            "edge_forgotten": Exposure(0.7, share=0.45),
            "knowledge_gap": Exposure(1.0, share=0.2, category="parsing"),
        },
        decoys=USUAL_DECOYS,
    ),
)

AGENTS: dict[str, Agent] = {agent.name: agent for agent in _PROFILES}
