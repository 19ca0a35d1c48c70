"""From findings to a document: the answer, the eleven sections, and the evidence of every ref that they show."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from blade import numbers
from blade.ref import Ref
from blade.report.contents import written
from blade.report.excerpts import Clean, Excerpter
from blade.report.findings import Findings
from blade.report.pieces import Chapter, Cited, Document, Excerpt, Jump, Piece, Quote, Section, every, plain_text
from blade.report.reading import Library
from blade.report.sections import summary

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
        evidence=list(_evidence(store, citations, clean)),
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
                yield Jump(piece.anchor, plain_text(piece.title)), piece.pieces
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


def _evidence(store: "Store", citations: _Citations, clean: Clean) -> Iterator[Excerpt]:
    """Excerpts in the order of their refs, within the room there is."""
    wanted = list(citations.steps)[:MOST_EVIDENCE]
    excerpter = Excerpter(clean)
    found: dict[Ref, Excerpt] = {}
    for ref, rollout in Library(store).read(wanted):
        steps = citations.steps[ref][:_MOST_STEPS]
        excerpt = excerpter.around(ref, rollout, steps, citations.quotes[ref])
        found[ref] = msgspec.structs.replace(excerpt, cited_in=citations.back[ref][:_MOST_BACK])
    size = 0
    for ref in wanted:
        if ref in found:
            size += sum(len(step.text) for step in found[ref].steps)
            if size > _LARGEST_EVIDENCE:
                return
            yield found[ref]
