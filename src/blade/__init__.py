"""BLADE: why did the score change?

    import blade

    with blade.load("runs/") as store:
        for run in store.summaries:
            print(run.run, run.rows, run.reward.mean)
        print(store.sql("select tool, count(*) from actions group by 1").rows)
        for run in blade.metrics(store):
            print(run.run, run.metrics["pass@1"])
        for comparison in blade.compare(store):
            print(comparison.candidate, comparison.verdict, comparison.delta)
        for comparison in blade.why(store).comparisons:
            print(*comparison.answer)

    for rollout in blade.read("runs/model_a_rollouts.jsonl"):   # rollout by rollout, nothing stored
        ...

Names are loaded when they are first used, so that importing the package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from blade.version import __version__ as __version__

if TYPE_CHECKING:
    from blade.artifacts.discover import RunFiles, find_runs
    from blade.doors import compare, failures, fixes, health, load, metrics, read, resolve, why, write_report
    from blade.errors import BladeError, InputError, QueryError, RefError, StoreError
    from blade.explain.records import Analysis, Finding
    from blade.measure.comparison import Comparison
    from blade.measure.outcomes import PassRule
    from blade.measure.run import RunMetrics, Settings
    from blade.ref import Ref
    from blade.rollout import Rollout, Skipped, Step
    from blade.scan.cache import Cache
    from blade.scan.store import Options, Store
    from blade.scan.summary import RunSummary

_HOMES = {
    "Analysis": "blade.explain.records",
    "BladeError": "blade.errors",
    "Cache": "blade.scan.cache",
    "Comparison": "blade.measure.comparison",
    "Finding": "blade.explain.records",
    "InputError": "blade.errors",
    "Options": "blade.scan.store",
    "PassRule": "blade.measure.outcomes",
    "QueryError": "blade.errors",
    "Ref": "blade.ref",
    "RefError": "blade.errors",
    "Rollout": "blade.rollout",
    "RunFiles": "blade.artifacts.discover",
    "RunMetrics": "blade.measure.run",
    "RunSummary": "blade.scan.summary",
    "Settings": "blade.measure.run",
    "Skipped": "blade.rollout",
    "Step": "blade.rollout",
    "Store": "blade.scan.store",
    "StoreError": "blade.errors",
    "compare": "blade.doors",
    "failures": "blade.doors",
    "fixes": "blade.doors",
    "find_runs": "blade.artifacts.discover",
    "health": "blade.doors",
    "load": "blade.doors",
    "metrics": "blade.doors",
    "read": "blade.doors",
    "resolve": "blade.doors",
    "why": "blade.doors",
    "write_report": "blade.doors",
}

__all__ = [
    "Analysis",
    "BladeError",
    "Cache",
    "Comparison",
    "Finding",
    "InputError",
    "Options",
    "PassRule",
    "QueryError",
    "Ref",
    "RefError",
    "Rollout",
    "RunFiles",
    "RunMetrics",
    "RunSummary",
    "Settings",
    "Skipped",
    "Step",
    "Store",
    "StoreError",
    "compare",
    "failures",
    "find_runs",
    "fixes",
    "health",
    "load",
    "metrics",
    "read",
    "resolve",
    "why",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
