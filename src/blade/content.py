"""What a JSON value says as text, in full or only its head, without decoding more than is asked for.

Most bytes of a rollout are the text of tool outputs. They stay as undecoded JSON (`msgspec.Raw`) until
somebody reads them, and a bounded reader decodes only the bounded part.
"""

import hashlib
import json
import re
from typing import Any

import msgspec
from msgspec import Raw

Scalar = None | bool | int | float | str
Value = None | bool | int | float | str | list[Raw] | dict[str, Raw]
"""A JSON value decoded one level deep: what a verifier's field is held as."""

_PEEK = 64
_QUOTE = ord('"')
_MOST_DIGITS = 4_000
_TELLING = frozenset(b"{[\\ ")
_AFTER_SPACE = frozenset((b"{", b"[", b"\\", b""))
_SPACE_AT_THE_START = re.compile(rb"\A(?:\\[nrt]| )+")
_SPACE_AT_THE_END = re.compile(rb"(?:\\[nrt]| )+\Z")
_OBJECT = re.compile(rb'\{(?:\\[nrt]| )*(?:\\"|\})')
_LIST = re.compile(rb'\[(?:\\[nrt]| )*(?:\\"|[\[{\]\-\d]|true|false|null)')
_AN_ESCAPE = re.compile(rb'[^\\]\\[n"]')
_SCALAR = re.compile(rb'(?:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|\\"[^"\\]*\\")(?:\\[nrt]| )*')
_TEXT_KEYS = ("text", "refusal", "content", "thinking", "output", "summary")


class _Part(msgspec.Struct, gc=False):
    text: str | None = None


_decode_text = msgspec.json.Decoder(str).decode
_decode_parts = msgspec.json.Decoder(list[_Part]).decode
_decode_any = msgspec.json.Decoder(Any).decode
_decode_shallow = msgspec.json.Decoder(Value).decode
_encode_sorted = msgspec.json.Encoder(order="deterministic").encode


def text_of(body: Raw | str | None) -> str:
    """The whole text of a body: a string as itself, content parts joined by line ends, else its JSON."""
    if body is None or isinstance(body, str):
        return body or ""
    first = bytes(memoryview(body)[:1])
    if first == b'"':
        try:
            return _decode_text(body)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return _any_text(body)
    if first == b"[":
        try:
            parts = _decode_parts(body)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return _any_text(body)
        texts = [part.text for part in parts if part.text is not None]
        return "\n".join(texts) if len(texts) == len(parts) else _any_text(body)
    return _any_text(body)


def head_of(body: Raw | str | None, limit: int) -> str:
    """The first `limit` characters of `text_of(body)`, found without decoding the rest."""
    if body is None or isinstance(body, str):
        return (body or "")[:limit]
    cut = beginning(body, limit)
    if cut is not body:
        try:
            head = _decode_text(cut)
            if len(head) >= limit:
                return head[:limit]
        except (msgspec.MsgspecError, UnicodeDecodeError):
            pass
    return text_of(body)[:limit]


def tail_of(body: Raw | str | None, limit: int) -> str:
    """The end of `text_of(body)`, about `limit` characters or more, found without decoding the rest."""
    if body is None or isinstance(body, str) or len(body) <= 2 * limit or memoryview(body)[0] != _QUOTE:
        return text_of(body)
    end = bytes(memoryview(body)[-2 * limit :])
    escape = _AN_ESCAPE.search(end)  # behind it no escape and no character is cut
    if escape and len(end) - escape.end() >= limit:
        try:
            return _decode_text(b'"' + end[escape.end() :])
        except (msgspec.MsgspecError, UnicodeDecodeError):
            pass
    return text_of(body)


def ends_of(body: Raw | str | None, limit: int) -> str:
    """`text_of(body)`; of more than `limit` characters the beginning and the end, without decoding the rest."""
    head = head_of(body, limit + 1)
    if len(head) <= limit:
        return head
    half = limit // 2
    tail = tail_of(body, half)
    if len(tail) < half:
        tail = text_of(body)
    return f"{head[:half]}\n…\n{tail[-half:]}"


def beginning(body: Raw, limit: int) -> Raw | bytes:
    """Enough of a long JSON string to hold `limit` characters as a rule, as a JSON string of its own.

    A body that is short, or no string, is given back as it is; an absent one as null.
    """
    window = limit + limit // 3
    if len(body) <= window + 2:
        return body or b"null"
    cut = bytes(memoryview(body)[: window + 1])
    if cut[0] != _QUOTE:
        return body
    if cut[-1] < 0x80 and b"\\" not in cut[-6:]:
        return cut + b'"'
    return _whole_characters(cut) + b'"'


def _whole_characters(cut: bytes) -> bytes:
    """`cut` without the escape or the UTF-8 sequence that the cut may have split."""
    escape = cut.rfind(b"\\", len(cut) - 6)
    if escape >= 0:
        while escape > 0 and cut[escape - 1] == 0x5C:
            escape -= 1
        return cut[:escape]
    end = len(cut)
    while end and cut[end - 1] & 0xC0 == 0x80:
        end -= 1
    return cut[: end - 1] if end and cut[end - 1] >= 0xC0 else cut


