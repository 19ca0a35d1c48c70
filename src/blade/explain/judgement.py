"""Where the judgement itself is at fault: equal answers judged differently, right ones rejected.

Two findings, each about rollouts that came to their end in the form that was demanded:

* *judged differently*: two rollouts of one task, equal in all that is judged, one of which passes and one fails; or
  what is to the letter as expected, rejected by a verifier that accepts it elsewhere.
* *too strict*: what was given differs from what is expected in its writing alone, and the prompt is silent on that.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from blade.explain.cases import Cases
from blade.explain.compared import Compared
from blade.explain.complaints import complaints
from blade.explain.judged import Judged, judged_of
from blade.explain.prompts import prompts_of
from blade.explain.values import compare
from blade.measure.panel import Numbers

HALF: Final = 0.5
"""Share of the span of all rewards that two verdicts must differ by, where rewards are graded."""

NEVER: Final = 0.02
"""Share of passes with another answer than the expected one, up to which the verifier is taken to compare texts."""

MOST_READ: Final = 400
"""Tasks whose prompts are read to see whether they demand a form."""

_LEAVE_OUT: Final = r"\b(?:without|no|omit\w*|avoid|not use|not include|never use|drop)\b[^.\n]{0,40}\b(?:%s)\b"
_EXACTLY: Final = (
    r"\bexactly as\b|\bverbatim\b|\bcharacter for character\b|\bword for word\b"
    r"|\bexact (?:string|spelling|form|format|wording|match|text)\b"
)
_DEMANDS: Final = {
    writing: re.compile(f"{words}|{_EXACTLY}", re.IGNORECASE)
    for writing, words in {
        "number": _LEAVE_OUT
        % "commas?|separators?|spaces?|thousands|punctuation|decimals?|symbols?|signs?|units?|currency|percent"
        + r"|\b(?:digits only|only digits|plain (?:number|integer|digits)|(?:integers?|numbers?|numerals?) only|only (?:the|an?) (?:number|integer))\b"
        r"|\bas an? (?:bare |plain )?(?:integer|decimal|fraction|percentage)\b"
        r"|\bdecimal places?\b|\brounded?\b|\bto the nearest\b|\bsignificant (?:figures|digits)\b",
        "date": r"\bYYYY\b|\bISO\b|\bDD[-/.]|\bdate format\b|\bdates? (?:are|is|must be|should be) (?:written|given|formatted)",
        "case": r"\b(?:lower|upper|title)[- ]?case\b|\bcapital(?:s|i[sz]ed)?\b|\bcase[- ]sensitive\b",
        "marks": _LEAVE_OUT
        % "spaces?|punctuation|quotes?|full stops?|periods?|symbols?|signs?|units?|articles?|brackets?|hyphens?|dashes",
    }.items()
}
"""Words by which a prompt demands how a value of some kind is to be written."""


FEWEST_TOLD: Final = 3
AT_FAULT: Final = 0.5
"""Share of what fails in some words that passes at other times, for these words to tell of the verifier's fault."""


class Group(NamedTuple):
    """Rollouts of one task that are equal in all that is judged, with both verdicts."""

    task: int
    failing: Numbers
    passing: Numbers
    value: str
    """What was judged, where it is an answer."""


def judged(cases: Cases) -> Judged:
    """What is judged of every rollout, looked for once."""
    return cases.once(judged_of)[0]


def judged_differently(cases: Cases) -> Iterator[Group]:
    """Groups of equal rollouts of one task with both verdicts, task by task."""
    found = judged(cases)
    usable = np.flatnonzero((found.key >= 0) & found.fit)
    order = usable[np.lexsort((usable, found.key[usable]))]
    starts = np.flatnonzero(np.diff(found.key[order], prepend=-1))
    groups = np.split(order, starts[1:])
    made = [group for group in groups if len(group) > 1 and _both(cases, group)]
    for group in sorted(made, key=lambda group: int(cases.task[group[0]])):
        value = found.answer.given[group[0]] if found.answer else None
        yield Group(int(cases.task[group[0]]), group[cases.failed[group]], group[cases.passed[group]], value or "")


