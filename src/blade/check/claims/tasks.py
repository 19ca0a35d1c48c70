"""Claims about single tasks: that they exist, how often they pass, why they fail."""

from collections.abc import Iterable, Iterator
from typing import Final

from blade.check.claims.claim import Claim, Judged, contradicted, not_checkable, supported
from blade.check.claims.mentions import runs
from blade.check.claims.scene import Label, Row, Scene, Sentence
from blade.check.claims.truth import Task, Truth
from blade.check.text.agreeing import agrees
from blade.check.text.figures import COUNT, OF, PERCENT, Figure
from blade.check.text.names import REFERENCE, TASK, key_of
from blade.check.text.said import Said, causes
from blade.vocabulary import CAUSES

KIND: Final = "task"

_HEADERS: Final = frozenset(
    ["task", "task id", "task_id", "task index", "task_index", "problem", "problem id", "question"]
)
_MOST_REPEATS: Final = 512


def find(scene: Scene) -> Iterator[Judged]:
    """Tasks that are named, and what is said of them."""
    if not scene.truth.tasks:
        return
    for sentence in scene.sentences:
        yield from _named(sentence, scene.truth)
        yield from _in_sentence(sentence, scene.truth)
    for row in scene.rows:
        yield from _in_row(row, scene.truth)


def _named(sentence: Sentence, truth: Truth) -> Iterator[Judged]:
    """Whether there is a task of that id; ids within refs are judged with their refs."""
    refs = [(name.start, name.end) for name in sentence.said.named if name.kind == REFERENCE]
    for name in sentence.said.named:
        if name.kind == TASK and not any(begin <= name.start < end for begin, end in refs):
            yield _exists(name.key, truth, sentence.text, sentence.line)


def _exists(task: str, truth: Truth, text: str, line: int) -> Judged:
    claim = Claim(KIND, text, line, f"task {task}", "exists")
    found = known_task(task, truth)
    if found is not None:
        return supported(claim, "tasks of the runs")
    if not all(each.isdigit() for each in truth.task_ids) or not task.isdigit():
        return not_checkable(claim, "the tasks have ids of another kind")
    ids = sorted(map(int, truth.task_ids))
    return contradicted(
        claim, f"no such task; there are {len(ids)} between {ids[0]} and {ids[-1]}", "tasks of the runs"
    )


def known_task(task: str, truth: Truth) -> str | None:
    """The task's own id, where there is such a task."""
    if task in truth.task_ids:
        return task
    wanted = key_of(task)
    return next((each for each in truth.task_ids if key_of(each) == wanted), None)


def _in_sentence(sentence: Sentence, truth: Truth) -> Iterator[Judged]:
    """`Task 10 passes 2 of 4`, `Task 10 (2/4)`; the task may stand in the heading."""
    task = _one_task(sentence.said)
    if task is None and not _any_task(sentence.said):
        task = next((each for label in sentence.above[:2] if (each := _one_task(label.said))), None)
    own = known_task(task, truth) if task else None
    if own is None:
        return
    told = [(value, figure) for value, _, figure in sentence.said.passes if _is_outcome(figure, sentence)]
    for value, figure in told:
        near = _runs_near(sentence, figure)
        yield _outcome(own, value, figure, near, truth, sentence.text, sentence.line)
    if not sentence.said.figures:
        yield from _became(own, sentence, truth)
    if sentence.said.named and len(told) < 2 and _states_cause(sentence.said):
        yield from _cause(own, causes(sentence.said), runs(sentence.mentions), truth, sentence.text, sentence.line)


def _became(task: str, sentence: Sentence, truth: Truth) -> Iterator[Judged]:
    """`Task 3 fails in A`, `task 3 is passed by A but not by B`: false where every rollout does the opposite."""
    told = [each for each in sentence.said.directions if each.axis == "outcome"]
    words = set(sentence.said.words)
    if len(told) != 1 or words & _NOT_ALL or _one_task(sentence.said) is None:
        return
    named = [each for each in sentence.mentions if each.kind == "run"]
    place = told[0].place
    for each in named:
        near = sentence.said.tokens[min(place, each.first) : max(place, each.first)]
        if len(near) > _NEAR or any(token.text in ",;" for token in near):
            continue
        between = {token.word for token in near}
        sign = -told[0].sign if {"not", "but"} <= between else told[0].sign
        yield from _all_did(task, each.key, sign, sentence.text, sentence.line, truth)


