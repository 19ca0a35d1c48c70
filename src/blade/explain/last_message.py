"""The parts of a last message that may be what is answered: all of it, what it marks as the answer, its last line."""

import re
from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from blade.explain.cases import Cases

_BOXED: Final = re.compile(r"\\(?:boxed|fbox)\s{0,3}\{([^{}\n]{1,200})\}")
_TAGGED: Final = re.compile(
    r"<(?:final_?)?(?:answer|solution|result)>\s{0,8}([^<>]{1,400}?)\s{0,8}</(?:final_?)?(?:answer|solution|result)>",
    re.IGNORECASE,
)
_MARKED: Final = re.compile(
    r"^[\s*#>_]{0,8}(?:the )?(?:final )?(?:answer|result|solution|verdict)(?: is)?[\s*_]{0,4}[:=][\s*_]{0,4}([^\n]{1,200})$",
    re.IGNORECASE | re.MULTILINE,
)


_OPENS: Final = "(?i)<(?:final_?)?(?:answer|solution|result)>"
_LONGEST_END: Final = 2_000

_LAST_WORDS: Final = """
SELECT file, row, regexp_matches(answer, $opens) AS opens, right(answer, $most) AS ending
FROM rollouts WHERE standing = 'row' AND answer IS NOT NULL AND answer_step = steps - 1
"""


def answered_last(cases: Cases) -> Iterator[int]:
    """Rollouts that mark an answer in their very last step: a limit on turns did not keep them from it."""
    case, found = cases.rows(_LAST_WORDS, opens=_OPENS, most=_LONGEST_END)
    marks = np.array([marked(text) is not None for text in found["ending"].tolist()], dtype=bool)
    yield from np.sort(case[marks | found["opens"].astype(bool)]).tolist()


def whole(text: str) -> str | None:
    """All that it says."""
    return text


def marked(text: str) -> str | None:
    """What it marks as its answer last; None where it marks nothing."""
    found = _TAGGED.findall(text) or _BOXED.findall(text) or _MARKED.findall(text)
    return found[-1].strip() if found else None


def last_line(text: str) -> str | None:
    """Its last line."""
    return text.strip().rpartition("\n")[2]


TAKEN: Final[dict[str, Callable[[str], str | None]]] = {
    "the last message": whole,
    "the marked answer": marked,
    "the last line": last_line,
}
"""How an answer is taken from a last message, where no field says."""
