"""All made controls, by name."""

import random
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

FALSIFYING: Final = "falsifying"
DEGRADING: Final = "degrading"
FAIR: Final = "fair"

FAMILIES: Final = {
    FALSIFYING: "What it says is false, or it says nothing: it must score low.",
    DEGRADING: "Most of it is true, and something was spoilt: it must score visibly below the golden report.",
    FAIR: "It looks different and says the same: it must score high.",
}


class Source(NamedTuple):
    """What a control is made from."""

    golden: str
    facts: Sequence[str]
    stream: random.Random


Make = Callable[[Source], str]


class Control(NamedTuple):
    """A row of the registry."""

    name: str
    family: str
    says: str
    make: Make


_CONTROLS: dict[str, Control] = {}


def control(family: str) -> Callable[[Make], Make]:
    """Register a maker of controls under its own name; its docstring says what it does."""

    def register(make: Make) -> Make:
        says = " ".join((make.__doc__ or "").split())
        _CONTROLS[make.__name__] = Control(make.__name__, family, says, make)
        return make

    return register


def all_controls() -> list[Control]:
    """Every control, those of a family together."""
    from blade.check.controls import degrading, fair, falsifying, invented

    assert degrading
    assert fair
    assert falsifying
    assert invented
    return sorted(_CONTROLS.values(), key=lambda each: list(FAMILIES).index(each.family))


def made(control: Control, golden: str, facts: Sequence[str], *, seed: int) -> str:
    """The text of a control; the same arguments give the same text."""
    return control.make(Source(golden, facts, random.Random(f"{seed}:{control.name}")))
