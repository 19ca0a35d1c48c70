"""Answers that are wrong, and nothing else: the run finished cleanly, and no behaviour separates it."""

from collections.abc import Iterable
from typing import Final

import numpy as np

from blade.explain.cases import Cases
from blade.explain.mode import REST, Mode, tier
from blade.measure.panel import Numbers

ENOUGH_REPEATS: Final = 4
"""Measured repeats from which on a task that never passes is a gap, where no other run passes it."""

_FINISHED: Final = """
SELECT file, row, answer_step::BIGINT AS step FROM rollouts
WHERE standing = 'row' AND answer_step IS NOT NULL AND end_kind IN ('message', 'reasoning', 'other')
  AND coalesce(last_result_step, -1) < answer_step
"""
"""Nothing was left open: the last word was the model's, or that of a user who ended the talk."""


@tier("wrong answer", place=8)
def find(cases: Cases) -> Iterable[Mode]:
    """The rollout finished with an answer, which is wrong; nothing else tells it from a pass."""
    case, found = cases.rows(_FINISHED)
    step = np.full(len(cases), -1)
    step[case] = found["step"].astype(np.int64)
    finished = cases.failed & (step >= 0)
    varies, never = _varies(cases), _never_right(cases)
    yield _mode("wrong answer, never right", "KG", finished & never & ~varies, step)
    yield _mode("wrong answer, varies", "UK", finished & varies, step)


def _varies(cases: Cases) -> Numbers:
    """Of each rollout whether its task passes at times in the same run."""
    passes = np.bincount(cases.stratum[cases.passed], minlength=int(cases.stratum.max(initial=-1)) + 1)
    return np.asarray(passes[cases.stratum] > 0)


def _never_right(cases: Cases) -> Numbers:
    """Of each rollout whether its task was tried often enough in its run, or is passed by another run."""
    size = int(cases.stratum.max(initial=-1)) + 1
    tried = np.bincount(cases.stratum[cases.measured], minlength=size)[cases.stratum] >= ENOUGH_REPEATS
    passed_somewhere = np.bincount(cases.task[cases.passed], minlength=cases.tasks + 1)[cases.task] > 0
    return np.asarray(tried | passed_somewhere)


_TITLES: Final = {"KG": "Wrong answer, never right", "UK": "Wrong answer, at times right"}
_RULES: Final = {
    "KG": f"it finished with an answer, and no repeat is right, of at least {ENOUGH_REPEATS} or where another run is",
    "UK": "it finished with an answer, and other repeats of the task are right",
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
