"""The contents of a report: eleven sections, each a function from findings to pieces, in the order they are read."""

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from blade.report.findings import Findings
from blade.report.pieces import Piece, Section
from blade.report.sections import (
    aggregate,
    buckets,
    comparison,
    funnel,
    inventory,
    modes,
    never,
    recommendations,
    reproducibility,
    sometimes,
    summary,
)

Write = Callable[[Findings], Iterable[Piece]]


class Kind(NamedTuple):
    """A row of the registry."""

    title: str
    anchor: str
    write: Write


SECTIONS: Final = (
    Kind("Executive Summary", "executive-summary", summary.write),
    Kind("Artifact Inventory", "artifact-inventory", inventory.write),
    Kind("Aggregate Results", "aggregate-results", aggregate.write),
    Kind("Workflow Funnel", "workflow-funnel", funnel.write),
    Kind("Task Outcome Buckets", "task-outcome-buckets", buckets.write),
    Kind("Dominant Failure Modes", "dominant-failure-modes", modes.write),
    Kind("Sometimes-Pass Deep Dives", "sometimes-pass-deep-dives", sometimes.write),
    Kind("Never-Pass Deep Dives", "never-pass-deep-dives", never.write),
    Kind("Cross-Model Comparison", "cross-model-comparison", comparison.write),
    Kind("Recommendations", "recommendations", recommendations.write),
    Kind("Reproducibility Notes", "reproducibility-notes", reproducibility.write),
)
"""Every section, in the order in which they are read."""


def written(findings: Findings) -> list[Section]:
    """All sections of a report."""
    return [Section(title=kind.title, anchor=kind.anchor, pieces=list(kind.write(findings))) for kind in SECTIONS]
