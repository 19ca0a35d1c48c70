"""What the verifier judges: the answer that was taken from a rollout, the answer that is expected, the end state.

Which fields hold them is found in the data. An expected value is one for each task; a value that was given is held
against it; and where rollouts pass, the two agree. Names help only to choose among fields of which that is true. Where
no field holds what was given, the last message is tried: as a whole, its marked answer, its last line.

A key stands for all that is judged of a rollout: rollouts of one task with one key deserve one verdict.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from blade.detect.detectors import all_detectors
from blade.detect.signal import ENDING
from blade.explain.cases import Cases
from blade.explain.fields import fields_of
from blade.explain.values import agree
from blade.measure.answers import answer_field
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

SURE: Final = 0.95
ENOUGH: Final = 10
"""Rollouts of one run with all as expected of which that share passes: then nothing else is judged."""

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

_TOLD: Final = """
    SELECT file, row, name, field_text(kind, text, number) AS value FROM fields
    WHERE standing = 'row' AND kind IN ('text', 'number', 'list', 'object')
      AND (kind <> 'number' OR text IS NULL) AND length(coalesce(text, '0')) BETWEEN 1 AND 400
    UNION ALL
    SELECT r.file, r.row, 'inputs.' || i.name, field_text(i.kind, i.text, i.number)
    FROM rollouts r
    JOIN (SELECT DISTINCT ON (run, task, name) * FROM input_fields ORDER BY run, task, name, file, row) i USING (run, task)
    WHERE r.standing = 'row' AND i.kind IN ('text', 'number', 'list', 'object')
      AND length(coalesce(i.text, '0')) BETWEEN 1 AND 400
