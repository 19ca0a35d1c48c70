"""Whether what came back for a call is an error, judged by how it is built.

A file that explains errors, a page about them, a log that holds them are output. An error *is* the answer: it begins
as errors begin, or it is an object that says so under a key, or the output of a program ends in an exception or in the
note of an exit code. Everything is judged by the beginning and the end of the text, so that long output costs no more
than short output; hostile text costs linear time.
"""

import re
from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Raw

from blade import content
from blade.detect.ending import blamed_result
from blade.detect.signal import QUOTE_LIMIT

HEAD_BYTES: Final = 200
TAIL_BYTES: Final = 400
_LAST_BYTES: Final = 150
LONGEST_OBJECT: Final = 4_000
"""A longer JSON object is data, unless it is what a program printed."""

LONGEST_SENTENCE: Final = 300
"""A longer text that begins with a plain sentence is prose, whatever the sentence says."""

LONGEST_READ: Final = 20_000
"""Of a longer output only the beginning and the end are looked at."""

EXIT_CODE: Final = "exit code"
"""The kind of an error of which a program told no more than its exit code."""

OTHER: Final = "error"
"""The kind of an error that no row of `KINDS` knows."""


class ToolError(NamedTuple):
    """What an answer says went wrong."""

    kind: str
    """A word of `KINDS`, `exit code` or `error`; for the infrastructure's doing the name of a row of `WORDINGS`."""
    quote: str
    """Exact text of the answer."""
    infrastructure: bool = False
    """Whether it is an error that the policy could not have caused."""


KINDS: Final = (
    ("unknown tool", r"(?:unknown|no such|unrecogni[sz]ed|invalid|undefined|unsupported) (?:tool|function|action|command name)\b|(?:tool|function) [^\n]{0,80}?(?:not found|does not exist|is not (?:available|a valid|registered|one of)|unknown)|no tool (?:named|called)"),
    ("missing software", r"no module named|modulenotfound|importerror|command not found|bad interpreter|cannot import name|is not recogni[sz]ed as an internal|could not find a version|no matching distribution"),
    ("syntax", r"syntax ?error|unexpected (?:token|indent|eof|end of|character|identifier)|parse error|indentationerror|taberror|unterminated|invalid syntax"),
    ("assertion", r"assertion ?error|assertion failed|panicked at .{0,40}assert"),
    ("invalid arguments", r"(?:missing|unexpected|required|invalid|unknown|extra|unrecogni[sz]ed|wrong|bad|malformed)(?: \w+){0,3} (?:argument|parameter|field|property|input|key|value|option|format|json|type|date|id)\b|validation ?error|\bmust (?:be|include|have|look|start|end|contain|match|not)\b|\bis required\b|got an unexpected keyword|takes \d+ positional|not of type|is not (?:a )?valid|could not (?:parse|decode)|jsondecodeerror|schema"),
    ("not found", r"not ?found|no such|does not exist|doesn't exist|could not find|cannot find|can't find|unknown|no (?:\w+ ){1,3}(?:with|named|found|matches|matching)|cannot access|\b404\b"),
    ("permission", r"permission ?(?:denied|error)|not (?:allowed|permitted|authori[sz]ed)|forbidden|unauthori[sz]ed|access denied|read-only|\b40[13]\b|operation not permitted"),
    ("conflict", r"already (?:exists|in use|taken|booked|done|closed|cancelled|canceled|used)|conflict|duplicate|overlap"),
    ("not available", r"not (?:enough|sufficient|available)|unavailable|insufficient|out of stock|is full\b|sold out"),
    ("time-out", r"time[ds]?[ -]?out|deadline exceeded|took too long"),
    ("network", r"connection|could not resolve|name resolution|network|unreachable|ssl|proxy|max retries"),
    ("not possible", r"cannot be|can ?not|can't|could not|not supported|unsupported|not possible|exceeds|out of range|limit|does not (?:add up|match)|not match"),
    ("exception", r"[a-z](?:error|exception|warning|exit|interrupt)\b|traceback|panic|segmentation fault|core dumped"),
)  # fmt: skip
"""What an error is about, the most telling first; over lower-case text."""

_COMPILED: Final = tuple((kind, re.compile(words)) for kind, words in KINDS)

_QUALITY: Final = (
    r"(?:(?:fatal|unexpected|tool|function|execution|runtime|internal|api|http|server|validation|request|command|unknown|critical|unhandled|uncaught"
    r"|an?|the|system|sql|database|syntax|permission|value|type|key|invalid|call|action|query|operation|update|parse|import|build|network|import)\W{1,2}){0,3}"
)
_A_COUNT: Final = r"(?!s?\W{0,3}\d{1,6}\s{0,2}(?:[,;|%]|$))"
"""`Errors: 0` and `failed: 3` are counts."""

