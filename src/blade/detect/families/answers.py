"""What was answered, and in which form."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from blade.content import Value
from blade.detect.demands import misses
from blade.detect.fields import Telling, names_expected, said_by
from blade.detect.reading import Reading
from blade.detect.signal import BEHAVIOUR, QUOTE_LIMIT, Signal, detector, quoted
from blade.rollout import opened_fields

_LONGEST_READ: Final = 100_000
_MARKED: Final = tuple(
    (stem, re.compile(pattern, re.IGNORECASE | re.MULTILINE))
    for stem, pattern in (
        ("boxed", r"\\boxed\s{0,3}\{([^{}\n]{0,100}(?:\{[^{}\n]{0,60}\}[^{}\n]{0,60}){0,3})\}"),
        (
            "nswer",
            r"^[\s*#>_]{0,8}(?:the )?(?:final )?answer(?: is)?[\s*_]{0,4}[:=][\s*_]{0,4}([^\n]{1,120})$",
        ),
        (
            " is ",
            r"\b(?:correct|right|final|best) (?:option|answer|choice) is:? {0,2}\(?([A-Z])\)?(?![\w'’])",
        ),
        ("</", r"<(?:final_?)?(?:answer|choice|option|result|solution)>([^<\n]{1,100})</"),
        (
            '": ',
            r"\{\s{0,4}\"(?:answer|result|final_answer|choice|solution)\"\s{0,4}:\s{0,4}"
            r"(\"[^\"\n]{1,100}\"|[\w.+-]{1,40})\s{0,4}\}",
        ),
    )
)
"""How a message marks something as its answer, each with a part that stands in it."""


@detector(
    "answers differ",
    needs="final",
    family="answers",
    role=BEHAVIOUR,
    title="Several different final answers",
    meaning="The last message marks two or more different things as its answer.",
    but="It does not say that one of them is wrong: a question may have several parts.",
)
def answers_differ(reading: Reading) -> Iterator[Signal]:
    if reading.final is None:
        return
    step, text = reading.final
    for stem, pattern in _MARKED:
        if text.count(stem) < 2:
            continue
        found = list(pattern.finditer(text[:_LONGEST_READ]))
        given = list(dict.fromkeys(filter(None, (_plain(match[1]) for match in found))))
        if any(one not in other and other not in one for one, other in pairwise(given)):
            yield Signal(
                step, found[-1][0].strip()[:QUOTE_LIMIT], f"{len(given)} answers: {given[0][:40]} and {given[-1][:40]}"
            )
            return


_STATEMENT: Final = re.compile(r"\\(?:[lg]eq?|neq?|implies|iff|Rightarrow|to)\b|[<>≤≥≠]")
"""What stands in a step of a proof rather than in an answer."""


def _plain(answer: str) -> str:
    """An answer without what only decorates it; empty for a statement, as proofs put their steps into boxes too."""
    if _STATEMENT.search(answer):
        return ""
    return re.sub(r"[\s*_$`.\"'“”()]|\\(?:boxed|text|mathrm|left|right|,|;|!| )|[{}]", "", answer).lower()


@detector(
    "format missed",
    needs="demands",
    family="answers",
    role=BEHAVIOUR,
    title="Answer lacks the form that was demanded",
    meaning="The prompt demands a form that a program can look for (a box, tags, a line such as “Answer:”, JSON, a letter, a"
    " code block) and nothing in the last message could be meant by it, or by any of several such forms.",
    but="It does not say that the answer is wrong, nor that a message that has the form has it right.",
)
def format_missed(reading: Reading) -> Iterator[Signal]:
    if reading.final is None or not reading.demands:
        return
    step, text = reading.final
    if all(misses(text, demand) for demand in reading.demands):  # several forms are mostly forms to choose from
        forms = ", ".join(demand.form for demand in reading.demands)
        yield Signal(step, quoted(text.rstrip()[-150:].lstrip() or text), forms)


@detector(
    "nothing extracted",
    needs="telling",
    family="answers",
    role=BEHAVIOUR,
    title="Nothing could be extracted from the answer",
    meaning="A field for what was extracted, parsed or predicted is empty, or says that extraction failed, although the"
    " model wrote a last message.",
    but="It does not say whose mistake it is: the message may lack the form that was asked for, or the verifier may"
    " be too strict.",
)
def nothing_extracted(reading: Reading) -> Iterator[Signal]:
    if not reading.telling or reading.answer is None:
        return
    step = reading.answer[0]
    for telling in reading.telling:
        failed = telling.says_true or telling.says_false
        if failed == "nothing extracted" or (_is_empty(telling) and _was_due(reading)):
            yield Signal(step, telling.quote, telling.name, field=telling.name)


def _is_empty(telling: Telling) -> bool:
    """Whether a field for what was extracted holds nothing."""
    return telling.says.extracted and _holds_nothing(telling.value)


def _was_due(reading: Reading) -> bool:
    """Whether something should have been extracted: an answer is expected, and no other field of the kind has one."""
    for name, value in opened_fields(reading.fields):
        says = said_by(name)
        if says and says.extracted and not _holds_nothing(value):
            return False
        if names_expected(name) and _holds_nothing(value):
            return False
    return True


def _holds_nothing(value: Value) -> bool:
    """Whether there is no value at all: an empty list may well be an answer."""
    return value is None or (isinstance(value, str) and not value.strip())
