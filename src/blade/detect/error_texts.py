"""Errors in texts: how they begin, and how the output of a program ends in one.

Judged by the first line and the last ones, so that long output costs no more than short output.
"""

import re
from collections import deque
from collections.abc import Iterator
from typing import Final, NamedTuple

from msgspec import Raw

from blade import content
from blade.detect.kinds import OTHER, kind_of
from blade.detect.signal import QUOTE_LIMIT

EXIT_CODE: Final = "exit code"
"""The kind of an error of which a program told no more than its exit code."""

HEAD_BYTES: Final = 200
TAIL_BYTES: Final = 400
_LAST_BYTES: Final = 150
LONGEST_SENTENCE: Final = 300
"""A longer text that begins with a plain sentence is prose, whatever the sentence says."""
LONGEST_READ: Final = 20_000
"""Of a longer output only the beginning and the end are looked at."""

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
_SAYS_ERROR: Final = re.compile(r"\s{0,4}(?:fatal |\w{1,20}_)?error: \S")
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
EXIT: Final = re.compile(
    r"\b(?:exit(?:ed)?(?: with)?(?: non-?zero)?[ _-]?(?:code|status)|return[ _]?code|exited with)\b\W{0,6}(-?\d{1,3})\b",
    re.IGNORECASE,
)
_EXITS_FIRST: Final = re.compile(rb"\"\W{0,4}(?:\\n\W{0,2})?(?:exit|return|command)", re.IGNORECASE)
_NOTES_FIRST: Final = frozenset((b"e", b"E", b"r", b"R", b"c", b"C", b"[", b"(", b"<", b"\\", b"-"))
TRACEBACK: Final = "Traceback (most recent call last)"
_EXCEPTION_LINE: Final = re.compile(
    r"^(?:[A-Za-z_][\w.]{0,80}(?:Error|Exception|Exit|Interrupt|Timeout|Warning|NotFound)|AssertionError|KeyboardInterrupt)(?::[^\n]{0,400})?$",
    re.MULTILINE,
)
_FRAME: Final = re.compile(r'^ *File "[^"\n]{1,300}", line \d+|^-{3,5}> ?\d+ |^Cell In\[\d+\]', re.MULTILINE)
"""What stands above an exception: a line of a traceback."""
_MARKED_UP: Final = ("#", "- ", "* ", "//", "> ", "| ")
"""How headings, lists, comments and tables begin."""


class Said(NamedTuple):
    """The words of an error, and its exact text in the answer."""

    words: str
    quote: str
    kind: str = ""


def first_line(body: Raw, head: bytes, size: int) -> Said | None:
    """An error that a text begins with."""
    start = 1
    while head[start : start + 2] in (b"\\n", b"\\r", b"\\t"):
        start += 2
    end = head.find(b"\\n", start)
    line = head[start:end] if end >= 0 else head[start:].rstrip(b'"')
    if not _may_be_error(line[:160].lower()) or not _begins_as_error(
        line.decode("utf-8", "ignore").lower().strip(), size
    ):
        return _second_line(body) if size <= LONGEST_SENTENCE and b"rror: " in head else None
    text = content.head_of(body, LONGEST_READ) if size > LONGEST_READ else content.text_of(body)
    stripped = text.strip()
    first = stripped.split("\n", 1)[0].rstrip()
    raised = exception_in(stripped)
    quote = (raised or first)[:QUOTE_LIMIT]
    return Said(raised or stripped[: 2 * QUOTE_LIMIT], quote) if quote else None


def _second_line(body: Raw) -> Said | None:
    """An error that stands in a short text behind a line of another kind, such as a warning."""
    text = content.text_of(body)
    line = next((line.strip() for line in text.splitlines()[1:3] if _SAYS_ERROR.match(line.lower())), "")
    return Said(line, line[:QUOTE_LIMIT]) if line else None


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


def _begins_as_error(line: str, size: int) -> bool:
    if line.startswith(_MARKED_UP):
        return False
    if _LABELLED.match(line):
        return size <= 2 * LONGEST_SENTENCE or bool(_LABEL_ALONE.match(line))
    if size > LONGEST_SENTENCE or not any(word in line for word in _SENTENCE_WORDS):
        return False
    return bool(_OF_PROGRAM.match(line) or _SENTENCE.match(line))


