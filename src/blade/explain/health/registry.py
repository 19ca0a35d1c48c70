"""The checks of a benchmark's health. A new check is a module here with a function that `@check` registers.

A check gives findings, and none where the evidence is thin: a benchmark is not blamed on suspicion alone.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from blade import numbers
from blade.explain.cases import Cases
from blade.explain.records import Finding
from blade.measure.panel import Numbers
from blade.measure.run import Settings
from blade.vocabulary import HEALTH_KINDS

if TYPE_CHECKING:
    from blade.scan.store import Store


class Subject(NamedTuple):
    """What is checked: all rollouts of all runs, and how they are measured."""

    cases: Cases
    settings: Settings = Settings()
    by_id: bool = False

    def task_names(self, tasks: Iterable[int] | Numbers) -> list[str]:
        """The names of tasks, each as the first run that has it calls it, in the order of the runs."""
        wanted = set(np.asarray(list(tasks), dtype=np.int64).tolist())
        return [name for task, name in self._names().items() if task in wanted]

    def _names(self) -> dict[int, str]:
        found: dict[int, str] = {}
        for run, panel in enumerate(self.cases.panels):
            numbered = self.cases.task[self.cases.of_run(run)]
            for task, name in zip(numbered.tolist(), map(panel.tasks.__getitem__, panel.task.tolist()), strict=True):
                found.setdefault(task, name)
        return found

    def refs(self, cases: Iterable[int] | Numbers, steps: Iterable[int] | None = None) -> list[str]:
        """The refs of rollouts, at their steps where some are given."""
        chosen = np.asarray(list(cases), dtype=np.int64)
        return self.cases.refs(chosen, list(steps) if steps is not None else [-1] * len(chosen))


Check = Callable[[Subject], Iterable[Finding]]

_CHECKS: Final[dict[str, Check]] = {}


def check(kind: str) -> Callable[[Check], Check]:
    """Register a function as the check for findings of this kind, a word of `vocabulary.HEALTH_KINDS`."""

    def register(find: Check) -> Check:
        if kind not in HEALTH_KINDS or kind in _CHECKS:
            raise ValueError(f"{kind} is no kind of finding, or has a check already")
        _CHECKS[kind] = find
        return find

    return register


@cache
def all_checks() -> dict[str, Check]:
    """Every check by its kind, in the order of the vocabulary."""
    from blade.explain import health

    for module in sorted(found.name for found in pkgutil.iter_modules(health.__path__)):
        importlib.import_module(f"{health.__name__}.{module}")
    return {kind: _CHECKS[kind] for kind in HEALTH_KINDS if kind in _CHECKS}


def examine(store: "Store", settings: Settings | None = None, *, by_id: bool = False) -> list[Finding]:
    """Everything that all checks find in the runs of a store."""
    settings = settings or Settings()
    runs = [summary.run for summary in store.summaries]
    cases = Cases.of(store, runs, settings.rule, by_id=by_id, profile=settings.profile)
    return findings(Subject(cases, settings, by_id))


def findings(subject: Subject) -> list[Finding]:
    """Everything that all checks find, kind by kind."""
    return [finding for find in all_checks().values() for finding in find(subject)]


def named(names: list[str], most: int = 5) -> str:
    """Some names, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def tasks(count: int) -> str:
    """`1 task`, `2 tasks`."""
    return numbers.counted(count, "task")


def rollouts(count: int) -> str:
    """`1 rollout`, `2 rollouts`."""
    return numbers.counted(count, "rollout")
