"""Two runs held against each other: the difference of pass@1, whether it is beyond noise, and what it is made of.

Points are percentage points of pass@1, candidate less baseline, over the common tasks and their measured rollouts.
The verdict rests on the paired sign-flip test, adjusted over all candidates. It must hold whether rollouts that are
not measured are left out or counted as failures; where it does not, no difference is shown.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from blade.errors import InputError
from blade.measure.comparison import (
    Common,
    Comparison,
    Delta,
    Flip,
    RewardDelta,
    SliceDelta,
    ToSettle,
)
from blade.measure.contract import NOT_COMPARABLE, Comparable, compare_setup
from blade.measure.doubts import doubts
from blade.measure.headline import headline
from blade.measure.intervals import Interval, mean_interval, paired_interval, these_tasks_interval
from blade.measure.multiplicity import benjamini_hochberg, holm
from blade.measure.pairing import Pairing, pair
from blade.measure.panel import Numbers, Panel, load_panel, share, summary_of
from blade.measure.permutation import sign_flip, sign_flip_counts, smallest_p
from blade.measure.power import DifferenceVariance, difference_variance, minimum_detectable, to_settle
from blade.measure.rates import NEW_TASKS, mean
from blade.measure.run import Settings
from blade.measure.slices import Seen, find_slices, slice_by
from blade.numbers import probability

if TYPE_CHECKING:
    from blade.scan.store import Store

BETTER: Final = "better"
WORSE: Final = "worse"
NO_DIFFERENCE: Final = "no difference shown"

ALPHA: Final = 0.05
_SETTLED_AT_MOST: Final = 1_000_000


def compare(
    store: "Store",
    settings: Settings | None = None,
    *,
    baseline: str | None = None,
    by_id: bool = False,
    with_itself: bool = False,
) -> list[Comparison]:
    """Compare the runs of a store with one of them: the first, or the one that is named.

    `with_itself` compares a store's only run with itself, where otherwise there is nothing to compare.
    """
    settings = settings or Settings()
    first, *others = _in_order([summary.run for summary in store.summaries], baseline)
    if not others and with_itself:
        others = [first]
    if not others:
        hint = "name two runs, or with --split-by a field whose values make several runs of one"
        raise InputError(f"a comparison needs two runs, and there is only {first}", hint=hint)
    return compare_panels(
        store, [load_panel(store, name, settings.rule) for name in (first, *others)], settings, by_id=by_id
    )


def compare_panels(store: "Store", panels: list[Panel], settings: Settings, *, by_id: bool = False) -> list[Comparison]:
    """Compare runs that are loaded already with the first of them."""
    first, *others = panels
    alpha = ALPHA / len(others)
    found = [_compare(store, first, other, settings, by_id=by_id, alpha=alpha) for other in others]
    _adjust([comparison.delta for comparison in found])
    _adjust([comparison.delta_as_failed for comparison in found])
    for comparison in found:
        _judge(comparison)
        if comparison.verdict in (BETTER, WORSE):
            comparison.to_settle = ToSettle()
    return found


def _in_order(names: list[str], baseline: str | None) -> list[str]:
    """The runs, the baseline first."""
    if baseline is None:
        return names
    if baseline not in names:
        raise InputError(f"no run is named {baseline}", hint=f"there are {', '.join(names[:8])}")
    return [baseline, *(name for name in names if name != baseline)]


def _adjust(deltas: list[Delta]) -> None:
    for delta, adjusted in zip(deltas, holm([delta.p for delta in deltas]).tolist(), strict=True):
        delta.p_adjusted = None if math.isnan(adjusted) else adjusted


def _compare(
    store: "Store", baseline: Panel, candidate: Panel, settings: Settings, *, by_id: bool, alpha: float
) -> Comparison:
    """One pair; `alpha` is what the smallest p must be below, after Holm's correction for the number of pairs."""
    pairing = pair(store, baseline, candidate, by_id=by_id)
    comparable = compare_setup(store, baseline, candidate, pairing)
    all_common = (baseline.only(pairing.baseline), candidate.only(pairing.candidate))
    both = (all_common[0].measured > 0) & (all_common[1].measured > 0)
    first, second = (panel.only(np.flatnonzero(both)) for panel in all_common)
    variance = _variance(first, second) if comparable.verdict != NOT_COMPARABLE else None
    delta = _delta(first, second, settings)
    return Comparison(
        baseline=baseline.run,
        candidate=candidate.run,
        pass_rule=str(settings.rule),
        comparable=comparable,
        common=_common(pairing, all_common, both),
        rates=(mean(first.shares), mean(second.shares)),
        delta=delta,
        delta_as_failed=_delta_as_failed(*all_common),
        reward_delta=_reward_delta(first, second, settings),
        verdict="",
        why="",
        verdict_depends=False,
        minimum_detectable=_points(minimum_detectable(variance, alpha=alpha)) if variance else None,
        to_settle=_settling(delta, variance, alpha),
        headline=headline(baseline, candidate, pairing, (first, second)),
        flips=list(_flips(first, second)),
        slices=_slices(store, first, second, settings) if len(first.tasks) > 1 else [],
        warnings=[*_warnings(first, second, comparable), *_doubts(store, baseline, candidate)],
    )


