"""Rollouts to columns, in bulk.

Everything here works on a batch of rollouts at once and on undecoded bytes for as long as it can: a step
costs about a microsecond, which is what lets the scan keep up with reading. Values that repeat (the kind
of a step, the name of a field) are numbered here and named again when the part is written.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, repeat
from operator import attrgetter
from typing import Any, NamedTuple

import msgspec
import numpy as np
from msgspec import Raw

from blade import content
from blade.content import Value
from blade.item import ABSENT, Form, Item, body_of, calls_of, form_of, speaker_of
from blade.rollout import Rollout
from blade.scan.tables import ANSWER_LIMIT, ARGUMENTS_LIMIT, FIELD_LIMIT, INPUTS, ROLLOUTS

Columns = dict[str, Any]
"""Column name to its values: a list, or an array of numbers, all of one length.

Where `shape` is among them, `shapes` holds the columns of what each shape stands for.
"""

MOST_FIELDS = 500
"""Fields kept of one row."""

_DEEPEST_FIELD = 4
_LARGEST_OPENED = 256 * 1024
_NESTED_ROLLOUT = {"response", "responses_create_params"}


def rollout_columns(batch: list[Rollout]) -> Columns:
    """One row per rollout."""
    columns = {column.name: list(map(column.read, batch)) for column in ROLLOUTS.columns if column.read}
    answers = [rollout.answer() or (None, None) for rollout in batch]
    columns["answer_step"] = [number for number, _ in answers]
    columns["answer"] = [text and text[:ANSWER_LIMIT] for _, text in answers]
    columns["answer_hash"] = [text and content.digest(text.strip()) for _, text in answers]
    return columns


def input_columns(batch: list[Rollout]) -> Columns:
    """One row per rollout that is owed."""
    return {column.name: list(map(column.read, batch)) for column in INPUTS.columns if column.read}


class _Codes(dict[Any, int]):
    """Numbers what it is asked for, in order of first appearance."""

    def __missing__(self, key: Any) -> int:
        self[key] = code = len(self)
        return code


_shape = attrgetter("type", "role", "name", "status")


class Trajectories:
    """The steps of a batch, item by item, with what the steps and the actions are both made from."""

    def __init__(self, batch: list[Rollout]) -> None:
        self.batch = batch
        self.offsets = np.array([rollout.place.offset for rollout in batch], dtype=np.int64)
        self.items: list[Item] = list(chain.from_iterable(rollout.items for rollout in batch))
        counts = np.array([len(rollout.items) for rollout in batch], dtype=np.int64)
        self.owner = np.repeat(np.arange(len(batch)), counts)
        self.number = np.arange(len(self.items)) - np.repeat(np.cumsum(counts) - counts, counts)
        codes = _Codes()
        self.code = np.fromiter(map(codes.__getitem__, map(_shape, self.items)), dtype=np.int32, count=len(self.items))
        self.shapes = list(codes)
        self.forms = [form_of(kind, role) for kind, role, _, _ in self.shapes]
        self.body = self._bodies()

    def _bodies(self) -> list[Raw]:
        """The body of every item: by the usual key where it holds something, else by the item's form."""
        bodies = [
            body
            if len(body := item.output or item.content or item.arguments or item.summary) > 4
            else body_of(item) or ABSENT
            for item in self.items
        ]
        for place in np.flatnonzero(self.flagged([_is_unusual(form) for form in self.forms])).tolist():
            bodies[place] = body_of(self.items[place]) or ABSENT
        return bodies

    def flagged(self, flags: list[bool]) -> np.ndarray:
        """Whether each item is of a shape with a true flag."""
        return np.array(flags, dtype=bool)[self.code] if flags else np.zeros(0, dtype=bool)

    def of_kind(self, kind: str, actor: str | None = None) -> np.ndarray:
        """Whether each item is of `kind`, and by `actor` where one is given."""
        return self.flagged([form.kind == kind and actor in (None, form.actor) for form in self.forms])

    def step_columns(self) -> Columns:
        """One row per item; its kind, actor, type, name and status stand in `shape`, by number, and under `shapes`."""
        return {
            "row": self.offsets[self.owner],
            "step": self.number,
            "shape": self.code,
            "bytes": np.fromiter(map(len, self.body), dtype=np.int32, count=len(self.body)),
            "shapes": self._shapes(),
        }

    def _shapes(self) -> Columns:
        """What the numbers in the `shape` of a step stand for."""
        codes = self.code.tolist()
        first = {code: place for place, code in zip(range(len(codes) - 1, -1, -1), reversed(codes), strict=True)}
        return {
            "kind": [form.kind for form in self.forms],
            "actor": [form.actor for form in self.forms],
            "type": [kind or role or "untyped" for kind, role, _, _ in self.shapes],
            "name": [speaker_of(self.items[first[code]]) for code in range(len(self.shapes))],
            "status": [status for _, _, _, status in self.shapes],
        }

    def action_columns(self) -> Columns:
        """One row per call, joined to the step that answers it."""
        return _Actions(self).columns()


