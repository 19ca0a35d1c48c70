"""From a store to findings: what went wrong in each run, and why the scores differ."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from blade import numbers
from blade.errors import InputError
from blade.explain.assign import UNEXPLAINED, assign
from blade.explain.cases import Cases
from blade.explain.change import Change
from blade.explain.evidence import Asked, examples
from blade.explain.fields import fields_of
from blade.explain.fixes import fixes
from blade.explain.funnel import funnel, largest_drop, stages_of
from blade.explain.guard import WITHIN
from blade.explain.health.registry import Subject, findings
from blade.explain.labels import Labels
from blade.explain.mode import BEHAVIOUR, ENDING, Mode
from blade.explain.predictors import predictors
from blade.explain.records import (
    Analysis,
    CauseShare,
    ModeShare,
    OddsRatio,
    RunFailures,
    Signalled,
    Stage,
)
from blade.measure import rates
from blade.measure.compare import compare_panels
from blade.measure.panel import Numbers
from blade.measure.run import Settings, reasons

if TYPE_CHECKING:
    from blade.scan.store import Store


def explain(
    store: "Store",
    settings: Settings | None = None,
    *,
    baseline: str | None = None,
    by_id: bool = False,
    compared: bool = True,
    fixed: str | None = None,
) -> Analysis:
    """Why the runs of a store fail; if they are to be compared, why their scores differ from the baseline's.

    Interventions are for the run `fixed`, by default the last one.
    """
    return explain_cases(store, settings, baseline=baseline, by_id=by_id, compared=compared, fixed=fixed)[0]


def explain_cases(
    store: "Store",
    settings: Settings | None = None,
    *,
    baseline: str | None = None,
    by_id: bool = False,
    compared: bool = True,
    fixed: str | None = None,
) -> tuple[Analysis, Cases]:
    """The same, with the rollouts that it is about, for what else is to be told of them."""
    settings = settings or Settings()
    names = [summary.run for summary in store.summaries]
    for name in (baseline, fixed):
        if name is not None and name not in names:
            raise InputError(f"no run is named {name}", hint=f"there are {', '.join(names[:8])}")
    ordered = [baseline, *(name for name in names if name != baseline)] if baseline else names
    explaining = _Explaining(store, ordered, settings, by_id=by_id)
    if compared and len(ordered) < 2:
        hint = "name two different runs, or with --split-by a field whose values make several runs of one"
        raise InputError(f"a score change needs two runs, and there is only {ordered[0]}", hint=hint)
    number = len(ordered) - 1 if fixed is None else ordered.index(fixed)
    return explaining.analysis(compared=compared, fixed=number), explaining.cases


class _Explaining:
    """One analysis at work: the cases, their modes, and the records made of them."""

    def __init__(self, store: "Store", runs: list[str], settings: Settings, *, by_id: bool) -> None:
        self.store, self.settings, self.by_id = store, settings, by_id
        self.cases = Cases.of(store, runs, settings.rule, by_id=by_id, profile=settings.profile)
        self.assigned = assign(self.cases)
        self.fields = self.cases.once(fields_of)

    def analysis(self, *, compared: bool, fixed: int) -> Analysis:
        """Everything that is known."""
        comparisons = []
        labels = Labels(self.cases, self.assigned)
        mended = fixes(self.cases, self.assigned, fixed, self.settings)
        if compared:
            found = compare_panels(self.store, self.cases.panels, self.settings, by_id=self.by_id)
            change = Change(self.store, self.cases, self.assigned, self.settings)
            comparisons = [change.explained(one, number) for number, one in enumerate(found, 1)]
        return Analysis(
            pass_rule=str(self.settings.rule),
            runs=list(self._runs()),
            comparisons=comparisons,
            tasks=[label for run in range(len(self.cases.panels)) for label in labels.of_run(run)],
            predictors=predictors(self.cases, self.fields),
            restating=[field.name for field in self.fields if field.restates],
            warnings=sorted({*self._empty(), *(warning for one in comparisons for warning in one.warnings)}),
            health=findings(Subject(self.cases, self.settings)),
            interventions=mended.interventions,
            counterfactual=mended.table,
        )

    def _empty(self) -> Iterator[str]:
        """Runs of which there is nothing to say."""
        for summary in self.store.summaries:
            if not summary.rows:
                skipped = numbers.counted(summary.skipped_count, "line")
                yield f"{summary.run}: no rollout could be read ({skipped} skipped); `blade runs` says why"

    def _runs(self) -> Iterator[RunFailures]:
        stages = stages_of(self.cases, self.fields)
        for run in range(len(self.cases.panels)):
            yield self._run(run, funnel(self.cases, run, stages))

    def _run(self, run: int, stages: list[Stage]) -> RunFailures:
        panel, cases = self.cases.panels[run], self.cases
        span = cases.of_run(run)
        summary = next(summary for summary in self.store.summaries if summary.run == panel.run)
        owing = ~cases.passed[span]
        modes = list(self._modes(run, int(owing.sum())))
        return RunFailures(
            run=panel.run,
            model=summary.model,
            agent=summary.agent,
            rows=summary.rows,
            tasks=len(panel.tasks) + panel.unknown_tasks,
            rollouts=len(panel.rollout) + panel.anonymous,
            measured=int(cases.measured[span].sum()),
            failed=int(cases.failed[span].sum()),
            expected=summary.expected,
            not_measured=list(reasons(panel)),
            metrics=rates.rates(panel, estimand=self.settings.estimand, level=self.settings.level),
            worst_case=rates.worst_case(panel),
            buckets=rates.buckets(panel),
            funnel=stages,
            largest_drop=largest_drop(stages),
            modes=modes,
            causes=_by_cause(modes),
            unexplained=next((mode.share for mode in modes if mode.mode == UNEXPLAINED), 0.0) if owing.any() else None,
            signals=list(self._signalled(run)),
        )

    def _modes(self, run: int, owing: int) -> Iterator[ModeShare]:
        """The modes of one run, the most frequent first."""
        cases, span = self.cases, self.cases.of_run(run)
        found = [Asked(mode, self.assigned.having(number, span)) for number, mode in enumerate(self.assigned.modes)]
        found = sorted((each for each in found if len(each.cases)), key=lambda each: -len(each.cases))
        quotes = examples(cases, found)
        for mode, own in found:
            seen = mode.cases[(mode.cases >= span.start) & (mode.cases < span.stop)]
            yield ModeShare(
                mode=mode.key,
                cause=mode.cause,
                title=mode.title,
                owner=mode.owner,
                rollouts=len(own),
                tasks=len(np.unique(cases.task[own])),
                share=len(own) / owing,
                odds_ratio=_odds(mode),
                refs=self._refs(mode, own),
                tier=mode.tier,
                rule=mode.rule,
                guard=mode.association.by,
                seen=int((~cases.passed[seen]).sum()),
                in_passes=int(cases.passed[seen].sum()),
                example=quotes.get(mode.key),
            )

    def _refs(self, mode: Mode, cases: Numbers) -> list[str]:
        return self.cases.refs(cases, mode.steps_of(cases))

    def _signalled(self, run: int) -> Iterator[Signalled]:
        cases, span = self.cases, self.cases.of_run(run)
        for mode in self.assigned.tried:
            if mode.proof not in (BEHAVIOUR, ENDING):
                continue
            own = mode.cases[(mode.cases >= span.start) & (mode.cases < span.stop)]
            if len(own):
                yield Signalled(
                    signal=mode.key,
                    failing=int((~cases.passed[own]).sum()),
                    passing=int(cases.passed[own].sum()),
                    odds_ratio=_odds(mode),
                    guard=mode.association.by,
                    taken=mode.key in self.assigned.accepted,
                )


def _odds(mode: Mode) -> OddsRatio | None:
    """The odds ratio, where rollouts of one task tell it."""
    found = mode.association
    if found.by != WITHIN or found.value is None:
        return None
    return OddsRatio(value=found.value, low=found.low, high=found.high, p_adjusted=mode.p_adjusted)


def _by_cause(modes: list[ModeShare]) -> list[CauseShare]:
    causes = sorted({mode.cause for mode in modes})
    found = [
        CauseShare(
            cause=cause,
            rollouts=sum(mode.rollouts for mode in modes if mode.cause == cause),
            share=sum(mode.share for mode in modes if mode.cause == cause),
        )
        for cause in causes
    ]
    return sorted(found, key=lambda each: (-each.rollouts, each.cause))