def value_of(body: Raw | bytes | memoryview | str) -> Any:
    """Decode JSON as the standard library would, with broken text replaced rather than refused.

    `ValueError` for what is no JSON, and for what is nested too deeply to be held.
    """
    try:
        return _decode_any(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        text = body if isinstance(body, str) else bytes(body).decode("utf-8", errors="replace")
    try:
        return mend_text(json.loads(text, strict=False, parse_int=_large_integer))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _large_integer(digits: str) -> int | float:
    """Integers of any size; those of thousands of digits as what a float makes of them."""
    return int(digits) if len(digits) < _MOST_DIGITS else float(digits)


def shallow(body: Raw) -> Value:
    """Decode a JSON value one level deep; what strict JSON does not allow is mended first."""
    try:
        value: Value = _decode_shallow(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        try:
            value = _decode_shallow(msgspec.json.encode(value_of(body)))
        except (ValueError, RecursionError):
            value = bytes(body).decode("utf-8", errors="replace")
    return value


def mend_text(value: Any) -> Any:
    """`value` with lone surrogates replaced, and with null for the numbers that JSON does not have."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, float):
        return value if value - value == 0.0 else None
    if isinstance(value, (list, tuple)):
        return [mend_text(item) for item in value]
    if isinstance(value, dict):
        return {mend_text(key): mend_text(item) for key, item in value.items()}
    return value


def json_text_of(body: Raw | str | None) -> str:
    """The text of a string, and of anything else its JSON as it stands: how arguments of a call are read."""
    if body is None or isinstance(body, str):
        return body or ""
    return text_of(body) if bytes(memoryview(body)[:1]) == b'"' else bytes(body).decode("utf-8", errors="replace")


def _any_text(body: Raw) -> str:
    try:
        return _text_of_value(value_of(body))
    except (ValueError, RecursionError):
        return bytes(body).decode("utf-8", errors="replace")


def _text_of_value(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, list):
        return "\n".join(filter(None, map(_text_of_part, value)))
    if isinstance(value, dict):
        return _text_of_part(value)
    return json.dumps(value)


def _text_of_part(part: Any) -> str:
    """The text of one content part; of a part that holds no text, what it is."""
    if not isinstance(part, dict):
        return _text_of_value(part)
    for key in _TEXT_KEYS:
        if part.get(key):
            return _text_of_value(part[key])
    kind = part.get("type")
    if isinstance(kind, str) and any(
        key in part for key in ("image_url", "file_id", "file_data", "input_audio", "source")
    ):
        return f"[{kind}]"
    if any(key in part for key in _TEXT_KEYS):
        return ""
    return canonical(part)


def canonical(value: Any) -> str:
    """Compact JSON with sorted keys: equal values give equal text. `ValueError` where it is nested too deeply."""
    try:
        return _encode_sorted(value).decode()
    except (UnicodeEncodeError, RecursionError, OverflowError):
        pass
    try:
        return json.dumps(mend_text(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def json_of(value: Value) -> str:
    """A shallow value as canonical JSON, or as it stands where it is nested too deeply for that."""
    try:
        return canonical(plain(value))
    except ValueError:
        parts = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
        return "".join(bytes(part).decode("utf-8", errors="replace") for part in parts)


def digest(data: bytes | Raw | str) -> str:
    """Sixteen hex digits that stand for `data` (SHA-256, cut to 64 bits)."""
    return hashlib.sha256(data.encode("utf-8", "replace") if isinstance(data, str) else data).hexdigest()[:16]


def plain(value: Value) -> Any:
    """A shallow value decoded all the way down."""
    if isinstance(value, dict):
        return {key: value_of(raw) for key, raw in value.items()}
    return [value_of(raw) for raw in value] if isinstance(value, list) else value


def media_of(body: Raw | str | None) -> list[Any]:
    """What stands for the images, sounds and files among content parts."""
    if body is None or isinstance(body, str) or bytes(memoryview(body)[:1]) != b"[":
        return []
    try:
        parts = value_of(body)
    except ValueError:
        return []
    keys = ("image_url", "input_audio", "audio_url", "video_url", "file_id", "file_data", "source")
    return [part[key] for part in parts if isinstance(part, dict) for key in keys if part.get(key)]


def shape_of(body: Raw | None) -> str:
    """A word of `vocabulary.RESULT_KINDS` for the output of a tool.

    Judged by the first and last bytes: parsing every output would cost more than the answer is worth.
    """
    if body is None:
        return "missing"
    view = memoryview(body)
    is_long = len(view) > _PEEK
    if is_long and view[0] == _QUOTE and view[1] not in _TELLING:  # most outputs, settled at once
        return "text"
    start = bytes(view[:_PEEK])
    if start[:1] != b'"':
        return {b"{": "object", b"[": "text", b"": "empty"}.get(start[:1], "scalar")
    if is_long and start[1:].lstrip(b" ")[:1] not in _AFTER_SPACE:
        return "text"
    start = _SPACE_AT_THE_START.sub(b"", start[1:] if is_long else start[1:-1])
    if not start:
        return "text" if text_of(body).strip() else "empty"
    if start[0] in b"{[":
        end = bytes(view[-_PEEK:-1])
        end = (_SPACE_AT_THE_END.sub(b"", end) if end[-1] in b" nrt" else end)[-1:]
        if _OBJECT.match(start):
            return "object" if end == b"}" else "text"
        return "list" if _LIST.match(start) and end == b"]" else "text"
    return "scalar" if not is_long and _SCALAR.fullmatch(start) else "text"


def size_of(body: Raw | str | None) -> int:
    """Bytes of the body as it stands on disk (as UTF-8, where it did not come from disk)."""
    if body is None:
        return 0
    return len(body.encode("utf-8", "replace")) if isinstance(body, str) else len(memoryview(body))
