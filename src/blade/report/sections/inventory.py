"""Artifact Inventory: what was found of each run, what it was run with, and whether its own numbers agree."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from blade import numbers
from blade.measure.run import RunMetrics
from blade.report import saying
from blade.report.findings import Findings
from blade.report.pieces import RIGHT, Code, Column, Fold, Line, Note, Paragraph, Piece, Points, Quote, Row, Table
from blade.report.sections import health
from blade.scan.summary import Identity, RunSummary

_TRAITS: Final = {
    "model": "model",
    "temperature": "temperature",
    "top_p": "top p",
    "max_output_tokens": "max output tokens",
    "reasoning_effort": "reasoning effort",
    "environment": "environment",
    "tools_hash": "tools (hash)",
    "system_hash": "instructions (hash)",
    "skills_hash": "skills (hash)",
}
_MOST_VALUES: Final = 4
_MOST_PROBLEMS: Final = 12
_MOST_DISAGREEMENTS: Final = 8
_LONGEST_NOTES: Final = 1_200


def write(findings: Findings) -> Iterable[Piece]:
    """Every run with its files."""
    yield _runs(findings)
    yield from _incomplete(findings)
    yield _traits(findings)
    yield from _shipped(findings)
    yield from _problems(findings)
    yield from _notes(findings)
    yield from _sidecars(findings)
    yield from health.chapter(findings)


def _runs(findings: Findings) -> Table:
    columns = [
        Column("run"),
        Column("model"),
        Column("agent"),
        Column("rows", RIGHT),
        Column("tasks", RIGHT),
        Column("repeats", RIGHT),
        Column("owed", RIGHT),
        Column("measured", RIGHT),
        Column("not measured", RIGHT),
        Column("lines skipped", RIGHT),
    ]
    rows = [_run(run, findings.measured(run.run)) for run in findings.inventory]
    return Table(caption="Runs that were read", columns=columns, rows=rows, brief=30)


def _run(run: RunSummary, measured: RunMetrics) -> Row:
    lost = measured.rollouts - measured.measured
    return Row(
        cells=[
            [Code(run.run)],
            run.model or "not said",
            run.agent or "not said",
            f"{run.rows:,}",
            f"{measured.tasks:,}",
            repeats(measured),
            f"{run.expected:,}" if run.expected is not None else "not known",
            f"{measured.measured:,}",
            f"{lost:,}",
            f"{run.skipped_count:,}",
        ]
    )


def repeats(run: RunMetrics) -> str:
    """How often tasks were tried: `4`, or `1 to 4`."""
    if not run.repeats:
        return "0"
    low, _, high = run.repeats
    return f"{high}" if low == high else f"{low} to {high}"


def _incomplete(findings: Findings) -> Iterator[Piece]:
    """What is missing, and why rollouts are not measured."""
    lines: list[Line] = []
    for run in findings.inventory:
        if run.missing_count:
            named = f": {saying.listed(run.missing, 5)}" if run.missing else ""
            of = f"{run.missing_count:,} of {run.expected:,} rollouts" if run.expected else f"{run.missing_count:,}"
            lines.append([Code(run.run), f" lacks {of} that {run.expected_from or 'its inputs'} owe{named}."])
        if run.duplicates:
            lines.append([Code(run.run), f" holds {numbers.counted(run.duplicates, 'duplicate row')}, counted once."])
        for why in findings.measured(run.run).not_measured:
            detail = f" ({why.details[0]})" if why.details and why.details[0] else ""
            shown = [", as in ", *saying.refs(why.refs, 2)] if why.refs else []
            count = numbers.counted(why.rollouts, "rollout")
            lines.append([Code(run.run), f": {count} not measured, {why.why}{detail}", *shown, "."])
        for said in findings.measured(run.run).contradictions:
            count = numbers.counted(said.rollouts, "row contradicts itself", "rows contradict themselves")
            lines.append([Code(run.run), f": {count}: {said.what}, as in ", *saying.refs(said.refs, 2), "."])
    if lines:
        yield Points(items=lines)
    owing = [run.run for run in findings.inventory if run.expected is None]
    if owing:
        text = f"Nothing says how many rollouts {saying.listed(owing)} should hold, so missing ones cannot be counted; "
        yield Note(line=[text, "keep ", Code("STEM_materialized_inputs.jsonl"), " beside the rollouts to have them."])


def _traits(findings: Findings) -> Table:
    """What the runs were run with, as their rows say; a row for each trait that any of them tells."""
    rows = []
    for trait, label in _TRAITS.items():
        cells = [_values(run, trait) for run in findings.inventory]
        if any(cells):
            differ = len({str(cell) for cell in cells}) > 1
            rows.append(Row(cells=[label, *(cell or "not said" for cell in cells)], tone="quiet" if not differ else ""))
    columns = [Column("what"), *(Column(run.run) for run in findings.inventory)]
    return Table(caption="What they were run with, as their rows say", columns=columns, rows=rows, brief=30)


def _values(run: RunSummary, trait: str) -> Line:
    identity = next((each for each in run.identity if each.trait == trait), Identity(trait, []))
    told = [value for value, _ in identity.values if value is not None]
    parts: list[Any] = []
    for value in told[:_MOST_VALUES]:
        parts += [", ", Code(_value(value))] if parts else [Code(_value(value))]
    more = len(told) - _MOST_VALUES
    return [*parts, f" and {more} more"] if more > 0 else parts


def _value(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _shipped(findings: Findings) -> Iterator[Piece]:
    """Whether the numbers that stand beside the runs are those of their rows."""
    checks = [(run.run, check) for run in findings.metrics for check in run.shipped]
    if not checks:
        if not any(run.sidecars for run in findings.inventory):
            return
        yield Note(line="No sidecar beside the runs states a number that could be checked against the rows.")
        return
    columns = [Column("run"), Column("sidecar"), Column("numbers that agree", RIGHT), Column("note")]
    rows = []
    for run, check in checks:
        agreed = saying.of(check.agreed, check.checked) if check.checked else "none checked"
        tone = "bad" if check.checked > check.agreed else ""
        rows.append(Row(cells=[[Code(run)], check.kind, agreed, check.problem or ""], tone=tone))
    yield Table(caption="Numbers that were shipped with the runs, recomputed from the rows", columns=columns, rows=rows)
    found = [(run, each) for run, check in checks for each in check.disagreements]
    if found:
        yield _disagreements(found)


def _disagreements(found: list[Any]) -> Table:
    columns = [Column("run"), Column("where"), Column("number"), Column("shipped", RIGHT), Column("rows say", RIGHT)]
    columns.append(Column("why"))
    rows = [
        Row(
            cells=[
                [Code(run)],
                each.where,
                [Code(each.key)],
                [Code(str(each.shipped))],
                "none" if each.recomputed is None else numbers.amount(float(each.recomputed)),
                each.why,
            ]
        )
        for run, each in found[: 4 * _MOST_DISAGREEMENTS]
    ]
    more = len(found) - len(rows)
    caption = "Shipped numbers that the rows do not give" + (f", the first of {len(found):,}" if more > 0 else "")
    return Table(caption=caption, columns=columns, rows=rows, brief=_MOST_DISAGREEMENTS)


def _problems(findings: Findings) -> Iterator[Piece]:
    """What was irregular, and what was left out because of it."""
    items: list[Line] = []
    for run in findings.inventory:
        items += [[Code(run.run), f": {problem}."] for problem in run.problems[:_MOST_PROBLEMS]]
        more = len(run.problems) - _MOST_PROBLEMS
        if more > 0:
            items.append([Code(run.run), f": {more:,} more irregularities, shown by ", Code("blade runs"), "."])
        for skip in run.skipped[:3]:
            items.append([Code(run.run), f": line {skip.line:,} was skipped: {skip.why}."])
        if run.skipped_count > 3:
            items.append([Code(run.run), f": {run.skipped_count - 3:,} more lines were skipped."])
    if items:
        yield Paragraph(lines=["What was irregular:"])
        yield Points(items=items)


def _notes(findings: Findings) -> Iterator[Piece]:
    """What the people who ran it wrote down: theirs to say, not checked here."""
    for run in findings.inventory:
        if run.notes and run.notes.strip():
            yield Quote(text=run.notes.strip()[:_LONGEST_NOTES], ref="", says=f"Notes beside {run.run}, not checked")


def _sidecars(findings: Findings) -> Iterator[Piece]:
    columns = [Column("run"), Column("kind"), Column("file"), Column("bytes", RIGHT), Column("problem")]
    rows = [
        Row(
            cells=[
                [Code(run.run)],
                side["kind"],
                [Code(side["path"])],
                f"{side['bytes']:,}",
                str(side.get("problem", "")),
            ]
        )
        for run in findings.inventory
        for side in run.sidecars
    ]
    if rows:
        table = Table(caption="Sidecars that were found", columns=columns, rows=rows, brief=0)
        yield Fold(summary=f"{numbers.counted(len(rows), 'sidecar')} beside the runs", pieces=[table])
    else:
        yield Note(line="No sidecar stands beside the runs: no materialized inputs, no failures, no shipped metrics.")