def _is_unusual(form: Form) -> bool:
    """Whether the body may stand elsewhere than under the first of the usual keys that is there."""
    return bool(form.own_result) or form.keys[0] not in _USUAL_KEYS


_USUAL_KEYS = ("output", "content", "arguments", "summary")


class _Actions:
    """The calls of a batch."""

    def __init__(self, steps: Trajectories) -> None:
        self.steps = steps
        self.place: list[int] = []
        self.nth: list[int] = []
        self.tool: list[str | None] = []
        self.arguments: list[Raw | str | None] = []
        self.result: list[int | None] = []
        self.call_ids: list[str | None] = []
        self._collect()

    def _collect(self) -> None:
        """Calls in order, each with the first later result that answers it (see `rollout.results_of`)."""
        steps, items, owners = self.steps, self.steps.items, self.steps.owner.tolist()
        is_result = steps.of_kind("result")
        plain, served = steps.of_kind("call"), steps.flagged([bool(form.own_result) for form in steps.forms])
        spoken = np.zeros(len(items), dtype=bool)
        spoken[
            [
                place
                for place in np.flatnonzero(steps.of_kind("message", actor="model")).tolist()
                if _speaks_calls(items[place])
            ]
        ] = True
        waiting: dict[tuple[int, str | None], list[int]] = {}
        what = (is_result + 2 * served + 3 * spoken).tolist()
        for place in np.flatnonzero(plain | is_result | spoken).tolist():
            item = items[place]
            if what[place] == _RESULT:
                if queue := waiting.get((owners[place], item.call_id or item.tool_call_id)):
                    self.result[queue.pop(0)] = place
            elif what[place] == _SERVED:
                self._add(
                    place,
                    0,
                    speaker_of(item),
                    item.call_id or item.id,
                    steps.body[place],
                    place if _own_result(item) else None,
                )
            elif what[place] == _SPOKEN:
                for nth, call in enumerate(calls_of(item)):
                    waiting.setdefault((owners[place], call.call_id), []).append(len(self.place))
                    self._add(place, nth, call.tool, call.call_id, call.arguments, None)
            else:
                call_id = item.call_id or item.id
                waiting.setdefault((owners[place], call_id), []).append(len(self.place))
                self._add(place, 0, item.name or speaker_of(item), call_id, steps.body[place], None)

    def _add(
        self,
        place: int,
        nth: int,
        tool: str | None,
        call_id: str | None,
        arguments: Raw | str | None,
        result: int | None,
    ) -> None:
        self.place.append(place)
        self.nth.append(nth)
        self.tool.append(tool)
        self.call_ids.append(call_id)
        self.arguments.append(arguments or None)
        self.result.append(result)

    def columns(self) -> Columns:
        steps = self.steps
        place = np.array(self.place, dtype=np.int64)
        texts, are_json = canonical_arguments(self.arguments)
        bodies = self._result_bodies()
        numbers = steps.number.tolist()
        columns: Columns = {
            "row": steps.offsets[steps.owner[place]],
            "step": steps.number[place],
            "place": self.nth,
            "tool": self.tool,
            "arguments": texts,
            "arguments_json": are_json,
            "result_step": [None if step is None else numbers[step] for step in self.result],
            "result_kind": list(map(content.shape_of, bodies)),
            "result_bytes": [None if body is None else len(body) for body in bodies],
            "result_status": [None if step is None else steps.items[step].status for step in self.result],
        }
        return columns | self._recorded(columns["result_status"])

    def _result_bodies(self) -> list[Raw | None]:
        """The body of every call's result: empty where it holds nothing, None where there is none."""
        steps = self.steps
        if not any(form.own_result for form in steps.forms):
            return [None if step is None else steps.body[step] for step in self.result]
        return [
            None
            if step is None
            else (_own_result(item) or ABSENT)
            if step == place and (item := steps.items[step])
            else steps.body[step]
            for step, place in zip(self.result, self.place, strict=True)
        ]

    def _recorded(self, statuses: list[str | None]) -> Columns:
        """What the trajectory recorded about the runs of the tools."""
        steps, owners = self.steps, self.steps.owner.tolist()
        if not any(rollout.tool_records for rollout in steps.batch):
            return {"error_type": [None] * len(self.place), "duration_ms": np.full(len(self.place), np.nan)}
        records = [
            steps.batch[owners[place]].tool_records.get(call_id) if call_id else None
            for place, call_id in zip(self.place, self.call_ids, strict=True)
        ]
        return {
            "result_status": [
                record.status if record and record.status else status
                for record, status in zip(records, statuses, strict=True)
            ],
            "error_type": [record and record.error_type for record in records],
            "duration_ms": np.array([record.duration_ms if record else None for record in records], dtype=np.float64),
        }


