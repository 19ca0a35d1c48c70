"""The records of a comparison; the names are those of the outputs contract. Points are 100 × share of pass@1."""

import msgspec

from blade.measure.contract import Comparable


class Delta(msgspec.Struct, kw_only=True):
    """A difference in points, with its interval; `p` of the sign-flip test, adjusted over the candidates."""

    value: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_adjusted: float | None = None


class RewardDelta(msgspec.Struct, kw_only=True):
    """The difference of mean rewards, in units of reward."""

    value: float
    low: float | None
    high: float | None
    p: float


class ToSettle(msgspec.Struct, kw_only=True):
    """What would show a difference of the size that was seen: so many repeats in each run, or so many tasks."""

    repeats: int | None = None
    tasks: int | None = None


class HeadlineTerm(msgspec.Struct, kw_only=True):
    """A part of what a scoreboard shows."""

    what: str
    points: float


class Headline(msgspec.Struct, kw_only=True):
    """The difference that a scoreboard shows, split so that the terms sum to it."""

    value: float
    baseline: float
    candidate: float
    terms: list[HeadlineTerm]


class Flip(msgspec.Struct, kw_only=True):
    """A task on which the two runs differ: passed and measured rollouts in each."""

    task: str
    baseline: tuple[int, int]
    candidate: tuple[int, int]
    points: float
    refs: list[str]
    """The rollouts that make the difference: failures of the run that is worse, passes of the other."""


class SliceDelta(msgspec.Struct, kw_only=True):
    """The difference over the tasks of one slice; `p_adjusted` over all slices that were tried."""

    field: str
    value: str
    tasks: int
    delta: float
    low: float | None
    high: float | None
    p: float | None
    """None where the slice has too few tasks for any result to have p < 0.05; then it is not among those tried."""
    p_adjusted: float | None


class Common(msgspec.Struct, kw_only=True):
    """What the comparison stands on."""

    tasks: int
    """Common tasks that both runs have measured rollouts of."""
    rollouts: tuple[int, int]
    """Measured rollouts of these tasks, baseline and candidate."""
    paired_by: str
    note: str
    changed_prompts: list[str]
    only_baseline: list[str]
    only_candidate: list[str]
    not_measured: list[str]
    """Common tasks of which one run has no measured rollout."""


class Comparison(msgspec.Struct, kw_only=True):
    """A candidate against the baseline."""

    baseline: str
    candidate: str
    pass_rule: str
    comparable: Comparable
    common: Common
    rates: tuple[float | None, float | None]
    """pass@1 of both over the common tasks."""
    delta: Delta
    delta_as_failed: Delta
    """The same with what is not measured counted as failures."""
    reward_delta: RewardDelta | None
    verdict: str
    """A word of `vocabulary.VERDICTS`."""
    why: str
    verdict_depends: bool
    """Whether another verdict holds where what is not measured counts as failed; then no difference is shown."""
    minimum_detectable: float | None
    to_settle: ToSettle
    headline: Headline | None
    flips: list[Flip]
    slices: list[SliceDelta]
    warnings: list[str]
