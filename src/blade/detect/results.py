"""Whether what came back for a call is an error, judged by how it is built.

A file that explains errors, a page about them, a log that holds them are output. An error *is* the answer: it begins
as errors begin, or it is an object that says so under a key, or a program's output ends in a traceback or in the note
of an exit code. Everything is judged by the beginning and the end of the text, so that long output costs no more than
short output; hostile text costs linear time.
"""

import re
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Raw

from blade import content
from blade.detect import wording
from blade.detect.signal import QUOTE_LIMIT

HEAD_BYTES: Final = 400
TAIL_BYTES: Final = 400
LONGEST_OBJECT: Final = 4_000
"""A longer JSON object is data, whatever stands in it."""

LONGEST_PLAIN: Final = 700
"""A longer text that begins like an error without a colon is prose."""

COMMAND: Final = "exit code"
"""The kind of an error that a program, rather than a tool, ended in."""


class ToolError(NamedTuple):
    """What an answer says went wrong."""

    kind: str
    """A word of `KINDS`, of `wording.WORDINGS` for the infrastructure, `exit code` or `error`."""
    quote: str
    """Exact text of the answer."""
    infrastructure: bool = False


KINDS: Final = (
    ("unknown tool", r"(?:unknown|no such|unrecogni[sz]ed|invalid|undefined) (?:tool|function|action|api)\b|(?:tool|function) [^\n]{0,80}?(?:not found|does not exist|is not (?:available|defined|a valid)|unknown)"),
    ("invalid arguments", r"(?:missing|unexpected|required|invalid|unknown|extra|unrecogni[sz]ed|wrong|bad|malformed)(?: \w+){0,3} (?:argument|parameter|field|property|input|key|value|option|format|json|type)|validation ?error|must be an? \w+|is required\b|got an unexpected keyword|takes \d+ positional|not of type|is not valid|could not (?:parse|decode)|schema"),
    ("not found", r"not found|no such|does ?n[o']t exist|could not find|cannot find|can't find|unknown|no (?:\w+ ){1,3}(?:with|named|found|matches|matching)|cannot access|404\b"),
    ("permission", r"permission denied|not (?:allowed|permitted|authori[sz]ed)|forbidden|unauthori[sz]ed|access denied|read-only|40[13]\b|operation not permitted"),
    ("conflict", r"already (?:exists|in use|taken|booked|done|closed|cancelled|canceled)|conflict|duplicate|overlap"),
    ("time-out", r"time[ds]?[ -]?out|deadline exceeded|took too long"),
    ("not possible", r"cannot be|can ?not|can't|not supported|unsupported|not possible|insufficient|exceeds|out of (?:range|stock)|limit"),
    ("syntax", r"syntax ?error|unexpected (?:token|indent|eof|end|character)|parse error|indentationerror|unterminated"),
    ("exception", r"\w(?:error|exception)\b|traceback|panic|segmentation fault|core dumped"),
)  # fmt: skip
"""What an error is about, the most telling first; over lower-case text."""

_COMPILED: Final = tuple((kind, re.compile(words)) for kind, words in KINDS)

_WORDS: Final = rb"(?:(?:fatal|unexpected|tool|function|execution|runtime|internal|api|http|server|validation|request|command|unknown|critical|unhandled|uncaught|an?|the|system|sql|database|syntax|permission|value|type|key|invalid)\W{1,2}){0,3}"
_BEGINS: Final = re.compile(
    rb"\"?(?:\s|\\[nrt]|[\[<(*#`'!\-\xe2\x9a\xa0\xef\xb8\x8f\xe2\x9d\x8c]|\\\")*(?:" + _WORDS +
    rb"(?:errors?|exception|failed|failure|traceback|panic|unable to|cannot|could not|couldn't|can't|invalid|denied|not found|no such|unknown|unauthori[sz]ed|forbidden|timed? ?out|timeout|aborted|rejected|missing|unexpected|unsupported|refused|not allowed|does not exist)\b"
    rb"|[A-Za-z_.]{1,60}(?:Error|Exception|Exit|Interrupt|Timeout|NotFound)\b"
    rb"|(?:[\w./-]{1,60}: ){1,3}(?:line \d+: )?[^\\\n\"]{0,160}?(?:not found|no such|denied|cannot|failed|invalid|error|unrecogni[sz]ed|illegal|unknown|refused|is a directory|not a)"
    rb"|[^\\\n\".]{1,120}? (?:not found|does not exist|doesn't exist|is not (?:valid|allowed|available|permitted|supported)|already exists|could not be \w+|cannot be \w+|failed|is required|is invalid|must be|timed out|denied)\b"
    rb")",
    re.IGNORECASE,
)  # fmt: skip
"""How the text of an error begins, in the bytes of a JSON string."""

