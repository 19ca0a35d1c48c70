"""Executive Summary: the answer, how sure it is, what it is made of, and where to look first."""

from collections.abc import Iterable, Iterator
from typing import Final

from blade import numbers
from blade.explain.records import Explained, RunFailures
from blade.measure import sentences
from blade.report import pictures, saying
from blade.report.findings import Findings
from blade.report.pieces import (
    BAD,
    GOOD,
    PLAIN,
    QUIET,
    RIGHT,
    Answer,
    Cause,
    Code,
    Column,
    Figure,
    Figures,
    Jump,
    Line,
    Note,
    Paragraph,
    Part,
    Piece,
    Points,
    Row,
    Strong,
    Table,
)
from blade.report.sections import health
from blade.report.sections.anchors import mode_anchor
from blade.report.sections.recommendations import first

_FEW_CANDIDATES: Final = 2
"""Candidates up to which each gets a figure rather than a row."""


def answer(findings: Findings) -> Answer:
    """What stands above everything: the question and the answer."""
    one = findings.main
    if one is None:
        return _of_one_run(findings.newest)
    return Answer(
        question="Why did the score change?",
        subject=[Code(one.candidate), " against ", Code(one.baseline)],
        headline=one.answer[0] if one.answer else one.why,
        tone=saying.tone(one.verdict),
        pieces=list(_figures(findings, one)),
    )


def _of_one_run(run: RunFailures) -> Answer:
    rate = run.metrics.get("pass@1")
    if rate is None or rate.value is None:
        headline = f"No rollout of {run.run} is measured: there is no score to explain."
    elif not run.modes:
        headline = f"{run.run} passes every one of its {numbers.counted(run.measured, 'measured rollout')}."
    else:
        largest = run.modes[0]
        headline = (
            f"{run.run} passes {saying.share(rate)} over {numbers.counted(rate.tasks, 'task')}; what fails most is:"
            f" {saying.within(largest.title)} ({largest.rollouts:,} of {saying.failing(run):,}"
            f" {saying.failing_words(run)})."
        )
    return Answer(
        question="What went wrong?",
        subject=[Code(run.run), *([f" ({who})"] if (who := saying.who(run)) else [])],
        headline=headline,
        tone=PLAIN,
        pieces=[Figures(items=list(_figures_of_run(run)))],
    )


def _figures(findings: Findings, one: Explained) -> Iterator[Piece]:
    if one.delta.value is None:
        return
    yield Figures(items=[*_rates(one), _change(one), *_unexplained(findings)])


def _rates(one: Explained) -> Iterator[Figure]:
    for name, role, rate, rollouts in zip(
        (one.baseline, one.candidate), ("baseline", "candidate"), one.rates, one.common.rollouts, strict=True
    ):
        over = f"{numbers.counted(one.common.tasks, 'common task')}, {numbers.counted(rollouts, 'measured rollout')}"
        yield Figure(label=f"{role}: {name}", value=numbers.percent(rate), detail=f"pass@1 over {over}")


def _change(one: Explained) -> Figure:
    beyond = one.verdict in ("better", "worse")
    ends = numbers.point_range(one.delta.low, one.delta.high)
    certainty = "beyond noise" if beyond else "within noise"
    detail = ", ".join(part for part in (ends and f"95 % interval {ends}", _p(one), certainty) if part)
    return Figure(
        label="change",
        value=f"{numbers.points(one.delta.value)} points",
        detail=detail,
        tone=saying.tone(one.verdict),
    )


def _p(one: Explained) -> str:
    p = one.delta.p_adjusted if one.delta.p_adjusted is not None else one.delta.p
    adjusted = " adjusted" if one.delta.p is not None and p != one.delta.p else ""
    return f"{numbers.probability(p)}{adjusted}"


def _unexplained(findings: Findings) -> Iterator[Figure]:
    run = next(run for run in findings.runs if run.run == findings.newest.run)
    if run.unexplained is not None:
        yield Figure(
            label="not explained",
            value=numbers.percent(run.unexplained),
            detail=f"of {saying.failing(run):,} {saying.failing_words(run)} of {run.run}",
            tone=QUIET if run.unexplained < 0.2 else BAD,
        )


def _figures_of_run(run: RunFailures) -> Iterator[Figure]:
    rate = run.metrics.get("pass@1")
    if rate and rate.value is not None:
        ends = numbers.share_range(rate.low, rate.high)
        over = f"{numbers.counted(rate.tasks, 'task')}, {numbers.counted(run.measured, 'measured rollout')}"
        detail = f"{f'95 % interval {ends}, ' if ends else ''}over {over}"
        yield Figure(label="pass@1", value=numbers.percent(rate.value), detail=detail)
    yield Figure(
        label="failing", value=f"{run.failed:,}", detail=f"of {numbers.counted(run.measured, 'measured rollout')}"
    )
    lost = run.rollouts - run.measured
    if lost:
        of = f"of {numbers.counted(run.rollouts, 'rollout')} that {'is' if run.rollouts == 1 else 'are'} there or owed"
        yield Figure(label="not measured", value=f"{lost:,}", detail=of, tone=BAD)
    if run.unexplained is not None:
        of = f"of {saying.failing(run):,} {saying.failing_words(run)}"
        yield Figure(label="not explained", value=numbers.percent(run.unexplained), detail=of)


def write(findings: Findings) -> Iterable[Piece]:
    """What a reader has to know who reads nothing else."""
    one = findings.main
    if one is None:
        yield from _run(findings, findings.newest)
        return
    yield from _warnings(findings)
    if told := one.answer[1:]:
        yield Points(items=[_linked(text, one) for text in told])
    yield from _doubts(one)
    if one.terms:
        yield pictures.waterfall(one)
    yield from first(findings)
    yield from _setup(one)
    if len(findings.analysis.comparisons) >= _FEW_CANDIDATES:
        yield from candidates(findings)


