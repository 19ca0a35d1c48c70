"""The parts of a last message that may be what is answered: all of it, what it marks as the answer, its last line."""

import re
from collections.abc import Callable
from typing import Final

_BOXED: Final = re.compile(r"\\(?:boxed|fbox)\s{0,3}\{([^{}\n]{1,200})\}")
_TAGGED: Final = re.compile(
    r"<(?:final_?)?(?:answer|solution|result)>\s{0,8}([^<>]{1,400}?)\s{0,8}</(?:final_?)?(?:answer|solution|result)>",
    re.IGNORECASE,
)
_MARKED: Final = re.compile(
    r"^[\s*#>_]{0,8}(?:the )?(?:final )?(?:answer|result|solution|verdict)(?: is)?[\s*_]{0,4}[:=][\s*_]{0,4}([^\n]{1,200})$",
    re.IGNORECASE | re.MULTILINE,
)


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
