"""Places of a report that others lead to; the same in every report, since they are made of what they stand for."""

from blade.report.visible import slug


def mode_anchor(mode: str) -> str:
    """Where a failure mode is described."""
    return f"mode-{slug(mode)}"


def dive_anchor(run: str, task: str) -> str:
    """Where a task is looked into."""
    return f"dive-{slug(run)}-{slug(task)}"


def comparison_anchor(candidate: str) -> str:
    """Where a candidate is held against the baseline."""
    return f"against-{slug(candidate)}"
