"""A report as passages: what stands together, with the headings and the lead that it stands under."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from blade.check.text.blocks import CODE, HEADING, ITEM, PARAGRAPH, TABLE, Block, blocks
from blade.check.text.inline import Inline, Span, plain

ROW: Final = "row"

_LEADS: Final = 3
"""Lines between a lead and what it leads to, at most."""


class Cell(NamedTuple):
    """A cell of a table under its header."""

    header: str
    text: Inline


class Passage(NamedTuple):
    """A paragraph, an item, a row of a table, or code."""

    kind: str
    text: Inline
    line: int
    headings: tuple[str, ...]
    """From the title down."""
    lead: str = ""
    """What introduces it: the caption of a table, the line before a list, the item above."""
    cells: tuple[Cell, ...] = ()
    quoted: bool = False
    group: int = 0
    """Passages of one list or table have one number."""

    @property
    def section(self) -> str:
        """The second-level heading it stands under."""
        return self.headings[1] if len(self.headings) > 1 else ""


class Heading(NamedTuple):
    """A heading of a report."""

    level: int
    text: str
    line: int


class Report(NamedTuple):
    """A report, read."""

    title: str
    headings: list[Heading]
    passages: list[Passage]


def read(source: str) -> Report:
    """A report's passages, in order."""
    found = blocks(source)
    headings = [
        Heading(block.level, plain(block.text).text, block.line)
        for block in found
        if block.kind == HEADING and not block.quoted
    ]
    title = next((each.text for each in headings if each.level == 1), "")
    return Report(title, headings, list(_passages(found)))


def _passages(found: list[Block]) -> Iterator[Passage]:
    above: dict[int, str] = {}
    items: dict[int, str] = {}
    group, before = 0, None
    for block in found:
        if block.kind == HEADING and not block.quoted:
            above = {level: text for level, text in above.items() if level < block.level}
            above[block.level] = plain(block.text).text
            before, items, group = None, {}, group + 1
            continue
        if before is None or before.kind != block.kind:
            group += 1
        headings = tuple(above.get(level, "") for level in range(1, max(above, default=0) + 1))
        lead = _lead(before, block)
        if block.kind == ITEM:
            lead = _parent(items, block.level) or lead or _list_lead(items)
            items = {level: text for level, text in items.items() if level < block.level}
            items[-1] = items.get(-1, "") or lead
            items[block.level] = plain(block.text).text
        else:
            items = {}
        yield from _of_block(block, headings, lead, group)
        before = block


def _parent(items: dict[int, str], level: int) -> str:
    over = [depth for depth in items if 0 <= depth < level]
    return items[max(over)] if over else ""


def _list_lead(items: dict[int, str]) -> str:
    return items.get(-1, "")


def _lead(before: Block | None, block: Block) -> str:
    """The paragraph that introduces a table, a list or code."""
    if before is None or before.kind != PARAGRAPH or block.kind == PARAGRAPH:
        return ""
    if block.kind == ITEM and not before.text.rstrip("*_ ").endswith(":"):
        return ""
    near = block.line - before.line - before.text.count("\n") <= _LEADS
    return plain(before.text).text if near and len(before.text) < 400 else ""


def _of_block(block: Block, headings: tuple[str, ...], lead: str, group: int) -> Iterator[Passage]:
    if block.kind == TABLE:
        header = [plain(cell).text for cell in block.rows[0]]
        for number, row in enumerate(block.rows[1:], 2):
            cells = tuple(Cell(name, plain(text)) for name, text in zip(header, row, strict=True))
            yield Passage(ROW, row_text(cells), block.line + number, headings, lead, cells, block.quoted, group)
    elif block.kind == CODE:
        code = Inline(block.text, (Span(0, len(block.text)),) if block.text else ())
        yield Passage(CODE, code, block.line, headings, lead, (), block.quoted, group)
    else:
        yield Passage(block.kind, plain(block.text), block.line, headings, lead, (), block.quoted, group)


def row_text(cells: tuple[Cell, ...]) -> Inline:
    """A row as text: each cell after its header."""
    parts, codes, length = [], [], 0
    for cell in cells:
        if not cell.text.text:
            continue
        before = f"{cell.header}: " if cell.header else ""
        codes += [Span(length + len(before) + span.start, length + len(before) + span.end) for span in cell.text.codes]
        parts.append(f"{before}{cell.text.text}")
        length += len(parts[-1]) + 2
    return Inline("; ".join(parts), tuple(codes))
