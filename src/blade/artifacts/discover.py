"""From paths to runs: which files are rollouts, which are their sidecars, what each run is called."""

import glob
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from blade.artifacts import files
from blade.artifacts.nemo_gym import names
from blade.errors import InputError

_SNIFFED = 8 * 1024 * 1024
_ROLLOUT_KEYS = {"response", "reward", "score", "ng_trajectory"}
_CONFIG_ENDINGS = (".yaml", ".yml", ".json")
_decode_keys = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class SidecarFile(msgspec.Struct, frozen=True):
    """A file that stands beside the rollouts of a run."""

    kind: str
    path: str


class RunFiles(msgspec.Struct, frozen=True):
    """One run on disk."""

    name: str
    rollouts: tuple[str, ...]
    """The rollouts file, or its shards in order."""
    sidecars: tuple[SidecarFile, ...] = ()
    configs: tuple[str, ...] = ()

    def of_kind(self, kind: str) -> list[str]:
        """The sidecars of one kind."""
        return [sidecar.path for sidecar in self.sidecars if sidecar.kind == kind]


def find_runs(paths: Sequence[str | os.PathLike[str]]) -> list[RunFiles]:
    """The runs that `paths` name, in that order: files, globs of shards, directories, or `-`."""
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    groups: dict[tuple[str, ...], tuple[str, ...]] = {}
    for path in paths:
        for group in _groups_at(os.fspath(path)):
            groups.setdefault(tuple(os.path.realpath(file) for file in group), group)
    found = list(groups.values())
    return [_run_files(name, group) for name, group in zip(_run_names(found), found, strict=True)]


def _groups_at(text: str) -> Iterator[tuple[str, ...]]:
    """The files of each run at one path."""
    if text == "-":
        yield (str(files.spool(sys.stdin.buffer)),)
        return
    path = Path(text)
    if path.is_dir():
        yield from _groups_in(path)
    elif path.is_fifo():
        with path.open("rb") as pipe:
            yield (str(files.spool(pipe, names.stem_of(path.name))),)
    elif path.is_file():
        yield (str(_rollouts_file(path)),)
    elif path.exists():
        raise InputError("is neither a file nor a directory", file=text, hint="name a rollouts file, or - for a stream")
    elif glob.has_magic(text):
        matches = [match for match in sorted(glob.glob(text, recursive=True)) if _may_hold_rollouts(Path(match))]
        if not matches:
            raise InputError("no rollouts file matches", file=text, hint="quote the pattern and check the directory")
        yield tuple(matches)
    else:
        raise InputError(
            "no such file or directory", file=text, hint="name a rollouts file, a glob of shards, or a directory"
        )


def _rollouts_file(path: Path) -> Path:
    """A file named on purpose; a sidecar is refused with the name of what was probably meant."""
    kind = names.sidecar_kind(path)
    if kind:
        raise InputError(
            f"is the {kind} sidecar of a run",
            file=str(path),
            hint="name the rollouts file itself; its sidecars are found beside it",
        )
    return path


def _may_hold_rollouts(path: Path) -> bool:
    return path.is_file() and names.is_row_file(path) and names.sidecar_kind(path) is None


def _groups_in(directory: Path) -> Iterator[tuple[str, ...]]:
    """The runs below a directory, shards of one run together."""
    shards: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path in _row_files(directory):
        if _holds_rollouts(path):
            stem = names.stem_of(path.name)
            shards[str(path.parent), names.shard_of(stem) or path.name].append(str(path))
    if not shards:
        raise InputError(
            "holds no rollouts file",
            file=str(directory),
            hint="expected *.jsonl files whose rows have a response or a reward",
        )
    yield from (tuple(sorted(group)) for group in shards.values())


def _row_files(directory: Path) -> Iterator[Path]:
    for parent, below, found in os.walk(directory):
        below[:] = sorted(name for name in below if not name.startswith(".") and name != "preprocessed_datasets")
        yield from (path for name in sorted(found) if _may_hold_rollouts(path := Path(parent, name)))


def _holds_rollouts(path: Path) -> bool:
    """Whether the first row looks like a rollout; a name that says so counts where no row can be read."""
    says_so = "rollout" in path.name.lower()
    try:
        for line in files.lines(files.Piece(str(path), 0, 0, None), longest=_SNIFFED):
            keys = _decode_keys(line.text).keys()
            return bool(keys & _ROLLOUT_KEYS) or (says_so and "responses_create_params" in keys)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, InputError, OSError):
        pass
    return says_so


