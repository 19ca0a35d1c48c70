"""Columns of actions: one row per call, joined to the step that answers it.

Nearly every batch is regular: calls and results are items of their own, and an id names one call of its
rollout. Such a batch is joined in bulk; any other call by call, by the rule of `rollout.results_of`.
"""

from collections.abc import Sequence
from itertools import repeat
from typing import Any, NamedTuple

import msgspec
import numpy as np
from msgspec import Raw

from blade import content
from blade.detect.results import error_of
from blade.item import ABSENT, NULL, Call, Item, body_of, calls_of, form_of
from blade.scan.columns import NO_INTEGER, Columns
from blade.scan.tables import ARGUMENTS_LIMIT
from blade.scan.trajectories import Trajectories

_NONE = -1
"""Stands for no result where places of items are joined."""


class _Calls(NamedTuple):
    """The calls of a batch, by the places of their items among all items."""

    place: np.ndarray
    nth: Any
    tool: Any
    call_id: list[str | None]
    arguments: list[Raw | str | None]
    result: np.ndarray


class Actions:
    """The calls of a batch with what answers them, which their columns and the signals are both made from."""

    def __init__(self, steps: Trajectories) -> None:
        self.steps = steps
        self._calls = _join_in_bulk(steps) or _join_one_by_one(steps)
        self.owner = steps.owner[self._calls.place]
        self.step = steps.number[self._calls.place]
        self.tool = self._calls.tool
        self.call_id = self._calls.call_id
        self._answered = self._calls.result >= 0
        self._result = np.where(self._answered, self._calls.result, 0)
        found = steps.number[self._result] if len(self._result) else self._result
        self.result_step = np.where(self._answered, found, NO_INTEGER)
        self.bodies = _result_bodies(steps, self._calls)
        self.arguments = canonical_arguments(self._calls.arguments)
        self.errors = [
            error_of(body, text or "") if body else None
            for body, text in zip(self.bodies, self.arguments.texts, strict=True)
        ]

    def columns(self) -> Columns:
        """One row per call."""
        statuses = self._statuses()
        columns: Columns = {
            "row": self.steps.offsets[self.owner],
            "step": self.step,
            "place": self._calls.nth,
            "tool": self.tool,
            "arguments": [text and text[:ARGUMENTS_LIMIT] for text in self.arguments.texts],
            "arguments_json": self.arguments.are_json,
            "result_step": self.result_step,
            "result_kind": list(map(content.shape_of, self.bodies)),
            "result_bytes": [NO_INTEGER if body is None else len(body) for body in self.bodies],
            "result_status": statuses,
            "error": [error and error.kind for error in self.errors],
            "error_quote": [error and error.quote for error in self.errors],
        }
        return columns | _recorded(self.steps, self._calls, statuses)

    def _statuses(self) -> np.ndarray:
        """Of each call the status of the item that answers it."""
        if not len(self._result):
            return np.zeros(0, dtype=object)
        statuses = np.array(self.steps.statuses, dtype=object)[self.steps.code[self._result]]
        statuses[~self._answered] = None
        return statuses


def _join_in_bulk(steps: Trajectories) -> _Calls | None:
    """Calls and results by their ids; None for a batch that is not regular."""
    messages = steps.at(np.flatnonzero(steps.of_kind("message", "model")))
    if any(form.own_result for form in steps.forms) or _speak_calls(messages):
        return None
    places, answers = np.flatnonzero(steps.of_kind("call")), np.flatnonzero(steps.of_kind("result"))
    call_id = [item.call_id or item.id for item in steps.at(places)]
    result_id = [item.call_id or item.tool_call_id for item in steps.at(answers)]
    in_turn = call_id == result_id and np.array_equal(steps.owner[places], steps.owner[answers])
    result = answers if in_turn else _results_by_id(steps, places, call_id, answers, result_id)
    if result is None or np.any((result != _NONE) & (result < places)):
        return None
    tool: Any = np.array(steps.names, dtype=object)[steps.code[places]] if len(places) else []
    arguments: list[Raw | str | None] = [steps.body[place] or None for place in places.tolist()]
    return _Calls(places, np.zeros(len(places), dtype=np.int64), tool, call_id, arguments, result)


def _results_by_id(
    steps: Trajectories, places: np.ndarray, call_id: list[str | None], answers: np.ndarray, result_id: list[str | None]
) -> np.ndarray | None:
    """Of each call the place of its result, where an id names one call and one result of its rollout."""
    keys = list(zip(steps.owner[places].tolist(), call_id, strict=True))
    found = dict(zip(zip(steps.owner[answers].tolist(), result_id, strict=True), answers.tolist(), strict=True))
    if None in call_id or len(set(keys)) < len(keys) or len(found) < len(answers):
        return None
    return np.fromiter(map(found.get, keys, repeat(_NONE)), dtype=np.int64, count=len(keys))


