"""Cross-Model Comparison: each run against the baseline, and what the difference is made of, to the last point."""

from collections.abc import Iterable, Iterator
from typing import Final

from blade import numbers
from blade.explain.records import Explained, Term
from blade.measure import sentences
from blade.report import pictures, saying
from blade.report.findings import Findings
from blade.report.pieces import (
    BAD,
    GOOD,
    PLAIN,
    RIGHT,
    Cause,
    Chapter,
    Code,
    Column,
    Fold,
    Jump,
    Line,
    Note,
    Paragraph,
    Piece,
    Points,
    Row,
    Table,
)
from blade.report.sections.anchors import comparison_anchor, mode_anchor
from blade.report.sections.summary import candidates

_MOST_FLOWS: Final = 12
_MOST_SLICES: Final = 30


def write(findings: Findings) -> Iterable[Piece]:
    """Every candidate."""
    found = findings.analysis.comparisons
    if not found:
        yield Note(
            line=[
                "There is one run only. Name a second one to compare, as in ",
                Code("blade report BASELINE CANDIDATE"),
                "; ",
                Code("--split-by NAME"),
                " makes runs of the variants in one file.",
            ]
        )
        return
    if len(found) > 1:
        yield from candidates(findings)
    for one in found:
        title: Line = [Code(one.candidate), " against ", Code(one.baseline)]
        yield Chapter(title=title, anchor=comparison_anchor(one.candidate), pieces=list(_comparison(findings, one)))


def _comparison(findings: Findings, one: Explained) -> Iterator[Piece]:
    many = len(findings.analysis.comparisons)
    told: list[Line] = [saying.sentence(text) for text in (sentences.verdict(one, many), one.why) if text]
    yield Paragraph(lines=told)
    yield from (Note(line=saying.sentence(warning), kind="warning") for warning in one.warnings)
    if one.delta.value is None:
        return
    if many > 1 and one.terms:
        yield pictures.waterfall(one)
    yield from _terms(one)
    yield from _causes(one)
    yield from _rewards(one)
    yield from _scoreboard(one)
    yield from _flows(one)
    yield from _slices(one)
    yield _ground(one)


def _terms(one: Explained) -> Iterator[Piece]:
    if not one.terms:
        yield Note(line="No rollout of a common task fails in either run, so there is nothing to split.")
        return
    columns = [
        Column("points", RIGHT),
        Column("95 % interval", RIGHT),
        Column("mode"),
        Column("cause"),
        Column("who can act"),
        Column("costs the baseline", RIGHT),
        Column("costs the candidate", RIGHT),
        Column("beyond noise"),
        Column("a rollout to open"),
    ]
    total = Row(cells=[numbers.points(one.delta.value), "", "in sum", "", "", *_sums(one), "", ""])
    yield Table(
        caption="What the difference is made of, by failure mode: the terms sum to it",
        columns=columns,
        rows=[_term(one, term) for term in one.terms],
        total=total,
        brief=15,
    )
    yield Paragraph(
        lines=["The intervals hold for all terms at once, so that one of many is not taken for real by chance."]
    )


def _sums(one: Explained) -> list[str]:
    return [
        numbers.points(sum(costs), signed=False)
        for costs in ([term.baseline for term in one.terms], [term.candidate for term in one.terms])
    ]


def _term(one: Explained, term: Term) -> Row:
    ref = saying.one_of(term, saying.bearer(one, term)) or next(iter(term.refs), None)
    tone = PLAIN if term.within_noise else GOOD if term.points > 0 else BAD
    return Row(
        cells=[
            numbers.points(term.points),
            numbers.point_range(term.low, term.high),
            [Jump(mode_anchor(term.mode), term.title)],
            [Cause(term.cause)],
            term.owner,
            numbers.points(term.baseline, signed=False),
            numbers.points(term.candidate, signed=False),
            "no" if term.within_noise else "yes",
            saying.refs([ref], 1) if ref else "",
        ],
        tone=tone,
    )


def _causes(one: Explained) -> Iterator[Piece]:
    rows = [
        Row(
            cells=[
                numbers.points(term.points),
                numbers.point_range(term.low, term.high),
                [Cause(term.cause)],
                saying.meaning(term.cause),
                "no" if term.within_noise else "yes",
            ]
        )
        for term in one.cause_terms
    ]
    if len(rows) > 1:
        columns = [Column("points", RIGHT), Column("95 % interval", RIGHT), Column("cause"), Column("meaning")]
        yield Table(caption="The same by cause", columns=[*columns, Column("beyond noise")], rows=rows)


