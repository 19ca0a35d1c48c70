"""Reproducibility Notes: what was read and what was not, by which rules, and the command that makes this again."""

from collections.abc import Iterable, Iterator
from typing import Final

from blade import numbers
from blade.report.findings import Findings
from blade.report.pieces import RIGHT, Code, Column, Command, Facts, Line, Paragraph, Piece, Points, Row, Table
from blade.scan.tables import SCHEMA_VERSION
from blade.version import __version__

_SHOWN: Final = 40


def write(findings: Findings) -> Iterable[Piece]:
    """Inputs, rules, what was not read, how to repeat it."""
    yield Command(lines=[findings.command])
    yield Facts(rows=list(_rules(findings)))
    yield _inputs(findings)
    yield Paragraph(lines=["What was not read, or not counted:"])
    yield Points(items=list(_unread(findings)))


def _rules(findings: Findings) -> Iterator[tuple[str, Line]]:
    settings = findings.settings
    yield "made by", f"BLADE {__version__}, fact schema {SCHEMA_VERSION}"
    yield "pass rule", findings.analysis.pass_rule
    yield "seed", f"{settings.seed}"
    yield "intervals", f"{100 * settings.level:g} %, clustered by task, for {settings.estimand}"
    yield "verdicts", "paired sign-flip test over tasks, p < 0.05, Holm-adjusted over the candidates"
    yield "not covered", "no interval covers what changes between days: another sandbox, another server, another judge"
    if findings.benchmark:
        yield "benchmark", [Code(findings.benchmark)]
    yield "redaction", "on" if findings.redacts else "off: this report may hold secrets and private names"


def _inputs(findings: Findings) -> Table:
    columns = [Column("file"), Column("what"), Column("bytes", RIGHT), Column("rows", RIGHT), Column("fingerprint")]
    rows = [
        Row(cells=[[Code(each.path)], each.role, f"{each.bytes:,}", f"{each.rows:,}", [Code(each.fingerprint[:16])]])
        for each in findings.inputs
    ]
    caption = "Files that were read; the fingerprint is of a file's beginning and end"
    return Table(caption=caption, columns=columns, rows=rows, brief=_SHOWN)


def _unread(findings: Findings) -> Iterator[Line]:
    said = False
    for run in findings.inventory:
        if run.skipped_count:
            said = True
            yield [Code(run.run), f": {numbers.counted(run.skipped_count, 'line')} that could not be read."]
        if run.without_steps:
            said = True
            yield [
                Code(run.run),
                f": {numbers.counted(run.without_steps, 'row')} without a trajectory, so without steps to look at.",
            ]
        if run.duplicates:
            said = True
            yield [Code(run.run), f": {numbers.counted(run.duplicates, 'duplicate row')}, not counted."]
        if run.missing_count:
            said = True
            yield [Code(run.run), f": {numbers.counted(run.missing_count, 'rollout')} that should be there and is not."]
    if not said:
        yield "Every row of every file was read and counted."
    yield "Excerpts are cut, and say how much was left out; blade show REF prints the whole step."
