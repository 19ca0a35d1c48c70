"""Markdown as blocks: headings, paragraphs, items, tables, code, each with its line. One pass, no backtracking.

It reads what reports are written in, and leaves out what no claim stands in: link definitions, rules, comments.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

HEADING: Final = "heading"
PARAGRAPH: Final = "paragraph"
ITEM: Final = "item"
TABLE: Final = "table"
CODE: Final = "code"

LONGEST: Final = 20_000_000
"""Characters of a report that are read."""

_HEADING: Final = re.compile(r"(#{1,6})(?:[ \t]+|$)")
_ITEM: Final = re.compile(r"([ \t]*)([-*+]|\d{1,9}[.)])[ \t]+(?=\S)")
_FENCE: Final = re.compile(r"[ \t]{0,8}(`{3,}|~{3,})")
_CELL_RULE: Final = re.compile(r":?-+:?")
_TAGS_ONLY: Final = re.compile(r"(?:</?[A-Za-z][^<>]{0,300}>|<!--[^<>]*-->|\s)+")


class Block(NamedTuple):
    """A piece of a report."""

    kind: str
    text: str
    """Its source; of code the code itself."""
    line: int
    """Where it begins, from 1."""
    level: int = 0
    """Of a heading its level, of an item how deep it is indented."""
    rows: tuple[tuple[str, ...], ...] = ()
    """The cells of a table, the header first."""
    quoted: bool = False
    info: str = ""
    """What stands behind the fence of code."""


class _Line(NamedTuple):
    text: str
    number: int


def blocks(source: str) -> list[Block]:
    """The blocks of a report, in order."""
    texts = source[:LONGEST].replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lines = [_Line(text.rstrip(), number) for number, text in enumerate(texts, 1)]
    return list(_blocks(lines[_after_front_matter(lines) :], quoted=False))


def _after_front_matter(lines: Sequence[_Line]) -> int:
    """Where the text begins below a header of settings."""
    if lines and lines[0].text == "---":
        for place, line in enumerate(lines[1:200], 1):
            if line.text in ("---", "..."):
                return place + 1
    return 0


def _blocks(lines: Sequence[_Line], *, quoted: bool) -> Iterator[Block]:
    place = 0
    while place < len(lines):
        line = lines[place]
        bare = line.text.lstrip()
        if not bare or _TAGS_ONLY.fullmatch(bare):
            place += 1
        elif _FENCE.match(line.text):
            end = _end_of_fence(lines, place)
            yield _code(lines[place:end], quoted=quoted)
            place = end
        elif bare.startswith(">"):
            end = _while(lines, place, lambda text: text.lstrip().startswith(">"))
            yield from _blocks([_unquoted(each) for each in lines[place:end]], quoted=True)
            place = end
        elif heading := _HEADING.match(bare):
            text = bare[heading.end() :].rstrip("#").strip() or bare.strip("# ")
            yield Block(HEADING, text, line.number, len(heading[1]), quoted=quoted)
            place += 1
        elif _begins_table(lines, place):
            end = _while(lines, place, lambda text: "|" in text)
            yield _table(lines[place:end], quoted=quoted)
            place = end
        elif _is_rule(bare):
            place += 1
        elif bare.startswith("<!--"):
            place = _end_of_comment(lines, place)
        else:
            end = _end_of_text(lines, place)
            level = _underline(lines, end)
            if level and end == place + 1:
                yield Block(HEADING, bare, line.number, level, quoted=quoted)
                end += 1
            else:
                yield _text(lines[place:end], quoted=quoted)
            place = end


def _while(lines: Sequence[_Line], place: int, holds: Callable[[str], bool]) -> int:
    end = place
    while end < len(lines) and lines[end].text.strip() and holds(lines[end].text):
        end += 1
    return end


def _end_of_fence(lines: Sequence[_Line], place: int) -> int:
    """Behind the line that closes a fence; a fence that nobody closes goes to the end."""
    opening = _FENCE.match(lines[place].text)
    mark = opening[1] if opening else "```"
    for end in range(place + 1, len(lines)):
        closing = _FENCE.match(lines[end].text)
        if closing and closing[1].startswith(mark) and not lines[end].text.strip().strip(mark[0]):
            return end + 1
    return len(lines)


def _code(lines: Sequence[_Line], *, quoted: bool) -> Block:
    opening = _FENCE.match(lines[0].text)
    mark = opening[1] if opening else "```"
    last = lines[-1].text.strip()
    closed = len(lines) > 1 and last.startswith(mark) and not last.strip(mark[0])
    inside = lines[1:-1] if closed else lines[1:]
    info = lines[0].text.strip().strip(mark[0]).strip()
    return Block(CODE, "\n".join(line.text for line in inside), lines[0].number, quoted=quoted, info=info)


def _unquoted(line: _Line) -> _Line:
    """A line without its marks of quotation; of quotes within quotes all at once, however deep they are."""
    bare = line.text.lstrip().removeprefix(">").removeprefix(" ")
    return _Line(bare.lstrip("> ") if bare.lstrip().startswith(">") else bare, line.number)


def _underline(lines: Sequence[_Line], place: int) -> int:
    """The level of the heading that a line under it makes; 0 for a line that is none."""
    bare = lines[place].text.strip() if place < len(lines) else ""
    if len(bare) < 3 or bare.strip(bare[0]):
        return 0
    return {"=": 1, "-": 2}.get(bare[0], 0)


def _end_of_comment(lines: Sequence[_Line], place: int) -> int:
    """Behind a comment, which no reader sees."""
    for end in range(place, len(lines)):
        if "-->" in lines[end].text:
            return end + 1
    return len(lines)


def _is_rule(bare: str) -> bool:
    return len(bare) > 2 and not bare.replace(" ", "").strip(bare[0]) and bare[0] in "-*_="


def _begins_table(lines: Sequence[_Line], place: int) -> bool:
    if place + 1 >= len(lines) or "|" not in lines[place].text:
        return False
    below = cells(lines[place + 1].text)
    return "|" in lines[place + 1].text + lines[place].text and all(map(_CELL_RULE.fullmatch, below)) and bool(below)


def cells(line: str) -> list[str]:
    """The cells of a row; a pipe that is escaped belongs to its cell."""
    found: list[str] = []
    current: list[str] = []
    escaped = False
    for character in line.strip():
        if character == "|" and not escaped:
            found.append("".join(current).strip())
            current = []
        else:
            current.append(character)
        escaped = character == "\\" and not escaped
    found.append("".join(current).strip())
    if found and not found[0] and line.lstrip().startswith("|"):
        found = found[1:]
    return found[:-1] if len(found) > 1 and not found[-1] else found


def _table(lines: Sequence[_Line], *, quoted: bool) -> Block:
    rows = [cells(line.text) for line in lines]
    width = len(rows[0])
    shaped = tuple((*row[:width], *[""] * (width - len(row))) for row in (rows[0], *rows[2:]))
    return Block(TABLE, "", lines[0].number, rows=shaped, quoted=quoted)


def _end_of_text(lines: Sequence[_Line], place: int) -> int:
    """Behind a paragraph, or behind one item."""
    end = place + 1
    while end < len(lines) and not _interrupts(lines, end):
        end += 1
    return end


def _interrupts(lines: Sequence[_Line], place: int) -> bool:
    text = lines[place].text
    bare = text.lstrip()
    return (
        not bare
        or bare.startswith((">", "<details", "</details", "<summary"))
        or bool(_HEADING.match(bare) or _ITEM.match(text) or _FENCE.match(text))
        or (bare[0] in "-=*_" and _is_rule(bare))
        or _begins_table(lines, place)
    )


def _text(lines: Sequence[_Line], *, quoted: bool) -> Block:
    text = "\n".join(line.text.strip() for line in lines)
    marker = _ITEM.match(text)
    if not marker:
        return Block(PARAGRAPH, text, lines[0].number, quoted=quoted)
    margin = len(lines[0].text.expandtabs(4)) - len(lines[0].text.expandtabs(4).lstrip())
    return Block(ITEM, text[marker.end() :], lines[0].number, margin // 2, quoted=quoted)
