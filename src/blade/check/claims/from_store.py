"""The truth about runs, asked of the engine. Nothing of it is imported before it is needed."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from blade.check.claims import truth as known
from blade.check.claims.row_texts import RowTexts
from blade.check.claims.truth import Pair, Quantity, Run, Task, Truth

if TYPE_CHECKING:
    from blade.explain.records import Analysis, Explained, RunFailures
    from blade.measure.run import Measures, RunMetrics, Settings
    from blade.scan.store import Store


def truth_of(
    store: "Store", settings: "Settings | None" = None, *, baseline: str | None = None, report: str = ""
) -> Truth:
    """What is true of the runs of a store; without a `baseline` it is the run that the `report` calls so."""
    from blade.check.claims.baseline import named_baseline
    from blade.explain.analysis import explain
    from blade.measure.run import Settings, measure

    settings = settings or Settings()
    known_runs = [Run(each.run, each.model, each.agent) for each in store.summaries]
    baseline = baseline or named_baseline(report, known_runs)
    analysis = explain(store, settings, baseline=baseline, compared=len(store.summaries) > 1)
    metrics = {run.run: run for run in measure(store, settings)}
    found = _Gathering(store, analysis, metrics)
    return Truth(
        [Run(run.run, run.model, run.agent) for run in analysis.runs],
        found.quantities(),
        tasks=found.tasks(),
        rollouts=found.rollouts(settings.rule.threshold),
        modes=found.modes(),
        pairs=[Pair(one.baseline, one.candidate, one.delta.value, one.verdict) for one in analysis.comparisons],
        texts=RowTexts(store),
        directed=baseline is not None,
        rest=found.rest(),
    )


class _Gathering:
    """Numbers from everywhere, each with its source."""

    def __init__(self, store: "Store", analysis: "Analysis", metrics: "dict[str, RunMetrics]") -> None:
        self.store, self.analysis, self.metrics = store, analysis, metrics

    def quantities(self) -> Iterator[Quantity]:
        for run in self.analysis.runs:
            yield from self._measured(run.run, self.metrics[run.run])
            yield from self._failures(run)
            yield from self._funnel(run)
            yield from self._by_cause(run.run)
        yield from self._without()
        for one in self.analysis.comparisons:
            yield from self._compared(one)
        yield from self._tools()

    def _measured(self, run: str, measured: "RunMetrics") -> Iterator[Quantity]:
        from blade.report.sidecar import mean_over_rows

        source = f"blade metrics, {run}"
        yield from _measures(run, known.WHOLE, "", measured, source)
        counts = {
            "rows": measured.rows,
            "duplicates": measured.duplicates,
            "missing": sum(each.rollouts for each in measured.not_measured if each.why == "missing"),
            "repeats": measured.usual_repeats,
        }
        for what, value in counts.items():
            yield Quantity(run, known.WHOLE, "", what, value, known.COUNT, None, source)
        rates = {
            "not measured as failed": measured.not_measured_as_failed,
            "mean over rows": measured.row_mean,
            "lowest possible": measured.worst_case.low,
            "highest possible": measured.worst_case.high,
        }
        for how, rate in rates.items():
            if rate is not None:
                yield Quantity(run, known.WHOLE, "", "pass@1", rate, known.SHARE, None, f"{source}, {how}")
        by_rows = mean_over_rows(measured)
        if by_rows is not None:
            yield Quantity(run, known.WHOLE, "", "mean reward", by_rows, known.AMOUNT, None, source)
        for each in measured.slices:
            yield from _measures(run, known.SLICE, f"{each.field} = {each.value}", each, f"{source}, slices")
        for why in measured.not_measured:
            yield Quantity(
                run,
                known.REASON,
                why.why,
                "rollouts",
                why.rollouts,
                known.COUNT,
                measured.rollouts,
                f"{source}, not measured",
            )

    def _absent(self, run: "RunFailures", source: str, failing: int) -> Iterator[Quantity]:
        """Modes and causes that only other runs have: none here."""
        modes = {mode.title for each in self.analysis.runs for mode in each.modes} - {mode.title for mode in run.modes}
        causes = {cause.cause for each in self.analysis.runs for cause in each.causes} - {
            each.cause for each in run.causes
        }
        for about, names in ((known.MODE, modes), (known.CAUSE, causes)):
            for name in sorted(names):
                yield Quantity(run.run, about, name, "rollouts", 0, known.COUNT, failing, source)

    def _failures(self, run: "RunFailures") -> Iterator[Quantity]:
        source = f"blade failures, {run.run}"
        failing = run.failed + run.rollouts - run.measured
        yield from self._absent(run, source, failing)
        for mode in run.modes:
            told = (run.run, known.MODE, mode.title)
            yield Quantity(*told, "rollouts", mode.rollouts, known.COUNT, failing, source)
            yield Quantity(*told, "rollouts", mode.rollouts, known.COUNT, run.measured, source)
            yield Quantity(*told, "tasks", mode.tasks, known.COUNT, run.tasks, source)
            yield Quantity(*told, "seen", mode.seen, known.COUNT, None, source)
            yield Quantity(*told, "in passes", mode.in_passes, known.COUNT, None, source)
            if mode.odds_ratio:
                yield Quantity(*told, "odds ratio", mode.odds_ratio.value, known.AMOUNT, None, source)
        for cause in run.causes:
            yield Quantity(run.run, known.CAUSE, cause.cause, "rollouts", cause.rollouts, known.COUNT, failing, source)
        if run.unexplained is not None:
            yield Quantity(run.run, known.WHOLE, "", "unexplained", run.unexplained, known.SHARE, None, source)
        for each in run.signals:
            told = (run.run, known.SIGNAL, each.signal)
            yield Quantity(*told, "rollouts", each.failing, known.COUNT, failing, source)
            yield Quantity(*told, "in passes", each.passing, known.COUNT, run.rollouts - failing, source)

    def _funnel(self, run: "RunFailures") -> Iterator[Quantity]:
        source = f"blade failures, {run.run}, funnel"
        for stage in run.funnel:
            yield Quantity(
                run.run, known.STAGE, stage.stage, "rollouts", stage.reached, known.COUNT, run.rollouts, source
            )
        for before, stage in pairwise(run.funnel):
            lost = before.reached - stage.reached
            yield Quantity(run.run, known.STAGE, stage.stage, "lost", lost, known.COUNT, run.rollouts, source)
            if run.rollouts:
                yield Quantity(
                    run.run, known.STAGE, stage.stage, "lost", 100 * lost / run.rollouts, known.POINTS, None, source
                )

    def _without(self) -> Iterator[Quantity]:
        """What a run would score without a mode, and what that would give."""
        run = self.analysis.interventions[0].run if self.analysis.interventions else ""
        titles = {mode.mode: mode.title for each in self.analysis.runs for mode in each.modes}
        source = f"blade fixes, {run}"
        for row in self.analysis.counterfactual if run else ():
            about, name = (known.MODE, titles[row.what]) if row.what in titles else (known.WHOLE, "")
            for what, value in (("pass@1", row.points), ("gain", row.gain.value), ("cost", row.recoverable)):
                if value is not None and (about, what) != (known.WHOLE, "cost"):
                    yield Quantity(run, about, name, what, value, known.POINTS, None, source)

    def _by_cause(self, run: str) -> Iterator[Quantity]:
        counts: dict[str, int] = defaultdict(int)
        labels = [label for label in self.analysis.tasks if label.run == run]
        for label in labels:
            counts[label.cause or ""] += 1
        for cause, tasks in counts.items():
            if cause:
                source = f"blade failures, {run}, tasks"
                yield Quantity(run, known.CAUSE, cause, "tasks", tasks, known.COUNT, len(labels), source)

    def _compared(self, one: "Explained") -> Iterator[Quantity]:
        source, pair = f"blade compare, {one.candidate} against {one.baseline}", (one.baseline, one.candidate)

        def told(
            what: str, value: float | None, unit: str, about: str = known.WHOLE, name: str = ""
        ) -> Iterator[Quantity]:
            if value is not None:
                yield Quantity("", about, name, what, value, unit, None, source, pair)

        yield from told("delta", one.delta.value, known.POINTS)
        yield from told("delta", one.delta_as_failed.value, known.POINTS)
        yield from told("p", one.delta.p, known.AMOUNT)
        yield from told("detectable", one.minimum_detectable, known.POINTS)
        yield from told("common tasks", one.common.tasks, known.COUNT)
        yield from told("better tasks", sum(flip.points > 0 for flip in one.flips), known.COUNT)
        yield from told("worse tasks", sum(flip.points < 0 for flip in one.flips), known.COUNT)
        for run, rate in zip(pair, one.rates, strict=True):
            if rate is not None:
                yield Quantity(run, known.WHOLE, "", "pass@1", rate, known.SHARE, None, source)
        for term in one.terms:
            yield from told("delta", term.points, known.POINTS, known.MODE, term.title)
            for run, cost in zip(pair, (term.baseline, term.candidate), strict=True):
                yield Quantity(run, known.MODE, term.title, "cost", cost, known.POINTS, None, source)
        for cause in one.cause_terms:
            yield from told("delta", cause.points, known.POINTS, known.CAUSE, cause.cause)
        for part in one.slices:
            yield from told("delta", part.delta, known.POINTS, known.SLICE, f"{part.field} = {part.value}")
            yield from told("common tasks", part.tasks, known.COUNT, known.SLICE, f"{part.field} = {part.value}")

    def _tools(self) -> Iterator[Quantity]:
        asked = (
            "SELECT run, tool, count(*), count(DISTINCT (file, row)) FROM actions "
            "WHERE standing = 'row' AND tool IS NOT NULL GROUP BY ALL ORDER BY ALL"
        )
        for run, tool, calls, rollouts in self.store.connection.execute(asked).fetchall():
            source = f"blade sql, actions of {run}"
            yield Quantity(run, known.TOOL, tool, "calls", calls, known.COUNT, None, source)
            yield Quantity(run, known.TOOL, tool, "rollouts", rollouts, known.COUNT, None, source)

    def tasks(self) -> dict[tuple[str, str], Task]:
        causes, modes = defaultdict(set), defaultdict(set)
        for run in self.analysis.runs:
            for mode in run.modes:
                for ref in mode.refs:
                    key = (run.run, _task_of(ref))
                    modes[key].add(mode.title)
                    causes[key].add(mode.cause)
        found = {}
        for label in self.analysis.tasks:
            key = (label.run, label.task)
            own = causes[key] | ({label.cause} if label.cause else set())
            found[key] = Task(label.passed, label.measured, label.bucket, frozenset(own), frozenset(modes[key]))
        return found

    def rollouts(self, threshold: float) -> dict[tuple[str, str, str], str]:
        unmeasured = {
            ref.partition("#")[0] for run in self.analysis.runs for each in run.not_measured for ref in each.refs
        }
        rows = self.store.connection.execute(
            "SELECT run, task, rollout, ref, reward, standing FROM rollouts "
            "WHERE standing IN ('row', 'failed', 'attempt')"
        ).fetchall()
        return {
            (run, str(task), str(rollout)): _outcome(ref, reward, standing, unmeasured, threshold)
            for run, task, rollout, ref, reward, standing in rows
        }

    def rest(self) -> frozenset[str]:
        from blade.explain.assign import UNEXPLAINED

        return frozenset(mode.title for run in self.analysis.runs for mode in run.modes if mode.mode == UNEXPLAINED)

    def modes(self) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for run in self.analysis.runs:
            for mode in run.modes:
                found[mode.title].update(ref.partition("#")[0] for ref in mode.refs)
        return {title: frozenset(refs) for title, refs in found.items()}


def _measures(run: str, about: str, name: str, measured: "Measures", source: str) -> Iterator[Quantity]:
    """The rates and counts of a run or of a slice."""
    for what, estimate in measured.metrics.items():
        if estimate.value is not None:
            unit = known.AMOUNT if what == "mean_reward" else known.SHARE
            told = f"{source}: mean over tasks" if what == "pass@1" else source
            yield Quantity(run, about, name, what.replace("_", " "), estimate.value, unit, None, told)
    counts = {
        "tasks": (measured.tasks, None),
        "rollouts": (measured.rollouts, None),
        "measured": (measured.measured, measured.rollouts),
        "passed": (measured.passed, measured.measured),
        "failed": (measured.measured - measured.passed, measured.measured),
        "not measured": (measured.rollouts - measured.measured, measured.rollouts),
        "failing": (measured.rollouts - measured.passed, measured.rollouts),
    }
    for what, (value, whole) in counts.items():
        for of in dict.fromkeys((whole, measured.rollouts if whole else None)):
            yield Quantity(run, about, name, what, value, known.COUNT, of, source)
    if about == known.WHOLE:
        for bucket, tasks in measured.buckets.items():
            yield Quantity(run, known.BUCKET, bucket, "tasks", tasks, known.COUNT, measured.tasks, source)
    for spent in measured.spending:
        for what, estimate in (
            (f"{spent.what} per rollout", spent.per_rollout),
            (f"{spent.what} per pass", spent.per_pass),
        ):
            if estimate is not None and estimate.value is not None:
                yield Quantity(run, about, name, what, estimate.value, known.AMOUNT, None, source)


def _task_of(ref: str) -> str:
    from blade.ref import Ref

    return Ref.parse(ref).task


def _outcome(ref: str, reward: float | None, standing: str, unmeasured: set[str], threshold: float) -> str:
    if ref in unmeasured or standing != "row" or reward is None:
        return "not measured"
    return "passed" if reward >= threshold else "failed"
