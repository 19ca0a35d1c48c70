"""What was measured and explained of the same files before, so that a second report need not do it again.

What is kept lies in the directory of the first settled run, under a key of everything that it depends on: the files,
the sidecars, the settings, and the code of this package. Numbers that were just made go the same way as kept ones,
through JSON, so that both give the same report to the byte.
"""

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from blade.artifacts.files import write_atomically
from blade.explain.records import Analysis
from blade.explain.two_sides import SideBySides
from blade.measure.run import RunMetrics, Settings
from blade.version import __version__

if TYPE_CHECKING:
    from blade.scan.store import Store

_MOST_KEPT: Final = 4
"""What is kept for one run: other settings make other numbers."""

_NAME: Final = "known-{}.json"


class Spread(msgspec.Struct, kw_only=True):
    """How much of one thing the passes, or the failures, of a run spend."""

    run: str
    what: str
    passed: bool
    rollouts: int
    percentiles: tuple[float, float, float, float, float]
    """The 5th, 25th, 50th, 75th and 95th."""


class Known(msgspec.Struct, kw_only=True):
    """All numbers of a report."""

    analysis: Analysis
    metrics: list[RunMetrics]
    spent: list[Spread]
    sides: list[SideBySides]
    """Of the rollouts that are looked into, beside what passes and beside what is expected."""


def known(store: "Store", settings: Settings, choice: str, make: Callable[[], Known]) -> Known:
    """The numbers of these files and settings: kept ones, or new ones, which are kept."""
    path = store.runs[0].directory / _NAME.format(_key(store, settings, choice))
    try:
        return msgspec.json.decode(path.read_bytes(), type=Known)
    except (OSError, msgspec.MsgspecError):
        pass
    made = make()
    try:
        data = msgspec.json.encode(made)
        again = msgspec.json.decode(data, type=Known)
    except (ValueError, TypeError, msgspec.MsgspecError):  # a number or a text that JSON cannot hold is not kept
        return made
    _keep(path, data)
    return again


def _keep(path: Path, data: bytes) -> None:
    """Write what is known, and let go of what was not asked for longest; nothing depends on it."""
    with contextlib.suppress(OSError):
        write_atomically(path, data)
        others = sorted(path.parent.glob(_NAME.format("*")), key=lambda other: (other.stat().st_mtime_ns, other.name))
        for old in others[:-_MOST_KEPT]:
            old.unlink()


def _key(store: "Store", settings: Settings, choice: str) -> str:
    parts = [_code(), choice, repr(msgspec.to_builtins(settings)), *(run.key for run in store.runs), *_beside(store)]
    return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:24]


def _beside(store: "Store") -> Iterator[str]:
    """The state of the files that are read beside the rows."""
    for run in store.runs:
        for path in (*(sidecar.path for sidecar in run.files.sidecars), *run.files.configs):
            yield f"{path} {_state(path)}"


def _state(path: Any) -> str:
    try:
        status = os.stat(path)
    except OSError:
        return "gone"
    return f"{status.st_size} {status.st_mtime_ns}"


@cache
def _code() -> str:
    """Stands for the code that makes the numbers: another version may make others."""
    home = Path(__file__).parents[1]
    files = sorted(home.rglob("*.py"))
    return " ".join([__version__, *(f"{path.relative_to(home)} {_state(path)}" for path in files)])
