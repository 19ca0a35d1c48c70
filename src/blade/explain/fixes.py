"""What would fix it: how much of the score each failure mode costs, and how much of that a fix would give back.

All that a mode's failures cost bounds what mending it can give. The guarded estimate asks what the same tasks score
without it: of each task, every rollout that shows the mode, passing ones too, is replaced by the task's rollouts that
do not. Were only the failing ones replaced, whatever goes with failure by chance would look like its cause. Failures
that a more telling mode decides stay what they are. A task whose every rollout shows the mode tells nothing of itself:
there the reference run speaks, where there is one, else nothing is gained.

Two kinds of modes are counted otherwise. Where the verdict itself is at fault, mending it turns those very rollouts
into passes. And a wrong answer that nothing else explains is no conduct that one could leave out: only the reference
run can say what such tasks would score.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from blade import numbers
from blade.explain.assign import UNEXPLAINED, Assigned
from blade.explain.cases import Cases
from blade.explain.instructions import Instruction, instruction_for
from blade.explain.mode import REST, Mode
from blade.explain.records import Counterfactual, Gain, Intervention, Saving
from blade.explain.tiers.judgement import DIFFERENTLY, STRICT
from blade.measure.outcomes import NOT_MEASURED
from blade.measure.panel import Numbers, share
from blade.measure.power import DifferenceVariance, to_settle
from blade.measure.resampling import bootstrap_means
from blade.measure.run import Settings
from blade.measure.student import normal_cdf, normal_quantile, student_t_quantile

RESAMPLES: Final = 2_000

MOST_REPEATS: Final = 64
"""Repeats in a rerun that anybody would pay for."""

_ALL, _ORACLE, _REFERENCE, _BASELINE = "all modes", "oracle", "reference run", "baseline"
_MENDED_BY_A_VERDICT: Final = (DIFFERENTLY, STRICT)
_TOKENS, _COST = "total tokens", "cost"


class Fixes(NamedTuple):
    """What could be done about the failures of one run."""

    interventions: list[Intervention]
    table: list[Counterfactual]


def fixes(cases: Cases, assigned: Assigned, run: int, settings: Settings) -> Fixes:
    """Interventions for a run, the most gain first, and the table of what it would score."""
    return _Fixing(cases, assigned, run, settings).all()


class _Side(NamedTuple):
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


class _Fixing:
    """One run at work: what it scores, and what it would score without some of its modes."""

    def __init__(self, cases: Cases, assigned: Assigned, run: int, settings: Settings) -> None:
        self.cases, self.assigned, self.run, self.settings = cases, assigned, run, settings
        self.reference = self._chosen_reference()
        self._sides: dict[tuple[int, bool], _Side] = {}
        self.tasks = [np.unique(cases.task[self._rollouts(run, as_failed=each)]) for each in (False, True)]

    def all(self) -> Fixes:
        groups = self._groups()
        interventions = [made for instruction, modes in groups if (made := self._intervention(instruction, modes))]
        interventions.sort(key=lambda one: (-round(one.gain.value, 6), -one.recoverable, one.title))
        for rank, one in enumerate(interventions, 1):
            one.rank = rank
        return Fixes(interventions, list(self._table()))

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

    def _side(self, run: int, *, as_failed: bool) -> _Side:
        """The rollouts of a run over the tasks of the run that is to be fixed."""
        if (run, as_failed) not in self._sides:
            tasks = self.tasks[as_failed]
            own = self._rollouts(run, as_failed=as_failed)
            own = own[np.isin(self.cases.task[own], tasks)]
            place = np.searchsorted(tasks, self.cases.task[own])
            self._sides[run, as_failed] = _Side(own, place, self.cases.passed[own], len(tasks))
        return self._sides[run, as_failed]

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

    def _decided(self, modes: Sequence[Mode]) -> Numbers:
        """The rollouts of the run whose mode is one of these."""
        keys = {mode.key for mode in modes}
        span = self.cases.of_run(self.run)
        found = [
            self.assigned.having(number, span) for number, mode in enumerate(self.assigned.modes) if mode.key in keys
        ]
        return np.sort(np.concatenate(found)) if found else np.zeros(0, dtype=np.int64)

    def _is_of_unmeasured(self, decided: Numbers) -> bool:
        """Whether most of what a mode fails is not measured: then pass@1 over measured rollouts does not move."""
        return bool(len(decided)) and float((self.cases.outcome[decided] == NOT_MEASURED).mean()) > 0.5

    def _change(self, modes: Sequence[Mode], decided: Numbers, *, as_failed: bool, referred: bool = True) -> "_Change":
        """What every task would score without some modes, which decide these rollouts."""
        side = self._side(self.run, as_failed=as_failed)
        everything = np.ones(len(side.case), dtype=bool)
        mended = side.shows(_cases_of([mode for mode in modes if mode.key in _MENDED_BY_A_VERDICT]))
        side = side._replace(passed=side.passed | (mended & side.shows(decided)))
        now = self._side(self.run, as_failed=as_failed).rate(everything)
        left_out = [mode for mode in modes if mode.proof != REST and mode.key not in _MENDED_BY_A_VERDICT]
        at_rest = side.shows(decided) & side.shows(_cases_of([mode for mode in modes if mode.proof == REST]))
        shown = side.shows(_cases_of(left_out))
        # Failures that a more telling mode decides stay failures, whatever else they show.
        replaced = shown & (side.passed | side.shows(decided))
        part = _part(side, replaced)
        without = side.rate(~shown)
        kept = _part(side, side.passed & ~replaced)
        known = (part > 0) & ~np.isnan(without)
        then = np.where(known, kept + part * np.nan_to_num(without), side.rate(everything))
        alone = _whole(side, shown | at_rest) & ((part > 0) | _some_of(side, at_rest))
        change = _Change(now, then, replaced | at_rest, part > 0, mended, alone, np.zeros(len(now), dtype=bool))
        return self._referred(change, side, _cases_of(left_out), as_failed=as_failed) if referred else change

    def _referred(self, change: "_Change", side: _Side, shown: Numbers, *, as_failed: bool) -> "_Change":
        """The same where the tasks that tell nothing of themselves score what they do in the reference run."""
        if self.reference is None:
            return change
        other = self._side(self.reference, as_failed=as_failed)
        rate = other.rate(~other.shows(shown))
        informed = change.alone & ~np.isnan(rate)
        reached = change.now + _part(side, change.shown) * np.nan_to_num(rate)
        return change._replace(
            then=np.where(informed, np.clip(reached, change.then, 1.0), change.then), informed=informed
        )

    def _intervention(self, instruction: Instruction, modes: list[Mode]) -> Intervention | None:
        decided = self._decided(modes)
        as_failed = self._is_of_unmeasured(decided)
        side = self._side(self.run, as_failed=as_failed)
        bound = self._cost(decided, as_failed=as_failed)
        if not bound:
            return None
        change = self._change(modes, decided, as_failed=as_failed)
        gain = _gain(change.gain, bound, self.settings)
        concerned = np.unique(side.task[side.shows(decided)])
        repeats = _repeats(change, concerned)
        names = [self._name(int(task)) for task in self.tasks[as_failed][concerned]]
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

    def _cost(self, decided: Numbers, *, as_failed: bool) -> float:
        """The points that failures cost, each task weighing the same."""
        side = self._side(self.run, as_failed=as_failed)
        counts = np.bincount(side.task, minlength=side.tasks)
        lost = np.bincount(side.task[side.shows(decided)], minlength=side.tasks)
        return 100 * float(share(lost, counts).mean()) if side.tasks else 0.0

    def _name(self, task: int) -> str:
        span, panel = self.cases.of_run(self.run), self.cases.panels[self.run]
        first = int(np.flatnonzero(self.cases.task[span] == task)[0])
        return panel.tasks[int(panel.task[first])]

    def _why(self, change: "_Change", bound: float) -> str:
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
        if informed and self.reference is not None:
            parts.append(
                f"on {numbers.counted(informed, 'task')} every rollout shows it, and {self.cases.runs[self.reference]}"
                " tells what they can score"
            )
        if silent:
            parts.append(f"on {numbers.counted(silent, 'task')} every rollout shows it, and nothing is counted as won")
        if not parts:
            parts = ["a wrong answer is no conduct to leave out, so that other rollouts of its task tell nothing"]
        said = "; ".join(parts)
        most = numbers.points(bound, signed=False)
        return f"{said[:1].upper()}{said[1:]}. Its failures cost {most} points in all."

    def _savings(self, change: "_Change", *, as_failed: bool) -> list[Saving]:
        """What a pass costs now and would cost, where rollouts say what they spend."""
        side = self._side(self.run, as_failed=as_failed)
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
            side = self._side(self.run, as_failed=as_failed)
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
        measured = [mode for mode in modes if not self._is_of_unmeasured(self._decided([mode]))]
        if row := self._row_of(_ALL, "Without any of these modes", measured, referred=False):
            yield row
        yield from self._bounds(measured)

    def _any_unmeasured(self) -> bool:
        return bool((~self.cases.measured[self.cases.of_run(self.run)]).any())

    def _row_of(self, what: str, title: str, modes: list[Mode], *, referred: bool = True) -> Counterfactual | None:
        decided = self._decided(modes)
        as_failed = self._is_of_unmeasured(decided)
        bound = self._cost(decided, as_failed=as_failed)
        if not bound:
            return None
        change = self._change(modes, decided, as_failed=as_failed, referred=referred)
        return _row(what, title, change.now, change.then, bound, self.settings, as_failed=as_failed)

    def _bounds(self, modes: list[Mode]) -> Iterator[Counterfactual]:
        """What the best rollout of every task scores by right verdicts, and what the reference run does."""
        side = self._side(self.run, as_failed=False)
        if not side.tasks:
            return
        now = side.rate(np.ones(len(side.case), dtype=bool))
        right = side.passed | side.shows(_cases_of([mode for mode in modes if mode.key in _MENDED_BY_A_VERDICT]))
        best = _some_of(side, right).astype(float)
        yield _row(_ORACLE, "The best rollout of every task", now, best, None, self.settings)
        if self.reference is not None:
            other = self._side(self.reference, as_failed=False)
            rate = other.rate(np.ones(len(other.case), dtype=bool))
            title = f"As {self.cases.runs[self.reference]} does, where it has the task"
            yield _row(_REFERENCE, title, now, np.where(np.isnan(rate), now, rate), None, self.settings)


class _Change(NamedTuple):
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


def _cases_of(modes: Sequence[Mode]) -> Numbers:
    return np.unique(np.concatenate([mode.cases for mode in modes])) if modes else np.zeros(0, dtype=np.int64)


def _part(side: _Side, chosen: Numbers) -> Numbers:
    """Of each task the share of its rollouts that are among some."""
    counts = np.bincount(side.task, minlength=side.tasks)
    return np.nan_to_num(share(np.bincount(side.task[chosen], minlength=side.tasks), counts))


def _some_of(side: _Side, chosen: Numbers) -> Numbers:
    return np.asarray(np.bincount(side.task[chosen], minlength=side.tasks) > 0)


def _whole(side: _Side, chosen: Numbers) -> Numbers:
    """Tasks of which every rollout is among some."""
    return np.asarray(np.bincount(side.task[~chosen], minlength=side.tasks) == 0)


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


def _repeats(change: _Change, concerned: Numbers) -> int | None:
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
