"""What is expected and what was given: the fields that hold them, found in the data, and how they compare.

An expected value is one for each task; a value that was given is held against it; and where rollouts pass, the two
agree. Names help only to choose among fields of which that is true. Where no field holds what was given, the last
message is tried: as a whole, its marked answer, its last line. Where nothing that was given agrees with anything, a name
still says what is expected.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from blade.explain.cases import Cases
from blade.explain.last_message import TAKEN
from blade.explain.values import agree
from blade.measure.panel import Numbers

SAMPLE: Final = 2_000
"""Passing rollouts, and failing ones, in which fields that agree are looked for."""

FEWEST_PASSES: Final = 3
AGREES: Final = 0.9
"""Share of passes in which what was given is what was expected."""

COPY: Final = 0.98
"""Share of failures with agreement from which on two fields are copies of each other, unless their names say more."""

ONE_FOR_EACH_TASK: Final = 0.95
MOST_PAIRS: Final = 3

LONGEST: Final = 400
"""Characters up to which the writing of answers is set aside."""

EXPECTED_NAMES: Final = re.compile(
    r"expect|gold|ground|truth|reference|target|correct|label|solution|oracle|answer_key|desired|wanted|(?:^|[_.])(?:ref|gt|key)(?:[_.]|$)",
    re.IGNORECASE,
)
"""Names of fields that say what a task expects."""

_GIVEN: Final = re.compile(
    r"extract|predict|parsed|given|model|output|got|actual|final|submit|response|choice|(?:^|[_.])(?:pred|hyp|end|end_state\w*)(?:[_.]|$)",
    re.IGNORECASE,
)

_ANSWER_NAMES: Final = re.compile(
    r"(?:expected|gold(?:en)?|reference|target|correct|true|right|desired)_?(?:answer|value|output|result|label|response|solution)s?$"
    r"|ground_?truth$|answer_key$|(?:^|[_.])gold$",
    re.IGNORECASE,
)
"""Names of fields that hold an expected answer, whatever else the rows hold."""

_MOST_NAMED: Final = 20

_SCORE: Final = re.compile(r"reward|score|(?:^|[_.])r_", re.IGNORECASE)
"""Names of fields that hold verdicts rather than what is judged."""

_WRITTEN: Final = (
    "if(kind = 'number', regexp_replace(field_text(kind, text, number), '[.]0$', ''), field_text(kind, text, number))"
)
"""A field as people write it: whole numbers without a point."""

_TOLD: Final = f"""
    SELECT file, row, name, {_WRITTEN} AS value FROM fields
    WHERE standing = 'row' AND kind IN ('text', 'number', 'list', 'object')
      AND (kind <> 'number' OR text IS NULL) AND length(coalesce(text, '0')) BETWEEN 1 AND 400
    UNION ALL
    SELECT r.file, r.row, 'inputs.' || i.name, i.value
    FROM rollouts r JOIN (
        SELECT DISTINCT ON (run, task, name) run, task, name, {_WRITTEN} AS value FROM input_fields
        WHERE kind IN ('text', 'number', 'list', 'object') AND length(coalesce(text, '0')) BETWEEN 1 AND 400
        ORDER BY run, task, name, file, row
    ) i USING (run, task)
    WHERE r.standing = 'row'
"""

_AGREEMENT: Final = f"""
WITH sampled AS (SELECT unnest($files) AS file, unnest($rows) AS row, unnest($passes) AS passes),
told AS (
    SELECT t.file, t.row, passes, name, lower(trim(value)) AS value,
           regexp_replace(lower(value), '[\\s,$%€£]', '', 'g') AS bare
    FROM ({_TOLD}) t JOIN sampled USING (file, row)
),
counts AS (
    SELECT name, count(*) FILTER (passes) AS passes, count(*) FILTER (NOT passes) AS failures,
           count(DISTINCT value) AS many, bool_and(value IN ('0', '1', '0.0', '1.0')) AS says_whether
    FROM told GROUP BY name
),
pairs AS (
    SELECT a.name AS expected, b.name AS given, count(*) FILTER (a.passes) AS passes,
           count(*) FILTER (NOT a.passes AND a.value = b.value) AS failures
    FROM told a JOIN told b ON a.file = b.file AND a.row = b.row AND a.bare = b.bare AND a.name <> b.name
    GROUP BY ALL
)
SELECT p.expected, p.given, p.passes, least(e.passes, g.passes), p.failures, least(e.failures, g.failures), e.many
FROM pairs p JOIN counts e ON e.name = p.expected JOIN counts g ON g.name = p.given
WHERE p.passes >= $fewest AND p.passes >= $agrees * least(e.passes, g.passes) AND e.many > 1
  AND NOT e.says_whether AND NOT g.says_whether