def _run(findings: Findings, run: RunFailures) -> Iterator[Piece]:
    yield from _warnings(findings)
    if run.modes:
        yield Points(items=[_mode_line(run, number) for number in range(min(3, len(run.modes)))])
    if run.largest_drop:
        yield Paragraph(lines=[_drop(run)])
    yield from first(findings)
    yield Note(
        line=[
            "A score change needs a second run: name it, as in ",
            Code(f"blade report {run.run} OTHER"),
            "; the first one is the baseline.",
        ]
    )


def _mode_line(run: RunFailures, number: int) -> Line:
    mode = run.modes[number]
    parts: list[Part] = [Jump(mode_anchor(mode.mode), mode.title), f": {saying.of(mode.rollouts, saying.failing(run))}"]
    parts += [
        f" {saying.failing_words(run)}, {numbers.counted(mode.tasks, 'task')} (",
        Cause(mode.cause),
        f", {mode.owner})",
    ]
    return [*parts, ", as in ", *saying.refs(mode.refs, 1), "."] if mode.refs else [*parts, "."]


def _drop(run: RunFailures) -> Line:
    names = [stage.stage for stage in run.funnel]
    place = names.index(run.largest_drop or "")
    before, stage = run.funnel[place - 1], run.funnel[place]
    lost = before.reached - stage.reached
    return [
        "Most are lost between ",
        Code(before.stage),
        " and ",
        Code(stage.stage),
        f": {saying.of(lost, before.reached)} that came as far.",
    ]


def _linked(text: str, one: Explained) -> Line:
    """A sentence of the answer; where it begins with the title of a mode, that leads to the mode, with a rollout."""
    for term in one.terms:
        if text.startswith(f"{term.title} "):
            ref = saying.one_of(term, saying.bearer(one, term))
            shown: list[Part] = [" One of them: ", *saying.refs([ref], 1), "."] if ref else []
            return [Jump(mode_anchor(term.mode), term.title), text[len(term.title) :], *shown]
    return text


def _warnings(findings: Findings) -> Iterator[Piece]:
    """What may turn the answer round: always before the details."""
    for text in dict.fromkeys(warning for one in findings.analysis.comparisons for warning in one.warnings):
        yield Note(line=saying.sentence(text), kind="warning")
    by_text: dict[str, list[str]] = {}
    for run in findings.metrics:
        for text in run.warnings:
            by_text.setdefault(text, []).append(run.run)
    for text, names in by_text.items():
        line: Line = (
            [Strong(f"{saying.listed(names)}: "), f"{text}."] if len(findings.runs) > 1 else saying.sentence(text)
        )
        yield Note(line=line, kind="warning")
    yield from health.doubts(findings)


def _doubts(one: Explained) -> Iterator[Piece]:
    """Whether the verdict hangs on what is not measured, and what the comparison could have shown."""
    lines: list[Line] = []
    if one.verdict_depends:
        lines.append(saying.sentence(one.why))
    elif one.verdict != "not comparable" and one.delta_as_failed.value is not None:
        as_failed = one.delta_as_failed
        if as_failed.value != one.delta.value:
            told = saying.points(as_failed.value, as_failed.low, as_failed.high)
            lines.append(f"Where what is not measured counts as failed, the change is {told} points.")
    if one.verdict == "no difference shown":
        lines += [saying.sentence(text) for text in (sentences.could_show(one), sentences.to_settle(one)) if text]
    if lines:
        yield Paragraph(lines=lines)


def _setup(one: Explained) -> Iterator[Piece]:
    differences = [each for each in one.comparable.differences if each.what != "tasks"]
    if not differences:
        yield Paragraph(lines=[[Strong("Set-up: "), f"{one.comparable.verdict}; {one.comparable.why}."]])
        return
    rows = [
        Row(
            cells=[
                each.what,
                *([Code(sentences.value(side))] if side != "" else "" for side in (each.baseline, each.candidate)),
            ]
        )
        for each in differences
    ]
    columns = [Column("what"), Column(one.baseline), Column(one.candidate)]
    yield Table(caption=f"What differs in the set-up: {one.comparable.verdict}", columns=columns, rows=rows)


def candidates(findings: Findings) -> Iterator[Piece]:
    """Every run against the baseline, a row for each."""
    baseline = findings.runs[0]
    columns = [
        Column("run"),
        Column("pass@1", RIGHT),
        Column("change in points", RIGHT),
        Column("p adjusted", RIGHT),
        Column("verdict"),
        Column("largest part"),
    ]
    rows = [Row(cells=[[Code(baseline.run)], saying.share(baseline.metrics.get("pass@1")), "", "", "baseline", ""])]
    rows += [_candidate(findings, one) for one in findings.analysis.comparisons]
    yield Table(caption=f"Every run against {baseline.run}", columns=columns, rows=rows, brief=30)


def _candidate(findings: Findings, one: Explained) -> Row:
    run = next(run for run in findings.runs if run.run == one.candidate)
    told = saying.beyond_noise(one)
    part: Line = [Jump(mode_anchor(told[0].mode), told[0].title), f" {numbers.points(told[0].points)}"] if told else ""
    tone = {"better": GOOD, "worse": BAD}.get(one.verdict, PLAIN)
    return Row(
        cells=[
            [Code(one.candidate)],
            saying.share(run.metrics.get("pass@1")),
            "" if one.delta.value is None else saying.points(one.delta.value, one.delta.low, one.delta.high),
            "" if one.delta.p_adjusted is None else numbers.probability(one.delta.p_adjusted, bare=True),
            one.verdict,
            part,
        ],
        tone=tone,
    )
