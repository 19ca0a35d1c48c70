"""Errors planted into a true report: a wrong count, another id, an altered quote, the wrong end of a superlative."""

import random
import re
from collections.abc import Iterator
from typing import NamedTuple

from blade.check.checking import Checked, check
from blade.check.claims.claim import SUPPORTED, Judged
from blade.check.claims.truth import Truth

_NUMBER = re.compile(r"(?<![\w.:/#−-])\d[\d,]*(?:\.\d+)?(?![\w/#]|[.,]\d)")
_OF = re.compile(r"(?<![\w#/:.])(\d+)(/| of )(\d+)(?![\w/#])")
_ENDS = {
    "largest": "smallest",
    "dominant": "least frequent",
    "weakest": "strongest",
    "most": "least",
    "higher": "lower",
}
_ENDS |= {other: one for one, other in _ENDS.items()}
_APART = {"quote": 25}
"""Lines between errors, so that a passage does not hold several."""

LOOKED_AT = 3
"""Lines around an error in which a contradiction counts as found."""


class Error(NamedTuple):
    kind: str
    line: int
    before: str
    after: str


class Found(NamedTuple):
    """What became of the errors of one report."""

    errors: list[Error]
    missed: list[Error]
    false: int
    """Contradictions where nothing was planted."""
    checked: Checked

    @property
    def recall(self) -> float:
        return 1 - len(self.missed) / len(self.errors) if self.errors else 1.0

    @property
    def precision(self) -> float:
        found = len(self.errors) - len(self.missed)
        return found / (found + self.false) if found + self.false else 1.0


def plant_and_check(source: str, truth: Truth, *, seed: int, each: int = 20) -> Found:
    """Plant errors into claims that are supported, check the report again, and see which are found."""
    base = check(source, truth)
    stream = random.Random(seed)
    lines = source.split("\n")
    planted: list[Error] = []
    for kind in ("quote", "superlative", "direction", "bucket", "ref", "task", "arithmetic", "number"):
        pool = [judged for judged in base.claims if judged.verdict == SUPPORTED and judged.claim.kind == kind]
        stream.shuffle(pool)
        planted += list(_planted(kind, pool, lines, truth, stream, planted, each))
    after = check("\n".join(lines), truth)
    told = {judged.claim.line for judged in after.contradictions} - {one.claim.line for one in base.contradictions}
    near = [any(abs(line - error.line) <= LOOKED_AT for line in told) for error in planted]
    missed = [error for error, found in zip(planted, near, strict=True) if not found]
    false = sum(not any(abs(line - error.line) <= LOOKED_AT for error in planted) for line in told)
    return Found(planted, missed, false, after)


def _planted(
    kind: str,
    pool: list[Judged],
    lines: list[str],
    truth: Truth,
    stream: random.Random,
    already: list[Error],
    most: int,
) -> Iterator[Error]:
    made: list[Error] = []
    for judged in pool:
        if len(made) >= most:
            return
        at = judged.claim.line - 1
        if any(abs(at + 1 - error.line) < _apart(kind, error.kind) for error in [*already, *made]):
            continue
        name, after = _altered(kind, judged, lines[at], truth, stream)
        if after and after != lines[at]:
            made.append(Error(name, at + 1, lines[at], after))
            lines[at] = after
            yield made[-1]


def _apart(one: str, other: str) -> int:
    return max(_APART.get(one, LOOKED_AT + 1), _APART.get(other, LOOKED_AT + 1))


def _altered(kind: str, judged: Judged, line: str, truth: Truth, stream: random.Random) -> tuple[str, str]:
    claim = judged.claim
    if kind in ("number", "arithmetic"):
        return "count", _other_number(line, claim.value, stream)
    if kind == "task" and "passed" in claim.value:
        return "count", _other_outcome(line, stream)
    if kind in ("task", "bucket"):
        return "id", _other_task(kind, judged, line, truth, stream)
    if kind == "ref":
        return "id", _other_ref(line, claim.subject, claim.value)
    if kind == "quote":
        return "quote", _other_word(line, claim.value, stream)
    return "superlative" if kind == "superlative" else "direction", _other_end(line)


def _other_number(line: str, value: str, stream: random.Random) -> str:
    wanted = re.match(r"-?(\d[\d,.]*)", value)
    number = wanted[1].rstrip(".") if wanted else ""
    spots = [match for match in _NUMBER.finditer(line) if number and float(match[0].replace(",", "")) == float(number)]
    if len(spots) != 1:
        return ""
    spot = spots[0]
    decimals = len(spot[0].partition(".")[2])
    shift = stream.choice((-7.3, -4.2, 3.6, 6.4, 11.7)) if decimals else stream.choice((-3, -2, -1, 1, 2, 3, 5))
    other = abs(float(spot[0].replace(",", "")) + shift)
    return f"{line[: spot.start()]}{other:.{decimals}f}{line[spot.end() :]}"


def _other_outcome(line: str, stream: random.Random) -> str:
    match = _OF.search(line)
    if not match:
        return ""
    passed, measured = int(match[1]), int(match[3])
    other = (passed + stream.randint(1, measured)) % (measured + 1)
    return f"{line[: match.start()]}{other}{match[2]}{measured}{line[match.end() :]}"


def _other_task(kind: str, judged: Judged, line: str, truth: Truth, stream: random.Random) -> str:
    own = judged.claim.subject.removeprefix("task ")
    runs = truth.run_names
    if kind == "bucket":
        wanted = judged.claim.value
        others = [
            task
            for task in sorted(truth.task_ids)
            if all(truth.tasks[run, task].bucket != wanted for run in runs if (run, task) in truth.tasks)
        ]
    else:
        others = ["9999"] if own.isdigit() and ("of" in line or "/" in line) else []
    if not others:
        return ""
    return re.sub(rf"(?<![\w:/#.-]){re.escape(own)}(?![\w/#.%-])", stream.choice(others), line, count=1)


def _other_ref(line: str, ref: str, value: str) -> str:
    parts = re.fullmatch(r"(.*):(.*)/(\d+)(#\w+)?", ref)
    if not parts or value != "exists" or line.count(ref) != 1:
        return ""
    return line.replace(ref, f"{parts[1]}:{parts[2]}/{int(parts[3]) + 7}{parts[4] or ''}")


def _other_word(line: str, quote: str, stream: random.Random) -> str:
    words = [word for word in re.findall(r"[A-Za-z]{4,}", quote.split("\n")[0]) if line.count(word) == 1]
    return line.replace(word := stream.choice(words), f"{word[:2]}orgo") if words else ""


def _other_end(line: str) -> str:
    for one, other in _ENDS.items():
        if re.search(rf"\b{one}\b", line):
            return re.sub(rf"\b{one}\b", other, line, count=1)
    return ""