_NEAR: Final = 10
_NOT_ALL: Final = frozenset(
    [
        *("sometimes", "often", "mostly", "once", "twice", "partly", "times", "than", "more", "less", "if", "would"),
        *("some", "rollout", "rollouts", "attempt", "attempts", "why", "when", "rate", "most", "half", "to"),
    ]
)


def _all_did(task: str, run: str, sign: int, text: str, line: int, truth: Truth) -> Iterator[Judged]:
    found = truth.tasks.get((run, task))
    if found is None or not found.measured:
        return
    claim = Claim(KIND, text, line, f"task {task}, {run}", "passes" if sign > 0 else "fails")
    if found.passed == (found.measured if sign > 0 else 0):
        yield supported(claim, "outcomes of the rollouts")
    elif found.passed == (0 if sign > 0 else found.measured):
        yield contradicted(claim, f"{run}: {found.passed} of {found.measured}", "outcomes of the rollouts")


def _is_outcome(figure: Figure, sentence: Sentence) -> bool:
    """Whether a figure counts rollouts of the task: `2/4`, or so many that pass or fail."""
    if figure.kind != OF or not figure.of or figure.of > _MOST_REPEATS or (figure.spelled and figure.of == 2):
        return False
    axes = [each for each in sentence.said.directions if each.axis == "outcome"]
    return figure.after == figure.place + 1 or bool(axes)


def _states_cause(said: Said) -> bool:
    """Whether a label such as KG stands there as a label."""
    return any(token.text in CAUSES and token.text.isupper() for token in said.tokens)


def _one_task(said: Said) -> str | None:
    tasks = _any_task(said)
    return tasks[0] if len(tasks) == 1 else None


def _any_task(said: Said) -> list[str]:
    return list(dict.fromkeys(name.key for name in said.named if name.kind == TASK))


def _runs_near(sentence: Sentence, figure: Figure) -> list[str]:
    """The runs that a figure may speak of: one right behind it, else those of the sentence, else of a heading."""
    mentions = [each for each in sentence.mentions if each.kind == "run"]
    tokens = sentence.said.tokens
    if beside := [each for each in mentions if 0 <= figure.place - each.after <= 1]:
        between = tokens[beside[-1].after].word if beside[-1].after < figure.place else ""
        if between not in _TURNS:
            return [beside[-1].key]
    behind = [each for each in mentions if figure.after <= each.first <= figure.after + 4]
    if behind and not any(token.text in ",;" for token in tokens[figure.after : behind[0].first]):
        return [behind[0].key]
    before = [each for each in mentions if each.first < figure.place]
    if before and len(set(runs(mentions))) > 1:
        return list(dict.fromkeys([before[-1].key]))
    return runs(mentions) or next((found for label in sentence.above if (found := runs(label.mentions))), [])


_TURNS: Final = frozenset(["to", "and", "but", "or", ",", ";", "→"])
"""Words behind which another run begins: `from 4/4 on A to 1/4 on B`."""


def _outcome(
    task: str, passed: float, figure: Figure, named: Iterable[str], truth: Truth, text: str, line: int
) -> Judged:
    claim = Claim(KIND, text, line, f"task {task}", f"{passed:g} of {figure.of:g} passed")
    told = list(named) or truth.run_names
    found = {run: truth.tasks[run, task] for run in told if (run, task) in truth.tasks}
    if absent := [run for run in told if run not in truth.run_names]:
        return not_checkable(claim, f"run {absent[0]} was not given")
    if not found:
        return not_checkable(claim, f"{', '.join(told)} has no task {task}")
    if any(_is(one, passed, figure.of) for one in found.values()):
        return supported(claim, "outcomes of the rollouts")
    if not any(one.measured == figure.of for one in found.values()) and figure.of not in _repeats(truth):
        return not_checkable(claim, "it may count something else than rollouts of the task")
    shown = "; ".join(f"{run}: {one.passed} of {one.measured}" for run, one in found.items())
    return contradicted(claim, shown, "outcomes of the rollouts")


def _is(task: Task, passed: float, of: float | None) -> bool:
    return task.measured == of and task.passed == passed


def _repeats(truth: Truth) -> set[int]:
    return {task.measured for task in truth.tasks.values()}


def _cause(task: str, said: Iterable[str], named: list[str], truth: Truth, text: str, line: int) -> Iterator[Judged]:
    told = set(said)
    claim = Claim(KIND, text, line, f"task {task}", f"cause {', '.join(sorted(told))}")
    found = {run: truth.tasks[run, task].causes for run in named or truth.run_names if (run, task) in truth.tasks}
    own = frozenset().union(*found.values()) if found else frozenset()
    if own & told:
        yield supported(claim, "labels of the task")
    elif own - {"unknown"}:
        # A cause is a judgement: the data say which labels the engine gave, not which are possible.
        yield not_checkable(claim, f"the engine says {', '.join(sorted(own))}; a cause is a judgement")


