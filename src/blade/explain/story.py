"""Why the score changed, in sentences: as much as the terms bear, and no more.

A story is told where the difference or a term is beyond noise. Inside noise the first sentence says so; terms that
offset each other are told even then.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from blade import numbers
from blade.explain.records import CauseTerm, Explained, Term

_MOST_TERMS: Final = 3
_WORTH_TELLING: Final = 0.5
"""Points from which on a part of the headline is told."""

_FROM: Final = {
    "not measured": "from rollouts that are not measured",
    "tasks in one run": "from tasks in one run only",
    "changed prompts": "from changed prompts",
    "duplicates": "from duplicates",
}
_CAUSES: Final = {
    "KG": "knowledge gaps",
    "UK": "unreliable knowledge",
    "BI": "behaviour",
    "TI": "the task or its verifier",
    "IR": "infrastructure",
    "DA": "the data",
    "unknown": "causes that are not known",
}


_SETTINGS: Final = tuple(
    (re.compile(mode), re.compile(names))
    for mode, names in (
        (r"^output truncated", r"(?:output|completion|new|max) tokens"),
        (r"^context overflow", r"context|window|model len"),
        (r"^turn limit", r"turn|step|iteration|round|calls"),
        (r"^(?:agent|container|verifier) time-out", r"time|deadline|seconds"),
        (r"unknown tool|another tool|instead of|arguments break schema", r"^tools$"),
    )
)
"""Modes, and the names of the settings that they may come from."""


class Lost(NamedTuple):
    """Rollouts that are not measured for one reason: how many in either run, and one of them."""

    title: str
    baseline: int
    candidate: int
    ref: str


def answer(one: Explained, lost: Sequence[Lost]) -> list[str]:
    """The answer to "why did the score change?"."""
    if one.verdict == "not comparable" or one.delta.value is None:
        return [f"The runs cannot be compared: {one.why}."]
    return [sentence for sentence in (_headline(one), _scoreboard(one, lost), *_terms(one), _setup(one)) if sentence]


def _headline(one: Explained) -> str:
    told = [term for term in one.terms if not term.within_noise]
    ends = numbers.point_range(one.delta.low, one.delta.high)
    size = f"{numbers.points(one.delta.value)} points{ends and f' {ends}'}"
    if one.verdict_depends:
        return _hanging(one, size)
    if one.verdict in ("better", "worse"):
        tasks = numbers.counted(one.common.tasks, "common task")
        return f"{one.candidate} is {one.verdict} than {one.baseline}: {size} of pass@1 over {tasks}."
    if not told:
        return f"No difference shown: {size}, which noise alone may make."
    if len({term.points > 0 for term in told}) > 1:
        return f"No difference shown in sum ({size}), but parts of it offset each other."
    parts = "one part of it is" if len(told) == 1 else f"{len(told)} parts of it are"
    return f"No difference shown in sum ({size}), but {parts} beyond noise."


def _hanging(one: Explained, size: str) -> str:
    """What there is to say where rollouts that are not measured decide."""
    failed = one.delta_as_failed
    ends = numbers.point_range(failed.low, failed.high)
    return (
        f"The verdict hangs on rollouts that are not measured: without them {size}, with them counted as failures "
        f"{numbers.points(failed.value)}{ends and f' {ends}'}. Run those again before you decide."
    )


def _terms(one: Explained) -> Iterator[str]:
    told = [term for term in one.terms if not term.within_noise]
    for term in told[:_MOST_TERMS]:
        yield " ".join(filter(None, (_told(term), _setting(one, term))))
    if len(told) > _MOST_TERMS:
        rest = told[_MOST_TERMS:]
        points = numbers.points(sum(term.points for term in rest))
        yield f"{numbers.counted(len(rest), 'smaller term')} beyond noise: {points} points together."
    if one.verdict in ("better", "worse") and not told:
        yield _by_cause(one.cause_terms) or _spread(one)


def _told(term: Term) -> str:
    """What one mode does to the score, in rates of both runs."""
    went = "costs" if term.points < 0 else "gives back"
    return (
        f"{term.title} {went} {numbers.points(abs(term.points), signed=False)} points: {_of_rollouts(term.baseline)} of"
        f" the baseline's rollouts fail so, {_of_rollouts(term.candidate)} of the candidate's"
        f" ({term.cause}: {_CAUSES[term.cause]}; {term.owner})."
    )


def _setting(one: Explained, term: Term) -> str:
    """What differs in the set-up that a mode may come from, where its kind has such a setting."""
    names = next((names for mode, names in _SETTINGS if mode.search(term.mode)), None)
    told = [
        f"{each.what} {_value(each.baseline)} → {_value(each.candidate)}"
        for each in one.comparable.differences
        if names and names.search(each.what.lower().replace("_", " "))
    ]
    return f"In the set-up: {'; '.join(told)}." if told else ""


def _value(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _of_rollouts(points: float) -> str:
    """A share of rollouts, of which each task counts the same."""
    return "none" if points == 0 else numbers.percent(points / 100)


def _by_cause(terms: list[CauseTerm]) -> str:
    told = [term for term in terms if not term.within_noise]
    parts = " and ".join(f"{_CAUSES[term.cause]} ({numbers.points(term.points)} points)" for term in told)
    return f"No failure mode makes the difference by itself beyond noise; by cause it is {parts}." if told else ""


def _spread(one: Explained) -> str:
    """What there is to say where no part of a real difference is beyond noise by itself."""
    sign = 1 if (one.delta.value or 0.0) > 0 else -1
    largest = next((term for term in one.terms if term.points * sign > 0), None)
    if largest is None:
        return ""
    points = numbers.points(largest.points)
    return (
        "No failure mode makes the difference by itself beyond noise. "
        f"The largest part is {largest.title}, {points} points ({largest.cause}: {_CAUSES[largest.cause]})."
    )


def _setup(one: Explained) -> str:
    if one.comparable.verdict != "several changes":
        return ""
    causes = [each.what for each in one.comparable.differences if each.may_cause]
    named = f"{', '.join(causes[:-1])} and {causes[-1]}" if len(causes) > 1 else "several things"
    return (
        f"{named[:1].upper()}{named[1:]} differ in the set-up: no single one can be named as what brought this about."
    )


def _scoreboard(one: Explained, lost: Sequence[Lost]) -> str:
    """What a scoreboard shows beside the common tasks, where it is much, and what took the measurements away."""
    if one.headline is None:
        return ""
    others = [
        term for term in one.headline.terms if term.what != "common-task delta" and abs(term.points) >= _WORTH_TELLING
    ]
    if not others:
        return ""
    parts = ", ".join(
        f"{numbers.points(term.points)} {_FROM.get(term.what, term.what)}"
        + (_what_took_them(lost) if term.what == "not measured" else "")
        for term in others
    )
    return f"A scoreboard shows {numbers.points(one.headline.value)} points, of which {parts}."


def _what_took_them(lost: Sequence[Lost]) -> str:
    """How many rollouts are not measured in which run, for what reason, and where that shows."""
    ordered = sorted(lost, key=lambda each: (-max(each.baseline, each.candidate), each.title))
    told = [f"{each.title} {each.baseline:,} → {each.candidate:,}, as in {each.ref}" for each in ordered[:_MOST_TERMS]]
    return f" ({'; '.join(told)})" if told else ""
