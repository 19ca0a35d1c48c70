"""Which tasks of two runs are the same task.

A task is the same where its id is the same *and* its prompt is (without the leading instructions, which may be
what the runs differ in on purpose). The same id with another prompt is another task, a changed prompt. Two cases
need more thought, and are told in `by` and `note`:

* Prompts that differ between the repeats of one task, such as the first words of a simulated user, identify
  nothing: tasks are paired by their id.
* Where every prompt differs, the tasks may be others, or a date in the template may. The ids are trusted only if
  fields that name a task (an expected answer, a scenario) agree in both runs as well.

Runs that share no id at all are paired by prompts that occur once in each.
"""

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from blade.measure.panel import Panel

if TYPE_CHECKING:
    from blade.scan.store import Store

BY_BOTH: Final = "id and prompt"
BY_ID: Final = "id"
BY_PROMPT: Final = "prompt"

_MANY: Final = 0.2
"""Share of repeated tasks with several prompts from which on prompts are taken to vary by design."""

_NEARLY_ALL: Final = 0.9

_TELLING_FIELDS: Final = """
WITH told AS (
    SELECT run, task, name, min(coalesce(hash, text, number::VARCHAR)) AS low,
           max(coalesce(hash, text, number::VARCHAR)) AS high
    FROM fields
    WHERE run IN ($baseline, $candidate) AND standing = 'row' AND kind IN ('text', 'list', 'object', 'number')
    GROUP BY ALL HAVING low = high
),
both_runs AS (
    SELECT a.name, a.task, a.low AS first, b.low AS second FROM told a JOIN told b USING (task, name)
    WHERE a.run = $baseline AND b.run = $candidate
)
SELECT name FROM both_runs GROUP BY name
HAVING count(*) >= $nearly_all * $tasks AND count(DISTINCT first) >= 0.5 * count(*) AND count(DISTINCT first) > 1
   AND count(*) FILTER (first = second) >= 0.95 * count(*)
ORDER BY name
"""
"""Fields that name nearly every task by a value of its own, and agree in both runs."""


class Pairing(NamedTuple):
    """The tasks of two runs, held against each other; places are those in the panels' lists of tasks."""

    baseline: list[int]
    candidate: list[int]
    """The common tasks, in the same order."""
    changed: list[str]
    """Tasks whose id stands in both runs with different prompts."""
    only_baseline: list[str]
    only_candidate: list[str]
    by: str = BY_BOTH
    note: str = ""
    prompts_differ: bool = False
    """Whether nearly all prompts differ and the tasks are the same all the same."""


def pair(store: "Store", baseline: Panel, candidate: Panel, *, by_id: bool = False) -> Pairing:
    """Pair the tasks of two runs; `by_id` trusts the ids alone."""
    place = {task: number for number, task in enumerate(candidate.tasks)}
    shared = [(number, place[task]) for number, task in enumerate(baseline.tasks) if task in place]
    if not shared:
        return _by_prompt(baseline, candidate)
    if by_id:
        return _paired(baseline, candidate, shared, [], BY_ID, "the prompts were not compared, as was asked for")
    if _vary(baseline) or _vary(candidate):
        return _paired(
            baseline,
            candidate,
            shared,
            [],
            BY_ID,
            "prompts differ between the repeats of a task, so the ids alone pair them",
        )
    same = [(a, b) for a, b in shared if _same_prompt(baseline, candidate, a, b)]
    changed = [baseline.tasks[a] for a, b in shared if not _same_prompt(baseline, candidate, a, b)]
    if len(changed) < _NEARLY_ALL * len(shared):
        return _paired(baseline, candidate, same, changed, BY_BOTH)
    if telling := _telling_fields(store, baseline, candidate, len(shared)):
        named = ", ".join(telling[:3])
        agree = "agree" if len(telling) > 1 else "agrees"
        note = f"{len(changed)} of {len(shared)} prompts differ, but {named} {agree} task by task: paired by id"
        return _paired(baseline, candidate, shared, [], BY_ID, note)._replace(prompts_differ=True)
    by_prompt = _by_prompt(baseline, candidate)
    if len(by_prompt.baseline) > len(same):
        return by_prompt
    return _paired(baseline, candidate, same, changed, BY_BOTH)


def _same_prompt(baseline: Panel, candidate: Panel, a: int, b: int) -> bool:
    """Whether two tasks have a prompt in common; one that shows none is taken at its id's word."""
    first, second = baseline.questions[a], candidate.questions[b]
    return not first or not second or bool(first & second)


def _vary(panel: Panel) -> bool:
    """Whether the prompts of a task differ between its repeats."""
    repeated = panel.owed > 1
    several = np.array([len(questions) > 1 for questions in panel.questions], dtype=bool)
    return bool(repeated.any()) and bool((several & repeated).sum() > _MANY * repeated.sum())


def _telling_fields(store: "Store", baseline: Panel, candidate: Panel, tasks: int) -> list[str]:
    parameters = {"baseline": baseline.run, "candidate": candidate.run, "tasks": tasks, "nearly_all": _NEARLY_ALL}
    return [name for (name,) in store.connection.execute(_TELLING_FIELDS, parameters).fetchall()]


def _by_prompt(baseline: Panel, candidate: Panel) -> Pairing:
    """Tasks with a prompt that stands once in each run."""
    first, second = _unique_prompts(baseline), _unique_prompts(candidate)
    pairs = sorted((a, second[prompt]) for prompt, a in first.items() if prompt in second)
    note = "the runs number their tasks differently: paired by prompts that occur once in each" if pairs else ""
    return _paired(baseline, candidate, pairs, [], BY_PROMPT, note)


def _unique_prompts(panel: Panel) -> dict[str, int]:
    found: dict[str, list[int]] = {}
    for task, questions in enumerate(panel.questions):
        if len(questions) == 1:
            found.setdefault(next(iter(questions)), []).append(task)
    return {prompt: tasks[0] for prompt, tasks in found.items() if len(tasks) == 1}


def _paired(
    baseline: Panel, candidate: Panel, pairs: list[tuple[int, int]], changed: list[str], by: str, note: str = ""
) -> Pairing:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    used, taken, other = set(first), set(second), set(changed)
    return Pairing(
        first,
        second,
        changed,
        [task for number, task in enumerate(baseline.tasks) if number not in used and task not in other],
        [task for number, task in enumerate(candidate.tasks) if number not in taken and task not in other],
        by,
        note,
    )
