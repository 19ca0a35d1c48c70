"""Answers that are wrong, and nothing else: the run finished cleanly, and no behaviour separates it.

A task of which no repeat is right is a gap, unless chance explains it: among tasks that are right at times, some are
wrong in every repeat all the same. How many, the tasks that vary tell: were each of their answers wrong with chance q,
a share q^n of such tasks would be wrong n times of n. Where that makes most of the tasks that are never right, they
are called unreliable too; and so is a task that another run is right on at times only, where bad luck suffices.
"""

from collections.abc import Iterable
from typing import Final

import numpy as np

from blade.explain.cases import Cases
from blade.explain.mode import REST, Mode, tier_of_rest
from blade.measure.panel import Numbers

ENOUGH: Final = 4
"""Tries, over all runs, from which on a task that nobody passes is a gap."""

_ROUNDS: Final = 50
_MOSTLY: Final = 0.5
_BAD_LUCK: Final = 0.1
"""Chance from which on nobody would be surprised."""

_FINISHED: Final = """
SELECT file, row, answer_step::BIGINT AS step FROM rollouts
WHERE standing = 'row' AND answer_step IS NOT NULL AND end_kind IN ('message', 'reasoning', 'other')
  AND coalesce(last_result_step, -1) < answer_step
"""
"""Nothing was left open: the last word was the model's, or that of a user who ended the talk."""


@tier_of_rest("wrong answer", place=8)
def find(cases: Cases, left: Numbers) -> Iterable[Mode]:
    """The rollout finished with an answer, which is wrong; nothing else tells it from a pass."""
    case, found = cases.rows(_FINISHED)
    step = np.full(len(cases), -1)
    step[case] = found["step"].astype(np.int64)
    wrong = cases.failed & left & (step >= 0)
    passes, wrongs = (_by_stratum(cases, shown) for shown in (cases.passed, wrong))
    tries = passes + wrongs
    by_chance = (_by_chance(cases, passes, tries) | _varies_elsewhere(cases, passes, tries))[cases.stratum]
    varies = passes[cases.stratum] > 0
    yield _mode("wrong answer, never right", "KG", wrong & ~varies & ~by_chance & _tried_enough(cases), step)
    yield _mode("wrong answer, varies", "UK", wrong & (varies | by_chance), step)


def _by_stratum(cases: Cases, shown: Numbers) -> Numbers:
    return np.bincount(cases.stratum[shown], minlength=int(cases.stratum.max(initial=-1)) + 1)


def _tried_enough(cases: Cases) -> Numbers:
    """Of each rollout whether some run passes its task, or the runs together tried it often enough."""
    passed = np.bincount(cases.task[cases.passed], minlength=cases.tasks + 1)[cases.task] > 0
    tried = np.bincount(cases.task[cases.measured], minlength=cases.tasks + 1)[cases.task] >= ENOUGH
    return np.asarray(passed | tried)


def _by_chance(cases: Cases, passes: Numbers, tries: Numbers) -> Numbers:
    """Of each stratum whether chance, rather than a gap, is why none of its answers is right."""
    found = np.zeros(len(tries), dtype=bool)
    run = np.arange(len(tries)) // max(1, cases.tasks)
    for number in range(len(cases.panels)):
        own = (run == number) & (tries > 0)
        varied = own & (passes > 0) & (passes < tries)
        if not varied.any():
            continue
        q = wrong_rate(passes[varied], tries[varied])
        unreliable = (1.0 / (1 - q ** tries[varied] - (1 - q) ** tries[varied])).sum() / max(
            1, (own & (tries > 1)).sum()
        )
        for count in np.unique(tries[own]).tolist():
            group = own & (tries == count)
            never = group & (passes == 0)
            expected = min(1.0, unreliable) * group.sum() * q**count
            if expected > _MOSTLY * never.sum():
                found |= never
    return found


def _varies_elsewhere(cases: Cases, passes: Numbers, tries: Numbers) -> Numbers:
    """Of each stratum whether another run is right at times only, and so seldom that this one may have had bad luck."""
    shape = (len(cases.panels), max(1, cases.tasks))
    right, tried = (np.resize(np.append(each, np.zeros(shape[0] * shape[1])), shape) for each in (passes, tries))
    varied = (right > 0) & (right < tried)
    wrong = np.where(varied, 1 - right / np.maximum(tried, 1), 0.0)
    found = np.zeros(shape, dtype=bool)
    for other in range(shape[0]):
        found |= (right == 0) & (tried > 0) & varied[other] & (wrong[other] ** tried >= _BAD_LUCK)
    return found.ravel()[: len(passes)]


def wrong_rate(passes: Numbers, tries: Numbers) -> float:
    """The chance of a wrong answer of tasks that vary, given that each is right at least once and wrong at least once.

    Maximum likelihood of a binomial without its two ends, by iteration.
    """
    wrong = float((tries - passes).sum())
    q = 0.5
    for _ in range(_ROUNDS):
        inside = 1 - q**tries - (1 - q) ** tries
        # what all such tasks, the two ends included, would show
        total = (tries / inside).sum()
        q = float(np.clip((wrong + (tries * q**tries / inside).sum()) / total, 1e-3, 1 - 1e-3))
    return q


_TITLES: Final = {"KG": "Answer wrong in every try", "UK": "Answer wrong in some tries"}
_RULES: Final = {
    "KG": f"it finished with an answer, and none is right: in {ENOUGH} tries or more, or where another run is",
    "UK": "it finished with an answer, and the task is right at times, or as often wrong as chance would have it",
}


def _mode(key: str, cause: str, shown: Numbers, step: Numbers) -> Mode:
    cases = np.flatnonzero(shown)
    return Mode(
        key=key,
        title=_TITLES[cause],
        cause=cause,
        owner="model",
        proof=REST,
        cases=cases,
        steps=step[cases],
        rule=_RULES[cause],
    )
