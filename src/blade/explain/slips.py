"""Wrong answers that are no lack of knowledge: the right one in another unit or off by a year, or worked out and lost.

A wrong answer alone tells nothing about why it is wrong. It does where it is the right one but for a slip that has a
name, where it is right but for a form that the prompt demands, and where the rollout's own words before it hold the
right answer and not the one that was given.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

import numpy as np

from blade.explain import judgement
from blade.explain.cases import Cases
from blade.explain.compared import Compared
from blade.explain.mode import VERDICT, Mode
from blade.explain.origin import stands_in
from blade.explain.rereading import read_again
from blade.explain.values import Difference, compare, normal
from blade.measure.panel import Numbers
from blade.rollout import Rollout

FEWEST: Final = 3
"""Failing rollouts, of two tasks at least, with the same slip."""

SHARE: Final = 0.05
"""Share of the wrong answers that have a slip, from which on it is no accident."""

MOST_READ: Final = 3_000
"""Rollouts with a wrong answer whose own words are read."""

_SLIPS: Final = {
    "scale": None,
    "unit": None,
    "date": ("one year before", "one year after", "month and day swapped"),
    "time": ("twelve hours before", "twelve hours after", "another time zone"),
    "number": ("opposite sign",),
}
"""Kinds of difference that are slips, and which of them; all, where none is named."""

_SHORTEST: Final = 3
"""Characters of an answer that a text holds by no accident."""

_LONGEST_TEXT: Final = 40_000
_LONGEST_ANSWER: Final = 200


def modes(cases: Cases, amiss: Numbers) -> Iterator[Mode]:
    """Modes of slips; rollouts that are `amiss` are explained otherwise."""
    answer = judgement.judged(cases).answer
    if answer is None:
        return
    wrong = np.flatnonzero(cases.failed & answer.known & ~answer.same & ~amiss)
    yield from _named(cases, answer, wrong)
    yield from _lost(cases, answer, wrong)
    demanded = np.flatnonzero(_form_missed(cases) & ~amiss)
    if len(demanded):
        rule = f"{answer.given_field} is {answer.expected_field} but for its writing, which the prompt demands"
        yield _mode(cases, "answer: not in the form demanded", "Right answer, not in the form demanded", rule, demanded)


def _named(cases: Cases, answer: Compared, wrong: Numbers) -> Iterator[Mode]:
    """Answers that are right but for a slip with a name."""
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    for case in wrong.tolist():
        if slip := _slip(compare(answer.given[case], answer.expected[case])):
            found[slip.kind, slip.words].append(case)
    for (kind, words), shown in sorted(found.items()):
        if _recurs(cases, shown) and len(shown) >= SHARE * len(wrong):
            rule = f"{answer.given_field} is {answer.expected_field} but for that"
            said = f"date {words}" if kind == "date" else words
            yield _mode(cases, f"answer: {kind} {words}", f"Answer: {said}", rule, np.array(shown))


def _slip(differences: list[Difference]) -> Difference | None:
    """The slip that an answer shows, if it shows no other difference."""
    if len(differences) != 1 or differences[0].kind not in _SLIPS:
        return None
    words = _SLIPS[differences[0].kind]
    return differences[0] if words is None or differences[0].words in words else None


def _recurs(cases: Cases, shown: list[int]) -> bool:
    return len(shown) >= FEWEST and len(np.unique(cases.task[shown])) > 1


def _form_missed(cases: Cases) -> Numbers:
    """Which answers are right but for their writing, where the verifier is not to blame for that."""
    found = judgement.judged(cases)
    shown = cases.failed & found.fit & (found.decides | found.complete) & found.as_expected() & ~found.to_the_letter()
    for blamed in (judgement.wrongly_failed, judgement.too_strict):
        shown &= ~cases.mask(np.array(cases.once(blamed), dtype=np.int64))
    return np.asarray(shown)


def _lost(cases: Cases, answer: Compared, wrong: Numbers) -> Iterator[Mode]:
    """Answers other than the one that the rollout itself had worked out."""
    asked = {}
    for case in wrong.tolist():
        expected, given = (_telling(value) for value in (answer.expected[case], answer.given[case]))
        if expected and given and expected not in given and given not in expected:
            asked[cases.place(case)] = (case, expected, given)
    shown = []
    for place, rollout in read_again(cases.store, list(asked)[:MOST_READ]):
        case, expected, given = asked[place]
        said = _own_words(rollout)
        if stands_in(said, expected) and not stands_in(said, given) and not stands_in(_prompt(rollout), expected):
            shown.append(case)
    if _recurs(cases, shown):
        rule = f"its own words before the answer hold {answer.expected_field}, and not what it answers"
        title = "Right answer worked out, another one given"
        yield _mode(cases, "answer: worked out and not given", title, rule, np.sort(np.array(shown)))


def _telling(value: str | None) -> str:
    """An answer as it may stand in a text; empty for one that says too little, or too much."""
    text = normal(value or "")
    return text if _SHORTEST <= len(text) <= _LONGEST_ANSWER else ""


def _own_words(rollout: Rollout) -> str:
    """What the model says and thinks before its last message."""
    answer = rollout.answer()
    last = answer[0] if answer else len(rollout.items)
    steps = [step for step in rollout.steps[:last] if step.actor == "model" and step.kind in ("message", "reasoning")]
    return normal("\n".join(step.head(_LONGEST_TEXT) for step in steps)[-_LONGEST_TEXT:])


def _prompt(rollout: Rollout) -> str:
    return normal("\n".join(step.head(_LONGEST_TEXT) for step in rollout.prompt)[-_LONGEST_TEXT:])


_ANSWERED: Final = "SELECT file, row, coalesce(answer_step, -1)::BIGINT AS step FROM rollouts WHERE standing = 'row'"


def _mode(cases: Cases, key: str, title: str, rule: str, shown: Numbers) -> Mode:
    step = np.full(len(cases), -1)
    case, found = cases.rows(_ANSWERED)
    step[case] = found["step"].astype(np.int64)
    return Mode(
        key=key,
        title=title,
        cause="BI",
        owner="model",
        proof=VERDICT,
        cases=shown,
        steps=step[shown],
        rule=rule,
    )
