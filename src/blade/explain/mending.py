"""What tasks would score without a failure mode: how much of the score it costs, and what a fix would give back.

All that a mode's failures cost bounds what mending it can give. The guarded estimate asks what the same tasks score
without it: of each task, every rollout that shows the mode, passing ones too, is replaced by the task's rollouts that
do not. Were only the failing ones replaced, whatever goes with failure by chance would look like its cause. Failures
that a more telling mode decides stay what they are. A task whose every rollout shows the mode tells nothing of itself:
there the reference run speaks, where there is one, else nothing is gained.

Two kinds of modes are counted otherwise. Where the verdict itself is at fault, mending it turns those very rollouts
into passes. And a wrong answer that nothing else explains is no conduct that one could leave out: only the reference
run can say what such tasks would score.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from blade.explain.assign import Assigned
from blade.explain.cases import Cases
from blade.explain.mode import REST, Mode
from blade.explain.tiers.judgement import DIFFERENTLY, STRICT
from blade.measure.outcomes import NOT_MEASURED
from blade.measure.panel import Numbers, share

MENDED_BY_A_VERDICT: Final = (DIFFERENTLY, STRICT)


class Side(NamedTuple):
    """The rollouts of one run that count, task by task of the run that is to be fixed."""

    case: Numbers
    task: Numbers
    """Of each rollout the place of its task among the tasks of the run that is to be fixed."""
    passed: Numbers
    tasks: int

    def rate(self, chosen: Numbers) -> Numbers:
        """Of each task the share of passes among some of its rollouts; NaN for none."""
        counts = np.bincount(self.task[chosen], minlength=self.tasks)
        return share(np.bincount(self.task[chosen & self.passed], minlength=self.tasks), counts)

    def mean(self, values: Numbers, chosen: Numbers) -> Numbers:
        """Of each task the mean of a value over some of its rollouts that have one; NaN for none."""
        known = chosen & ~np.isnan(values)
        counts = np.bincount(self.task[known], minlength=self.tasks)
        return share(np.bincount(self.task[known], weights=values[known], minlength=self.tasks), counts)

    def shows(self, cases: Numbers) -> Numbers:
        return np.isin(self.case, cases)


class Mending:
    """One run as it is, and as it would be without some of its modes."""

    def __init__(self, cases: Cases, assigned: Assigned, run: int) -> None:
        self.cases, self.assigned, self.run = cases, assigned, run
        self.reference = self._chosen_reference()
        self._sides: dict[tuple[int, bool], Side] = {}
        self.tasks = [np.unique(cases.task[self._rollouts(run, as_failed=each)]) for each in (False, True)]

    def _chosen_reference(self) -> int | None:
        """The run that speaks for tasks that always show a mode: the baseline, or for the baseline the best other."""
        others = [run for run in range(len(self.cases.panels)) if run != self.run]
        if not others:
            return None
        if self.run != 0:
            return 0
        return max(others, key=lambda run: (float(_some(self.cases.panels[run].shares).mean()), -run))

    def _rollouts(self, run: int, *, as_failed: bool) -> Numbers:
        span = self.cases.of_run(run)
        own = np.arange(span.start, span.stop)
        return own if as_failed else own[self.cases.measured[own]]

    def side(self, run: int, *, as_failed: bool) -> Side:
        """The rollouts of a run over the tasks of the run that is to be fixed."""
        if (run, as_failed) not in self._sides:
            tasks = self.tasks[as_failed]
            own = self._rollouts(run, as_failed=as_failed)
            own = own[np.isin(self.cases.task[own], tasks)]
            place = np.searchsorted(tasks, self.cases.task[own])
            self._sides[run, as_failed] = Side(own, place, self.cases.passed[own], len(tasks))
        return self._sides[run, as_failed]

    def decided(self, modes: Sequence[Mode]) -> Numbers:
        """The rollouts of the run whose mode is one of these."""
        keys = {mode.key for mode in modes}
        span = self.cases.of_run(self.run)
        found = [
            self.assigned.having(number, span) for number, mode in enumerate(self.assigned.modes) if mode.key in keys
        ]
        return np.sort(np.concatenate(found)) if found else np.zeros(0, dtype=np.int64)

    def is_of_unmeasured(self, decided: Numbers) -> bool:
        """Whether most of what a mode fails is not measured: then pass@1 over measured rollouts does not move."""
        return bool(len(decided)) and float((self.cases.outcome[decided] == NOT_MEASURED).mean()) > 0.5

    def change(self, modes: Sequence[Mode], decided: Numbers, *, as_failed: bool) -> "Change":
        """What every task would score without some modes, which decide these rollouts."""
        side = self.side(self.run, as_failed=as_failed)
        everything = np.ones(len(side.case), dtype=bool)
        mended = side.shows(cases_of([mode for mode in modes if mode.key in MENDED_BY_A_VERDICT]))
        side = side._replace(passed=side.passed | (mended & side.shows(decided)))
        now = self.side(self.run, as_failed=as_failed).rate(everything)
        left_out = [mode for mode in modes if mode.proof != REST and mode.key not in MENDED_BY_A_VERDICT]
        at_rest = side.shows(decided) & side.shows(cases_of([mode for mode in modes if mode.proof == REST]))
        shown = side.shows(cases_of(left_out))
        # Failures that a more telling mode decides stay failures, whatever else they show.
        replaced = shown & (side.passed | side.shows(decided))
        part = _part(side, replaced)
        without = side.rate(~shown)
        kept = _part(side, side.passed & ~replaced)
        known = (part > 0) & ~np.isnan(without)
        then = np.where(known, kept + part * np.nan_to_num(without), side.rate(everything))
        alone = _whole(side, shown | at_rest) & ((part > 0) | some_of(side, at_rest))
        change = Change(now, then, replaced | at_rest, part > 0, mended, alone, np.zeros(len(now), dtype=bool))
        return self._referred(change, side, cases_of(left_out), as_failed=as_failed)

    def _referred(self, change: "Change", side: Side, shown: Numbers, *, as_failed: bool) -> "Change":
        """The same where the tasks that tell nothing of themselves score what they do in the reference run."""
        if self.reference is None:
            return change
        other = self.side(self.reference, as_failed=as_failed)
        rate = other.rate(~other.shows(shown))
        informed = change.alone & ~np.isnan(rate)
        reached = change.now + _part(side, change.shown) * np.nan_to_num(rate)
        return change._replace(
            then=np.where(informed, np.clip(reached, change.then, 1.0), change.then), informed=informed
        )

    def cost(self, decided: Numbers, *, as_failed: bool) -> float:
        """The points that failures cost, each task weighing the same."""
        side = self.side(self.run, as_failed=as_failed)
        counts = np.bincount(side.task, minlength=side.tasks)
        lost = np.bincount(side.task[side.shows(decided)], minlength=side.tasks)
        return 100 * float(share(lost, counts).mean()) if side.tasks else 0.0


class Change(NamedTuple):
    """What each task scores now and would score."""

    now: Numbers
    then: Numbers
    shown: Numbers
    """Of each rollout whether it is replaced, or would have to be."""
    struck: Numbers
    """Of each task whether any is replaced."""
    mended: Numbers
    """Of each rollout whether a right verdict passes it."""
    alone: Numbers
    """Of each task whether no rollout is left to tell what it scores; and whether the reference run then does."""
    informed: Numbers

    @property
    def gain(self) -> Numbers:
        return self.then - self.now


def _some(values: Numbers) -> Numbers:
    known = values[~np.isnan(values)]
    return known if len(known) else np.zeros(1)


def cases_of(modes: Sequence[Mode]) -> Numbers:
    """The rollouts that show any of some modes."""
    return np.unique(np.concatenate([mode.cases for mode in modes])) if modes else np.zeros(0, dtype=np.int64)


def _part(side: Side, chosen: Numbers) -> Numbers:
    """Of each task the share of its rollouts that are among some."""
    counts = np.bincount(side.task, minlength=side.tasks)
    return np.nan_to_num(share(np.bincount(side.task[chosen], minlength=side.tasks), counts))


def some_of(side: Side, chosen: Numbers) -> Numbers:
    """Tasks of which any rollout is among some."""
    return np.asarray(np.bincount(side.task[chosen], minlength=side.tasks) > 0)


def _whole(side: Side, chosen: Numbers) -> Numbers:
    """Tasks of which every rollout is among some."""
    return np.asarray(np.bincount(side.task[~chosen], minlength=side.tasks) == 0)
