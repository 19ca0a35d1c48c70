"""The document of a diagnosis that is never wrong, made from the truth: what the scorer must find perfect."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from bench.diagnosis.cases import SPECIAL
from bench.diagnosis.score import concerned_by
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
from examples.worlds import WORLDS


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
        "health": [*_findings(truth)],
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


def _findings(truth: Truth) -> Iterator[dict[str, Any]]:
    kinds = {**SPECIAL, **{name: fault.finding for world in WORLDS.values() for name, fault in world.faults.items()}}
    for kind, finding in kinds.items():
        if finding and (tasks := concerned_by(kind, truth)):
            yield {"kind": finding, "tasks": sorted(tasks), "refs": []}


def ref(told: Told) -> str:
    """Return the ref of a rollout."""
    return f"{told.run}:{told.task}/{told.repeat}"
