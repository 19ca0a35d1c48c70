"""Text in pictures: cleaned of what a rollout may have put in, and cut or wrapped to the room there is.

A picture cannot ask the reader's fonts how wide a word is. The widths here are those of the widest faces in common use
(Verdana and its kin), so that what fits by them fits everywhere.
"""

import re
import unicodedata
from typing import Final

LONGEST: Final = 160
"""Characters of a label, whatever room there is."""

SIZE: Final = 13.0
SMALL: Final = 12.0
"""Sizes of letters, in units of the picture; both layouts are drawn about as large as they are shown."""

_BOLD: Final = 1.12
_MOST_MARKS: Final = 2
"""Combining marks that may stand on one letter: more would climb out of the line."""

_WORD = re.compile(r"\S+\s*")
_PART = re.compile(r"[^-_/.:]+[-_/.:\s]*|[-_/.:]+\s*")

_CHARACTERS: Final = {
    **dict.fromkeys("ijl|'", 0.295),
    **dict.fromkeys(" .,;:·!", 0.345),
    **dict.fromkeys("ftrIJ/\\()[]-", 0.405),
    **dict.fromkeys('*_"?sczvxykLT', 0.59),
    **dict.fromkeys("abdeghnopqu0123456789$FEPSTYZ", 0.64),
    **dict.fromkeys("ABCKRVXU", 0.735),
    **dict.fromkeys("DGHNOQw&+=<>~#^−", 0.84),
    **dict.fromkeys("mM%W@…", 1.0),
}


def clean(text: str, most: int = LONGEST) -> str:
    """A text on one line without controls and marks that turn the direction, at most `most` characters of it."""
    kept: list[str] = []
    marks = 0
    for character in text[: 4 * most]:
        kind = unicodedata.category(character)
        marks = marks + 1 if kind[0] == "M" else 0
        if character.isspace():
            kept.append(" ")
        elif kind[0] != "C" and marks <= _MOST_MARKS:
            kept.append(character)
    flat = " ".join("".join(kept).split())
    return flat if len(flat) <= most and len(text) <= 4 * most else flat[: most - 1].rstrip() + "…"


def width(text: str, size: float = SIZE, *, bold: bool = False) -> float:
    """An upper estimate of the room that a text takes."""
    return sum(map(_advance, text)) * size * (_BOLD if bold else 1)


def _advance(character: str) -> float:
    known = _CHARACTERS.get(character)
    if known is not None:
        return known
    if unicodedata.combining(character):
        return 0
    return 0.7 if ord(character) < 0x1100 else 1.3


def fitted(text: str, room: float, size: float = SIZE, *, bold: bool = False) -> str:
    """A text cut to the room; the ellipsis stands in the middle of a name, since names differ at their ends."""
    if width(text, size, bold=bold) <= room:
        return text
    if " " in text:
        return _head(text, room, size, bold=bold).rstrip() + "…"
    most = len(_head(text, room, size, bold=bold))
    while most > 0:
        ahead, behind = (most + 1) // 2, most // 2
        cut = f"{text[:ahead]}…{text[len(text) - behind :]}"
        if width(cut, size, bold=bold) <= room:
            return cut
        most -= 1
    return "…"


def _head(text: str, room: float, size: float, *, bold: bool) -> str:
    """As much of a text as fits with an ellipsis behind it."""
    left = room / (size * (_BOLD if bold else 1)) - _advance("…")
    for place, character in enumerate(text):
        left -= _advance(character)
        if left < 0:
            return text[:place]
    return text


def wrapped(text: str, room: float, size: float = SIZE, *, most_lines: int = 2, bold: bool = False) -> list[str]:
    """A text on as many lines as it needs, up to `most_lines`; the last of them is cut where there is more."""
    lines: list[str] = []
    pieces = _pieces(text, room / (_BOLD if bold else 1), size)
    while pieces and len(lines) < most_lines - 1:
        taken = 1
        while taken < len(pieces) and width("".join(pieces[: taken + 1]).rstrip(), size, bold=bold) <= room:
            taken += 1
        lines.append(fitted("".join(pieces[:taken]).strip(), room, size, bold=bold))
        pieces = pieces[taken:]
    return [*lines, fitted("".join(pieces).strip(), room, size, bold=bold)] if pieces else lines or [""]


def _pieces(text: str, room: float, size: float) -> list[str]:
    """Where a text may be broken: behind a space, and within a word that is too long behind a hyphen or its like."""
    pieces: list[str] = []
    for word in _WORD.findall(text):
        pieces += [word] if width(word.rstrip(), size) <= room else _PART.findall(word)
    return pieces
