"""Text of the data made harmless to look at: every control that would steer a terminal, a browser or a reader's eye
stands as a visible sign, and nothing is longer than there is room for."""

import re
from typing import Final

_CONTROLS: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_JOINERS: Final = "\u200c\u200d"
"""Needed inside words of some scripts and inside some signs; harmless by themselves."""

_PICTURES: Final = 0x2400
_DELETE: Final = "␡"
_STACKED: Final = re.compile(
    "([\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{4})[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+"
)


def visible(text: str) -> str:
    """Text in which controls, invisible and direction-changing characters can be seen and do nothing."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return _STACKED.sub(r"\1", _CONTROLS.sub(_sign, plain)) if not plain.isascii() else _CONTROLS.sub(_sign, plain)


def _sign(match: re.Match[str]) -> str:
    character = match[0]
    if character in _JOINERS:
        return character
    code = ord(character)
    if code < 0x20:
        return chr(_PICTURES + code)
    return _DELETE if code == 0x7F else f"⟨U+{code:04X}⟩"


def one_line(text: str, most: int) -> str:
    """Visible text on one line, of at most `most` characters."""
    flat = " ".join(visible(text[: 4 * most + 40]).split())
    return flat if len(flat) <= most and len(text) <= 4 * most + 40 else flat[: most - 1].rstrip() + "…"


def bounded(text: str, most: int) -> tuple[str, int]:
    """The beginning of a text, and how many characters of it were left out; a little more is kept whole."""
    if len(text) <= most + most // 5:
        return text, 0
    cut = text[:most]
    space = cut.rfind("\n", most - most // 4)
    kept = cut[:space] if space > 0 else cut
    return kept, len(text) - len(kept)


def slug(text: str, most: int = 40) -> str:
    """A text as part of an anchor: letters, digits, hyphens and underscores, and different for different texts."""
    from blade.content import digest

    kept = re.sub(r"[^a-z0-9_]+", "-", text.lower()).strip("-")[:most].strip("-")
    return kept if kept == text and kept else f"{kept}-{digest(text)[:6]}".lstrip("-")
