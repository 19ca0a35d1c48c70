"""The words that show a mode: an exact quote of one of its rollouts."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from blade.explain.cases import Cases
from blade.explain.mode import Mode
from blade.explain.records import Quote
from blade.measure.panel import Numbers

_TRIED: Final = 3
"""Rollouts of a mode that are asked for a quote."""

_QUOTES: Final = """
WITH asked AS (SELECT unnest($files) AS file, unnest($rows) AS row, unnest($steps) AS step, unnest($signals) AS signal,
                      unnest($places) AS place),
calls AS MATERIALIZED (
    SELECT place, asked.file, asked.row, asked.step
    FROM asked SEMI JOIN actions a ON a.file = asked.file AND a.row = asked.row AND a.step = asked.step
),
told AS (
    SELECT asked.place, nth, quote, field
    FROM asked JOIN signals s ON s.file = asked.file AND s.row = asked.row AND coalesce(s.step, -1) = asked.step
                              AND s.signal = asked.signal
    UNION ALL
    SELECT asked.place, 1000, error_quote, ''
    FROM asked JOIN actions a ON a.file = asked.file AND a.row = asked.row AND a.result_step = asked.step
    UNION ALL
    SELECT place, 1500, left(step_text(file, row, step), 300), '' FROM calls
    UNION ALL
    SELECT asked.place, 2000, left(answer, 200), ''
    FROM asked JOIN rollouts r ON r.file = asked.file AND r.row = asked.row AND r.answer_step = asked.step
)
SELECT DISTINCT ON (place) place, quote, coalesce(field, '') FROM told WHERE length(quote) > 0
ORDER BY place, nth, quote, field
"""
"""What the mode's own signal says there; else the error that a tool answered with, the call, or the answer."""


class Asked(NamedTuple):
    """A mode, and the rollouts of one run that have it."""

    mode: Mode
    cases: Numbers


def examples(cases: Cases, asked: Iterable[Asked]) -> dict[str, Quote]:
    """Of each mode, by its key, a quote that shows it in the first of its rollouts that has one."""
    places = [(each.mode, case) for each in asked for case in each.cases[:_TRIED].tolist()]
    if not places:
        return {}
    at = [(*cases.place(case), mode.step_of(case), mode.key.split(":")[0]) for mode, case in places]
    files, rows, steps, signals = (list(column) for column in zip(*at, strict=True))
    parameters = {"files": files, "rows": rows, "steps": steps, "signals": signals, "places": list(range(len(places)))}
    found: dict[str, Quote] = {}
    for place, text, field in cases.store.connection.execute(_QUOTES, parameters).fetchall():
        mode, case = places[place]
        found.setdefault(mode.key, Quote(ref=cases.ref(case, mode.step_of(case)), text=text, field=field))
    return found