ORDER BY ALL
"""

_SPREAD: Final = """
SELECT name, avg((low = high)::INT) FROM (
    SELECT run, task, name, min(field_text(kind, text, number)) AS low, max(field_text(kind, text, number)) AS high
    FROM fields WHERE standing = 'row' AND name IN (SELECT unnest($names)) AND kind <> 'null'
    GROUP BY ALL HAVING count(*) > 1
) GROUP BY name
"""
_SHORT_VALUES: Final = f"""
SELECT file, row, {_WRITTEN} AS value FROM fields
WHERE standing = 'row' AND name = $name AND kind <> 'null' AND (hash IS NULL OR length(text) < 1000)
"""
_INPUT_VALUES: Final = f"""
SELECT r.file, r.row, value FROM rollouts r JOIN (
    SELECT run, task, min({_WRITTEN}) AS value FROM input_fields WHERE name = $name AND kind <> 'null' GROUP BY ALL
) USING (run, task) WHERE r.standing = 'row'
"""
ANSWERS: Final = "SELECT file, row, answer AS value FROM rollouts WHERE standing = 'row' AND answer IS NOT NULL"


class Compared(NamedTuple):
    """What the verifier expects and what it holds against it, rollout by rollout; None where there is none."""

    expected_field: str
    given_field: str
    expected: list[str | None]
    given: list[str | None]
    exact: Numbers
    """Whether the two are the same to the letter, but for outer white space and case."""
    same: Numbers
    """Whether they are the same but for their writing."""
    known: Numbers
    """Whether both are there."""


def compared_of(cases: Cases) -> Iterator[Compared]:
    """Every pair of an expectation and what was given, the answer first; for `Cases.once`."""
    pairs = [_compared(cases, *names) for names in _pairs(cases)]
    yield from sorted(pairs, key=lambda pair: is_digest(pair.expected))


def _pairs(cases: Cases) -> list[tuple[str, str]]:
    """Fields with what is expected and what was given, the surest first, each expectation once."""
    if cases.profile and cases.profile.expected and cases.profile.given:
        return list(zip(cases.profile.expected, cases.profile.given, strict=True))
    chosen = np.concatenate([_some(np.flatnonzero(cases.passed)), _some(np.flatnonzero(cases.failed))])
    if not len(chosen):
        return []
    files, rows = (column.tolist() for column in np.array([cases.place(case) for case in chosen]).reshape(-1, 2).T)
    passes = cases.passed[chosen].tolist()
    asked = {"files": files, "rows": rows, "passes": passes, "fewest": FEWEST_PASSES, "agrees": AGREES}
    found = [_Agreement(*row) for row in cases.store.connection.execute(_AGREEMENT, asked).fetchall()]
    names = sorted({name for pair in found for name in (pair.expected, pair.given)})
    spread = dict(cases.store.connection.execute(_SPREAD, {"names": names}).fetchall())
    ranked = sorted((pair for pair in found if pair.holds(spread)), key=lambda pair: pair.order(spread))
    return _each_once((pair.expected, pair.given) for pair in ranked) or _with_last_message(cases, chosen)


def _some(cases: Numbers) -> Numbers:
    """As many of some rollouts as are looked at, spread over all of them."""
    return cases[:: max(1, -(-len(cases) // SAMPLE))]


class _Agreement(NamedTuple):
    """How often two fields agree."""

    expected: str
    given: str
    passes: int
    of_passes: int
    failures: int
    of_failures: int
    many: int

    def holds(self, spread: dict[str, float]) -> bool:
        """Whether the one may be what is expected and the other what was given."""
        if spread.get(self.expected, 1.0) < ONE_FOR_EACH_TASK or self.given.startswith("inputs."):
            return False
        if _SCORE.search(self.expected) or _SCORE.search(self.given):
            return False
        varies = spread.get(self.given, 1.0) < 1.0
        differs = self.of_failures > 0 and self.failures < COPY * self.of_failures
        named = self._named()
        return (
            (varies and differs)
            or (named == 2 and (varies or differs or not self.of_failures))
            or (named == 1 and differs)
        )

    def _named(self) -> int:
        """How many of the two names speak for it."""
        return bool(EXPECTED_NAMES.search(self.expected)) + bool(_GIVEN.search(self.given))

    def order(self, spread: dict[str, float]) -> tuple[Any, ...]:
        varies = spread.get(self.given, 1.0) < 1.0
        return (-self._named(), not varies, -self.passes, self.expected.count("."), self.expected, self.given)


def _each_once(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Pairs of which no field stands in an earlier one."""
    taken: set[str] = set()
    kept: list[tuple[str, str]] = []
    for expected, given in pairs:
        if {expected, given, expected.removeprefix("inputs.")}.isdisjoint(taken) and len(kept) < MOST_PAIRS:
            kept.append((expected, given))
            taken |= {expected, given, expected.removeprefix("inputs.")}
    return kept


