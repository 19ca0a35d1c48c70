"""What the files beside a rollouts file hold, without judging whether it is right."""

from pathlib import Path
from typing import Any

from blade import content
from blade.artifacts import files
from blade.artifacts.discover import RunFiles, SidecarFile
from blade.errors import InputError

LARGEST_JSON = 512 * 1024 * 1024
"""Bytes of the largest sidecar that is one JSON document."""

_SCANNED = {"materialized inputs", "failures"}
_PLACEHOLDER_KEYS = {"EXAMPLE"}


def describe(run: RunFiles) -> list[dict[str, Any]]:
    """Every sidecar of a run with its size, how much it holds, and what is wrong with it."""
    return [_describe(sidecar) for sidecar in run.sidecars]


def _describe(sidecar: SidecarFile) -> dict[str, Any]:
    path = Path(sidecar.path)
    found: dict[str, Any] = {
        "kind": sidecar.kind,
        "path": sidecar.path,
        "bytes": path.stat().st_size if path.exists() else 0,
    }
    if sidecar.kind in _SCANNED or path.suffix == ".md":
        return found
    try:
        rows = read(sidecar)
    except InputError as error:
        return found | {"problem": error.text}
    found["entries"] = len(rows)
    if any(isinstance(row, dict) and _PLACEHOLDER_KEYS & row.keys() for row in rows):
        found["problem"] = "a placeholder, not a measurement"
    return found


def read(sidecar: SidecarFile) -> list[Any]:
    """The entries of a JSON or JSON Lines sidecar; one document that is no list is one entry."""
    path = Path(sidecar.path)
    if ".jsonl" in path.name:
        return _read_rows(path)
    if path.stat().st_size > LARGEST_JSON:
        raise InputError(f"is larger than {LARGEST_JSON >> 20} MiB", file=str(path), hint="it is not read")
    with files.open_bytes(path) as file:
        data = file.read()
    try:
        value = content.value_of(data.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON: {error}", file=str(path), hint="it is left out") from None
    return value if isinstance(value, list) else [value]


def _read_rows(path: Path) -> list[Any]:
    rows = []
    for line in files.lines(files.Piece(str(path), 0, 0, None)):
        try:
            rows.append(content.value_of(line.text))
        except (ValueError, RecursionError):
            raise InputError("is not JSON", file=str(path), line=line.number, hint="the sidecar is left out") from None
    return rows
