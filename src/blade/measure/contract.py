"""Whether two runs may be compared, and in what they differ: read from their rows, and from configs beside them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from blade.measure.pairing import Pairing
from blade.measure.panel import Panel, summary_of
from blade.measure.tool_lists import Declared, only_in, tools_of

if TYPE_CHECKING:
    from blade.scan.store import Store
    from blade.scan.summary import RunSummary

SAME: Final = "same setup"
ONE: Final = "one change"
SEVERAL: Final = "several changes"
NOT_COMPARABLE: Final = "not comparable"


class Difference(msgspec.Struct, kw_only=True):
    """One thing in which two runs differ."""

    what: str
    baseline: Any
    candidate: Any
    may_cause: bool = True
    """Whether it can move the score of the common tasks; repeats and the set of tasks cannot."""


class Comparable(msgspec.Struct, kw_only=True):
    """The verdict on the set-up of two runs, with every difference."""

    verdict: str
    why: str
    differences: list[Difference]


_TRAITS: Final = {
    "model": "model",
    "agent": "agent",
    "temperature": "temperature",
    "top_p": "top_p",
    "max output tokens": "max_output_tokens",
    "reasoning effort": "reasoning_effort",
    "instructions": "system_hash",
    "skills": "skills_hash",
    "environment": "environment",
}
"""What is compared of the rows, and the column it stands in; where the reward stands is compared beside them."""

_LIMITS: Final = (
    "max_steps", "max_turns", "max_tool_calls", "timeout", "timeout_s", "timeout_seconds", "time_limit", "max_tokens",
    "max_input_tokens", "max_context_length",
)  # fmt: skip
"""Fields and settings that bound an agent."""

_MOST_SHOWN: Final = 5

_COMMON: Final = "run = $run AND standing = 'row' AND task IN (SELECT unnest($tasks))"
"""Rows of the common tasks: what other tasks are run with makes no difference."""

_OF_ROWS: Final = f"""
SELECT {", ".join([*_TRAITS.values(), "CASE WHEN reward IS NOT NULL THEN reward_field END"])}, count(*)
FROM rollouts WHERE {_COMMON} GROUP BY ALL
"""
_TOOLS: Final = f"""
SELECT tools_from, list(DISTINCT tools_hash ORDER BY tools_hash) FROM rollouts
WHERE {_COMMON} AND tools_hash IS NOT NULL GROUP BY 1
"""
_FIELD_SHARES: Final = f"""
SELECT name, count(DISTINCT (file, row)) / (SELECT count(*) FROM rollouts WHERE {_COMMON}) AS share
FROM fields WHERE {_COMMON} AND NOT contains(name, '.') GROUP BY name
"""
_FIELD_VALUES: Final = f"""
SELECT name, list(DISTINCT coalesce(text, number::VARCHAR) ORDER BY coalesce(text, number::VARCHAR)) FROM fields
WHERE {_COMMON} AND name IN (SELECT unnest($names)) AND kind <> 'null' GROUP BY name
"""


class Side(NamedTuple):
    """One of the two runs."""

    store: "Store"
    panel: Panel
    summary: "RunSummary"
    tasks: list[str]
    """Its names of the common tasks."""

    @classmethod
    def of(cls, store: "Store", panel: Panel, common: list[int]) -> "Side":
        return cls(store, panel, summary_of(store, panel.run), [panel.tasks[task] for task in common])

    def ask(self, query: str, **more: Any) -> list[Any]:
        parameters = {"run": self.panel.run, "tasks": self.tasks, **more}
        rows: list[Any] = self.store.connection.execute(query, parameters).fetchall()
        return rows


def compare_setup(store: "Store", baseline: Panel, candidate: Panel, pairing: Pairing) -> Comparable:
    """Everything in which two runs differ, and what that means for comparing them."""
    first, second = Side.of(store, baseline, pairing.baseline), Side.of(store, candidate, pairing.candidate)
    differences = [found for check in _CHECKS for found in check(first, second)] if pairing.baseline else []
    differences += _task_sets(baseline, pairing)
    if why := _obstacle(baseline, candidate, pairing):
        return Comparable(verdict=NOT_COMPARABLE, why=why, differences=differences)
    causes = [difference.what for difference in differences if difference.may_cause]
    if not causes:
        return Comparable(verdict=SAME, why="nothing that the rows tell differs", differences=differences)
    if len(causes) == 1:
        differs = "differ" if causes[0].endswith("s") else "differs"
        return Comparable(verdict=ONE, why=f"only the {causes[0]} {differs}", differences=differences)
    why = f"{', '.join(causes[:-1])} and {causes[-1]} differ, so no single one of them can be named as the cause"
    return Comparable(verdict=SEVERAL, why=why, differences=differences)


def _obstacle(baseline: Panel, candidate: Panel, pairing: Pairing) -> str:
    """Why two runs cannot be compared at all; empty where they can."""
    for panel in (baseline, candidate):
        if not panel.measured.sum():
            return f"no rollout of {panel.run} is measured"
    if not pairing.baseline:
        if pairing.changed:
            return f"no common task: the prompts of all {len(pairing.changed)} tasks with the same id differ"
        return "no common task: no id and no prompt stands in both runs"
    measured = baseline.measured[pairing.baseline].astype(bool) & candidate.measured[pairing.candidate].astype(bool)
    return "" if measured.any() else "no common task is measured in both runs"


def _traits(first: Side, second: Side) -> Iterator[Difference]:
    names = (*_TRAITS, "field of the reward")
    sides = [side.ask(_OF_ROWS) for side in (first, second)]
    for place, what in enumerate(names):
        counts = [_counts((row[place], row[-1]) for row in rows) for rows in sides]
        if what == "field of the reward":  # rows without a reward have none
            counts = [{value: rows for value, rows in side.items() if value is not None} for side in counts]
        if what == "skills":  # rows that name no skills were run without any
            counts = [{"none" if value is None else value: rows for value, rows in side.items()} for side in counts]
        if set(counts[0]) != set(counts[1]):
            yield Difference(what=what, baseline=_shown(counts[0]), candidate=_shown(counts[1]))


def _counts(rows: Iterable[tuple[Any, int]]) -> dict[Any, int]:
    """How many rows have each value."""
    found: Counter[Any] = Counter()
    for value, count in rows:
        found[value] += count
    return dict(sorted(found.items(), key=lambda item: (-item[1], str(item[0]))))


def _shown(counts: dict[Any, int]) -> Any:
    """One value as it is; several with their rows; unknown as null."""
    if len(counts) < 2:
        return next(iter(counts), None)
    return _few([f"{'unknown' if value is None else value} ({rows:,} rows)" for value, rows in counts.items()])


def _tools(first: Side, second: Side) -> Iterator[Difference]:
    """Lists of tools; those of requests and those of responses do not compare."""
    sides = [dict(side.ask(_TOOLS)) for side in (first, second)]
    origins = [origin for origin in ("request", "response") if origin in sides[0] and origin in sides[1]]
    if any(sides[0]) != any(sides[1]) or any(sides[0][origin] != sides[1][origin] for origin in origins[:1]):
        lists = [_tool_lists(side) for side in sides]
        names = [_tool_names(*each) for each in zip((first, second), lists, strict=True)]
        baseline, candidate = (
            f"{told} ({apart})" if own and other and (apart := only_in(own, other)) else told
            for told, own, other in zip(lists, names, names[::-1], strict=True)
        )
        yield Difference(what="tools", baseline=baseline, candidate=candidate)


def _tool_lists(hashes: dict[str, list[str]]) -> str | None:
    """The hashes of the tool lists: the lists themselves are not in the store."""
    return _few(sorted({digest for several in hashes.values() for digest in several}))


def _tool_names(side: Side, told: str | None) -> Declared:
    """The tools of a run that has one list of them."""
    return tools_of(side.store, side.panel.run, told) if told and "," not in told else {}


def _few(names: list[str]) -> str | None:
    """Some of these names, and how many more there are."""
    more = len(names) - _MOST_SHOWN
    return (", ".join(names[:_MOST_SHOWN]) + (f" and {more:,} more" if more > 0 else "")) or None


def _limits(first: Side, second: Side) -> Iterator[Difference]:
    """Limits of the agent, from fields of the rows and from configs."""
    sides = [_limits_of(side) for side in (first, second)]
    for name in sorted(sides[0].keys() & sides[1].keys()):
        if sides[0][name] != sides[1][name]:
            yield Difference(what=name, baseline=sides[0][name], candidate=sides[1][name])


def _limits_of(side: Side) -> dict[str, str]:
    found = {name: ", ".join(map(_whole, values)) for name, values in side.ask(_FIELD_VALUES, names=list(_LIMITS))}
    declared = side.summary.config["values"] if side.summary.config else {}
    for name, value in declared.items():
        if name.rpartition(".")[2] in _LIMITS:
            found.setdefault(name, str(value))
    return found


def _whole(text: str | None) -> str:
    return (text or "null").removesuffix(".0")


def _verifier(first: Side, second: Side) -> Iterator[Difference]:
    """Fields that nearly all rows of one run have and no row of the other: another verifier, or another version."""
    sides = [dict(side.ask(_FIELD_SHARES)) for side in (first, second)]
    only = [
        sorted(name for name, share in a.items() if share >= 0.9 and name not in b) for a, b in (sides, sides[::-1])
    ]
    if any(only):
        shown = [f"only here: {few}" if (few := _few(names)) else "no field of its own" for names in only]
        yield Difference(what="verifier fields", baseline=shown[0], candidate=shown[1])


def _repeats(first: Side, second: Side) -> Iterator[Difference]:
    sides = [side.summary.repeats for side in (first, second)]
    if sides[0] != sides[1]:
        shown = [_range(repeats) for repeats in sides]
        yield Difference(what="repeats", baseline=shown[0], candidate=shown[1], may_cause=False)


def _range(repeats: list[int]) -> str:
    if not repeats:
        return "0"
    return str(repeats[0]) if repeats[0] == repeats[-1] else f"{repeats[0]} to {repeats[-1]}"


def _task_sets(baseline: Panel, pairing: Pairing) -> list[Difference]:
    found = []
    if pairing.only_baseline or pairing.only_candidate:
        sides = [f"{len(names):,} only here" for names in (pairing.only_baseline, pairing.only_candidate)]
        found.append(Difference(what="tasks", baseline=sides[0], candidate=sides[1], may_cause=False))
    if pairing.changed:
        told = f"{len(pairing.changed):,} of {len(baseline.tasks):,} with another prompt"
        found.append(Difference(what="prompts", baseline="", candidate=told, may_cause=False))
    elif pairing.prompts_differ:
        found.append(Difference(what="prompts", baseline="", candidate=pairing.note))
    return found


_CHECKS: Final[tuple[Callable[[Side, Side], Iterator[Difference]], ...]] = (
    _traits,
    _tools,
    _limits,
    _verifier,
    _repeats,
)
"""What is compared; a new check is one more function here."""
