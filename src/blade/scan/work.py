"""The map: one piece of one file becomes parts of the store. Runs in a process of its own."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from blade.artifacts import files
from blade.artifacts.nemo_gym.rollouts import RolloutReader
from blade.rollout import Place, Rollout, Skipped

BATCH_BYTES = 8 * 1024 * 1024
"""Bytes of rows that are held at once; what bounds the memory of a worker."""

BATCH_ROWS = 20_000
PART_ITEMS = 150_000
"""Steps and fields after which a part is written, so that many small rows do not pile up."""

MOST_SKIPPED = 1_000
"""Skipped lines that a piece describes one by one; the others are counted."""


class PieceReport(msgspec.Struct):
    """What became of a piece; written last, so that its presence means that the piece is done."""

    lines: int = 0
    """Lines that begin in the piece, blank ones too."""
    rows: int = 0
    skipped: int = 0
    skips: list[Skipped] = []
    parts: int = 0


class PieceWork(msgspec.Struct, frozen=True):
    """A piece to be done: where its parts go, and what its rows are."""

    piece: files.Piece
    directory: str
    role: str
    """`rollouts`, `failures` or `inputs`."""
    id_fields: tuple[str, ...] = ()
    longest: int = files.LONGEST_LINE

    @property
    def report_path(self) -> Path:
        return Path(self.directory, f"piece-{self.piece.number:05d}.json")


Tell = Callable[[int, int], None]
"""Called with the bytes and the rows that were done since the last call."""


def scan_piece(work: PieceWork, tell: Tell, connection: Any) -> PieceReport:
    """Write the parts of a piece, through a connection of `parts.connect`, and its report."""
    from blade.scan.parts import write_part

    def write(table: str, number: int, columns: Any) -> None:
        name = f"{table}-{work.piece.number:05d}-{number:03d}.parquet"
        write_part(connection, Path(work.directory, name), table, columns)

    report = scan(work, write, tell)
    files.write_atomically(work.report_path, msgspec.json.encode(report))
    return report


def scan(work: PieceWork, write: Callable[..., None], tell: Tell) -> PieceReport:
    """Read a piece and hand over its columns, part by part."""
    from blade.scan.gather import Gathered

    report = PieceReport()
    gathered = Gathered(work.role)
    for batch in _batches(work, report, tell):
        gathered.take(batch)
        if gathered.size > PART_ITEMS:
            gathered.flush(write, report.parts)
            report.parts += 1
    if gathered.size or not report.parts:
        gathered.flush(write, report.parts)
        report.parts += 1
    return report


def _batches(work: PieceWork, report: PieceReport, tell: Tell) -> Iterator[list[Rollout]]:
    """The rollouts of a piece, in batches of bounded size; what cannot be read goes to the report."""
    reader = RolloutReader(work.id_fields)
    batch: list[Rollout] = []
    held = 0
    for line in files.lines(work.piece, longest=work.longest):
        report.lines = line.number
        place = Place(work.piece.file, line.offset, line.size, line.number)
        found = Skipped(place.file, place.line, line.why, place.offset) if line.why else reader.read(line.text, place)
        if isinstance(found, Skipped):
            report.skipped += 1
            if len(report.skips) < MOST_SKIPPED:
                report.skips.append(found)
        else:
            batch.append(found)
        held += len(line.text)
        if held >= BATCH_BYTES or len(batch) >= BATCH_ROWS:
            report.rows += len(batch)
            tell(held, len(batch))
            yield batch
            batch, held = [], 0
    report.rows += len(batch)
    tell(held, len(batch))
    yield batch
