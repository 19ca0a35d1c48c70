"""Whether the benchmark and its runs can be trusted as measurements: one module for each check, found by being here."""
