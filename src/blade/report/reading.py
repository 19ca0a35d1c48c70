"""Rollouts that a report quotes, read again by their places: few rows, each once, in the order of their files."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from blade.artifacts.files import RowSource
from blade.artifacts.nemo_gym.rollouts import RolloutReader
from blade.errors import InputError
from blade.ref import Ref
from blade.rollout import Place, Rollout
from blade.scan import places

if TYPE_CHECKING:
    from blade.scan.store import Store


class _Where(NamedTuple):
    path: str
    offset: int
    length: int


class Library:
    """The rollouts of a store, by their refs."""

    def __init__(self, store: "Store") -> None:
        self._runs = {summary.run: run for run in store.runs for summary in run.summaries}

    def read(self, refs: Iterable[Ref]) -> Iterator[tuple[Ref, Rollout]]:
        """The rollouts at these refs, one at a time, those of a file in rising order.

        What is missing, or cannot be read any more, is left out.
        """
        found = {ref: where for ref in dict.fromkeys(ref.at(None) for ref in refs) if (where := self._where(ref))}
        by_file: dict[str, list[Ref]] = {}
        for ref in sorted(found, key=lambda ref: (found[ref], ref)):
            by_file.setdefault(found[ref].path, []).append(ref)
        for path, own in by_file.items():
            yield from _read(path, [(ref, found[ref]) for ref in own])

    def size(self, ref: Ref) -> int:
        """Bytes of a row on disk; 0 for one that is not there."""
        where = self._where(ref)
        return where.length if where else 0

    def _where(self, ref: Ref) -> _Where | None:
        run = self._runs.get(ref.run)
        found = run and places.find(run.directory / "places.tsv", ref)
        return _Where(run.scans[found.file].path, found.offset, found.length) if run and found else None


def _read(path: str, rows: list[tuple[Ref, _Where]]) -> Iterator[tuple[Ref, Rollout]]:
    """Rows of one file; a file that is gone or damaged by now ends them."""
    reader = RolloutReader()
    try:
        source = RowSource(Path(path))
    except InputError:
        return
    try:
        for ref, where in rows:
            try:
                line = source.line_at(where.offset)
            except (InputError, OSError, EOFError):
                return
            found = reader.read(line, Place(path, where.offset, where.length, 0))
            if isinstance(found, Rollout):
                yield ref, found
    finally:
        source.close()