_RESULT, _SERVED, _SPOKEN = 1, 2, 3


def _speaks_calls(item: Item) -> bool:
    """Whether a message of the model may make calls."""
    return bool(item.tool_calls) or b"tool_call" in bytes(item.content)


def _own_result(item: Item) -> Raw | None:
    return body_of(item, form_of(item.type, item.role).own_result)


_decode_texts = msgspec.json.Decoder(list[str]).decode
_decode_values = msgspec.json.Decoder(list[Any]).decode
_encode_lines = msgspec.json.Encoder(order="deterministic").encode_lines


def canonical_arguments(arguments: list[Raw | str | None]) -> tuple[list[str | None], list[bool | None]]:
    """Arguments in canonical JSON, cut to the limit, and whether each was JSON at all."""
    try:
        joined = b",".join(arguments)  # type: ignore[arg-type]
        texts = _decode_texts(b"[" + joined + b"]")
        values = _decode_values("[" + ",".join(texts) + "]")
        if len(values) != len(texts):
            raise ValueError("a text holds more than one value")
        lines = _encode_lines(values).decode().split("\n")
    except (msgspec.MsgspecError, UnicodeDecodeError, TypeError, ValueError, RecursionError):
        pairs = [_canonical_argument(argument) for argument in arguments]
        return [text for text, _ in pairs], [is_json for _, is_json in pairs]
    return [line[:ARGUMENTS_LIMIT] for line in lines[: len(texts)]], [True] * len(texts)


def _canonical_argument(argument: Raw | str | None) -> tuple[str | None, bool | None]:
    if argument is None:
        return None, None
    text = content.text_of(argument)
    try:
        return content.canonical(content.value_of(text))[:ARGUMENTS_LIMIT], True
    except (ValueError, RecursionError):
        return text[:ARGUMENTS_LIMIT], False


def field_columns(batch: list[Rollout]) -> Columns:
    """One row per field, nested objects opened; name and kind stand in `shape`, by number.

    Works field by field, since nearly all values of one field are of one type.
    """
    owners: dict[str, list[int]] = defaultdict(list)
    values: dict[str, list[Any]] = defaultdict(list)
    for rollout in batch:
        offset = rollout.place.offset
        for name, value in _fields_of(rollout):
            owners[name].append(offset)
            values[name].append(value)
    return _stacked([block for name in values for block in _blocks(name, owners[name], values[name])])


