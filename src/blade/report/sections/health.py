"""Health of the benchmark: what must be known of it, and of the runs as measurements, whoever was measured."""

from collections.abc import Iterator
from typing import Final

from blade import numbers
from blade.explain.records import Finding
from blade.report import saying
from blade.report.findings import Findings
from blade.report.pieces import Chapter, Jump, Line, Note, Paragraph, Part, Piece, Quote, Strong
from blade.vocabulary import HEALTH_KINDS

ANCHOR: Final = "health"

_LIMITS: Final = frozenset({"ceiling", "floor", "low discrimination", "too few repeats", "noise"})
"""Kinds that say how much a measurement can show; the others say that it may be wrong."""

_MOST_NAMED: Final = 3
_MOST_TASKS: Final = 8
_MOST_REFS: Final = 4
_MOST_QUOTES: Final = 2


def chapter(findings: Findings) -> Iterator[Chapter]:
    """Every finding, what may be wrong before what is merely limited."""
    found = sorted(findings.analysis.health, key=lambda each: each.kind in _LIMITS)
    if found:
        pieces = [piece for each in found for piece in _finding(each)]
        yield Chapter(title="Health of the benchmark and of the measurement", anchor=ANCHOR, pieces=pieces)


def _finding(found: Finding) -> Iterator[Piece]:
    parts: list[Part] = [Strong(f"{found.title}. "), f"{found.why} " if found.why else ""]
    if found.tasks:
        parts.append(f"Tasks: {saying.listed(found.tasks, _MOST_TASKS)}. ")
    if found.refs:
        parts += ["As in ", *saying.refs(found.refs, _MOST_REFS), ". "]
    yield Paragraph(lines=[parts, f"({found.kind}: {saying.within(HEALTH_KINDS.get(found.kind, ''))})"])
    for quote in found.quotes[:_MOST_QUOTES]:
        yield Quote(text=quote.text, ref=quote.ref, field=quote.field)


def doubts(findings: Findings) -> Iterator[Note]:
    """A line for the summary, where the judgement or the data may be at fault."""
    found = [each for each in findings.analysis.health if each.kind not in _LIMITS]
    if not found:
        return
    titles = [saying.within(each.title) for each in found[:_MOST_NAMED]]
    more = len(found) - len(titles)
    rest = f"; and {numbers.counted(more, 'more finding')}" if more > 0 else ""
    line: Line = ["Before the score is trusted: ", f"{'; '.join(titles)}{rest} (", Jump(ANCHOR, "health"), ")."]
    yield Note(line=line, kind="warning")