_NOUN: Final = (
    rf"(?:errors?|exception|failure|fatal|panic|traceback|failed|aborted|denied|rejected|refused|timed ?out|time-?out)\b{_A_COUNT}"
    r"(?=\s{0,2}(?:[:!(\[<.,–—-]|$)| (?:in|at|on|while|when|during|from|to|by|with|after|for|executing|running|calling|processing|parsing|loading|connecting|fetching|opening|reading|writing|occurred|code|\(|\[|most)\b)"
)
_VERB: Final = r"(?:unable to|cannot|could not|couldn't|can't|failed to|an error occurred|something went wrong)\b"
_ADJECTIVE: Final = (
    rf"(?:invalid|unknown|unrecogni[sz]ed|unsupported|unexpected|missing|malformed|illegal|duplicate|no such|not found|not allowed|unauthori[sz]ed|forbidden|(?:access|permission) denied)\b{_A_COUNT}"
    r"(?=\s{0,2}(?:[:!'\"`(,.–—]|$)| (?:\w+ ){0,2}(?:arguments?|parameters?|fields?|property|inputs?|keys?|value for|values? of|options?|format|json|token|user|file|directory|id|ids|date|request|credentials|tool|function|command|action|name|type|syntax|character|method|column|table|for|or|by|from)\b)"
)
_STATUS: Final = r"(?:bad|not|forbidden|unauthori[sz]ed|too many|internal|service|gateway|error|conflict|gone|unprocessable|request|method|payload|time|server|client)"
_LABELLED: Final = re.compile(
    rf"\W{{0,8}}(?:(?:http(?:/\d(?:\.\d)?)? |status(?: code)?:? |error )?[45]\d\d:? (?:{_STATUS}|- )|{_QUALITY}(?:{_NOUN}|{_VERB}|{_ADJECTIVE})|\w{{1,20}}_error\b|[a-z_.]{{1,60}}(?:error|exception|exit|interrupt|timeout|notfound)\b)"
)
"""How an error begins that says at once that it is one; over the first line in lower case."""

_LABEL_ALONE: Final = re.compile(
    r"\W{0,8}(?:\w{1,20}\W{1,2}){0,3}?(?:[45]\d\d [a-z]|\w{0,40}error|\w{0,40}exception|failed|failure|fatal|panic|traceback)\b[^\n]{0,80}?(?::|!|$|\()"
)
"""The same, of a text that may go on for long."""

_OF_PROGRAM: Final = re.compile(
    r"(?:[\w./()-]{1,60}: ){1,3}(?:line \d+: )?[^\n\"]{0,160}?(?:not found|no such|denied|cannot|can't|failed|invalid|error|unrecogni[sz]ed|illegal"
    r"|unknown|refused|is a directory|not a directory|bad interpreter|fatal|not recogni[sz]ed|no module named)"
)
_SENTENCE: Final = re.compile(
    r"[^\n.:;]{1,100}? (?:not found|does not exist|doesn't exist|do not exist|is not (?:valid|allowed|available|permitted|supported)|already exists"
    r"|could not be \w+|cannot be \w+|failed|is required|is invalid|must be (?:an? |in |one |of )|timed out|denied|was rejected)\b[^\n]{0,120}$"
)
_SENTENCE_WORDS: Final = ("not ", "cannot", "can't", "n't ", "denied", "fail", "invalid", "error", "exist", "required", "must be", "timed out", "recogni",
    "illegal", "unknown", "refused", "no such", "directory", "rejected", "interpreter", "no module")  # fmt: skip

