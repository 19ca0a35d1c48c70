"""Signals of the store as modes: each a predicate over all rollouts, named as its detector names it."""

from collections.abc import Iterator

import numpy as np

from blade.detect.detectors import all_detectors
from blade.detect.signal import Detector
from blade.explain import causes
from blade.explain.cases import Cases
from blade.explain.mode import Mode, first_places
from blade.measure.panel import Numbers

_SHOWN = """
SELECT file, row, signal, coalesce(kind, '') AS kind, min(step)::BIGINT AS step
FROM (SELECT file, row, signal, step, regexp_extract(detail, '([^:]*)$', 1) AS kind FROM signals
      WHERE standing IN ('row', 'failed') AND signal IN (SELECT unnest($signals))
      AND NOT (contains(signal, 'limit') AND regexp_matches(coalesce(quote, ''), $answers)))
GROUP BY ALL ORDER BY signal, kind
"""
"""Of each rollout and signal the first step that shows it; `kind` is what the detail ends with, behind its tool."""

_DETAILS = """
SELECT signal, detail, count(DISTINCT (file, row)) AS rollouts,
       sum(rollouts) OVER (PARTITION BY signal) AS of_signal
FROM signals WHERE standing IN ('row', 'failed') AND signal IN (SELECT unnest($signals)) AND detail <> ''
GROUP BY signal, detail
QUALIFY rollouts >= 3 AND rollouts > $usual * of_signal
"""

_USUAL = 0.6
_LONGEST_DETAIL = 60

BY_KIND = frozenset({"tool error", "tool error from infrastructure"})
"""Signals whose kinds are modes of their own."""


def modes_of(cases: Cases, role: str) -> Iterator[Mode]:
    """A mode for every signal of a role that any rollout shows, in the order of the registry."""
    rows = [row for row in all_detectors().values() if row.role == role]
    case, found = cases.rows(_SHOWN, signals=[row.name for row in rows], answers=causes.LIMITS_ANSWERS)
    steps = np.array([-1 if step is None else step for step in found["step"]], dtype=np.int64)
    details = _usual_details(cases, [row.name for row in rows])
    for row in rows:
        own = found["signal"] == row.name
        kinds = sorted(set(found["kind"][own])) if row.name in BY_KIND else [None]
        for kind in kinds if own.any() else []:
            chosen = own if kind is None else own & (found["kind"] == kind)
            title = f"{row.title}{details.get(row.name, '')}"
            yield _mode(row._replace(title=title), (kind or "").strip(), *first_places(case[chosen], steps[chosen]))


def _usual_details(cases: Cases, signals: list[str]) -> dict[str, str]:
    """Of each signal what it is about as a rule, where most rollouts agree; in brackets, ready for a title."""
    asked = {"signals": [name for name in signals if name not in BY_KIND], "usual": _USUAL}
    found = cases.store.connection.execute(_DETAILS, asked).fetchall()
    return {signal: f" ({detail})" for signal, detail, _, _ in found if len(detail) <= _LONGEST_DETAIL}


def _mode(row: Detector, kind: str, cases: Numbers, steps: Numbers) -> Mode:
    blame = causes.of_tool_error(kind) if kind else causes.Blame(row.cause, row.owner)
    return Mode(
        key=f"{row.name}: {kind}" if kind else row.name,
        title=f"{row.title}: {kind}" if kind else row.title,
        cause=blame.cause,
        owner=blame.owner,
        proof=row.role,
        cases=cases,
        steps=steps,
        rule=row.meaning,
    )
