"""What must be known of a run before its numbers: lines that are not in them, rows that may be runs of their own."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from blade.numbers import counted

if TYPE_CHECKING:
    from blade.scan.store import Store
    from blade.scan.summary import RunSummary

_VARIANTS: Final = {
    "agent": "agent",
    "skills": "skills_hash",
    "model": "model",
    "tools": "tools_hash",
    "instructions": "system_hash",
}
"""What `--split-by` may tell apart, and the column it stands in."""

_OTHER_VARIANT: Final = f"""
SELECT {", ".join(f"count(*) FILTER (extra.{column} IS DISTINCT FROM kept.{column})" for column in _VARIANTS.values())}
FROM rollouts extra JOIN rollouts kept
     ON kept.run = extra.run AND kept.task = extra.task AND kept.standing = 'row'
        AND kept.rollout = regexp_replace(extra.rollout, '\\.d[0-9]+$', '')
WHERE extra.run = $run AND extra.standing = 'duplicate'
"""


def doubts(store: "Store", summary: "RunSummary") -> Iterator[str]:
    """Sentences about one run, none where nothing was left out of its numbers."""
    if summary.skipped_count:
        first, count = summary.skipped[0], summary.skipped_count
        left_out = f"{counted(count, 'line')} could not be read and {'is' if count == 1 else 'are'} not in the numbers"
        yield f"{left_out}: {first.file}:{first.line}{', among others' if count > 1 else ''}: {first.why}"
    if summary.duplicates:
        yield from _variants(store, summary)


def _variants(store: "Store", summary: "RunSummary") -> Iterator[str]:
    """Where rows that were left out as duplicates were run with something else than those that count."""
    others = store.connection.execute(_OTHER_VARIANT, {"run": summary.run}).fetchone()
    for name, rows in zip(_VARIANTS, others, strict=True):
        if rows:
            left_out = f"{counted(rows, 'duplicate row')} left out that differ in {name} from the row that counts"
            yield f"{left_out}: --split-by {name} makes a run of each"
            return
