"""A failing rollout beside a pass, or beside what is expected, as records that can be kept and shown."""

import json
from typing import Any, Final

import msgspec

from blade.explain.cases import Cases
from blade.explain.side_by_side import DIFFERS, ONLY_HERE, ONLY_THERE, SAME, Aligned, Made, SideBySide, beside_expected

MARKS: Final = {SAME: "=", DIFFERS: "≠", ONLY_HERE: "+", ONLY_THERE: "−"}
"""Signs for kinds of lines."""


class Beside(msgspec.Struct, kw_only=True):
    """A line of two sides: a call that one makes and the other, or only one of them."""

    kind: str
    here: str
    there: str
    here_ref: str
    there_ref: str
    differences: list[str]


class SideBySides(msgspec.Struct, kw_only=True):
    """A failing rollout beside the pass it is held against, or beside the calls that are expected."""

    failing: str
    passing: str
    lines: list[Beside]
    parting: int | None
    """The line from which on the two part for good."""
    kind: str


def told(one: SideBySide) -> SideBySides:
    """A failing rollout beside its partner, as a record."""
    return SideBySides(
        failing=one.failing,
        passing=one.passing,
        lines=[_beside(row) for row in one.rows],
        parting=one.parting,
        kind=one.kind,
    )


def _beside(row: Aligned) -> Beside:
    return Beside(
        kind=row.kind,
        here=_call(row.here),
        there=_call(row.there),
        here_ref=row.here.ref if row.here else "",
        there_ref=row.there.ref if row.there else "",
        differences=[f"{each.path}: {each.words}" if each.path else each.words for each in row.differences],
    )


def _call(made: Made | None) -> str:
    if made is None:
        return ""
    return f"{made.tool}({_arguments(made.arguments)})" + (" → error" if made.failed else "")


def _arguments(value: Any) -> str:
    """Arguments as people write them."""
    if not isinstance(value, dict):
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return ", ".join(f"{key}={json.dumps(each, ensure_ascii=False, default=str)}" for key, each in value.items())


def expected_sides(cases: Cases, case: int) -> SideBySides | None:
    """A rollout beside the calls that are expected of its task; None where it makes them, or where none is known."""
    rows = beside_expected(cases, case)
    if all(row.kind == SAME for row in rows):
        return None
    lines = [_beside(row) for row in rows]
    return SideBySides(failing=cases.ref(case), passing="", lines=lines, parting=None, kind="expected")
