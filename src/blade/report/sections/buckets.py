"""Task Outcome Buckets: tasks that always, sometimes and never pass, and those on which runs differ."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from blade import numbers
from blade.explain.records import Explained, ModeShare, TaskLabel
from blade.measure import sentences
from blade.measure.comparison import Flip
from blade.report import pictures, saying
from blade.report.findings import Findings
from blade.report.pieces import (
    BAD,
    GOOD,
    RIGHT,
    Cause,
    Chapter,
    Code,
    Column,
    Fold,
    Jump,
    Line,
    Paragraph,
    Piece,
    Row,
    Table,
)
from blade.report.sections.anchors import comparison_anchor, dive_anchor, mode_anchor
from blade.vocabulary import BUCKETS

_FLIPS: Final = 40
"""Tasks of a comparison that are listed with a rollout to open."""

_OPEN: Final = 15
"""Of these, tasks that are seen at once."""

_MOST_TASKS: Final = 3_000
"""Rows of the list of all tasks; beyond that the data alone has them."""


def write(findings: Findings) -> Iterable[Piece]:
    """Counts, what changed, every task."""
    yield _counts(findings)
    yield Paragraph(lines=list(_meaning(findings)))
    yield from pictures.when(pictures.buckets(findings))
    yield from pictures.when(pictures.heat_map(findings))
    for one in findings.analysis.comparisons[-3:]:
        yield from _flips(findings, one)
    yield _tasks(findings)


def _counts(findings: Findings) -> Table:
    columns = [Column("bucket"), *(Column(run.run, RIGHT) for run in findings.runs)]
    rows = [
        Row(cells=[bucket, *(saying.of(run.buckets.get(bucket, 0), run.tasks) for run in findings.runs)])
        for bucket in BUCKETS
        if bucket != "missing" or any(run.buckets.get(bucket) for run in findings.runs)
    ]
    return Table(caption="Tasks by what their measured rollouts do", columns=columns, rows=rows)


def _meaning(findings: Findings) -> Iterator[Line]:
    most = max((run.usual_repeats for run in findings.metrics), default=0)
    if most == 1:
        yield "With one measured rollout for each task, always and never say little: no task can be in between."
    elif most and most <= 4 and any(run.buckets.get("never") for run in findings.runs):
        chance = 0.7**most
        yield (
            f"A task that passes three times in ten is never right in {numbers.percent(chance)} of {most} repeats by "
            "chance alone, so never does not mean impossible."
        )


def _flips(findings: Findings, one: Explained) -> Iterator[Piece]:
    """The tasks of a comparison that differ, the largest difference first."""
    if not one.flips:
        yield Paragraph(lines=[[Code(one.candidate), " and ", Code(one.baseline), " agree on every common task."]])
        return
    columns = [
        Column("task"),
        Column(one.baseline, RIGHT),
        Column(one.candidate, RIGHT),
        Column("change in points", RIGHT),
        Column("why it fails"),
        Column("a rollout to open"),
    ]
    labels = {(label.run, label.task): label for label in findings.analysis.tasks}
    failed_by = _failed_by(findings, one)
    rows = [_flip(findings, one, flip, labels, failed_by) for flip in one.flips[:_FLIPS]]
    more = f", the first {_FLIPS}" if len(one.flips) > _FLIPS else ""
    caption = f"Tasks on which {one.candidate} differs from {one.baseline}{more}"
    pieces: list[Piece] = [Table(caption=caption, columns=columns, rows=rows[:_OPEN], brief=_OPEN)]
    if rows[_OPEN:]:
        rest = Table(caption="Smaller differences", columns=columns, rows=rows[_OPEN:], brief=0)
        pieces.append(Fold(summary=f"{len(rows) - _OPEN} smaller differences", pieces=[rest]))
    told = saying.sentence(sentences.flips(one.flips))
    yield Chapter(
        title=["What changed: ", Code(one.candidate), " against ", Code(one.baseline)],
        anchor=f"flips-{comparison_anchor(one.candidate)}",
        pieces=[Paragraph(lines=[told]), *pieces],
    )


def _flip(
    findings: Findings, one: Explained, flip: Flip, labels: dict[tuple[str, str], TaskLabel], failed_by: "_FailedBy"
) -> Row:
    found = [failed_by[ref] for ref in flip.refs if ref in failed_by]
    shared = Counter(mode.mode for mode, _ in found)
    label = labels.get((one.candidate if flip.points < 0 else one.baseline, flip.task))
    named = label.mode if label else None
    mode, ref = max(
        found,
        key=lambda each: (shared[each[0].mode], each[0].mode == named),
        default=(None, next(iter(flip.refs), "")),
    )
    sure = label.confidence if label and mode and label.mode == mode.mode else None
    return Row(
        cells=[
            task_link(findings, flip.task),
            f"{flip.baseline[0]}/{flip.baseline[1]}",
            f"{flip.candidate[0]}/{flip.candidate[1]}",
            numbers.points(flip.points),
            _by_mode(mode, sure) if mode else "",
            saying.refs([ref], 1) if ref else "",
        ],
        tone=BAD if flip.points < 0 else GOOD,
    )


_FailedBy = dict[str, tuple[ModeShare, str]]
"""Of rollouts that fail, the mode, and the ref of the step that shows it."""


def _failed_by(findings: Findings, one: Explained) -> _FailedBy:
    """Why the rollouts of both runs of a comparison fail."""
    runs = [run for run in findings.runs if run.run in (one.baseline, one.candidate)]
    return {ref.partition("#")[0]: (mode, ref) for run in runs for mode in run.modes for ref in mode.refs}


def task_link(findings: Findings, task: str) -> Line:
    """A task; where it is looked into, with the way there."""
    dive = next((dive for dive in findings.dives if dive.task == task), None)
    return [Jump(dive_anchor(dive.run, dive.task), f"task {task}")] if dive else [Code(task)]


def why(findings: Findings, label: TaskLabel | None) -> Line:
    """The mode and the cause of a task that fails."""
    if label is None or label.mode is None:
        return ""
    mode = next((mode for run in findings.runs for mode in run.modes if mode.mode == label.mode), None)
    if mode is None:
        return [Jump(mode_anchor(label.mode), label.mode)]
    return _by_mode(mode, label.confidence)


def _by_mode(mode: ModeShare, confidence: str | None) -> Line:
    """A mode and its cause, and how sure that is where it is told."""
    sure = f", {confidence} confidence" if confidence else ""
    return [Jump(mode_anchor(mode.mode), mode.title), " (", Cause(mode.cause), f"{sure})"]


def _tasks(findings: Findings) -> Piece:
    """Every task of every run: findable, with its label."""
    runs = findings.names
    by_task: dict[str, dict[str, TaskLabel]] = {}
    for label in findings.analysis.tasks:
        by_task.setdefault(label.task, {})[label.run] = label
    columns = [Column("task"), *(Column(run, RIGHT) for run in runs), Column("why it fails")]
    rows = [_task(findings, task, by_task[task], runs) for task in list(by_task)[:_MOST_TASKS]]
    more = f", the first {_MOST_TASKS:,} of {len(by_task):,}" if len(by_task) > _MOST_TASKS else ""
    caption = f"Passed and measured rollouts of every task{more}"
    table = Table(caption=caption, columns=columns, rows=rows, brief=0)
    return Fold(summary=f"All {numbers.counted(len(by_task), 'task')}", pieces=[table])


def _task(findings: Findings, task: str, labels: dict[str, TaskLabel], runs: list[str]) -> Row:
    cells = [f"{labels[run].passed}/{labels[run].measured}" if run in labels else "none" for run in runs]
    failing = [label for run in reversed(runs) if (label := labels.get(run)) and label.mode]
    return Row(cells=[task_link(findings, task), *cells, why(findings, failing[0] if failing else None)])
