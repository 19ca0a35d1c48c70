"""Facts become findings: failure modes, their causes, and what a score change is made of."""
