"""Claims about rollouts: that a ref points to something, and what is said to have become of it."""

from collections.abc import Collection, Iterator
from typing import Final

from blade.check.claims.claim import Claim, Judged, contradicted, not_checkable, supported
from blade.check.claims.mentions import RUN, parts, runs
from blade.check.claims.scene import Label, Row, Scene, Sentence
from blade.check.claims.tasks import known_task, task_of_row
from blade.check.claims.truth import MODE, Truth
from blade.check.text.names import REFERENCE, ROLLOUT, TASK, THING, Name, key_of
from blade.check.text.said import Said
from blade.errors import RefError
from blade.ref import Ref

KIND: Final = "ref"

_NEAR: Final = 3
"""Tokens between a rollout and the word that says what became of it."""


def find(scene: Scene) -> Iterator[Judged]:
    """Refs, and rollouts that are named with their tasks."""
    if not scene.truth.rollouts:
        return
    for sentence in scene.sentences:
        yield from _in_text(sentence.said, sentence.text, sentence.line, scene)
        yield from _rollouts(sentence, scene.truth)
        yield from _of_mode(sentence, scene)
    for row in scene.rows:
        for _, value in row.cells:
            yield from _in_text(value.said, value.said.inline.text, row.line, scene)
        yield from _in_mode_row(row, scene)
        yield from _in_task_row(row, scene.truth)


def _in_text(said: Said, text: str, line: int, scene: Scene) -> Iterator[Judged]:
    for name in said.named:
        if name.kind == REFERENCE:
            yield _exists(name.key, text, line, scene.truth)
            yield from _became(said, name, name.key, text, line, scene.truth)


def _exists(text: str, said: str, line: int, truth: Truth) -> Judged:
    claim = Claim(KIND, said[:300], line, text, "exists")
    try:
        ref = Ref.parse(text)
    except RefError as error:
        return not_checkable(claim, str(error))
    if ref.run not in truth.run_names:
        return not_checkable(claim, f"run {ref.run} was not given")
    if (ref.run, ref.task, ref.rollout) not in truth.rollouts:
        return contradicted(claim, _what_there_is(ref, truth), "rollouts of the run")
    if ref.step is None or truth.texts is None:
        return supported(claim, "rollouts of the run")
    in_prompt = ref.step.startswith("i")
    steps = truth.texts.prompt(text) if in_prompt else truth.texts.steps(text)
    if steps is None:
        return not_checkable(claim, "its row cannot be read")
    number = int(ref.step.removeprefix("i"))
    if number >= len(steps):
        return contradicted(claim, f"it has {len(steps)} steps, counted from 0", "the rollout's row")
    return supported(claim, "the rollout's row")


def _what_there_is(ref: Ref, truth: Truth) -> str:
    rollouts = sorted(rollout for run, task, rollout in truth.rollouts if (run, task) == (ref.run, ref.task))
    if not rollouts:
        return f"{ref.run} has no task {ref.task}"
    return f"task {ref.task} of {ref.run} has the rollouts {', '.join(rollouts[:12])}"


def _became(said: Said, name: Name, ref: str, text: str, line: int, truth: Truth) -> Iterator[Judged]:
    """Whether a rollout passed or failed, where a word right beside it says so."""
    sign = _outcome_beside(said, name)
    if not sign:
        return
    parsed = _parsed(ref)
    found = truth.rollouts.get((parsed.run, parsed.task, parsed.rollout)) if parsed else None
    if found is None:
        return
    said_so = "passed" if sign > 0 else "failed"
    claim = Claim(KIND, text[:300], line, ref, said_so)
    if found == said_so or (found == "not measured" and sign < 0):
        yield supported(claim, "outcomes of the rollouts")
    else:
        yield contradicted(claim, found, "outcomes of the rollouts")


def _parsed(text: str) -> Ref | None:
    try:
        return Ref.parse(text)
    except RefError:
        return None