_IS_ERROR: Final = re.compile(
    r"\W*(?:(?:\w{1,20}\W{1,2}){0,3}(?:error|exception|failed|failure|fatal|panic|traceback)\b[^\n]{0,80}?(?::|!|\n|\(|$)|[\w.]{1,60}(?:error|exception)\b)",
    re.IGNORECASE,
)
"""An error that says so at once and goes on with what it is."""

_EXIT: Final = re.compile(
    r"(?:exit(?:ed)?(?: with)?[ _-]?(?:code|status)?|return ?code|returncode|status code|rc)\W{0,4}(?:code|status)?\W{0,4}(-?\d{1,3})\b",
    re.IGNORECASE,
)
_EXIT_WORDS: Final = (b"xit", b"eturn", b"XIT", b" rc")
_TRACEBACK: Final = b"Traceback (most recent call last)"
_EXCEPTION_LINE: Final = re.compile(
    r"^[\w.]{1,80}(?:Error|Exception|Exit|Interrupt|Warning|Timeout)\b[^\n]{0,400}", re.MULTILINE
)

_ERROR_KEYS: Final = (
    "error",
    "errors",
    "exception",
    "error_message",
    "errorMessage",
    "err",
    "fault",
    "failure",
    "traceback",
)
_SAYS_KEYS: Final = (
    *_ERROR_KEYS,
    "message",
    "reason",
    "detail",
    "details",
    "msg",
    "description",
    "error_description",
    "stderr",
    "why",
    "text",
    "content",
)
_STATE_KEYS: Final = (
    "ok",
    "success",
    "succeeded",
    "is_error",
    "isError",
    "status",
    "state",
    "result",
    "outcome",
    "code",
    "status_code",
)
_BAD_STATES: Final = frozenset(
    (
        "error",
        "failed",
        "failure",
        "fail",
        "rejected",
        "denied",
        "invalid",
        "not_found",
        "forbidden",
        "unauthorized",
        "exception",
        "timeout",
        "aborted",
    )
)


def error_of(body: Raw) -> ToolError | None:
    """The error that an answer is, or None."""
    size = len(body)
    if size <= 2:
        return None
    view = memoryview(body)
    head = bytes(view[:HEAD_BYTES])
    first = head[1:2] if head[:1] == b'"' else head[:1]
    if first in (b"{", b"["):
        if size <= LONGEST_OBJECT:
            return _error_in_json(body)
    elif _BEGINS.match(head) and (found := _error_in_text(content.head_of(body, LONGEST_PLAIN + 1))):
        return found
    tail = head if size <= HEAD_BYTES else bytes(view[-TAIL_BYTES:])
    if any(word in tail for word in _EXIT_WORDS) or _TRACEBACK in head or _TRACEBACK in tail:
        return _error_at_end(content.text_of(body))
    return None


def _error_in_text(text: str) -> ToolError | None:
    """An error that a text begins with; of a long one, only where it says so in so many words."""
    stripped = text.strip()
    if len(text) > LONGEST_PLAIN and not _IS_ERROR.match(stripped[:200]):
        return None
    start = text.find(stripped[:40])
    line = stripped.split("\n", 1)[0]
    exception = _last_exception(stripped) if line.startswith("Traceback") else None
    quote = (exception or text[start : start + len(line)])[:QUOTE_LIMIT]
    return _told(quote, stripped) if quote else None


def _last_exception(text: str) -> str | None:
    found = _EXCEPTION_LINE.findall(text)
    return found[-1].rstrip() if found else None


