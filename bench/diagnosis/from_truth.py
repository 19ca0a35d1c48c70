"""The document of a diagnosis that is never wrong, made from the truth: what the scorer must find perfect."""

from collections import defaultdict
from typing import Any

from bench.diagnosis.truth import (
    FAILED,
    NOT_MEASURED,
    Told,
    Truth,
    is_beyond_noise,
    points,
    right_verdicts,
    task_points,
)


def perfect_document(truth: Truth) -> dict[str, Any]:
    """Return what `blade.why` would say if it knew all."""
    values = points(truth, lambda told: told.fault)
    return {
        "schema": "blade.analysis/1",
        "runs": [_run(run) for run in (truth.baseline, truth.candidate)],
        "comparisons": [
            {
                "verdict": sorted(right_verdicts(truth))[0],
                "delta": {"value": sum(values.values())},
                "terms": [_term(truth, fault) for fault in values],
            }
        ],
        "tasks": [],
        "health": [_finding(truth, "wrong gold", "wrong_gold")],
    }


def _run(run: tuple[Told, ...]) -> dict[str, Any]:
    groups: dict[str, list[Told]] = defaultdict(list)
    for told in run:
        if told.fault is not None and told.outcome in (FAILED, NOT_MEASURED):
            groups[told.fault].append(told)
    unmeasured = [ref(told) for told in run if told.outcome == NOT_MEASURED]
    return {
        "run": run[0].run,
        "modes": [
            {"mode": fault, "cause": group[0].cause, "owner": sorted(group[0].owners)[0], "refs": [*map(ref, group)]}
            for fault, group in groups.items()
        ],
        "not_measured": [{"why": "unknown", "rollouts": len(unmeasured), "refs": unmeasured}],
    }


def _term(truth: Truth, fault: str) -> dict[str, Any]:
    rollouts = [told for told in truth.rollouts if told.fault == fault and told.outcome == FAILED]
    values = task_points(truth, lambda told: told.fault)[fault]
    return {
        "mode": fault,
        "cause": rollouts[0].cause,
        "points": 100 * float(values.mean()),
        "within_noise": not is_beyond_noise(values),
        "refs": [*map(ref, rollouts)],
    }


def _finding(truth: Truth, kind: str, fault: str) -> dict[str, Any]:
    tasks = sorted({told.task for told in truth.rollouts if fault in told.occurred})
    return {"kind": kind, "tasks": tasks, "refs": []}


def ref(told: Told) -> str:
    """Return the ref of a rollout."""
    return f"{told.run}:{told.task}/{told.repeat}"
