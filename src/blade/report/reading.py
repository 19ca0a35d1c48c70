"""Rollouts that a report quotes, read again by their places: few rows, each once, in the order of their files."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from blade.ref import Ref
from blade.rollout import Rollout
from blade.scan import places
from blade.scan.resolve import rows_at

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
            named = {found[ref].offset: ref for ref in own}
            for offset, rollout in rows_at(path, ((found[ref].offset, found[ref].length) for ref in own)):
                yield named[offset], rollout

    def size(self, ref: Ref) -> int:
        """Bytes of a row on disk; 0 for one that is not there."""
        where = self._where(ref)
        return where.length if where else 0

    def _where(self, ref: Ref) -> _Where | None:
        run = self._runs.get(ref.run)
        found = run and places.find(run.directory / "places.tsv", ref)
        return _Where(run.scans[found.file].path, found.offset, found.length) if run and found else None
