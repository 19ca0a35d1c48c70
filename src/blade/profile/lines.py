"""Where things stand in a TOML text: the library that reads it does not say."""

import re
from typing import Final

_HEADER: Final = re.compile(r"\s*(\[\[?)\s*([\w.\"' -]{1,200}?)\s*\]\]?\s*(?:#.*)?")
_KEY: Final = re.compile(r"\s*([\w-]{1,100}|\"[^\"\n]{0,100}\"|'[^'\n]{0,100}')\s*=")
_LONG: Final = ('"""', "'''")

Place = tuple[str, int, str]
"""Section, the how manyth of its name (from 0), key; the key is empty for the section itself."""


def lines_of(text: str) -> dict[Place, int]:
    """The line, from 1, of every section and key; those of nested tables stand under their section."""
    found: dict[Place, int] = {}
    counts: dict[str, int] = {}
    section, nth, inside = "", 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        if inside:
            inside = "" if line.count(inside) % 2 else inside
            continue
        if header := _HEADER.fullmatch(line):
            section = header[2].strip("\"' ")
            nth = counts.get(section, -1) + 1 if header[1] == "[[" else 0
            counts[section] = nth
            found.setdefault((section, nth, ""), number)
        elif key := _KEY.match(line):
            found.setdefault((section, nth, key[1].strip("\"'")), number)
        inside = next((mark for mark in _LONG if line.count(mark) % 2), "")
    return found
