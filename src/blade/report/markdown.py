"""A report as Markdown: what GitHub shows and what a reviewer reads in a diff. Texts of the data stand as code."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from blade.numbers import counted
from blade.report import charts
from blade.report.pieces import (
    RIGHT,
    Cause,
    Chapter,
    Cited,
    Code,
    Command,
    Document,
    Excerpt,
    Facts,
    Figures,
    Fold,
    Jump,
    Line,
    Note,
    Paragraph,
    Part,
    Picture,
    Piece,
    Points,
    Quote,
    Row,
    Section,
    SideBySide,
    Step,
    Strong,
    Table,
    parts_of,
)
from blade.report.visible import one_line, visible

_LONGEST_CELL: Final = 400
_LONGEST_CODE: Final = 200
_LEAST_ROWS: Final = 20
"""Rows that a table shows even where it is meant to be folded."""

_MARKUP: Final = re.compile(r"[\\`*|~<>&]|\](?=[(\[:])|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_ENTITIES: Final = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
_BEGINS: Final = re.compile(r"^(\s*)([#>+=-]|\d{1,9}[.)])")
_PIPE: Final = re.compile(r"(\\?)\|")
"""A pipe with the backslash before it: behind one, no second can save it from ending a cell."""

_TICKS: Final = re.compile(r"`+")


def render(document: Document) -> str:
    """The whole report."""
    lines = [f"# {_plain(document.title)}", "", *_answer(document)]
    for section in document.sections:
        lines += ["", *_section(section)]
    lines += ["", "---", "", f"{_plain(document.footnote)}. `blade show REF` prints what a ref points to."]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip("\n") + "\n"


def _answer(document: Document) -> Iterator[str]:
    answer = document.answer
    yield f"**{_plain(answer.headline)}**"
    yield ""
    yield from _pieces(answer.pieces)
    yield " · ".join(f"[{_plain(section.title)}](#{section.anchor})" for section in document.sections)


def _section(section: Section) -> Iterator[str]:
    yield f'<a id="{section.anchor}"></a>'
    yield ""
    yield f"## {_plain(section.title)}"
    yield ""
    yield from _pieces(section.pieces)


def _pieces(pieces: Sequence[Piece]) -> Iterator[str]:
    for piece in pieces:
        yield from _RENDER[type(piece)](piece)
        yield ""


def _paragraph(piece: Paragraph) -> Iterator[str]:
    yield _start(" ".join(_line(line) for line in piece.lines))


def _points(piece: Points) -> Iterator[str]:
    for number, item in enumerate(piece.items, 1):
        yield f"{f'{number}.' if piece.numbered else '-'} {_start(_line(item))}"


def _note(piece: Note) -> Iterator[str]:
    label = "Warning" if piece.kind == "warning" else "Note"
    yield f"> **{label}:** {_line(piece.line)}"


def _figures(piece: Figures) -> Iterator[str]:
    for row in (
        [figure.label for figure in piece.items],
        None,
        [f"**{_plain(figure.value)}**" for figure in piece.items],
        [figure.detail for figure in piece.items],
    ):
        if row is None:
            yield _cells(["---"] * len(piece.items))
        else:
            yield _cells([text if text.startswith("**") else _plain(text) for text in row])


def _facts(piece: Facts) -> Iterator[str]:
    for label, line in piece.rows:
        yield f"- **{_plain(label)}:** {_line(line)}"


def _table(piece: Table) -> Iterator[str]:
    most = max(piece.brief, _LEAST_ROWS)
    shown = piece.rows if len(piece.rows) <= most + 2 else piece.rows[:most]
    yield f"*{_plain(piece.caption)}*"
    yield ""
    yield _cells([_plain(column.title) for column in piece.columns])
    yield _cells(["---:" if column.align == RIGHT else "---" for column in piece.columns])
    for row in (*shown, *([piece.total] if piece.total else [])):
        yield _row(row)
    if len(shown) < len(piece.rows):
        yield ""
        yield f"… and {counted(len(piece.rows) - len(shown), 'more row')} in `report.html` and `analysis.json`."


def _row(row: Row) -> str:
    first, *others = (_line(cell, in_table=True) for cell in row.cells)
    return _cells([f'<a id="{row.anchor}"></a>{first}' if row.anchor else first, *others])


def _cells(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _quote(piece: Quote) -> Iterator[str]:
    where = [
        f"`{piece.ref}`" if piece.ref else "",
        f"field {_code(piece.field)}" if piece.field else "",
        _plain(piece.says),
    ]
    yield f"> {', '.join(part for part in where if part)}:"
    yield ">"
    for line in _fenced(visible(piece.text)):
        yield f"> {line}".rstrip()


def _fenced(text: str) -> Iterator[str]:
    """A block of text in which no run of backticks can end it."""
    longest = max((len(match) for match in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"{fence}text"
    yield from (line.rstrip() for line in text.split("\n"))
    yield fence


def _side_by_side(piece: SideBySide) -> Iterator[str]:
    yield from _excerpt(piece.left)
    if piece.right:
        yield ""
        yield from _excerpt(piece.right)


def _excerpt(piece: Excerpt) -> Iterator[str]:
    yield f"**{_line(piece.title)}**"
    facts = "; ".join(f"{_plain(label)}: {_line(line)}" for label, line in piece.facts)
    if facts:
        yield ""
        yield facts
    yield ""
    yield from _fenced("\n".join(_steps(piece)))


def _steps(piece: Excerpt) -> Iterator[str]:
    for place, step in enumerate(piece.steps):
        if gap := piece.gaps.get(place):
            yield f"   … {counted(gap, 'step')} …"
        yield from _step(step)
    if gap := piece.gaps.get(len(piece.steps)):
        yield f"   … {counted(gap, 'step')} …"


def _step(step: Step) -> Iterator[str]:
    mark = "▶" if step.marked else " "
    by = f" by {step.actor}" if step.kind == "message" else ""
    yield f"{mark} #{step.number} {step.kind}{by}{f' {step.name}' if step.name else ''}"
    for line in step.text.split("\n"):
        name = line.partition(" = ")[0]
        yield f"  {'≠' if name in step.differs else ' '}   {line}"
    if step.cut:
        yield f"      … about {step.cut:,} more characters"


def _picture(piece: Picture) -> Iterator[str]:
    if not piece.spoken:
        return
    yield f"*{_plain(piece.chart.title)}.* {_plain(charts.text(piece.chart))}"


def _command(piece: Command) -> Iterator[str]:
    yield "```sh"
    yield from (one_line(line, 4_000) for line in piece.lines)
    yield "```"


def _fold(piece: Fold) -> Iterator[str]:
    yield "<details>"
    yield f"<summary>{_plain(piece.summary)}</summary>"
    yield ""
    yield from _pieces(piece.pieces)
    yield "</details>"


def _chapter(piece: Chapter) -> Iterator[str]:
    yield f'<a id="{piece.anchor}"></a>'
    yield ""
    yield f"### {_line(piece.title)}"
    yield ""
    yield from _pieces(piece.pieces)


_RENDER: Final[dict[type, Callable[[Any], Iterator[str]]]] = {
    Paragraph: _paragraph,
    Points: _points,
    Note: _note,
    Figures: _figures,
    Facts: _facts,
    Table: _table,
    Quote: _quote,
    SideBySide: _side_by_side,
    Excerpt: _excerpt,
    Picture: _picture,
    Command: _command,
    Fold: _fold,
    Chapter: _chapter,
}
"""Every piece, and who writes it."""


def _line(line: Line, *, in_table: bool = False) -> str:
    told = ""
    for part in parts_of(line):
        following = _part(part, in_table=in_table)
        if told.endswith("]") and following.startswith(("(", "[", ":")):  # else the two would make a link
            told = f"{told[:-1]}\\]"
        told += following
    return told.replace("\n", " ").strip() if in_table else told.replace("\n", " ")


def _part(part: Part, *, in_table: bool) -> str:
    match part:
        case str():
            return _plain(part)
        case Code(text):
            return _code(text, in_table=in_table)
        case Strong(text):
            return f"**{_plain(text).strip()}**{' ' if text.endswith(' ') else ''}"
        case Cited(ref):
            return _code(ref, in_table=in_table)
        case Cause(cause):
            return f"`{cause}`"
        case Jump(anchor, text):
            return f"[{_plain(text)}](#{anchor})"


def _plain(text: str) -> str:
    """A text without markup, on one line."""
    shown = visible(text)
    flat = " ".join(shown.split("\n")) if "\n" in shown else shown
    cut = flat if len(flat) <= 10 * _LONGEST_CELL else flat[: 10 * _LONGEST_CELL] + "…"
    return _MARKUP.sub(lambda match: _ENTITIES.get(match[0], f"\\{match[0]}"), cut)


def _code(text: str, *, in_table: bool = False) -> str:
    """A text of the data as a code span, in which nothing is markup; pipes would end a cell even there."""
    shown = one_line(text, _LONGEST_CODE)
    if not shown:
        return "` `"
    longest = max((len(match) for match in _TICKS.findall(shown)), default=0)
    ticks = "`" * (longest + 1)
    space = " " if longest else ""
    shown = _PIPE.sub(lambda match: f"{match[1]}¦" if match[1] else "\\|", shown) if in_table else shown
    return f"{ticks}{space}{shown}{space}{ticks}"


def _start(text: str) -> str:
    """A paragraph whose first characters are not taken for a heading, a quote or a list."""
    return _BEGINS.sub(r"\1\\\2", text) if not text.startswith(("**", "[", "`")) else text
