"""Small runs whose failures are known: a row per rollout, made of what it does."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import blade
from blade.explain.analysis import explain
from blade.explain.records import Analysis, ModeShare, RunFailures
from tests.building import Row, call, here, message, result, row, write

Make = Callable[[int, int], Row]
"""The row of a task and a repeat."""


def passing(task: int, repeat: int, *steps: Any, **more: Any) -> Row:
    return row(
        *(steps or (message(f"The answer is {task}."),)), task=task, rollout=repeat, prompt=f"Task {task}", **more
    )


def failing(task: int, repeat: int, *steps: Any, **more: Any) -> Row:
    return passing(task, repeat, *(steps or (message("The answer is -7."),)), reward=0.0, **more)


def tried(output: Any, tool: str = "lookup", arguments: str = '{"key": "x"}') -> list[Row]:
    """A call and what came back."""
    return [call(tool, arguments), result(output)]


def run_of(path: Path, make: Make, *, tasks: int = 10, repeats: int = 4) -> Path:
    return write(path, (make(task, repeat) for task in range(tasks) for repeat in range(repeats)))


def explained(*paths: Path, baseline: str | None = None, **options: Any) -> Analysis:
    """What is said of some runs; compared, where there are several."""
    with blade.load(list(paths), here(**options)) as store:
        return explain(store, baseline=baseline, compared=len(paths) > 1)


def modes(run: RunFailures) -> dict[str, ModeShare]:
    return {mode.mode: mode for mode in run.modes}


def rollouts(refs: Iterable[str]) -> set[str]:
    """Refs without their steps."""
    return {ref.split("#")[0] for ref in refs}
