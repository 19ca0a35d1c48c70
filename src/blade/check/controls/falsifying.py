"""Controls that say what is not true."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from blade.check.controls import editing
from blade.check.controls.registry import FALSIFYING, Source, control
from blade.check.passages import read
from blade.check.text.inline import Inline
from blade.check.text.names import REFERENCE, TASK
from blade.check.text.said import Said
from blade.ref import Ref

_OPPOSITES: Final = (
    "pass fail",
    "passes fails",
    "passed failed",
    "passing failing",
    "succeeds collapses",
    "success failure",
    "successes failures",
    "solved unsolved",
    "highest lowest",
    "higher lower",
    "best worst",
    "better worse",
    "most least",
    "more fewer",
    "largest smallest",
    "greatest slightest",
    "always never",
    "every no",
    "all none",
    "above below",
    "gains loses",
    "gained lost",
    "gain loss",
    "rises falls",
    "rose fell",
    "up down",
    "increases decreases",
    "increased decreased",
    "improves worsens",
    "improved worsened",
    "before after",
    "with without",
    "correct wrong",
    "strongest weakest",
    "first last",
    "beyond within",
)
_CAUSES: Final = {
    "KG": "BI",
    "BI": "IR",
    "IR": "TI",
    "TI": "UK",
    "UK": "DA",
    "DA": "KG",
    "knowledge": "infrastructure",
    "behaviour": "knowledge",
    "behavior": "knowledge",
    "behavioural": "factual",
    "behavioral": "factual",
    "infrastructure": "verifier",
    "verifier": "behaviour",
    "model": "sandbox",
    "sandbox": "model",
    "server": "prompt",
    "prompt": "server",
    "harness": "data",
    "tools": "model",
}
_SHIFTS: Final = (3, 7, 2, 5, 4, 6)


def _both_ways(pairs: Sequence[str]) -> dict[str, str]:
    return {one: other for pair in pairs for one, other in (pair.split(), pair.split()[::-1])}


@control(FALSIFYING)
def numbers_altered(source: Source) -> str:
    """Every number is another one."""

    def altered(text: str) -> str:
        digits = [str((int(digit) + source.stream.choice(_SHIFTS)) % 10) for digit in text if digit.isdigit()]
        if len(digits) > 1 and digits[0] == "0" and not text.startswith("0"):
            digits[0] = "1" if text[0] != "1" else "2"
        rest = iter(digits)
        return "".join(next(rest) if character.isdigit() else character for character in text)

    return editing.bodies(source.golden, lambda body: editing.numbers(body, altered))


@control(FALSIFYING)
def verdicts_swapped(source: Source) -> str:
    """Passing and failing, highest and lowest, always and never change places."""
    return editing.bodies(source.golden, lambda body: editing.words(body, _both_ways(_OPPOSITES)))


@control(FALSIFYING)
def causes_swapped(source: Source) -> str:
    """Every cause is another one, and so is who is to blame; the reasons stand with other tasks."""
    told = editing.bodies(
        source.golden, lambda body: editing.words(body, {word.lower(): other for word, other in _CAUSES.items()})
    )
    return _reasons_rotated(told)


_REASON: Final = re.compile(r"(\bbecause\b|\bsince\b|\bdue to\b|\bcaused by\b|[Rr]oot cause:)([^.;|\n]{8,160})")


def _reasons_rotated(text: str) -> str:
    """The clauses that give reasons, each in the place of the next."""
    reasons = [match[2] for match in _REASON.finditer(text)]
    rotated = iter([*reasons[1:], *reasons[:1]])
    return _REASON.sub(lambda match: match[1] + next(rotated), text)


@control(FALSIFYING)
def entities_exchanged(source: Source) -> str:
    """Tasks, tools, categories and runs have each other's names."""
    said = [Said(passage.text) for passage in read(source.golden).passages]
    told = source.golden
    tasks = sorted({name.key for each in said for name in each.named if name.kind == TASK and name.key.isdigit()})
    told = _tasks_exchanged(told, dict(zip(tasks, _rotated(tasks, source), strict=True)))
    for names in _named(said):
        told = editing.phrases(told, dict(zip(names, _rotated(names, source), strict=True)))
    things = sorted({text for passage in read(source.golden).passages for text in _codes(passage.text)})
    return editing.phrases(told, dict(zip(things, _rotated(things, source), strict=True)))


