"""Sidecars that state what their rows do not give."""

from collections.abc import Iterator

from blade.explain.health.registry import Subject, check
from blade.explain.records import Finding
from blade.measure.shipped import SourceCheck, check_shipped
from blade.numbers import counted

_SHOWN = 3


@check("disagrees with shipped metrics")
def disagrees(subject: Subject) -> Iterator[Finding]:
    """Numbers of sidecars that the rows do not give."""
    store = subject.cases.store
    for settled in store.runs:
        names = [summary.run for summary in settled.summaries if summary.run in subject.cases.runs]
        if not names or not settled.files.sidecars:
            continue
        with store.only(names) as part:
            for found in check_shipped(part, part.runs[0]):
                if found.disagreements:
                    yield _finding(found, names[0])


def _finding(found: SourceCheck, run: str) -> Finding:
    differ = found.checked - found.agreed
    told = [
        f"{each.where} {each.key} is {each.shipped} there and {each.recomputed} by the rows ({each.why})"
        for each in found.disagreements[:_SHOWN]
    ]
    refs = dict.fromkeys(ref for each in found.disagreements for ref in each.refs)
    return Finding(
        kind="disagrees with shipped metrics",
        title=f"The {found.kind} of {run} state{'s' if not found.kind.endswith('s') else ''}"
        f" {counted(differ, 'number')} that the rows do not give",
        why=f"Of {counted(found.checked, 'number')} recomputed, {differ:,} differ: {'; '.join(told)}.",
        refs=list(refs),
        run=run,
    )
