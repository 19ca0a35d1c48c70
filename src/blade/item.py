"""Items of a trajectory in the Responses dialect, and what each type of item is.

Importers give items; everything above reads them as steps. A new item type is one new row of `FORMS`.
Chat-dialect messages (`role: tool`, `tool_calls`) are items too, so that both dialects read alike.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec
from msgspec import Raw

from blade import content

ABSENT: Final = Raw(b"")
"""Stands for a key that an item does not have; it is false, and null is not."""

NULL: Final = Raw(b"null")
_EMPTY_LIST: Final = Raw(b"[]")

_Text = str | None


class Item(msgspec.Struct, gc=False):
    """An item as it stands on disk: the union of the keys that any type of item has."""

    type: _Text = None
    role: _Text = None
    name: _Text = None
    call_id: _Text = None
    tool_call_id: _Text = None
    id: _Text = None
    status: _Text = None
    content: Raw = ABSENT
    arguments: Raw = ABSENT
    output: Raw = ABSENT
    summary: Raw = ABSENT
    tool_calls: Raw = ABSENT
    reasoning_content: Raw = ABSENT
    input: Raw = ABSENT
    action: Raw = ABSENT
    code: Raw = ABSENT
    queries: Raw = ABSENT
    result: Raw = ABSENT
    results: Raw = ABSENT
    outputs: Raw = ABSENT
    tools: Raw = ABSENT
    error: Raw = ABSENT


Entry = Item | list[Raw]
"""An entry of a list of items; some environments nest one conversation per entry as a list."""


class Form(msgspec.Struct, frozen=True, eq=False):
    """What a type of item is: the kind of step, who acted, and under which keys its body stands.

    All there are stand below: one is the same as another only if it is that very one.
    """

    kind: str
    actor: str
    keys: tuple[str, ...]
    own_result: tuple[str, ...] = ()
    """Keys under which a call that a server ran itself carries its result."""


_REASONING = Form("reasoning", "model", ("content", "summary", "reasoning_content"))
_CALL = Form("call", "model", ("arguments", "input", "action", "code"))
_RESULT = Form("result", "tool", ("output", "content", "result", "results", "outputs"))
_SERVED = ("output", "outputs", "results", "result", "error")

FORMS: Final[dict[str, Form]] = {
    "reasoning": _REASONING,
    "thinking": _REASONING,
    "function_call": _CALL,
    "function_call_output": _RESULT,
    "custom_tool_call": Form("call", "model", ("input", "arguments")),
    "custom_tool_call_output": _RESULT,
    "tool_call": _CALL,
    "tool_use": Form("call", "model", ("input", "arguments")),
    "tool_result": Form("result", "tool", ("content", "output")),
    "mcp_call": Form("call", "model", ("arguments", "input"), _SERVED),
    "mcp_list_tools": Form("result", "tool", ("tools", "error")),
    "mcp_approval_request": _CALL,
    "mcp_approval_response": _RESULT,
    "web_search_call": Form("call", "model", ("action", "queries"), _SERVED),
    "file_search_call": Form("call", "model", ("queries", "action"), _SERVED),
    "code_interpreter_call": Form("call", "model", ("code", "input"), _SERVED),
    "image_generation_call": Form("call", "model", ("action", "input"), _SERVED),
    "computer_call": Form("call", "model", ("action",)),
    "local_shell_call": Form("call", "model", ("action",)),
    "shell_call": Form("call", "model", ("action",)),
    "apply_patch_call": Form("call", "model", ("action", "input")),
}
"""Item type to form. Types that end in `_output`, `_result` or `_call` need no row unless they differ."""

ROLES: Final[dict[str, Form]] = {
    role: Form("result" if actor == "tool" else "message", actor, ("content", "output"))
    for role, actor in {
        "assistant": "model",
        "user": "user",
        "system": "system",
        "developer": "system",
        "tool": "tool",
        "function": "tool",
    }.items()
}
"""The forms of messages, by the role of their writer."""

_OTHER_ROLE = Form("message", "environment", ("content", "output"))
_OTHER = Form("other", "environment", ("content", "output", "summary", "input", "result", "results"))
_INLINE_CALL = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)
_MOST_INLINE_CALLS = 100
_THINKING = re.compile(r"\s*(?:<think(?:ing)?>)?(.*?)</think(?:ing)?>\s*", re.DOTALL)


def form_of(kind: str | None, role: str | None) -> Form:
    """The form of an item with this type and role; every item has one."""
    if kind in (None, "message"):
        return ROLES.get(role or "assistant", _OTHER_ROLE) if role or kind else _OTHER
    if form := FORMS.get(kind):
        return form
    if kind.endswith(("_output", "_result")):
        return _RESULT
    if kind.endswith("_call"):
        return _CALL
    return ROLES.get(role, _OTHER_ROLE) if role else _OTHER


def body_of(item: Item, keys: tuple[str, ...] | None = None) -> Raw | None:
    """The undecoded content of an item: the first of its form's keys that is there and not null."""
    for key in keys or form_of(item.type, item.role).keys:
        raw: Raw = getattr(item, key)
        if raw and raw != NULL and raw != _EMPTY_LIST:
            return raw
    return None


