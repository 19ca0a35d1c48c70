"""Colours and patterns. A page says what they are with CSS custom properties; a picture alone falls back on `LIGHT`.

No colour stands alone: every kind of fill has a pattern of its own, so that a picture printed in grey says the same.
The colours keep apart for the common kinds of colour blindness, and stand out against the paper by at least 3 : 1.
"""

from types import MappingProxyType
from typing import Final

from blade.report.charts.drawing.lettering import clean

LIGHT: Final = MappingProxyType(
    {
        "ink": "#1c2024",
        "paper": "#ffffff",
        "muted": "#5b6470",
        "line": "#d3d8de",
        "accent": "#0068a8",
        "good": "#00795a",
        "bad": "#c04a00",
        "warn": "#a86f00",
        "kg": "#0068a8",
        "uk": "#3f93c9",
        "bi": "#a86f00",
        "ti": "#ad4f88",
        "ir": "#c04a00",
        "da": "#00795a",
        "unknown": "#767d86",
    }
)
"""Custom property to colour, on light paper."""

DARK: Final = MappingProxyType(
    {
        "ink": "#e7eaee",
        "paper": "#14171b",
        "muted": "#a3acb8",
        "line": "#3a424c",
        "accent": "#57aee6",
        "good": "#3dbd93",
        "bad": "#f08a4b",
        "warn": "#e3b04b",
        "kg": "#57aee6",
        "uk": "#a5d3f2",
        "bi": "#e3b04b",
        "ti": "#dd8fbd",
        "ir": "#f08a4b",
        "da": "#3dbd93",
        "unknown": "#98a1ac",
    }
)
"""The same, on dark paper."""


def colour(word: str) -> str:
    """The colour of a word, as the page says it is."""
    return f"var(--{word},{LIGHT[word]})"


INK: Final = "var(--ink,currentColor)"
PAPER: Final = colour("paper")
MUTED: Final = colour("muted")
LINE: Final = colour("line")
ACCENT: Final = colour("accent")
GOOD: Final = colour("good")
BAD: Final = colour("bad")
WARN: Final = colour("warn")

CAUSES: Final = ("kg", "uk", "bi", "ti", "ir", "da", "unknown")
"""The causes, in the order of the vocabulary, as the page calls their colours."""

NAMES: Final = MappingProxyType(
    {
        "kg": "KG: knowledge gap",
        "uk": "UK: unreliable knowledge",
        "bi": "BI: behaviour",
        "ti": "TI: task or verifier",
        "ir": "IR: infrastructure",
        "da": "DA: data artifact",
        "unknown": "cause unknown",
    }
)
"""What a legend says of a cause."""

SERIES: Final = ("accent", "bad", "good", "ti", "warn", "uk")
"""Colours that tell series apart, together with their markers."""

_STROKES: Final = MappingProxyType(
    {
        "plain": "",
        "rising": "M-2 2l4-4M0 8l8-8M6 10l4-4",
        "falling": "M-2 6l4 4M0 0l8 8M6-2l4 4",
        "dots": "M1 2h2M5 6h2",
        "level": "M0 2h8M0 6h8",
        "steep": "M2 0v8M6 0v8",
        "crossed": "M-2 2l4-4M0 8l8-8M6 10l4-4M-2 6l4 4M0 0l8 8M6-2l4 4",
    }
)
"""Patterns, on a square of 8."""

_PATTERN_OF: Final = MappingProxyType(
    {
        "kg": "plain",
        "uk": "rising",
        "bi": "dots",
        "ti": "level",
        "ir": "crossed",
        "da": "steep",
        "unknown": "falling",
        "good": "plain",
        "warn": "dots",
        "bad": "rising",
        "accent": "plain",
    }
)


class Inks:
    """The fills of one picture; it remembers the patterns that were used, which the picture must define."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._used: dict[str, str] = {}

    def fill(self, word: str) -> str:
        """The fill of a word: its colour with its pattern."""
        strokes = _STROKES[_PATTERN_OF[word]]
        return self._kept(word, strokes, colour(word), PAPER) if strokes else colour(word)

    def missing(self) -> str:
        """The fill of what is not there: paper with thin strokes."""
        return self._kept("missing", _STROKES["falling"], PAPER, MUTED)

    def definitions(self) -> str:
        """The patterns that were used."""
        return f"<defs>{''.join(self._used.values())}</defs>" if self._used else ""

    def _kept(self, word: str, strokes: str, below: str, above: str) -> str:
        name = f"{self._prefix}-{word}"
        self._used.setdefault(
            word,
            f'<pattern id="{name}" width="8" height="8" patternUnits="userSpaceOnUse">'
            f'<rect width="8" height="8" fill="{below}"/>'
            f'<path d="{strokes}" fill="none" stroke="{above}" stroke-width="1.5" stroke-opacity=".6"/></pattern>',
        )
        return f"url(#{name})"


def cause_word(cause: str) -> str:
    """The word of a cause's colour; a cause that is none is unknown."""
    word = clean(cause, 20).lower()
    return word if word in CAUSES else "unknown"
