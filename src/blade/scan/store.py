"""The fact store: what was scanned of some runs, ready for SQL.

`scan_runs` brings the store up to date and gives summaries; the query engine is opened only when a run
has to be settled anew or somebody asks a question in SQL.
"""

import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from blade.artifacts import config, files, sidecars
from blade.artifacts.discover import RunFiles, shard_beside
from blade.errors import InputError, StoreError
from blade.rollout import Skipped
from blade.scan import pool
from blade.scan.cache import Cache, FileState, temporary_cache
from blade.scan.entries import FileScan, part_paths
from blade.scan.progress import Progress
from blade.scan.settle import SETTLE_VERSION, SETTLED_FILES, UNKNOWN
from blade.scan.summary import MOST_SHOWN, RunSummary
from blade.scan.work import PieceReport, PieceWork

if TYPE_CHECKING:
    from blade.scan.ask import Result
    from blade.scan.views import Views

_ROLE_OF_SIDECAR = {"failures": "failures", "materialized inputs": "inputs"}


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """How to scan."""

    cache: Cache | None = None
    """Where the store lives; None for a store that is gone afterwards."""
    workers: int = 0
    """Processes; 0 for one per core."""
    strict: bool = False
    """Whether a line that cannot be read is an error."""
    id_fields: tuple[str, ...] = ()
    """Fields that name a task, before the usual ones."""
    split_by: str = ""
    """A column of `rollouts` or a field whose values make runs of their own of each run; always so for agents."""
    longest_line: int = files.LONGEST_LINE
    progress: Progress = Progress()
    warn: Callable[[str], None] = lambda _: None


class SettledRun(msgspec.Struct):
    """A run with its scanned files and what was settled over them."""

    files: RunFiles
    scans: list[FileScan]
    key: str
    directory: Path
    summaries: list[RunSummary] = []
    split: str = ""


class Store:
    """Facts of some runs. Close it, or use it in a `with` statement, so that temporary files go."""

    def __init__(self, runs: list[SettledRun], cache: Cache, *, owned: bool = True) -> None:
        self.runs = runs
        self._cache = cache
        self._owned = owned
        self._views: Views | None = None

    @property
    def summaries(self) -> list[RunSummary]:
        """One summary per run, or per agent of a run that holds several."""
        return [summary for run in self.runs for summary in run.summaries]

    @property
    def connection(self) -> Any:
        """A DuckDB connection with the tables of `blade.scan.views`; opened when first asked for."""
        if self._views is None:
            from blade.scan.views import open_views

            self._views = open_views(self.runs)
        return self._views.connection

    def sql(self, query: str, parameters: Sequence[Any] = (), *, seconds: float | None = None) -> "Result":
        """Ask a question; read-only, with no access to anything but the store."""
        from blade.scan.ask import ask

        return ask(self.connection, query, parameters, seconds)

    def only(self, runs: Sequence[str]) -> "Store":
        """A store of those files alone that hold the runs of these names; this one keeps what it is made of.

        A question to few runs need not open the files of all. Files are numbered anew.
        """
        wanted = set(runs)
        chosen = [run for run in self.runs if any(summary.run in wanted for summary in run.summaries)]
        return Store(chosen, self._cache, owned=False)

    def close(self) -> None:
        if self._views is not None:
            self._views.close()
            self._views = None
        if self._owned:
            self._cache.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def scan_runs(runs: Sequence[RunFiles], options: Options | None = None) -> Store:
    """Scan what is not stored yet, settle every run, and open the store."""
    options = options or Options()
    cache = _usable_cache(options)
    try:
        settled = _look_up_all(runs, cache, options)
        _scan([scan for run in settled for scan in run.scans], options)
        _settle(settled, cache)
        for run in settled:
            _check_strict(run, options)
        _check_split(settled, options)
    except BaseException:
        cache.close()
        raise
    return Store(settled, cache)


def _usable_cache(options: Options) -> Cache:
    """The cache that was asked for; where it cannot be written, one for this use, with a warning."""
    if options.cache is None:
        return temporary_cache()
    try:
        options.cache.prepare()
    except StoreError as error:
        options.warn(f"{error.text}; nothing of this scan is kept")
        return temporary_cache()
    return options.cache


def _look_up_all(runs: Sequence[RunFiles], cache: Cache, options: Options) -> list[SettledRun]:
    """Every run whose files can be opened; one that cannot costs that run, unless there is no other."""
    settled: list[SettledRun] = []
    failed: list[InputError] = []
    for run in runs:
        try:
            settled.append(_look_up(run, cache, options))
        except InputError as reason:
            failed.append(reason)
    if failed and (not settled or options.strict):
        raise failed[0]
    for error in failed:
        options.warn(f"{error}; this run is left out")
    return settled


def _look_up(run: RunFiles, cache: Cache, options: Options) -> SettledRun:
    found = [(path, "rollouts", shard) for shard, path in enumerate(run.rollouts)]
    for sidecar in run.sidecars:
        if role := _ROLE_OF_SIDECAR.get(sidecar.kind):
            found.append((sidecar.path, role, shard_beside(sidecar.path, run.rollouts)))
    scans = [
        FileScan(path, role, shard=shard, id_fields=options.id_fields, longest=options.longest_line)
        for path, role, shard in found
    ]
    for scan in scans:
        scan.look_up(cache.file(scan.key))
    settings = " ".join(
        [
            run.name,
            str(SETTLE_VERSION),
            options.split_by,
            *(f"{scan.key} {os.path.realpath(scan.path)}" for scan in scans),
        ]
    )
    key = hashlib.sha256(settings.encode()).hexdigest()[:24]
    return SettledRun(run, scans, key, cache.run(key), split=options.split_by)


