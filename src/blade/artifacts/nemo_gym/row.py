"""One line of a rollouts file, decoded no deeper than needed.

Nearly every row is read in one pass by a typed decoder that skips what nobody asked for. Which verifier
and metadata keys a file has cannot be known beforehand, so the decoder learns them from the rows: a key
it has not met makes it refuse the row, learn the key, and read the row again. A row that is not strict
JSON (NaN, lone surrogates, broken UTF-8) or whose standard keys hold other types is read key by key; what
could not be taken as expected is said in `Row.problems`.
"""

import json
import re
from operator import attrgetter
from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType, field

from blade import content
from blade.artifacts.cutting import Text
from blade.content import Value
from blade.item import ABSENT, Entry, entries_of

MOST_KEYS = 2000
"""How many different keys the decoder learns; rows with further ones are read the slow way."""

MOST_AT_ONCE = 200
"""Keys that are learned as soon as they are met; further ones only several together, as each time costs."""

Number = int | float | None


class AgentRef(msgspec.Struct, gc=False):
    """`agent_ref`."""

    name: str | None = None


class SkillsRef(msgspec.Struct, gc=False):
    """`skills_ref`."""

    hash: str | None = None


class Reasoning(msgspec.Struct, gc=False):
    """`reasoning` of a request or a response."""

    effort: str | None = None


class IncompleteDetails(msgspec.Struct, gc=False):
    """`response.incomplete_details`: where a truncation shows while `status` stays null."""

    reason: str | None = None


class TokenDetails(msgspec.Struct, gc=False):
    """The details of a token count, on the input or the output side."""

    cached_tokens: Number = None
    reasoning_tokens: Number = None


class TokenUsage(msgspec.Struct, gc=False):
    """`response.usage`, in the Responses or the chat naming."""

    input_tokens: Number = None
    output_tokens: Number = None
    prompt_tokens: Number = None
    completion_tokens: Number = None
    total_tokens: Number = None
    cost: Number = None
    input_tokens_details: TokenDetails | None = None
    output_tokens_details: TokenDetails | None = None
    prompt_tokens_details: TokenDetails | None = None
    completion_tokens_details: TokenDetails | None = None


class Request(msgspec.Struct, gc=False):
    """`responses_create_params`."""

    input: Raw = ABSENT
    instructions: Raw = ABSENT
    tools: Raw = ABSENT
    metadata: Raw = ABSENT
    model: str | None = None
    temperature: Number = None
    top_p: Number = None
    max_output_tokens: Number = None
    reasoning: Reasoning | None = None


class Response(msgspec.Struct, gc=False):
    """`response`."""

    output: list[Entry] | None = None
    model: str | None = None
    status: str | None = None
    error: Value = None
    incomplete_details: IncompleteDetails | None = None
    usage: TokenUsage | None = None
    created_at: Number = None
    completed_at: Number = None
    tools: Raw = ABSENT
    temperature: Number = None
    top_p: Number = None
    max_output_tokens: Number = None
    reasoning: Reasoning | None = None
    metadata: Value = None


class Row(msgspec.Struct, kw_only=True, gc=False):
    """A row: the standard keys, typed; every other key in `fields`."""

    task_index: Value = field(name="_ng_task_index", default=None)
    rollout_index: Value = field(name="_ng_rollout_index", default=None)
    attempt_index: Value = field(name="_ng_attempt_index", default=None)
    environment_server: Value = field(name="_ng_environment_server", default=None)
    agent_ref: AgentRef | str | None = None
    responses_create_params: Request | None = None
    response: Response | None = None
    reward: Value | UnsetType = UNSET
    skills_ref: SkillsRef | None = None
    trajectory: Raw = field(name="ng_trajectory", default=ABSENT)
    observations: Raw = field(name="ng_agent_observations", default=ABSENT)
    capture: Raw = field(name="ng_model_call_capture", default=ABSENT)


class LooseRow(Row, kw_only=True):
    """A row that had to be read key by key."""

    extra: dict[str, Value] = {}
    problems: list[str] = []


class NotARowError(ValueError):
    """The line is no JSON object; the text says what it is instead."""


_KEYS = {info.encode_name: info for info in msgspec.structs.fields(Row)}


