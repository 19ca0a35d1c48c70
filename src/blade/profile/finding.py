"""Where a profile stands: beside the runs, or in the package of their benchmark."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

NAME: Final = "profile.toml"

_ABOVE: Final = 2
"""Directories above the runs that may be the package's own."""

_IN_A_PACKAGE: Final = ("", "skill")
"""Where in a package a profile stands."""


def find_profile(paths: Iterable[str | os.PathLike[str]]) -> Path | None:
    """The profile of the runs at some paths: the nearest of the first path that has one."""
    return next((found for path in paths for found in _candidates(Path(path)) if found.is_file()), None)


def _candidates(path: Path) -> Iterator[Path]:
    start = path if path.is_dir() else path.parent
    try:
        start = start.resolve()
    except (OSError, RuntimeError):
        return
    for directory in (start, *start.parents[:_ABOVE]):
        for inside in _IN_A_PACKAGE:
            # A directory above is a package only if it says so: by its skill, or by what lies beside its runs.
            if directory == start or inside or (directory / "SKILL.md").is_file():
                yield directory / inside / NAME
