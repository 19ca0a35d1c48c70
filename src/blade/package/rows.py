"""What the rows of a rollouts file hold, by the standard library alone: one pass, one row in memory at a time."""

import gzip
import hashlib
import io
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from blade.artifacts.nemo_gym.names import ID_FIELDS
from blade.package.reading import trouble_of

LONGEST_ROW: Final = 64_000_000
"""Bytes of a row that is read."""

_TASK: Final = "_ng_task_index"
_ROLLOUT: Final = "_ng_rollout_index"
_REPEATS: Final = (_ROLLOUT, "rollout_index", "repeat_index", "repeat", "attempt", "sample_index", "trial")
_REWARDS: Final = ("reward", "score")
_IDS: Final = (_TASK, *ID_FIELDS)
_INSIDE: Final = ("verifier_metadata", "metadata", "extra", "info")
_SHOWN: Final = 3
_SAMPLED: Final = 200
"""Rows of a file whose keys are looked at."""

_MOST_KEYS: Final = 5_000


class BadLine(NamedTuple):
    """A line that holds no row."""

    line: int
    why: str


@dataclass
class FileRows:
    """What was seen in the rows of one or more files of a run."""

    rows: int = 0
    scored: int = 0
    passed: int = 0
    bad: list[BadLine] = field(default_factory=list)
    rewards_of_other_kind: list[BadLine] = field(default_factory=list)
    trouble: str = ""
    """Why a file could not be read at all, or not to its end."""
    without_task: list[int] = field(default_factory=list)
    """Lines whose row names no task."""
    task_fields: Counter[str] = field(default_factory=Counter)
    with_repeat: int = 0
    repeat_field: str = ""
    tasks: dict[str, int] = field(default_factory=dict)
    """Rows of each task."""
    aliases: set[str] = field(default_factory=set)
    """Every id that a row gives its task, wherever it stands."""
    copies: list[tuple[str, str]] = field(default_factory=list)
    """Task and repeat of rows that stand twice."""
    prompts: dict[str, str] = field(default_factory=dict)
    """A digest of the first prompt of each task."""
    keys: set[str] = field(default_factory=set)
    """Names of keys at any depth, of the first rows."""
    models: Counter[str] = field(default_factory=Counter)
    digest: str = ""
    """Of all bytes."""


def read_runs(runs: Mapping[str, Sequence[Path]], root: Path, id_fields: Iterable[str] = ()) -> dict[str, FileRows]:
    """The rows of every run."""
    wanted = (_TASK, *id_fields, *ID_FIELDS)
    return {name: _read_run(paths, root, wanted) for name, paths in runs.items()}


def _read_run(paths: Sequence[Path], root: Path, id_fields: Sequence[str]) -> FileRows:
    found = FileRows()
    reading = _Reading(found, id_fields)
    for path in paths:
        trouble = trouble_of(path, root)
        if not trouble:
            try:
                for number, line in lines_of(path):
                    reading.line(number, line)
            except (OSError, EOFError, zlib.error, ImportError) as error:
                trouble = f"cannot be read: {error}"
        if trouble:
            found.trouble = found.trouble or f"{path.name} {trouble}"
    found.digest = reading.hash.hexdigest()
    return found