def _scan(scans: list[FileScan], options: Options) -> None:
    """Do all the pieces that are not done, of all files together."""
    waiting = list({scan.key: scan for scan in scans if scan.manifest is None}.values())
    plans = {scan.key: scan.works() for scan in waiting}
    pending: list[PieceWork] = []
    for scan in waiting:
        scan.begin()
        pending.extend(work for work in plans[scan.key] if _report(work) is None)
    if pending:
        options.progress.begin(sum(_size(work) for work in pending))
        try:
            pool.run(pending, workers=options.workers or os.cpu_count() or 1, tell=options.progress.advance)
        finally:
            options.progress.end()
    for scan in waiting:
        reports = [report for work in plans[scan.key] if (report := _report(work))]
        manifest = scan.finish(plans[scan.key], reports)
        files.write_atomically(scan.directory / "manifest.json", msgspec.json.encode(manifest))
    for scan in scans:
        if scan.manifest is None:
            scan.look_up(scan.directory)


def _report(work: PieceWork) -> PieceReport | None:
    """The report of a piece that is done."""
    try:
        report = msgspec.json.decode(work.report_path.read_bytes(), type=PieceReport)
    except (OSError, msgspec.MsgspecError):
        return None
    paths = part_paths(Path(work.directory), work.role, [(work.piece.number, part) for part in range(report.parts)])
    return report if all(path.exists() for path in paths) else None


def _size(work: PieceWork) -> int:
    return (work.piece.end or os.path.getsize(work.piece.file)) - work.piece.start


class Settled(msgspec.Struct):
    """What is kept of a settled run; enough to find a row without the query engine."""

    what: str
    files: list[FileState]
    summaries: list[RunSummary]
    complete: bool = True


def _settle(runs: list[SettledRun], cache: Cache) -> None:
    """Take up what was settled before, settle the other runs now; read what may have changed beside them."""
    new = []
    for run in runs:
        kept = stored(cache, run.key)
        if kept is None:
            new.append(run)
        else:
            run.summaries = kept.summaries
    if new:
        from blade.scan.views import settle_runs

        settle_runs(new)
    for run in new:
        states = [_state(scan) for scan in run.scans]
        kept = Settled(run.files.name, states, run.summaries)
        files.write_atomically(run.directory / "manifest.json", msgspec.json.encode(kept))
    for run in runs:
        for summary in run.summaries:
            _complete(summary, run)
            cache.remember(summary.run, run.key)


def _complete(summary: RunSummary, run: SettledRun) -> None:
    """Add what is not in the rows: skipped lines, sidecars, configs, notes."""
    scanned = [(scan.path, scan.manifest) for scan in run.scans if scan.manifest]
    summary.skipped = [skip for _, manifest in scanned for skip in manifest.skips][:MOST_SHOWN]
    summary.skipped_count = sum(manifest.skipped for _, manifest in scanned)
    summary.sidecars = sidecars.describe(run.files)
    summary.notes = config.read_notes(run.files)
    notes = [f"{path}: {note}" for path, manifest in scanned for note in manifest.notes]
    if summary.skipped_count and not summary.rows:
        notes.append("no line of this file is a rollout")
    summary.problems = [*notes, *summary.problems]
    declared = config.read_config(run.files)
    if declared:
        summary.config = msgspec.to_builtins(declared)
        summary.problems += declared.problems
        if summary.expected is None and declared.repeats and len(run.summaries) == 1 and summary.tasks:
            tasks = declared.task_limit or summary.tasks
            summary.expected, summary.expected_from = declared.repeats * tasks, "config"
            counted = summary.rows - summary.duplicates
            summary.coverage = counted / summary.expected if summary.expected else None
            summary.missing_count = max(0, summary.expected - counted)


def _check_split(runs: Sequence[SettledRun], options: Options) -> None:
    names = [summary.run for run in runs for summary in run.summaries]
    if options.split_by and names and all(name.endswith(f"@{UNKNOWN}") for name in names):
        hint = '`blade sql "select distinct name from fields"` lists the fields, `blade sql --tables` the columns'
        raise InputError(f"no row says anything of {options.split_by}, so that it splits nothing", hint=hint)


def _check_strict(run: SettledRun, options: Options) -> None:
    skipped: list[Skipped] = run.summaries[0].skipped if run.summaries else []
    if options.strict and skipped:
        first = skipped[0]
        more = run.summaries[0].skipped_count - 1
        raise InputError(
            first.why + (f"; {more:,} more lines cannot be read" if more else ""),
            file=first.file,
            line=first.line,
            hint="without --strict such lines are skipped and counted",
        )


def _state(scan: FileScan) -> FileState:
    return FileState(os.path.abspath(scan.path), scan.fingerprint.size, scan.fingerprint.mtime_ns)


def stored(cache: Cache, key: str) -> Settled | None:
    """What is kept of a settled run, or None where it is gone or no longer whole."""
    directory = cache.run(key)
    if not all((directory / name).exists() for name in SETTLED_FILES):
        return None
    try:
        return msgspec.json.decode((directory / "manifest.json").read_bytes(), type=Settled)
    except (OSError, msgspec.MsgspecError):
        return None