"""

_AGREEMENT: Final = f"""
WITH sampled AS (SELECT unnest($files) AS file, unnest($rows) AS row, unnest($passes) AS passes),
told AS (
    SELECT t.file, t.row, passes, name, lower(trim(value)) AS value
    FROM ({_TOLD}) t JOIN sampled USING (file, row)
),
counts AS (
    SELECT name, count(*) FILTER (passes) AS passes, count(*) FILTER (NOT passes) AS failures,
           count(DISTINCT value) AS many, bool_and(value IN ('0', '1', '0.0', '1.0')) AS says_whether
    FROM told GROUP BY name
),
pairs AS (
    SELECT a.name AS expected, b.name AS given, count(*) FILTER (a.passes) AS passes,
           count(*) FILTER (NOT a.passes) AS failures
    FROM told a JOIN told b ON a.file = b.file AND a.row = b.row AND a.value = b.value AND a.name <> b.name
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

_VALUES: Final = """
SELECT file, row, coalesce(hash, field_text(kind, text, number)) AS value FROM fields
WHERE standing = 'row' AND name = $name AND kind <> 'null'
"""
_WRITTEN: Final = (
    "if(kind = 'number', regexp_replace(field_text(kind, text, number), '[.]0$', ''), field_text(kind, text, number))"
)
"""A field as people write it: whole numbers without a point."""

_SHORT_VALUES: Final = f"""
SELECT file, row, {_WRITTEN} AS value FROM fields
WHERE standing = 'row' AND name = $name AND kind <> 'null' AND (hash IS NULL OR length(text) < 1000)
"""
_INPUT_VALUES: Final = f"""
SELECT r.file, r.row, value FROM rollouts r JOIN (
    SELECT run, task, min({_WRITTEN}) AS value FROM input_fields WHERE name = $name AND kind <> 'null' GROUP BY ALL
) USING (run, task) WHERE r.standing = 'row'
"""
_ANSWERS: Final = "SELECT file, row, answer AS value FROM rollouts WHERE standing = 'row' AND answer IS NOT NULL"
_STATES: Final = """
SELECT file, row, end_state_hash AS value FROM rollouts WHERE standing = 'row' AND end_state_hash <> ''
"""
_DONE: Final = """
SELECT file, row, sum(hash(tool, arguments, result_bytes) % 1000000007) AS digest
FROM actions WHERE standing = 'row' GROUP BY ALL
"""
_OTHERS: Final = """
SELECT DISTINCT file, row FROM steps
WHERE standing = 'row' AND kind = 'message' AND actor IN ('user', 'environment')
"""
_CUT_SHORT: Final = """
SELECT DISTINCT file, row FROM signals WHERE standing = 'row' AND signal IN (SELECT unnest($signals))
"""

_FORM_SIGNALS: Final = ("format missed", "nothing extracted", "answers differ")

_BOXED: Final = re.compile(r"\\(?:boxed|fbox)\s{0,3}\{([^{}\n]{1,200})\}")
_MARKED: Final = re.compile(
    r"^[\s*#>_]{0,8}(?:the )?(?:final )?(?:answer|result|solution|verdict)(?: is)?[\s*_]{0,4}[:=][\s*_]{0,4}([^\n]{1,200})$",
    re.IGNORECASE | re.MULTILINE,
)


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


class Judged(NamedTuple):
    """What is judged of every rollout."""

    pairs: list[Compared]
    """The answer first, then whatever else is held against an expectation."""
    key: Numbers
    """Of each rollout a number for all that is judged of it; -1 where that is not known in full."""
    fit: Numbers
    """Rollouts that came to their end in the form that was demanded, and met what else passes have in common."""
    decides: bool
    """Whether what is compared decides the verdict: in some run nearly all that is as expected passes."""
    complete: Numbers
    """Rollouts that left nothing else to judge: they acted on nothing, or their end state passed with others."""

    @property
    def answer(self) -> Compared | None:
        """The pair that people would call the answer: expected in words rather than as a digest."""
        return self.pairs[0] if self.pairs else None

    def as_expected(self) -> Numbers:
        """Rollouts of which everything that is compared is as expected, in whatever writing."""
        return self._all("same")

    def to_the_letter(self) -> Numbers:
        """Rollouts of which everything that is compared is exactly as expected."""
        return self._all("exact")

    def _all(self, what: str) -> Numbers:
        if not self.pairs:
            return np.zeros(len(self.key), dtype=bool)
        known = np.any([pair.known for pair in self.pairs], axis=0)
        held = [getattr(pair, what) | ~pair.known for pair in self.pairs]
        return np.asarray(known & np.all(held, axis=0))


def judged_of(cases: Cases) -> Iterator[Judged]:
    """What is judged of every rollout of an analysis; one record, for `Cases.once`."""
    pairs = [_compared(cases, *names) for names in _pairs(cases)]
    pairs.sort(key=lambda pair: _is_digest(pair.expected))
    everything = np.ones(len(cases), dtype=bool)
    found = Judged(pairs, np.full(len(cases), -1), everything, False, everything)
    found = found._replace(decides=_decides(cases, found))
    found = found._replace(fit=_fit(cases, found))
    doings = _doings(cases)
    yield found._replace(key=_keys(cases, found, doings), complete=_complete(cases, found, doings))


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


_WHOLE, _MARK, _LINE = "the last message", "the marked answer", "the last line"


def _whole(text: str) -> str | None:
    return text


def _marked(text: str) -> str | None:
    found = _BOXED.findall(text) or _MARKED.findall(text)
    return found[-1].strip() if found else None


def _last_line(text: str) -> str | None:
    return text.strip().rpartition("\n")[2]


_TAKEN: Final[dict[str, Callable[[str], str | None]]] = {_WHOLE: _whole, _MARK: _marked, _LINE: _last_line}
"""How an answer is taken from a last message, where no field says."""


def _with_last_message(cases: Cases, chosen: Numbers) -> list[tuple[str, str]]:
    """A field that says what is expected, and the part of the last message that passes have in common with it."""
    passes = chosen[cases.passed[chosen]]
    answers = _column(cases, _ANSWERS)
    best: tuple[float, str, str] | None = None
    for name in [name for name in _field_names(cases) if EXPECTED_NAMES.search(name)][:_MOST_NAMED]:
        expected = _values(cases, name)
        for how, take in _TAKEN.items():
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
    if given_field in _TAKEN:
        take = _TAKEN[given_field]
        given = [take(text) if text else None for text in _column(cases, _ANSWERS)]
    else:
        given = _values(cases, given_field)
    both = [bool(one and other) for one, other in zip(expected, given, strict=True)]
    exact = [k and _strict(a) == _strict(b) for k, a, b in zip(both, expected, given, strict=True)]
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


def _strict(text: str | None) -> str:
    return " ".join((text or "").split()).casefold()


def _values(cases: Cases, name: str) -> list[str | None]:
    """A field, rollout by rollout."""
    if name.startswith("inputs."):
        return _column(cases, _INPUT_VALUES, name=name.removeprefix("inputs."))
    return _column(cases, _SHORT_VALUES, name=name)


def _column(cases: Cases, query: str, **asked: Any) -> list[str | None]:
    case, found = cases.rows(query, **asked)
    column: Any = np.full(len(cases), None, dtype=object)
    column[case] = found["value"]
    listed: list[str | None] = column.tolist()
    return listed


def _is_digest(values: Sequence[str | None]) -> bool:
    """Whether values are digests rather than words."""
    some = [value for value in values[:SAMPLE] if value]
    return bool(some) and all(re.fullmatch(r"[0-9a-f]{8,128}", value) for value in some)


def _decides(cases: Cases, judged: Judged) -> bool:
    """Whether in some run nearly everything that is exactly as expected passes, and it is seen often enough."""
    held = judged.to_the_letter() & cases.measured
    for run in range(len(cases.panels)):
        own = held & (cases.run == run)
        if own.sum() >= ENOUGH and cases.passed[own].mean() >= SURE:
            return True
    return False


def _fit(cases: Cases, judged: Judged) -> Numbers:
    """Rollouts that nothing but the judgement explains, as far as fields and signals tell."""
    fit = cases.measured.copy()
    endings = [row.name for row in all_detectors().values() if row.role == ENDING]
    fit[cases.rows(_CUT_SHORT, signals=[*endings, *_FORM_SIGNALS])[0]] = False
    differ = np.any([pair.known & ~pair.same for pair in judged.pairs], axis=0) if judged.pairs else None
    # A condition that goes with the answer is the verdict on the answer, as one that goes with the reward is all of it.
    apart = cases.failed if differ is None else cases.failed & differ
    for condition in _conditions(cases):
        if apart.any() and condition[apart].mean() >= 1 - AGREES:
            fit &= condition | cases.passed
    return fit


def _conditions(cases: Cases) -> Iterator[Numbers]:
    """What passes have in common by a true-or-false field: of each such field the rollouts that have it so."""
    passes = int(cases.passed.sum())
    for field in cases.once(fields_of):
        for value in field.values:
            shows = cases.mask(value.cases)
            if value.boolean and passes and (shows & cases.passed).sum() >= COPY * passes:
                yield shows


_PRODUCTS: Final = """
SELECT name FROM (
    SELECT task, name, count(DISTINCT coalesce(hash, text)) AS many FROM fields
    WHERE standing = 'row' AND kind IN ('text', 'list', 'object') AND regexp_matches(name, $names)
    GROUP BY ALL
) GROUP BY name HAVING max(many) > 1 ORDER BY sum(many) DESC, name LIMIT 3
"""
_PRODUCT_NAMES: Final = (
    r"(?i)(?:^|[_.])(?:patch|diff|code|submission|submitted|proof|query|sql|program|solution|artifact|deliverable)$"
)
"""Names of fields that hold what a model made, where that is what is judged."""


class _Doings(NamedTuple):
    """What rollouts did besides answering."""

    acted: Numbers
    """Whether they called a tool, or somebody else had a turn."""
    digest: list[Any]
    """What stands for all calls with the sizes of their results; None for none, or where others had turns."""
    state: list[str | None]
    """What stands for the end state, or for what was made."""


def _doings(cases: Cases) -> _Doings:
    others = cases.mask(cases.rows(_OTHERS)[0])
    acted = others.copy()
    digest: Any = np.full(len(cases), None, dtype=object)
    case, found = cases.rows(_DONE)
    acted[case] = True
    digest[case] = found["digest"]
    digest[others] = None
    return _Doings(acted, digest.tolist(), _end_states(cases))


def _end_states(cases: Cases) -> list[str | None]:
    """What rollouts leave behind: an end state, else what they made, field by field."""
    states = _column(cases, _STATES)
    if any(state is not None for state in states):
        return states
    names = cases.store.connection.execute(_PRODUCTS, {"names": _PRODUCT_NAMES}).fetchall()
    columns = [_column(cases, _VALUES, name=name) for (name,) in names]
    if not columns:
        return states
    return [
        None if not any(value and value.strip() for value in each) else "\0".join(value or "" for value in each)
        for each in zip(*columns, strict=True)
    ]


def _keys(cases: Cases, judged: Judged, doings: _Doings) -> Numbers:
    """Equal numbers for rollouts of one task of which the same is judged; -1 where not all of it is known."""
    parts: list[list[Any]] = [list(map(_strict_or_none, pair.given)) for pair in judged.pairs]
    if not judged.answer or _is_digest(judged.answer.expected):
        parts.append(_given_answers(cases))
    said = np.any([[value is not None for value in part] for part in parts], axis=0)
    has_state = np.array([state is not None for state in doings.state], dtype=bool)
    has_digest = np.array([value is not None for value in doings.digest], dtype=bool)
    # Where what was done to the world is not seen, only the same doings with the same results can be called equal.
    settled = judged.decides | has_state
    digest = [None if known else value for known, value in zip(settled, doings.digest, strict=True)]
    known = (said | has_state) & (settled | ~doings.acted | has_digest)
    numbers: dict[Any, int] = {}
    parts += [doings.state, digest]
    key = [numbers.setdefault(each, len(numbers)) for each in zip(cases.task.tolist(), *parts, strict=True)]
    return np.where(known & cases.measured, key, -1).astype(np.int64)


def _complete(cases: Cases, judged: Judged, doings: _Doings) -> Numbers:
    """Rollouts of which nothing remains to be judged but what is compared."""
    if any(_is_digest(pair.expected) for pair in judged.pairs):
        return np.ones(len(cases), dtype=bool)
    at = list(zip(cases.task.tolist(), doings.state, strict=True))
    right = {at[case] for case in np.flatnonzero(cases.passed).tolist() if doings.state[case] is not None}
    has_state = np.array([state is not None for state in doings.state], dtype=bool)
    return np.where(has_state, [place in right for place in at], ~doings.acted)


def _strict_or_none(text: str | None) -> str | None:
    return None if text is None else _strict(text)


def _given_answers(cases: Cases) -> list[str | None]:
    """What rollouts answer: the field that holds it, else the whole last message."""
    names = {name for run in cases.runs if (name := answer_field(cases.store, run))}
    found = _column(cases, _VALUES, name=min(names)) if names else _column(cases, _ANSWERS)
    return list(map(_strict_or_none, found))


def expected_of(cases: Cases) -> list[str | None]:
    """What every rollout's task expects, in words; where nothing that was given agrees with it, by the field's name."""
    if cases.profile and cases.profile.expected:
        return _values(cases, cases.profile.expected[0])
    answer = cases.once(judged_of)[0].answer
    if answer and not _is_digest(answer.expected):
        return answer.expected
    named = [name for name in _field_names(cases) if _ANSWER_NAMES.search(name)]
    spread = dict(cases.store.connection.execute(_SPREAD, {"names": named}).fetchall())
    for name in named:
        values = _values(cases, name) if spread.get(name, 1.0) >= ONE_FOR_EACH_TASK else []
        if len(set(filter(None, values))) > 1 and not _is_digest(values):
            return values
    return [None] * len(cases)
