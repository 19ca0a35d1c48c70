"""`metrics/<run>.json`: the metrics of one run as a flat map, as dashboards read it."""

from typing import Any, Final

from blade import content
from blade.measure.run import RunMetrics
from blade.ref import encode
from blade.report.findings import Findings
from blade.scan.summary import RunSummary

_LONGEST_NAME: Final = 120


def metrics_of(findings: Findings, run: RunMetrics) -> dict[str, Any]:
    """Rates over measured rollouts, 0 to 1; counts of rows as they stand in the file."""
    summary = next(each for each in findings.inventory if each.run == run.run)
    k = run.usual_repeats
    return {
        "run": run.run,
        "model_name": run.model,
        "agent_name": run.agent,
        "benchmark": findings.benchmark,
        "pass_rule": run.pass_rule,
        "pass_at_1": _value(run, "pass@1"),
        "pass_at_1_low": _end(run, "low"),
        "pass_at_1_high": _end(run, "high"),
        "pass_at_k": _value(run, f"pass@{k}"),
        "pass_hat_k": _value(run, f"pass^{k}"),
        "k": k,
        "consistency": _value(run, "consistency"),
        "retry_value": _value(run, "retry_value"),
        "coverage": _value(run, "coverage"),
        "mean_reward": mean_over_rows(run),
        "pass_at_1_not_measured_as_failed": run.not_measured_as_failed,
        **_counts(run, summary),
    }


def _counts(run: RunMetrics, summary: RunSummary) -> dict[str, int]:
    return {
        "total_tasks": summary.tasks,
        "total_rollouts": summary.rows - summary.duplicates,
        "measured_rollouts": run.measured,
        "passed_rollouts": run.passed,
        "not_measured_rollouts": run.rollouts - run.measured,
        **{f"{bucket}_tasks": count for bucket, count in run.buckets.items()},
    }


def _value(run: RunMetrics, name: str) -> float | None:
    found = run.metrics.get(name)
    return found.value if found else None


def _end(run: RunMetrics, end: str) -> float | None:
    found = run.metrics.get("pass@1")
    return getattr(found, end) if found else None


def mean_over_rows(run: RunMetrics) -> float | None:
    """The mean reward of measured rollouts, where every row weighs the same."""
    told = [(task.mean_reward, task.measured) for task in run.by_task if task.mean_reward is not None]
    rows = sum(measured for _, measured in told)
    return sum(mean * measured for mean, measured in told) / rows if rows else None


def file_name(run: str) -> str:
    """The name of a run's file: what a file system would not take is percent-encoded, what is too long is cut."""
    name = encode(run).replace("\\", "%5C")
    shown = name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}-{content.digest(run)}"
    return f"{shown}.json"
