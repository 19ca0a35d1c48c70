"""The settings at the head of a skill: as much of YAML as they are written in, read without its library."""

import re
from typing import Final, NamedTuple

_KEY: Final = re.compile(r"([A-Za-z][\w-]{0,60})[ \t]*:(?:[ \t]+(.*))?$")
_FOLDED: Final = ("|", ">", "|-", ">-", "|+", ">+")
_MOST_LINES: Final = 200


class Frontmatter(NamedTuple):
    """The settings, and why there are none."""

    values: dict[str, str]
    trouble: str = ""


def frontmatter_of(source: str) -> Frontmatter:
    """The settings between the first two lines of three hyphens."""
    lines = source.removeprefix("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != "---":
        return Frontmatter({}, "the file does not begin with ---")
    end = next((place for place, line in enumerate(lines[1:_MOST_LINES], 1) if line.rstrip() == "---"), 0)
    if not end:
        return Frontmatter({}, "the settings at the head are not closed by ---")
    return Frontmatter(_values(lines[1:end]))


def _values(lines: list[str]) -> dict[str, str]:
    values: dict[str, str] = {}
    name = ""
    for line in lines:
        key = _KEY.match(line)
        if key:
            name, value = key[1], (key[2] or "").strip()
            values[name] = "" if value in _FOLDED else _unquoted(value)
        elif name and line[:1] in (" ", "\t"):
            values[name] = f"{values[name]} {line.strip()}".strip()
    return values


def _unquoted(value: str) -> str:
    quoted = len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if quoted else value
