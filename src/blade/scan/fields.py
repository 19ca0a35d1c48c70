"""Columns of fields: what the verifier and the metadata say, under the rows' own names."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice, repeat
from typing import Any, NamedTuple

import numpy as np

from blade import content
from blade.content import Value
from blade.detect.fields import Telling, said_by
from blade.rollout import Rollout, opened_fields
from blade.scan.columns import Columns
from blade.scan.tables import FIELD_LIMIT

MOST_FIELDS = 500
"""Fields kept of one row."""

_EXACT = 2**53


class Fields:
    """The fields of a batch, field by field, since nearly all values of one field are of one type."""

    def __init__(self, batch: list[Rollout]) -> None:
        self._batch = batch
        self._owners: dict[str, list[int]] = defaultdict(list)
        self._values: dict[str, list[Any]] = defaultdict(list)
        owners, values = self._owners, self._values
        for owner, rollout in enumerate(batch):
            for name, value in _fields_of(rollout):
                owners[name].append(owner)
                values[name].append(value)

    def columns(self) -> Columns:
        """One row per field, nested objects opened; name and kind stand in `shape`, by number."""
        offsets = [rollout.place.offset for rollout in self._batch]
        blocks: list[_Block] = []
        for name, values in self._values.items():
            blocks += _blocks(name, [offsets[owner] for owner in self._owners[name]], values)
        return _stacked(blocks)

    def telling(self) -> dict[int, list[Telling]]:
        """Of the rollouts that have any, by their places in the batch: the fields that detectors read."""
        found: dict[int, list[Telling]] = defaultdict(list)
        for name, values in self._values.items():
            says = said_by(name)
            if says is not None:
                for owner, value in zip(self._owners[name], values, strict=True):
                    if says.listens_to(value):
                        found[owner].append(Telling(name, value, says))
        for owner, told in found.items():
            if len(told) > 1:  # the first counts, and must not hang on what other rows the batch holds
                place = {name: nth for nth, (name, _) in enumerate(opened_fields(self._batch[owner].fields))}
                told.sort(key=lambda telling: place[telling.name])
        return found


def _fields_of(rollout: Rollout) -> Iterable[tuple[str, Value]]:
    """Name and value of every field, objects opened, up to a bound."""
    fields = opened_fields(rollout.fields)
    if len(fields) > MOST_FIELDS:
        rollout.problems.append(f"{len(fields) - MOST_FIELDS} fields beyond the first {MOST_FIELDS} were left out")
    return islice(fields, MOST_FIELDS)


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
