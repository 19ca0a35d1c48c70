"""Errors in JSON: an object that says so under a key, beside a state, or in what a program printed."""

import json
from typing import Any, Final

import msgspec
from msgspec import Raw

from blade import content
from blade.detect.error_texts import (
    EXIT,
    EXIT_CODE,
    LONGEST_READ,
    TAIL_BYTES,
    Said,
    begins_alone_as_error,
    exception_at_end,
    exception_in,
    last_line,
    line_of_error,
    said_at_end,
)
from blade.detect.signal import QUOTE_LIMIT

LONGEST_OBJECT: Final = 4_000
"""A longer JSON object is data, unless it is what a program printed."""
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
_decode_keys = msgspec.json.Decoder(dict[str, Raw]).decode


def said_in_json(body: Raw, size: int) -> Said | None:
    """An error under a key of an object, as errors of services and of runners of programs are."""
    if size > LONGEST_OBJECT and not _tells_exit(body):
        return None
    text = content.text_of(body) if bytes(memoryview(body)[:1]) == b'"' else bytes(body).decode("utf-8", "replace")
    value = _object_in(text)
    if value is None:
        return _first_of_list(text)
    said = _said_by(value) if value else None
    if not said:
        return None
    whole = content.text_of(body)
    if _is_number(said):
        code = EXIT.search(whole)
        return Said(said, code[0] if code else _as_it_stands(said, whole), EXIT_CODE)
    raised = exception_in(said)
    words = raised or said
    return Said(words, _as_it_stands(words, whole))


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


def _first_of_list(text: str) -> Said | None:
    """A text that begins with a bracket and is no JSON, such as `[ERROR] …` or `[exit code 1]`."""
    line = text.strip().split("\n", 1)[0][:QUOTE_LIMIT]
    if begins_alone_as_error(line):
        return Said(line, line)
    return said_at_end(text) if len(text) <= LONGEST_READ else None


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
        if text and (told := exception_at_end(text) or line_of_error(text) or (key == "stderr" and last_line(text))):
            return told
    return str(code)


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

    return json.dumps(text, ensure_ascii=ascii_only)[1:-1]
