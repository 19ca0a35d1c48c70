"""One scanned file: which pieces it has, which are done, and what its parts are."""

import hashlib
import os
from pathlib import Path

import msgspec

from blade.artifacts import files
from blade.rollout import Skipped
from blade.scan.tables import SCHEMA_VERSION
from blade.scan.work import MOST_SKIPPED, PieceReport, PieceWork

ROLES = {
    "rollouts": ("rollouts", "steps", "actions", "signals", "fields"),
    "failures": ("rollouts", "steps", "actions", "signals", "fields"),
    "inputs": ("inputs", "input_fields"),
}
"""What a file of a run may be, and which tables its rows fill."""


class Manifest(msgspec.Struct, kw_only=True):
    """What a finished scan of a file found; its presence means that the scan is complete."""

    what: str
    role: str
    complete: bool = True
    lines: int = 0
    rows: int = 0
    skipped: int = 0
    skips: list[Skipped] = []
    parts: list[tuple[int, int]] = []
    """Number of each piece and of each of its parts."""
    starts: list[tuple[int, int]] = []
    """Where each piece starts, and how many lines of the file stand before it."""
    notes: list[str] = []


def part_paths(directory: Path, role: str, parts: list[tuple[int, int]], table: str = "") -> list[Path]:
    """Where the parts of a file stand: of one table, or of all that its rows fill."""
    tables = (table,) if table else ROLES[role]
    return [directory / f"{name}-{piece:05d}-{part:03d}.parquet" for name in tables for piece, part in parts]


class FileScan:
    """A file on its way into the store."""

    def __init__(self, path: str, role: str, *, shard: int, id_fields: tuple[str, ...], longest: int) -> None:
        self.path = path
        self.role = role
        self.shard = shard
        self.id_fields = id_fields
        self.longest = longest
        self.fingerprint = files.fingerprint(Path(path))
        files.compression(Path(path))  # what is no text at all is refused before anything is begun
        settings = f"{self.fingerprint.key} {SCHEMA_VERSION} {role} {','.join(id_fields)} {longest}"
        self.key = hashlib.sha256(settings.encode()).hexdigest()[:24]
        self.directory = Path()
        self.manifest: Manifest | None = None

    @property
    def tables(self) -> tuple[str, ...]:
        return ROLES[self.role]

    def look_up(self, directory: Path) -> None:
        """Take up what is stored in `directory`, where it is whole."""
        self.directory = directory
        try:
            manifest = msgspec.json.decode((directory / "manifest.json").read_bytes(), type=Manifest)
        except (OSError, msgspec.MsgspecError):
            return
        if manifest.complete and all(path.exists() for path in part_paths(directory, self.role, manifest.parts)):
            self.manifest = manifest

    def part_paths(self, table: str) -> list[Path]:
        """The parts of one table."""
        return part_paths(self.directory, self.role, self.manifest.parts if self.manifest else [], table)

    def begin(self) -> None:
        """Make room for the parts, with a note of what they will be."""
        self.directory.mkdir(parents=True, exist_ok=True)
        note = Manifest(what=os.path.realpath(self.path), role=self.role, complete=False)
        files.write_atomically(self.directory / "manifest.json", msgspec.json.encode(note))

    def works(self) -> list[PieceWork]:
        """Every piece of the file."""
        pieces = files.pieces(Path(self.path), self.fingerprint.size)
        return [PieceWork(piece, str(self.directory), self.role, self.id_fields, self.longest) for piece in pieces]

    def finish(self, works: list[PieceWork], reports: list[PieceReport]) -> Manifest:
        """Put the reports of all pieces together."""
        manifest = Manifest(what=os.path.realpath(self.path), role=self.role)
        for work, report in zip(works, reports, strict=True):
            number = work.piece.number
            manifest.starts.append((work.piece.start, manifest.lines))
            manifest.parts.extend((number, part) for part in range(report.parts))
            room = max(0, MOST_SKIPPED - len(manifest.skips))
            manifest.skips.extend(
                Skipped(self.path, skip.line + manifest.lines, skip.why, skip.offset) for skip in report.skips[:room]
            )
            manifest.lines += report.lines
            manifest.rows += report.rows
            manifest.skipped += report.skipped
        manifest.notes.extend(self._changes())
        if not self.fingerprint.size and self.role == "rollouts":
            manifest.notes.append("the file is empty")
        self.manifest = manifest
        return manifest

    def _changes(self) -> list[str]:
        """What happened to the file since it was first looked at."""
        try:
            now = os.stat(self.path)
        except OSError:
            return ["the file was removed while it was read"]
        if now.st_size > self.fingerprint.size:
            added = now.st_size - self.fingerprint.size
            return [f"the file grew while it was read: {added:,} bytes at its end were not read"]
        if now.st_size < self.fingerprint.size:
            return ["the file was cut while it was read: scan it again"]
        if now.st_mtime_ns != self.fingerprint.mtime_ns:
            return ["the file was changed while it was read: scan it again"]
        return []
