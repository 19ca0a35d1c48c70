"""The packages that the project ships: runs of simulated worlds with what the authors of those worlds know."""
