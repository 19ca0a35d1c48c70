"""From findings to a document: the answer, the eleven sections, and the evidence of every ref that they show."""

from collections.abc import Iterator
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from blade import numbers
from blade.measure.panel import natural
from blade.ref import Ref
from blade.report.contents import written
from blade.report.excerpts import Clean, Excerpter
from blade.report.findings import Findings
from blade.report.pieces import (
    Cause,
    Chapter,
    Cited,
    Document,
    Excerpt,
    Jump,
    Line,
    Piece,
    Quote,
    Section,
    every,
    parts_of,
    plain_text,
)
from blade.report.reading import Library
from blade.report.sections import summary
from blade.report.sections.anchors import mode_anchor

if TYPE_CHECKING:
    from blade.scan.store import Store

MOST_EVIDENCE: Final = 320
"""Rollouts whose excerpts a report holds, those that are cited first."""

_LARGEST_EVIDENCE: Final = 900_000
"""Characters of all excerpts together."""

_MOST_BACK: Final = 4
_MOST_STEPS: Final = 6
"""Cited steps of one rollout that are shown."""


def compose(findings: Findings, store: "Store", *, clean: Clean = str) -> Document:
    """Everything that a report says, in order."""
    sections = written(findings)
    answer = summary.answer(findings)
    citations = _Citations.of([(Jump("top", "the answer"), answer.pieces), *_places(sections)])
    return Document(
        title=_title(findings),
        answer=answer,
        sections=sections,
        evidence=_evidence(findings, store, citations, clean),
        footnote=_footnote(findings),
    )


def _title(findings: Findings) -> str:
    one = findings.main
    if one is None:
        return f"{findings.newest.run}: what went wrong"
    others = len(findings.analysis.comparisons) - 1
    more = f", and {numbers.counted(others, 'other run')}" if others else ""
    return f"{one.candidate} against {one.baseline}{more}: why the score changed"


def _footnote(findings: Findings) -> str:
    rollouts = sum(run.rollouts for run in findings.runs)
    tasks = len({label.task for label in findings.analysis.tasks})
    over = f"{numbers.counted(len(findings.runs), 'run')}, {numbers.counted(tasks, 'task')}"
    return f"{over}, {numbers.counted(rollouts, 'rollout')}"


def _places(sections: list[Section]) -> Iterator[tuple[Jump, list[Piece]]]:
    """The places of a report that evidence can lead back to, with what stands there."""
    for section in sections:
        for piece in section.pieces:
            if isinstance(piece, Chapter):
                title = [part for part in parts_of(piece.title) if not isinstance(part, Cause)]
                yield Jump(piece.anchor, plain_text(title).strip()), piece.pieces
            else:
                yield Jump(section.anchor, section.title), [piece]


class _Citations(NamedTuple):
    """What is cited of each rollout: steps, quotes, and from where."""

    steps: dict[Ref, list[str]]
    quotes: dict[Ref, dict[str, str]]
    back: dict[Ref, list[Jump]]

    @classmethod
    def of(cls, places: list[tuple[Jump, list[Piece]]]) -> "_Citations":
        found = cls({}, {}, {})
        for jump, pieces in places:
            for quote in every(pieces, Quote):
                if quote.ref:
                    ref = found.add(quote.ref, jump)
                    if ref.step:
                        found.quotes[ref.at(None)].setdefault(ref.step, quote.text)
            for cited in every(pieces, Cited):
                found.add(cited.ref, jump)
        return found

    def add(self, text: str, jump: Jump) -> Ref:
        ref = Ref.parse(text)
        rollout = ref.at(None)
        steps = self.steps.setdefault(rollout, [])
        self.quotes.setdefault(rollout, {})
        if ref.step and ref.step not in steps:
            steps.append(ref.step)
        back = self.back.setdefault(rollout, [])
        if jump not in back:
            back.append(jump)
        return ref


def _evidence(findings: Findings, store: "Store", citations: _Citations, clean: Clean) -> list[Excerpt]:
    """Excerpts of what is cited first, within the room there is, in the order of their refs."""
    wanted = list(citations.steps)[:MOST_EVIDENCE]
    excerpter, said = Excerpter(clean), _said(findings)
    found: dict[Ref, Excerpt] = {}
    for ref, rollout in Library(store).read(wanted):
        excerpt = excerpter.around(ref, rollout, citations.steps[ref][:_MOST_STEPS], citations.quotes[ref])
        facts = [*([("outcome", said[str(ref)])] if str(ref) in said else []), *excerpt.facts]
        found[ref] = msgspec.structs.replace(excerpt, facts=facts, cited_in=citations.back[ref][:_MOST_BACK])
    sizes = accumulate(sum(len(step.text) for step in found[ref].steps) for ref in wanted if ref in found)
    kept = [ref for ref, size in zip(filter(found.get, wanted), sizes, strict=True) if size <= _LARGEST_EVIDENCE]
    return [found[ref] for ref in sorted(kept, key=lambda ref: natural(str(ref)))]


def _said(findings: Findings) -> dict[str, Line]:
    """Of each rollout that fails or is not measured, by its ref, what is said of it."""
    said: dict[str, Line] = {}
    for run in findings.runs:
        for mode in run.modes:
            line: Line = ["failed: ", Jump(mode_anchor(mode.mode), mode.title), " (", Cause(mode.cause), ")"]
            said |= dict.fromkeys((ref.partition("#")[0] for ref in mode.refs), line)
        for why in run.not_measured:
            said |= dict.fromkeys((ref.partition("#")[0] for ref in why.refs), f"not measured: {why.why}")
    return said