def _run_names(groups: list[tuple[str, ...]]) -> list[str]:
    """A name for every run: its stem, with the directory's name before it where stems would be equal."""
    levels = [_levels(group) for group in groups]
    taken = [0] * len(groups)
    while True:
        found = ["_".join(reversed(level[: depth + 1])) for level, depth in zip(levels, taken, strict=True)]
        count = Counter(found)
        again = [place for place, name in enumerate(found) if count[name] > 1 and taken[place] + 1 < len(levels[place])]
        if not again:
            return [
                name if count[name] == 1 else f"{name}_{found[: place + 1].count(name)}"
                for place, name in enumerate(found)
            ]
        for place in again:
            taken[place] += 1


def _levels(group: tuple[str, ...]) -> list[str]:
    """The stem, then the names of the directories from the nearest upwards."""
    path = Path(os.path.abspath(group[0]))
    stem = names.stem_of(path.name)
    if len(group) > 1:
        stem = (
            names.shard_of(stem)
            or os.path.commonprefix(  # noqa: RUF071  characters in common are what is wanted
                [names.stem_of(Path(file).name) for file in group]
            ).rstrip("-_.0")
            or stem
        )
    return [names.run_name(stem), *(part for part in reversed(path.parent.parts) if part != path.anchor)]


def _run_files(name: str, group: tuple[str, ...]) -> RunFiles:
    sidecars: list[SidecarFile] = []
    configs: list[str] = []
    for directory, stems in _stems(group).items():
        others = _other_stems(directory, stems)
        for path in sorted(filter(files.is_text, directory.iterdir())) if directory.is_dir() else ():
            if path.is_file() and (kind := _belongs(path, stems)):
                sidecars.append(SidecarFile(kind, str(path)))
            elif path.is_file() and str(path) not in group and _is_config(path, stems, others):
                configs.append(str(path))
        configs.extend(str(path) for path in (directory / ".hydra" / "config.yaml",) if path.is_file())
    return RunFiles(name, group, tuple(sidecars), tuple(configs))


def _stems(group: Iterable[str]) -> dict[Path, set[str]]:
    """The stems that sidecars may be named after, for each directory of a run."""
    stems: dict[Path, set[str]] = defaultdict(set)
    for file in group:
        path = Path(file)
        stem = names.stem_of(path.name)
        stems[path.parent] |= {stem, names.run_name(stem), names.shard_of(stem) or stem}
    return stems


def _belongs(path: Path, stems: set[str]) -> str | None:
    """The kind of a sidecar of this run; of one with a shared name, whichever run it speaks of."""
    kind = names.sidecar_kind(path)
    if kind is None or path.name in {sidecar.ending for sidecar in names.SHARED}:
        return kind
    name = next(
        (path.name.removesuffix(ending) for ending in names.COMPRESSED_ENDINGS if path.name.endswith(ending)), path.name
    )
    endings = (sidecar.ending for sidecar in names.SIDECARS if sidecar.kind == kind)
    return kind if any(name == stem + ending for ending in endings for stem in stems) else None


def shard_beside(sidecar: str, rollouts: Sequence[str]) -> int:
    """The number of the shard that a sidecar is named after; 0 where it speaks of all."""
    stems = [str(Path(path).with_name(names.stem_of(Path(path).name))) for path in rollouts]
    named = [(len(stem), shard) for shard, stem in enumerate(stems) if str(Path(sidecar)).startswith(stem)]
    return max(named)[1] if named else 0


def _is_config(path: Path, stems: set[str], others: set[str]) -> bool:
    """Whether a file configures this run: named after it, or after no run in the directory."""
    if path.suffix.lower() not in _CONFIG_ENDINGS:
        return False
    if path.stem in stems or any(path.stem.startswith(stem + "_") for stem in stems):
        return "config" in path.stem.lower() or path.stem in stems
    return "config" in path.stem.lower() and not any(path.stem.startswith(stem) for stem in others)


def _other_stems(directory: Path, stems: set[str]) -> set[str]:
    """What the other row files of a directory are named after."""
    if not directory.is_dir():
        return set()
    found = {names.stem_of(path.name) for path in directory.iterdir() if _may_hold_rollouts(path)}
    return {names.run_name(stem) for stem in found} - stems
