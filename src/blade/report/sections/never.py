"""Never-Pass Deep Dives: tasks that a run never passes, held against a run that does where there is one."""

from collections.abc import Iterable

from blade import numbers
from blade.report import saying
from blade.report.findings import Findings
from blade.report.pieces import Note, Paragraph, Piece
from blade.report.sections.diving import chapter


def write(findings: Findings) -> Iterable[Piece]:
    """The chosen tasks."""
    count = [(run.run, run.buckets.get("never", 0)) for run in findings.runs]
    found = findings.dives_of("never")
    if not any(tasks for _, tasks in count):
        yield Note(line="Every task that is measured passes at least once in every run.")
        return
    told = saying.listed([f"{tasks:,} of {run}" for run, tasks in count if tasks])
    elsewhere = sum(dive.right is not None for dive in found)
    shown = numbers.counted(len(found), "task is", "tasks are")
    lines = [f"Tasks that never pass: {told}. {shown} shown, {elsewhere} of them beside a pass of another run."]
    if len(findings.runs) == 1:
        lines.append("With a second run, tasks that it passes would be held against these.")
    yield Paragraph(lines=list(lines))
    for dive in found:
        yield chapter(dive)
