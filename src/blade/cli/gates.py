"""What a pipeline asks of a comparison: that nothing regressed, and that a regression could have been seen."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from blade import numbers
from blade.errors import InputError

if TYPE_CHECKING:
    from blade.measure.comparison import Comparison

_ROUNDING: Final = 1e-9


class Regression(click.ParamType[float]):
    """`regression`, or `regression:POINTS`."""

    name = "regression"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The points that a regression must exceed."""
        if isinstance(value, float):
            return value
        what, colon, points = str(value).partition(":")
        try:
            found = float(points) if colon else 0.0
        except ValueError:
            found = -1.0
        if what != "regression" or not 0 <= found <= 100:
            self.fail(f"{value!r} is neither regression nor regression:POINTS with POINTS from 0 to 100", param, ctx)
        return found


class Points(click.ParamType[float]):
    """Percentage points above 0, 100 at the most."""

    name = "points"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The points as a number."""
        try:
            found = float(value)
        except ValueError:
            found = 0.0
        if not 0 < found <= 100:
            self.fail(f"{value!r} is no number of points above 0 and up to 100", param, ctx)
        return found


class Gate(msgspec.Struct, kw_only=True):
    """One question to one comparison, and the answer."""

    asked: str
    candidate: str
    holds: bool
    said: str


def judge(found: Sequence["Comparison"], *, fail_on: float | None, require_mde: float | None) -> list[Gate]:
    """The gates that were asked for, for every candidate.

    A regression can be neither seen nor ruled out where runs do not compare: then nothing is judged, `InputError`.
    """
    gates = []
    for one in found:
        if fail_on is not None:
            gates.append(_regression(one, fail_on))
        if require_mde is not None:
            gates.append(_power(one, require_mde))
    return gates


def _regression(one: "Comparison", beyond: float) -> Gate:
    if one.verdict == "not comparable":
        why = f"cannot tell whether {one.candidate} is a regression from {one.baseline}: {one.why}"
        raise InputError(why, hint="leave --fail-on away to see the comparison")
    lost = -(one.delta.value or 0.0)
    regressed = one.verdict == "worse" and lost > beyond + _ROUNDING
    asked = "--fail-on regression" + (f":{beyond:g}" if beyond else "")
    if regressed:
        said = f"fails, {one.candidate} is worse by {numbers.points(lost, signed=False)} points, beyond noise"
    elif one.verdict == "worse":
        said = f"holds, {one.candidate} is worse beyond noise, but by {numbers.points(lost, signed=False)} points only"
    else:
        depends = f" ({one.why})" if one.verdict_depends else ""
        said = f"holds, {one.candidate}: {one.verdict}{depends}"
    return Gate(asked=asked, candidate=one.candidate, holds=not regressed, said=said)


def _power(one: "Comparison", points: float) -> Gate:
    least = one.minimum_detectable
    holds = least is not None and least <= points + _ROUNDING
    if least is None:
        said = f"fails, the comparison of {one.candidate} could have shown no difference at all"
    else:
        finds = f"finds differences from {numbers.points(least, signed=False)} points on"
        said = f"{'holds' if holds else 'fails'}, the comparison of {one.candidate} {finds}"
    return Gate(asked=f"--require-mde {points:g}", candidate=one.candidate, holds=holds, said=said)


def status(gates: Sequence[Gate]) -> int:
    """The exit code: 1 where a gate does not hold."""
    return 0 if all(gate.holds for gate in gates) else 1
