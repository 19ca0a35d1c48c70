"""Fields of the rows that go with failure, found in the data; and those that only say again what the reward says.

A field is looked at where it has few values and is no property of the task: where rollouts of one task differ in it, or
where its name speaks of trouble. Where passes have many values it holds answers rather than kinds. A value restates the
reward where it stands in (nearly) all failures and no pass.
"""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Final, NamedTuple

import numpy as np

from blade.explain import causes
from blade.explain.cases import Cases
from blade.measure.panel import Numbers

MOST_VALUES: Final = 30
LONGEST_VALUE: Final = 120
FEWEST: Final = 3
"""Rollouts, of two tasks at least, that share a value, for it to be a kind of failure rather than an answer."""

NEVER: Final = 0.02
"""Share of passes with a value up to which it is taken to stand in failures alone: shipped rows hold slips."""

_KINDS_IN_PASSES: Final = 3

RESTATES: Final = 0.9
"""Share of failures that one value stands in, from which on the field says no more than the reward."""

_FIELDS: Final = """
SELECT name FROM fields
WHERE standing = 'row' AND kind IN ('text', 'boolean', 'null')
GROUP BY name
HAVING count(DISTINCT coalesce(text, number::VARCHAR)) BETWEEN 1 AND $most
   AND max(coalesce(length(text), 0)) <= $longest
   AND count(*) FILTER (hash IS NOT NULL) = 0 AND count(*) FILTER (kind <> 'null') > 1
   AND name NOT IN (SELECT DISTINCT name FROM input_fields)
ORDER BY name
"""

_KNOWN: Final = "standing = 'row' AND kind IN ('text', 'boolean') AND name IN (SELECT unnest($names))"

_KINDS: Final = f"""
SELECT DISTINCT name, field_text(kind, text, number) AS value FROM fields WHERE {_KNOWN} ORDER BY name, value
"""

_ROWS: Final = f"""
WITH kinds AS (SELECT unnest($kinds) AS name, unnest($values) AS value, unnest($codes) AS code)
SELECT file, row, code::BIGINT AS code
FROM (SELECT file, row, name, field_text(kind, text, number) AS value FROM fields WHERE {_KNOWN})
     JOIN kinds USING (name, value)
"""

_ABOUT_TROUBLE: Final = re.compile(
    r"error|fail|exception|violation|fault|invalid|missing|timeout|timed_out|diagnos|stop|finish"
    r"|(?:^|[_.])reasons?(?:[_.]|$)",
    re.IGNORECASE,
)
_MAY_BE_ABOUT_TROUBLE: Final = re.compile(r"issue|problem|kind|status|outcome|verdict|categor", re.IGNORECASE)
"""Names of fields that tell of trouble, or as well of the sort of task: then their values have to speak of trouble."""

_BOOLEAN: Final = frozenset({"true", "false"})


class FieldValue(NamedTuple):
    """One value of a field, and the rollouts that have it."""

    field: str
    value: str
    cases: Numbers
    boolean: bool


class Field(NamedTuple):
    """A field that may say why rollouts fail."""

    name: str
    values: list[FieldValue]
    restates: bool
    """Whether it says no more than the reward does."""


def fields_of(cases: Cases) -> Iterator[Field]:
    """The fields with few values that are no property of the task."""
    asked = {"most": MOST_VALUES, "longest": LONGEST_VALUE}
    names = [name for (name,) in cases.store.connection.execute(_FIELDS, asked).fetchall()]
    kinds = cases.store.connection.execute(_KINDS, {"names": names}).fetchall()
    for name, found in groupby(_values(cases, kinds, names), key=lambda value: value.field):
        values = list(found)
        if (_varies_within_tasks(cases, values) or _speaks_of_trouble(cases, values)) and not _holds_answers(
            cases, values
        ):
            yield Field(name, values, _restates(cases, values))


