"""Aggregate Results: every rate with its interval and denominator, by run and by slice, and what it cost."""

from collections.abc import Iterable, Iterator
from typing import Final

from blade import numbers
from blade.measure.rates import Estimate
from blade.measure.run import RunMetrics
from blade.report import pictures, saying
from blade.report.findings import Findings
from blade.report.pieces import RIGHT, Code, Column, Fold, Line, Note, Paragraph, Piece, Row, Table
from blade.vocabulary import ESTIMANDS, RATES

_MOST_SLICES: Final = 60


def write(findings: Findings) -> Iterable[Piece]:
    """Rates, slices, spending."""
    yield _rates(findings)
    yield Paragraph(lines=list(_meaning(findings)))
    yield from pictures.when(pictures.rates(findings))
    yield from _not_measured(findings)
    yield from _passes_at(findings)
    yield from _slices(findings)
    yield from _spending(findings)


def _rates(findings: Findings) -> Table:
    """A run in each column; the rates that a reader asks for first."""
    runs = findings.metrics
    rows = [
        Row(cells=["tasks", *(f"{run.tasks:,}" for run in runs)]),
        Row(cells=["measured rollouts", *(saying.of(run.measured, run.rollouts) for run in runs)]),
        Row(cells=["pass@1", *(saying.share(run.metrics.get("pass@1")) for run in runs)]),
    ]
    usual = [run.usual_repeats for run in runs]
    for kind in ("pass@{}", "pass^{}"):
        if any(k > 1 for k in usual):
            rows.append(_at(kind, runs))
    for name, label in (("consistency", "consistency"), ("retry_value", "retry value"), ("coverage", "coverage")):
        if any(_known(run.metrics.get(name)) for run in runs) and (name == "coverage" or any(k > 1 for k in usual)):
            rows.append(Row(cells=[label, *(saying.share(run.metrics.get(name)) for run in runs)]))
    if any(run.graded for run in runs):
        rows.append(Row(cells=["mean reward", *(saying.amount(run.metrics.get("mean_reward")) for run in runs)]))
    if any(run.measured < run.rollouts for run in runs):
        rows += _other_denominators(runs)
    columns = [Column("what"), *(Column(run.run, RIGHT) for run in runs)]
    return Table(caption="Rates of every run, with 95 % intervals", columns=columns, rows=rows, brief=30)


def _known(found: Estimate | None) -> bool:
    return found is not None and found.value is not None


def _at(kind: str, runs: list[RunMetrics]) -> Row:
    """pass@K or pass^K at the headline K of each run."""
    ks = {run.usual_repeats for run in runs}
    label = kind.format(ks.pop()) if len(ks) == 1 else kind.format("K")
    cells = [
        saying.share(run.metrics.get(kind.format(run.usual_repeats))) + (f", K = {run.usual_repeats}" if ks else "")
        for run in runs
    ]
    return Row(cells=[label, *cells])


def _other_denominators(runs: list[RunMetrics]) -> list[Row]:
    return [
        Row(
            cells=[
                "pass@1, not measured as failed",
                *(saying.share(run.metrics_as_failed.get("pass@1")) for run in runs),
            ]
        ),
        Row(
            cells=[
                "pass@1, worst and best case",
                *(
                    f"{numbers.percent(run.worst_case.low)} to {numbers.percent(run.worst_case.high)}"
                    if run.worst_case.low is not None
                    else "not known"
                    for run in runs
                ),
            ]
        ),
    ]


def _meaning(findings: Findings) -> Iterator[Line]:
    """What passes, and what the intervals speak of; each rate once in words."""
    settings = findings.settings
    yield f"A rollout passes by the rule: {findings.analysis.pass_rule}."
    yield f"Intervals are clustered by task and speak of {settings.estimand}: {_lowered(ESTIMANDS[settings.estimand])}"
    if any(run.usual_repeats > 1 for run in findings.metrics):
        yield f"Consistency: {_lowered(RATES['consistency'])} Retry value: {RATES['retry_value']}"
    once = [run.run for run in findings.metrics if run.usual_repeats == 1]
    if once:
        yield (
            f"With one rollout for each task, {saying.listed(once)} cannot tell a task that varies from one that fails."
        )


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]