def _outcome_beside(said: Said, name: Name, skipped: Collection[int] = ()) -> int:
    """1 or −1 where a word such as `passing` stands right before a rollout, or `(failed)` right behind it."""
    places = [place for place, token in enumerate(said.tokens) if name.start <= token.start < name.end]
    if not places:
        return 0
    first, last = places[0], places[-1]
    for each in said.directions:
        if each.axis != "outcome":
            continue
        word = said.tokens[each.place].word
        between = [token.text for token in said.tokens[each.place + 1 : first]]
        if each.place < first and word.endswith(("ing", "ed")) and _only(between, _BEFORE):
            return each.sign
        behind = [
            token.text
            for at, token in enumerate(said.tokens[last + 1 : each.place], last + 1)
            if at not in skipped and not _is_named(token.start, said)
        ]
        if each.place > last and _only(behind, _BEHIND) and not _is_noun(said, each.place):
            return each.sign
    return 0


def _is_named(start: int, said: Said) -> bool:
    """Whether a token belongs to the name of a task or of anything else."""
    return any(name.kind in (TASK, THING) and name.start <= start < name.end for name in said.named)


def _is_noun(said: Said, place: int) -> bool:
    """Whether `failures` and `passes` are things; `passes` at the end of a clause is what a rollout does."""
    word = said.tokens[place].word
    after = said.tokens[place + 1].word if place + 1 < len(said.tokens) else "."
    return word == "failures" or (word == "passes" and after not in _ENDS)


_ENDS: Final = frozenset([".", ",", ";", ")", "and", "but", "while", "whereas"])
_BEFORE: Final = frozenset(["rollout", "rollouts", "attempt", "repeat", "run", ":", "one", "is", "the", "ref"])
_BEHIND: Final = frozenset(["(", ":", "which", "that", "is", "was", "has", "of", "in", "task"])


def _only(between: list[str], allowed: frozenset[str]) -> bool:
    return len(between) <= _NEAR and all(each.lower() in allowed for each in between)


def _rollouts(sentence: Sentence, truth: Truth) -> Iterator[Judged]:
    """`Rollout 2 of task 4 passes`, also where the heading names the task."""
    named = [name for name in sentence.said.named if name.kind == ROLLOUT]
    task = _task_of(sentence)
    own = known_task(task, truth) if task else None
    if not named or own is None:
        return
    told = runs(sentence.mentions) or next((found for each in sentence.above if (found := runs(each.mentions))), [])
    for name in named:
        yield _rollout_exists(name, own, told or truth.run_names, truth, sentence)
        yield from _rollout_became(name, own, told or truth.run_names, truth, sentence)


def _task_of(sentence: Sentence) -> str | None:
    for said in (sentence.said, *(label.said for label in sentence.above[:3])):
        tasks = list(dict.fromkeys(name.key for name in said.named if name.kind == TASK))
        if tasks:
            return tasks[0] if len(tasks) == 1 else None
    return None


def _rollout_exists(name: Name, task: str, told: list[str], truth: Truth, sentence: Sentence) -> Judged:
    claim = Claim(KIND, sentence.text[:300], sentence.line, f"rollout {name.key} of task {task}", "exists")
    if any((run, task, name.key) in truth.rollouts for run in told):
        return supported(claim, "rollouts of the run")
    found = sorted({rollout for run, own, rollout in truth.rollouts if own == task and run in told})
    if not found or not all(rollout.isdigit() for rollout in found):
        return not_checkable(claim, "the rollouts have ids of another kind")
    if name.key.isdigit() and int(name.key) == len(found):
        return not_checkable(claim, "the report may count rollouts from 1")
    return contradicted(claim, f"task {task} has the rollouts {', '.join(found[:12])}", "rollouts of the run")