def _points(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _common(pairing: Pairing, common: tuple[Panel, Panel], both: Numbers) -> Common:
    first, second = common
    return Common(
        tasks=int(both.sum()),
        rollouts=(int(first.measured[both].sum()), int(second.measured[both].sum())),
        paired_by=pairing.by,
        note=pairing.note,
        changed_prompts=pairing.changed,
        only_baseline=pairing.only_baseline,
        only_candidate=pairing.only_candidate,
        not_measured=[task for task, measured in zip(first.tasks, both.tolist(), strict=True) if not measured],
    )


def _delta(first: Panel, second: Panel, settings: Settings) -> Delta:
    """The difference over tasks that both have measured."""
    differences = second.shares - first.shares
    if not len(differences):
        return Delta(value=None)
    low, high = _interval(first, second, differences, settings) or (None, None)
    p = sign_flip_counts(first.passed, first.measured, second.passed, second.measured, seed=settings.seed)
    return Delta(value=100 * float(differences.mean()), low=_points(low), high=_points(high), p=p)


def _interval(first: Panel, second: Panel, differences: Numbers, settings: Settings) -> Interval | None:
    """For new tasks like these; or for these tasks, where only the rollouts vary."""
    if settings.estimand == NEW_TASKS:
        return paired_interval(differences, level=settings.level)
    variances = _within(first) + _within(second)
    # the shares' difference lies in [-1, 1]; halved and moved it lies in [0, 1], where the method is at home
    found = these_tasks_interval(variances / 4, (differences + 1) / 2, level=settings.level)
    return found and Interval(2 * found.low - 1, 2 * found.high - 1)


def _within(panel: Panel) -> Numbers:
    """The variance of each task's share over its rollouts; NaN for a single one."""
    p = panel.shares
    return share(p * (1 - p), panel.measured - 1)


def _delta_as_failed(first: Panel, second: Panel) -> Delta:
    """The difference over all common tasks, what is not measured counted as failures."""
    if not len(first.tasks):
        return Delta(value=None)
    differences = share(second.passed, second.owed) - share(first.passed, first.owed)
    low, high = paired_interval(differences) or (None, None)
    p = sign_flip_counts(first.passed, first.owed, second.passed, second.owed)
    return Delta(value=100 * float(differences.mean()), low=_points(low), high=_points(high), p=p)


def _reward_delta(first: Panel, second: Panel, settings: Settings) -> RewardDelta | None:
    """For graded rewards only; where they are 0 and 1 it would say the same again."""
    known = [panel.reward[(panel.outcome >= 0)] for panel in (first, second)]
    values = np.concatenate(known)
    if not len(values) or set(np.unique(values)) <= {0.0, 1.0}:
        return None
    differences = second.means(second.reward) - first.means(first.reward)
    low, high = mean_interval(differences, level=settings.level) or (None, None)
    return RewardDelta(
        value=float(differences.mean()), low=low, high=high, p=sign_flip(differences, seed=settings.seed)
    )


def _variance(first: Panel, second: Panel) -> DifferenceVariance | None:
    return difference_variance(first.passed, first.measured, second.passed, second.measured)


def _settling(delta: Delta, variance: DifferenceVariance | None, alpha: float) -> ToSettle:
    if variance is None or not delta.value:
        return ToSettle()
    found = to_settle(delta.value / 100, variance, alpha=alpha)
    repeats, tasks = (None if count is None or count > _SETTLED_AT_MOST else count for count in found)
    return ToSettle(repeats=repeats, tasks=tasks)


def _judge(comparison: Comparison) -> None:
    """Add the verdict in words, and the reason in one sentence."""
    if comparison.comparable.verdict == NOT_COMPARABLE:
        comparison.verdict, comparison.why = NOT_COMPARABLE, comparison.comparable.why
        return
    measured, failed = _claim(comparison.delta), _claim(comparison.delta_as_failed)
    comparison.verdict_depends = measured != failed
    if measured == failed:
        comparison.verdict, comparison.why = measured, _reason(comparison, measured)
    else:
        comparison.verdict = NO_DIFFERENCE
        comparison.why = (
            f"the verdict depends on what is not measured: {measured} where it is left out, "
            f"{failed} where it counts as failed"
        )


def _claim(delta: Delta) -> str:
    if delta.value is None or delta.p_adjusted is None or delta.p_adjusted >= ALPHA or delta.value == 0:
        return NO_DIFFERENCE
    return BETTER if delta.value > 0 else WORSE


def _reason(comparison: Comparison, claim: str) -> str:
    tasks, p = comparison.common.tasks, comparison.delta.p_adjusted
    if claim == NO_DIFFERENCE and smallest_p(tasks) >= ALPHA:
        return f"with {tasks} common task{'' if tasks == 1 else 's'} no result could have p < {ALPHA:g}"
    if p is None or p >= 1:
        return "nothing speaks for a difference"
    chance = probability(p, bare=True).replace("<", "less than ")
    return f"if the two were equally good, a difference as large would be seen with probability {chance}"


def _flips(first: Panel, second: Panel) -> Iterator[Flip]:
    """The tasks that differ, the largest difference first."""
    differences = second.shares - first.shares
    order = sorted(np.flatnonzero(differences).tolist(), key=lambda task: (-abs(differences[task]), task))
    for task in order:
        worse, better = (second, first) if differences[task] < 0 else (first, second)
        refs = [
            *worse.refs((worse.task == task) & (worse.outcome == 0)),
            *better.refs((better.task == task) & (better.outcome == 1)),
        ]
        yield Flip(
            task=first.tasks[task],
            baseline=(int(first.passed[task]), int(first.measured[task])),
            candidate=(int(second.passed[task]), int(second.measured[task])),
            points=100 * float(differences[task]),
            refs=refs,
        )


def _slices(store: "Store", first: Panel, second: Panel, settings: Settings) -> list[SliceDelta]:
    seen = Seen.of([first, second])
    slicings = [slice_by(store, seen, name) for name in settings.by] if settings.by else find_slices(store, seen)
    differences = second.shares - first.shares
    found: list[dict[str, Any]] = []
    for slicing in slicings:
        for value, tasks in slicing.groups():
            if len(tasks) < 2:
                continue
            low, high = paired_interval(differences[tasks], level=settings.level) or (None, None)
            a, b = first.only(tasks), second.only(tasks)
            tried = smallest_p(len(tasks)) < ALPHA
            p = sign_flip_counts(a.passed, a.measured, b.passed, b.measured, seed=settings.seed) if tried else None
            delta = 100 * float(differences[tasks].mean())
            found.append(
                {
                    "field": slicing.field,
                    "value": value,
                    "tasks": len(tasks),
                    "delta": delta,
                    "low": _points(low),
                    "high": _points(high),
                    "p": p,
                }
            )
    adjusted = benjamini_hochberg([each["p"] for each in found]).tolist()
    return [
        SliceDelta(**each, p_adjusted=None if math.isnan(p) else p) for each, p in zip(found, adjusted, strict=True)
    ]


def _warnings(first: Panel, second: Panel, comparable: Comparable) -> list[str]:
    told = []
    if comparable.verdict != NOT_COMPARABLE and len(first.tasks):
        rewards = [panel.reward[panel.outcome >= 0] for panel in (first, second)]
        highest = [float(each.max()) for each in rewards]
        if min(highest) <= 1 < max(highest) / 5:
            told.append(f"the rewards seem to be on different scales: up to {highest[0]:g} and up to {highest[1]:g}")
        if not any(first.rule.passes(high) for high in highest):
            told.append("no reward of either run reaches the threshold, so pass@1 is 0 in both and says nothing")
        if first.run == second.run:
            told.append("the run is compared with itself")
        elif np.array_equal(first.reward, second.reward, equal_nan=True) and first.rollout == second.rollout:
            told.append("every reward of one run is that of the other: the same data twice?")
    return told


def _doubts(store: "Store", *panels: Panel) -> Iterator[str]:
    """What was left out of the numbers of each run."""
    for run in dict.fromkeys(panel.run for panel in panels):
        yield from (f"{run}: {doubt}" for doubt in doubts(store, summary_of(store, run)))
