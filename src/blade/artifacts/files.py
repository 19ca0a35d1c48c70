"""Files of lines: opened whatever their compression, cut into pieces, read line by line within bounds.

Offsets count bytes of the uncompressed text. A plain file can be read from any of them; a compressed one
is read from its beginning each time, which is slower but needs nothing on disk.
"""

import atexit
import gzip
import hashlib
import importlib
import io
import itertools
import os
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import IO, Any, NamedTuple, cast

import msgspec

from blade.artifacts.cutting import LINE_END, UTF8_MARK, Text, cut, trimmed
from blade.errors import InputError

LONGEST_LINE = 256_000_000
"""Bytes of the longest line that is read; a longer one is skipped with a message."""

_BUFFER = 1024 * 1024
_PIECE = 128 * 1024 * 1024
_SMALL_PIECE = 16 * 1024 * 1024
_SNIFF = 64 * 1024
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


class Fingerprint(msgspec.Struct, frozen=True):
    """What tells one state of a file from another without reading all of it."""

    size: int
    mtime_ns: int
    ends: str
    """Hash of its first and last 64 KiB."""

    @property
    def key(self) -> str:
        return hashlib.sha256(f"{self.size} {self.mtime_ns} {self.ends}".encode()).hexdigest()[:24]


class Piece(msgspec.Struct, frozen=True):
    """A part of a file that can be read on its own: the lines that begin in `[start, end)`."""

    file: str
    number: int
    start: int
    end: int | None
    """None for a compressed file, whose uncompressed size nobody knows."""
    limit: int | None = None
    """Size of the file when it was first looked at; nothing beyond is read."""


class Line(NamedTuple):
    """A line that is not blank; or, where `why` is set, one that was not read."""

    number: int
    """From 1 within its piece."""
    offset: int
    text: Text
    """The line, with its line end unless other white space stood there too."""
    size: int = 0
    """Bytes of the line without white space at its end."""
    why: str = ""


def is_text(path: Path) -> bool:
    """Whether a path can be written down: the system allows names that are no text."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def fingerprint(path: Path) -> Fingerprint:
    """The state of the file at `path` now."""
    if not is_text(path):
        shown = str(path).encode(errors="replace").decode()
        raise InputError("has a name that is not UTF-8 text", file=shown, hint="rename it, or a directory above it")
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            digest = hashlib.sha256(file.read(_SNIFF))
            if status.st_size > _SNIFF:
                file.seek(max(_SNIFF, status.st_size - _SNIFF))
                digest.update(file.read(_SNIFF))
    except OSError as error:
        raise unreadable(path, error) from None
    return Fingerprint(status.st_size, status.st_mtime_ns, digest.hexdigest()[:24])


def unreadable(path: Path | str, error: OSError) -> InputError:
    """The error for a file that the system does not let us read."""
    if isinstance(error, IsADirectoryError):
        return InputError(
            "is a directory", file=str(path), hint="name the rollouts file, or a directory that holds one"
        )
    return InputError((error.strerror or str(error)).lower(), file=str(path), hint="check the path and its permissions")


def compression(path: Path) -> str:
    """`gzip`, `zstd` or `none`, by the file's first bytes whatever its name."""
    try:
        with path.open("rb") as file:
            start = file.read(4)
    except OSError as error:
        raise unreadable(path, error) from None
    if start.startswith(_UTF16_MARKS):
        raise InputError("is UTF-16 text", file=str(path), hint="convert it to UTF-8")
    return "gzip" if start.startswith(_GZIP) else "zstd" if start.startswith(_ZSTD) else "none"


def buffered(path: Path) -> io.BufferedReader:
    """The bytes for reading line by line; of a damaged archive, every byte before the damage."""
    raw = open_bytes(path)
    return io.BufferedReader(raw, _BUFFER) if isinstance(raw, io.RawIOBase) else cast("io.BufferedReader", raw)


def open_bytes(path: Path) -> IO[bytes]:
    """The uncompressed bytes of a file, from the beginning."""
    kind = compression(path)
    if kind == "gzip":
        return cast("IO[bytes]", gzip.open(path, "rb"))
    if kind == "zstd":
        return cast("IO[bytes]", _zstd().open(path, "rb"))
    return path.open("rb", buffering=0)


def _zstd() -> ModuleType:
    """The standard library's module where it has one, else its backport."""
    try:
        return importlib.import_module("compression.zstd")
    except ImportError:
        return importlib.import_module("backports.zstd")


