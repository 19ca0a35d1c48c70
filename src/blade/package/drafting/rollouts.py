"""D2 drafted: the rollouts of runs and what they were owed, copied without what is private, or linked."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from blade.artifacts.nemo_gym.names import SIDECARS, stem_of
from blade.errors import InputError
from blade.package.rows import lines_of
from blade.package.sanitizing import is_example, redacted_row
from blade.ref import encode
from blade.report.redact import Redactor

if TYPE_CHECKING:
    from blade.artifacts.discover import RunFiles

_TAKEN: Final = ("materialized inputs", "failures")
"""Sidecars without which the denominators would change."""


def file_stem(run: str) -> str:
    """What the files of a run are named after."""
    return encode(run).replace("%", "_").replace("@", "_at_")


class Copied:
    """The rollouts of a package, written one run after the other with the same placeholders throughout."""

    def __init__(self, directory: Path, *, keep: Iterable[str], patterns: Sequence[str] = ()) -> None:
        self._directory = directory
        self._redactor = Redactor(tuple(patterns), frozenset(keep), is_example)
        directory.mkdir(parents=True, exist_ok=True)

    @property
    def redacted(self) -> dict[str, int]:
        """How many different things of each kind were taken out."""
        return dict(self._redactor.counts)

    def copy(self, run: "RunFiles") -> Path:
        """Write the rollouts of a run, and what it was owed, without what is private."""
        stem = file_stem(run.name)
        made = self._write(run.rollouts, self._directory / f"{stem}_rollouts.jsonl")
        for kind in _TAKEN:
            ending = next(sidecar.ending for sidecar in SIDECARS if sidecar.kind == kind)
            paths = run.of_kind(kind)
            if any(os.path.getsize(path) for path in paths):
                self._write(paths, self._directory / f"{stem}_rollouts{ending}")
        return made

    def _write(self, paths: Sequence[str], place: Path) -> Path:
        with place.open("wb") as out:
            for path in paths:
                for _, line in lines_of(Path(path)):
                    out.write(redacted_row(line.rstrip(b"\r\n") + b"\n", self._redactor))
        return place

    def link(self, run: "RunFiles") -> Path:
        """Links to the files of a run, for packages that nobody else gets."""
        made = [self._linked(Path(path), run.name, number) for number, path in enumerate(run.rollouts)]
        return made[0]

    def _linked(self, path: Path, run: str, number: int) -> Path:
        stem = f"{file_stem(run)}_rollouts" + (f"_shard_{number}" if number else "")
        place = self._directory / f"{stem}{path.name[len(stem_of(path.name)) :]}"
        try:
            place.symlink_to(os.path.relpath(path.resolve(), self._directory.resolve()))
        except OSError as error:
            raise InputError(f"cannot be linked: {error.strerror}", file=str(place), hint="leave --link out") from None
        return place