def _with_last_message(cases: Cases, chosen: Numbers) -> list[tuple[str, str]]:
    """A field that says what is expected, and the part of the last message that passes have in common with it."""
    passes = chosen[cases.passed[chosen]]
    answers = column(cases, ANSWERS)
    best: tuple[float, str, str] | None = None
    for name in [name for name in _field_names(cases) if EXPECTED_NAMES.search(name)][:_MOST_NAMED]:
        expected = _values(cases, name)
        for how, take in TAKEN.items():
            told = [(take(answers[case] or ""), expected[case]) for case in passes.tolist() if expected[case]]
            agree = sum(bool(given) and alike(given or "", value or "") for given, value in told)
            if agree >= FEWEST_PASSES and agree >= AGREES * len(told) and (best is None or agree > best[0]):
                best = (agree, name, how)
    return [] if best is None else [(best[1], best[2])]


def _field_names(cases: Cases) -> list[str]:
    """The names of all fields of the rows, then those that only the inputs have."""
    connection = cases.store.connection
    own = sorted(name for (name,) in connection.execute("SELECT DISTINCT name FROM fields").fetchall())
    given = sorted(name for (name,) in connection.execute("SELECT DISTINCT name FROM input_fields").fetchall())
    return own + [f"inputs.{name}" for name in given if name not in set(own)]


def _compared(cases: Cases, expected_field: str, given_field: str) -> Compared:
    expected = _values(cases, expected_field)
    if given_field in TAKEN:
        take = TAKEN[given_field]
        given = [take(text) if text else None for text in column(cases, ANSWERS)]
    else:
        given = _values(cases, given_field)
    both = [bool(one and other) for one, other in zip(expected, given, strict=True)]
    exact = [k and strictly(a) == strictly(b) for k, a, b in zip(both, expected, given, strict=True)]
    same = [e or (k and alike(b or "", a or "")) for e, k, a, b in zip(exact, both, expected, given, strict=True)]
    return Compared(
        expected_field, given_field, expected, given, *(np.array(each, dtype=bool) for each in (exact, same, both))
    )


@lru_cache(maxsize=200_000)
def alike(given: str, expected: str) -> bool:
    """Whether two answers are one but for their writing; long texts are, where they are the same to the letter."""
    if not given or not expected or len(given) > LONGEST or len(expected) > LONGEST:
        return False
    return agree(given, expected)


def strictly(text: str | None) -> str:
    """A text to the letter, but for white space and case."""
    return " ".join((text or "").split()).casefold()


def _values(cases: Cases, name: str) -> list[str | None]:
    """A field, rollout by rollout."""
    if name.startswith("inputs."):
        return column(cases, _INPUT_VALUES, name=name.removeprefix("inputs."))
    return column(cases, _SHORT_VALUES, name=name)


def column(cases: Cases, query: str, **asked: Any) -> list[str | None]:
    """What a query has as `value` for every rollout; None where it has nothing."""
    case, found = cases.rows(query, **asked)
    values: Any = np.full(len(cases), None, dtype=object)
    values[case] = found["value"]
    listed: list[str | None] = values.tolist()
    return listed


def is_digest(values: Sequence[str | None]) -> bool:
    """Whether values are digests rather than words."""
    some = [value for value in values[:SAMPLE] if value]
    return bool(some) and all(re.fullmatch(r"[0-9a-f]{8,128}", value) for value in some)


def expected_of(cases: Cases) -> list[str | None]:
    """What every rollout's task expects, in words; where nothing that was given agrees with it, by the field's name."""
    if cases.profile and cases.profile.expected:
        return _values(cases, cases.profile.expected[0])
    answer = next(iter(cases.once(compared_of)), None)
    if answer and not is_digest(answer.expected):
        return answer.expected
    named = [name for name in _field_names(cases) if _ANSWER_NAMES.search(name)]
    spread = dict(cases.store.connection.execute(_SPREAD, {"names": named}).fetchall())
    for name in named:
        values = _values(cases, name) if spread.get(name, 1.0) >= ONE_FOR_EACH_TASK else []
        if len(set(filter(None, values))) > 1 and not is_digest(values):
            return values
    return [None] * len(cases)
