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

_ENDS: Final = """
SELECT file, row, coalesce(answer_step, steps - 1)::BIGINT AS step, concat_ws(' ', end_kind, end_actor) AS end,
       answer_step IS NOT NULL AND coalesce(last_result_step, -1) < answer_step AS last_word
FROM rollouts WHERE standing = 'row' AND steps > 0
"""
"""Where the answer of a rollout stands, how the rollout ends, and whether the answer was the last word."""


@tier_of_rest("wrong answer", place=8)
def find(cases: Cases, left: Numbers) -> Iterable[Mode]:
    """The rollout finished with an answer, which is wrong; nothing else tells it from a pass."""
    step = _answer_steps(cases)
    wrong = cases.failed & left & (step >= 0)
    right, wrongs = (cases.by_task(shown) for shown in (cases.passed, wrong))
    unlucky = bad_luck(right, right + wrongs)[cases.run, cases.task]
    varies = right[cases.run, cases.task] > 0
    yield _mode(
        "wrong answer, never right", "KG", wrong & ~varies & ~unlucky & _tried_enough(cases, right + wrongs), step
    )
    yield _mode("wrong answer, varies", "UK", wrong & (varies | unlucky), step)


def _answer_steps(cases: Cases) -> Numbers:
    """Of each rollout that finished the step of its answer, else -1.

    It finished where its answer was the last word, or where passes end in the same way.
    """
    case, found = cases.rows(_ENDS)
    ends_of_passes = np.unique(found["end"][cases.passed[case]].astype(str))
    finished = found["last_word"].astype(bool) | np.isin(found["end"].astype(str), ends_of_passes)
    step = np.full(len(cases), -1)
    step[case[finished]] = found["step"][finished].astype(np.int64)
    return step


def _tried_enough(cases: Cases, tries: Numbers) -> Numbers:
    """Of each rollout whether some run passes its task, or the runs together answered it often enough."""
    passed = cases.by_task(cases.passed).sum(axis=0) > 0
    tried = tries.sum(axis=0) >= ENOUGH
    return np.asarray((passed | tried)[cases.task])


_TITLES: Final = {"KG": "Answer never right", "UK": "Unreliable answer"}
_RULES: Final = {
    "KG": f"it finished with an answer, and none is right: in {ENOUGH} tries or more, or where another run is",
    "UK": "it finished with an answer, and the task is right at times, or tried too seldom to be called never right",
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
