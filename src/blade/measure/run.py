"""Everything that is measured of one run, as typed records; the names are those of the outputs contract."""

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

from blade.measure import rates
from blade.measure.answers import answer_field, majority_at, with_answers
from blade.measure.doubts import doubts
from blade.measure.outcomes import NOT_MEASURED, PassRule
from blade.measure.panel import Numbers, Panel, load_panel
from blade.measure.rates import LEVEL, NEW_TASKS, Bounds, Estimate
from blade.measure.shipped import SourceCheck, check_shipped
from blade.measure.slices import Seen, Slicing, find_slices, slice_by
from blade.measure.spending import Spent, spending
from blade.numbers import amount
from blade.profile import Profile

if TYPE_CHECKING:
    from blade.scan.store import SettledRun, Store
    from blade.scan.summary import RunSummary

SEED: Final = 7


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How to measure."""

    rule: PassRule = PassRule()
    estimand: str = NEW_TASKS
    """A word of `vocabulary.ESTIMANDS`."""
    seed: int = SEED
    by: tuple[str, ...] = ()
    """Fields to slice by; without any, slices are found."""
    level: float = LEVEL
    profile: Profile | None = None
    """What the people of the benchmark know about it; rule and slices are taken from it by `settings_of`."""


def settings_of(
    profile: Profile | None,
    *,
    threshold: float | None = None,
    by: tuple[str, ...] = (),
    estimand: str = NEW_TASKS,
    seed: int = SEED,
) -> Settings:
    """How to measure by a profile, where nothing else is asked for."""
    if threshold is None and profile is not None:
        threshold = profile.threshold
    return Settings(
        rule=PassRule() if threshold is None else PassRule(threshold),
        estimand=estimand,
        seed=seed,
        by=by or (profile.slices if profile else ()),
        profile=profile,
    )


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


class TaskMetrics(msgspec.Struct, kw_only=True):
    """One task of a run."""

    task: str
    rollouts: int
    measured: int
    passed: int
    bucket: str
    mean_reward: float | None


class Measures(msgspec.Struct, kw_only=True):
    """What is measured over some tasks of a run."""

    tasks: int
    rollouts: int
    """Rollouts that are there or owed; duplicates and retried attempts are counted once."""
    measured: int
    passed: int
    metrics: dict[str, Estimate]
    """Every rate, over measured rollouts."""
    metrics_as_failed: dict[str, Estimate]
    """The same with every rollout that is not measured counted as a failure."""
    row_mean: float | None
    """Passes by measured rollouts, where every row weighs the same."""
    reward_spread: float | None
    """Standard deviation of the rewards of measured rollouts."""
    buckets: dict[str, int]
    spending: list[Spent]


class SliceMetrics(Measures, kw_only=True):
    """The tasks that have one value in a field."""

    field: str
    value: str


class RunMetrics(Measures, kw_only=True):
    """One run in numbers."""

    run: str
    model: str | None
    agent: str | None
    pass_rule: str
    estimand: str
    """What the intervals speak of."""
    level: float
    """What share of them should hold the truth."""
    rows: int
    expected: int | None
    repeats: list[int]
    """Fewest, median and most measured rollouts of a task that has any."""
    usual_repeats: int
    """K of the headline."""
    not_measured_as_failed: float | None
    """pass@1 with every rollout that is not measured counted as a failure."""
    worst_case: Bounds
    not_measured: list[NotMeasured]
    contradictions: list[Contradiction]
    duplicates: int
    graded: bool
    """Whether there are rewards other than 0 and 1."""
    answer_field: str | None
    slices: list[SliceMetrics]
    by_task: list[TaskMetrics]
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
        # A sidecar that speaks of several agents is told once, with the first of them.
        checks = [shipped, *([] for _ in settled.summaries)]
        return [_measure(part, *each, settings) for each in zip(settled.summaries, checks, strict=False)]


def _measure(store: "Store", summary: "RunSummary", shipped: list[SourceCheck], settings: Settings) -> RunMetrics:
    panel = load_panel(store, summary.run, settings.rule)
    counts = panel.measured[panel.measured > 0]
    name = answer_field(store, panel.run)
    panel = with_answers(store, panel, name) if name else panel
    rewards = panel.reward[panel.outcome != NOT_MEASURED]
    measures = _measures(panel, settings)
    measures["metrics"]["coverage"] = Estimate(value=summary.coverage, tasks=measures["tasks"])
    return RunMetrics(
        run=panel.run,
        model=summary.model,
        agent=summary.agent,
        pass_rule=str(settings.rule),
        estimand=settings.estimand,
        level=settings.level,
        rows=summary.rows,
        expected=summary.expected,
        repeats=[int(counts.min()), rates.usual_repeats(panel), int(counts.max())] if len(counts) else [],
        usual_repeats=rates.usual_repeats(panel),
        not_measured_as_failed=rates.worst_case(panel).low,
        worst_case=rates.worst_case(panel),
        not_measured=list(reasons(panel)),
        contradictions=list(contradictions(panel)),
        duplicates=summary.duplicates,
        graded=bool(len(rewards)) and not set(np.unique(rewards)) <= {0.0, 1.0},
        answer_field=name,
        slices=_slices(store, panel, settings),
        by_task=list(_by_task(panel)),
        shipped=shipped,
        warnings=[*_warnings(rewards, settings.rule), *_without_interval(measures, settings), *doubts(store, summary)],
        **measures,
    )


def _by_task(panel: Panel) -> Iterable[TaskMetrics]:
    means = panel.means(panel.reward).tolist()
    for task, name in enumerate(panel.tasks):
        measured, passed = int(panel.measured[task]), int(panel.passed[task])
        yield TaskMetrics(
            task=name,
            rollouts=int(panel.owed[task]),
            measured=measured,
            passed=passed,
            bucket=rates.bucket_of(passed, measured),
            mean_reward=means[task] if measured else None,
        )


def _measures(panel: Panel, settings: Settings) -> dict[str, Any]:
    """The attributes of `Measures`, over all tasks of a panel."""
    rewards = panel.reward[panel.outcome != NOT_MEASURED]
    measured, passed = int(panel.measured.sum()), int(panel.passed.sum())
    return {
        "tasks": len(panel.tasks) + panel.unknown_tasks,
        "rollouts": len(panel.rollout) + panel.anonymous,
        "measured": measured,
        "passed": passed,
        "metrics": _rates(panel, settings),
        "metrics_as_failed": _rates(panel.as_failed, settings),
        "row_mean": passed / measured if measured else None,
        "reward_spread": float(rewards.std(ddof=1)) if len(rewards) > 1 else None,
        "buckets": rates.buckets(panel),
        "spending": spending(panel, seed=settings.seed, level=settings.level),
    }


def _rates(panel: Panel, settings: Settings) -> dict[str, Estimate]:
    found = rates.rates(panel, estimand=settings.estimand, level=settings.level)
    ks = range(1, rates.most_repeats(panel) + 1) if panel.answers else ()
    # A vote cannot be taken again over the same rollouts: its interval always speaks of new tasks.
    majorities = {f"majority@{k}": majority_at(k, panel) for k in ks}
    return found | {name: rates.share_of_tasks(votes, level=settings.level) for name, votes in majorities.items()}


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


def _slices(store: "Store", panel: Panel, settings: Settings) -> list[SliceMetrics]:
    seen = Seen.of([panel])
    found = [slice_by(store, seen, name) for name in settings.by] if settings.by else find_slices(store, seen)
    return [one for slicing in found for one in _slice(panel, slicing, settings)]


def _slice(panel: Panel, slicing: Slicing, settings: Settings) -> Iterable[SliceMetrics]:
    for value, tasks in slicing.groups():
        yield SliceMetrics(field=slicing.field, value=value, **_measures(panel.only(tasks), settings))


def _warnings(rewards: Numbers, rule: PassRule) -> list[str]:
    """What a reader must know before the numbers."""
    if not len(rewards):
        return ["no rollout is measured: there is no rate to give"]
    told = []
    low, high = float(rewards.min()), float(rewards.max())
    threshold, highest = amount(rule.threshold), amount(high)
    if not rule.passes(high):
        told.append(f"no reward reaches the threshold of {threshold}: the highest is {highest}, so nothing passes")
    if high > max(1.0, rule.threshold):
        told.append(f"rewards go up to {highest}, above the threshold of {threshold}: is a pass what you mean by it?")
    if low < 0:
        told.append(f"rewards go down to {amount(low)}: a mean reward is no share")
    return told


def _without_interval(measures: dict[str, Any], settings: Settings) -> list[str]:
    """Why pass@1 has no interval, where it has none."""
    found = measures["metrics"].get("pass@1")
    if found is None or found.low is not None:
        return []
    if settings.estimand == NEW_TASKS:
        return ["one task says nothing about how tasks differ: rates have no intervals"]
    return ["tasks with one rollout each say nothing about how rollouts vary: rates have no intervals"]
