"""Every rollout held against the nearest other rollout of its task that passes.

A failing rollout is held against a pass, and a pass against another pass, so that what failures do otherwise can be
told from what rollouts do otherwise anyway. The nearest is the one that does most of the same; of two that are equally
near, the one of the same run.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from blade.detect.detectors import all_detectors
from blade.explain.cases import Cases
from blade.explain.conduct import Conduct, Did, signed_as
from blade.explain.divergence import Divergence, Reference, divergences
from blade.explain.habits import WHOLE, Habits

MOST_PARTNERS: Final = 12
"""Passes of a task that a rollout is held against, those of its own run first."""

_TAUGHT_BY: Final = 4
"""Passes of a task that habits are learned from."""

_TEACHING_TASKS: Final = 2_000
"""Tasks that habits are learned from, spread over all."""

_USUAL: Final = 0.75
"""Share of the other passes that make a call, from which on it belongs to the task."""

_TAMPERED: Final = """
SELECT DISTINCT file, row FROM signals WHERE standing = 'row' AND signal IN (SELECT unnest($signals))
"""
_LAST: Final = "SELECT file, row, (steps - 1)::BIGINT AS last FROM rollouts WHERE standing = 'row'"


Signed = frozenset[int]
"""The calls of a rollout, as numbers that stand for their signatures and how often each stood before."""


class Contrast(NamedTuple):
    """A rollout and the pass it is held against."""

    case: int
    partner: int
    divergences: list[Divergence]
    within: bool
    """Whether passes of its own run were there to hold it against, or those of other runs alone."""


class Contrasts:
    """The contrasts of an analysis."""

    def __init__(self, cases: Cases) -> None:
        self.cases = cases
        self.conduct = Conduct.of(cases)
        self.habits = Habits(self.conduct)
        self._did: dict[int, list[Did]] = {}
        self._last = last_steps(cases)
        self.tasks = [_Task(cases, members) for members in _with_passes(cases)]
        held = np.array([case for task in self.tasks for case in task.cases], dtype=np.int64)
        self.conduct.load(self.conduct.codes(held, failed=True).tolist())
        for task in self.tasks[:: max(1, len(self.tasks) // _TEACHING_TASKS)]:
            self._learn(task)
        self._signed = self.conduct.signed(self.habits.signatures(self.conduct.code, self.conduct.codes(held)))
        self.found = [found for task in self.tasks for found in self._of_task(task)]
        self._partners = {each.case: each.partner for each in reversed(self.found)}

    @staticmethod
    def of(cases: Cases) -> "Contrasts":
        """The contrasts of these rollouts, made once."""
        [found] = cases.once(_made)
        return found

    def partner_of(self, case: int) -> int | None:
        """The pass that a rollout is held against."""
        return self._partners.get(case)

    def did(self, case: int) -> list[Did]:
        """What a rollout did."""
        if case not in self._did:
            self._did[case] = self.conduct.of_case(case)
        return self._did[case]

    def _codes(self, case: int) -> list[int]:
        return [each.code for each in self.did(case) if not each.failed]

    def _learn(self, task: "_Task") -> None:
        """Learn from each of some passes and the one nearest to it."""
        teachers = task.passes[:_TAUGHT_BY]
        if len(teachers) < 2:
            return
        counted = {case: Counter(self._codes(case)) for case in teachers}
        for case in teachers:
            other = min(
                (each for each in teachers if each != case), key=lambda each: _apart(counted[case], counted[each])
            )
            self.habits.learn(self._codes(case), self._codes(other), WHOLE // len(teachers))

    def _of_task(self, task: "_Task") -> Iterator[Contrast]:
        """Every rollout of a task, held against what is at hand; passes also as failures of other tasks are.

        Where a run never passes a task, its failures are held against passes of other runs. What is usual for its
        rollouts in such a contrast, its passes of other tasks tell, when they are held against other runs as well.
        """
        signed = {case: frozenset(self._signed[case]) for case in task.cases}
        for case in task.cases:
            own, foreign = task.others(case)
            if own:
                yield self._contrast(case, own + foreign, signed, within=True)
            if foreign and (not own or case in task.passing):
                yield self._contrast(case, foreign, signed, within=False)

    def _contrast(self, case: int, others: list[int], signed: dict[int, Signed], *, within: bool) -> Contrast:
        partner = min(others[:MOST_PARTNERS], key=lambda each: len(signed[case] ^ signed[each]))
        found: list[Divergence] = []
        if signed[case] != signed[partner]:
            made = _Others(Counter(each for other in others for each in signed[other]), len(others))
            reference = Reference(self._codes(partner), made.usually_make, made.never_make)
            found = divergences(self.conduct, self.habits, self.did(case), int(self._last[case]), reference)
        return Contrast(case, partner, found, within)


def _made(cases: Cases) -> Iterator[Contrasts]:
    yield Contrasts(cases)


def _apart(first: Counter[int], second: Counter[int]) -> int:
    return sum(((first - second) + (second - first)).values())


class _Others(NamedTuple):
    """What the other passes of a task do."""

    makers: Counter[int]
    others: int

    def usually_make(self, signature: int, before: int) -> bool:
        return self.makers[signed_as(signature, before)] >= _USUAL * self.others

    def never_make(self, signature: int, before: int) -> bool:
        return not self.makers[signed_as(signature, before)]


class _Task:
    """The measured rollouts of one task over all runs."""

    def __init__(self, cases: Cases, members: Sequence[int]) -> None:
        self.cases = list(members)
        self.run = {case: int(cases.run[case]) for case in self.cases}
        self.passes = [case for case in self.cases if cases.passed[case]]
        self.passing = frozenset(self.passes)

    def others(self, case: int) -> tuple[list[int], list[int]]:
        """Passes to hold a rollout against: those of its own run, and those of other runs."""
        others = [each for each in self.passes if each != case]
        own = [each for each in others if self.run[each] == self.run[case]]
        return own, [each for each in others if self.run[each] != self.run[case]]


def _with_passes(cases: Cases) -> list[list[int]]:
    """The measured rollouts of each task that some rollout passes, less passes that should perhaps not count."""
    by_task: dict[int, list[int]] = defaultdict(list)
    doubtful = cases.passed & _tampered(cases)
    for case in np.flatnonzero(cases.measured & ~doubtful).tolist():
        by_task[int(cases.task[case])].append(case)
    passing = set(cases.task[cases.passed & ~doubtful].tolist())
    return [members for task, members in by_task.items() if task in passing and len(members) > 1]


def _tampered(cases: Cases) -> np.ndarray:
    """Rollouts that worked on the tests or the verifier, unless most do: then the benchmark works so."""
    signals = [row.name for row in all_detectors().values() if row.family == "tampering"]
    shown = cases.mask(cases.rows(_TAMPERED, signals=signals)[0])
    return shown if shown.sum() <= len(cases) / 2 else np.zeros(len(cases), dtype=bool)


def last_steps(cases: Cases) -> np.ndarray:
    """Of each rollout its last step; 0 where it has none."""
    case, found = cases.rows(_LAST)
    last = np.zeros(len(cases), dtype=np.int64)
    last[case] = np.maximum(found["last"].astype(np.int64), 0)
    return last
