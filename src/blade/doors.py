"""The library's way in: paths to runs, runs to a store, refs to rollouts. Nothing here prints."""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

import msgspec

from blade.artifacts import files
from blade.artifacts.discover import find_runs
from blade.artifacts.nemo_gym.rollouts import RolloutReader
from blade.ref import Ref
from blade.rollout import Place, Rollout, Skipped
from blade.scan.cache import Cache
from blade.scan.resolve import resolve as _resolve
from blade.scan.store import Options, Store, scan_runs

if TYPE_CHECKING:
    from blade.explain.records import Analysis, Finding
    from blade.measure.comparison import Comparison
    from blade.measure.run import RunMetrics, Settings
    from blade.report.writing import Written

_Found = TypeVar("_Found")

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def load(paths: Paths, options: Options | None = None) -> Store:
    """Scan the runs at `paths` (files, globs of shards, directories) and open their fact store.

    Without `options` the scan is kept in the default cache, and found there the next time.
    """
    return scan_runs(find_runs(_listed(paths)), options or Options(cache=Cache()))


def read(paths: Paths) -> Iterator[Rollout | Skipped]:
    """Every rollout of the runs at `paths`, row by row in file order; a line that cannot be read is a `Skipped`."""
    for run in find_runs(_listed(paths)):
        for path in run.rollouts:
            reader = RolloutReader()
            for line in files.lines(files.Piece(path, 0, 0, None)):
                place = Place(path, line.offset, line.size, line.number)
                yield Skipped(path, line.number, line.why, line.offset) if line.why else reader.read(line.text, place)


def metrics(
    runs: "Paths | Store", settings: "Settings | None" = None, options: Options | None = None
) -> "list[RunMetrics]":
    """The rates of every run, at paths or in an open store, with their intervals and denominators."""
    from blade.measure.run import measure

    settings, options = _known(runs, settings, options)
    return _with_store(runs, options, lambda store: measure(store, settings))


def compare(
    runs: "Paths | Store",
    settings: "Settings | None" = None,
    options: Options | None = None,
    *,
    baseline: str | None = None,
    by_id: bool = False,
) -> "list[Comparison]":
    """Every other run against the baseline, which is the first one unless it is named.

    `by_id` pairs tasks by their ids alone, whatever became of their prompts. A run whose path stands twice is
    compared with itself.
    """
    from blade.measure.compare import compare as compare_runs

    settings, options = _known(runs, settings, options)
    twice = not isinstance(runs, Store) and _one_path_twice(_listed(runs))
    return _with_store(
        runs,
        options,
        lambda store: compare_runs(store, settings, baseline=baseline, by_id=by_id, with_itself=twice),
    )


def failures(runs: "Paths | Store", settings: "Settings | None" = None, options: Options | None = None) -> "Analysis":
    """What went wrong in every run: failure modes over all runs together, their causes, the funnel."""
    from blade.explain.analysis import explain

    settings, options = _known(runs, settings, options)
    return _with_store(runs, options, lambda store: explain(store, settings, compared=False))


def why(
    runs: "Paths | Store",
    settings: "Settings | None" = None,
    options: Options | None = None,
    *,
    baseline: str | None = None,
    by_id: bool = False,
) -> "Analysis":
    """The same, and why the score of every other run differs from the baseline's: terms that sum to the difference."""
    from blade.explain.analysis import explain

    settings, options = _known(runs, settings, options)
    return _with_store(runs, options, lambda store: explain(store, settings, baseline=baseline, by_id=by_id))


def fixes(
    runs: "Paths | Store",
    settings: "Settings | None" = None,
    options: Options | None = None,
    *,
    run: str | None = None,
) -> "Analysis":
    """What could be done about the failures of a run, by default the last: `interventions`, and `counterfactual`."""
    from blade.explain.analysis import explain

    settings, options = _known(runs, settings, options)
    return _with_store(runs, options, lambda store: explain(store, settings, compared=False, fixed=run))


def health(
    runs: "Paths | Store",
    settings: "Settings | None" = None,
    options: Options | None = None,
    *,
    by_id: bool = False,
) -> "list[Finding]":
    """Whether the benchmark and its runs can be trusted as measurements: what speaks against it, kind by kind."""
    from blade.explain.health.registry import examine

    settings, options = _known(runs, settings, options)
    return _with_store(runs, options, lambda store: examine(store, settings, by_id=by_id))


def write_report(
    runs: "Paths | Store",
    out: str | os.PathLike[str],
    settings: "Settings | None" = None,
    options: Options | None = None,
    *,
    baseline: str | None = None,
    by_id: bool = False,
    redact: bool = True,
    command: str = "",
    tell: Callable[[str], None] = lambda _: None,
) -> "Written":
    """Write the report of the runs into a directory: report.html, report.md, analysis.json, metrics of each run.

    Secrets and private names are taken out unless `redact` is false. `tell` hears what is being done.
    """
    from blade.report.writing import write_report as write

    settings, options = _known(runs, settings, options)
    return _with_store(
        runs,
        options,
        lambda store: write(
            store,
            out,
            settings,
            baseline=baseline,
            by_id=by_id,
            redact=redact,
            command=command or "blade report RUN... -o OUT",
            tell=tell,
        ),
    )


def resolve(ref: str | Ref, paths: Paths = (), *, cache: Cache | None = None) -> Rollout:
    """The rollout that a ref points to, among the runs scanned before and those at `paths`."""
    parsed = Ref.parse(ref) if isinstance(ref, str) else ref
    return _resolve(parsed, [os.fspath(path) for path in _listed(paths)], cache or Cache()).rollout


def _known(
    runs: "Paths | Store", settings: "Settings | None", options: Options | None
) -> "tuple[Settings | None, Options | None]":
    """Settings and options by the profile that lies beside the runs, where nobody said how to measure."""
    from blade.profile import find_profile, load_profile

    path = None if settings is not None or isinstance(runs, Store) else find_profile(_listed(runs))
    if path is None:
        return settings, options
    from blade.measure.run import settings_of

    profile = load_profile(path)
    options = options or Options(cache=Cache())
    return settings_of(profile), msgspec.structs.replace(options, id_fields=options.id_fields or profile.id_fields)


def _with_store(runs: "Paths | Store", options: Options | None, work: Callable[[Store], _Found]) -> _Found:
    """Do something with a store: one that is open stays open."""
    if isinstance(runs, Store):
        return work(runs)
    with load(runs, options) as store:
        return work(store)


def _one_path_twice(paths: Sequence[str | os.PathLike[str]]) -> bool:
    """Whether several paths lead to one and the same place."""
    return len(paths) > 1 and len({os.path.realpath(path) for path in paths}) == 1


def _listed(paths: Paths) -> list[str | os.PathLike[str]]:
    return [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
