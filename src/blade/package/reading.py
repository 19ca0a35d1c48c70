"""Files of a package, read so that none of them can do harm: bounded, never through a link that leads outside."""

import json
import os
import stat
from pathlib import Path
from typing import Any, Final, NamedTuple

LARGEST_TEXT: Final = 5_000_000
"""Bytes of a skill, report or file of facts that is read."""

_BEGINNING: Final = 8_192


class Text(NamedTuple):
    """What a file says, or why it cannot be read."""

    text: str
    trouble: str = ""


class Document(NamedTuple):
    """A JSON document, or why there is none."""

    value: Any
    trouble: str = ""


def trouble_of(path: Path, root: Path) -> str:
    """Why a file of a package cannot be read, in words; empty for a regular file inside the package."""
    try:
        if path.is_symlink() and not leads_inside(path, root):
            return "is a link that leads outside the package"
        found = path.stat()
    except FileNotFoundError:
        return "is a link to nothing" if path.is_symlink() else "is missing"
    except (OSError, ValueError, RuntimeError) as error:
        return f"cannot be read: {_reason(error)}"
    if stat.S_ISDIR(found.st_mode):
        return "is a directory, and should be a file"
    if not stat.S_ISREG(found.st_mode):
        return "is no regular file"
    return "is empty" if found.st_size == 0 else ""


def leads_inside(path: Path, root: Path) -> bool:
    """Whether a path ends, through all links, inside the package."""
    try:
        return os.path.realpath(path, strict=False).startswith(os.path.realpath(root).rstrip(os.sep) + os.sep)
    except (OSError, ValueError, RuntimeError):
        return False


def text_at(path: Path, root: Path, *, largest: int = LARGEST_TEXT) -> Text:
    """The text of a file of a package."""
    if trouble := trouble_of(path, root):
        return Text("", trouble)
    try:
        with path.open("rb") as file:
            data = file.read(largest + 1)
    except OSError as error:
        return Text("", f"cannot be read: {_reason(error)}")
    if len(data) > largest:
        return Text("", f"is larger than {largest // 1_000_000} MB, which no such file should be")
    if b"\0" in data[:_BEGINNING]:
        return Text("", "is binary, and should be text")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return Text("", f"is not UTF-8 (byte {error.start:,})")
    return Text(text) if text.strip() else Text("", "is empty")


def json_at(path: Path, root: Path) -> Document:
    """The JSON document in a file of a package."""
    text, trouble = text_at(path, root, largest=10 * LARGEST_TEXT)
    if trouble:
        return Document(None, trouble)
    try:
        return Document(json.loads(text))
    except json.JSONDecodeError as error:
        return Document(None, f"is not JSON: line {error.lineno}: {error.msg}")
    except (ValueError, RecursionError) as error:
        return Document(None, f"is not JSON: {str(error)[:80] or 'nested too deeply'}")


def is_binary(path: Path) -> bool:
    """Whether a file begins like no text."""
    with path.open("rb") as file:
        beginning = file.read(_BEGINNING)
    return b"\0" in beginning


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()
