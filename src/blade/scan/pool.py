"""Local processes that share the pieces of a scan."""

import contextlib
import gc
import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any, cast

from blade.errors import BladeError, StoreError
from blade.scan.work import PieceReport, PieceWork, scan_piece

Tell = Callable[[int, int], None]


def run(works: Sequence[PieceWork], *, workers: int, tell: Tell) -> list[PieceReport]:
    """Do every piece; the reports in the order of `works`. One worker means this process."""
    if workers <= 1 or len(works) <= 1:
        return _run_here(works, tell)
    return _Pool(works, min(workers, len(works)), tell).run()


def _run_here(works: Sequence[PieceWork], tell: Tell) -> list[PieceReport]:
    from blade.scan.parts import connect

    connection = connect()
    with connection, _no_collections():
        return [scan_piece(work, tell, connection) for work in works]


@contextlib.contextmanager
def _no_collections() -> Any:
    """Without cyclic garbage collection: records hold no cycles, and looking for them costs a tenth."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _context() -> Any:
    """Forking is fastest, and safe only while this process has one thread."""
    can_fork = "fork" in multiprocessing.get_all_start_methods() and threading.active_count() == 1
    return multiprocessing.get_context("fork" if can_fork else "spawn")


class _Pool:
    """Workers that each hold one pipe: pieces go in, progress and reports come out."""

    def __init__(self, works: Sequence[PieceWork], workers: int, tell: Tell) -> None:
        self._works = works
        self._tell = tell
        self._left = list(range(len(works)))[::-1]
        self._reports: list[PieceReport | None] = [None] * len(works)
        self._doing: dict[Connection, int] = {}
        self._start(workers)

    def _start(self, workers: int) -> None:
        context = _context()
        import duckdb  # noqa: F401  the workers inherit it, and the reduce needs it anyway
        import numpy  # noqa: F401

        self._processes: dict[Connection, Any] = {}
        for _ in range(workers):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs, [*self._processes, ours]), daemon=True)
            process.start()
            theirs.close()
            self._processes[ours] = process

    def run(self) -> list[PieceReport]:
        try:
            for pipe in self._processes:
                self._give(pipe)
            while self._doing:
                for ready in wait(list(self._doing)):
                    self._hear(cast("Connection", ready))
        finally:
            self._stop()
        return [report for report in self._reports if report is not None]

    def _give(self, pipe: Connection) -> None:
        if self._left:
            self._doing[pipe] = self._left.pop()
            pipe.send(self._works[self._doing[pipe]])

    def _hear(self, pipe: Connection) -> None:
        work = self._works[self._doing[pipe]]
        try:
            kind, value = pipe.recv()
        except (EOFError, OSError):
            self._processes[pipe].join(1)
            code = self._processes[pipe].exitcode
            raise StoreError(
                f"a worker died (exit {code}) while reading {work.piece.file}",
                hint="it may have run out of memory; try --workers 1",
            ) from None
        if kind == "told":
            self._tell(*value)
        elif kind == "done":
            self._reports[self._doing.pop(pipe)] = value
            self._give(pipe)
        else:
            raise value

    def _stop(self) -> None:
        for pipe, process in self._processes.items():
            pipe.close()
            if self._doing:
                process.terminate()
        for process in self._processes.values():
            process.join()


def _serve(pipe: Connection, inherited: list[Connection]) -> None:
    """The life of a worker: do pieces until the other end closes, which takes that nobody else holds it."""
    for other in inherited:
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()
    from blade.scan.parts import connect

    connection = connect()
    with contextlib.suppress(EOFError, OSError, BrokenPipeError):
        while True:
            work = pipe.recv()
            try:
                pipe.send(("done", scan_piece(work, lambda *told: pipe.send(("told", told)), connection)))
            except BladeError as error:
                pipe.send(("failed", error))
            except (OSError, MemoryError) as error:
                pipe.send(("failed", store_error(error, work.directory)))
            except Exception as error:  # noqa: BLE001  whatever it is, the parent must hear of it
                pipe.send(("failed", _unforeseen(error, work)))
    os._exit(0)


def store_error(error: BaseException, directory: str) -> StoreError:
    """What a failed write means, and what can be done about it."""
    text = str(error)
    if isinstance(error, MemoryError):
        return StoreError("out of memory while scanning", hint="try --workers 1")
    if "No space left" in text or getattr(error, "errno", None) == 28:
        return StoreError(
            f"no space left on the disk of {directory}", hint="free some, or name another place with --cache DIR"
        )
    return StoreError(
        f"cannot write the store in {directory}: {text.splitlines()[0] if text else type(error).__name__}",
        hint="name another place with --cache DIR",
    )


def _unforeseen(error: Exception, work: PieceWork) -> StoreError:
    if type(error).__module__.split(".")[0] in ("duckdb", "_duckdb"):
        return store_error(error, work.directory)
    where = traceback.extract_tb(error.__traceback__)[-1]
    piece = work.piece
    what = f"{type(error).__name__}: {error} (in {where.name}, line {where.lineno})"
    text = f"{piece.file}: bytes {piece.start} to {piece.end}: {what}"
    return StoreError(text, hint="this is a defect of BLADE; please report it")
