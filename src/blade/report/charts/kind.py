"""What a kind of chart is: a row of the registry, in the module of the chart as `KIND`."""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

Table = tuple[list[str], list[list[str]]]
"""A header and rows of text, to be escaped like any text."""


class Chart(Protocol):
    """What every chart says of itself; the rest of it is its numbers."""

    @property
    def title(self) -> str: ...

    @property
    def description(self) -> str:
        """What the picture shows and how it is read, in a sentence or two."""
        ...


class Draw(Protocol):
    """A picture as inline SVG; ids in it begin with `prefix`, and `wide=False` is the layout for phones."""

    def __call__(self, chart: Any, *, prefix: str, wide: bool = True) -> str: ...


class Kind(NamedTuple):
    """One kind of chart."""

    name: str
    data: type
    svg: Draw
    table: Callable[[Any], Table]
    text: Callable[[Any], str]
    """What the picture shows, in one sentence."""


def described(chart: Chart, sentence: str) -> str:
    """What a screen reader says of a picture: how it is read, and what it shows."""
    return f"{chart.description} {sentence}".strip()
