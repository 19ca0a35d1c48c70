"""Slices: fields that say what kind of task a task is, found in the data.

A slice is a field that never changes within a task, over rollouts and runs, and has few values. Where each task
has one rollout in one run, nothing could have changed, so that this says nothing: then a field counts only if the
materialized inputs have it, or if its name is one that benchmarks use for kinds of tasks.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from blade.errors import InputError
from blade.measure.panel import Numbers, Panel

if TYPE_CHECKING:
    from blade.scan.store import Store

MOST_VALUES: Final = 24
FEWEST_TASKS: Final = 2
"""Tasks that at least two values must have, for a field to be worth slicing by."""

_KIND_OF_TASK: Final = re.compile(
    r"(?i)(^|[_.])(category|categories|domain|subject|topic|type|kind|level|difficulty|language|lang|source|split|subset|task_?name"
    r"|family|field|subfield|tier|scenario|section|skill|dimension|genre|dataset|setting|length|hops?|harness|db_id|sector|occupation)$"
)
_OF_THE_RUN: Final = re.compile(
    r"(?i)(^|[_.])(id|ids|uuid|uid|index|idx|seed|time|timestamp|path|dir|url|version|hash|sha256|model|temperature|top_p|api)([_.]|$)"
    r"|judge_response|response\.|responses_create_params|agent_ref|skills_ref|tool_choice|parallel_tool"
)
"""Fields that name a task or describe the run rather than the task."""

_FIELDS: Final = """
WITH told AS (
    SELECT run, task, name, field_text(kind, text, number) AS value
    FROM fields
    WHERE run IN (SELECT unnest($runs)) AND standing = 'row' AND kind IN ('text', 'boolean', 'number')
      AND hash IS NULL AND (text IS NULL OR length(text) BETWEEN 1 AND 80)
    UNION ALL
    SELECT run, task, name, field_text(kind, text, number)
    FROM input_fields
    WHERE run IN (SELECT unnest($runs)) AND kind IN ('text', 'boolean', 'number')
      AND hash IS NULL AND (text IS NULL OR length(text) BETWEEN 1 AND 80)
),
per_task AS (SELECT name, task, min(value) AS low, max(value) AS high FROM told GROUP BY ALL)
SELECT name, count(*) AS tasks, count(DISTINCT low) AS many FROM per_task
GROUP BY name HAVING bool_and(low = high) AND many BETWEEN 2 AND $most
ORDER BY name
"""

_VALUES: Final = """
WITH told AS (
    SELECT task, field_text(kind, text, number) AS value
    FROM fields WHERE run IN (SELECT unnest($runs)) AND standing = 'row' AND name = $name AND kind <> 'null'
    UNION ALL
    SELECT task, field_text(kind, text, number)
    FROM input_fields WHERE run IN (SELECT unnest($runs)) AND name = $name AND kind <> 'null'
)
SELECT task, min(value), count(DISTINCT value) FROM told GROUP BY task
"""

_IN_INPUTS: Final = "SELECT DISTINCT name FROM input_fields WHERE run IN (SELECT unnest($runs))"


class Slicing(NamedTuple):
    """A field with the value that each task has; None where a task has none, or several."""

    field: str
    values: list[str | None]
    varied: int = 0
    """Tasks with several values, which are left out."""

    def groups(self) -> list[tuple[str, Numbers]]:
        """Each value, in order, with the places of its tasks."""
        known = np.array([value if value is not None else "" for value in self.values], dtype=object)
        has = np.array([value is not None for value in self.values])
        names = sorted({value for value in self.values if value is not None}, key=_order)
        return [(name, np.flatnonzero(has & (known == name))) for name in names]


def _order(value: str) -> tuple[int, float, str]:
    try:
        return (0, float(value), value)
    except ValueError:
        return (1, 0.0, value)


class Seen(NamedTuple):
    """What slices are looked for in: runs, tasks that they share, and what each run scores on each task."""

    runs: list[str]
    tasks: list[str]
    shares: list[Numbers]
    repeated: bool
    """Whether any task was seen more than once, so that a field could have changed within it."""

    @classmethod
    def of(cls, panels: Sequence[Panel]) -> "Seen":
        """Panels that have the same tasks in the same order."""
        repeated = len(panels) > 1 or any((panel.measured > 1).any() for panel in panels)
        return cls([panel.run for panel in panels], panels[0].tasks, [panel.shares for panel in panels], repeated)


def find_slices(store: "Store", seen: Seen) -> list[Slicing]:
    """The slices of some runs, with the value of each task."""
    given = {name for (name,) in store.connection.execute(_IN_INPUTS, {"runs": seen.runs}).fetchall()}
    found = []
    for name, count, _ in store.connection.execute(_FIELDS, {"runs": seen.runs, "most": MOST_VALUES}).fetchall():
        says_kind = bool(_KIND_OF_TASK.search(name)) or name in given
        if _OF_THE_RUN.search(name) or count < len(seen.tasks) / 2 or not (says_kind or seen.repeated):
            continue
        slicing = slice_by(store, seen, name)
        if _is_useful(slicing) and (says_kind or not _restates_outcome(slicing, seen.shares)):
            found.append(slicing)
    return _without_copies(found)


def slice_by(store: "Store", seen: Seen, name: str) -> Slicing:
    """The slicing by one field, whatever it holds; `InputError` where no row has it."""
    rows = store.connection.execute(_VALUES, {"runs": seen.runs, "name": name}).fetchall()
    if not rows:
        hint = '`blade sql "select distinct name from fields"` lists them'
        raise InputError(f"no row has a field named {name}", hint=hint)
    values = {task: value for task, value, many in rows if many == 1}
    return Slicing(name, [_shown(values.get(task)) for task in seen.tasks], sum(many > 1 for _, _, many in rows))


def _shown(value: Any) -> str | None:
    """A value as people write it: whole numbers without a point."""
    return None if value is None else str(value).removesuffix(".0")


def _is_useful(slicing: Slicing) -> bool:
    sizes = [len(group) for _, group in slicing.groups()]
    return len(sizes) > 1 and sum(size >= FEWEST_TASKS for size in sizes) > 1


def _restates_outcome(slicing: Slicing, shares: list[Numbers]) -> bool:
    """Whether the field says no more than who passes, a verdict in other words: in each group all score alike."""
    groups = [group for _, group in slicing.groups()]
    return all(
        np.nanmax(share[group], initial=0) <= np.nanmin(share[group], initial=1) for share in shares for group in groups
    )


def _without_copies(found: list[Slicing]) -> list[Slicing]:
    """Of fields that group the tasks alike only the first."""
    seen: set[tuple[tuple[int, ...], ...]] = set()
    kept = []
    for slicing in found:
        shape = tuple(sorted(tuple(group.tolist()) for _, group in slicing.groups()))
        if shape not in seen:
            seen.add(shape)
            kept.append(slicing)
    return kept
