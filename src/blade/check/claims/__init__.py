"""Claims of a report: one module for each kind, from what is said to whether it is so."""
