"""What a run spends: tokens, steps, calls, seconds and cost, for each rollout and for each rollout that passes."""

import msgspec
import numpy as np

from blade.measure.intervals import mean_interval, ratio_interval
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


def spending(panel: Panel, *, seed: int, level: float = LEVEL) -> list[Spent]:
    """Everything that at least one measured rollout reports."""
    return [found for what in panel.spent if (found := _spent(panel, what, seed, level))]


def _spent(panel: Panel, what: str, seed: int, level: float) -> Spent | None:
    values = np.where(panel.spent[what] >= 0, panel.spent[what], np.nan)
    known = ~np.isnan(values) & (panel.outcome >= 0)
    if not known.any():
        return None
    means = panel.means(values)
    passes = panel.means((panel.outcome == 1).astype(float), known)
    some = ~np.isnan(means)
    means, passes = means[some], passes[some]
    low, high = mean_interval(means, level=level) or (None, None)
    per_rollout = Estimate(value=float(means.mean()), low=low, high=high, tasks=len(means))
    per_pass = Estimate(value=None, tasks=len(means))
    if passes.sum() > 0:
        low, high = ratio_interval(means, passes, seed=seed, level=level) or (None, None)
        high = None if high is None or np.isinf(high) else high  # some resamples hold no pass at all
        per_pass = Estimate(value=float(means.sum() / passes.sum()), low=low, high=high, tasks=len(means))
    return Spent(what=what, per_rollout=per_rollout, per_pass=per_pass, known=int(known.sum()))