def _speak_calls(messages: list[Item]) -> bool:
    """Whether any of these messages of the model may make calls."""
    if any(len(message.tool_calls) > len(NULL) for message in messages):
        return True
    return b"tool_call" in b"".join([message.content for message in messages])


def _join_one_by_one(steps: Trajectories) -> _Calls:
    """Every call with the first later result that answers it."""
    rows: list[tuple[int, int, Call]] = []
    result: list[int] = []
    waiting: dict[tuple[int, str | None], list[int]] = {}
    owners = steps.owner.tolist()
    for place, item in enumerate(steps.items):
        form = steps.forms[steps.code[place]]
        if form.kind == "result":
            if queue := waiting.get((owners[place], item.call_id or item.tool_call_id)):
                result[queue.pop(0)] = place
            continue
        for nth, call in enumerate(calls_of(item)):
            if not form.own_result:
                waiting.setdefault((owners[place], call.call_id), []).append(len(rows))
            rows.append((place, nth, call))
            result.append(place if form.own_result and body_of(item, form.own_result) else _NONE)
    return _Calls(
        np.array([place for place, _, _ in rows], dtype=np.int64),
        [nth for _, nth, _ in rows],
        [call.tool for _, _, call in rows],
        [call.call_id for _, _, call in rows],
        [call.arguments or None for _, _, call in rows],
        np.array(result, dtype=np.int64),
    )


def _result_bodies(steps: Trajectories, calls: _Calls) -> list[Raw | None]:
    """The body of every call's result: empty where it holds nothing, None where there is none."""
    bodies: list[Raw | None] = [None if place == _NONE else steps.body[place] for place in calls.result.tolist()]
    for nth in np.flatnonzero(calls.result == calls.place).tolist():  # calls that their server ran
        item = steps.items[calls.result[nth]]
        bodies[nth] = body_of(item, form_of(item.type, item.role).own_result) or ABSENT
    return bodies


def _recorded(steps: Trajectories, calls: _Calls, statuses: np.ndarray) -> Columns:
    """What the trajectory recorded about the runs of the tools."""
    count = len(calls.call_id)
    if not any(rollout.tool_records for rollout in steps.batch):
        return {"error_type": np.full(count, None, dtype=object), "duration_ms": np.full(count, np.nan)}
    owners = steps.owner[calls.place].tolist()
    records = [
        steps.batch[owner].tool_records.get(call_id) if call_id else None
        for owner, call_id in zip(owners, calls.call_id, strict=True)
    ]
    told = [
        record.status if record and record.status else status for record, status in zip(records, statuses, strict=True)
    ]
    return {
        "result_status": np.array(told, dtype=object),
        "error_type": np.array([record and record.error_type for record in records], dtype=object),
        "duration_ms": np.array([record.duration_ms if record else None for record in records], dtype=np.float64),
    }


_decode_texts = msgspec.json.Decoder(list[str]).decode
_decode_lines = msgspec.json.Decoder(Any).decode_lines
_encode_lines = msgspec.json.Encoder(order="deterministic").encode_lines


class Arguments(NamedTuple):
    """What calls were made with."""

    texts: Sequence[str | None]
    """Canonical JSON, or the text as it stands where it is none."""
    are_json: Any
    values: list[Any]
    """Decoded; None where it is no JSON."""


def canonical_arguments(arguments: list[Raw | str | None]) -> Arguments:
    """Arguments in canonical JSON, decoded, and whether each was JSON at all.

    Done for all together where each is one line of JSON, which nearly all are.
    """
    try:
        texts = _decode_texts(b"[" + b",".join(arguments) + b"]")  # type: ignore[arg-type]
        joined = "\n".join(texts)
        if joined.count("\n") >= len(texts):
            raise ValueError("an argument has several lines")
        values = _decode_lines(joined)
        if len(values) != len(texts):
            raise ValueError("an argument is empty")
        lines = _encode_lines(values).decode().split("\n")
    except (msgspec.MsgspecError, UnicodeDecodeError, TypeError, ValueError, RecursionError):
        found = list(map(_canonical_argument, arguments))
        return Arguments(
            [text for text, _, _ in found], [is_json for _, is_json, _ in found], [value for *_, value in found]
        )
    return Arguments(lines[: len(texts)], np.ones(len(texts), dtype=bool), values)


def _canonical_argument(argument: Raw | str | None) -> tuple[str | None, bool | None, Any]:
    if argument is None:
        return None, None, None
    text = content.json_text_of(argument)
    try:
        value = content.value_of(text)
        return content.canonical(value), True, value
    except ValueError:
        return text, False, None
