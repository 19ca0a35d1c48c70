"""What needs the engine: the store of a package's runs. Where its libraries are missing, why is said in words."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from blade.errors import BladeError
from blade.profile.reading import Profile, read_profile

if TYPE_CHECKING:
    from blade.artifacts.discover import RunFiles
    from blade.check.claims.truth import Truth
    from blade.explain.profiling import Checked
    from blade.measure.run import Settings
    from blade.scan.store import Options, Store

NEEDED: Final = ("msgspec", "numpy", "duckdb")
"""Libraries that the engine is made of."""

_SOURCE: Final = Path(__file__).resolve().parents[2]


def missing() -> str:
    """How to install the engine, where a library of it is missing; empty where all are there."""
    absent = [name for name in NEEDED if find_spec(name) is None]
    return f"needs the engine ({', '.join(absent)} not installed): {install_command()}" if absent else ""


def install_command() -> str:
    """The command that installs BLADE: from the checkout that this is, else from one."""
    checkout = _SOURCE.parent
    if (checkout / "pyproject.toml").is_file() and _SOURCE.name == "src":
        return f"python -m pip install {checkout}"
    return "python -m pip install blade-diagnostics"


class Engine:
    """The store of a package's runs."""

    def __init__(self, runs: "Sequence[RunFiles]", options: "Options", profile: Profile) -> None:
        from blade.scan.store import scan_runs

        self._runs = runs
        self._options = options
        self.store = scan_runs(runs, options)
        self.profile = profile

    @cached_property
    def truth(self) -> "Truth":
        """What is true of the runs."""
        from blade.measure.run import settings_of

        return truth_of(self.store, settings_of(self.profile))

    @contextmanager
    def alone(self, run: str) -> "Iterator[Truth | None]":
        """What is true of a run that is looked at by itself: modes and stages depend on what is looked at together."""
        from blade.measure.run import settings_of
        from blade.scan.store import scan_runs

        found = [each for each in self._runs if each.name == run]
        if len(self._runs) < 2 or not found:
            yield None
            return
        with scan_runs(found, self._options) as store:
            yield truth_of(store, settings_of(self.profile))

    def rules(self) -> "Checked":
        """What each rule of the profile catches."""
        from blade.explain.profiling import check_profile
        from blade.measure.run import settings_of

        return check_profile(self.store, settings_of(self.profile))

    def close(self) -> None:
        self.store.close()


def opened(paths: Sequence[Path], profile: Path | None, options: "Options | None") -> Engine | str:
    """The engine over some files of rollouts; or why there is none."""
    if why := missing():
        return why
    import msgspec

    from blade.artifacts.discover import find_runs
    from blade.artifacts.nemo_gym.names import shard_of, stem_of
    from blade.scan.store import Options

    known = _profile_at(profile)
    chosen = msgspec.structs.replace(options or Options(cache=None), id_fields=known.id_fields)
    sharded = any(shard_of(stem_of(path.name)) for path in paths)
    wanted = [str(paths[0].parent)] if sharded else [str(path) for path in paths]
    try:
        return Engine(find_runs(wanted), chosen, known)
    except (BladeError, OSError) as error:
        return f"the runs cannot be scanned: {error}"


def truth_of(store: "Store", settings: "Settings") -> "Truth":
    """What is true of the runs of a store."""
    from blade.check.claims import from_store

    return from_store.truth_of(store, settings)


def store_of(runs: Sequence[str]) -> "Store":
    """The store of runs that are named, kept nowhere."""
    from blade.artifacts.discover import find_runs
    from blade.scan.store import Options, scan_runs

    return scan_runs(find_runs(runs), Options(cache=None))


def _profile_at(path: Path | None) -> Profile:
    try:
        return read_profile(path.read_text(encoding="utf-8"), str(path))[0] if path else Profile()
    except (OSError, ValueError):
        return Profile()


def id_fields_of(profile: str) -> tuple[str, ...]:
    """The fields that name tasks by the text of a profile."""
    return read_profile(profile)[0].id_fields
