"""What observability adds to a row: `ng_trajectory`, `ng_agent_observations`, `ng_model_call_capture`.

Each is optional, and one that does not have the expected shape is left out with a note, never the row.
"""

from typing import Any

import msgspec
from msgspec import Raw

from blade import content
from blade.artifacts.nemo_gym.row import Number, Row
from blade.item import ABSENT, NULL, Item, entries_of, flatten
from blade.rollout import Observed, Timing, ToolRecord

_BAD_STATUSES = {"failed", "error", "cancelled"}


class _Invocation(msgspec.Struct, gc=False):
    status: str | None = None
    parent_invocation_id: str | None = None
    conversation: Raw = ABSENT


class _Turn(msgspec.Struct, gc=False):
    turn_no: Number = None
    question: Raw = ABSENT
    answer: Raw = ABSENT
    reasoning_content: Raw = ABSENT


class _Metadata(msgspec.Struct, gc=False):
    status_code: Number = None
    response_status: str | None = None
    finish_reason: str | None = None
    error_category: str | None = None
    model: str | None = None


class _ModelCall(msgspec.Struct, gc=False):
    """A call in `ng_trajectory` (metadata nested) or in the capture (metadata at its own level)."""

    started_at: Number = None
    completed_at: Number = None
    response_metadata: _Metadata | None = None
    status_code: Number = None
    response_status: str | None = None
    finish_reason: str | None = None
    error_category: str | None = None
    model: str | None = None
    request: Raw = ABSENT
    response: Raw = ABSENT

    def outcome(self) -> "_Metadata | _ModelCall":
        return self.response_metadata or self


class _Trajectory(msgspec.Struct, gc=False):
    invocations: list[_Invocation] | None = None
    turns: list[_Turn] | None = None
    model_calls: list[_ModelCall] | None = None
    tool_calls: list[ToolRecord] | None = None
    gaps: list[Raw] | None = None


class _Capture(msgspec.Struct, gc=False):
    calls: list[_ModelCall] | None = None
    gaps: list[Raw] | None = None


class _Record(ToolRecord, gc=False):
    kind: str | None = None
    role: str | None = None
    outcome: str | None = None


class _Observations(msgspec.Struct, gc=False):
    records: list[_Record] | None = None
    gaps: list[Raw] | None = None


class Seen(msgspec.Struct):
    """Everything the observations of one row say, in the terms of a rollout."""

    observed: Observed
    timing: Timing
    tools: dict[str, ToolRecord]
    model: str | None
    items: list[Item]
    items_from: str


def seen_in(row: Row, problems: list[str]) -> Seen:
    """Read the observations of a row; `items` are filled only where the row has no response."""
    trajectory = _read(row.trajectory, _Trajectory, "ng_trajectory", problems) or _Trajectory()
    capture = _read(row.capture, _Capture, "ng_model_call_capture", problems) or _Capture()
    observations = _read(row.observations, _Observations, "ng_agent_observations", problems) or _Observations()
    calls = sorted(trajectory.model_calls or capture.calls or [], key=lambda call: call.started_at or 0)
    records = observations.records or []
    tools = [*(record for record in records if record.kind == "tool_call"), *(trajectory.tool_calls or [])]
    items, source = ([], "none") if row.response else _conversation(trajectory, calls)
    return Seen(
        Observed(
            model_calls=len(calls) if calls else None,
            failed_model_calls=sum(map(_failed, calls)) if calls else None,
            finish_reason=calls[-1].outcome().finish_reason if calls else None,
            sandbox_outcome=_sandbox_outcome(records),
            compactions=sum(record.kind == "context_compaction" for record in records) if records else None,
            gaps=sum(len(source.gaps or ()) for source in (trajectory, capture, observations)),
        ),
        _span(calls, tools),
        {record.tool_call_id: record for record in tools if record.tool_call_id},
        next((model for call in calls if (model := call.outcome().model)), None),
        items,
        source,
    )


def _read(raw: Raw, kind: type[Any], key: str, problems: list[str]) -> Any:
    if not raw or raw == NULL:
        return None
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        problems.append(f"{key} could not be read: {error}")
        return None


def _failed(call: _ModelCall) -> bool:
    outcome = call.outcome()
    return bool((outcome.status_code or 0) >= 400 or outcome.error_category or outcome.response_status in _BAD_STATUSES)


def _sandbox_outcome(records: list[_Record]) -> str | None:
    """How the sandboxes ended: the first that did not end well speaks for all."""
    outcomes = [record.outcome for record in records if record.kind == "sandbox" and record.outcome]
    return next((outcome for outcome in outcomes if outcome != "completed"), outcomes[0] if outcomes else None)


def _span(calls: list[_ModelCall], tools: list[Any]) -> Timing:
    """From the first recorded start to the last recorded end."""
    events = [*calls, *tools]
    starts = [event.started_at for event in events if event.started_at]
    ends = [event.completed_at for event in events if event.completed_at]
    start, end = min(starts, default=None), max(ends, default=None)
    return Timing(start, end, end - start if start and end else None)


def _conversation(trajectory: _Trajectory, calls: list[_ModelCall]) -> tuple[list[Item], str]:
    """The trajectory of a row without response, from the best source there is."""
    for invocation in trajectory.invocations or []:
        is_root = invocation.parent_invocation_id is None and invocation.conversation
        if is_root and (items := flatten(entries_of(invocation.conversation))):
            return items, "conversation"
    for call in reversed(calls):
        if items := _exchange(call):
            return items, "model_calls"
    items = [item for turn in trajectory.turns or [] for item in _turn_items(turn)]
    return items, "turns" if items else "none"


class _Wire(msgspec.Struct, gc=False):
    """A request or response of a model server, in the Responses or the chat dialect."""

    input: Raw = ABSENT
    messages: Raw = ABSENT
    output: Raw = ABSENT
    choices: list[dict[str, Raw]] | None = None


def _exchange(call: _ModelCall) -> list[Item]:
    """What was sent in a model call after the prompt, and what came back."""
    items: list[Item] = []
    for raw in (call.request, call.response):
        wire = _read(raw, _Wire, "model call", []) or _Wire()
        for body in (wire.input, wire.messages, wire.output):
            if body:
                items.extend(flatten(entries_of(body)))
        messages = [choice["message"] for choice in (wire.choices or [])[:1] if "message" in choice]
        items.extend(flatten(item for message in messages for item in entries_of(Raw(b"[" + bytes(message) + b"]"))))
    first = next(
        (place for place, item in enumerate(items) if item.role == "assistant" or item.type not in (None, "message")),
        len(items),
    )
    return items[first:]


def _turn_items(turn: _Turn) -> list[Item]:
    parts = (
        (turn.question, "message", "user"),
        (turn.reasoning_content, "reasoning", None),
        (turn.answer, "message", "assistant"),
    )
    return [Item(type=kind, role=role, content=raw) for raw, kind, role in parts if raw and content.text_of(raw)]