def pieces(path: Path, size: int) -> list[Piece]:
    """Cut the first `size` bytes so that several processes can share them; a compressed file stays whole.

    The cut depends on the file alone, so that a scan that was interrupted finds its pieces again. The
    last pieces are small, so that no process works long after the others are done.
    """
    if compression(path) != "none":
        return [Piece(str(path), 0, 0, None)]
    cuts = [0]
    while cuts[-1] < size:
        cuts.append(min(size, cuts[-1] + max(_SMALL_PIECE, min(_PIECE, (size - cuts[-1]) // 4))))
    return [Piece(str(path), number, start, end, size) for number, (start, end) in enumerate(itertools.pairwise(cuts))]


def lines(piece: Piece, *, longest: int = LONGEST_LINE) -> Iterator[Line]:
    """The lines that begin in a piece; one that cannot be read says why. Blank ones are counted, not given."""
    number = offset = 0
    try:
        for number, (offset, text) in enumerate(_lines_from(piece, longest), 1):
            if piece.end is not None and offset >= piece.end:
                return
            if text is None:
                yield Line(number, offset, b"", why=f"longer than {longest / 1e6:,.0f} MB")
                continue
            start, text = trimmed(text, at_start=offset == 0)
            if text:
                yield Line(number, offset + start, text, len(text) - (text[-1] == LINE_END))
    except (OSError, EOFError, *_broken_archive()) as error:
        yield Line(number + 1, offset, b"", why=f"the file cannot be read from here on: {error}")


def _broken_archive() -> tuple[Any, ...]:
    """What the decompressors raise for damaged data, of those that are loaded."""
    zstd = sys.modules.get("compression.zstd") or sys.modules.get("backports.zstd")
    return (zlib.error, zstd.ZstdError) if zstd else (zlib.error,)


def _lines_from(piece: Piece, longest: int) -> Iterator[tuple[int, Text | None]]:
    """Offset and text of every line from the piece's first on; None for a line that is too long.

    What was added to the file since it was first looked at stays unread.
    """
    with buffered(Path(piece.file)) as file:
        offset = 0
        if piece.start:  # the line that reaches into the piece belongs to the one before
            file.seek(piece.start - 1)
            offset = piece.start - 1 + _pass_line(file)
        for size, text in cut(file, longest):
            if piece.limit is not None:
                if offset >= piece.limit:
                    return
                text = text[: piece.limit - offset] if text else text
            yield offset, text
            offset += size


def _pass_line(file: IO[bytes]) -> int:
    """Read to the end of the line without holding it; the bytes that were passed."""
    size = 0
    while part := file.readline(_BUFFER):
        size += len(part)
        if part.endswith(b"\n"):
            break
    return size


def read_row(path: Path, offset: int, length: int) -> bytes:
    """The bytes of one row: one seek in a plain file, decompression up to it in a compressed one."""
    try:
        with open_bytes(path) as file:
            if compression(path) == "none":
                file.seek(offset)
            else:
                _skip(file, offset)
            parts = []
            while length > 0 and (part := file.read(length)):
                parts.append(part)
                length -= len(part)
            return b"".join(parts)
    except (EOFError, *_broken_archive()) as error:
        raise InputError(f"is damaged: {error}", file=str(path)) from None
    except OSError as error:
        raise unreadable(path, error) from None


def _skip(file: IO[bytes], count: int) -> None:
    while count > 0 and (part := file.read(min(_BUFFER, count))):
        count -= len(part)


def spool(stream: IO[bytes], name: str = "stdin") -> Path:
    """Copy a stream to a temporary file, which is gone when this process ends; its name is that of the run."""
    directory = tempfile.mkdtemp(prefix="blade-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    path = Path(directory, f"{name}.jsonl")
    with path.open("wb") as file:
        shutil.copyfileobj(stream, file, _BUFFER)
    return path


def write_atomically(path: Path, data: bytes) -> None:
    """Write under a temporary name and move it into place: nobody ever sees half a file."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(data)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


class RowSource:
    """Rows of one file by their offset, fastest in rising order."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._compressed = compression(path) != "none"
        self._open()

    def _open(self) -> None:
        self._file = buffered(self._path)
        self._offset = 0

    def close(self) -> None:
        self._file.close()

    def line_at(self, offset: int) -> bytes:
        """The line that begins at `offset`, stripped."""
        if not self._compressed:
            self._file.seek(offset)
            return self._file.readline().removeprefix(UTF8_MARK).strip()
        if offset < self._offset:
            self._file.close()
            self._open()
        while self._offset < offset and (part := self._file.read(min(_BUFFER, offset - self._offset))):
            self._offset += len(part)
        line = self._file.readline()
        self._offset += len(line)
        return line.removeprefix(UTF8_MARK).strip()
