"""`analysis.json`: everything that a report says, for programs, in the shape of the outputs contract.

Shares and rates are 0 to 1; points are percentage points of pass@1. `refs` are complete: one for every rollout.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from blade.explain.records import (
    SCHEMA,
    Counterfactual,
    Explained,
    Finding,
    Intervention,
    ModeShare,
    Predictor,
    RunFailures,
    Stage,
    TaskLabel,
)
from blade.measure.rates import Bounds, Estimate
from blade.measure.run import Contradiction, NotMeasured, RunMetrics, SliceMetrics
from blade.measure.shipped.report import SourceCheck
from blade.measure.spending import Spent
from blade.report.findings import Findings, Input
from blade.scan.summary import RunSummary
from blade.version import __version__

_SAMPLING: Final = ("temperature", "top_p", "max_output_tokens", "reasoning_effort")


class SkippedLine(msgspec.Struct, kw_only=True):
    """A line that could not be read."""

    file: str
    line: int
    why: str


class Run(msgspec.Struct, kw_only=True):
    """One run: what it was, what it scored, why it fails."""

    run: str
    model: str | None
    agent: str | None
    sampling: dict[str, Any]
    """What its rows say of temperature, top_p, max_output_tokens and reasoning_effort; a list where they differ."""
    skills: str | None
    """Hash of its skills, where its rows name one."""
    rows: int
    measured: int
    failed: int
    expected: int | None
    tasks: int
    repeats: int
    """The median of measured rollouts of a task: K of the headline."""
    repeats_range: list[int]
    """Fewest, median and most."""
    rollouts: int
    """Rollouts that are there or owed."""
    duplicates: int
    skipped: list[SkippedLine]
    """Lines that could not be read, the first hundred."""
    skipped_count: int
    not_measured: list[NotMeasured]
    contradictions: list[Contradiction]
    metrics: dict[str, Estimate]
    metrics_as_failed: dict[str, Estimate]
    """The same with everything that is not measured counted as failed."""
    worst_case: Bounds
    not_measured_as_failed: float | None
    buckets: dict[str, int]
    funnel: list[Stage]
    largest_drop: str | None
    modes: list[ModeShare]
    causes: dict[str, int]
    """Cause to failing and not-measured rollouts."""
    unexplained: float | None
    spending: list[Spent]
    slices: list[SliceMetrics]
    shipped: list[SourceCheck]
    warnings: list[str]


class Unread(msgspec.Struct, kw_only=True):
    """Rows that are not in the numbers."""

    what: str
    rows: int
    why: str


class AnalysisFile(msgspec.Struct, kw_only=True):
    """What BLADE knows of some runs."""

    schema: str = SCHEMA
    made_by: str
    """The version that wrote it."""
    inputs: list[Input]
    """Files that were read."""
    benchmark: str | None
    """What configs or rows call it, where all that say it agree."""
    pass_rule: str
    seed: int
    """Of everything that is drawn."""
    estimand: str
    """What intervals speak of."""
    level: float
    """How often intervals should hold the truth."""
    runs: list[Run]
    """The baseline first."""
    comparisons: list[Explained]
    """Every other run against the baseline."""
    tasks: list[TaskLabel]
    """Every task of every run."""
    predictors: list[Predictor]
    """Values of fields that go with failure."""
    health: list[Finding]
    """What must be known of the benchmark, and of the runs as measurements."""
    interventions: list[Intervention]
    """The most gain first."""
    counterfactual: list[Counterfactual]
    """What the run that the interventions speak of would score, row by row."""
    unread: list[Unread]
    warnings: list[str]


def analysis_of(findings: Findings) -> AnalysisFile:
    """The whole file."""
    analysis, settings = findings.analysis, findings.settings
    inventory = {summary.run: summary for summary in findings.inventory}
    return AnalysisFile(
        made_by=f"blade {__version__}",
        inputs=findings.inputs,
        benchmark=findings.benchmark,
        pass_rule=analysis.pass_rule,
        seed=settings.seed,
        estimand=settings.estimand,
        level=settings.level,
        runs=[_run(run, findings.measured(run.run), inventory[run.run]) for run in analysis.runs],
        comparisons=analysis.comparisons,
        tasks=analysis.tasks,
        predictors=analysis.predictors,
        health=analysis.health,
        interventions=analysis.interventions,
        counterfactual=analysis.counterfactual,
        unread=list(_unread(findings)),
        warnings=analysis.warnings,
    )


def _run(run: RunFailures, measured: RunMetrics, summary: RunSummary) -> Run:
    skills = _said(summary, "skills_hash")
    return Run(
        run=run.run,
        model=run.model,
        agent=run.agent,
        sampling={trait: _said(summary, trait) for trait in _SAMPLING},
        skills=skills if isinstance(skills, str) else None,
        rows=run.rows,
        measured=run.measured,
        failed=run.failed,
        expected=run.expected,
        tasks=run.tasks,
        repeats=measured.usual_repeats,
        repeats_range=measured.repeats,
        rollouts=run.rollouts,
        duplicates=summary.duplicates,
        skipped=[SkippedLine(file=skip.file, line=skip.line, why=skip.why) for skip in summary.skipped],
        skipped_count=summary.skipped_count,
        not_measured=run.not_measured,
        contradictions=measured.contradictions,
        metrics=measured.metrics,
        metrics_as_failed=measured.metrics_as_failed,
        worst_case=run.worst_case,
        not_measured_as_failed=measured.not_measured_as_failed,
        buckets=run.buckets,
        funnel=run.funnel,
        largest_drop=run.largest_drop,
        modes=run.modes,
        causes={each.cause: each.rollouts for each in run.causes},
        unexplained=run.unexplained,
        spending=measured.spending,
        slices=measured.slices,
        shipped=measured.shipped,
        warnings=measured.warnings,
    )


def _said(summary: RunSummary, trait: str) -> Any:
    """What the rows of a run say of a trait: one value, several as a list, nothing as null."""
    values = [
        value for each in summary.identity if each.trait == trait for value, _ in each.values if value is not None
    ]
    return values[0] if len(values) == 1 else values or None


def _unread(findings: Findings) -> Iterator[Unread]:
    for run in findings.inventory:
        for what, rows, why in (
            ("lines", run.skipped_count, "they could not be read"),
            ("duplicate rows", run.duplicates, "their task and repeat already has a row"),
            ("missing rollouts", run.missing_count, "they are owed and not there"),
            ("rows without a trajectory", run.without_steps, "there are no steps to read"),
        ):
            if rows:
                yield Unread(what=f"{run.run}: {what}", rows=rows, why=why)
