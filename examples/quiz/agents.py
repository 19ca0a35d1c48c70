"""The usual agents of the quiz."""

from examples.theatre.agents import Agent, Exposure

USUAL_DECOYS = {"warns_of_error": 0.2, "doubts": 0.25, "wordy_start": 0.3, "long_thought": 0.2}

_GAPS = {"knowledge_gap": Exposure(1.0, share=0.25, category="facts"), "unreliable_knowledge": Exposure(0.3, share=0.4)}

_PROFILES = (
    Agent("perfect", "oracle-1", skill=1.0),
    Agent("steady", "pebble-30b", skill=0.85, faults=_GAPS, decoys=USUAL_DECOYS),
    Agent(
        "hasty",
        "pebble-30b-flash",
        skill=0.8,
        faults={
            **_GAPS,
            "wrong_year": Exposure(0.6),
            "answer_unmarked": Exposure(0.15),
            "instruction_missed": Exposure(0.4),
        },
        decoys=USUAL_DECOYS,
    ),
    Agent(
        "wordy",
        "pebble-30b-think",
        skill=0.85,
        faults={"truncated": Exposure(0.2), "thoughts_alone": Exposure(0.08), "second_thoughts": Exposure(0.1)},
        decoys={**USUAL_DECOYS, "long_thought": 0.7},
    ),
    Agent(
        "rig-trouble",
        "pebble-30b",
        skill=0.85,
        faults={
            **_GAPS,
            "rollout_lost": Exposure(0.05),
            "judge_failed": Exposure(0.1),
            "verifier_error": Exposure(0.1),
        },
        decoys=USUAL_DECOYS,
    ),
)

AGENTS: dict[str, Agent] = {agent.name: agent for agent in _PROFILES}
