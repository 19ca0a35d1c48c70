"""Why a task of a run fails: the cause of most of what it fails by, how sure that is, and what else it may be.

Mass is counted in rollouts, each of which has one mode. Where causes hold the same, the more telling mode decides, and
a cause that is known comes before one that is not.

How sure a label is: what the verdict, an ending or a tested pattern says, of three quarters of the task's failures at
least, is `high`. A behaviour that was only held against other tasks is at most `medium`; so is a wrong answer that
nothing else explains, and that only where the task was tried often enough. A suspicion about the task itself is `low`,
and so is what is not known. The runner-up is the cause with the next largest mass; where there is no other, the cause
that other modes would give which the same failures show as well.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from blade.explain.assign import Assigned
from blade.explain.cases import Cases
from blade.explain.guard import WITHIN
from blade.explain.mode import BEHAVIOUR, REST, Mode
from blade.explain.records import TaskLabel
from blade.explain.tiers.judgement import SUSPECTED
from blade.explain.tiers.wrong_answer import ENOUGH
from blade.measure import rates
from blade.measure.panel import Numbers

SURE: Final = 0.75
LIKELY: Final = 0.5
"""Shares of a task's failures that a cause has to hold, for its label to be sure, and to be likely."""

HIGH: Final = "high"
MEDIUM: Final = "medium"
LOW: Final = "low"

_UNKNOWN: Final = "unknown"


class Reason(NamedTuple):
    """Why some failing rollouts of a task fail."""

    mode: Mode
    of_cause: Numbers
    """The rollouts that have its cause."""
    share: float
    """Of all that fail or are not measured."""
    runner_up: str | None


class Labels:
    """The labels of the tasks of an analysis."""

    def __init__(self, cases: Cases, assigned: Assigned) -> None:
        self._cases, self._assigned = cases, assigned
        self._steps = assigned.steps()
        self._others: dict[int, list[int]] | None = None

    def of_run(self, run: int) -> Iterator[TaskLabel]:
        """A label for every task of a run; one without a cause for a task that does not fail."""
        panel, span = self._cases.panels[run], self._cases.of_run(run)
        own = np.arange(span.start, span.stop)
        firsts = np.searchsorted(panel.task, np.arange(len(panel.tasks) + 1))
        for task, name in enumerate(panel.tasks):
            passed, measured = int(panel.passed[task]), int(panel.measured[task])
            failing = own[firsts[task] : firsts[task + 1]]
            failing = failing[self._assigned.mode[failing] >= 0]
            found = self.reason(failing)
            bucket = rates.bucket_of(passed, measured)
            yield TaskLabel(
                run=panel.run,
                task=name,
                passed=passed,
                measured=measured,
                bucket=bucket,
                mode=found and found.mode.key,
                cause=found and found.mode.cause,
                confidence=found and self._confidence(found, passed, measured),
                runner_up=found and found.runner_up,
                rule=found and found.mode.rule,
                refs=self._cases.refs(found.of_cause, self._steps[found.of_cause].tolist()) if found else [],
            )

    def reason(self, failing: Numbers) -> Reason | None:
        """The mode that stands for most of some failing rollouts; None for none."""
        if not len(failing):
            return None
        numbers = self._assigned.mode[failing].tolist()
        counts = Counter(numbers)
        by_cause: Counter[str] = Counter()
        for number, count in counts.items():
            by_cause[self._cause(number)] += count
        first = min(by_cause, key=lambda cause: (-by_cause[cause], cause == _UNKNOWN, self._first(counts, cause)))
        number = min((each for each in counts if self._cause(each) == first), key=lambda each: (-counts[each], each))
        of_cause = failing[[self._cause(each) == first for each in numbers]]
        others = sorted((cause for cause in by_cause if cause != first), key=lambda cause: (-by_cause[cause], cause))
        runner_up = others[0] if others else self._also_shown(of_cause, first)
        return Reason(self._assigned.modes[number], of_cause, by_cause[first] / len(failing), runner_up)

    def _cause(self, number: int) -> str:
        return self._assigned.modes[number].cause

    def _first(self, counts: Counter[int], cause: str) -> int:
        """The most telling mode of a cause among some."""
        return min(number for number in counts if self._cause(number) == cause)

    def _also_shown(self, failing: Numbers, cause: str) -> str | None:
        """The cause of the accepted mode that most of some failures show beside their own, where it is another."""
        shown: Counter[int] = Counter()
        for case in failing.tolist():
            shown.update(self._shown_by.get(case, ()))
        told = [(-count, number) for number, count in shown.items() if self._assigned.tried[number].cause != cause]
        return self._assigned.tried[min(told)[1]].cause if told else None

    @property
    def _shown_by(self) -> dict[int, list[int]]:
        """Of each failing rollout the accepted modes that it shows, by their places among those that were tried."""
        if self._others is None:
            self._others = {}
            for number, mode in enumerate(self._assigned.tried):
                if mode.key in self._assigned.accepted and mode.cause != _UNKNOWN:
                    for case in mode.cases[~self._cases.passed[mode.cases]].tolist():
                        self._others.setdefault(case, []).append(number)
        return self._others

    def _confidence(self, found: Reason, passed: int, measured: int) -> str:
        mode = found.mode
        if mode.cause == _UNKNOWN or mode.key == SUSPECTED or found.share < LIKELY:
            return LOW
        if mode.proof == REST:
            return MEDIUM if found.share >= SURE and self._tried_enough(mode, passed, measured) else LOW
        if mode.proof == BEHAVIOUR and mode.association.by != WITHIN:
            return MEDIUM
        return HIGH if found.share >= SURE else MEDIUM

    def _tried_enough(self, mode: Mode, passed: int, measured: int) -> bool:
        """Whether tries tell what a wrong answer is: several of a gap, and a pass of what is unreliable."""
        return passed > 0 if mode.cause == "UK" else measured >= ENOUGH