def speaker_of(item: Item) -> str | None:
    """The tool that is called or answers, or the speaker that a message names."""
    if item.name is None and item.type and item.type.endswith("_call"):
        return item.type.removesuffix("_call")
    return item.name


class Call(msgspec.Struct, gc=False):
    """A request to run a tool. `arguments` is as the model wrote it: usually JSON text inside JSON."""

    tool: _Text = None
    call_id: _Text = None
    arguments: Raw | str | None = None

    @property
    def arguments_text(self) -> str:
        """The arguments exactly as the model wrote them."""
        return content.json_text_of(self.arguments)

    @property
    def arguments_value(self) -> Any:
        """The decoded arguments, or their text where it is not JSON."""
        text = self.arguments_text
        try:
            return content.value_of(text) if text else {}
        except ValueError:
            return text


def calls_of(item: Item) -> tuple[Call, ...]:
    """The calls an item makes: one for a call item, any number for a message."""
    form = form_of(item.type, item.role)
    if form.kind == "call":
        return (Call(speaker_of(item), item.call_id or item.id, body_of(item)),)
    if form.kind != "message" or form.actor != "model":
        return ()
    if len(item.tool_calls) > len(NULL):
        return tuple(_chat_calls(item.tool_calls))
    return tuple(_inline_calls(item.content)) if b"tool_call" in bytes(item.content) else ()


class _ChatFunction(msgspec.Struct, gc=False):
    name: _Text = None
    arguments: Raw = ABSENT


class _ChatCall(msgspec.Struct, gc=False):
    id: _Text = None
    function: _ChatFunction | None = None
    name: _Text = None
    arguments: Raw = ABSENT


def _chat_calls(raw: Raw) -> Iterator[Call]:
    """The `tool_calls` of a chat message."""
    try:
        calls = msgspec.json.decode(raw, type=list[_ChatCall] | None)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return
    for call in calls or ():
        function = call.function or _ChatFunction(call.name, call.arguments)
        yield Call(function.name, call.id, function.arguments or None)


def _inline_calls(body: Raw) -> Iterator[Call]:
    """Calls written as `<tool_call>` text, which no parser of the server took out."""
    matches = _INLINE_CALL.finditer(content.text_of(body))
    for _, match in zip(range(_MOST_INLINE_CALLS), matches, strict=False):
        yield _inline_call(match[1].strip())


def _inline_call(text: str) -> Call:
    try:
        value: Any = content.value_of(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        return Call(None, None, text)
    name, arguments = value.get("name"), value.get("arguments", value.get("parameters"))
    if arguments is not None and not isinstance(arguments, str):
        arguments = content.canonical(arguments)
    return Call(name if isinstance(name, str) else None, None, arguments)


def without_thinking(text: str) -> str:
    """A message without the `<think>` part that stands before its answer."""
    if "</think" not in text:
        return text
    match = _THINKING.match(text)
    return text[match.end() :] if match else text


_decode_entry = msgspec.json.Decoder(Entry).decode
_decode_list = msgspec.json.Decoder(list[Raw]).decode
_decode_entries = msgspec.json.Decoder(list[Entry]).decode


def entries_of(raw: Raw) -> list[Entry]:
    """The entries of a JSON list of items, or of a plain text, whatever they hold."""
    try:
        return _decode_entries(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        pass
    try:
        return [entry_of(part) for part in _decode_list(raw)]
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        value = content.value_of(raw)
    if value is None:
        return []
    return [entry_of(Raw(msgspec.json.encode(part))) for part in (value if isinstance(value, list) else [value])]


def entry_of(raw: Raw) -> Entry:
    """One entry of a list of items: text stands for a message, keys of an odd type for their JSON."""
    try:
        return _decode_entry(raw)  # type: ignore[no-any-return]
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        pass
    value = content.value_of(raw)
    if not isinstance(value, dict):
        return Item(type="message" if isinstance(value, str) else type(value).__name__, content=raw)
    taken: dict[str, Any] = {}
    for info in msgspec.structs.fields(Item):
        if info.encode_name in value:
            part = value[info.encode_name]
            taken[info.name] = Raw(msgspec.json.encode(part)) if info.type is Raw else _as_text(part)
    return Item(**taken)


def _as_text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else content.canonical(value)


def flatten(entries: Iterable[Entry]) -> list[Item]:
    """The items of a list of entries, nested lists flattened in order: how refs count them."""
    items: list[Item] = []
    for entry in entries:
        if isinstance(entry, list):
            items.extend(flatten(map(entry_of, entry)))
        else:
            items.append(entry)
    return items
