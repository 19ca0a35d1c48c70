"""Dominant Failure Modes: what fails, how often, how it was recognised, and the words that show it."""

from collections.abc import Iterable, Iterator
from typing import Final

from blade import numbers
from blade.explain import phrases
from blade.explain.records import ModeShare, OddsRatio, RunFailures
from blade.report import pictures, saying
from blade.report.findings import Findings
from blade.report.pieces import (
    RIGHT,
    Cause,
    Chapter,
    Code,
    Column,
    Fold,
    Jump,
    Line,
    Paragraph,
    Part,
    Piece,
    Points,
    Quote,
    Row,
    Strong,
    Table,
)
from blade.report.sections.anchors import dive_anchor, mode_anchor
from blade.vocabulary import CAUSES

_DESCRIBED: Final = 12
"""Modes that get a chapter of their own; the others stand in the table."""

_REFS: Final = 6
_MOST_SIGNALS: Final = 12
_SHOWN: Final = 0.05
"""Adjusted p below which a behaviour is said to go with failing."""


def write(findings: Findings) -> Iterable[Piece]:
    """Causes, modes over runs, each large mode, and what was not taken for a mode."""
    if not any(run.modes for run in findings.runs):
        yield Paragraph(lines=["Every measured rollout passes: there is no failure to explain."])
        return
    yield Paragraph(lines=[line for run in findings.runs for line in _run(run)])
    yield _causes(findings)
    yield from pictures.when(pictures.drift(findings))
    yield _modes(findings)
    yield from _appeared(findings)
    for key in _ranked(findings)[:_DESCRIBED]:
        yield _mode(findings, key)
    others = [*_predictors(findings), *_signals(findings)]
    if others:
        yield Chapter(title="What else was looked at", anchor="what-else-was-looked-at", pieces=others)


def _run(run: RunFailures) -> Iterator[Line]:
    """How much is explained."""
    if not run.modes:
        yield [Code(run.run), " has no failure."]
    elif run.unexplained is not None:
        unexplained = numbers.percent(run.unexplained)
        of = f"{saying.failing(run):,} {saying.failing_words(run)}"
        yield [Code(run.run), f": {unexplained} of {of} are not explained by anything found."]


def _causes(findings: Findings) -> Table:
    columns = [Column("cause"), Column("meaning"), *(Column(run.run, RIGHT) for run in findings.runs)]
    found = [cause for cause in CAUSES if any(each.cause == cause for run in findings.runs for each in run.causes)]
    rows = [
        Row(cells=[[Cause(cause)], CAUSES[cause], *(_of_cause(run, cause) for run in findings.runs)]) for cause in found
    ]
    caption = "Causes, of failing and not-measured rollouts"
    return Table(caption=caption, columns=columns, rows=rows)


def _of_cause(run: RunFailures, cause: str) -> str:
    found = next((each for each in run.causes if each.cause == cause), None)
    return saying.of(found.rollouts if found else 0, saying.failing(run))


def _ranked(findings: Findings) -> list[str]:
    """Modes by the largest share of rollouts that they cost any run."""
    share: dict[str, float] = {}
    for run in findings.runs:
        for mode in run.modes:
            share[mode.mode] = max(share.get(mode.mode, 0.0), mode.rollouts / max(1, run.rollouts))
    return sorted(share, key=lambda key: (-share[key], key))


def _of(run: RunFailures, key: str) -> ModeShare | None:
    return next((mode for mode in run.modes if mode.mode == key), None)


def _any(findings: Findings, key: str) -> ModeShare:
    """A mode, of the newest run that has it."""
    return next(mode for run in reversed(findings.runs) for mode in run.modes if mode.mode == key)


def _modes(findings: Findings) -> Table:
    """A row for each mode, a column for each run."""
    columns = [
        Column("mode"),
        Column("cause"),
        Column("who can act"),
        *(Column(run.run, RIGHT) for run in findings.runs),
        Column("odds", RIGHT),
        Column("one of its rollouts"),
    ]
    ranked = _ranked(findings)
    rows = [_row(findings, key, described=place < _DESCRIBED) for place, key in enumerate(ranked)]
    caption = "Failure modes: rollouts of each run that have them, of those that fail or are not measured"
    return Table(caption=caption, columns=columns, rows=rows, brief=15)


def _row(findings: Findings, key: str, *, described: bool) -> Row:
    """A mode in every run; links to a mode without a chapter lead here."""
    mode = _any(findings, key)
    title: Line = [Jump(mode_anchor(key), mode.title)] if described else mode.title
    counts = [_count(run, key) for run in findings.runs]
    shown = saying.refs(mode.refs[:1], 1)
    cells: list[Line] = [title, [Cause(mode.cause)], mode.owner, *counts, phrases.odds(mode.odds_ratio), shown]
    return Row(cells=cells, anchor="" if described else mode_anchor(key))


def _count(run: RunFailures, key: str) -> str:
    mode = _of(run, key)
    return saying.of(mode.rollouts if mode else 0, saying.failing(run))


def _appeared(findings: Findings) -> Iterator[Piece]:
    """Modes that stand in one of the first and the last run only."""
    if len(findings.runs) < 2:
        return
    first, last = findings.runs[0], findings.runs[-1]
    before, after = ({mode.mode for mode in run.modes} for run in (first, last))
    lines: list[Line] = []
    for run, other, found in ((last, first, after - before), (first, last, before - after)):
        titles = [f"“{mode.title}” ({mode.rollouts:,})" for mode in run.modes if mode.mode in found]
        if titles:
            lines.append([Strong(f"Only in {run.run}, not in {other.run}: "), f"{saying.listed(titles, 5)}."])
    if lines:
        yield Points(items=lines)


