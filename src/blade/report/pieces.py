"""The pieces a report is made of: typed data, which a renderer turns into Markdown, HTML or lines on a terminal.

A line is a list of parts. A part that is plain text was written by BLADE, though it may quote a few words of the data;
text of the data itself is `Code`, `Quote` or a `Step`. Every renderer escapes both.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

LEFT: Final = "left"
RIGHT: Final = "right"

GOOD: Final = "good"
BAD: Final = "bad"
QUIET: Final = "quiet"
PLAIN: Final = ""
"""Tones: what a reader should feel about a number. A renderer never tells them by colour alone."""


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """Anything that a renderer can draw."""


class Code(msgspec.Struct, frozen=True):
    """A short text of the data, on one line and verbatim."""

    text: str


class Strong(msgspec.Struct, frozen=True):
    """Words that a skimming reader must not miss."""

    text: str


class Cited(msgspec.Struct, frozen=True):
    """A ref, which leads to its evidence where the report holds it."""

    ref: str


class Jump(msgspec.Struct, frozen=True):
    """A way to another place of the report."""

    anchor: str
    text: str


class Cause(msgspec.Struct, frozen=True):
    """A word of `vocabulary.CAUSES`, which a renderer may colour and explain."""

    cause: str


Part = str | Code | Strong | Cited | Jump | Cause
Line = Sequence[Part] | str
"""What stands in a sentence, a cell or an item; a text alone is a line of one part."""


class Paragraph(Piece, frozen=True, kw_only=True):
    """Sentences that belong together."""

    lines: list[Line]


class Points(Piece, frozen=True, kw_only=True):
    """A list whose items are read one by one."""

    items: list[Line]
    numbered: bool = False


class Note(Piece, frozen=True, kw_only=True):
    """Something to know before the numbers: a warning, or what is missing and how to get it."""

    line: Line
    kind: str = "missing"
    """`missing` or `warning`."""


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One number that is read first."""

    label: str
    value: str
    detail: str = ""
    tone: str = PLAIN


class Figures(Piece, frozen=True, kw_only=True):
    """A row of numbers that are read first."""

    items: list[Figure]


class Facts(Piece, frozen=True, kw_only=True):
    """Labels and what is true of each."""

    rows: list[tuple[str, Line]]


class Column(msgspec.Struct, frozen=True):
    """A column of a table."""

    title: str
    align: str = LEFT


class Row(msgspec.Struct, frozen=True):
    """A row of a table."""

    cells: list[Line]
    anchor: str = ""
    tone: str = PLAIN


class Table(Piece, frozen=True, kw_only=True):
    """Rows under a header. A renderer with little room shows `brief` of them and says how many it left out."""

    caption: str
    columns: list[Column]
    rows: list[Row]
    brief: int = 20
    total: Row | None = None


class Quote(Piece, frozen=True, kw_only=True):
    """Exact text of a step or of a field."""

    text: str
    ref: str
    field: str = ""
    says: str = ""
    """What it is quoted for."""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a rollout as it is shown: its text is bounded, and how much was left out is said."""

    number: str
    kind: str
    actor: str
    name: str = ""
    text: str
    cut: int = 0
    marked: bool = False
    """Whether it is the step that something points at."""
    differs: list[str] = []
    """Names of arguments whose values are others than on the other side."""
    anchor: str = ""


class Excerpt(Piece, frozen=True, kw_only=True):
    """Some steps of one rollout, in order; `gaps` says before which of them steps were left out, and how many."""

    ref: str
    title: Line
    facts: list[tuple[str, Line]] = []
    steps: list[Step]
    gaps: dict[int, int] = {}
    flag: str = "cited"
    """What is said beside the steps that are marked."""
    anchor: str = ""
    cited_in: list[Jump] = []
    tone: str = PLAIN


class SideBySide(Piece, frozen=True, kw_only=True):
    """Two rollouts of one task next to each other from where they part."""

    left: Excerpt
    right: Excerpt | None


class Picture(Piece, frozen=True, kw_only=True):
    """A chart of `blade.report.charts`, with the table behind it."""

    chart: Any
    spoken: bool = True
    """Whether its sentence says something where no picture can be shown: a table beside it may say all of it."""


class Command(Piece, frozen=True, kw_only=True):
    """Something to type into a shell."""

    lines: list[str]


class Fold(Piece, frozen=True, kw_only=True):
    """Pieces that a reader opens when wanted."""

    summary: str
    pieces: list[Piece]


class Chapter(Piece, frozen=True, kw_only=True):
    """A part of a section, under a heading of its own."""

    title: Line
    anchor: str
    pieces: list[Piece]


class Section(Piece, frozen=True, kw_only=True):
    """One of the eleven sections."""

    title: str
    anchor: str
    pieces: list[Piece]


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What stands at the very top: the question, the answer, and what it is made of."""

    question: str
    subject: Line
    headline: str
    tone: str
    pieces: list[Piece]


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """A whole report."""

    title: str
    answer: Answer
    sections: list[Section]
    evidence: list[Excerpt] = []
    footnote: str = ""


def parts_of(line: Line) -> Sequence[Part]:
    """The parts of a line, also of one that is a text alone."""
    return [line] if isinstance(line, str) else line


def plain_text(line: Line) -> str:
    """A line without links and colours."""
    return "".join(_text(part) for part in parts_of(line))


def _text(part: Part) -> str:
    match part:
        case str():
            return part
        case Cited(ref):
            return ref
        case Cause(cause):
            return cause
        case _:
            return part.text


def every(value: Any, kind: type) -> Iterator[Any]:
    """Everything of one kind within pieces, in the order in which it is read."""
    if isinstance(value, kind):
        yield value
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from every(getattr(value, name), kind)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from every(each, kind)
