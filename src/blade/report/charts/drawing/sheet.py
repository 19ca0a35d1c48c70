"""The sheet of one picture: its layout, its ids, and the frame around what is drawn."""

import re
from html import escape
from typing import Final

from blade.report.charts.drawing.ink import Inks
from blade.report.charts.drawing.lettering import SIZE, clean
from blade.report.charts.drawing.shapes import element, place

WIDE: Final = 880.0
NARROW: Final = 360.0
"""Widths of the two layouts; each is meant to be shown about as large as it is drawn."""

LONGEST_DESCRIPTION: Final = 1_000

_NOT_IN_AN_ID = re.compile(r"[^A-Za-z0-9_-]")


class Sheet:
    """What one picture is drawn on; `add` puts elements on it, `svg` is the picture."""

    def __init__(self, prefix: str, *, wide: bool) -> None:
        self.wide = wide
        self.width = WIDE if wide else NARROW
        self._id = "c" + _NOT_IN_AN_ID.sub("-", prefix[:80]) + ("" if wide else "-narrow")
        self.inks = Inks(self._id)
        self._drawn: list[str] = []

    def add(self, *elements: str) -> None:
        self._drawn.extend(elements)

    def svg(self, title: str, description: str, height: float) -> str:
        """The picture; its title and description are what a screen reader says."""
        named = (
            element("title", escape(clean(title, 200)) or "Picture", id=f"{self._id}-title"),
            element("desc", escape(clean(description, LONGEST_DESCRIPTION)) or "No data.", id=f"{self._id}-desc"),
        )
        return element(
            "svg",
            *named,
            self.inks.definitions(),
            *self._drawn,
            xmlns="http://www.w3.org/2000/svg",
            class_=f"chart chart-{'wide' if self.wide else 'narrow'}",
            viewBox=f"0 0 {place(self.width)} {place(height)}",
            width="100%",
            role="img",
            aria_labelledby=f"{self._id}-title {self._id}-desc",
            font_family="var(--sans,system-ui,sans-serif)",
            font_size=SIZE,
        )
