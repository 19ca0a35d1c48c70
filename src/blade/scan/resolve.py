"""From a ref to the rollout it points to: one search in a sorted file and one seek, once scanned."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from blade.artifacts import files
from blade.artifacts.discover import find_runs
from blade.artifacts.nemo_gym.rollouts import RolloutReader
from blade.errors import InputError, RefError
from blade.ref import Ref
from blade.rollout import Place, Rollout, Skipped
from blade.scan import places
from blade.scan.cache import Cache, FileState


class Resolved(NamedTuple):
    """What a ref points to."""

    ref: Ref
    rollout: Rollout


MOST_NAMED: Final = 8
"""Files that are listed where any of them may be meant."""


class _Where(NamedTuple):
    path: str
    found: places.Found


def resolve(
    ref: Ref, paths: Sequence[str] = (), cache: Cache | None = None, *, warn: Callable[[str], None] = lambda _: None
) -> Resolved:
    """Find a rollout among the runs that were scanned before, else among those at `paths`.

    Where several files hold a run of this name, the only one below this directory is meant, or one that `paths` name.
    """
    known = list(_known(ref, paths, cache)) if cache else []
    where = _meant(ref, known) if known else _scanned(ref, paths or (".",), cache, warn)
    rollout = read_at(where.path, where.found.offset, where.found.length)
    _check_step(ref, rollout)
    return Resolved(ref, rollout)


def _meant(ref: Ref, known: Sequence[_Where]) -> _Where:
    """The one file that holds the rollout, of those that are known; `RefError` with all of them where that is open."""
    files_of = {os.path.realpath(where.path): where for where in reversed(known)}
    here = os.path.realpath(".") + os.sep
    near = [where for path, where in files_of.items() if path.startswith(here)]
    for candidates in (list(files_of.values()), near):
        if len(candidates) == 1:
            return candidates[0]
    shown = sorted(where.path for where in files_of.values())
    raise RefError(
        f"{len(shown)} files hold a run named {ref.run} with this rollout",
        hint=f"name the one that is meant: blade show {ref} FILE, where FILE is {' or '.join(shown[:MOST_NAMED])}"
        + (f" or one of {len(shown) - MOST_NAMED} more" if len(shown) > MOST_NAMED else ""),
    )


def _known(ref: Ref, paths: Sequence[str], cache: Cache) -> Iterator[_Where]:
    """Where runs of this name have the rollout, the run that was seen last first; changed files are passed."""
    wanted = [os.path.abspath(path) for path in paths]
    for key in reversed(cache.known(ref.run)):
        states = cache.states(key)
        if not states or not all(map(_unchanged, states)):
            continue
        found = places.find(cache.run(key) / "places.tsv", ref)
        if found is None:
            continue
        path = states[found.file].path
        if not wanted or any(path == place or path.startswith(place + os.sep) for place in wanted):
            yield _Where(path, found)


def _unchanged(state: FileState) -> bool:
    try:
        status = os.stat(state.path)
    except OSError:
        return False
    return (status.st_size, status.st_mtime_ns) == (state.size, state.mtime_ns)


def _scanned(ref: Ref, paths: Sequence[str], cache: Cache | None, warn: Callable[[str], None]) -> _Where:
    """Scan what is at `paths` and look there."""
    from blade.scan.store import Options, scan_runs

    with scan_runs(find_runs(list(paths)), Options(cache=cache, warn=warn)) as store:
        for run in store.runs:
            found = places.find(run.directory / "places.tsv", ref)
            if found is not None:
                return _Where(run.scans[found.file].path, found)
        names = sorted({summary.run for summary in store.summaries})
    if ref.run in names:
        raise RefError(
            f"run {ref.run} has no rollout {ref.task}/{ref.rollout}",
            hint=f"`blade sql \"select ref from rollouts where run = '{ref.run}'\"` lists what it has",
        )
    shown = ", ".join(names[:8]) + (" …" if len(names) > 8 else "")
    raise RefError(f"no run named {ref.run} here", hint=f"found {shown}; name the file or directory that holds it")


def read_at(path: str, offset: int, length: int) -> Rollout:
    """Read one row by its place."""
    line = files.read_row(Path(path), offset, length)
    found = RolloutReader().read(line, Place(path, offset, length, 0))
    if isinstance(found, Skipped):
        raise RefError(
            f"{path}: the row at byte {offset:,} cannot be read any more: {found.why}",
            hint="the file has changed since it was scanned; run `blade runs` on it again",
        )
    return found


def _check_step(ref: Ref, rollout: Rollout) -> None:
    if ref.step is None:
        return
    in_prompt = ref.step.startswith("i")
    count = len(rollout.read_prompt()) if in_prompt else len(rollout.items)
    if int(ref.step.removeprefix("i")) >= count:
        what = (
            f"{'prompt items i' if in_prompt else 'steps '}0 to {'i' if in_prompt else ''}{count - 1}"
            if count
            else f"no {'prompt items' if in_prompt else 'steps'}"
        )
        raise RefError(f"no step {ref.step} in {ref.at(None)}", hint=f"it has {what}")


def rows_at(path: str, spots: Iterable[tuple[int, int]]) -> Iterator[tuple[int, Rollout]]:
    """Offset and rollout of the rows of one file that begin at these offsets and have these lengths, in rising order.

    A row that is none any more is left out; a file that is gone or damaged by now ends them.
    """
    reader = RolloutReader()
    try:
        source = files.RowSource(Path(path))
    except (InputError, OSError):
        return
    try:
        for offset, length in spots:
            try:
                line = source.line_at(offset)
            except (InputError, OSError, EOFError):
                return
            found = reader.read(line, Place(path, offset, length, 0))
            if isinstance(found, Rollout):
                yield offset, found
    finally:
        source.close()