def _not_measured(findings: Findings) -> Iterator[Piece]:
    lost = [run for run in findings.metrics if run.measured < run.rollouts]
    if not lost:
        return
    lines: list[Line] = []
    for run in lost:
        value = run.metrics.get("pass@1")
        failed = run.metrics_as_failed.get("pass@1")
        if value and failed and value.value is not None and failed.value is not None:
            gap = numbers.points(100 * (value.value - failed.value), signed=False)
            lost_count = run.rollouts - run.measured
            lines.append(
                [
                    Code(run.run),
                    f" would stand {gap} points lower if its {numbers.counted(lost_count, 'rollout')} without a valid"
                    " verdict counted as failed.",
                ]
            )
    if lines:
        yield Paragraph(lines=lines)


def _passes_at(findings: Findings) -> Iterator[Piece]:
    """pass@k and pass^k for every k."""
    most = max((run.usual_repeats for run in findings.metrics), default=0)
    if most < 2:
        yield Note(
            line="pass@k beyond k = 1, consistency and retries need repeats: these runs have one rollout for each task."
        )
        return
    yield from pictures.when(pictures.pass_curve(findings))
    columns = [Column("rate"), *(Column(run.run, RIGHT) for run in findings.metrics)]
    rows = []
    for kind in ("pass@{}", "pass^{}", "avg-of-{}", "majority@{}"):
        for k in range(1, max(max(run.repeats, default=0) for run in findings.metrics) + 1):
            cells = [_with_tasks(run, kind.format(k)) for run in findings.metrics]
            if any(cells):
                rows.append(Row(cells=[kind.format(k), *(cell or "not known" for cell in cells)]))
    table = Table(caption="Every k, with the tasks that have as many measured rollouts", columns=columns, rows=rows)
    yield Fold(summary="pass@k, pass^k, averages and votes for every k", pieces=[table])


def _with_tasks(run: RunMetrics, name: str) -> str:
    found = run.metrics.get(name)
    return f"{saying.share(found)}, {numbers.counted(found.tasks, 'task')}" if found and found.value is not None else ""


def _slices(findings: Findings) -> Iterator[Piece]:
    """The rates of tasks that share a value."""
    places = list(dict.fromkeys((one.field, one.value) for run in findings.metrics for one in run.slices))
    if not places:
        yield Note(
            line=[
                "No field groups the tasks into few kinds, so there are no slices; ",
                Code("--by FIELD"),
                " slices by a field of your own.",
            ]
        )
        return
    yield from pictures.when(pictures.slices(findings))
    columns = [Column("slice"), Column("tasks", RIGHT), *(Column(run.run, RIGHT) for run in findings.metrics)]
    rows = []
    for field, value in places[:_MOST_SLICES]:
        own = [
            next((one for one in run.slices if (one.field, one.value) == (field, value)), None)
            for run in findings.metrics
        ]
        tasks = max(one.tasks for one in own if one)
        cells = [saying.share(one.metrics.get("pass@1")) if one else "none" for one in own]
        rows.append(Row(cells=[[Code(f"{field} = {value}")], f"{tasks:,}", *cells]))
    more = f", the first {_MOST_SLICES} of {len(places):,}" if len(places) > _MOST_SLICES else ""
    table = Table(caption=f"pass@1 by slice{more}", columns=columns, rows=rows, brief=20)
    yield Fold(summary=numbers.counted(len(places), "slice"), pieces=[table])


def _spending(findings: Findings) -> Iterator[Piece]:
    """What rollouts and passes cost."""
    kinds = list(dict.fromkeys(spent.what for run in findings.metrics for spent in run.spending))
    if not kinds:
        yield Note(line="The rows say nothing of tokens, time or cost.")
        return
    yield from pictures.spent(findings)
    columns = [Column("what"), *(Column(run.run, RIGHT) for run in findings.metrics)]
    rows = []
    for what in kinds:
        own = [next((spent for spent in run.spending if spent.what == what), None) for run in findings.metrics]
        rows.append(
            Row(
                cells=[
                    f"{what} per rollout",
                    *(saying.amount(each.per_rollout) if each else "not said" for each in own),
                ]
            )
        )
        if any(each and each.per_pass.value is not None for each in own):
            rows.append(
                Row(cells=[f"{what} per pass", *(saying.amount(each.per_pass) if each else "not said" for each in own)])
            )
    table = Table(caption="What rollouts spend, means over tasks", columns=columns, rows=rows, brief=20)
    yield Fold(summary="Tokens, steps, time and cost, for each rollout and for each pass", pieces=[table])
