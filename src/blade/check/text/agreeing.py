"""Whether two figures say the same, as exactly as the coarser of them is."""

from typing import Final

from blade.check.text.figures import COUNT, OF, PERCENT, POINTS, Figure

_CLOSE: Final = 0.02
"""How far a figure with a word such as `about` may be off, relatively."""


def step_of(figure: Figure) -> float:
    """Half of the last digit that is shown."""
    return 0.5 * 10.0**-figure.decimals


def agrees(said: Figure, true: float, *, exact: bool = False) -> bool:
    """Whether a figure says a number, rounded as it is."""
    slack = step_of(said) * (1 + 1e-9) + 1e-9 * abs(true)
    if said.hedged and not exact:
        slack = max(slack, _CLOSE * abs(true), 1.0 if said.kind == PERCENT and said.spelled else 0.0)
    return abs(said.value - true) <= slack


def same(one: Figure, other: Figure) -> bool:
    """Whether two figures say the same, as exactly as the coarser of them is."""
    if one.kind == OF and other.kind == OF:
        return one.value == other.value and one.of == other.of
    if one.kind == other.kind:
        if one.value == other.value:
            return True
        if one.kind == COUNT and not (one.decimals or other.decimals or one.hedged or other.hedged):
            return abs(one.value - other.value) <= 0.5
    first, second = _comparable(one, other)
    if first is None or second is None:
        return False
    distance = abs(first - second)
    if distance <= max(_slack(one), _slack(other)) + 1e-9:
        return True
    return (one.hedged or other.hedged) and distance <= _CLOSE * max(abs(first), abs(second))


def _slack(figure: Figure) -> float:
    return 0.0 if figure.kind == OF else step_of(figure)


def _comparable(one: Figure, other: Figure) -> tuple[float | None, float | None]:
    """Two figures on one scale, where there is one."""
    if one.kind == other.kind:
        return one.value, other.value
    kinds = {one.kind, other.kind}
    if kinds == {PERCENT, OF}:
        return tuple(100 * (each.share or 0.0) for each in (one, other))  # type: ignore[return-value]
    if kinds == {PERCENT, COUNT}:
        count = one if one.kind == COUNT else other
        if 0 <= count.value <= 1 and count.decimals:
            return tuple(each.value * (100 if each is count else 1) for each in (one, other))  # type: ignore[return-value]
        return (one.value, other.value) if count.decimals else (None, None)
    if kinds == {POINTS, COUNT}:
        return abs(one.value), abs(other.value)
    if kinds == {OF, COUNT}:
        return one.value, other.value
    return None, None
