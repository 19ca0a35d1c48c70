"""Expected answers that are suspected wrong.

Nobody is ever right on such a task, and all who answer give one and the same answer. How often wrong answers agree by
habit, tasks tell on which somebody is right; a suspicion is raised only where habit and chance would make one in
twenty of such tasks at most, and where answers are not chosen from a short list.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from blade.explain.cases import Cases
from blade.explain.compared import Compared
from blade.explain.judgement import judged
from blade.explain.values import normal
from blade.measure.panel import Numbers, summary_of

_HALF: Final = 0.5

NEARLY_ALL: Final = 0.9
ENOUGH: Final = 4
"""Repeats of one model from which on their agreement says anything."""

FALSE_SUSPICIONS: Final = 0.05
FEW_VALUES: Final = 6
OPEN: Final = 0.1
"""Different expected answers by tasks, below which answers are chosen from a short list."""

_PRIOR_WITHIN: Final = (2.0, 4.0)
_PRIOR_BETWEEN: Final = (1.0, 5.0)
"""Agreements and pairs that stand for what is known of habits before any wrong answer was seen."""

_SEEN_AS_PAIRS: Final = 4.0

_PAIRS_OF_ONE_MODEL: Final = 10
"""Pairs of wrong answers that must be known before the habits of a single model can be judged."""


class Suspect(NamedTuple):
    """A task whose expected answer is doubtful."""

    task: int
    expected: str
    given: str
    cases: Numbers
    """The rollouts that gave the other answer."""
    models: int
    answers: int


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
    agreeing = _beyond_habit(agreeing, never, habits)
    chance = {task: habits.chance(each) for task, each in never.items()}
    dissent = [chance[task] / (1 - chance[task]) for task in never if task not in agreeing and len(never[task].all) > 1]
    for task in _sure(agreeing, chance, sum(dissent) + _HALF * max(dissent, default=_HALF)):
        given = _most(told[task])[0]
        own = np.array([case for case in told[task].cases if normal(answer.given[case] or "") == given])
        expected = answer.expected[own[0]] or ""
        yield Suspect(task, expected, answer.given[own[0]] or "", own, len(told[task].by_model), len(told[task].all))


def _beyond_habit(agreeing: dict[int, _Answers], never: dict[int, _Answers], habits: "_Habits") -> dict[int, _Answers]:
    """Tasks that agree, without those of one model alone where its dissent elsewhere makes as many likely by habit."""
    alone = {task for task, each in agreeing.items() if len(each.by_model) == 1}
    groups = [own for task, each in never.items() if task not in alone for own in each.by_model.values()]
    dissenting = sum(len(own) >= ENOUGH and len(set(own)) > 1 for own in groups)
    chance = habits.of_one_model(ENOUGH)
    by_habit = dissenting * chance / (1 - chance)
    kept = by_habit <= FALSE_SUSPICIONS * len(alone)
    return {task: each for task, each in agreeing.items() if kept or task not in alone}


def _sure(agreeing: dict[int, _Answers], chance: dict[int, float], false: float) -> list[int]:
    """Tasks that agree, less those that habit explains too well: one in twenty at most is expected to be false."""
    kept = sorted(agreeing, key=lambda task: (chance[task], task))
    while kept:
        worst = chance[kept[-1]]
        if worst < _HALF and false * worst / (1 - worst) <= FALSE_SUSPICIONS * len(kept) * (1 - worst):
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
    unanimous: float
    """How often all wrong answers of one model to a task agree, where there are several: habits differ by task."""
    pairs: int

    def chance(self, answers: _Answers) -> float:
        """The chance that wrong answers of a task all agree."""
        found = self.between ** (len(answers.by_model) - 1)
        for own in answers.by_model.values():
            found *= self.of_one_model(len(own))
        return min(0.999, found)

    def of_one_model(self, count: int) -> float:
        """The chance that so many wrong answers of one model to a task all agree."""
        paired = float(self.within ** (count - 1))
        return max(paired, self.unanimous) if count >= ENOUGH else paired


def _habits(told: dict[int, _Answers]) -> _Habits:
    within, between, unanimous = list(_PRIOR_WITHIN), list(_PRIOR_BETWEEN), [0.0, 0.0]
    for answers in told.values():
        if not (answers.right or _models_disagree(answers)):
            continue
        for own in answers.by_model.values():
            _count(within, ((a, b) for a, b in combinations(own[:8], 2)))
            if len(own) >= ENOUGH:
                _count(unanimous, iter([(own[0], own[0] if len(set(own)) == 1 else "")]))
        for first, second in combinations(answers.by_model.values(), 2) if answers.right else ():
            _count(between, ((a, b) for a in first[:4] for b in second[:4]))
    pairs = int(within[1] - _PRIOR_WITHIN[1])
    paired = within[0] / within[1]
    # As if a few tasks had been seen whose answers agree as pairs of answers do.
    wholly = (_SEEN_AS_PAIRS * paired ** (ENOUGH - 1) + unanimous[0]) / (_SEEN_AS_PAIRS + unanimous[1])
    return _Habits(paired, between[0] / between[1], wholly, pairs)


def _models_disagree(answers: _Answers) -> bool:
    """Whether models are wrong in different ways: then their own agreement with themselves is habit."""
    return len({Counter(own).most_common(1)[0][0] for own in answers.by_model.values()}) > 1


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
