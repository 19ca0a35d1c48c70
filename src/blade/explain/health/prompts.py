"""Prompts that are not what they seem: the same task twice, or another task under the same id."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from blade.explain.cases import Cases
from blade.explain.health.registry import Subject, check, named, tasks
from blade.explain.records import Finding
from blade.explain.values import normal
from blade.measure.panel import Panel
from blade.numbers import counted

MOST_ALIKE: Final = 0.6
"""Share of tasks with a prompt of another task, from which on prompts are taken not to be what tells tasks apart."""

LARGEST_GROUP: Final = 0.2
"""The same for the tasks of one prompt; groups up to `SMALL_GROUP` are looked at all the same."""

SMALL_GROUP: Final = 4
ONE_FOR_EACH: Final = 0.95
LONGEST_ID: Final = 80

_SETS_THE_SCENE: Final = re.compile(
    r"seed|state|scenario|world|env(?:ironment)?(?:[_.]|$)|database|(?:^|[_.])db|context|image|audio|video|document|file|board|grid|config"
    r"|instruction|persona|profile|history|attachment|repo|commit|snapshot",
    re.IGNORECASE,
)
"""Names of fields that may be part of what a task asks, though no prompt shows it."""

_EXPECTED: Final = re.compile(
    r"expect|gold|ground_?truth|answer_?key|reference|target|(?:correct|true|right)_?(?:answer|label|option|choice)|(?:^|[_.])(?:ref|gt)(?:[_.]|$)",
    re.IGNORECASE,
)
"""Names of fields that say what a task expects."""

LONGEST_ANSWER: Final = 400
"""Characters of an expectation that may contradict another; longer ones are one of many ways to the goal."""

_ACTED: Final = """
SELECT DISTINCT task FROM (
    SELECT run, task FROM actions
    UNION ALL SELECT run, task FROM steps WHERE kind = 'message' AND actor IN ('user', 'environment')
) WHERE run = $run AND task IN (SELECT unnest($tasks))
"""
"""Tasks in which something was done to a world, or somebody else had a say: their prompts do not hold all they ask."""

_PROPERTIES: Final = """
WITH told AS (
    SELECT task, name, coalesce(hash, field_text(kind, text, number)) AS value, 'row' AS origin FROM fields
    WHERE run = $run AND standing = 'row' AND kind <> 'null'
    UNION ALL
    SELECT task, name, coalesce(hash, field_text(kind, text, number)), 'input' FROM input_fields
    WHERE run = $run AND kind <> 'null'
),
known AS (SELECT task, name, origin, min(value) AS value, max(value) AS other, count(*) AS rows FROM told GROUP BY ALL),
constant AS (
    SELECT name, origin, count(DISTINCT value) AS many, count(*) AS tasks, max(rows) > 1 AS repeated FROM known
    GROUP BY ALL
    HAVING count(*) FILTER (value = other) >= $constant * count(*)
)
SELECT name, task, value, many >= $unique * tasks AS names_tasks, origin = 'input' OR repeated AS given FROM known
JOIN constant USING (name, origin)
WHERE task IN (SELECT unnest($tasks))
"""
"""Of the fields that have one value for each task: the values, and whether they name the tasks."""


_DUPLICATE_ROWS: Final = """
SELECT run, task, ref FROM rollouts WHERE standing = 'duplicate' AND run IN (SELECT unnest($runs))
ORDER BY run, file, row
"""


@check("duplicates")
def duplicates(subject: Subject) -> Iterator[Finding]:
    """Rows of one rollout that stand there twice, and tasks of one run that ask the same under different ids."""
    yield from _twice(subject)
    yield from _same_tasks(subject)


def _twice(subject: Subject) -> Iterator[Finding]:
    runs = subject.cases.runs
    rows = subject.cases.store.connection.execute(_DUPLICATE_ROWS, {"runs": runs}).fetchall()
    for run in runs:
        own = [(task, ref) for name, task, ref in rows if name == run]
        if own:
            names = list(dict.fromkeys(task for task, _ in own))
            yield Finding(
                kind="duplicates",
                title=f"{run} has {counted(len(own), 'row')} for rollouts that have one already",
                why=f"They are of {tasks(len(names))} and counted once: the first row of a task and repeat stands.",
                tasks=names,
                refs=[ref for _, ref in own],
                run=run,
            )


def _same_tasks(subject: Subject) -> Iterator[Finding]:
    """Tasks of one run that ask the same under different ids."""
    seen: set[tuple[str, ...]] = set()
    found: list[_Twins] = []
    for panel in subject.cases.panels:
        for twins in _twins_of(subject.cases, panel):
            if twins.tasks not in seen:
                seen.add(twins.tasks)
                found.append(twins)
    for contradict in (False, True):
        group = [twins for twins in found if bool(twins.expected) == contradict]
        if group:
            yield _duplicated(subject, group, contradict=contradict)


class _Twins(NamedTuple):
    """Tasks of one run that ask the same."""

    run: str
    tasks: tuple[str, ...]
    expected: tuple[str, ...]
    """What they expect, where they do not expect the same."""


def _duplicated(subject: Subject, group: list[_Twins], *, contradict: bool) -> Finding:
    names = list(dict.fromkeys(name for twins in group for name in twins.tasks))
    told = [" and ".join(twins.tasks[:3]) for twins in group[:3]]
    if contradict:
        told = [
            f"{text} expect {' and '.join(f'“{value[:60]}”' for value in twins.expected[:2])}"
            for text, twins in zip(told, group, strict=False)
        ]
    cases, wanted = subject.cases, set(names)
    shown = [
        case
        for run, panel in enumerate(cases.panels)
        for case in range(*cases.of_run(run).indices(len(cases)))
        if panel.tasks[panel.task[case - cases.starts[run]]] in wanted
    ]
    what = "ask the same and expect something else" if contradict else "ask what another task asks"
    return Finding(
        kind="duplicates",
        title=f"{tasks(len(names))} {what}",
        why=f"Their prompts are the same to the letter, and nothing that the rows tell of them but their ids"
        f"{' and expectations' if contradict else ''} differs: {'; '.join(told)}.",
        tasks=names,
        refs=subject.refs(shown),
    )


def _twins_of(cases: Cases, panel: Panel) -> Iterator[_Twins]:
    by_prompt: dict[frozenset[str], list[int]] = defaultdict(list)
    for task, hashes in enumerate(panel.questions):
        if len(hashes) == 1:
            by_prompt[hashes].append(task)
    largest = max(SMALL_GROUP, int(LARGEST_GROUP * len(panel.tasks)))
    alike = [group for group in by_prompt.values() if len(group) > 1]
    if not alike or sum(map(len, alike)) > MOST_ALIKE * len(panel.tasks):
        return
    asked = [panel.tasks[task] for group in alike for task in group]
    properties = _properties(cases, panel.run, asked)
    query = cases.store.connection.execute(_ACTED, {"run": panel.run, "tasks": asked})
    acted = {task for (task,) in query.fetchall()}
    for group in (group for group in alike if len(group) <= largest):
        for twins in _same_scene(panel, [panel.tasks[task] for task in group], properties):
            if acted.isdisjoint(twins.tasks) or _expects_the_same([properties[task] for task in twins.tasks]):
                yield twins


def _properties(cases: Cases, run: str, asked: Sequence[str]) -> dict[str, dict[str, "_Property"]]:
    """Of each of some tasks its properties by the names of their fields."""
    parameters: dict[str, Any] = {"run": run, "tasks": list(asked), "constant": ONE_FOR_EACH, "unique": ONE_FOR_EACH}
    found: dict[str, dict[str, _Property]] = defaultdict(dict)
    for name, task, value, names_tasks, given in cases.store.connection.execute(_PROPERTIES, parameters).fetchall():
        if given or not found[task].get(name):
            found[task][name] = _Property(value or "", names_tasks, given)
    return found


class _Property(NamedTuple):
    """What a field says of a task."""

    value: str
    names_tasks: bool
    """Whether (nearly) every task of the run has a value of its own."""
    given: bool
    """Whether it is known to be a property of the task rather than of its only rollout."""


def _same_scene(panel: Panel, names: list[str], properties: dict[str, dict[str, _Property]]) -> Iterator[_Twins]:
    """Groups of tasks with one prompt that differ in nothing but their ids and expectations."""
    groups: dict[tuple[tuple[str, str], ...], list[str]] = defaultdict(list)
    for name in names:
        scene = [(field, each.value) for field, each in sorted(properties[name].items()) if _is_scene(field, each)]
        groups[tuple(scene)].append(name)
    for group in groups.values():
        if len(group) > 1:
            yield _Twins(panel.run, tuple(group), _contradiction([properties[name] for name in group]))


def _expects_the_same(group: list[dict[str, _Property]]) -> bool:
    """Whether tasks are known to expect one and the same."""
    known = [field for field in set.intersection(*(set(each) for each in group)) if _EXPECTED.search(field)]
    return bool(known) and all(len({each[field].value for each in group}) == 1 for field in known)


def _is_scene(field: str, each: _Property) -> bool:
    """Whether a field may be part of what is asked: no id, no expectation, nothing that a rollout brought about."""
    if _EXPECTED.search(field):
        return False
    if _SETS_THE_SCENE.search(field):
        return True
    is_id = each.names_tasks and len(each.value) <= LONGEST_ID and not re.search(r"\s", each.value)
    return each.given and not is_id


def _contradiction(group: list[dict[str, _Property]]) -> tuple[str, ...]:
    """What tasks expect, where it differs between them."""
    for field in sorted(set.intersection(*(set(each) for each in group))):
        if _EXPECTED.search(field) and all(len(each[field].value) <= LONGEST_ANSWER for each in group):
            values = {normal(each[field].value): each[field].value for each in group}
            if len(values) > 1:
                return tuple(values.values())
    return ()


@check("changed prompt")
def changed(subject: Subject) -> Iterator[Finding]:
    """Tasks that ask something else in another run, or in another repeat of the same run."""
    cases = subject.cases
    for run, pairing in enumerate(cases.pairings, 1):
        if pairing.changed:
            yield _changed(subject, run, pairing.changed, against=0)
    for run, panel in enumerate(cases.panels):
        repeated = [task for task in range(len(panel.tasks)) if panel.owed[task] > 1]
        several = [panel.tasks[task] for task in repeated if len(panel.questions[task]) > 1]
        # Where many do, prompts vary by design: the first words of a simulated user, a date.
        if several and len(several) <= LARGEST_GROUP * len(repeated):
            yield _changed(subject, run, several, against=None)


def _changed(subject: Subject, run: int, names: list[str], against: int | None) -> Finding:
    cases, panel = subject.cases, subject.cases.panels[run]
    wanted = {place for place, name in enumerate(panel.tasks) if name in set(names)}
    span = cases.of_run(run)
    shown = [case for case in range(span.start, span.stop) if int(panel.task[case - span.start]) in wanted]
    if against is None:
        where, why = "another repeat", f"Repeats of one task in {panel.run} have different prompts"
    else:
        other = cases.panels[against].run
        where, why = "another run", f"{other} and {panel.run} have the same ids with different prompts; not compared"
    return Finding(
        kind="changed prompt",
        title=f"{tasks(len(names))} of {panel.run} {'asks' if len(names) == 1 else 'ask'} something else in {where}",
        why=f"{why}: {named(names)}.",
        tasks=names,
        refs=subject.refs(shown),
        run=panel.run,
    )
