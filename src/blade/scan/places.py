"""Where each rollout stands: a sorted text file, searched by halving, read without the query engine.

A line is `run:task/rollout`, the file's number, the byte and the length, separated by tabs; the parts of
the ref are percent-encoded. Ten seeks find one among a thousand, thirty among a billion.
"""

import os
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from blade.ref import Ref


class Found(NamedTuple):
    """Where a row stands: the file's number among the run's files, and bytes."""

    file: int
    offset: int
    length: int


def key_of(ref: Ref) -> bytes:
    """The key that a rollout's line begins with; the SQL that writes the lines makes the same."""
    return f"{quote(ref.run, safe='')}:{quote(ref.task, safe='')}/{quote(ref.rollout, safe='')}".encode()


KEY_SQL = "url_encode(run) || ':' || url_encode(task) || '/' || url_encode(rollout)"


def find(path: Path, ref: Ref) -> Found | None:
    """The place of a rollout, or None."""
    wanted = key_of(ref)
    with path.open("rb") as file:
        low, high = 0, file.seek(0, os.SEEK_END)
        while low < high:
            middle = (low + high) // 2
            if middle:  # to the beginning of the next line, or stay where one begins
                file.seek(middle - 1)
                file.readline()
            else:
                file.seek(0)
            start = file.tell()
            line = file.readline()
            if not line or start >= high:
                high = middle
                continue
            key, _, rest = line.rstrip(b"\n").partition(b"\t")
            if key == wanted:
                return Found(*map(int, rest.split(b"\t")))
            low, high = (start + len(line), high) if key < wanted else (low, middle)
    return None