def _rewards(one: Explained) -> Iterator[Piece]:
    """Graded rewards get their own account."""
    if one.reward_delta is None or not one.reward_terms:
        return
    found = one.reward_delta
    told = saying.spaced(numbers.amount(found.value), numbers.amount_range(found.low, found.high))
    yield Paragraph(lines=[f"Rewards are graded: the mean reward changes by {told}, {numbers.probability(found.p)}."])
    columns = [Column("value", RIGHT), Column("95 % interval", RIGHT), Column("mode"), Column("cause")]
    rows = [
        Row(
            cells=[
                numbers.amount(term.value),
                numbers.amount_range(term.low, term.high),
                term.title,
                [Cause(term.cause)],
            ]
        )
        for term in one.reward_terms
    ]
    yield Table(caption="What the difference of mean rewards is made of", columns=columns, rows=rows, brief=12)


def _scoreboard(one: Explained) -> Iterator[Piece]:
    if told := sentences.scoreboard(one):
        yield Paragraph(lines=[saying.sentence(f"What a scoreboard shows: {told}")])


def _flows(one: Explained) -> Iterator[Piece]:
    """Where rollouts went, mode by mode."""
    titles = {term.mode: term.title for term in one.terms} | {"passed": "passed"}
    moved = [flow for flow in one.flows if flow.from_ != flow.to]
    if not moved:
        return
    rows = [
        Row(
            cells=[
                numbers.points(flow.points, signed=False),
                titles.get(flow.from_, flow.from_),
                titles.get(flow.to, flow.to),
            ]
        )
        for flow in moved
    ]
    columns = [Column("points", RIGHT), Column(f"in {one.baseline}"), Column(f"in {one.candidate}")]
    yield Table(caption="Where rollouts of the common tasks went", columns=columns, rows=rows, brief=_MOST_FLOWS)


def _slices(one: Explained) -> Iterator[Piece]:
    if not one.slices:
        return
    tried = [each for each in one.slices if each.p_adjusted is not None]
    beyond = [each for each in tried if each.p_adjusted is not None and each.p_adjusted < 0.05]
    yield Paragraph(lines=[saying.sentence(f"Slices: {sentences.slices(len(one.slices), len(tried), len(beyond))}")])
    yield from pictures.when(pictures.slice_deltas(one))
    columns = [
        Column("slice"),
        Column("tasks", RIGHT),
        Column("change in points", RIGHT),
        Column("p adjusted", RIGHT),
        Column("largest parts"),
    ]
    ordered = sorted(one.slices, key=lambda each: (each.p_adjusted is None, each.p_adjusted or 0.0, -abs(each.delta)))
    rows = [
        Row(
            cells=[
                [Code(f"{each.field} = {each.value}")],
                f"{each.tasks:,}",
                saying.points(each.delta, each.low, each.high),
                "not tested" if each.p_adjusted is None else numbers.probability(each.p_adjusted, bare=True),
                _parts(one, each.field, each.value),
            ]
        )
        for each in ordered[:_MOST_SLICES]
    ]
    more = f", the first {_MOST_SLICES} of {len(one.slices):,}" if len(one.slices) > _MOST_SLICES else ""
    caption = f"Slices, with p adjusted over all that were tested{more}"
    table = Table(caption=caption, columns=columns, rows=rows, brief=10)
    yield Fold(summary=f"{numbers.counted(len(rows), 'slice')}, and what each is made of", pieces=[table])


def _parts(one: Explained, field: str, value: str) -> Line:
    own = [term for term in one.slice_terms if (term.field, term.value) == (field, value)]
    return "; ".join(f"{term.title} {numbers.points(term.points)}" for term in own[:2])


def _ground(one: Explained) -> Piece:
    """What the comparison stands on, and what it could have shown."""
    common = one.common
    rollouts = f"{common.rollouts[0]:,} and {common.rollouts[1]:,} measured rollouts"
    items: list[Line] = [f"Common tasks: {common.tasks:,}, with {rollouts}, paired by {common.paired_by}."]
    items += [
        saying.sentence(text)
        for text in (sentences.tasks(one, 6), sentences.could_show(one), sentences.to_settle(one))
        if text
    ]
    as_failed = one.delta_as_failed
    if as_failed.value is not None:
        told = saying.points(as_failed.value, as_failed.low, as_failed.high)
        items.append(f"With what is not measured counted as failed: {told} points, {numbers.probability(as_failed.p)}.")
    items.append(saying.sentence(f"Set-up: {one.comparable.verdict}; {one.comparable.why}"))
    for each in sentences.differences(one):
        sides: list[Line] = [[Code(sentences.value(side))] for side in sentences.sides(each)]
        items.append([f"{each.what}: ", *sides[0], *([" → ", *sides[1]] if len(sides) > 1 else [])])
    return Fold(summary="What the comparison stands on", pieces=[Points(items=items)])
