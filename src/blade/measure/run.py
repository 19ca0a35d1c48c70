"""Everything that is measured of one run, as typed records; the names are those of the outputs contract."""

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from blade.measure import rates
from blade.measure.answers import answer_field, answers, majority_at
from blade.measure.outcomes import NOT_MEASURED, PassRule
from blade.measure.panel import Numbers, Panel, load_panel, summary_of
from blade.measure.rates import LEVEL, NEW_TASKS, Bounds, Estimate
from blade.measure.shipped import SourceCheck, check_shipped
from blade.measure.slices import Seen, Slicing, find_slices, slice_by
from blade.measure.spending import Spent, spending

if TYPE_CHECKING:
    from blade.scan.store import SettledRun, Store
    from blade.scan.summary import RunSummary

SEED: Final = 7


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How to measure."""

    rule: PassRule = PassRule()
    estimand: str = NEW_TASKS
    """A word of `rates.ESTIMANDS`."""
    seed: int = SEED
    by: tuple[str, ...] = ()
    """Fields to slice by; without any, slices are found."""
    level: float = LEVEL


class NotMeasured(msgspec.Struct, kw_only=True):
    """Rollouts without a valid verdict, for one reason."""

    why: str
    """A word of `vocabulary.NOT_MEASURED`."""
    rollouts: int
    refs: list[str]
    details: list[str]
    """What shows it, for each ref."""


class Contradiction(msgspec.Struct, kw_only=True):
    """Rows whose own fields say different things about whether they are a measurement."""

    what: str
    rollouts: int
    refs: list[str]


class SliceRate(msgspec.Struct, kw_only=True):
    """pass@1 over the tasks of one slice."""

    field: str
    value: str
    tasks: int
    rollouts: int
    """Measured ones."""
    rate: Estimate


class RunMetrics(msgspec.Struct, kw_only=True):
    """One run in numbers."""

    run: str
    model: str | None
    agent: str | None
    pass_rule: str
    estimand: str
    rows: int
    rollouts: int
    """Rollouts that are there or owed; duplicates and retried attempts are counted once."""
    measured: int
    passed: int
    expected: int | None
    tasks: int
    repeats: list[int]
    """Fewest, median and most measured rollouts of a task that has any."""
    usual_repeats: int
    """K of the headline."""
    metrics: dict[str, Estimate]
    row_mean: float | None
    """Passes by measured rollouts, where every row weighs the same."""
    coverage: float | None
    not_measured_as_failed: Estimate
    worst_case: Bounds
    buckets: dict[str, int]
    not_measured: list[NotMeasured]
    contradictions: list[Contradiction]
    duplicates: int
    graded: bool
    """Whether there are rewards other than 0 and 1."""
    reward_spread: float | None
    """Standard deviation of the rewards of measured rollouts."""
    answer_field: str | None
    slices: list[SliceRate]
    spending: list[Spent]
    shipped: list[SourceCheck]
    warnings: list[str]


def measure(store: "Store", settings: Settings | None = None) -> list[RunMetrics]:
    """The metrics of every run of a store."""
    settings = settings or Settings()
    return [found for settled in store.runs for found in _of_settled(store, settled, settings)]


def _of_settled(store: "Store", settled: "SettledRun", settings: Settings) -> list[RunMetrics]:
    """The runs of one set of files, asked of a store that holds no others."""
    with store.only([summary.run for summary in settled.summaries]) as part:
        shipped = check_shipped(part, settled)
        return [_measure(part, settled, summary, shipped, settings) for summary in settled.summaries]


def _measure(
    store: "Store", settled: "SettledRun", summary: "RunSummary", shipped: list[SourceCheck], settings: Settings
) -> RunMetrics:
    panel = load_panel(store, summary.run, settings.rule)
    counts = panel.measured[panel.measured > 0]
    name = answer_field(store, panel.run)
    found = rates.rates(panel, estimand=settings.estimand, level=settings.level)
    if name:
        found |= _majorities(store, panel, name, settings.level)
    rewards = panel.reward[panel.outcome != NOT_MEASURED]
    measured, passed = int(panel.measured.sum()), int(panel.passed.sum())
    return RunMetrics(
        run=panel.run,
        model=summary.model,
        agent=summary.agent,
        pass_rule=str(settings.rule),
        estimand=settings.estimand,
        rows=summary.rows,
        rollouts=len(panel.rollout) + panel.anonymous,
        measured=measured,
        passed=passed,
        expected=summary.expected,
        tasks=len(panel.tasks) + rates.unknown_tasks(panel),
        repeats=[int(counts.min()), rates.usual_repeats(panel), int(counts.max())] if len(counts) else [],
        usual_repeats=rates.usual_repeats(panel),
        metrics=found,
        row_mean=passed / measured if measured else None,
        coverage=summary.coverage,
        not_measured_as_failed=rates.share_of_tasks(rates.as_failed(panel), level=settings.level),
        worst_case=Bounds(low=_mean(rates.as_failed(panel)), high=_mean(rates.as_passed(panel))),
        buckets=rates.buckets(panel),
        not_measured=list(reasons(panel)),
        contradictions=list(contradictions(panel)),
        duplicates=summary.duplicates,
        graded=bool(len(rewards)) and not set(np.unique(rewards)) <= {0.0, 1.0},
        reward_spread=float(rewards.std(ddof=1)) if len(rewards) > 1 else None,
        answer_field=name,
        slices=_slices(store, panel, settings),
        spending=spending(panel, seed=settings.seed, level=settings.level),
        shipped=shipped if len(settled.summaries) == 1 or summary is settled.summaries[0] else [],
        warnings=_warnings(panel, rewards, settings.rule),
    )


def _mean(values: Numbers) -> float | None:
    return float(values.mean()) if len(values) else None


def _majorities(store: "Store", panel: Panel, name: str, level: float) -> dict[str, Estimate]:
    given = answers(store, panel, name)
    ks = range(1, rates.most_repeats(panel) + 1)
    return {f"majority@{k}": rates.share_of_tasks(majority_at(k, panel, given), level=level) for k in ks}


def reasons(panel: Panel) -> Iterable[NotMeasured]:
    """Why rollouts are not measured, the most frequent reason first."""
    found: dict[str, list[int]] = defaultdict(list)
    for rollout, verdict in sorted(panel.verdicts.items()):
        if verdict.why:
            found[verdict.why].append(rollout)
    for why, rollouts in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        told = [(panel.ref(rollout), panel.verdicts[rollout]) for rollout in rollouts]
        yield NotMeasured(
            why=why,
            rollouts=len(rollouts) + (panel.anonymous if why == "missing" else 0),
            refs=[ref if verdict.step is None else f"{ref}#{verdict.step}" for ref, verdict in told],
            details=[verdict.detail for _, verdict in told],
        )
    if panel.anonymous and "missing" not in found:
        yield NotMeasured(why="missing", rollouts=panel.anonymous, refs=[], details=[])


def contradictions(panel: Panel) -> Iterable[Contradiction]:
    """What rows say against themselves, with all rows that say it."""
    found: dict[str, list[int]] = defaultdict(list)
    for rollout, verdict in sorted(panel.verdicts.items()):
        if verdict.contradiction:
            found[verdict.contradiction].append(rollout)
    for what, rollouts in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        yield Contradiction(what=what, rollouts=len(rollouts), refs=[panel.ref(rollout) for rollout in rollouts])


def _slices(store: "Store", panel: Panel, settings: Settings) -> list[SliceRate]:
    seen = Seen.of([panel])
    found = [slice_by(store, seen, name) for name in settings.by] if settings.by else find_slices(store, seen)
    return [rate for slicing in found for rate in _slice_rates(panel, slicing, settings)]


def _slice_rates(panel: Panel, slicing: Slicing, settings: Settings) -> Iterable[SliceRate]:
    for value, tasks in slicing.groups():
        part = panel.only(tasks)
        rate = rates.rates_at_one(part, estimand=settings.estimand, level=settings.level)
        yield SliceRate(
            field=slicing.field, value=value, tasks=len(tasks), rollouts=int(part.measured.sum()), rate=rate
        )


def _warnings(panel: Panel, rewards: Numbers, rule: PassRule) -> list[str]:
    """What a reader must know before the numbers."""
    if not len(rewards):
        return ["no rollout is measured: there is no rate to give"]
    told = []
    low, high = float(rewards.min()), float(rewards.max())
    if not rule.passes(high):
        told.append(
            f"no reward reaches the threshold of {rule.threshold:g}: the highest is {high:g}, so nothing passes"
        )
    if high > max(1.0, rule.threshold):
        told.append(
            f"rewards go up to {high:g}, above the threshold of {rule.threshold:g}: is a pass what you mean by it?"
        )
    if low < 0:
        told.append(f"rewards go down to {low:g}: a mean reward is no share")
    if rates.most_repeats(panel) == 1:
        told.append("one rollout per task: the buckets say little, since a task that fails once may pass the next time")
    return told


def load_metrics(store: "Store", run: str, settings: Settings | None = None) -> RunMetrics:
    """The metrics of one run of a store, without what was shipped beside it."""
    settled = next(settled for settled in store.runs if any(summary.run == run for summary in settled.summaries))
    return _measure(store, settled, summary_of(store, run), [], settings or Settings())