def last_lines(body: Raw, view: memoryview, head: bytes = b"") -> Said | None:
    """An exception, or the note of an exit code, at the end of an output or alone at its beginning."""
    begins = head and (b"Traceback" in head or (head[1:2] in _NOTES_FIRST and _EXITS_FIRST.match(head)))
    if not begins and not _may_end_in_error(str(view[-_LAST_BYTES:], "latin-1")):
        return None
    text = content.text_of(body)
    return said_at_end(text if len(text) <= LONGEST_READ else text[: LONGEST_READ // 2] + text[-LONGEST_READ // 2 :])


def _may_end_in_error(end: str) -> bool:
    """Whether the end of an output has a part of what an exception or an exit code is told by; rare letters first."""
    return (
        "Error" in end
        or ("x" in end and ("xit" in end or "xcept" in end))
        or "nterrupt" in end
        or ("turn" in end and ("turn code" in end or "turncode" in end or "turn_code" in end))
    )


def said_at_end(text: str) -> Said | None:
    """What a program's output ends in: an exit code that is not 0, and the exception that led to it."""
    end = text[-TAIL_BYTES:]
    code = _exit_code(end, text)
    if code is not None and int(code[1]) == 0:
        return None
    raised = exception_at_end(text)
    if raised:
        return Said(raised, raised[:QUOTE_LIMIT])
    return _said_beside(code, text) if code else None


def _exit_code(end: str, text: str) -> re.Match[str] | None:
    """The note of an exit code on the last lines, or on the first."""
    last = _last(EXIT.finditer(end))
    if last and end[last.end() :].count("\n") <= 2:
        return last
    return EXIT.match(text.lstrip(" \n[(<"))


def _said_beside(code: re.Match[str], text: str) -> Said:
    """What stands on the line beside the note of an exit code, where that is an error that is known."""
    lines = [line.strip() for line in (text[:1_000] + "\n" + text[-1_000:]).splitlines() if line.strip()]
    place = next((place for place, line in enumerate(lines) if code[0] in line), 0)
    for line in (*lines[max(0, place - 1) : place], *lines[place + 1 : place + 2]):
        if (kind_of(line) != OTHER and _LABELLED.match(line.lower())) or _OF_PROGRAM.match(line.lower()):
            return Said(line, code[0], kind_of(line))
    return Said(code[0], code[0], EXIT_CODE)


def exception_at_end(text: str) -> str | None:
    """The exception that an output ends with, below a line of a traceback."""
    last = _last(_EXCEPTION_LINE.finditer(text, max(0, len(text) - 2_000)))
    if last is None or text.count("\n", last.end()) > 3:
        return None
    above = text[max(0, last.start() - 3_000) : last.start()]
    return last[0].rstrip() if TRACEBACK in above or _FRAME.search(above) else None


def exception_in(text: str) -> str | None:
    """The last exception of a text that holds a traceback."""
    if TRACEBACK not in text:
        return None
    last = _last(_EXCEPTION_LINE.finditer(text))
    return last[0].rstrip() if last else None


def begins_alone_as_error(line: str) -> bool:
    """Whether a line says at once that it is an error, and goes on with what it is."""
    return bool(_LABEL_ALONE.match(line.lower()))


def _last(matches: Iterator[re.Match[str]]) -> re.Match[str] | None:
    last = deque(matches, maxlen=1)
    return last[0] if last else None


def line_of_error(text: str) -> str:
    """The first of the outer lines of an output that begins as errors begin; empty where none does."""
    lines = [line.strip() for line in (text[:1_000] + "\n" + text[-1_000:]).splitlines() if line.strip()]
    outer = lines if len(lines) <= 6 else lines[:3] + lines[-3:]
    return next((line for line in outer if _begins_as_error(line.lower(), len(line))), "")


def last_line(text: str) -> str:
    """The last line of a text that is not blank."""
    return text.strip().rsplit("\n", 1)[-1].strip()
