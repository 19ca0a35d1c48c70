"""Whether what came back for a call is an error, judged by how it is built.

A file that explains errors, a page about them, a log that holds them are output. An error *is* the answer: it begins
as errors begin, or it is an object that says so under a key, or the output of a program ends in an exception or in the
note of an exit code. Everything is judged by the beginning and the end of the text, so that long output costs no more
than short output; hostile text costs linear time.
"""

import re
from typing import Final, NamedTuple

from msgspec import Raw

from blade import content
from blade.detect.ending import blamed_result
from blade.detect.error_objects import said_in_json
from blade.detect.error_texts import EXIT_CODE, HEAD_BYTES, Said, first_line, last_lines
from blade.detect.kinds import kind_of
from blade.detect.signal import QUOTE_LIMIT

OF_MACHINERY: Final = "of the machinery"
"""Of a text that is an error only if the infrastructure is to blame."""
_SHORT: Final = 160


class ToolError(NamedTuple):
    """What an answer says went wrong."""

    kind: str
    """A word of `KINDS`, `exit code` or `error`; for the infrastructure's doing the name of a row of `WORDINGS`."""
    quote: str
    """Exact text of the answer."""
    infrastructure: bool = False
    """Whether it is an error that the policy could not have caused."""


_SEARCHES: Final = re.compile(
    r'"(?:[^"\\]|\\.){0,200}?(?:^|["|;&]\s{0,4}|\bthen |\\n)(?:sudo |timeout \d+ )?(?:grep|egrep|rg|ag|diff|cmp|test|pgrep|which|find|ls|git diff|git grep)\b'
)
"""Arguments with a program whose exit code of 1 says that it found nothing, or a difference."""
_QUOTE: Final = ord('"')
_BRACKETS: Final = frozenset(b"{[")
_DIGITS: Final = frozenset(b"45")
_BEGIN_OUTPUT: Final = frozenset(b" 0123456789=.|+~@%$")
"""How numbered lines, listings, logs and rulers begin; no error begins so, unless with the status of a request."""
_STATUS_FIRST: Final = re.compile(rb'"[45]\d\d[ :]')
_EXIT_OF_ONE: Final = re.compile(r"(?<!\d)1\W*$")


def error_of(body: Raw, arguments: str = "") -> ToolError | None:
    """The error that an answer is, or None; `arguments` are those of the call that it answers."""
    size = len(body)
    if size <= 4:
        return None
    view = memoryview(body)
    is_text = view[0] == _QUOTE
    first = view[1] if is_text else view[0]
    if first in _BRACKETS:
        said = said_in_json(body, size)
    elif is_text:
        if first in _BEGIN_OUTPUT and not (first in _DIGITS and _STATUS_FIRST.match(view)):
            said = last_lines(body, view)
        else:
            head = bytes(view[:HEAD_BYTES])
            said = first_line(body, head, size) or last_lines(body, view, head)
        said = said or (_short_text(body) if size <= _SHORT else None)
    else:
        return None
    return _judged(said, arguments) if said else None


def _short_text(body: Raw) -> Said | None:
    """A short text as a whole, where it may be the machinery that speaks, whatever words it begins with."""
    text = content.text_of(body).strip()
    if not _MACHINE_WORDS.search(text.lower()) or blamed_result(text, "{}") is None:
        return None
    return Said(text, text[:QUOTE_LIMIT], OF_MACHINERY)


def _judged(said: Said, arguments: str) -> ToolError | None:
    if said.kind == EXIT_CODE:
        found_nothing = (said.words == "1" or _EXIT_OF_ONE.search(said.quote)) and _SEARCHES.search(arguments[:2_000])
        return None if found_nothing else ToolError(EXIT_CODE, said.quote)
    if said.kind == OF_MACHINERY:
        blamed = _blamed(said.words, arguments)
        return ToolError(blamed, said.quote, infrastructure=True) if blamed else None
    if said.kind:
        return ToolError(said.kind, said.quote)
    blamed = _blamed(said.words[: 2 * QUOTE_LIMIT], arguments)
    return ToolError(blamed or kind_of(said.words[: 2 * QUOTE_LIMIT]), said.quote, bool(blamed))


_MACHINE_WORDS: Final = re.compile(
    r"limit|quota|throttl|429|50[0-4]|52\d|unavailable|overload|gateway|connect|time[ds]?[ -]?out|refused|reset|dns|resol|network|socket|sandbox"
    r"|container|host|node|memory|disk|space|server|session|\bpod\b|evict|preempt|credential|api key|infra|harness|docker|kernel|browser|pipe|requests"
)


def _blamed(words: str, arguments: str) -> str:
    """The name of the wording by which the infrastructure is to blame; empty where it is not."""
    if not _MACHINE_WORDS.search(words.lower()):
        return ""
    said = blamed_result(words, arguments)
    return said.wording.name if said else ""