def _rollout_became(name: Name, task: str, told: list[str], truth: Truth, sentence: Sentence) -> Iterator[Judged]:
    skipped = {at for each in sentence.mentions if each.kind == RUN for at in range(each.first, each.after)}
    sign = _outcome_beside(sentence.said, name, skipped)
    found = {truth.rollouts.get((run, task, name.key)) for run in told} - {None}
    if not sign or not found or _counts_from_one(task, told, truth, sentence):
        return
    said_so = "passed" if sign > 0 else "failed"
    claim = Claim(KIND, sentence.text[:300], sentence.line, f"rollout {name.key} of task {task}", said_so)
    if said_so in found or (sign < 0 and "not measured" in found):
        yield supported(claim, "outcomes of the rollouts")
    else:
        yield contradicted(claim, ", ".join(sorted(map(str, found))), "outcomes of the rollouts")


def _counts_from_one(task: str, told: list[str], truth: Truth, sentence: Sentence) -> bool:
    """Whether a rollout is named that is there only if they are counted from 1."""
    known = {rollout for run, own, rollout in truth.rollouts if own == task and run in told}
    return any(name.kind == ROLLOUT and name.key not in known for name in sentence.said.named)


def _of_mode(sentence: Sentence, scene: Scene) -> Iterator[Judged]:
    """Refs in a list of the rollouts of a mode, under the mode's own heading."""
    title = _mode_of(sentence.above)
    if title is None or sentence.passage.kind != "item" or "rollouts" not in sentence.said.words:
        return
    yield from _members(sentence.said, title, sentence.text, sentence.line, scene.truth)


def _in_mode_row(row: Row, scene: Scene) -> Iterator[Judged]:
    """Refs in a row of a table of modes."""
    if not row.cells:
        return
    title = _mode_of([row.cells[0][1]])
    if title is None:
        return
    for header, value in row.cells[1:]:
        if "rollout" in key_of(header.said.inline.text) or "evidence" in key_of(header.said.inline.text):
            yield from _members(value.said, title, value.said.inline.text, row.line, scene.truth)


def _in_task_row(row: Row, truth: Truth) -> Iterator[Judged]:
    """Refs in a row about one task: they are of that task, unless the row names others too."""
    task = task_of_row(row)
    own = known_task(task, truth) if task else None
    if own is None:
        return
    rest = [value.said for _, value in row.cells[1:]]
    refs = [name for said in rest for name in said.named if name.kind == REFERENCE]
    if any(name.kind == TASK and not _is_within(name, refs) for said in rest for name in said.named):
        return
    for name in refs:
        parsed = _parsed(name.key)
        if parsed is not None and (parsed.run, parsed.task, parsed.rollout) in truth.rollouts:
            claim = Claim(KIND, row.passage.text.text[:300], row.line, name.key, f"a rollout of task {own}")
            if parsed.task == own:
                yield supported(claim, "the ref itself")
            else:
                yield contradicted(claim, f"it is of task {parsed.task}", "the ref itself")


def _is_within(name: Name, refs: list[Name]) -> bool:
    return any(ref.start <= name.start < ref.end for ref in refs)


def _mode_of(labels: list[Label]) -> str | None:
    for label in labels:
        modes = [name for kind, name in parts(label.mentions) if kind == MODE]
        if len(modes) == 1 and key_of(label.said.inline.text).startswith(key_of(modes[0])):
            return modes[0]
    return None


def _members(said: Said, title: str, text: str, line: int, truth: Truth) -> Iterator[Judged]:
    members = truth.modes.get(title, frozenset())
    for name in said.named:
        parsed = _parsed(name.key) if name.kind == REFERENCE else None
        if parsed is None or (parsed.run, parsed.task, parsed.rollout) not in truth.rollouts:
            continue
        claim = Claim(KIND, text[:300], line, name.key, f"has the mode {title}")
        if str(parsed.at(None)) in members:
            yield supported(claim, "modes of the rollouts")
        else:
            yield contradicted(claim, "it has not", "modes of the rollouts")
