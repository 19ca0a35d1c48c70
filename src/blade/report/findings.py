"""Everything that a report tells, gathered once: what was measured and explained, and the rollouts that are shown."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

import msgspec

from blade.explain.analysis import explain_cases
from blade.explain.records import Analysis, Explained, RunFailures
from blade.measure.panel import SPENT
from blade.measure.run import RunMetrics, Settings, measure
from blade.report.dives import Dive, dives, pairs_of
from blade.report.excerpts import Clean, Excerpter
from blade.report.remembered import Known, Spread, known
from blade.report.sides import sides_of
from blade.scan.summary import RunSummary

if TYPE_CHECKING:
    from blade.scan.store import Store

Tell = Callable[[str], None]

_STDIN: Final = "stdin.jsonl"


class Input(msgspec.Struct, kw_only=True):
    """A file that was read."""

    path: str
    bytes: int
    fingerprint: str
    """Of its size, its beginning and its end."""
    rows: int
    run: str
    role: str
    """rollouts, failures or inputs."""


class Findings(msgspec.Struct, kw_only=True):
    """What is known of some runs, the baseline first."""

    analysis: Analysis
    metrics: list[RunMetrics]
    inventory: list[RunSummary]
    inputs: list[Input]
    dives: list[Dive]
    spent: list[Spread]
    settings: Settings
    benchmark: str | None
    command: str
    """What repeats the report."""
    redacts: bool = True

    @property
    def runs(self) -> list[RunFailures]:
        return self.analysis.runs

    @property
    def names(self) -> list[str]:
        return [run.run for run in self.analysis.runs]

    @property
    def newest(self) -> RunFailures:
        """The run that the report is about: the last one."""
        return self.analysis.runs[-1]

    @property
    def main(self) -> Explained | None:
        """The comparison that the report is about, where there is any: that of the last run with the first."""
        return self.analysis.comparisons[-1] if self.analysis.comparisons else None

    def measured(self, run: str) -> RunMetrics:
        return next(each for each in self.metrics if each.run == run)

    def dives_of(self, bucket: str) -> list[Dive]:
        return [dive for dive in self.dives if dive.bucket == bucket]


def gather(
    store: "Store",
    settings: Settings,
    *,
    baseline: str | None = None,
    by_id: bool = False,
    clean: Clean = str,
    command: str = "",
    tell: Tell = lambda _: None,
) -> Findings:
    """Measure and explain the runs of a store, and choose what to look into."""
    found = known(
        store,
        settings,
        f"{baseline} {by_id}",
        lambda: _made(store, settings, baseline=baseline, by_id=by_id, tell=tell),
    )
    analysis = found.analysis
    names = [run.run for run in analysis.runs]
    tell("choosing what to look into")
    return Findings(
        analysis=analysis,
        metrics=found.metrics,
        inventory=sorted(store.summaries, key=lambda each: names.index(each.run)),
        inputs=inputs_of(store),
        dives=dives(store, analysis, settings.rule, Excerpter(clean), found.sides),
        spent=found.spent,
        settings=settings,
        benchmark=benchmark_of(store.summaries),
        command=command,
        redacts=clean is not str,
    )


def _made(store: "Store", settings: Settings, *, baseline: str | None, by_id: bool, tell: Tell) -> Known:
    """The numbers, made now."""
    tell("explaining")
    analysis, cases = explain_cases(store, settings, baseline=baseline, by_id=by_id, compared=len(store.summaries) > 1)
    names = [run.run for run in analysis.runs]
    tell("measuring")
    metrics = sorted(measure(store, settings), key=lambda each: names.index(each.run))
    sides = list(sides_of(cases, pairs_of(store, analysis, settings.rule)))
    return Known(analysis=analysis, metrics=metrics, spent=list(spreads(store, analysis, settings)), sides=sides)


def inputs_of(store: "Store") -> list[Input]:
    """Every file whose rows were read."""
    return [
        Input(
            path="-" if scan.path.endswith(_STDIN) else scan.path,
            bytes=scan.fingerprint.size,
            fingerprint=scan.fingerprint.ends,
            rows=scan.manifest.rows if scan.manifest else 0,
            run=run.files.name,
            role=scan.role,
        )
        for run in store.runs
        for scan in run.scans
    ]


_PERCENTILES: Final = "[0.05, 0.25, 0.5, 0.75, 0.95]"
_READ: Final = ", ".join(f'({expression})::DOUBLE AS "{name}"' for name, expression in SPENT.items())
_SPREAD: Final = ", ".join(f'count("{name}"), quantile_cont("{name}", {_PERCENTILES})' for name in SPENT)
_SPREADS: Final = f"""
WITH unmeasured AS (SELECT unnest($refs) AS ref),
calls AS (SELECT file, row, count(*) AS calls FROM actions GROUP BY ALL),
told AS (
    SELECT run, reward >= $threshold AS passed, {_READ}
    FROM rollouts LEFT JOIN calls USING (file, row) ANTI JOIN unmeasured USING (ref)
    WHERE standing = 'row' AND reward IS NOT NULL
)
SELECT run, passed, {_SPREAD} FROM told GROUP BY ALL ORDER BY ALL
"""


def spreads(store: "Store", analysis: Analysis, settings: Settings) -> Iterator[Spread]:
    """What passes and failures of every run spend, of all that their rows tell."""
    refs = [ref.partition("#")[0] for run in analysis.runs for each in run.not_measured for ref in each.refs]
    parameters = {"refs": refs or [""], "threshold": settings.rule.threshold}
    for run, passed, *found in store.connection.execute(_SPREADS, parameters).fetchall():
        for what, rollouts, percentiles in zip(SPENT, found[::2], found[1::2], strict=True):
            if rollouts:
                yield Spread(run=run, what=what, passed=passed, rollouts=rollouts, percentiles=tuple(percentiles))


_BENCHMARK_KEYS: Final = ("benchmark", "dataset", "task_source", "environment")


def benchmark_of(summaries: list[RunSummary]) -> str | None:
    """What the runs call their benchmark, where all that say it agree: in their configs, else in their rows."""
    for key in _BENCHMARK_KEYS:
        if len(said := _configured(summaries, key)) == 1:
            return said.pop()
    rows = {
        str(value)
        for summary in summaries
        for identity in summary.identity
        if identity.trait == "environment"
        for value, _ in identity.values
        if value is not None
    }
    return rows.pop() if len(rows) == 1 else None


def _configured(summaries: list[RunSummary], key: str) -> set[str]:
    return {
        str(value)
        for summary in summaries
        for name, value in ((summary.config or {}).get("values") or {}).items()
        if name.rpartition(".")[2] == key and isinstance(value, str) and value
    }