def _in_row(row: Row, truth: Truth) -> Iterator[Judged]:
    task = task_of_row(row)
    if task is None:
        return
    label = f"task {task}"
    yield _exists(task, truth, row.passage.text.text[:300], row.line)
    own = known_task(task, truth)
    if own is None:
        return
    over = next((found for each in row.above if (found := runs(each.mentions))), [])
    across = [run for _, value in row.cells for run in runs(value.mentions) if not value.said.figures]
    for header, value in row.cells:
        if header.said.inline.text.strip().lower() in _HEADERS:
            continue
        told = runs(header.mentions) or runs(value.mentions) or across or over
        yield from _cell(own, header, value, told, truth, label, row.line)


def task_of_row(row: Row) -> str | None:
    """The task that a row is about."""
    if not row.cells:
        return None
    columns = [cell for cell in row.cells if cell[0].said.inline.text.strip().lower() in _HEADERS]
    header, value = columns[0] if len(columns) == 1 else row.cells[0]
    if header.said.inline.text.strip().lower() in _HEADERS:
        text = value.said.inline.text.strip()
        named = _any_task(value.said)
        return named[0] if len(named) == 1 else text.lower() if text and len(text) < 80 else None
    named = _any_task(value.said)
    return named[0] if len(named) == 1 and len(value.said.words) <= 4 else None


def _cell(
    task: str, header: Label, value: Label, told: list[str], truth: Truth, label: str, line: int
) -> Iterator[Judged]:
    figures = [figure for figure in value.said.figures if not figure.bound]
    text = f"{label}: {header.said.inline.text}: {value.said.inline.text}"
    head = key_of(header.said.inline.text)
    word = value.said.inline.text.strip().lower()
    if word in _VERDICTS and len(told) == 1:
        yield from _all_did(task, told[0], _VERDICTS[word], text, line, truth)
    if len(figures) == 1 and figures[0].kind == OF and (figures[0].of or 0) <= _MOST_REPEATS:
        passed = figures[0].value
        if any(each.axis == "outcome" and each.sign < 0 for each in header.said.directions):
            passed = (figures[0].of or 0) - passed
        yield _outcome(task, passed, figures[0], told, truth, text, line)
    elif len(figures) == 1 and head in _PASS_RATES:
        yield _rate(task, figures[0], told, truth, text, line)
    elif len(figures) == 1 and head in _PASSED and figures[0].kind == COUNT:
        yield _passed(task, figures[0], told, truth, text, line)


_VERDICTS: Final = {"pass": 1, "passed": 1, "passes": 1, "fail": -1, "failed": -1, "fails": -1, "✓": 1, "✗": -1}
_PASS_RATES: Final = frozenset(["pass rate", "pass 1", "success rate", "accuracy", "mean reward", "mean score"])
_PASSED: Final = frozenset(["passed", "passes", "passing rollouts"])


def _rate(task: str, figure: Figure, told: list[str], truth: Truth, text: str, line: int) -> Judged:
    claim = Claim(KIND, text, line, f"task {task}", f"pass rate {figure.value:g}")
    found = _tasks(task, told, truth)
    scale = 100 if figure.kind == PERCENT or figure.value > 1 else 1
    rates = [scale * one.passed / one.measured for one in found if one.measured]
    if any(agrees(figure, rate) for rate in rates):
        return supported(claim, "outcomes of the rollouts")
    if len(rates) != 1:
        return not_checkable(claim, "it is not told of which run")
    return contradicted(claim, f"{rates[0]:g}", "outcomes of the rollouts")


def _passed(task: str, figure: Figure, told: list[str], truth: Truth, text: str, line: int) -> Judged:
    claim = Claim(KIND, text, line, f"task {task}", f"{figure.value:g} passed")
    found = _tasks(task, told, truth)
    if any(agrees(figure, one.passed) for one in found):
        return supported(claim, "outcomes of the rollouts")
    if len(found) != 1:
        return not_checkable(claim, "it is not told of which run")
    return contradicted(claim, f"{found[0].passed} of {found[0].measured}", "outcomes of the rollouts")


def _tasks(task: str, told: list[str], truth: Truth) -> list[Task]:
    return [truth.tasks[run, task] for run in told or truth.run_names if (run, task) in truth.tasks]
