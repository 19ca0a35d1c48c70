"""The usual agents of the repair."""

from examples.theatre.agents import Agent, Exposure

USUAL_DECOYS = {
    "reads_log": 0.2,
    "reads_errors": 0.2,
    "mended_mistake": 0.15,
    "wordy_start": 0.25,
    "repeated_look": 0.2,
    "warned": 0.2,
}

_GAPS = {"knowledge_gap": Exposure(1.0, share=0.12), "unreliable_knowledge": Exposure(0.3, share=0.3)}

_PROFILES = (
    Agent("perfect", "oracle-1", skill=1.0),
    Agent("steady", "granite-code-40b", skill=0.85, faults=_GAPS, decoys=USUAL_DECOYS),
    Agent(
        "hasty",
        "granite-code-40b-fast",
        skill=0.8,
        faults={
            **_GAPS,
            "untested": Exposure(0.25),
            "tests_ignored": Exposure(0.15),
            "skipped_lookup": Exposure(0.1),
        },
        decoys=USUAL_DECOYS,
    ),
    Agent(
        "wordy",
        "granite-code-40b-think",
        skill=0.85,
        faults={
            "truncated": Exposure(0.15),
            "alternating_loop": Exposure(0.15),
            "context_overflow": Exposure(0.08),
            "agent_timeout": Exposure(0.05),
        },
        decoys={**USUAL_DECOYS, "wordy_start": 0.8},
    ),
    Agent(
        "rig-trouble",
        "granite-code-40b",
        skill=0.85,
        faults={
            **_GAPS,
            "backend_down": Exposure(0.08),
            "mislabelled_crash": Exposure(0.06),
            "rollout_lost": Exposure(0.05),
            "flaky_tests": Exposure(0.1),
            "failed_attempt": Exposure(0.05),
        },
        decoys=USUAL_DECOYS,
    ),
    Agent("cheat", "granite-code-7b", skill=0.7, faults={"answers_copied": Exposure(0.4)}, decoys=USUAL_DECOYS),
)

AGENTS: dict[str, Agent] = {agent.name: agent for agent in _PROFILES}
