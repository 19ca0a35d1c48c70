"""Charts of findings: which numbers go into which picture, and what each picture is called."""

from collections.abc import Iterator
from typing import Final

from blade.explain.records import Explained, ModeShare, RunFailures
from blade.measure.rates import Estimate as Rate
from blade.measure.run import RunMetrics
from blade.report.charts.buckets import Buckets, RunBuckets
from blade.report.charts.drift import Drift, ModeSeries
from blade.report.charts.estimate import Estimate
from blade.report.charts.funnel import Funnel, Stage
from blade.report.charts.heat_map import HeatMap
from blade.report.charts.heat_map import Task as HeatTask
from blade.report.charts.intervals import POINTS, SHARE, Intervals
from blade.report.charts.intervals import Row as IntervalRow
from blade.report.charts.pass_curve import Curve, PassCurve
from blade.report.charts.spent import Box, RunSpent, Spent
from blade.report.charts.waterfall import Term, Waterfall
from blade.report.findings import Findings
from blade.report.pieces import Picture
from blade.report.remembered import Spread

_MOST_SLICES: Final = 16
_FROM_RUNS: Final = 3
"""Runs from which on a series is told rather than a pair."""

_SPENT: Final = ("output tokens", "total tokens", "seconds", "steps")
"""What is drawn of what rollouts spend, as far as rows tell it."""

_MOST_SPENT: Final = 2


def when(picture: Picture | None) -> Iterator[Picture]:
    """A picture, where there is one."""
    if picture is not None:
        yield picture


def waterfall(one: Explained) -> Picture:
    """The difference, term by term."""
    baseline, candidate = (rate or 0.0 for rate in one.rates)
    return Picture(
        chart=Waterfall(
            title=f"From {one.baseline} to {one.candidate}: what changed pass@1",
            description="Each bar is a failure mode; to the left it costs the candidate more than the baseline.",
            baseline=one.baseline,
            candidate=one.candidate,
            rates=(baseline, candidate),
            terms=tuple(
                Term(
                    label=term.title,
                    points=term.points,
                    low=term.low,
                    high=term.high,
                    within_noise=term.within_noise,
                    cause=term.cause,
                )
                for term in one.terms
            ),
            delta=Estimate(one.delta.value, one.delta.low, one.delta.high),
        )
    )


def rates(findings: Findings) -> Picture | None:
    """pass@1 of every run, and what else its repeats tell."""
    runs = [run for run in findings.metrics if _known(run, "pass@1")]
    if not runs:
        return None
    rows = [IntervalRow(label="pass@1", estimates=tuple(_estimate(run.metrics.get("pass@1")) for run in runs))]
    if any(run.usual_repeats > 1 for run in runs):
        for label, name in (("pass@K", "pass@{}"), ("pass^K", "pass^{}"), ("consistency", "consistency")):
            found = tuple(_estimate(run.metrics.get(name.format(run.usual_repeats))) for run in runs)
            rows.append(IntervalRow(label=label, estimates=found, note=_ks(runs) if "K" in label else ""))
    return Picture(
        spoken=False,
        chart=Intervals(
            title="Rates with their 95 % intervals",
            description="A mark is a rate, the line through it its interval over tasks.",
            rows=tuple(rows),
            series=tuple(run.run for run in runs),
            unit=SHARE,
        ),
    )


def _ks(runs: list[RunMetrics]) -> str:
    ks = sorted({run.usual_repeats for run in runs})
    return f"K = {' or '.join(map(str, ks))}"


def _known(run: RunMetrics, name: str) -> bool:
    found = run.metrics.get(name)
    return found is not None and found.value is not None


def _estimate(found: Rate | None) -> Estimate:
    return Estimate(found.value, found.low, found.high) if found else Estimate(None)


def slices(findings: Findings) -> Picture | None:
    """pass@1 of every slice."""
    places = list(dict.fromkeys((one.field, one.value) for run in findings.metrics for one in run.slices))
    if not places:
        return None
    rows = []
    for field, value in places[:_MOST_SLICES]:
        own = [
            next((one for one in run.slices if (one.field, one.value) == (field, value)), None)
            for run in findings.metrics
        ]
        estimates = tuple(_estimate(one.metrics.get("pass@1") if one else None) for one in own)
        tasks = max(one.tasks for one in own if one)
        rows.append(IntervalRow(label=value, estimates=estimates, group=field, note=f"{tasks:,} tasks"))
    return Picture(
        spoken=False,
        chart=Intervals(
            title="pass@1 by slice",
            description="A mark is the rate over the tasks of a slice, the line through it its 95 % interval.",
            rows=tuple(rows),
            series=tuple(run.run for run in findings.metrics),
            unit=SHARE,
        ),
    )


def slice_deltas(one: Explained) -> Picture | None:
    """How much each slice changed."""
    if len(one.slices) < 2:
        return None
    rows = tuple(
        IntervalRow(
            label=each.value,
            estimates=(Estimate(each.delta, each.low, each.high),),
            group=each.field,
            note=f"{each.tasks:,} tasks",
        )
        for each in one.slices[:_MOST_SLICES]
    )
    return Picture(
        spoken=False,
        chart=Intervals(
            title=f"Change by slice, {one.candidate} against {one.baseline}",
            description="A mark is the change over the tasks of a slice in points, the line through it its interval.",
            rows=rows,
            unit=POINTS,
            reference=0.0,
            reference_label="no change",
        ),
    )


