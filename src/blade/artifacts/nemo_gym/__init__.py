"""NeMo Gym: what its evaluations leave behind, and how a row of it becomes a rollout."""
