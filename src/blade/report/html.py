"""A report as one HTML file: no script, nothing loaded from elsewhere, every text escaped, every ref a link.

The page is a Jinja template; what stands inside a line is made here. A strict content-security policy names the hash of
the style sheet, so that nothing that a rollout holds could run or load even if it escaped the escaping.
"""

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup, escape

from blade.errors import RefError
from blade.ref import Ref
from blade.report import charts
from blade.report.charts.drawing.ink import DARK, LIGHT
from blade.report.excerpts import anchor_of
from blade.report.pieces import Cause, Cited, Code, Document, Excerpt, Jump, Line, Part, Picture, Step, Strong, parts_of
from blade.report.visible import one_line, visible
from blade.vocabulary import CAUSES

_TEMPLATES: Final = Path(__file__).parent / "templates"
_LONGEST_CODE: Final = 400
_LONGEST_TEXT: Final = 8_000


def render(document: Document) -> str:
    """The whole report as one file."""
    style = _style()
    policy = f"default-src 'none'; style-src 'sha256-{_hash(style)}'; base-uri 'none'; form-action 'none'"
    page = _Page(document)
    template = _environment().get_template("report.html.j2")
    return str(template.render(document=document, page=page, style=Markup(style), policy=policy))  # noqa: S704


def _hash(style: str) -> str:
    return base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()


@cache
def _style() -> str:
    """The style sheet, with the colours of the charts as custom properties."""
    light, dark = ("".join(f"--{name}:{value};" for name, value in colours.items()) for colours in (LIGHT, DARK))
    sheet = (_TEMPLATES / "report.css").read_text(encoding="utf-8")
    return f":root{{{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}\n{charts.STYLE}\n{sheet}"


@cache
def _environment() -> Any:
    """Jinja with escaping on, and what undefined names are an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


class _Page:
    """What the template asks for: lines as markup, and where evidence stands."""

    def __init__(self, document: Document) -> None:
        self._anchors = {excerpt.anchor for excerpt in document.evidence}
        self._anchors |= {step.anchor for excerpt in document.evidence for step in excerpt.steps}
        self._pictures = 0
        self._tables = 0

    def kind(self, piece: Any) -> str:
        """Which macro draws a piece."""
        return type(piece).__name__.lower()

    def line(self, line: Line) -> Markup:
        """A line with its links, codes and causes."""
        return Markup("").join(self._part(part) for part in parts_of(line))

    def lines(self, lines: Sequence[Line]) -> Markup:
        """Sentences one after the other."""
        return Markup(" ").join(self.line(line) for line in lines)

    def text(self, text: str) -> Markup:
        """A text that quotes the data, harmless to look at."""
        return escape(visible(text[:_LONGEST_TEXT]))

    def next_table(self) -> str:
        """An id for a table's caption."""
        self._tables += 1
        return f"table-{self._tables}"

    def picture(self, piece: Picture) -> Markup:
        """The drawing, in both layouts."""
        self._pictures += 1
        drawn = charts.picture(piece.chart, prefix=f"picture-{self._pictures}")
        return Markup(drawn)  # noqa: S704  made by the charts, which escape what they write

    def behind(self, piece: Picture) -> tuple[list[str], list[list[str]]]:
        """The table behind a picture."""
        return charts.table(piece.chart)

    def said(self, piece: Picture) -> str:
        """What a picture shows, in a sentence."""
        return charts.text(piece.chart)

    def step_text(self, step: Step) -> Markup:
        """The text of a step; arguments that are others than on the other side are marked."""
        if not step.differs:
            return self.text(step.text)
        return Markup("\n").join(self._argument(line, step.differs) for line in step.text.split("\n"))

    def _argument(self, line: str, differs: Sequence[str]) -> Markup:
        marked = line.partition(" = ")[0] in differs
        return Markup("<mark>{}</mark>").format(self.text(line)) if marked else self.text(line)

    def command(self, excerpt: Excerpt) -> str:
        """What opens a rollout in a shell."""
        return f"blade show '{excerpt.ref}'" if "'" not in excerpt.ref else f'blade show "{excerpt.ref}"'

    def _part(self, part: Part) -> Markup:
        match part:
            case str():
                return self.text(part)
            case Code(text):
                return Markup('<code class="data">{}</code>').format(one_line(text, _LONGEST_CODE) or "\u00a0")
            case Strong(text):
                return Markup("<strong>{}</strong>").format(self.text(text))
            case Cited(ref):
                return self.cited(ref)
            case Cause(cause):
                return _cause(cause)
            case Jump(anchor, text):
                return Markup('<a href="#{}">{}</a>').format(anchor, self.text(text))

    def cited(self, text: str) -> Markup:
        """A ref; a link where the file holds its evidence, at the step or at least the rollout."""
        shown = one_line(text, _LONGEST_CODE)
        try:
            ref = Ref.parse(text)
        except RefError:
            return Markup("<code>{}</code>").format(shown)
        for anchor in (anchor_of(ref), anchor_of(ref.at(None))):
            if anchor in self._anchors:
                return Markup('<a class="ref" href="#{}">{}</a>').format(anchor, shown)
        return Markup('<code class="ref">{}</code>').format(shown)


def _cause(cause: str) -> Markup:
    return Markup('<abbr class="cause {}" title="{}">{}</abbr>').format(
        cause.lower() if cause in CAUSES else "unknown", CAUSES.get(cause, ""), cause
    )
