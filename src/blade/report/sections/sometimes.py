"""Sometimes-Pass Deep Dives: tasks that a run passes at times, where a failure can be held against its own pass."""

from collections.abc import Iterable

from blade import numbers
from blade.report import saying
from blade.report.findings import Findings
from blade.report.pieces import Note, Paragraph, Piece
from blade.report.sections.diving import chapter


def write(findings: Findings) -> Iterable[Piece]:
    """The chosen tasks."""
    count = [(run.run, run.buckets.get("sometimes", 0)) for run in findings.runs]
    found = findings.dives_of("sometimes")
    if not any(tasks for _, tasks in count):
        if all(run.usual_repeats < 2 for run in findings.metrics):
            yield Note(line="No task was tried twice, so none can pass at times: repeats would show which do.")
        else:
            yield Note(line="No task passes at times: each passes always, never, or was not measured.")
        return
    told = saying.listed([f"{tasks:,} of {run}" for run, tasks in count if tasks])
    shown = numbers.counted(len(found), "task is", "tasks are")
    chosen = "those of the modes that cost most, with the pair of rollouts whose actions differ least"
    yield Paragraph(lines=[f"Tasks that pass at times: {told}. {shown} shown: {chosen}."])
    for dive in found:
        yield chapter(dive)
