"""Failing rollouts that are looked into, call by call beside their passes and beside what is expected of them."""

from collections.abc import Iterable, Iterator

import numpy as np

from blade.explain.cases import Cases
from blade.explain.side_by_side import side_by_side
from blade.explain.two_sides import SideBySides, expected_sides, told
from blade.ref import Ref
from blade.report.dives import Pair


def sides_of(cases: Cases, pairs: Iterable[Pair]) -> Iterator[SideBySides]:
    """Each of these failing rollouts call by call beside its pass, and beside what is expected of it."""
    pairs = list(pairs)
    wanted = {str(ref.at(None)) for pair in pairs for ref in (pair.failing, pair.passing) if ref}
    tasks = {ref.task for ref in map(Ref.parse, wanted)}
    number = {ref: case for case, ref in _refs_of(cases, tasks) if ref in wanted}
    for pair in pairs:
        case = number.get(str(pair.failing.at(None)))
        partner = number.get(str(pair.passing)) if pair.passing else None
        if case is None:
            continue
        if partner is not None and (found := side_by_side(cases, case, partner)):
            yield told(found)
        if expected := expected_sides(cases, case):
            yield expected


def _refs_of(cases: Cases, tasks: set[str]) -> Iterator[tuple[int, str]]:
    """The rollouts of tasks of these names, with their refs."""
    for run, panel in enumerate(cases.panels):
        named = np.flatnonzero(np.isin(panel.task, [place for place, name in enumerate(panel.tasks) if name in tasks]))
        for case in (cases.starts[run] + named).tolist():
            yield case, cases.ref(case)