def _fields_of(rollout: Rollout) -> Iterable[tuple[str, Value]]:
    fields: Iterable[tuple[str, Value]] = rollout.fields.items()
    if dict in set(map(type, rollout.fields.values())):
        fields = [
            pair
            for name, value in fields
            for pair in (_opened(name, value, _DEEPEST_FIELD) if type(value) is dict else ((name, value),))
        ]
        if len(fields) > MOST_FIELDS:
            rollout.problems.append(f"{len(fields) - MOST_FIELDS} fields beyond the first {MOST_FIELDS} were left out")
            return fields[:MOST_FIELDS]
    return fields


def _opened(name: str, value: dict[str, Raw], depth: int) -> Iterator[tuple[str, Value]]:
    """An object's own fields as `name.key`, unless it is too deep, too large, or a rollout of its own."""
    if not depth or not value or value.keys() & _NESTED_ROLLOUT or sum(map(len, value.values())) > _LARGEST_OPENED:
        yield name, value
        return
    for key, raw in value.items():
        inner = content.shallow(raw)
        if type(inner) is dict:
            yield from _opened(f"{name}.{key}", inner, depth - 1)
        else:
            yield f"{name}.{key}", inner


class _Block(NamedTuple):
    """Values of one field and of one kind."""

    name: str
    kind: str
    rows: list[int]
    numbers: Any = None
    texts: list[str] | None = None
    hashes: list[str | None] | None = None


def _blocks(name: str, rows: list[int], values: list[Any]) -> Iterator[_Block]:
    """The values of one field, split by kind."""
    kinds = set(map(type, values))
    if len(kinds) == 1:
        yield _MAKE_BLOCK[kinds.pop()](name, rows, values)
        return
    for kind in sorted(kinds, key=str):
        chosen = [(row, value) for row, value in zip(rows, values, strict=True) if type(value) is kind]
        yield _MAKE_BLOCK[kind](name, [row for row, _ in chosen], [value for _, value in chosen])


def _text_block(name: str, rows: list[int], values: list[str]) -> _Block:
    hashes = [None if len(value) <= FIELD_LIMIT else content.digest(value) for value in values]
    return _Block(name, "text", rows, None, [value[:FIELD_LIMIT] for value in values], hashes)


def _json_block(kind: str) -> Callable[[str, list[int], list[Any]], _Block]:
    def make(name: str, rows: list[int], values: list[Any]) -> _Block:
        texts = [content.canonical(content.plain(value)) for value in values]
        return _Block(name, kind, rows, None, [text[:FIELD_LIMIT] for text in texts], list(map(content.digest, texts)))

    return make


def _number_block(name: str, rows: list[int], values: list[float]) -> _Block:
    """Numbers, with their text only where a double does not hold them."""
    large = [value for value in values if abs(value) >= 2**53]
    numbers = [value if abs(value) < 2**1000 else math.inf for value in values] if large else values
    return _Block(name, "number", rows, np.array(numbers, dtype=np.float64), list(map(str, values)) if large else None)


_MAKE_BLOCK: dict[type, Callable[[str, list[int], list[Any]], _Block]] = {
    type(None): lambda name, rows, values: _Block(name, "null", rows),
    bool: lambda name, rows, values: _Block(name, "boolean", rows, np.array(values, dtype=np.float64)),
    int: _number_block,
    float: _number_block,
    str: _text_block,
    list: _json_block("list"),
    dict: _json_block("object"),
}


def _stacked(blocks: list[_Block]) -> Columns:
    """Blocks one below the other, and under `shapes` what each number stands for."""
    sizes = [len(block.rows) for block in blocks]
    columns: Columns = {
        "row": np.array(list(chain.from_iterable(block.rows for block in blocks)), dtype=np.int64),
        "shape": np.repeat(np.arange(len(blocks)), np.array(sizes, dtype=np.int64)),
        "number": np.concatenate(
            [
                np.zeros(0),
                *(np.full(len(block.rows), np.nan) if block.numbers is None else block.numbers for block in blocks),
            ]
        ),
        "text": list(chain.from_iterable(block.texts or repeat(None, len(block.rows)) for block in blocks)),
        "hash": list(chain.from_iterable(block.hashes or repeat(None, len(block.rows)) for block in blocks)),
    }
    columns["shapes"] = {"name": [block.name for block in blocks], "kind": [block.kind for block in blocks]}
    return columns
