"""Reports, facts and results on disk."""

import json
from pathlib import Path
from typing import Any, Final

from blade.errors import InputError

LARGEST: Final = 50_000_000
"""Bytes of a report or a file of facts that is read."""


def read_text(path: str | Path, *, what: str = "report") -> str:
    """A text file; `InputError` says what is wrong with one that cannot be read. Broken characters are replaced."""
    place = Path(path)
    try:
        if place.is_dir():
            raise InputError(f"a directory, and no {what}", file=str(path), hint="name the file itself")
        if place.stat().st_size > LARGEST:
            raise InputError(f"more than {LARGEST:,} bytes: that is no {what}", file=str(path))
        data = place.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=str(path)) from None
    if b"\0" in data[:100_000]:
        raise InputError(f"binary data, and no {what}", file=str(path), hint=f"a {what} is text")
    return data.decode("utf-8-sig", "replace")


def told(error: Exception) -> str:
    """Why something is no JSON, in a line for people."""
    if isinstance(error, RecursionError):
        return "nested too deep"
    return str(error) if isinstance(error, json.JSONDecodeError) else "a number has too many digits"


def write_text(path: str | Path, text: str) -> Path:
    """Write a text file, and the directories above it; `InputError` where that cannot be."""
    place = Path(path)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", file=str(path)) from None
    return place


def write_json(path: str | Path, value: Any) -> Path:
    """Write a JSON document."""
    return write_text(path, json.dumps(value, ensure_ascii=False, indent=2) + "\n")
