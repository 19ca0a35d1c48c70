"""The verdict itself: equal answers judged differently, right ones rejected, expectations that are suspected wrong."""

from collections.abc import Iterable

import numpy as np

from blade.explain import judgement, suspicion
from blade.explain.cases import Cases
from blade.explain.mode import VERDICT, Mode, tier
from blade.measure.panel import Numbers

DIFFERENTLY = "judged differently"
STRICT = "verifier too strict"
SUSPECTED = "expectation suspected"


_ANSWERED = "SELECT file, row, answer_step::BIGINT AS step FROM rollouts WHERE answer_step IS NOT NULL"


@tier("judgement", place=2.5)
def find(cases: Cases) -> Iterable[Mode]:
    """The failure is the verifier's or the benchmark's: what was given is right, or what is expected is in doubt."""
    yield _mode(
        cases,
        DIFFERENTLY,
        "Right by the verifier's own judgement of equals, and failed",
        "verifier",
        np.array(cases.once(judgement.wrongly_failed), dtype=np.int64),
        "all that is judged equals a rollout of the task that passes, or the expectation to the letter; or the verifier"
        " says of it only what it says of such",
    )
    yield _mode(
        cases,
        STRICT,
        "Right answer failed for its writing",
        "verifier",
        np.array(cases.once(judgement.too_strict), dtype=np.int64),
        "what was given is what is expected but for its writing, on which the prompt is silent",
    )
    suspects = [suspect.cases for suspect in cases.once(suspicion.suspected)]
    yield _mode(
        cases,
        SUSPECTED,
        "Expected answer suspected wrong",
        "data",
        np.sort(np.concatenate(suspects)) if suspects else np.zeros(0, dtype=np.int64),
        "nobody is ever right on the task, and all answer the same, more often than habits explain",
    )


def _mode(cases: Cases, key: str, title: str, owner: str, shown: Numbers, rule: str) -> Mode:
    step = np.full(len(cases), -1)
    case, found = cases.rows(_ANSWERED)
    step[case] = found["step"].astype(np.int64)
    return Mode(
        key=key,
        title=title,
        cause="TI",
        owner=owner,
        proof=VERDICT,
        cases=shown,
        steps=step[shown],
        rule=rule,
    )
