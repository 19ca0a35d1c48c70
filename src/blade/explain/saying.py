"""What a pattern is called, and whose doing it is."""

from typing import Final, NamedTuple

from blade.explain.divergence import ARGUMENT, EXTRA, LEFT_OUT, OTHER_TOOL, STOPPED
from blade.explain.mode import TESTED, Mode
from blade.explain.patterns import Exact, Pattern

_MOST_PLACES: Final = 2


class Against(NamedTuple):
    """What rollouts were held against, in words."""

    name: str
    whom: str
    rule: str
    date: str


UNLIKE_PASSES: Final = Against(
    "unlike passes",
    "passing rollouts",
    "held against the nearest passing rollout of the same task, and tested on tasks that it was not learned from",
    "that of passing rollouts",
)
NOT_AS_EXPECTED: Final = Against(
    "not as expected",
    "the expected calls",
    "held against the calls that the benchmark expects, and tested on tasks that it was not learned from",
    "the expected date",
)

_REST: Final = {
    ARGUMENT: "other arguments than {whom}",
    LEFT_OUT: "a step left out that {whom} have",
    STOPPED: "stopped before a step that {whom} have",
    EXTRA: "a step that {whom} do not have",
    OTHER_TOOL: "another tool than {whom}",
}


def mode_of(pattern: Pattern, against: Against) -> Mode:
    """A pattern as a failure mode."""
    rest = _REST[pattern.family].format(whom=against.whom)
    said = f"{rest}: {_most(pattern.exact)}" if pattern.rest else _said(pattern.exact, against)
    name = rest if pattern.rest else _named(pattern.exact)
    count, of = pattern.contrasts
    return Mode(
        key=f"{against.name}: {name}",
        title=said[:1].upper() + said[1:] if pattern.rest or pattern.family == STOPPED else said,
        cause="BI",
        owner="model",
        proof=TESTED,
        cases=pattern.cases,
        steps=pattern.steps,
        rule=f"{count:,} of {of:,} failing rollouts, {against.rule}",
        association=pattern.association,
        p_adjusted=pattern.p_adjusted,
    )


def _named(exact: tuple[Exact, ...]) -> str:
    """A name that depends on the kind alone, not on how often each place of it occurs."""
    first = exact[0]
    if first.family == ARGUMENT and not first.is_of_its_place:
        return f"{first.kind} {first.words}"
    return _said(exact)


def _said(exact: tuple[Exact, ...], against: Against | None = None) -> str:
    """What rollouts do, in words; a date is told by the one that it is off, where that is asked for."""
    first = exact[0]
    if first.family == ARGUMENT:
        return f"{_places(exact)}: {_of_argument(first, against)}"
    return {
        LEFT_OUT: f"{first.tool} left out",
        STOPPED: f"stopped before {first.tool}",
        EXTRA: f"{first.tool}: a call too many",
        OTHER_TOOL: f"{first.path} called instead of {first.tool}",
    }[first.family]


def _of_argument(exact: Exact, against: Against | None) -> str:
    if exact.kind != "date":
        return exact.words
    apart = exact.words.endswith((" before", " after")) and against
    return f"{exact.words} {against.date}" if apart and against else f"date {exact.words}"


def _places(exact: tuple[Exact, ...]) -> str:
    """The tool and the argument; where there are several, those that are most frequent."""
    return _few([f"{each.tool} {each.path.replace('.[]', '')}".strip() for each in exact])


def _most(exact: tuple[Exact, ...]) -> str:
    """The most frequent of several kinds."""
    if exact[0].family == ARGUMENT:
        return _places(exact)
    return _few([f"{each.path} for {each.tool}" if each.family == OTHER_TOOL else each.tool for each in exact])


def _few(names: list[str]) -> str:
    different = list(dict.fromkeys(names))
    more = len(different) - _MOST_PLACES
    return ", ".join(different[:_MOST_PLACES]) + (f" and {more} more" if more > 0 else "")