_EXIT: Final = re.compile(
    r"\b(?:exit(?:ed)?(?: with)?(?: non-?zero)?[ _-]?(?:code|status)|return[ _]?code|exited with)\b\W{0,6}(-?\d{1,3})\b",
    re.IGNORECASE,
)
_EXITS_FIRST: Final = re.compile(rb"\"\W{0,4}(?:\\n\W{0,2})?(?:exit|return|command)", re.IGNORECASE)
_NOTES_FIRST: Final = frozenset((b"e", b"E", b"r", b"R", b"c", b"C", b"[", b"(", b"<", b"\\", b"-"))
_TRACEBACK: Final = "Traceback (most recent call last)"
_EXCEPTION_LINE: Final = re.compile(
    r"^(?:[A-Za-z_][\w.]{0,80}(?:Error|Exception|Exit|Interrupt|Timeout|Warning|NotFound)|AssertionError|KeyboardInterrupt)(?::[^\n]{0,400})?$",
    re.MULTILINE,
)
_FRAME: Final = re.compile(r'^ *File "[^"\n]{1,300}", line \d+|^-{3,5}> ?\d+ |^Cell In\[\d+\]', re.MULTILINE)
"""What stands above an exception: a line of a traceback."""

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
    "output",
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
_INNER_KEYS: Final = ("result", "content", "output", "data", "response", "stdout")
_EXIT_KEYS: Final = ("exit_code", "exitCode", "returncode", "return_code", "exit_status")
_READ_KEYS: Final = frozenset((*_ERROR_KEYS, *_SAYS_KEYS, *_STATE_KEYS, *_INNER_KEYS, *_EXIT_KEYS, "type"))
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
_NOTHING: Final[tuple[Any, ...]] = (None, False, "", 0, [], {}, "none", "None", "null")

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
    head = bytes(view[:HEAD_BYTES])
    is_text = head[0] == _QUOTE
    first = head[1] if is_text else head[0]
    if first in _BRACKETS:
        said = _said_in_json(body, size)
    elif is_text:
        if first in _BEGIN_OUTPUT and not (first in _DIGITS and _STATUS_FIRST.match(head)):
            said = _last_lines(body, view, b"")
        else:
            said = _first_line(body, head, size) or _last_lines(body, view, head)
    else:
        return None
    return _judged(said, arguments) if said else None


class _Said(NamedTuple):
    """The words of an error, and its exact text in the answer."""

    words: str
    quote: str
    kind: str = ""


def _first_line(body: Raw, head: bytes, size: int) -> _Said | None:
    """An error that a text begins with."""
    start = 1
    while head[start : start + 2] in (b"\\n", b"\\r", b"\\t"):
        start += 2
    end = head.find(b"\\n", start)
    line = head[start:end] if end >= 0 else head[start:].rstrip(b'"')
    if not _may_be_error(line[:160].lower()) or not _begins_as_error(
        line.decode("utf-8", "ignore").lower().strip(), size
    ):
        return None
    text = content.head_of(body, LONGEST_READ) if size > LONGEST_READ else content.text_of(body)
    stripped = text.strip()
    first = stripped.split("\n", 1)[0].rstrip()
    raised = _exception_in(stripped) if _TRACEBACK in stripped else None
    quote = (raised or first)[:QUOTE_LIMIT]
    return _Said(raised or stripped[: 2 * QUOTE_LIMIT], quote) if quote else None


def _may_be_error(line: bytes) -> bool:
    """Whether a line in lower case has a part of any word by which errors begin: one quick look at most lines."""
    return (
        b"err" in line
        or b"fail" in line
        or b"not " in line
        or b"n't " in line
        or b"xcept" in line
        or b"inva" in line
        or b"unkn" in line
        or b"unab" in line
        or b"una" in line
        or b"no such" in line
        or b"no module" in line
        or b"deni" in line
        or b"miss" in line
        or b"unex" in line
        or b"unsup" in line
        or b"fatal" in line
        or b"trace" in line
        or b"panic" in line
        or b"time" in line
        or b"reje" in line
        or b"refu" in line
        or b"abor" in line
        or b"forb" in line
        or b"exist" in line
        or b"must " in line
        or b"requ" in line
        or b"ill" in line
        or b"interr" in line
        or b"exit" in line
        or b"recog" in line
        or b"directory" in line
    )


_MARKED_UP: Final = ("#", "- ", "* ", "//", "> ", "| ")
"""How headings, lists, comments and tables begin."""


def _begins_as_error(line: str, size: int) -> bool:
    if line.startswith(_MARKED_UP):
        return False
    if _LABELLED.match(line):
        return size <= 2 * LONGEST_SENTENCE or bool(_LABEL_ALONE.match(line))
    if size > LONGEST_SENTENCE or not any(word in line for word in _SENTENCE_WORDS):
        return False
    return bool(_OF_PROGRAM.match(line) or _SENTENCE.match(line))


