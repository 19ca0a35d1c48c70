"""A package drafted from runs: rollouts without what is private, profile, skill, golden reports and companions."""