def _speaks_of_trouble(cases: Cases, values: list[FieldValue]) -> bool:
    """Whether the name of a field says that it is about trouble, or leaves it open and its values say so."""
    name = values[0].field
    if _ABOUT_TROUBLE.search(name):
        return True
    return bool(_MAY_BE_ABOUT_TROUBLE.search(name)) and any(
        causes.of_words(value.value) or causes.says_only_wrong(value.value)
        for value in values
        if hardly_in_passes(cases, value)
    )


def _values(cases: Cases, kinds: list[tuple[str, str]], names: list[str]) -> Iterator[FieldValue]:
    """Every value of some fields with the rollouts that have it, field by field."""
    if not kinds:
        return
    columns = [list(column) for column in zip(*kinds, strict=True)]
    asked = {"names": names, "kinds": columns[0], "values": columns[1], "codes": list(range(len(kinds)))}
    case, found = cases.rows(_ROWS, **asked)
    order = np.argsort(found["code"], kind="stable")
    ends = np.searchsorted(found["code"][order], np.arange(len(kinds) + 1))
    words: dict[str, set[str]] = {}
    for name, value in kinds:
        words.setdefault(name, set()).add(value)
    for code, (name, value) in enumerate(kinds):
        if value.strip():
            shown = np.unique(case[order[ends[code] : ends[code + 1]]])
            yield FieldValue(name, value, shown, words[name] <= _BOOLEAN)


def _holds_answers(cases: Cases, values: list[FieldValue]) -> bool:
    """Whether passes have many different values, as answers do: where things go well, kinds of failure are few."""
    in_passes = sorted((int(cases.passed[value.cases].sum()) for value in values), reverse=True)
    return sum(in_passes[:_KINDS_IN_PASSES]) < (1 - 2 * NEVER) * sum(in_passes)


def _varies_within_tasks(cases: Cases, values: list[FieldValue]) -> bool:
    """Whether rollouts of one task in one run differ in it: then it tells of the rollout, not of the task."""
    code = np.zeros(len(cases), dtype=np.int64)
    for number, value in enumerate(values, 1):
        code[value.cases] = number
    size = int(cases.stratum.max(initial=-1)) + 1
    low, high = np.full(size, np.iinfo(np.int64).max), np.full(size, -1)
    np.minimum.at(low, cases.stratum[cases.measured], code[cases.measured])
    np.maximum.at(high, cases.stratum[cases.measured], code[cases.measured])
    return bool(np.any((high > low) & (high >= 0)))


def _restates(cases: Cases, values: list[FieldValue]) -> bool:
    """Whether one value stands in nearly every failure and in no pass, or one in every pass and in no failure.

    A text that names what went wrong says more than the reward, even where it is the only one.
    """
    if any(not value.boolean and causes.of_words(value.value) for value in values if only_in_failures(cases, value)):
        return False
    failures, passes = int(cases.failed.sum()), int(cases.passed.sum())
    if not failures or not passes:
        return False
    in_failures = np.array([cases.failed[value.cases].sum() for value in values]) / failures
    in_passes = np.array([cases.passed[value.cases].sum() for value in values]) / passes
    failing_alone = in_failures[in_passes <= NEVER]
    several = (failing_alone > NEVER).sum() > 1
    passing_alone = bool(((in_passes >= 1 - NEVER) & (in_failures <= NEVER)).any())
    return not several and (bool((failing_alone >= RESTATES).any()) or passing_alone)


def only_in_failures(cases: Cases, value: FieldValue) -> bool:
    """Whether a value stands in failures, of several tasks, and in hardly any pass."""
    failures = value.cases[cases.failed[value.cases]]
    recurs = len(failures) >= FEWEST and len(np.unique(cases.task[failures])) > 1
    return recurs and hardly_in_passes(cases, value)


def hardly_in_passes(cases: Cases, value: FieldValue) -> bool:
    """Whether a value stands in failures, however few, and in hardly any pass."""
    failures, passes = int(cases.failed[value.cases].sum()), int(cases.passed[value.cases].sum())
    return failures > 0 and passes <= NEVER * (passes + failures)