def _both(cases: Cases, group: Numbers) -> bool:
    """Whether a group has passes and failures, and rewards that are far apart."""
    passed = cases.passed[group]
    if passed.all() or not passed.any():
        return False
    known = cases.reward[~np.isnan(cases.reward)]
    span = float(known.max() - known.min())
    return bool(cases.reward[group][passed].min() - cases.reward[group][~passed].max() >= HALF * span)


def wrongly_failed(cases: Cases) -> Iterator[int]:
    """Failures that are a wrong verdict: of such groups, rejected to the letter, or told in the words of these."""
    found = judged(cases)
    of_groups = [group.failing for group in cases.once(judged_differently)]
    failing = cases.mask(np.concatenate(of_groups)) if of_groups else np.zeros(len(cases), dtype=bool)
    if found.answer and _compares_texts(cases, found.answer):
        failing &= found.answer.same | ~found.answer.known
    failing |= rejected_to_the_letter(cases)
    yield from np.flatnonzero(failing | _in_the_same_words(cases, failing)).tolist()


def _in_the_same_words(cases: Cases, failing: Numbers) -> Numbers:
    """Failures of which the verifier says nothing but what it says where it is known to be at fault."""
    found = judged(cases)
    told = np.zeros(len(cases), dtype=bool)
    if failing.sum() < FEWEST_TOLD:
        return told
    said = complaints(cases)
    keys = found.key.tolist()
    known = {keys[case] for case in np.flatnonzero(failing).tolist()}
    sizes = Counter(keys[case] for case in np.flatnonzero(found.fit).tolist())
    tried: dict[str, set[int]] = defaultdict(set)
    for case, words in said.items():
        for template in words:
            if found.fit[case] and keys[case] >= 0 and sizes[keys[case]] > 1:
                tried[template].add(keys[case])
    at_fault = {
        template for template, own in tried.items() if len(own & known) >= max(FEWEST_TOLD, AT_FAULT * len(own))
    }
    told[[case for case, words in said.items() if words <= at_fault]] = True
    return told & found.fit & cases.failed


def rejected_to_the_letter(cases: Cases) -> Numbers:
    """Failing rollouts whose every value is exactly as expected, where nothing but that decides."""
    found = judged(cases)
    if not found.decides:
        return np.zeros(len(cases), dtype=bool)
    return np.asarray(cases.failed & found.fit & found.to_the_letter() & (found.key >= 0))


def _compares_texts(cases: Cases, answer: Compared) -> bool:
    passes = cases.passed & answer.known
    return bool(passes.any()) and float((~answer.same[passes]).mean()) <= NEVER


def too_strict(cases: Cases) -> Iterator[int]:
    """Failing rollouts that differ from what is expected in writing alone, where no prompt demands the writing."""
    found = judged(cases)
    if not found.pairs:
        return
    alone = found.decides | found.complete
    shown = cases.failed & found.fit & alone & found.as_expected() & ~found.to_the_letter()
    shown &= ~cases.mask(np.array(cases.once(wrongly_failed), dtype=np.int64))
    prompts = {prompt.task: prompt.text for prompt in prompts_of(cases, np.unique(cases.task[shown])[:MOST_READ])}
    for case in np.flatnonzero(shown).tolist():
        asked = prompts.get(int(cases.task[case]))
        if asked is not None and not any(_DEMANDS[how].search(asked) for how in _writings(found, case)):
            yield case


def _writings(found: Judged, case: int) -> set[str]:
    """What kinds of writing the values of a rollout differ in from what is expected."""
    told = [(pair.given[case] or "", pair.expected[case] or "") for pair in found.pairs if not pair.exact[case]]
    return {kind for given, expected in told if given and expected for kind in _writing(given, expected)}


def _writing(given: str, expected: str) -> set[str]:
    """All that differs, of whatever parts: a prompt that demands the form of one is missed by that."""
    words = [difference.words for difference in compare(given, expected)]
    return {next((kind for kind in ("number", "date", "case") if kind in each), "marks") for each in words or [""]}
