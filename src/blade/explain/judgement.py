"""Where the judgement itself is at fault: equal answers judged differently, right ones rejected, doubtful expectations.

Three findings, each about rollouts that came to their end in the form that was demanded:

* *judged differently*: two rollouts of one task, equal in all that is judged, one of which passes and one fails; or
  what is to the letter as expected, rejected by a verifier that accepts it elsewhere.
* *too strict*: what was given differs from what is expected in its writing alone, and the prompt is silent on that.
* *expectation suspected*: nobody is ever right on a task, and all who answer give one and the same answer. How often
  wrong answers agree by habit, tasks tell on which somebody is right; a suspicion is raised only where habit and chance
  would make a tenth of such tasks at most, and where answers are not chosen from a short list.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from blade.explain.cases import Cases
from blade.explain.complaints import complaints
from blade.explain.judged import Compared, Judged, judged_of
from blade.explain.prompts import prompts_of
from blade.explain.values import compare, normal
from blade.measure.panel import Numbers, summary_of

HALF: Final = 0.5
"""Share of the span of all rewards that two verdicts must differ by, where rewards are graded."""

NEVER: Final = 0.02
"""Share of passes with another answer than the expected one, up to which the verifier is taken to compare texts."""

MOST_READ: Final = 400
"""Tasks whose prompts are read to see whether they demand a form."""

NEARLY_ALL: Final = 0.9
ENOUGH: Final = 4
"""Repeats of one model from which on their agreement says anything."""

FALSE_SUSPICIONS: Final = 0.1
FEW_VALUES: Final = 6
OPEN: Final = 0.1
"""Different expected answers by tasks, below which answers are chosen from a short list."""

_PRIOR_WITHIN: Final = (2.0, 4.0)
_PRIOR_BETWEEN: Final = (1.0, 5.0)
"""Agreements and pairs that stand for what is known of habits before any wrong answer was seen."""

_PAIRS_OF_ONE_MODEL: Final = 10
"""Pairs of wrong answers that must be known before the habits of a single model can be judged."""

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


class Suspect(NamedTuple):
    """A task whose expected answer is doubtful."""

    task: int
    expected: str
    given: str
    cases: Numbers
    """The rollouts that gave the other answer."""
    models: int
    answers: int


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
    return {_writing(given, expected) for given, expected in told if given and expected}


def _writing(given: str, expected: str) -> str:
    words = " ".join(difference.words for difference in compare(given, expected))
    return next((kind for kind in ("number", "date", "case") if kind in words), "marks")


class _Answers(NamedTuple):
    """The answers of one task: model by model, as forms, with the rollouts that gave them."""

    by_model: dict[int, list[str]]
    cases: list[int]
    right: bool

    @property
    def all(self) -> list[str]:
        return [answer for answers in self.by_model.values() for answer in answers]


def suspected(cases: Cases) -> Iterator[Suspect]:
    """Tasks on which nobody is right and all agree, where habit and chance do not explain it."""
    answer = judged(cases).answer
    if answer is None or not _is_open(cases, answer):
        return
    told = _answers_by_task(cases, answer)
    habits = _habits(told)
    never = {task: each for task, each in told.items() if not each.right}
    telling = {task: each for task, each in never.items() if _is_telling(each, habits)}
    agreeing = {task: each for task, each in telling.items() if _most(each)[1] >= NEARLY_ALL}
    chance = {task: habits.chance(each) for task, each in never.items()}
    dissent = [chance[task] / (1 - chance[task]) for task in never if task not in agreeing and len(never[task].all) > 1]
    for task in _sure(agreeing, chance, sum(dissent) + HALF * max(dissent, default=HALF)):
        given = _most(told[task])[0]
        own = np.array([case for case in told[task].cases if normal(answer.given[case] or "") == given])
        expected = answer.expected[own[0]] or ""
        yield Suspect(task, expected, answer.given[own[0]] or "", own, len(told[task].by_model), len(told[task].all))


def _sure(agreeing: dict[int, _Answers], chance: dict[int, float], false: float) -> list[int]:
    """Tasks that agree, less those that habit explains too well: until a tenth at most is expected to be false."""
    kept = sorted(agreeing, key=lambda task: (chance[task], task))
    while kept:
        worst = chance[kept[-1]]
        if worst < HALF and false * worst / (1 - worst) <= FALSE_SUSPICIONS * len(kept) * (1 - worst):
            return sorted(kept)
        kept.pop()
    return []


def _is_open(cases: Cases, answer: Compared) -> bool:
    """Whether answers are not chosen from a short list."""
    by_task = {task: normal(value) for task, value in zip(cases.task.tolist(), answer.expected, strict=True) if value}
    values = set(by_task.values())
    return len(values) > max(FEW_VALUES, OPEN * len(by_task)) and float(np.median([len(value) for value in values])) > 1


def _answers_by_task(cases: Cases, answer: Compared) -> dict[int, _Answers]:
    """What was answered to every task, in rollouts that came to an end of their own."""
    fit = judged(cases).fit & answer.known
    models = _models(cases)
    found: dict[int, _Answers] = {}
    right = {int(task) for task in np.unique(cases.task[cases.passed | (answer.known & answer.same)])}
    for case in np.flatnonzero(fit).tolist():
        task = int(cases.task[case])
        own = found.setdefault(task, _Answers(defaultdict(list), [], task in right))
        if not answer.same[case]:
            own.by_model[models[int(cases.run[case])]].append(normal(answer.given[case] or ""))
            own.cases.append(case)
    return {task: each for task, each in found.items() if each.cases}


def _models(cases: Cases) -> list[int]:
    """Of each run the number of its model; runs that do not say are taken to have one and the same."""
    names = [summary_of(cases.store, run).model or "" for run in cases.runs]
    return [names.index(name) for name in names]


class _Habits(NamedTuple):
    """How often two wrong answers to one task agree, of one model and of two."""

    within: float
    between: float
    pairs: int

    def chance(self, answers: _Answers) -> float:
        """The chance that wrong answers of a task all agree."""
        repeats = sum(len(each) - 1 for each in answers.by_model.values())
        return float(min(0.999, self.within**repeats * self.between ** (len(answers.by_model) - 1)))


def _habits(told: dict[int, _Answers]) -> _Habits:
    within, between = list(_PRIOR_WITHIN), list(_PRIOR_BETWEEN)
    for answers in told.values():
        if not answers.right:
            continue
        for own in answers.by_model.values():
            _count(within, ((a, b) for a, b in combinations(own[:8], 2)))
        for first, second in combinations(answers.by_model.values(), 2):
            _count(between, ((a, b) for a in first[:4] for b in second[:4]))
    pairs = int(within[1] - _PRIOR_WITHIN[1])
    return _Habits(within[0] / within[1], between[0] / between[1], pairs)


def _count(counts: list[float], pairs: Iterator[tuple[str, str]]) -> None:
    for one, other in pairs:
        counts[0] += one == other
        counts[1] += 1


def _is_telling(answers: _Answers, habits: _Habits) -> bool:
    """Whether models agree with each other; or one with itself, often, where its habits are known."""
    if len(answers.by_model) > 1:
        return True
    return len(answers.all) >= ENOUGH and habits.pairs >= _PAIRS_OF_ONE_MODEL


def _most(answers: _Answers) -> tuple[str, float]:
    """The most frequent answer, and its share in the model that gives it least."""
    [(most, _), *_] = Counter(answers.all).most_common(1)
    return most, min(own.count(most) / len(own) for own in answers.by_model.values())
