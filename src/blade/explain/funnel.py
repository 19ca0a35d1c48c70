"""The way to a pass, stage by stage, derived from the data: how far rollouts come, and where most are lost.

A profile may name the stages. Else a stage is something that (nearly) every pass went through. Which stages there are
depends on the runs: where passes make no calls there is no stage `acted`; a true-or-false field that every pass shares
is a stage of its own.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import numpy as np

from blade.explain.cases import Cases
from blade.explain.causes import names_merit
from blade.explain.fields import Field
from blade.explain.records import Stage
from blade.explain.rules import Held, stages_held
from blade.measure.panel import Numbers

NEARLY_ALL: Final = 0.98
"""Share of passes that went through what is to be a stage."""

MOST_FIELDS: Final = 4

_ACTED: Final = "SELECT DISTINCT file, row FROM actions WHERE standing IN ('row', 'failed')"
_ANSWERED: Final = "SELECT file, row FROM rollouts WHERE answer_step IS NOT NULL"


def stages_of(cases: Cases, fields: list[Field]) -> list[tuple[str, Numbers]]:
    """The stages of the analysis in order, each with the rollouts that it counts; the last is `passed`."""
    if own := cases.once(stages_held):
        return _as_told(cases, own)
    there = np.array([place >= 0 for panel in cases.panels for place in panel.place[:, 0].tolist()], dtype=bool)
    acted, answered = (cases.mask(cases.rows(query)[0]) for query in (_ACTED, _ANSWERED))
    by_field = field_stages(cases, fields)
    known = [("started", there), ("acted", acted), ("answered", answered)]
    known += [stage for stage in by_field if not names_merit(stage[0])]
    known += [("judged", cases.measured), *(stage for stage in by_field if names_merit(stage[0]))]
    reached = np.ones(len(cases), dtype=bool)
    found = []
    for name, shows in known:
        if _is_stage(cases, shows) and (cases.passed | (reached & shows)).any():
            reached = cases.passed | (reached & shows)
            found.append((name, reached))
    return [*found, ("passed", cases.passed)]


def _as_told(cases: Cases, stages: list[Held]) -> list[tuple[str, Numbers]]:
    """The stages of the profile: each is reached by those who reached the one before."""
    reached = np.ones(len(cases), dtype=bool)
    found = []
    for rule, shown in stages:
        reached = cases.passed | (reached & cases.mask(shown))
        found.append((rule.name, reached))
    return [*found, ("passed", cases.passed)]


def _is_stage(cases: Cases, shows: Numbers) -> bool:
    passes = int(cases.passed.sum())
    return not passes or int((shows & cases.passed).sum()) >= NEARLY_ALL * passes


def field_stages(cases: Cases, fields: list[Field]) -> list[tuple[str, Numbers]]:
    """True-or-false fields that passes share and some failures do not, those first that more rollouts reach."""
    found = []
    for field in fields:
        for value in field.values:
            shows = cases.mask(value.cases)
            if not value.boolean or field.restates or not _is_stage(cases, shows) or not cases.passed.any():
                continue
            lost = cases.failed & ~shows
            if lost.any() and (cases.failed & shows).any():
                name = field.name if value.value == "true" else f"not {field.name}"
                found.append((name, shows))
    return sorted(found, key=lambda stage: (-int(stage[1].sum()), stage[0]))[:MOST_FIELDS]


def funnel(cases: Cases, run: int, stages: list[tuple[str, Numbers]]) -> list[Stage]:
    """The stages of one run."""
    return list(_counted(cases, run, stages))


def _counted(cases: Cases, run: int, stages: list[tuple[str, Numbers]]) -> Iterator[Stage]:
    span, panel = cases.of_run(run), cases.panels[run]
    owed = len(panel.task) + panel.anonymous
    yield Stage(stage="owed", reached=owed, share=1.0 if owed else 0.0)
    for name, reached in stages:
        count = int(reached[span].sum())
        yield Stage(stage=name, reached=count, share=count / owed if owed else 0.0)


def largest_drop(stages: list[Stage]) -> str | None:
    """The stage that loses most of those who came as far as the one before; None where none is lost."""
    drops = [(before.reached - after.reached, after.stage) for before, after in pairwise(stages)]
    lost, stage = max(drops, key=lambda drop: drop[0], default=(0, None))
    return stage if lost else None
