"""Run notes in plain English: what an operator would write down after the run."""

from collections.abc import Iterator, Sequence

from examples.theatre.rollouts import Rollout

UNEVENTFUL = "Nothing out of the ordinary happened."


def run_notes(run: str, rollouts: Sequence[Rollout]) -> str:
    """Return the notes of a run as Markdown."""
    remarks = [*_missing(rollouts), *_retried(rollouts), *_masked(rollouts)]
    listed = "\n".join(f"- {remark}" for remark in remarks or [UNEVENTFUL])
    return f"# Notes on {run}\n\n{_set_up(rollouts)}\n\n{listed}\n"


def _set_up(rollouts: Sequence[Rollout]) -> str:
    agent = rollouts[0].agent
    tasks = len({rollout.task.index for rollout in rollouts})
    present = sum(rollout.in_main_file for rollout in rollouts)
    return (
        f"Agent `{agent.name}`, model `{agent.model}`, temperature {agent.temperature}. "
        f"{tasks} tasks, {len(rollouts)} rollouts owed, {present} rows in the main file."
    )


def _missing(rollouts: Sequence[Rollout]) -> Iterator[str]:
    groups: dict[str, list[Rollout]] = {}
    for rollout in rollouts:
        if not rollout.in_main_file:
            last = rollout.direction.script.failed_attempts[-1]
            groups.setdefault(last.failure_class, []).append(rollout)
    for failure_class, missing in sorted(groups.items()):
        yield (
            f"{len(missing)} rollouts have no row in the main file; their last attempt in the "
            f"failures file is of class `{failure_class}` ({_keys(missing)})."
        )


def _retried(rollouts: Sequence[Rollout]) -> Iterator[str]:
    retried = [r for r in rollouts if r.in_main_file and r.direction.script.failed_attempts]
    if retried:
        yield (
            f"{len(retried)} rollouts failed at first for want of a server and came through "
            f"when the run was resumed ({_keys(retried)})."
        )


def _masked(rollouts: Sequence[Rollout]) -> Iterator[str]:
    masked = [r for r in rollouts if r.direction.script.marks.get("mask_sample")]
    if masked:
        yield (f"{len(masked)} rollouts are masked because the model's provider went away ({_keys(masked)}).")


def _keys(rollouts: Sequence[Rollout]) -> str:
    return ", ".join(f"{rollout.task.index}:{rollout.repeat}" for rollout in rollouts)
