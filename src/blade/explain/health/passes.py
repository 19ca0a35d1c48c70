"""Passes that should perhaps not count: the model worked on the tests or the verifier rather than on the task."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from blade.detect.detectors import all_detectors
from blade.explain.health.registry import Subject, check, rollouts, tasks
from blade.explain.mode import first_places
from blade.explain.records import Finding, Quote

_TAMPERED: Final = """
SELECT file, row, signal, step::BIGINT AS step, quote, coalesce(field, '') AS field FROM signals
WHERE standing = 'row' AND signal IN (SELECT unnest($signals)) ORDER BY file, row, nth
"""

MOST_COMMON: Final = 0.5
"""Share of a run's rollouts that show a signal, from which on it is how the benchmark works rather than a trick."""

_MOST_QUOTES: Final = 5


@check("suspicious pass")
def suspicious(subject: Subject) -> Iterator[Finding]:
    """Passing rollouts that edited tests, touched the verifier or wrote answers into the code."""
    cases = subject.cases
    rows = {row.name: row for row in all_detectors().values() if row.family == "tampering"}
    case, found = cases.rows(_TAMPERED, signals=list(rows))
    for name, row in rows.items():
        chosen = found["signal"] == name
        if not chosen.any():
            continue
        steps = np.array([-1 if step is None else step for step in found["step"][chosen]], dtype=np.int64)
        shown, at = first_places(case[chosen], steps)
        passes = cases.passed[shown]
        if not passes.any() or len(shown) > MOST_COMMON * max(1, int(cases.measured.sum())):
            continue
        own, places = shown[passes], at[passes]
        texts, fields = found["quote"][chosen].tolist(), found["field"][chosen].tolist()
        quotes: dict[int, Quote] = {}
        for number, step, text, field in zip(case[chosen].tolist(), steps.tolist(), texts, fields, strict=True):
            quotes.setdefault(number, Quote(ref=cases.ref(number, step), text=text, field=field))
        concerned = np.unique(cases.task[own])
        yield Finding(
            kind="suspicious pass",
            title=f"{rollouts(len(own))} of {tasks(len(concerned))} passed, and {_lowered(row.title)}",
            why=f"{row.meaning} {row.but}",
            tasks=subject.task_names(concerned),
            refs=subject.refs(own, places.tolist()),
            quotes=[quotes[number] for number in own[:_MOST_QUOTES].tolist()],
        )


def _lowered(title: str) -> str:
    return title[:1].lower() + title[1:]
