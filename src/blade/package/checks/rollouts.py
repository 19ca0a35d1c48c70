"""D2: at least two scored runs that can be compared, row by row as they should be."""

from collections.abc import Iterator
from itertools import combinations

from blade.package.findings import FAIL, PASS, ROLLOUTS, SKIP, Finding, check
from blade.package.rows import FileRows, listed
from blade.package.subject import Subject

FEWEST_RUNS = 2
_LEAST_COMMON = 0.8
"""The share of all tasks that two runs must have in common to be called runs of the same tasks."""

_LEAST_SAME = 0.9
"""The share of common tasks that must ask the same in both."""


def _found(holds: bool, name: str, detail: str = "", fix: str = "", file: str = "") -> Finding:
    return Finding(PASS if holds else FAIL, ROLLOUTS, name, detail, "" if holds else fix, file)


@check(ROLLOUTS, 10)
def scored_files(subject: Subject) -> Iterator[Finding]:
    """At least two runs have rows with rewards."""
    name = "At least two scored rollout files"
    rows = subject.rows
    scored = [run for run, each in rows.items() if each.scored]
    fix = "put the rollouts of two or more runs of the same tasks into rollouts/*.jsonl, each row with a reward"
    if not rows:
        yield _found(False, name, "neither rollouts/*.jsonl nor data/*rollout*.jsonl holds a rollouts file", fix)
        return
    without = [f"{run} ({_why_unscored(each)})" for run, each in rows.items() if not each.scored]
    told = f"{len(scored)} scored: {listed(scored)}" if scored else "none is scored"
    told += f"; not scored: {listed(without)}" if without else ""
    yield _found(len(scored) >= FEWEST_RUNS, name, told, fix)


def _why_unscored(found: FileRows) -> str:
    if found.trouble:
        return found.trouble
    if not found.rows:
        return "no row can be read"
    return found.rewards_of_other_kind[0].why if found.rewards_of_other_kind else "no row has a reward"


@check(ROLLOUTS, 20)
def readable_rows(subject: Subject) -> Iterator[Finding]:
    """Every line is a row."""
    for run, each in subject.rows.items():
        bad = [f"line {one.line}: {one.why}" for one in each.bad]
        told = each.trouble or (listed(bad) if bad else f"{each.rows:,} rows")
        fix = "replace a file that cannot be read; write each rollout as one JSON object on a line of its own"
        yield _found(not bad and not each.trouble, "every line is a rollout", told, fix, run)


@check(ROLLOUTS, 30)
def rewards(subject: Subject) -> Iterator[Finding]:
    """Every row has a reward that is a number."""
    for run, each in subject.rows.items():
        if not each.rows:
            continue
        other = [f"line {one.line}: {one.why}" for one in each.rewards_of_other_kind]
        unscored = each.rows - each.scored - len(other)
        told = f"{each.scored:,} of {each.rows:,} rows have a reward, {each.passed:,} of them 1 or more"
        told += f"; no number: {listed(other)}" if other else ""
        told += f"; {unscored:,} without one count as not measured" if unscored and each.scored else ""
        fix = "write the verifier's reward as a number; leave rows that were not measured without one"
        yield _found(each.scored > 0 and not other, "rewards are numbers", told, fix, run)


@check(ROLLOUTS, 40)
def task_ids(subject: Subject) -> Iterator[Finding]:
    """Every row names its task."""
    for run, each in subject.rows.items():
        if not each.rows:
            continue
        lines = each.without_task
        fields = ", ".join(name for name, _ in each.task_fields.most_common(3))
        told = f"{len(each.tasks):,} tasks by {fields}" if fields else ""
        if lines:
            told = f"{len(lines):,} of {each.rows:,} rows name no task (line {listed(lines)})"
        fix = (
            "give every row `_ng_task_index` or a `task_id`, or name your own field in profile.toml: [tasks] id_fields"
        )
        yield _found(not lines, "task id field present", told, fix, run)


@check(ROLLOUTS, 50)
def repeats(subject: Subject) -> Iterator[Finding]:
    """Repeats of a task can be told apart."""
    for run, each in subject.rows.items():
        repeated = [task for task, rows in each.tasks.items() if rows > 1]
        if each.copies:
            copies = [f"task {task} repeat {repeat}" for task, repeat in each.copies]
            fix = "write every rollout once; give each repeat of a task its own index"
            yield _found(False, "repeat ids tell repeats apart", f"stand twice: {listed(copies)}", fix, run)
        elif repeated and each.with_repeat < each.rows:
            told = f"{len(repeated):,} tasks have several rows, {each.rows - each.with_repeat:,} rows name no repeat"
            fix = "give every row `_ng_rollout_index`, counted from 0 within its task"
            yield _found(False, "repeat ids tell repeats apart", told, fix, run)
        elif each.rows:
            told = f"by {each.repeat_field}" if each.repeat_field else "every task has one row"
            yield _found(True, "repeat ids tell repeats apart", told, file=run)


@check(ROLLOUTS, 60)
def comparable(subject: Subject) -> Iterator[Finding]:
    """The runs are different runs of the same tasks."""
    name = "runs are comparable"
    scored = {run: each for run, each in subject.rows.items() if each.scored}
    if len(scored) < FEWEST_RUNS:
        yield Finding(SKIP, ROLLOUTS, name, "there are no two scored runs to compare")
        return
    problems: list[str] = []
    told: list[str] = []
    for (one, first), (other, second) in combinations(scored.items(), 2):
        problem, said = _compared(one, first, other, second)
        (problems if problem else told).append(problem or said)
    fix = "evaluate the same tasks, with the same prompts and ids, in every run; keep one file for each run"
    yield _found(not problems, name, listed(problems or told), fix)


def _compared(one: str, first: FileRows, other: str, second: FileRows) -> tuple[str, str]:
    """What keeps two runs from being compared, or what they have in common."""
    pair = f"{one} and {other}"
    if first.digest == second.digest:
        return f"{pair} are the same file twice", ""
    common = first.tasks.keys() & second.tasks.keys()
    every = first.tasks.keys() | second.tasks.keys()
    if len(common) < _LEAST_COMMON * len(every):
        return f"{pair} have {len(common):,} of {len(every):,} tasks in common", ""
    asked = [task for task in common if first.prompts.get(task) and second.prompts.get(task)]
    same = sum(first.prompts[task] == second.prompts[task] for task in asked)
    if same < _LEAST_SAME * len(asked):
        return f"{pair} ask something else in {len(asked) - same:,} of {len(asked):,} common tasks", ""
    told = f"{len(common):,} common tasks" + ("" if common == every else f" of {len(every):,}")
    return "", f"{pair}: {told}"
