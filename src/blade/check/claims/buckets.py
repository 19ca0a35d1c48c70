"""Claims that named tasks always, sometimes or never pass."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Final

from blade.check.claims.claim import Claim, Judged, contradicted, not_checkable, supported
from blade.check.claims.mentions import runs
from blade.check.claims.scene import Label, Row, Scene, Sentence
from blade.check.claims.tasks import known_task, task_of_row
from blade.check.claims.truth import Truth
from blade.check.text.names import TASK, Name
from blade.check.text.said import Said
from blade.check.text.tokens import MARK, Token

KIND: Final = "bucket"

_PASSING: Final = frozenset(["pass", "passes", "passed", "passing", "solved", "solves", "succeed", "succeeds"])
_FAILING: Final = frozenset(["fail", "fails", "failed", "failing"])
_BUCKET_WORDS: Final = frozenset(["always", "sometimes", "never"])
_REACH: Final = 3


def find(scene: Scene) -> Iterator[Judged]:
    """Sentences, rows and headings that put a task into a bucket."""
    if not scene.truth.tasks:
        return
    for sentence in scene.sentences:
        yield from _in_sentence(sentence, scene.truth)
    yield from _under_headings(scene)
    for row in scene.rows:
        yield from _in_row(row, scene.truth)


def _in_sentence(sentence: Sentence, truth: Truth) -> Iterator[Judged]:
    """`Task 10 never passes`, `Never-pass tasks: 3, 7 and 12`."""
    found = list(_buckets(sentence.said.tokens))
    tasks = [name for name in sentence.said.named if name.kind == TASK]
    if len({bucket for bucket, _ in found}) != 1 or not tasks or _is_divided(sentence.said):
        return
    bucket, place = found[0]
    told = _runs_of_clause(sentence, place) or runs(sentence.mentions) or _above(sentence.above)
    for name in tasks:
        if _is_subject(name, place, sentence.said):
            yield _judge(name.key, bucket, told, truth, sentence.text, sentence.line)


def _runs_of_clause(sentence: Sentence, place: int) -> list[str]:
    """The runs that are named in the same clause as a bucket, where several are named in all."""
    ends = [at for at, token in enumerate(sentence.said.tokens) if token.text in ",;" or token.word in _TURNS]
    begin = max((at for at in ends if at < place), default=0)
    end = min((at for at in ends if at > place), default=len(sentence.said.tokens))
    return runs(each for each in sentence.mentions if begin <= each.first < end)


_TURNS: Final = frozenset(["but", "while", "whereas", "although"])


def _buckets(tokens: Sequence[Token]) -> Iterator[tuple[str, int]]:
    """Buckets that the words tell, with the places: `never passes`, `always fails`, `passes sometimes`."""
    for place, token in enumerate(tokens):
        if token.word not in _BUCKET_WORDS:
            continue
        near = [each.word for each in tokens[max(0, place - 1) : place + 1 + _REACH] if each.kind != MARK]
        if set(near) & _PASSING:
            yield token.word, place
        elif set(near) & _FAILING and token.word == "always":
            yield "never", place
    yield from _every_time(tokens)


def _every_time(tokens: Sequence[Token]) -> Iterator[tuple[str, int]]:
    """`fails every time`, `passes in all four attempts`."""
    words = [token.word for token in tokens]
    for place, (word, after) in enumerate(itertools.pairwise(words)):
        if word == "every" and after in ("time", "attempt", "rollout", "repeat") and place:
            before = set(words[max(0, place - 2) : place])
            if before & _PASSING:
                yield "always", place
            elif before & _FAILING:
                yield "never", place


def _is_divided(said: Said) -> bool:
    """Whether a sentence says different things of different tasks."""
    words = set(said.words)
    if words & {"except", "unlike", "if", "would"}:
        return True
    tasks = {name.key for name in said.named if name.kind == TASK}
    return len(tasks) > 1 and bool(words & {"but", "while", "whereas", "although", "only"})


def _is_subject(name: Name, place: int, said: Said) -> bool:
    """Whether the task stands where the bucket can be said of it: in the same clause, or in a list behind."""
    at = next((number for number, token in enumerate(said.tokens) if token.start >= name.start), 0)
    between = said.tokens[min(at, place) : max(at, place)]
    return not any(token.text in ";(" for token in between)


def _above(above: Sequence[Label]) -> list[str]:
    return next((found for label in above if (found := runs(label.mentions))), [])


def _judge(task: str, bucket: str, told: Sequence[str], truth: Truth, text: str, line: int) -> Judged:
    claim = Claim(KIND, text[:300], line, f"task {task}", bucket)
    own = known_task(task, truth)
    if own is None:
        return not_checkable(claim, f"no task {task} is known")
    found = {run: truth.tasks[run, own] for run in told or truth.run_names if (run, own) in truth.tasks}
    if not found:
        return not_checkable(claim, f"no run that is named has a task {task}")
    if any(one.bucket == bucket for one in found.values()):
        return supported(claim, "outcomes of the rollouts")
    shown = "; ".join(f"{run}: {one.bucket} ({one.passed} of {one.measured})" for run, one in found.items())
    return contradicted(claim, shown, "outcomes of the rollouts")


def _under_headings(scene: Scene) -> Iterator[Judged]:
    """Tasks with a heading of their own in a section about a bucket."""
    section = ""
    for heading in scene.report.headings:
        said = scene.label(heading.text)
        if heading.level == 2:
            section = _bucket_of_heading(heading.text)
            continue
        tasks = list(dict.fromkeys(name.key for name in said.said.named if name.kind == TASK))
        if section and len(tasks) == 1 and known_task(tasks[0], scene.truth):
            yield _judge(tasks[0], section, runs(said.mentions), scene.truth, heading.text, heading.line)


def _bucket_of_heading(text: str) -> str:
    words = text.lower().replace("-", " ").split()
    found = [word for word in words if word in _BUCKET_WORDS]
    return found[0] if len(found) == 1 and set(words) & (_PASSING | {"pass"}) else ""


def _in_row(row: Row, truth: Truth) -> Iterator[Judged]:
    """A task's row with a column for the bucket, or a bucket's row with a column of tasks."""
    task = task_of_row(row)
    over = _above(row.above)
    if task is not None:
        for header, value in row.cells[1:]:
            word = value.said.inline.text.strip().lower().removesuffix("-pass").removesuffix(" pass")
            if word in _BUCKET_WORDS and _is_bucket_header(header):
                told = runs(header.mentions) or over
                yield _judge(task, word, told, truth, f"{task}: {value.said.inline.text}", row.line)
        return
    bucket = _bucket_of_label(row)
    if bucket:
        yield from _listed(row, bucket, over, truth)


def _is_bucket_header(header: Label) -> bool:
    words = set(header.said.words)
    return bool(words & {"bucket", "outcome", "class", "status", "group"}) or bool(runs(header.mentions))


def _bucket_of_label(row: Row) -> str:
    if not row.cells:
        return ""
    text = row.cells[0][1].said.inline.text.lower().replace("-", " ").split()
    found = [word for word in text if word in _BUCKET_WORDS]
    return found[0] if len(found) == 1 and len(text) <= 3 else ""


def _listed(row: Row, bucket: str, over: Sequence[str], truth: Truth) -> Iterator[Judged]:
    for header, value in row.cells[1:]:
        words = set(header.said.words)
        ids = [part.strip(" `") for part in value.said.inline.text.split(",")]
        if (
            not words & {"tasks", "ids", "task"}
            or len(ids) < 2
            or not all(known_task(each.lower(), truth) for each in ids)
        ):
            continue
        for each in ids:
            yield _judge(each.lower(), bucket, runs(header.mentions) or over, truth, value.said.inline.text, row.line)
