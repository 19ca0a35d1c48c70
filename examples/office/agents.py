"""The usual agents of the office."""

from examples.theatre.agents import Agent, Exposure

USUAL_DECOYS = {
    "needless_search": 0.25,
    "mended_mistake": 0.15,
    "wordy_start": 0.3,
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
        decoys=USUAL_DECOYS,
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
        decoys=USUAL_DECOYS,
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
        decoys=USUAL_DECOYS,
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
        decoys=USUAL_DECOYS,
    ),
    Agent("short-handed", "marble-70b", skill=0.85, decoys=USUAL_DECOYS, without_tools=("mail_forward",)),
    Agent(
        "misread",
        "marble-70b",
        skill=0.85,
        faults={"misjudged": Exposure(0.25), "judged_by_form": Exposure(0.5)},
        decoys=USUAL_DECOYS,
        reworded=0.1,
    ),
)

AGENTS: dict[str, Agent] = {agent.name: agent for agent in _PROFILES}
