"""Workflow Funnel: how far rollouts come on the way to a pass, and where most are lost."""

from collections.abc import Iterable, Iterator

from blade.explain.records import RunFailures
from blade.report import pictures, saying
from blade.report.findings import Findings
from blade.report.pieces import RIGHT, Code, Column, Fold, Line, Note, Paragraph, Piece, Row, Table


def write(findings: Findings) -> Iterable[Piece]:
    """The stages with how many came as far."""
    if not any(run.funnel for run in findings.runs):
        yield Note(line="No stage could be derived from the rows.")
        return
    yield Paragraph(lines=[*(_told(run) for run in findings.runs if run.largest_drop), *_even(findings)])
    yield from pictures.when(pictures.funnel(findings))
    stages = list(dict.fromkeys(stage.stage for run in findings.runs for stage in run.funnel))
    columns = [Column("stage"), *(Column(run.run, RIGHT) for run in findings.runs)]
    rows = [Row(cells=[[Code(stage)], *(_reached(run, stage) for run in findings.runs)]) for stage in stages]
    table = Table(caption="Rollouts that came as far, of those that are owed", columns=columns, rows=rows, brief=30)
    yield table if len(findings.runs) > 5 else Fold(summary="The stages in numbers", pieces=[table])
    yield Paragraph(
        lines=["A stage is something that at least 98 % of all passes went through; the rows themselves name them."]
    )


def _reached(run: RunFailures, stage: str) -> str:
    owed = run.funnel[0].reached if run.funnel else 0
    found = next((each for each in run.funnel if each.stage == stage), None)
    return saying.of(found.reached, owed) if found else "no such stage"


def _told(run: RunFailures) -> Line:
    names = [stage.stage for stage in run.funnel]
    place = names.index(run.largest_drop or names[0])
    before, after = run.funnel[place - 1], run.funnel[place]
    lost = before.reached - after.reached
    return [
        Code(run.run),
        f" loses most between {before.stage} and {after.stage}: {saying.of(lost, before.reached)} that came as far.",
    ]


def _even(findings: Findings) -> Iterator[Line]:
    whole = [run.run for run in findings.runs if not run.largest_drop]
    if whole:
        yield f"{saying.listed(whole)} lose none on the way."
