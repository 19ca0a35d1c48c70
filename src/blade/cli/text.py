"""Text for terminals: nothing that a rollout holds may steer the terminal or break a line's shape."""

import re
import shutil
import sys
import textwrap
import unicodedata
from itertools import zip_longest
from typing import Final

_LABEL: Final = 12
MOST_LINES: Final = 4
INDENT: Final = _LABEL + 4
"""Where facts begin, right of their labels."""

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]"
)


def escaped(text: str) -> str:
    """JSON text in which the characters that would steer a terminal stand as escapes."""
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def printable(text: str) -> str:
    """Text without control sequences; each control character shows as a replacement character."""
    return _UNSAFE.sub("\ufffd", text.replace("\r\n", "\n").replace("\t", "    "))


def one_line(text: str, width: int) -> str:
    """Text on one line of at most `width` columns; what is cut shows as an ellipsis."""
    flat = re.sub(r"\s+", " ", printable(text)).strip()
    if columns(flat) <= width:
        return flat
    kept, used = [], 0
    for character in flat:
        used += columns(character)
        if used > width - 1:
            break
        kept.append(character)
    return "".join(kept).rstrip() + "…"


def wrapped(text: str, width: int, most_lines: int) -> list[str]:
    """Text on at most `most_lines` lines of `width` columns, parted between words where it can be."""
    lines = [""]
    for word in re.sub(r"\s+", " ", printable(text)).strip().split(" "):
        if lines[-1] and columns(lines[-1]) + 1 + columns(word) <= width:
            lines[-1] += f" {word}"
            continue
        lines.append(word)
        while columns(lines[-1]) > width and len(lines) <= most_lines + 1:
            head = _fitting(lines[-1], width)
            lines[-1:] = [head, lines[-1][len(head) :]]
    lines = lines[1:] or [""]
    if len(lines) > most_lines:
        lines = [*lines[: most_lines - 1], one_line(" ".join(lines[most_lines - 1 :]), width)]
    return lines


def _fitting(text: str, width: int) -> str:
    """The beginning of a text that fits into `width` columns: at least one character."""
    used = 0
    for place, character in enumerate(text):
        used += columns(character)
        if used > width and place:
            return text[:place]
    return text


def columns(text: str) -> int:
    """Columns that a terminal needs for `text`: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


def padded(text: str, width: int, *, right: bool = False) -> str:
    """Text filled with spaces to `width` columns."""
    space = " " * max(0, width - columns(text))
    return space + text if right else text + space


def terminal_width() -> int:
    """Columns of the terminal; 100 where there is none."""
    return shutil.get_terminal_size((100, 24)).columns


def size(count: int) -> str:
    """Bytes in the unit that a person would use."""
    value, units = float(count), ("B", "KB", "MB", "GB", "TB")
    for unit in units:
        if value < 1000 or unit == units[-1]:
            return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"
        value /= 1000
    return ""


def labelled(label: str, fact: str, width: int, *, most_lines: int = MOST_LINES) -> list[str]:
    """A label, and its fact on as many lines as it needs, up to a bound."""
    room = max(20, width - INDENT)
    parts = textwrap.wrap(one_line(fact, room * most_lines), room) or [""]
    return [f"  {name:<{_LABEL}}  {part}" for name, part in zip([label, *[""] * len(parts)], parts, strict=False)]


def indented(lines: list[str]) -> list[str]:
    """Lines below a label."""
    return [" " * INDENT + line for line in lines]


def table(
    header: list[str],
    rows: list[list[str]],
    *,
    width: int,
    right: set[int] = frozenset(),  # type: ignore[assignment]
    most_lines: int = 1,
) -> list[str]:
    """Aligned lines; where they do not fit, the cells of the widest columns are cut, or take several lines."""
    cells = [[one_line(cell, 10_000) for cell in row] for row in (header, *rows)]
    widths = [max(columns(row[place]) for row in cells) for place in range(len(header))]
    while sum(widths) + 2 * (len(widths) - 1) > width and max(widths) > 6:
        widths[widths.index(max(widths))] -= 1
    rule = ["─" * wide for wide in widths]
    return [line for row in (cells[0], rule, *cells[1:]) for line in _row(row, widths, right, most_lines)]


def _row(cells: list[str], widths: list[int], right: set[int], most_lines: int) -> list[str]:
    """One row of a table, on as many lines as its longest cell takes."""
    parts = [wrapped(cell, wide, most_lines) for cell, wide in zip(cells, widths, strict=True)]
    return [
        "  ".join(padded(part, widths[place], right=place in right) for place, part in enumerate(line)).rstrip()
        for line in zip_longest(*parts, fillvalue="")
    ]


def labelled_table(
    label: str,
    header: list[str],
    rows: list[list[str]],
    *,
    width: int,
    right: set[int] = frozenset(),  # type: ignore[assignment]
) -> list[str]:
    """A table whose first line stands beside its label, or below it where that leaves too little room."""
    beside = table(header, rows, width=sys.maxsize, right=right)
    if max(map(columns, beside)) <= width - INDENT:
        return [f"  {label:<{_LABEL}}  {beside[0]}".rstrip(), *indented(beside[1:])]
    lines = table(header, rows, width=max(40, width - 4), right=right, most_lines=MOST_LINES)
    below = [f"    {line}" for line in lines]
    return [f"  {label}", *below] if label else below
