"""Answers that are expected and answers that were given, recognised in the rows by what they hold.

An expected answer belongs to the task: rollouts of one task do not differ in it, and tasks do. A given answer belongs
to the rollout. That two fields are such a pair, rollouts that pass tell: there they agree, task by task, far more often
than fields of different tasks would. Names break ties, and speak alone only where nothing passes.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from blade import content
from blade.explain.cases import Cases
from blade.explain.expected_calls import SAYS_EXPECTED
from blade.explain.values import Difference, agree, compare
from blade.measure.panel import Numbers

AGREED: Final = 0.8
"""Share of passes in which a pair of fields agrees."""

_CHANCE: Final = 0.5
"""Share of that agreement which chance may bring about."""

_FEWEST: Final = 3
_MOST_CANDIDATES: Final = 16
_SAMPLE: Final = 2_000
"""Passing rollouts that candidates are tried on."""

_SLIPS: Final = 0.02
_REPEATED: Final = 3
_SAYS_GIVEN: Final = re.compile(
    r"extract|predict|pars|final|given|actual|submit|model_|respon|hyp|pred(?:_|$)|(?:^|_|\.)end_|generat",
    re.IGNORECASE,
)
_DIGEST: Final = re.compile(r"(?:sha\d*[:-])?[0-9a-f]{8,64}", re.IGNORECASE)

_KINDS: Final = "kind IN ('text', 'number', 'boolean', 'list')"
_VALUE: Final = """
CASE kind WHEN 'number' THEN coalesce(text, number::VARCHAR) WHEN 'boolean' THEN number::VARCHAR
          ELSE coalesce(hash, text) END
"""
_NAMES: Final = f"""
SELECT name, count(*) FILTER (values > 1) AS varied, count(*) FILTER (rollouts > 1) AS repeated,
       count(DISTINCT value) AS different
FROM (SELECT task, name, count(DISTINCT value) AS values, min(value) AS value, count(*) AS rollouts
      FROM (SELECT task, name, {_VALUE} AS value FROM fields WHERE standing = 'row' AND {_KINDS}) GROUP BY ALL)