def _last_lines(body: Raw, view: memoryview, head: bytes) -> _Said | None:
    """An exception, or the note of an exit code, at the end of an output or alone at its beginning."""
    begins = b"Traceback" in head or (head[1:2] in _NOTES_FIRST and _EXITS_FIRST.match(head))
    if not begins and not _may_end_in_error(str(view[-_LAST_BYTES:], "latin-1")):
        return None
    text = content.text_of(body)
    return _said_at_end(text if len(text) <= LONGEST_READ else text[: LONGEST_READ // 2] + text[-LONGEST_READ // 2 :])


def _may_end_in_error(end: str) -> bool:
    """Whether the end of an output has a part of what an exception or an exit code is told by."""
    return (
        "Error" in end
        or "xit" in end
        or "xcept" in end
        or "nterrupt" in end
        or "turn code" in end
        or "turncode" in end
        or "turn_code" in end
    )


def _said_at_end(text: str) -> _Said | None:
    """What a program's output ends in: an exit code that is not 0, and the exception that led to it."""
    end = text[-TAIL_BYTES:]
    code = _exit_code(end, text)
    if code is not None and int(code[1]) == 0:
        return None
    raised = _exception_at_end(text)
    if raised:
        return _Said(raised, raised[:QUOTE_LIMIT])
    return _said_beside(code, text) if code else None


def _exit_code(end: str, text: str) -> re.Match[str] | None:
    """The note of an exit code on the last lines, or on the first."""
    last = _last(_EXIT.finditer(end))
    if last and end[last.end() :].count("\n") <= 2:
        return last
    return _EXIT.match(text.lstrip(" \n[(<"))


def _said_beside(code: re.Match[str], text: str) -> _Said:
    """What stands on the line beside the note of an exit code, where that is an error that is known."""
    lines = [line.strip() for line in (text[:1_000] + "\n" + text[-1_000:]).splitlines() if line.strip()]
    place = next((place for place, line in enumerate(lines) if code[0] in line), 0)
    for line in (*lines[max(0, place - 1) : place], *lines[place + 1 : place + 2]):
        if (kind_of(line) != OTHER and _LABELLED.match(line.lower())) or _OF_PROGRAM.match(line.lower()):
            return _Said(line, code[0], kind_of(line))
    return _Said(code[0], code[0], EXIT_CODE)


def _exception_at_end(text: str) -> str | None:
    """The exception that an output ends with, below a line of a traceback."""
    last = _last(_EXCEPTION_LINE.finditer(text, max(0, len(text) - 2_000)))
    if last is None or text.count("\n", last.end()) > 3:
        return None
    above = text[max(0, last.start() - 3_000) : last.start()]
    return last[0].rstrip() if _TRACEBACK in above or _FRAME.search(above) else None


def _exception_in(text: str) -> str | None:
    """The last exception of a text that is a traceback."""
    last = _last(_EXCEPTION_LINE.finditer(text))
    return last[0].rstrip() if last else None


def _last(matches: Iterator[re.Match[str]]) -> re.Match[str] | None:
    last = deque(matches, maxlen=1)
    return last[0] if last else None


_decode_keys = msgspec.json.Decoder(dict[str, Raw]).decode


def _said_in_json(body: Raw, size: int) -> _Said | None:
    """An error under a key of an object, as errors of services and of runners of programs are."""
    if size > LONGEST_OBJECT and not _tells_exit(body):
        return None
    text = content.text_of(body) if bytes(memoryview(body)[:1]) == b'"' else bytes(body).decode("utf-8", "replace")
    value = _object_in(text)
    if value is None:
        return _first_of_list(text)
    said = _said_by(value)
    if not said:
        return None
    whole = content.text_of(body)
    if _is_number(said):
        code = _EXIT.search(whole)
        return _Said(said, code[0] if code else _as_it_stands(said, whole), EXIT_CODE)
    raised = _exception_in(said) if _TRACEBACK in said else None
    words = raised or said
    return _Said(words, _as_it_stands(words, whole))


def _tells_exit(body: Raw) -> bool:
    end = bytes(memoryview(body)[-TAIL_BYTES:])
    return b"exit" in end or b"eturn" in end


def _object_in(text: str) -> dict[str, Any] | None:
    """The keys of an object that may tell of an error, decoded; an object alone in a list counts as one.

    None for a text that is no JSON.
    """
    try:
        keys = _decode_keys(text)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        try:
            value = content.value_of(text)
        except ValueError:
            return None
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        return value if isinstance(value, dict) else {}
    found: dict[str, Any] = {}
    if keys.keys().isdisjoint(_READ_KEYS):
        return found
    for key in keys.keys() & _READ_KEYS:
        try:
            found[key] = content.value_of(keys[key])
        except ValueError:
            continue
    return found


def _first_of_list(text: str) -> _Said | None:
    """A text that begins with a bracket and is no JSON, such as `[ERROR] …` or `[exit code 1]`."""
    line = text.strip().split("\n", 1)[0][:QUOTE_LIMIT]
    if _LABEL_ALONE.match(line.lower()):
        return _Said(line, line)
    return _said_at_end(text) if len(text) <= LONGEST_READ else None


def _said_by(value: dict[str, Any], depth: int = 2) -> str | None:
    """The words of an error object: under an error key, beside a bad state, or in what a program printed."""
    for key in _ERROR_KEYS:
        if (found := value.get(key)) not in _NOTHING:
            return _words(found) or (_beside(value) if found is True else str(found))
    code = next((value[key] for key in _EXIT_KEYS if key in value), None)
    if isinstance(code, int) and not isinstance(code, bool):
        return _printed(value, code) if code else None
    if value.get("type") == "error" or any(_is_bad(key, value[key]) for key in _STATE_KEYS if key in value):
        return _beside(value)
    for key in _INNER_KEYS if depth else ():
        inner = value.get(key)
        if isinstance(inner, str) and inner[:1] == "{" and len(inner) <= LONGEST_OBJECT:
            inner = _object_in(inner) or {}
        if isinstance(inner, dict) and (said := _said_by(inner, depth - 1)):
            return said
    return None


def _printed(value: dict[str, Any], code: int) -> str:
    """What a program that failed printed: the exception, else the words of its errors, else its exit code."""
    for key in ("stderr", "output", "stdout", "content"):
        text = _words(value.get(key))
        if text and (told := _exception_at_end(text) or (text if key == "stderr" else _line_of_error(text))):
            return told
    return str(code)


def _line_of_error(text: str) -> str:
    """The first of the outer lines of an output that begins as errors begin; empty where none does."""
    lines = [line.strip() for line in (text[:1_000] + "\n" + text[-1_000:]).splitlines() if line.strip()]
    outer = lines if len(lines) <= 6 else lines[:3] + lines[-3:]
    return next((line for line in outer if _begins_as_error(line.lower(), len(line))), "")


def _is_number(said: str) -> bool:
    return len(said) <= 4 and said.lstrip("-").isdigit()


def _is_bad(key: str, state: Any) -> bool:
    if key in ("is_error", "isError"):
        return state is True
    if key in ("ok", "success", "succeeded"):
        return state is False
    if key in ("code", "status_code", "status") and isinstance(state, int) and not isinstance(state, bool):
        return 400 <= state < 600
    return isinstance(state, str) and state.lower() in _BAD_STATES


def _beside(value: dict[str, Any]) -> str:
    words = next((words for key in _SAYS_KEYS if (words := _words(value.get(key)))), "")
    return words or content.canonical(value)[:QUOTE_LIMIT]


def _words(found: Any) -> str:
    if isinstance(found, str):
        return found.strip()
    if isinstance(found, list) and found:
        return _words(found[0])
    if isinstance(found, dict):
        return next((words for key in _SAYS_KEYS if (words := _words(found.get(key)))), "")
    return ""


def _as_it_stands(said: str, whole: str) -> str:
    """Words out of decoded JSON as the step's own text has them."""
    lines = [said, *said.strip().split("\n")[:1]]
    for part in lines:
        cut = part[:QUOTE_LIMIT]
        for form in (cut, _escaped(cut), _escaped(_escaped(cut)), _escaped(cut, ascii_only=True)):
            if form and form in whole:
                return form
    return whole[:QUOTE_LIMIT]


def _escaped(text: str, *, ascii_only: bool = False) -> str:
    """A text as it stands inside a JSON string."""
    import json

    return json.dumps(text, ensure_ascii=ascii_only)[1:-1]


def _judged(said: _Said, arguments: str) -> ToolError | None:
    if said.kind == EXIT_CODE:
        found_nothing = (said.words == "1" or _EXIT_OF_ONE.search(said.quote)) and _SEARCHES.search(arguments[:2_000])
        return None if found_nothing else ToolError(EXIT_CODE, said.quote)
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


_OF_THE_CODE: Final = re.compile(
    r"(?:[a-z_]+\.)*(?:type|name|attribute|index|key|zerodivision|overflow|recursion|unboundlocal|arithmetic|stopiteration|floatingpoint|lookup|sympify)"
    r"(?:error|exception)\b"
)
"""Exceptions that say of code what is wrong with it: what their messages say besides is about that code."""


@lru_cache(maxsize=8_192)
def kind_of(words: str) -> str:
    """What an error is about, by its words."""
    lowered = words.lower()
    if _OF_THE_CODE.match(lowered):
        return "exception"
    return next((kind for kind, pattern in _COMPILED if pattern.search(lowered)), OTHER)