def _error_in_json(body: Raw) -> ToolError | None:
    """An error under a key of an object, as errors of services are."""
    text = content.text_of(body) if bytes(memoryview(body)[:1]) == b'"' else bytes(body).decode("utf-8", "replace")
    try:
        value = content.value_of(text)
    except ValueError:
        return _error_in_text(text) if _IS_ERROR.match(text.strip()[:200]) else None
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, dict):
        return None
    said = _said_by(value)
    if said is None:
        return None
    quote = _as_it_stands(said, text, content.text_of(body))
    return _told(quote, said)


def _said_by(value: dict[str, Any], depth: int = 2) -> str | None:
    """The words of an error object: under an error key, or beside a state that is bad."""
    for key in _ERROR_KEYS:
        found = value.get(key)
        if found not in (None, False, "", 0, [], {}, "none", "None", "null"):
            return _words(found) or (_beside(value) if found is True else str(found))
    exit_code = next(
        (value[key] for key in ("exit_code", "exitCode", "returncode", "return_code") if key in value), None
    )
    if isinstance(exit_code, int) and exit_code != 0:
        return (
            _words(value.get("stderr")) or _words(value.get("output")) or _words(value.get("stdout")) or f"{exit_code}"
        )
    if value.get("type") == "error" or any(_is_bad(key, value[key]) for key in _STATE_KEYS if key in value):
        return _beside(value)
    for key in ("result", "content", "output", "data", "response"):
        if depth and isinstance(value.get(key), dict) and (inner := _said_by(value[key], depth - 1)):
            return inner
    return None


def _is_bad(key: str, state: Any) -> bool:
    if key in ("is_error", "isError"):
        return state is True
    if key in ("ok", "success", "succeeded"):
        return state is False
    if key in ("code", "status_code", "status") and isinstance(state, int) and not isinstance(state, bool):
        return 400 <= state < 600
    return isinstance(state, str) and state.lower() in _BAD_STATES


def _beside(value: dict[str, Any]) -> str:
    return (
        next((words for key in _SAYS_KEYS if (words := _words(value.get(key)))), "")
        or content.canonical(value)[:QUOTE_LIMIT]
    )


def _words(found: Any) -> str:
    if isinstance(found, str):
        return found.strip()
    if isinstance(found, list) and found:
        return _words(found[0])
    if isinstance(found, dict):
        return next((words for key in _SAYS_KEYS if (words := _words(found.get(key)))), "")
    return ""


def _as_it_stands(said: str, inner: str, whole: str) -> str:
    """Words out of decoded JSON as the step's own text has them."""
    for part in (said, said.split("\n", 1)[0]):
        cut = part[:QUOTE_LIMIT]
        for form in (cut, msgspec.json.encode(cut).decode()[1:-1]):
            if form and form in whole:
                return form
    return inner[:QUOTE_LIMIT] if inner[:QUOTE_LIMIT] in whole else whole[:QUOTE_LIMIT]


def _error_at_end(text: str) -> ToolError | None:
    """A program's output that ends in a traceback, or with the note of an exit code that is not 0."""
    end = text[-TAIL_BYTES:]
    exit_code = next((match for match in _EXIT.finditer(end)), None) or next(iter(_EXIT.finditer(text[:200])), None)
    failed = exit_code is not None and int(exit_code[1]) != 0
    if exit_code is not None and not failed:
        return None
    if _TRACEBACK.decode() in text[-8_000:] and (exception := _last_exception(text[-2_000:])):
        return ToolError("exception", exception[:QUOTE_LIMIT])
    return ToolError(COMMAND, exit_code[0]) if failed and exit_code else None


def _told(quote: str, said: str) -> ToolError:
    lowered = said[: 2 * QUOTE_LIMIT].lower()
    found = wording.read(said[: 2 * QUOTE_LIMIT])
    if found and found.says == wording.INFRASTRUCTURE and not found.wording.doubtful and found.start < 120:
        return ToolError(found.wording.name, quote, infrastructure=True)
    kind = next((kind for kind, pattern in _COMPILED if pattern.search(lowered)), "error")
    return ToolError(kind, quote)
