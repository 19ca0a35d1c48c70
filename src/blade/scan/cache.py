"""Where the store lives: a directory by the platform's convention, one entry per file that was scanned.

CACHE/files/<key>/   parts and piece reports of one file, and manifest.json
CACHE/runs/<key>/    what was settled over the files of one run: places.tsv, rows.parquet, run.json
CACHE/names/<run>    which runs were last seen under a name, newest last
"""

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from blade.artifacts.files import write_atomically
from blade.errors import StoreError

_MOST_NAMED = 20


def default_directory() -> Path:
    """`$BLADE_CACHE`, else the platform's directory for caches."""
    if named := os.environ.get("BLADE_CACHE"):
        return Path(named).expanduser()
    if sys.platform == "darwin":
        return Path("~/Library/Caches/blade").expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or "~/AppData/Local").expanduser() / "blade"
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "blade"


class Entry(msgspec.Struct, frozen=True):
    """A stored scan of a file, or what was settled for a run."""

    kind: str
    key: str
    what: str
    bytes: int
    complete: bool


class FileState(NamedTuple):
    """A file of a settled run, as it was when it was scanned."""

    path: str
    size: int
    mtime_ns: int


class _Files(msgspec.Struct):
    """The part of a settled run's manifest that says where its rows are."""

    files: list[FileState]


class Cache:
    """A directory of stored scans."""

    def __init__(self, directory: Path | None = None, *, temporary: bool = False) -> None:
        self.directory = directory or default_directory()
        self.temporary = temporary

    def prepare(self) -> None:
        """Make sure that the directory can be written, or raise `StoreError`."""
        try:
            for name in ("files", "runs", "names"):
                (self.directory / name).mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.directory):
                pass
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise StoreError(
                f"cannot write the cache in {self.directory}: {reason}",
                hint="name another place with --cache DIR, or use --no-cache",
            ) from None

    def file(self, key: str) -> Path:
        return self.directory / "files" / key

    def run(self, key: str) -> Path:
        return self.directory / "runs" / key

    def remember(self, run: str, key: str) -> None:
        """Note that `run` now means the settled run `key`, so that a ref finds it."""
        path = self._names(run)
        keys = [known for known in self.known(run) if known != key]
        write_atomically(path, "\n".join([*keys, key][-_MOST_NAMED:]).encode())

    def known(self, run: str) -> list[str]:
        """The settled runs that had this name, the newest last."""
        try:
            return self._names(run).read_text().split()
        except OSError:
            return []

    def _names(self, run: str) -> Path:
        return self.directory / "names" / hashlib.sha256(run.encode()).hexdigest()[:24]

    def states(self, key: str) -> list[FileState]:
        """The files of a settled run, in the order that its places count them; none where it is gone."""
        try:
            return msgspec.json.decode((self.run(key) / "manifest.json").read_bytes(), type=_Files).files
        except (OSError, msgspec.MsgspecError):
            return []

    def entries(self) -> Iterator[Entry]:
        """Everything that is stored, runs first."""
        for kind in ("runs", "files"):
            for path in sorted((self.directory / kind).glob("*")):
                manifest = _read(path / "manifest.json")
                size = sum(part.stat().st_size for part in path.iterdir() if part.is_file())
                yield Entry(
                    kind[:-1], path.name, manifest.get("what", "unknown"), size, manifest.get("complete", False)
                )

    def clear(self) -> int:
        """Remove everything that BLADE stored; the bytes that were freed."""
        freed = sum(entry.bytes for entry in self.entries())
        for name in ("files", "runs", "names"):
            shutil.rmtree(self.directory / name, ignore_errors=True)
        return freed

    def close(self) -> None:
        """Remove a directory that was made for one use."""
        if self.temporary:
            shutil.rmtree(self.directory, ignore_errors=True)


def _read(path: Path) -> dict[str, Any]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.MsgspecError):
        return {}


def temporary_cache() -> Cache:
    """A cache for one use, in the first place that can be written; `close` removes it."""
    for parent in (None, "/dev/shm"):  # noqa: S108  a file system in memory, where there is one
        try:
            cache = Cache(Path(tempfile.mkdtemp(prefix="blade-", dir=parent)), temporary=True)
            cache.prepare()
            return cache
        except OSError:
            continue
    raise StoreError("no directory can be written", hint="name one with --cache DIR")