def pass_curve(findings: Findings) -> Picture | None:
    """pass@k and pass^k for every k that most tasks have."""
    curves = tuple(_curve(run) for run in findings.metrics if run.usual_repeats > 1)
    if not curves:
        return None
    return Picture(
        spoken=False,
        chart=PassCurve(
            title="pass@k and pass^k",
            description="pass@k is the chance that one of k rollouts passes, pass^k that all of them do.",
            curves=curves,
        ),
    )


def _curve(run: RunMetrics) -> Curve:
    ks = range(1, run.usual_repeats + 1)
    at, hat = (tuple(_estimate(run.metrics.get(f"{kind}{k}")) for k in ks) for kind in ("pass@", "pass^"))
    return Curve(run=run.run, at=at, hat=hat)


def funnel(findings: Findings) -> Picture | None:
    """The stages of every run."""
    runs = [run for run in findings.runs if run.funnel]
    if not runs:
        return None
    names = list(dict.fromkeys(stage.stage for run in runs for stage in run.funnel[1:]))
    stages = tuple(Stage(label=name, reached=tuple(_reached(run, name) for run in runs)) for name in names)
    return Picture(
        spoken=False,
        chart=Funnel(
            title="How far rollouts come",
            description="Rollouts that reach each stage, of those that are there or owed.",
            runs=tuple(run.run for run in runs),
            totals=tuple(run.funnel[0].reached for run in runs),
            stages=stages,
        ),
    )


def _reached(run: RunFailures, name: str) -> int:
    return next((stage.reached for stage in run.funnel if stage.stage == name), 0)


def buckets(findings: Findings) -> Picture:
    """Tasks of every run by bucket."""
    return Picture(
        spoken=False,
        chart=Buckets(
            title="Tasks by what their rollouts do",
            description="Each bar is all tasks of a run.",
            runs=tuple(RunBuckets(run=run.run, tasks=run.buckets) for run in findings.runs),
        ),
    )


def heat_map(findings: Findings) -> Picture | None:
    """Tasks over runs."""
    names = findings.names
    by_task: dict[str, dict[str, tuple[int, int]]] = {}
    for label in findings.analysis.tasks:
        by_task.setdefault(label.task, {})[label.run] = (label.passed, label.measured)
    if not by_task:
        return None
    return Picture(
        chart=HeatMap(
            title="Every task in every run",
            description="A cell is the share of a task's measured rollouts that pass, the tasks that changed first.",
            runs=tuple(names),
            tasks=tuple(
                HeatTask(task=task, cells=tuple(found.get(run) for run in names)) for task, found in by_task.items()
            ),
        )
    )


def spent(findings: Findings) -> list[Picture]:
    """What passes and failures spend, for the first few things that rows tell of."""
    told = [what for what in _SPENT if any(spread.what == what for spread in findings.spent)]
    return [_spent(findings, what) for what in told[:_MOST_SPENT]]


def _spent(findings: Findings, what: str) -> Picture:
    runs = tuple(
        RunSpent(
            run=run,
            passed=_box(findings.spent, run, what, passed=True),
            failed=_box(findings.spent, run, what, passed=False),
        )
        for run in findings.names
    )
    return Picture(
        chart=Spent(
            title=f"{what.capitalize()} of passes against failures",
            description="A box holds the middle half of the rollouts, the line in it the median; whiskers hold 90 %.",
            what=what,
            runs=runs,
        )
    )


def _box(spreads: list[Spread], run: str, what: str, *, passed: bool) -> Box | None:
    wanted = (run, what, passed)
    found = next((each for each in spreads if (each.run, each.what, each.passed) == wanted), None)
    if found is None:
        return None
    low, quarter, median, three_quarters, high = found.percentiles
    return Box(low=low, quarter=quarter, median=median, three_quarters=three_quarters, high=high, count=found.rollouts)


def drift(findings: Findings) -> Picture | None:
    """Modes over a series of runs."""
    if len(findings.runs) < _FROM_RUNS:
        return None
    keys = list(dict.fromkeys(mode.mode for run in findings.runs for mode in run.modes))
    return Picture(
        chart=Drift(
            title="Failure modes over the runs",
            description="The line is pass@1, the areas are the rollouts that fail with each mode.",
            runs=tuple(findings.names),
            scores=tuple(_estimate(run.metrics.get("pass@1")) for run in findings.runs),
            modes=tuple(_series(findings, key) for key in keys),
        )
    )


def _series(findings: Findings, key: str) -> ModeSeries:
    own = [next((mode for mode in run.modes if mode.mode == key), None) for run in findings.runs]
    first: ModeShare = next(mode for mode in own if mode)
    shares = tuple(
        (mode.rollouts if mode else 0) / run.rollouts if run.rollouts else None
        for mode, run in zip(own, findings.runs, strict=True)
    )
    return ModeSeries(label=first.title, shares=shares, cause=first.cause)
