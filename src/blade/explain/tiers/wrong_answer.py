"""Answers that are wrong, and nothing else: the run finished cleanly, and no behaviour separates it."""

from collections.abc import Iterable
from typing import Final

import numpy as np

from blade.explain.cases import Cases
from blade.explain.luck import bad_luck
from blade.explain.mode import REST, Mode, tier_of_rest
from blade.measure.panel import Numbers

ENOUGH: Final = 4
"""Tries, over all runs, from which on a task that nobody passes is a gap."""

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
    right, wrongs = (cases.by_task(shown) for shown in (cases.passed, wrong))
    unlucky = bad_luck(right, right + wrongs)[cases.run, cases.task]
    varies = right[cases.run, cases.task] > 0
    yield _mode("wrong answer, never right", "KG", wrong & ~varies & ~unlucky & _tried_enough(cases), step)
    yield _mode("wrong answer, varies", "UK", wrong & (varies | unlucky), step)


def _tried_enough(cases: Cases) -> Numbers:
    """Of each rollout whether some run passes its task, or the runs together tried it often enough."""
    passed = cases.by_task(cases.passed).sum(axis=0) > 0
    tried = cases.by_task(cases.measured).sum(axis=0) >= ENOUGH
    return np.asarray((passed | tried)[cases.task])


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