def lines_of(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that are not blank, with their numbers; one that is too long is cut and said so by length."""
    with _opened(path) as file:
        number = 0
        while line := file.readline(LONGEST_ROW + 1):
            number += 1
            whole = line
            while len(line) > LONGEST_ROW and not line.endswith(b"\n"):
                line = file.readline(LONGEST_ROW + 1)
            if whole.strip():
                yield number, whole


def _opened(path: Path) -> io.BufferedIOBase:
    name = path.name.lower()
    if name.endswith(".gz"):
        return gzip.open(path)
    if name.endswith(".zst"):
        from blade.artifacts.files import open_bytes

        return open_bytes(path)  # type: ignore[return-value]
    return path.open("rb")


class _Reading:
    """The rows of a run at work."""

    def __init__(self, found: FileRows, id_fields: Sequence[str]) -> None:
        self._found = found
        self._id_fields = id_fields
        self._seen: set[tuple[str, str]] = set()
        self.hash = hashlib.blake2b(digest_size=16)

    def line(self, number: int, line: bytes) -> None:
        self.hash.update(line)
        row, why = row_of(line)
        if row is None:
            self._found.bad.append(BadLine(number, why))
            return
        self._found.rows += 1
        self._score(number, row)
        self._identity(number, row)
        if self._found.rows <= _SAMPLED and len(self._found.keys) < _MOST_KEYS:
            self._found.keys |= set(_keys(row))
        if model := _model(row):
            self._found.models[model] += 1

    def _score(self, number: int, row: Mapping[str, Any]) -> None:
        name = next((name for name in _REWARDS if row.get(name) is not None), "")
        value = row.get(name)
        if isinstance(value, (int, float)) and abs(value) < float("inf"):
            self._found.scored += 1
            self._found.passed += value >= 1
        elif name:
            shown = json.dumps(value, default=str)[:40]
            self._found.rewards_of_other_kind.append(BadLine(number, f"{name} is {shown}"))

    def _identity(self, number: int, row: Mapping[str, Any]) -> None:
        name, task = next(_named(row, self._id_fields), ("", ""))
        if not name:
            self._found.without_task.append(number)
            return
        self._found.task_fields[name] += 1
        self._found.tasks[task] = self._found.tasks.get(task, 0) + 1
        self._found.prompts.setdefault(task, _prompt(row))
        self._found.aliases |= _aliases(row) | {task}
        repeat_field, repeat = next(_named(row, _REPEATS), ("", ""))
        if repeat_field:
            self._found.with_repeat += 1
            self._found.repeat_field = repeat_field
            if (task, repeat) in self._seen:
                self._found.copies.append((task, repeat))
            self._seen.add((task, repeat))


def row_of(line: bytes) -> tuple[dict[str, Any] | None, str]:
    """The row on a line, or why there is none."""
    if len(line) > LONGEST_ROW:
        return None, f"longer than {LONGEST_ROW // 1_000_000} MB"
    try:
        row = json.loads(line)
    except UnicodeDecodeError:
        return None, "not UTF-8"
    except (ValueError, RecursionError) as error:
        return None, f"not JSON: {str(error)[:80] or 'nested too deeply'}"
    return (row, "") if isinstance(row, dict) else (None, "no JSON object")


def _named(row: Mapping[str, Any], names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Fields that are there with a plain value."""
    for name in names:
        value: Any = row
        for part in (name,) if name in row else name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if (isinstance(value, str) and value.strip()) or (isinstance(value, int) and not isinstance(value, bool)):
            yield name, str(value)


def _aliases(row: Mapping[str, Any]) -> set[str]:
    """The ids of a row's task, at the top and in what verifier and dataset add."""
    inside = [row, *(row[name] for name in _INSIDE if isinstance(row.get(name), dict))]
    return {str(each[name]) for each in inside for name in _IDS if isinstance(each.get(name), (str, int))}


def _prompt(row: Mapping[str, Any]) -> str:
    request = row.get("responses_create_params")
    asked = request.get("input") if isinstance(request, dict) else None
    if not asked:
        return ""
    return hashlib.blake2b(json.dumps(asked, sort_keys=True).encode("utf-8", "replace"), digest_size=16).hexdigest()


def _model(row: Mapping[str, Any]) -> str:
    for part in ("response", "responses_create_params"):
        inside = row.get(part)
        if isinstance(inside, dict) and isinstance(inside.get("model"), str) and inside["model"]:
            return str(inside["model"])
    return ""


def _keys(value: Any) -> Iterator[str]:
    """The keys of an object and of all below it."""
    waiting, seen = [value], 0
    while waiting and seen < _MOST_KEYS:
        one = waiting.pop()
        seen += 1
        if isinstance(one, dict):
            yield from one
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one[:50])


def listed(values: Sequence[Any], most: int = _SHOWN) -> str:
    """The first of some values, and how many more there are."""
    more = len(values) - most
    return ", ".join(str(value) for value in values[:most]) + (f" and {more:,} more" if more > 0 else "")
