"""From a store to findings: what went wrong in each run, and why the scores differ."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from blade import numbers
from blade.errors import InputError
from blade.explain import account, story
from blade.explain.account import PASSED, Pair, Part
from blade.explain.assign import UNEXPLAINED, assign
from blade.explain.cases import Cases
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
    CauseTerm,
    Explained,
    Flow,
    ModeShare,
    OddsRatio,
    RewardTerm,
    RunFailures,
    Signalled,
    SliceTerm,
    Stage,
    Term,
)
from blade.explain.story import Lost
from blade.measure import rates
from blade.measure.compare import compare_panels
from blade.measure.comparison import Comparison
from blade.measure.panel import Numbers
from blade.measure.run import Settings, reasons
from blade.measure.slices import Seen, slice_by
from blade.vocabulary import CAUSES

if TYPE_CHECKING:
    from blade.scan.store import Store

_CAUSE_NAMES: Final = tuple(CAUSES)
_MOST_SLICE_TERMS: Final = 5
_SMALLEST_SLICE_TERM: Final = 0.005


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
    return explaining.analysis(compared=compared, fixed=len(ordered) - 1 if fixed is None else ordered.index(fixed))


class _Explaining:
    """One analysis at work: the cases, their modes, and the records made of them."""

    def __init__(self, store: "Store", runs: list[str], settings: Settings, *, by_id: bool) -> None:
        self.store, self.settings, self.by_id = store, settings, by_id
        self.cases = Cases.of(store, runs, settings.rule, by_id=by_id, profile=settings.profile)
        self.assigned = assign(self.cases)
        self.fields = self.cases.once(fields_of)
        self.cause = np.array([_CAUSE_NAMES.index(mode.cause) for mode in self.assigned.modes], dtype=np.int64)

    def analysis(self, *, compared: bool, fixed: int) -> Analysis:
        """Everything that is known."""
        comparisons = []
        labels = Labels(self.cases, self.assigned)
        mended = fixes(self.cases, self.assigned, fixed, self.settings)
        if compared:
            found = compare_panels(self.store, self.cases.panels, self.settings, by_id=self.by_id)
            comparisons = [self._explained(one, number) for number, one in enumerate(found, 1)]
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

    def _explained(self, comparison: Comparison, candidate: int) -> Explained:
        pair = Pair.of(self.cases, candidate)
        settings = {"seed": self.settings.seed, "level": self.settings.level}
        kinds = len(self.assigned.modes)
        terms = account.parts(pair, self.assigned.mode, kinds, **settings)  # type: ignore[arg-type]
        cause = np.append(self.cause, -1)[self.assigned.mode]
        by_cause = account.parts(pair, cause, len(_CAUSE_NAMES), **settings)  # type: ignore[arg-type]
        rewards = None
        if comparison.reward_delta is not None:
            found = account.reward_parts(pair, self.assigned.mode, kinds, level=self.settings.level)
            rewards = [self._reward_term(part) for part in found]
        explained = Explained(
            **{name: getattr(comparison, name) for name in comparison.__struct_fields__},
            terms=[self._term(pair, part) for part in terms],
            cause_terms=[_cause_term(part) for part in by_cause],
            reward_terms=rewards,
            flows=[
                Flow(from_=self._named(source), to=self._named(target), points=points)
                for source, target, points in account.flows(pair, self.assigned)
            ],
            slice_terms=list(self._slice_terms(pair, comparison)),
            answer=[],
        )
        explained.answer = story.answer(explained, self._lost(pair))
        return explained

    def _lost(self, pair: Pair) -> list[Lost]:
        """The rollouts of two runs that are not measured, by mode."""
        spans = [self.cases.of_run(run) for run in pair.runs]
        found = []
        for number, mode in enumerate(self.assigned.modes):
            own = [self.assigned.having(number, span) for span in spans]
            first, second = (each[~self.cases.measured[each]] for each in own)
            if len(first) or len(second):
                one = second[:1] if len(second) >= len(first) else first[:1]
                found.append(Lost(mode.title, len(first), len(second), self._refs(mode, one)[0]))
        return found

    def _named(self, kind: int) -> str:
        return self.assigned.modes[kind].key if kind < len(self.assigned.modes) else PASSED

    def _term(self, pair: Pair, part: Part) -> Term:
        mode = self.assigned.modes[part.kind]
        own = self.assigned.having(part.kind)
        own = own[pair.common[own] >= 0]
        low, high = _ends(part, 100)
        return Term(
            mode=mode.key,
            title=mode.title,
            cause=mode.cause,
            owner=mode.owner,
            points=100 * part.value,
            low=low,
            high=high,
            within_noise=part.within_noise,
            baseline=100 * part.baseline,
            candidate=100 * part.candidate,
            refs=self._refs(mode, own),
        )

    def _reward_term(self, part: Part) -> RewardTerm:
        low, high = _ends(part, 1)
        if part.kind == len(self.assigned.modes):
            return RewardTerm(
                mode=PASSED, title="Partial credit in passes", cause="unknown", value=part.value, low=low, high=high
            )
        mode = self.assigned.modes[part.kind]
        return RewardTerm(mode=mode.key, title=mode.title, cause=mode.cause, value=part.value, low=low, high=high)

    def _slice_terms(self, pair: Pair, comparison: Comparison) -> Iterator[SliceTerm]:
        """What the modes add within the slices that differ beyond noise."""
        told = {
            (one.field, one.value) for one in comparison.slices if one.p_adjusted is not None and one.p_adjusted < 0.05
        }
        if not told:
            return
        panels = [self.cases.panels[run] for run in pair.runs]
        seen = Seen.of([panels[0].only(pair.tasks), panels[1].only(self._tasks_of(pair))])
        kinds = len(self.assigned.modes)
        first, second = (pair.shares(side, self.assigned.mode, kinds) for side in (0, 1))
        for field in sorted({field for field, _ in told}):
            for value, tasks in slice_by(self.store, seen, field).groups():
                if (field, value) not in told:
                    continue
                points = 100 * (first[tasks] - second[tasks]).mean(axis=0)
                for number in np.argsort(-np.abs(points), kind="stable")[:_MOST_SLICE_TERMS].tolist():
                    if abs(points[number]) < _SMALLEST_SLICE_TERM:
                        continue
                    mode = self.assigned.modes[number]
                    yield SliceTerm(
                        field=field,
                        value=value,
                        mode=mode.key,
                        title=mode.title,
                        cause=mode.cause,
                        points=float(points[number]),
                    )

    def _tasks_of(self, pair: Pair) -> Numbers:
        """The common tasks as the candidate's panel numbers them."""
        pairing = self.cases.pairings[pair.runs[1] - 1]
        place = np.full(self.cases.tasks, -1)
        place[pairing.baseline] = pairing.candidate
        return place[pair.tasks]


def _ends(part: Part, scale: float) -> tuple[float | None, float | None]:
    return (None, None) if part.interval is None else (scale * part.interval.low, scale * part.interval.high)


def _cause_term(part: Part) -> CauseTerm:
    low, high = _ends(part, 100)
    return CauseTerm(
        cause=_CAUSE_NAMES[part.kind], points=100 * part.value, low=low, high=high, within_noise=part.within_noise
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
