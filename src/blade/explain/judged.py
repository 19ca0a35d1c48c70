"""What the verifier judges of a rollout: what it answered, what it left behind, and what else decides.

A key stands for all that is judged of a rollout: rollouts of one task with one key deserve one verdict.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np

from blade.detect.detectors import all_detectors
from blade.detect.signal import ENDING
from blade.explain.cases import Cases
from blade.explain.compared import AGREES, ANSWERS, COPY, Compared, column, compared_of, is_digest, strictly
from blade.explain.fields import fields_of
from blade.measure.answers import answer_field
from blade.measure.panel import Numbers

SURE: Final = 0.95
ENOUGH: Final = 10
"""Rollouts of one run with all as expected of which that share passes: then nothing else is judged."""

_VALUES: Final = """
SELECT file, row, coalesce(hash, field_text(kind, text, number)) AS value FROM fields
WHERE standing = 'row' AND name = $name AND kind <> 'null'
"""
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
    pairs = cases.once(compared_of)
    everything = np.ones(len(cases), dtype=bool)
    found = Judged(pairs, np.full(len(cases), -1), everything, False, everything)
    found = found._replace(decides=_decides(cases, found))
    found = found._replace(fit=_fit(cases, found))
    doings = _doings(cases)
    yield found._replace(key=_keys(cases, found, doings), complete=_complete(cases, found, doings))


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
    states = column(cases, _STATES)
    if any(state is not None for state in states):
        return states
    names = cases.store.connection.execute(_PRODUCTS, {"names": _PRODUCT_NAMES}).fetchall()
    columns = [column(cases, _VALUES, name=name) for (name,) in names]
    if not columns:
        return states
    return [
        None if not any(value and value.strip() for value in each) else "\0".join(value or "" for value in each)
        for each in zip(*columns, strict=True)
    ]


def _keys(cases: Cases, judged: Judged, doings: _Doings) -> Numbers:
    """Equal numbers for rollouts of one task of which the same is judged; -1 where not all of it is known."""
    parts: list[list[Any]] = [list(map(_known_strictly, pair.given)) for pair in judged.pairs]
    if not judged.answer or is_digest(judged.answer.expected):
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
    if any(is_digest(pair.expected) for pair in judged.pairs):
        return np.ones(len(cases), dtype=bool)
    at = list(zip(cases.task.tolist(), doings.state, strict=True))
    right = {at[case] for case in np.flatnonzero(cases.passed).tolist() if doings.state[case] is not None}
    has_state = np.array([state is not None for state in doings.state], dtype=bool)
    return np.where(has_state, [place in right for place in at], ~doings.acted)


def _known_strictly(text: str | None) -> str | None:
    return None if text is None else strictly(text)


def _given_answers(cases: Cases) -> list[str | None]:
    """What rollouts answer: the field that holds it, else the whole last message."""
    names = {name for run in cases.runs if (name := answer_field(cases.store, run))}
    found = column(cases, _VALUES, name=min(names)) if names else column(cases, ANSWERS)
    return list(map(_known_strictly, found))
