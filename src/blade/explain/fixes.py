"""What would fix it: what to do about the failures of a run, how much each thing would give, and how to confirm it.

How much that is, `mending` estimates: what the same tasks score without a failure mode.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from blade import numbers
from blade.explain.assign import UNEXPLAINED, Assigned
from blade.explain.cases import Cases
from blade.explain.instructions import Instruction, instruction_for
from blade.explain.mending import MENDED_BY_A_VERDICT, Change, Mending, cases_of, some_of
from blade.explain.mode import Mode
from blade.explain.records import Counterfactual, Gain, Intervention, Saving
from blade.measure.panel import Numbers
from blade.measure.power import DifferenceVariance, to_settle
from blade.measure.resampling import bootstrap_means
from blade.measure.run import Settings
from blade.measure.student import normal_cdf, normal_quantile, student_t_quantile

RESAMPLES: Final = 2_000

MOST_REPEATS: Final = 64
"""Repeats in a rerun that anybody would pay for."""

_ALL, _ORACLE, _REFERENCE, _BASELINE = "all modes", "oracle", "reference run", "baseline"
_TOKENS, _COST = "total tokens", "cost"


class Fixes(NamedTuple):
    """What could be done about the failures of one run."""

    interventions: list[Intervention]
    table: list[Counterfactual]


def fixes(cases: Cases, assigned: Assigned, run: int, settings: Settings) -> Fixes:
    """Interventions for a run, the most gain first, and the table of what it would score."""
    return _Fixing(cases, assigned, run, settings).all()


class _Fixing:
    """One run at work: what it scores, and what it would score without some of its modes."""

    def __init__(self, cases: Cases, assigned: Assigned, run: int, settings: Settings) -> None:
        self.cases, self.assigned, self.run, self.settings = cases, assigned, run, settings
        self.mending = Mending(cases, assigned, run)

    def all(self) -> Fixes:
        groups = self._groups()
        interventions = [made for instruction, modes in groups if (made := self._intervention(instruction, modes))]
        interventions.sort(key=lambda one: (-round(one.gain.value, 6), -one.recoverable, one.title))
        for rank, one in enumerate(interventions, 1):
            one.rank = rank
        return Fixes(interventions, list(self._table()))

    def _groups(self) -> list[tuple[Instruction, list[Mode]]]:
        """The modes of the run by what one would do about them."""
        span = self.cases.of_run(self.run)
        found: dict[str, tuple[Instruction, list[Mode]]] = {}
        for number, mode in enumerate(self.assigned.modes):
            own = self.assigned.having(number, span)
            if len(own) and mode.key != UNEXPLAINED:
                instruction = instruction_for(mode)
                found.setdefault(f"{mode.owner}: {instruction.key}", (instruction, []))[1].append(mode)
        return list(found.values())

    def _intervention(self, instruction: Instruction, modes: list[Mode]) -> Intervention | None:
        decided = self.mending.decided(modes)
        as_failed = self.mending.is_of_unmeasured(decided)
        side = self.mending.side(self.run, as_failed=as_failed)
        bound = self.mending.cost(decided, as_failed=as_failed)
        if not bound:
            return None
        change = self.mending.change(modes, decided, as_failed=as_failed)
        gain = _gain(change.gain, bound, self.settings)
        concerned = np.unique(side.task[side.shows(decided)])
        repeats = _repeats(change, concerned)
        names = [self._name(int(task)) for task in self.mending.tasks[as_failed][concerned]]
        steps = self.assigned.steps()
        return Intervention(
            rank=0,
            title=instruction.title(self.cases, modes, decided),
            run=self.cases.runs[self.run],
            owner=modes[0].owner,
            causes=sorted({mode.cause for mode in modes}),
            modes=[mode.key for mode in modes],
            gain=gain,
            recoverable=bound,
            as_failed=as_failed,
            why=self._why(change, bound),
            rollouts=len(decided),
            tasks=names,
            confirm=_confirmed(instruction, self.cases.runs[self.run], len(names), repeats),
            confirm_repeats=repeats,
            saving=self._savings(change, as_failed=as_failed),
            refs=self.cases.refs(decided, steps[decided].tolist()),
        )

    def _name(self, task: int) -> str:
        span, panel = self.cases.of_run(self.run), self.cases.panels[self.run]
        first = int(np.flatnonzero(self.cases.task[span] == task)[0])
        return panel.tasks[int(panel.task[first])]

    def _why(self, change: Change, bound: float) -> str:
        """What the gain is read from."""
        told = int((change.struck & ~change.alone).sum())
        mended = int(change.mended.sum())
        informed, silent = int(change.informed.sum()), int((change.alone & ~change.informed).sum())
        parts = []
        if mended:
            parts.append(f"{numbers.counted(mended, 'rollout')} would pass by a verdict that is right")
        if told:
            parts.append(
                f"on {numbers.counted(told, 'task')} other rollouts of the task tell what it scores without it"
            )
        if informed and self.mending.reference is not None:
            reference = self.cases.runs[self.mending.reference]
            parts.append(
                f"on {numbers.counted(informed, 'task')} every rollout shows it, and {reference} tells what they can"
                " score"
            )
        if silent:
            parts.append(f"on {numbers.counted(silent, 'task')} every rollout shows it, and nothing is counted as won")
        if not parts:
            parts = ["a wrong answer is no conduct to leave out, so that other rollouts of its task tell nothing"]
        said = "; ".join(parts)
        most = numbers.points(bound, signed=False)
        return f"{said[:1].upper()}{said[1:]}. Its failures cost {most} points in all."

    def _savings(self, change: Change, *, as_failed: bool) -> list[Saving]:
        """What a pass costs now and would cost, where rollouts say what they spend."""
        side = self.mending.side(self.run, as_failed=as_failed)
        panel, start = self.cases.panels[self.run], self.cases.of_run(self.run).start
        found = []
        for what in (_TOKENS, _COST):
            spent = panel.spent.get(what)
            if spent is None:
                continue
            values = spent[side.case - start]
            now = side.mean(values, np.ones(len(values), dtype=bool))
            without = side.mean(values, ~change.shown)
            then = np.where(change.struck & ~np.isnan(without), without, now)
            known = ~np.isnan(now)
            if now[known].sum() > 0 and change.now[known].sum() > 0 and change.then[known].sum() > 0:
                found.append(
                    Saving(
                        what=what,
                        now=float(now[known].sum() / change.now[known].sum()),
                        then=float(then[known].sum() / change.then[known].sum()),
                    )
                )
        return found

    def _table(self) -> Iterator[Counterfactual]:
        """The rows: the run as it is, without each mode, without all of them, at its best, and the reference run."""
        span = self.cases.of_run(self.run)
        for as_failed in (False, True) if self._any_unmeasured() else (False,):
            side = self.mending.side(self.run, as_failed=as_failed)
            if side.tasks:
                now = side.rate(np.ones(len(side.case), dtype=bool))
                yield _row(_BASELINE, "As it is", now, now, None, self.settings, as_failed=as_failed)
        modes = [
            mode
            for number, mode in enumerate(self.assigned.modes)
            if len(self.assigned.having(number, span)) and mode.key != UNEXPLAINED
        ]
        rows = [row for mode in modes if (row := self._row_of(mode.key, f"Without: {mode.title}", [mode]))]
        yield from sorted(rows, key=lambda row: (-row.gain.value, -(row.recoverable or 0.0)))
        measured = [mode for mode in modes if not self.mending.is_of_unmeasured(self.mending.decided([mode]))]
        if row := self._row_of(_ALL, "Without any of these modes", measured):
            yield row
        yield from self._bounds(measured)

    def _any_unmeasured(self) -> bool:
        return bool((~self.cases.measured[self.cases.of_run(self.run)]).any())

    def _row_of(self, what: str, title: str, modes: list[Mode]) -> Counterfactual | None:
        decided = self.mending.decided(modes)
        as_failed = self.mending.is_of_unmeasured(decided)
        bound = self.mending.cost(decided, as_failed=as_failed)
        if not bound:
            return None
        change = self.mending.change(modes, decided, as_failed=as_failed)
        return _row(what, title, change.now, change.then, bound, self.settings, as_failed=as_failed)

    def _bounds(self, modes: list[Mode]) -> Iterator[Counterfactual]:
        """What the best rollout of every task scores by right verdicts, and what the reference run does."""
        side = self.mending.side(self.run, as_failed=False)
        if not side.tasks:
            return
        now = side.rate(np.ones(len(side.case), dtype=bool))
        right = side.passed | side.shows(cases_of([mode for mode in modes if mode.key in MENDED_BY_A_VERDICT]))
        best = some_of(side, right).astype(float)
        yield _row(_ORACLE, "The best rollout that this run has of every task", now, best, None, self.settings)
        if self.mending.reference is not None:
            other = self.mending.side(self.mending.reference, as_failed=False)
            rate = other.rate(np.ones(len(other.case), dtype=bool))
            title = f"As {self.cases.runs[self.mending.reference]} does, where it has the task"
            yield _row(_REFERENCE, title, now, np.where(np.isnan(rate), now, rate), None, self.settings)


def _row(
    what: str,
    title: str,
    now: Numbers,
    then: Numbers,
    bound: float | None,
    settings: Settings,
    *,
    as_failed: bool = False,
) -> Counterfactual:
    gain = _gain(then - now, bound, settings)
    return Counterfactual(
        what=what,
        title=title,
        points=100 * float(now.mean()) + gain.value,
        gain=gain,
        recoverable=bound,
        as_failed=as_failed,
    )


def _gain(gained: Numbers, bound: float | None, settings: Settings) -> Gain:
    """The mean gain over tasks in points, at most the bound, with the interval of a bootstrap over tasks.

    The bound is of these rollouts and the interval of other tasks like these, so that it may reach further.
    """
    most = np.inf if bound is None else bound
    value = min(100 * float(gained.mean()), most)
    if len(gained) < 2:
        return Gain(value=value, low=None, high=None)
    if not gained.any():
        return Gain(value=value, low=value, high=value)
    means = np.sort(100 * bootstrap_means(gained[:, None], resamples=RESAMPLES, seed=settings.seed)[:, 0])
    outside = _tail(len(gained), settings.level)
    low, high = (float(means[round(at * (RESAMPLES - 1))]) for at in (outside, 1 - outside))
    return Gain(value=value, low=min(low, value), high=max(high, value))


def _tail(tasks: int, level: float) -> float:
    """The share of resamples to leave out at each end, for an interval of few tasks to be as wide as Student's t."""
    quantile = student_t_quantile((1 + level) / 2, tasks - 1) * np.sqrt(tasks / (tasks - 1))
    return normal_cdf(-max(quantile, normal_quantile((1 + level) / 2)))