def _mode(findings: Findings, key: str) -> Chapter:
    mode = _any(findings, key)
    pieces: list[Piece] = [Paragraph(lines=list(_told(findings, key)))]
    pieces += [
        Quote(text=own.example.text, ref=own.example.ref, field=own.example.field, says=f"in {run.run}")
        for run in findings.runs
        if (own := _of(run, key)) and own.example
    ]
    pieces.append(Points(items=list(_rollouts(findings, key))))
    title: list[Part] = [mode.title, " ", Cause(mode.cause)]
    return Chapter(title=title, anchor=mode_anchor(key), pieces=pieces)


def _told(findings: Findings, key: str) -> Iterator[Line]:
    """How it was recognised, how it was held against passes, who can act."""
    mode = _any(findings, key)
    yield saying.sentence(f"Recognised by: {saying.within(mode.rule)}")
    yield _guard(findings, key, mode)
    yield ["Usual cause: ", Cause(mode.cause), f" ({saying.meaning(mode.cause)}); who can act: {mode.owner}."]


def _guard(findings: Findings, key: str, mode: ModeShare) -> Line:
    """What speaks for it: how often passes show it, and whether rollouts of one task that show it fail more often."""
    passes = sum(own.in_passes for run in findings.runs if (own := _of(run, key)))
    seen = sum(own.seen for run in findings.runs if (own := _of(run, key)))
    stands = f"it stands in {passes:,} passing and {numbers.counted(seen, 'other rollout')}"
    if mode.odds_ratio is not None:
        return _odds(mode.odds_ratio, stands)
    if mode.guard == "between tasks":
        return saying.sentence(
            "no task has it in some of its rollouts only, so it is held against other tasks, which is weaker evidence: "
            + stands
        )
    if passes:
        return saying.sentence(f"{stands}; no task tells whether those that show it fail more often")
    return saying.sentence(f"no pass can show it, so that there is no odds ratio: {stands}")


def _odds(found: OddsRatio, stands: str) -> Line:
    if found.high is None:
        size = f"odds ratio above {numbers.amount(found.low)}"
    else:
        size = f"odds ratio {saying.spaced(numbers.amount(found.value), numbers.amount_range(found.low, found.high))}"
    told = f"{size}, {numbers.probability(found.p_adjusted)} adjusted; {stands}"
    if found.p_adjusted is not None and found.p_adjusted < _SHOWN:
        return saying.sentence(f"rollouts that show it fail more often than others of the same task and run: {told}")
    return saying.sentence(f"too few to show that those with it fail more often than others of the same task: {told}")


def _rollouts(findings: Findings, key: str) -> Iterator[Line]:
    """Its rollouts in every run, and where tasks with it are looked into."""
    for run in findings.runs:
        own = _of(run, key)
        if own is None:
            continue
        over = f": {numbers.counted(own.rollouts, 'rollout')} of {numbers.counted(own.tasks, 'task')}, as "
        yield [Code(run.run), over, *saying.refs(own.refs, _REFS), "."]
    dives = [dive for dive in findings.dives if dive.mode.mode == key]
    if dives:
        parts: list[Part] = ["Looked into: "]
        for place, dive in enumerate(dives):
            parts += [", " if place else "", Jump(dive_anchor(dive.run, dive.task), f"task {dive.task} of {dive.run}")]
        yield [*parts, "."]


def _predictors(findings: Findings) -> Iterator[Piece]:
    """Fields of the verifier that tell failures from passes."""
    found = findings.analysis.predictors
    if found:
        columns = [
            Column("field"),
            Column("fail with it", RIGHT),
            Column("fail without it", RIGHT),
            Column("p adjusted", RIGHT),
        ]
        rows = [
            Row(
                cells=[
                    [Code(f"{each.field} = {each.value}")],
                    saying.of(each.failed, each.measured),
                    saying.of(each.failed_otherwise, each.measured_otherwise),
                    numbers.probability(each.p_adjusted, bare=True),
                ]
            )
            for each in found
        ]
        caption = "Fields that go with failure; that does not make them its cause"
        yield Table(caption=caption, columns=columns, rows=rows, brief=8)
    if findings.analysis.restating:
        names: list[Part] = []
        for name in findings.analysis.restating[:8]:
            names += [", ", Code(name)] if names else [Code(name)]
        yield Paragraph(lines=[["Set aside, since they only say again what the reward says: ", *names, "."]])


def _signals(findings: Findings) -> Iterator[Piece]:
    """What failing rollouts show and nothing came of; what is held against no pass is told elsewhere."""
    rows = []
    for run in findings.runs:
        found = [each for each in run.signals if not each.taken and each.failing and (each.passing or each.odds_ratio)]
        found.sort(key=lambda each: (-each.failing, each.signal))
        passes = run.measured - run.failed
        rows += [
            Row(
                cells=[
                    [Code(run.run)],
                    each.signal,
                    saying.of(each.failing, saying.failing(run)),
                    saying.of(each.passing, passes),
                    phrases.odds(each.odds_ratio),
                ]
            )
            for each in found[:_MOST_SIGNALS]
        ]
    if not rows:
        return
    columns = [
        Column("run"),
        Column("signal"),
        Column("in failing rollouts", RIGHT),
        Column("in passing rollouts", RIGHT),
        Column("odds", RIGHT),
    ]
    caption = "Seen in failures, and not shown to go with failing: passes show it as well, or it is too rare to tell"
    table = Table(caption=caption, columns=columns, rows=rows, brief=6)
    if any(each.signal for run in findings.runs for each in run.signals):
        yield Fold(
            summary=f"{numbers.counted(len(rows), 'signal')} that were not taken for a failure mode", pieces=[table]
        )
