"""Every rollout held against the calls that its benchmark expects."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from blade.explain.cases import Cases
from blade.explain.conduct import Conduct
from blade.explain.contrast import last_steps
from blade.explain.divergence import Reference, divergences
from blade.explain.expected_calls import ExpectedCalls, expected_calls
from blade.explain.habits import WHOLE, Habits
from blade.explain.patterns import Shown

_TAUGHT_BY = 4
"""Passes of a task that habits are learned from."""


class Expectations:
    """The calls that are expected of each task, and what was learned of rollouts that pass."""

    def __init__(self, cases: Cases, found: ExpectedCalls) -> None:
        self.cases, self.found = cases, found
        self.conduct = Conduct.of(cases)
        self.habits = Habits(self.conduct)
        self.codes = {
            task: [self.conduct.add(tool, arguments) for tool, arguments in calls]
            for task, calls in found.by_task.items()
        }
        self.tools = {self.conduct.call(code).tool for codes in self.codes.values() for code in codes}
        held = np.flatnonzero(cases.measured & np.isin(cases.task, list(self.codes)))
        self.conduct.load(self.conduct.codes(held, failed=True).tolist())
        self.held: list[int] = held.tolist()
        self._learn()

    @staticmethod
    def of(cases: Cases) -> "Expectations | None":
        """What is expected of these rollouts; None where no field says so."""
        return next(iter(cases.once(_made)), None)

    def _learn(self) -> None:
        """Learn from passes which arguments have to be those that are expected."""
        taught: Counter[int] = Counter()
        for case in self.held:
            task = int(self.cases.task[case])
            if self.cases.passed[case] and taught[task] < _TAUGHT_BY and self.codes[task]:
                taught[task] += 1
                own = [each.code for each in self.conduct.of_case(case) if not each.failed]
                named = [code for code in own if self.conduct.call(code).tool in self.tools]
                self.habits.learn(named, self.codes[task], WHOLE // _TAUGHT_BY)

    def shown(self) -> Iterator[Shown]:
        """Where each rollout leaves what is expected of it."""
        last = last_steps(self.cases)
        varies = np.bincount(self.cases.stratum[self.cases.passed], minlength=int(self.cases.stratum.max()) + 1) > 0
        for case in self.held:
            codes = self.codes[int(self.cases.task[case])]
            own = [each for each in self.conduct.of_case(case) if self.conduct.call(each.code).tool in self.tools]
            due = _Due(Counter(map(self.habits.signature, codes)))
            reference = Reference(codes, due.is_made, due.is_not_due)
            found = divergences(self.conduct, self.habits, own, int(last[case]), reference)
            passes = self.cases.passed[case]
            if passes or varies[self.cases.stratum[case]]:
                yield Shown(case, found, within=True)
            if passes or not varies[self.cases.stratum[case]]:
                yield Shown(case, found, within=False)


class _Due(NamedTuple):
    """The calls that are expected, by their signatures, and how often."""

    times: Counter[int]

    def is_made(self, signature: int, before: int) -> bool:
        return before < self.times[signature]

    def is_not_due(self, signature: int, before: int) -> bool:
        return before >= self.times[signature]


def _made(cases: Cases) -> Iterator[Expectations]:
    tools = cases.store.connection.execute("SELECT DISTINCT tool FROM actions WHERE tool IS NOT NULL").fetchall()
    found = expected_calls(cases, [tool for (tool,) in tools])
    if found:
        yield Expectations(cases, found)