def _repeats(change: Change, concerned: Numbers) -> int | None:
    """The repeats of the tasks concerned at which a rerun would show the gain in four of five cases."""
    gained, now, then = change.gain[concerned], change.now[concerned], np.clip(change.then[concerned], 0, 1)
    if len(gained) < 2 or gained.mean() <= 0:
        return None
    within = float((now * (1 - now) + then * (1 - then)).mean())
    variance = DifferenceVariance(len(gained), float(gained.var(ddof=1)), max(within, 0.05), 1.0, 1.0)
    found = to_settle(float(gained.mean()), variance).repeats
    return found if found is not None and found <= MOST_REPEATS else None


def _confirmed(instruction: Instruction, run: str, tasks: int, repeats: int | None) -> str:
    """The rerun that would confirm an intervention."""
    which = f"the {tasks} tasks" if tasks > 1 else "the one task"
    if repeats is None:
        return (
            f"{instruction.done}, run {which} concerned again in the set-up of {run}, and see whether the mode is gone:"
            " their scores alone would not show so small a gain."
        )
    times = "once" if repeats == 1 else f"{repeats} times each"
    return (
        f"{instruction.done} and nothing else, run {which} concerned {times} in the set-up of {run}, and compare:"
        " a gain as large as this shows in four of five such reruns."
    )