def _named(said: Sequence[Said]) -> list[list[str]]:
    """The names of tasks and of runs as the report writes them."""
    refs = [Ref.parse(name.key) for each in said for name in each.named if name.kind == REFERENCE]
    tasks = {each.inline.text[name.start : name.end] for each in said for name in each.named if name.kind == TASK} | {
        ref.task for ref in refs
    }
    tasks = {task for task in tasks if not task.isdigit() and ":" not in task}
    return [sorted(tasks), sorted({ref.run for ref in refs})]


def _codes(inline: Inline) -> list[str]:
    return [text for text in inline.quoted() if 2 < len(text) < 60 and "\n" not in text and not text.isdigit()]


def _rotated(values: Sequence[str], source: Source) -> list[str]:
    """Every value in the place of another."""
    order = list(values)
    source.stream.shuffle(order)
    following = dict(zip(order, [*order[1:], *order[:1]], strict=True))
    return [following[value] for value in values]


_TASK_LIST: Final = re.compile(
    r"(\b[Tt]asks?(?: #| id |_index[ =]|[ :#])\s?`?|^\|\s*(?:task )?`?)(\d+(?:(?:, | and |, and )\d+)*)(?![\d.%/])",
    re.MULTILINE,
)


def _tasks_exchanged(text: str, instead: Mapping[str, str]) -> str:
    def exchanged(match: re.Match[str]) -> str:
        return match[1] + re.sub(r"\d+", lambda number: instead.get(number[0], number[0]), match[2])

    return _TASK_LIST.sub(exchanged, text)


_VERBS: Final = re.compile(
    r"\b(is|are|was|were|has|have|does|do|can|will)\b(?! not)|"
    r"\b(passes|fails|calls|answers|sends|expects|stops|loops|shows|gives|loses|gains|reads|says|wants|needs|returns|"
    r"ends|begins|costs|stands|differs|goes|repeats|picks|books|cancels|asks|uses|skips|converts|copies|states)\b"
)
_PAST: Final = re.compile(r"\b(passed|failed|called|answered|sent|stopped|lost|gained|flipped|accounts|accounted)\b")


@control(FALSIFYING)
def facts_negated(source: Source) -> str:
    """Every sentence denies what the golden report says; rows of tables have the opposite verdicts."""

    def negated(body: str) -> str:
        if "|" in body:
            return editing.words(_complemented(body), _both_ways(_OPPOSITES))
        return " ".join(map(_negated, re.split(r"(?<=[.!?]) (?=[A-Z`*])", body)))

    return "\n".join(
        line if line.startswith("#") else editing.bodies(line, negated) for line in source.golden.split("\n")
    )


def _negated(sentence: str) -> str:
    if len(sentence.split()) < 3:
        return sentence
    for pattern, write in ((_VERBS, _after_verb), (_PAST, lambda match: f"never {match[0]}")):
        told, count = pattern.subn(write, sentence, count=1)
        if count:
            return told
    return f"It is not true that {sentence[0].lower()}{sentence[1:]}"


def _after_verb(match: re.Match[str]) -> str:
    return f"{match[0]} not" if match[1] else f"never {match[0]}"


def _complemented(row: str) -> str:
    """So many of so many as the rest of them."""
    return re.sub(r"\b(\d{1,4})(/| of )(\d{1,4})\b", _rest, row)


def _rest(match: re.Match[str]) -> str:
    value, whole = int(match[1]), int(match[3])
    return match[0] if value > whole else f"{whole - value}{match[2]}{whole}"


@control(FALSIFYING)
def words_shuffled(source: Source) -> str:
    """The words of every line stand in another order."""

    def shuffled(body: str) -> str:
        found = body.split()
        source.stream.shuffle(found)
        return " ".join(found)

    return "\n".join(
        line
        if line.startswith("#") or ("|" in line and line.lstrip().startswith("|") and "---" in line)
        else shuffled(line)
        for line in source.golden.split("\n")
    )
