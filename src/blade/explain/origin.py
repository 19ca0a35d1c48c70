"""Where an answer came from: the first step in which what is answered at the end stands at all.

An answer that is wrong went wrong there at the latest. What is answered is taken from the last message that says
anything the prompt does not: what it marks as the answer, else what it stresses, else its last number or quotation.
"""

import re
from collections.abc import Iterator
from typing import Final

from blade.explain.values import normal
from blade.item import body_of, form_of
from blade.rollout import Rollout

LONGEST: Final = 40_000
"""Characters of a step that are looked at, and of a prompt."""

_SHORTEST: Final = 2
_MOST_STEPS: Final = 2_000

_MARKED: Final = re.compile(
    r"(?:final answer|answer|result|solution)(?: is)?\s{0,3}[:=]\s{0,3}([^\n]{1,200})", re.IGNORECASE
)
_BOXED: Final = re.compile(r"\\boxed\{([^{}\n]{1,200})\}")
_STRESSED: Final = re.compile(r"\*\*([^*\n]{1,80})\*\*")
_NUMBER: Final = re.compile(r"(?<![\w.])\$?\d[\d,]{0,20}(?:\.\d{1,12})?(?!\w)")
_QUOTED: Final = re.compile(r"[\"“]([^\"”\n]{2,60})[\"”]")
_KINDS: Final = (_BOXED, _MARKED, _STRESSED, _NUMBER, _QUOTED)


def origins(rollout: Rollout) -> list[int]:
    """The steps at which what is answered stands first, for each thing that may be the answer, the likeliest first."""
    said = list(_texts(rollout))
    texts = [normal(text) for text in said]
    found: dict[int, None] = {}
    for answer in _answers(rollout, said):
        step = next((step for step, text in enumerate(texts) if stands_in(text, answer)), None)
        if step is not None:
            found.setdefault(step)
    return list(found)


def _texts(rollout: Rollout) -> Iterator[str]:
    for number in range(min(len(rollout.items), _MOST_STEPS)):
        yield rollout.text(number)[:LONGEST]


def _answers(rollout: Rollout, texts: list[str]) -> list[str]:
    """What the last telling message may answer, in normal form."""
    prompt = normal("\n".join(step.head(LONGEST) for step in rollout.prompt)[-LONGEST:])
    for number in range(len(texts) - 1, -1, -1):
        item = rollout.items[number]
        if form_of(item.type, item.role).kind != "message" or body_of(item) is None:
            continue
        told = [normal(matches[-1]) for kind in _KINDS if (matches := kind.findall(texts[number]))]
        told = [answer for answer in told if len(answer) >= _SHORTEST and answer not in prompt]
        if told:
            return told
    return []


def stands_in(text: str, answer: str) -> bool:
    """Whether a text holds an answer as words of their own; both in normal form."""
    return answer in text and bool(re.search(rf"(?<![\w.,-]){re.escape(answer)}(?![\w-]|[.,]\d)", text))
