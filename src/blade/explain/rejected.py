"""Right answers that were rejected: equal to what is expected, or to what passes elsewhere.

Weak evidence never blames the task. An answer is right where it equals the expected one, letter by letter or in a form
that passes have too; and the rollout must have done nothing else that failures do: no divergence from what is expected
or from passes, no other end state. Then the verifier is at fault. An answer that is right in another form is its fault
too, unless the prompt demanded the form.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from blade.explain.cases import Cases
from blade.explain.expected_answers import ABSENT, EQUAL, FORM, Answers
from blade.explain.mode import VERDICT, Mode
from blade.explain.rereading import read_again
from blade.measure.panel import Numbers

ACCEPTED: Final = 0.5
"""Share of rollouts with a right answer, and nothing else amiss, that have to pass in some run: else something that is
not seen here decides as well."""

MOST_IN_PASSES: Final = 0.1
"""Share of passes among the answers of one form, up to which the form may be why they were rejected."""

_FEWEST: Final = 2
_READ: Final = 3
"""Rollouts whose prompt is read for what it demands."""

_DEMANDS: Final = {
    "other case": r"upper[- ]?case|lower[- ]?case|capital|case[- ]sensitive",
    "other punctuation": r"punctuation|quotation|quotes|verbatim|exactly as|boxed",
    "other white space": r"white ?space|spaces",
    "another way to write the number": r"comma|separator|digits only|only digits|plain (?:number|integer)|without units"
    r"|no units|decimal (?:point|place)|as an integer|leading sign",
    "another way to write the date or time": r"yyyy|iso[- ]?8601|hh:mm|date format|24[- ]hour",
    "the same amount in another unit": r"\bin (?:cents|euros?|dollars|met(?:er|re)s|kilomet(?:er|re)s|miles|percent)\b"
    r"|\bin (?:minutes|hours|seconds)\b|unit",
    "as text": r"json|number",
    "as a list": r"json|list|array",
    "not as a list": r"json|list|array",
}
"""What a prompt says where it demands the form that a difference is about."""

_ANSWER_STEP: Final = "SELECT file, row, coalesce(answer_step, -1)::BIGINT AS step FROM rollouts WHERE standing = 'row'"


class Right(NamedTuple):
    """How the right answers of an analysis are judged."""

    cases: Cases
    pairs: list[Answers]
    amiss: Numbers
    """Which rollouts did something that may explain a failure."""
    step: Numbers
    """Of each rollout the step of its answer."""


def modes(cases: Cases, amiss: Numbers) -> Iterator[Mode]:
    """Modes of rollouts that fail although their answer is right; those that are `amiss` are explained otherwise."""
    pairs = Answers.of(cases)
    answers = [pair for pair in pairs if not pair.are_digests]
    if not answers:
        return
    right = Right(cases, pairs, amiss | _other_end_state(cases, pairs), _answer_steps(cases))
    forms = _forms(cases, answers[0])
    accepted = {words for words, found in forms.items() if found.mean_passed > ACCEPTED}
    yield from _equal(right, answers[0], accepted)
    for words, found in sorted(forms.items()):
        if found.mean_passed <= MOST_IN_PASSES:
            yield from _of_form(right, words, found.cases)


class _Form(NamedTuple):
    """Answers that differ from the expected one in one way of writing."""

    cases: Numbers
    mean_passed: float


def _forms(cases: Cases, answers: Answers) -> dict[str, _Form]:
    found: dict[str, list[int]] = defaultdict(list)
    for case in np.flatnonzero(cases.measured).tolist():
        judged = answers.judged(case)
        if judged.status == FORM:
            found[judged.differences[0].words].append(case)
    return {
        words: _Form(np.array(shown), float(cases.passed[shown].mean()))
        for words, shown in found.items()
        if len(shown) >= _FEWEST
    }


def _equal(right: Right, answers: Answers, accepted: set[str]) -> Iterator[Mode]:
    """Answers that are equal to the expected one, and rejected."""
    cases = right.cases
    same = np.zeros(len(cases), dtype=bool)
    for case in np.flatnonzero(cases.measured & ~right.amiss).tolist():
        judged = answers.judged(case)
        words = {difference.words for difference in judged.differences}
        same[case] = judged.status == EQUAL or (judged.status == FORM and words <= accepted)
    if not _decides(cases, same):
        return
    rejected = np.flatnonzero(same & cases.failed)
    if len(rejected) >= _FEWEST:
        yield _mode(
            right,
            "expected answer rejected",
            "Expected answer given, and rejected",
            rejected,
            f"{answers.names.given} equals {answers.names.expected}, and nothing else sets it apart from passes",
        )


def _decides(cases: Cases, same: Numbers) -> bool:
    """Whether a right answer is enough to pass, as some run shows."""
    by_run = [
        float(cases.passed[span][same[span]].mean())
        for span in map(cases.of_run, range(len(cases.panels)))
        if same[span].sum() >= _FEWEST
    ]
    return max(by_run, default=0.0) >= ACCEPTED


def _of_form(right: Right, words: str, shown: Numbers) -> Iterator[Mode]:
    """Answers that are right but for one way of writing, which no pass has."""
    cases = right.cases
    rejected = shown[cases.failed[shown] & ~right.amiss[shown]]
    if len(rejected) < _FEWEST:
        return
    demanded = _is_demanded(cases, words, rejected)
    mode = _mode(
        right,
        f"expected answer in another form: {words}",
        f"Expected answer in another form ({words})",
        rejected,
        f"the answer is the expected one but for its form ({words}), and no pass has that form"
        + (", which the prompt demands" if demanded else ""),
    )
    yield replace(mode, cause="BI", owner="model") if demanded else mode


def _is_demanded(cases: Cases, words: str, shown: Numbers) -> bool:
    """Whether the prompts say that the answer has to be written otherwise."""
    pattern = _DEMANDS.get(words)
    if pattern is None:
        return False
    said = Counter(
        bool(re.search(pattern, "\n".join(step.head(20_000) for step in rollout.prompt), re.IGNORECASE))
        for _, rollout in read_again(cases.store, [cases.place(case) for case in shown[:_READ].tolist()])
    )
    return said[True] > said[False]


def _mode(right: Right, key: str, title: str, shown: Numbers, rule: str) -> Mode:
    return Mode(
        key=key,
        title=title,
        cause="TI",
        owner="verifier",
        proof=VERDICT,
        cases=shown,
        steps=right.step[shown],
        rule=rule,
    )


def _other_end_state(cases: Cases, pairs: list[Answers]) -> Numbers:
    """Which rollouts end in another state than the expected one."""
    found = np.zeros(len(cases), dtype=bool)
    for pair in pairs:
        if pair.are_digests:
            for case in np.flatnonzero(cases.failed).tolist():
                found[case] = pair.judged(case).status not in (EQUAL, ABSENT)
    return found


def _answer_steps(cases: Cases) -> Numbers:
    case, found = cases.rows(_ANSWER_STEP)
    step = np.full(len(cases), -1)
    step[case] = found["step"].astype(np.int64)
    return step
