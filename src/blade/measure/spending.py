"""What a run spends: tokens, steps, calls, seconds and cost, for each rollout and for each rollout that passes."""

from typing import NamedTuple

import msgspec
import numpy as np

from blade.measure.intervals import Floats, Interval, mean_interval, ratio_intervals
from blade.measure.panel import Panel
from blade.measure.rates import LEVEL, Estimate


class Spent(msgspec.Struct, kw_only=True):
    """One thing that rollouts spend. Means are over tasks, of measured rollouts that say what they spent."""

    what: str
    per_rollout: Estimate
    per_pass: Estimate
    """Spent for each pass: the mean per rollout by the pass rate of the same tasks."""
    known: int
    """Measured rollouts that say."""


class _Means(NamedTuple):
    """What each task spends and how often it passes, of the tasks that say what they spend."""

    what: str
    known: int
    spent: Floats
    passes: Floats
    tasks: bytes
    """Stands for which tasks these are."""


def spending(panel: Panel, *, seed: int, level: float = LEVEL) -> list[Spent]:
    """Everything that at least one measured rollout reports."""
    found = [means for what in panel.spent if (means := _means(panel, what))]
    of_passes = _of_passes(found, seed, level)
    return [_spent(means, of_passes.get(means.what), level) for means in found]


def _means(panel: Panel, what: str) -> _Means | None:
    values = np.where(panel.spent[what] >= 0, panel.spent[what], np.nan)
    known = ~np.isnan(values) & (panel.outcome >= 0)
    if not known.any():
        return None
    means = panel.means(values)
    passes = panel.means((panel.outcome == 1).astype(float), known)
    some = ~np.isnan(means)
    return _Means(what, int(known.sum()), means[some], passes[some], some.tobytes())


def _of_passes(found: list[_Means], seed: int, level: float) -> dict[str, Interval | None]:
    """The interval of what a pass costs, by what is spent: those of the same tasks are drawn together."""
    groups: dict[bytes, list[_Means]] = {}
    for means in found:
        if means.passes.sum() > 0:
            groups.setdefault(means.tasks, []).append(means)
    intervals: dict[str, Interval | None] = {}
    for group in groups.values():
        ends = ratio_intervals([(means.spent, means.passes) for means in group], seed=seed, level=level)
        intervals |= dict(zip((means.what for means in group), ends, strict=True))
    return intervals


def _spent(means: _Means, of_pass: Interval | None, level: float) -> Spent:
    count = len(means.spent)
    low, high = mean_interval(means.spent, level=level) or (None, None)
    per_rollout = Estimate(value=float(means.spent.mean()), low=low, high=high, tasks=count)
    per_pass = Estimate(value=None, tasks=count)
    if means.passes.sum() > 0:
        low, high = of_pass or (None, None)
        high = None if high is None or np.isinf(high) else high  # some resamples hold no pass at all
        per_pass = Estimate(value=float(means.spent.sum() / means.passes.sum()), low=low, high=high, tasks=count)
    return Spent(what=means.what, per_rollout=per_rollout, per_pass=per_pass, known=means.known)
