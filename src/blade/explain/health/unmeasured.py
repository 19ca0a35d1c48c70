"""Rollouts that nobody judged, and rollouts that are not there."""

import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from blade.detect.detectors import all_detectors
from blade.explain.health.registry import Subject, check, rollouts
from blade.explain.mode import first_places
from blade.explain.records import Finding
from blade.measure.panel import summary_of

_ABOUT_LOSS: Final = re.compile(
    r"miss|lost|lose|drop|fail|crash|skip|incomplete|abort|kill|cancel|timed? ?out|outage|restart|disk|quota|stopp|absent|unfinished|partial|not (?:run|finish|complete)",
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"[^.!?\n]{3,400}[.!?\n]?")
_MOST_NOTES: Final = 3

_JUDGE_SIGNALS: Final = """
SELECT file, row, coalesce(step, -1)::BIGINT AS step FROM signals
WHERE standing IN ('row', 'failed') AND signal IN (SELECT unnest($signals))
"""


@check("judge error")
def judge_errors(subject: Subject) -> Iterator[Finding]:
    """Rollouts of which the judge or the verifier failed."""
    cases = subject.cases
    names = [row.name for row in all_detectors().values() if row.family == "verifier"]
    case, found = cases.rows(_JUDGE_SIGNALS, signals=names)
    shown = np.zeros(len(cases), dtype=bool)
    steps = np.full(len(cases), -1)
    signalled, at = first_places(case, found["step"].astype(np.int64))
    steps[signalled] = at
    shown[signalled[~cases.passed[signalled]]] = True
    for number in np.flatnonzero(~cases.measured).tolist():
        verdict = cases.verdict(number)
        shown[number] |= verdict is not None and verdict.why == "verifier"
    for run, panel in enumerate(cases.panels):
        own = np.flatnonzero(shown & (cases.run == run))
        if not len(own):
            continue
        counted = int(cases.failed[own].sum())
        details = [verdict.detail for each in own.tolist() if (verdict := cases.verdict(each)) and verdict.detail]
        why = f"For example: {details[0]}" if details else "A field of their rows says so."
        if counted:
            why += f" {rollouts(counted)} of them {'counts' if counted == 1 else 'count'} as failed all the same."
        yield Finding(
            kind="judge error",
            title=f"The judge or the verifier failed on {rollouts(len(own))} of {panel.run}",
            why=why,
            tasks=subject.task_names(cases.task[own]),
            refs=subject.refs(own, steps[own].tolist()),
            run=panel.run,
        )


@check("missing rows")
def missing(subject: Subject) -> Iterator[Finding]:
    """Rollouts that are owed and not there, with what the run's own notes say of it."""
    cases = subject.cases
    for run, panel in enumerate(cases.panels):
        span = cases.of_run(run)
        absent = np.array(
            [
                number
                for number in range(span.start, span.stop)
                if (verdict := cases.verdict(number)) and verdict.why == "missing"
            ],
            dtype=np.int64,
        )
        count = len(absent) + panel.anonymous
        if not count:
            continue
        summary = summary_of(cases.store, panel.run)
        owed = span.stop - span.start + panel.anonymous
        where = f"Owed by the {summary.expected_from}" if summary.expected_from else "Owed"
        why = f"{where}, and neither among the rollouts nor among the failures."
        if panel.anonymous:
            why += f" Of {panel.anonymous:,} of them nobody knows the task."
        yield Finding(
            kind="missing rows",
            title=f"{count:,} of the {rollouts(owed)} that {panel.run} owes are not there",
            why=" ".join([why, *_notes(summary.notes)]),
            tasks=subject.task_names(cases.task[absent]),
            refs=subject.refs(absent),
            run=panel.run,
        )


def _notes(text: str | None) -> Iterator[str]:
    """What the run's own notes say of losses."""
    told = [found[0].strip() for found in _SENTENCE.finditer(text or "") if _ABOUT_LOSS.search(found[0])]
    for sentence in told[:_MOST_NOTES]:
        yield f"Its notes say: “{sentence.lstrip('-*#> ')}”"
