"""The rules of a profile, held against every rollout of an analysis."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from blade.detect.detectors import all_detectors
from blade.errors import InputError, QueryError
from blade.explain.cases import Cases
from blade.measure.panel import Numbers
from blade.profile import Rule
from blade.scan.rules import SECONDS, Rules, signal_name

_FIRST_STEPS: Final = """
SELECT file, row, min(step)::BIGINT AS step FROM signals
WHERE standing IN ('row', 'failed') AND signal IN (SELECT unnest($signals)) AND step IS NOT NULL
GROUP BY ALL ORDER BY file, row
"""


class Held(NamedTuple):
    """A rule, and the rollouts that it holds for."""

    rule: Rule
    cases: Numbers


def modes_held(cases: Cases) -> Iterator[Held]:
    """The failure modes of the profile; none where there is no profile."""
    yield from _held(cases, cases.profile.modes if cases.profile else ())


def stages_held(cases: Cases) -> Iterator[Held]:
    """The stages of the profile."""
    yield from _held(cases, cases.profile.stages if cases.profile else ())


def rules_of(cases: Cases) -> Iterator[Rules]:
    """What rules are asked of; one, for `Cases.once`."""
    yield Rules(cases.store.connection)


def _held(cases: Cases, rules: tuple[Rule, ...]) -> Iterator[Held]:
    for rule in rules:
        yield Held(rule, holding(cases, rule))


def steps_shown(cases: Cases, held: Held) -> Numbers:
    """Of each rollout that a rule holds for the first step with a signal that the rule names; -1 for none."""
    steps = np.full(len(held.cases), -1)
    named = [name for name in all_detectors() if re.search(rf"\b{signal_name(name)}\b", held.rule.when)]
    if named and len(held.cases):
        case, found = cases.rows(_FIRST_STEPS, signals=named)
        shown = np.isin(case, held.cases)
        steps[np.searchsorted(held.cases, case[shown])] = found["step"][shown]
    return steps


def holding(cases: Cases, rule: Rule, seconds: float = SECONDS) -> Numbers:
    """The rollouts that a rule holds for; `InputError` with its line where it cannot be run."""
    try:
        found = cases.once(rules_of)[0].holding(rule.when, seconds)
    except QueryError as error:
        path = cases.profile.path if cases.profile else ""
        raise InputError(f"rule of “{rule.name}”: {error.text}", file=path, line=rule.line, hint=error.hint) from None
    case = cases.find(np.asarray(found.file, dtype=np.int64), np.asarray(found.row, dtype=np.int64))
    return np.unique(case[case >= 0])
