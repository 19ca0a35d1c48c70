"""Health of the benchmark: what must be known of it, and of the runs as measurements, whoever was measured."""

from collections.abc import Iterator
from typing import Final

from blade import numbers
from blade.explain.records import Finding
from blade.report import saying
from blade.report.findings import Findings
from blade.report.pieces import Chapter, Fold, Jump, Line, Note, Paragraph, Part, Piece, Points, Quote, Strong
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
    wrong = [each for each in findings.analysis.health if each.kind not in _LIMITS]
    limits = [each for each in findings.analysis.health if each.kind in _LIMITS]
    pieces = list(_of_kinds(wrong))
    if limits:
        told = f"What these runs can show as measurements: {numbers.counted(len(limits), 'remark')}"
        pieces.append(Fold(summary=told, pieces=list(_of_kinds(limits))))
    if pieces:
        yield Chapter(title="Health of the benchmark and of the measurement", anchor=ANCHOR, pieces=pieces)


def _of_kinds(found: list[Finding]) -> Iterator[Piece]:
    """Findings kind by kind, each kind with its meaning."""
    for kind in dict.fromkeys(each.kind for each in found):
        yield Paragraph(lines=[[Strong(f"{kind[:1].upper()}{kind[1:]}: "), saying.within(HEALTH_KINDS.get(kind, ""))]])
        for each in found:
            if each.kind == kind:
                yield from _finding(each)


def _finding(found: Finding) -> Iterator[Piece]:
    parts: list[Part] = [Strong(f"{found.title}. "), found.why]
    if found.tasks:
        parts.append(f" Tasks: {saying.listed(found.tasks, _MOST_TASKS)}.")
    if found.refs:
        parts += [" As in ", *saying.refs(found.refs, _MOST_REFS), "."]
    yield Points(items=[parts])
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