GROUP BY name ORDER BY name
"""
_COLUMNS: Final = f"""
SELECT file, row, name, kind, text, number FROM fields
WHERE standing = 'row' AND {_KINDS} AND name IN (SELECT unnest($names))
"""
_COLUMNS_OF: Final = f"""
WITH asked AS (SELECT unnest($files) AS file, unnest($rows) AS row)
SELECT file, row, name, kind, text, number FROM fields JOIN asked USING (file, row)
WHERE standing = 'row' AND {_KINDS} AND name IN (SELECT unnest($names))
"""

ABSENT, EQUAL, FORM, DIFFERS = "absent", "equal", "form", "differs"


class Names(NamedTuple):
    """A pair of fields: what is expected, and what was given."""

    expected: str
    given: str


class Judged(NamedTuple):
    """What one rollout answered, beside what was expected of it."""

    status: str
    """`equal`, `form`, `differs`, or `absent` where either is missing."""
    differences: tuple[Difference, ...] = ()


class Answers:
    """The pairs of an analysis, and how each rollout fares by them."""

    def __init__(self, cases: Cases, names: Names) -> None:
        self.cases, self.names = cases, names
        values = _values(cases, [names.expected, names.given])
        self._expected, self._given = values.get(names.expected, {}), values.get(names.given, {})
        self._known: dict[tuple[str, str], Judged] = {}

    @staticmethod
    def of(cases: Cases) -> "list[Answers]":
        """The pairs of fields of these rollouts: of answers, and of stand-ins for an end state."""
        return cases.once(_made)

    @property
    def are_digests(self) -> bool:
        """Whether the values stand for something else, so that only their being equal says anything."""
        shown = [value for value in list(self._expected.values())[:50] if value is not None]
        return bool(shown) and all(isinstance(value, str) and _DIGEST.fullmatch(value) for value in shown)

    def given(self, case: int) -> Any:
        """What a rollout answered."""
        return self._given.get(case)

    def expected(self, case: int) -> Any:
        """What was expected of it."""
        return self._expected.get(case)

    def judged(self, case: int) -> Judged:
        """What a rollout answered, held against what was expected."""
        expected, given = self._expected.get(case), self._given.get(case)
        if expected is None or given is None:
            return Judged(ABSENT)
        key = repr(expected), repr(given)
        if key not in self._known:
            self._known[key] = _judged(given, expected)
        return self._known[key]


def _judged(given: Any, expected: Any) -> Judged:
    found = compare(given, expected)
    if not found:
        return Judged(EQUAL)
    return Judged(FORM if all(each.kind == "form" for each in found) else DIFFERS, tuple(found))


def _made(cases: Cases) -> Iterator[Answers]:
    for names in answer_pairs(cases):
        yield Answers(cases, names)


def answer_pairs(cases: Cases) -> list[Names]:
    """The pair of fields with answers, and the pair with stand-ins for an end state, where there are any."""
    expected, given = _candidates(cases)
    sample = np.flatnonzero(cases.passed)
    sample = sample[:: max(1, len(sample) // _SAMPLE)]
    values = _values(cases, [*expected, *given], sample)
    ranked = sorted(
        (-rate, _told(names), names)
        for names in (Names(one, other) for one in expected for other in given if one != other)
        if (rate := _agreement(values.get(names.expected, {}), values.get(names.given, {})))
    )
    found: dict[bool, Names] = {}
    for _, _, names in ranked:
        digests = _hold_digests(values[names.expected])
        found.setdefault(digests, names)
    if not len(sample):
        return list(_by_name(expected, given))
    return [found[digests] for digests in (False, True) if digests in found]


def _told(names: Names) -> int:
    """Lower where the names say what the fields are."""
    return -bool(SAYS_EXPECTED.search(names.expected)) - bool(_SAYS_GIVEN.search(names.given))


def _candidates(cases: Cases) -> tuple[list[str], list[str]]:
    """Fields that belong to the task, and fields that belong to the rollout; telling names first."""
    expected, given = [], []
    for name, varied, repeated, different in cases.store.connection.execute(_NAMES).fetchall():
        says_expected = bool(SAYS_EXPECTED.search(name))
        of_task = varied <= _SLIPS * repeated if repeated >= _REPEATED else says_expected
        if of_task and different > 1:
            expected.append((not says_expected, name))
        says_given = bool(_SAYS_GIVEN.search(name))
        if not says_expected and (says_given or not of_task or repeated < _REPEATED):
            given.append((not says_given, name))
    return [name for _, name in sorted(expected)[:_MOST_CANDIDATES]], [
        name for _, name in sorted(given)[:_MOST_CANDIDATES]
    ]


def _by_name(expected: Sequence[str], given: Sequence[str]) -> Iterator[Names]:
    """A pair by its names alone: the same thing, expected and given."""
    for one in expected:
        for other in given:
            if SAYS_EXPECTED.search(one) and _SAYS_GIVEN.search(other) and one.split("_")[-1] == other.split("_")[-1]:
                yield Names(one, other)
                return


def _agreement(expected: dict[int, Any], given: dict[int, Any]) -> float:
    """How often two fields agree in passes; 0 where that may be chance, or where too few passes have both."""
    both = [case for case in expected if case in given]
    if len(both) < _FEWEST:
        return 0.0
    pairs = Counter((repr(expected[case]), repr(given[case])) for case in both)
    shown = {repr(value): value for column in (expected, given) for value in column.values()}
    agreed = sum(count for (one, other), count in pairs.items() if agree(shown[other], shown[one]))
    rate = agreed / len(both)
    if rate < AGREED:
        return 0.0
    firsts, seconds = Counter(repr(expected[case]) for case in both), Counter(repr(given[case]) for case in both)
    by_chance = sum(count * seconds[value] for value, count in firsts.items()) / len(both) ** 2
    return rate if by_chance <= _CHANCE * rate or (by_chance < 1 and rate == 1.0 and len(firsts) > 1) else 0.0


def _hold_digests(values: dict[int, Any]) -> bool:
    shown = list(values.values())[:50]
    return bool(shown) and all(isinstance(value, str) and _DIGEST.fullmatch(value) for value in shown)


def _values(cases: Cases, names: Sequence[str], chosen: Numbers | None = None) -> dict[str, dict[int, Any]]:
    """Of each field its values by rollout; of some rollouts only, where they are given."""
    asked: dict[str, Any] = {"names": list(names)}
    query = _COLUMNS
    if chosen is not None:
        places = [cases.place(case) for case in chosen.tolist()]
        asked |= {"files": [file for file, _ in places], "rows": [row for _, row in places]}
        query = _COLUMNS_OF
    case, found = cases.rows(query, **asked)
    values: dict[str, dict[int, Any]] = {}
    columns = (found["name"].tolist(), found["kind"].tolist(), found["text"].tolist(), found["number"].tolist())
    for number, name, kind, text, amount in zip(case.tolist(), *columns, strict=True):
        values.setdefault(name, {})[number] = _value(kind, text, amount)
    return values


def _value(kind: str, text: str | None, number: float | None) -> Any:
    if kind == "boolean":
        return bool(number)
    if kind == "number":
        return number if text is None else text
    if kind == "list" and text is not None:
        try:
            return content.value_of(text)
        except ValueError:
            return text
    return text
