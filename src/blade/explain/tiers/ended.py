"""What ended the rollout."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from blade.detect import wording
from blade.detect.signal import ENDING
from blade.explain import causes, signals
from blade.explain.cases import Cases
from blade.explain.causes import Blame
from blade.explain.last_message import answered_last
from blade.explain.mode import VERDICT, Mode, tier
from blade.measure.outcomes import NOT_MEASURED, Verdict
from blade.measure.panel import Numbers

TURN_LIMIT: Final = "turn limit"


@tier("what ended it", place=2)
def find(cases: Cases) -> Iterable[Mode]:
    """The rollout is no measurement, or something other than its answer ended it."""
    yield from not_measured(cases)
    answered = cases.mask(np.array(cases.once(answered_last), dtype=np.int64))
    for mode in signals.modes_of(cases, ENDING):
        yield _of_those(mode, ~answered[mode.cases]) if mode.key == TURN_LIMIT else mode


def _of_those(mode: Mode, kept: Numbers) -> Mode:
    return replace(mode, cases=mode.cases[kept], steps=mode.steps[kept])


def not_measured(cases: Cases) -> Iterator[Mode]:
    """A mode for every reason for which rollouts are no measurement, and every kind of trouble behind it."""
    found: dict[tuple[str, Blame], list[tuple[int, int]]] = {}
    for case in np.flatnonzero(cases.outcome == NOT_MEASURED).tolist():
        verdict = cases.verdict(case) or Verdict("no reward")
        step = -1 if verdict.step is None else verdict.step
        found.setdefault((verdict.why or "no reward", _blamed(verdict)), []).append((case, step))
    for (why, blame), places in sorted(found.items()):
        title = _TITLES.get(why, why)
        yield Mode(
            key=f"not measured: {why}" + (f": {blame.what}" if blame.what else ""),
            title=f"{title}: {blame.what}" if blame.what else title,
            cause=blame.cause,
            owner=blame.owner,
            proof=VERDICT,
            cases=np.array([case for case, _ in places]),
            steps=np.array([step for _, step in places]),
            rule="the rollout is no measurement",
        )


_TITLES = {
    "failed attempt": "Every attempt failed",
    "masked": "Masked by its own run",
    "no reward": "No reward",
    "infrastructure": "Infrastructure",
    "verifier": "Judge or verifier failed",
    "missing": "Owed, and not there",
}
_USUAL = {"infrastructure": causes.MACHINERY, "verifier": causes.JUDGE, "missing": causes.ABSENT}


def _blamed(verdict: Verdict) -> Blame:
    """Whose doing it is: what the reason says, else what the words of the evidence say."""
    said = wording.read(verdict.detail)
    named = said.wording.name if said and said.says in (wording.INFRASTRUCTURE, wording.VERIFIER) else ""
    usual = _USUAL.get(verdict.why or "")
    return (usual or causes.of_words(verdict.detail) or causes.UNKNOWN)._replace(what=named)
