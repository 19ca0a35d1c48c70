"""Columns of fields: what the verifier and the metadata say, under the rows' own names."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np
from msgspec import Raw

from blade import content
from blade.content import Value
from blade.rollout import Rollout
from blade.scan.columns import Columns
from blade.scan.tables import FIELD_LIMIT

MOST_FIELDS = 500
"""Fields kept of one row."""

_DEEPEST_FIELD = 4
_LARGEST_OPENED = 256 * 1024
_EXACT = 2**53
_NESTED_ROLLOUT = {"response", "responses_create_params"}


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
        fields = chain.from_iterable(
            _opened(name, value, _DEEPEST_FIELD) if type(value) is dict else ((name, value),) for name, value in fields
        )
    elif len(rollout.fields) <= MOST_FIELDS:
        return fields
    kept = list(fields)
    if len(kept) > MOST_FIELDS:
        rollout.problems.append(f"{len(kept) - MOST_FIELDS} fields beyond the first {MOST_FIELDS} were left out")
    return kept[:MOST_FIELDS]


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
    texts: list[str] | list[str | None] | None = None
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
        texts = list(map(content.json_of, values))
        return _Block(name, kind, rows, None, [text[:FIELD_LIMIT] for text in texts], list(map(content.digest, texts)))

    return make


def _number_block(name: str, rows: list[int], values: list[float]) -> _Block:
    """Numbers, with their digits as text where a double does not hold them."""
    texts = [str(value) if type(value) is int and abs(value) > _EXACT else None for value in values]
    return _Block(name, "number", rows, np.array(list(map(_double, values))), texts if any(texts) else None)


def _double(value: float) -> float:
    """The nearest double; what is too large for one has its digits only."""
    try:
        return float(value)
    except OverflowError:
        return math.nan


_MAKE_BLOCK: dict[type, Callable[[str, list[int], list[Any]], _Block]] = {
    type(None): lambda name, rows, _: _Block(name, "null", rows),
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