class RowDecoder:
    """Decodes lines to rows, and learns the keys of the file on the way."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._unlearned: dict[str, None] = {}
        self._readers: dict[type, tuple[tuple[str, ...], Any]] = {}
        self._build()

    def _build(self) -> None:
        """A struct type with a slot for every key met so far."""
        slots = [(slot, Value | UnsetType, UNSET) for slot in self._names.values()]
        rename = {slot: key for key, slot in self._names.items()}
        kind = msgspec.defstruct(
            "LearnedRow", slots, bases=(Row,), rename=rename, kw_only=True, gc=False, forbid_unknown_fields=True
        )
        self._readers[kind] = (tuple(self._names), attrgetter(*self._names.values(), "task_index", "reward"))
        self._decode: Any = msgspec.json.Decoder(kind).decode

    def decode(self, line: Text) -> Row:
        """The row on `line`, or `NotARowError`."""
        try:
            return self._decode(line)  # type: ignore[no-any-return]
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            pass
        if self._learn(line):
            try:
                return self._decode(line)  # type: ignore[no-any-return]
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                pass
        try:
            return read_loosely(bytes(line))
        except RecursionError:
            raise NotARowError("nested too deeply to be read") from None

    def _learn(self, line: Text) -> bool:
        """Take up the keys of this row; False where it holds none that are new."""
        try:
            keys = _decode_keys(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return False
        new = (key for key in keys if key not in self._names and key not in _KEYS and not _UNLEARNABLE.search(key))
        self._unlearned.update(dict.fromkeys(new))
        few = len(self._unlearned) * 8 < len(self._names) - MOST_AT_ONCE
        if not self._unlearned or few or len(self._names) + len(self._unlearned) > MOST_KEYS:
            return False
        for key in self._unlearned:
            self._names[key] = f"field_{len(self._names)}"
        self._unlearned.clear()
        self._build()
        return True

    def fields(self, row: Row) -> dict[str, Value]:
        """The verifier and metadata fields of a row that `decode` gave; a key that was absent is absent."""
        if isinstance(row, LooseRow):
            return row.extra
        names, read = self._readers[type(row)]
        return {key: value for key, value in zip(names, read(row), strict=False) if value is not UNSET}


_UNLEARNABLE = re.compile(r'["\\\x00-\x1f]')
"""Keys with characters that have to be escaped in JSON; rows with such a key are read the slow way."""

_decode_keys = msgspec.json.Decoder(dict[str, Raw]).decode


def read_loosely(line: bytes) -> LooseRow:
    """Read a row key by key: whatever can be taken is taken, the rest is named in `problems`."""
    problems: list[str] = []
    values = _object_of(line, problems)
    known: dict[str, Any] = {}
    for key, info in _KEYS.items():
        if key in values:
            known[info.name] = _take(values.pop(key), info.type, key, problems)
    extra = {key: content.shallow(raw) for key, raw in values.items()}
    return LooseRow(**known, extra=extra, problems=problems)


def _object_of(line: bytes, problems: list[str]) -> dict[str, Raw]:
    """The keys of a line with their values as strict JSON."""
    try:
        line.decode("utf-8")
        return _decode_keys(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        pass
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        text = line.decode("utf-8", errors="replace")
        problems.append("bytes that are not UTF-8 were replaced")
    try:
        value = json.loads(text, parse_constant=lambda name: _note_constant(name, problems))
    except RecursionError:
        raise NotARowError("nested too deeply to be read") from None
    except ValueError as error:
        raise NotARowError(_what_it_is(text, error)) from None
    if not isinstance(value, dict):
        raise NotARowError(f"a JSON {_kind(value)}, not an object")
    mended = content.mend_text(value)
    if not problems:
        problems.append("text or numbers that strict JSON does not allow were replaced")
    return msgspec.json.decode(msgspec.json.encode(mended), type=dict[str, Raw])


def _note_constant(name: str, problems: list[str]) -> None:
    note = f"{name} was read as null"
    if note not in problems:
        problems.append(note)


def _what_it_is(text: str, error: ValueError) -> str:
    """Why a line is not JSON, in words that help to find it."""
    start = re.sub(r"\s+", " ", text[:60]).strip()
    start = "".join(character for character in start if character.isprintable())
    broken_off = isinstance(error, json.JSONDecodeError) and (
        error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
    )
    if broken_off:
        return f"JSON that is cut off after {len(text)} characters, begins with {start!r}"
    return f"not JSON ({error}), begins with {start!r}"


def _take(raw: Raw, kind: Any, key: str, problems: list[str]) -> Any:
    """Decode a standard key as the type it should have, else as far as it can be taken."""
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        pass
    if key in ("response", "responses_create_params"):
        return _take_object(raw, Response if key == "response" else Request, key, problems)
    problems.append(f"{key} could not be read")
    return None


def _take_object(raw: Raw, kind: type[Any], key: str, problems: list[str]) -> Any:
    try:
        values = _decode_keys(raw)
    except (msgspec.MsgspecError, RecursionError):
        problems.append(f"{key} is a {_kind(content.value_of(raw))}, not an object")
        return None
    taken: dict[str, Any] = {}
    for info in msgspec.structs.fields(kind):
        value = values.get(info.encode_name)
        if value is None:
            continue
        if info.name == "output":
            taken["output"] = _take_output(value, problems)
            continue
        try:
            taken[info.name] = msgspec.json.decode(value, type=info.type)
        except (msgspec.MsgspecError, RecursionError):
            problems.append(f"{key}.{info.encode_name} could not be read")
    return kind(**taken)


def _take_output(raw: Raw, problems: list[str]) -> list[Entry] | None:
    """The items of an `output` of which at least one is not what it should be."""
    if bytes(memoryview(raw)[:1]) != b"[":
        problems.append("response.output is not a list: what stands there is read as one message")
    return entries_of(raw) or None


def _kind(value: Any) -> str:
    names = {dict: "object", list: "list", str: "string", bool: "boolean", int: "number", float: "number"}
    return names.get(type(value), "null")
