"""The records of an explanation; the names are those of the outputs contract. Points are 100 × share of pass@1."""

from typing import Final

import msgspec

from blade.measure.comparison import Comparison
from blade.measure.rates import Bounds, Estimate
from blade.measure.run import NotMeasured

SCHEMA: Final = "blade.analysis/1"


class OddsRatio(msgspec.Struct, kw_only=True):
    """How much likelier rollouts with a behaviour fail than those of the same task and run without it."""

    value: float
    low: float | None
    high: float | None
    """None where no pass shows it: no bound."""
    p_adjusted: float | None


class Quote(msgspec.Struct, kw_only=True):
    """Exact text of a step, or of a field of the row."""

    ref: str
    text: str
    field: str = ""


class ModeShare(msgspec.Struct, kw_only=True):
    """A failure mode in one run."""

    mode: str
    cause: str
    title: str
    owner: str
    rollouts: int
    tasks: int
    share: float
    """Of the failing and not-measured rollouts of the run."""
    odds_ratio: OddsRatio | None
    refs: list[str]
    tier: str
    rule: str
    guard: str
    """`within tasks`, `between tasks`, or `none` where it was held against no pass."""
    seen: int
    """Failing and not-measured rollouts of the run that show it, those with another mode too."""
    in_passes: int
    """Passing rollouts of the run that show it."""
    example: Quote | None = None


class CauseShare(msgspec.Struct, kw_only=True):
    """A cause in one run, over all its modes."""

    cause: str
    rollouts: int
    share: float


class Stage(msgspec.Struct, kw_only=True):
    """A stage of the way to a pass, and how many rollouts come that far."""

    stage: str
    reached: int
    share: float
    """Of all rollouts that are there or owed."""


class Predictor(msgspec.Struct, kw_only=True):
    """A value of a field, and how often rollouts with it and without it fail."""

    field: str
    value: str
    failed: int
    measured: int
    failed_otherwise: int
    measured_otherwise: int
    p_adjusted: float | None
    guard: str


class Signalled(msgspec.Struct, kw_only=True):
    """A signal, and whether it tells failures from passes."""

    signal: str
    failing: int
    passing: int
    odds_ratio: OddsRatio | None
    guard: str
    taken: bool
    """Whether it was taken as a failure mode."""


class RunFailures(msgspec.Struct, kw_only=True):
    """What went wrong in one run."""

    run: str
    model: str | None
    agent: str | None
    rows: int
    tasks: int
    rollouts: int
    measured: int
    failed: int
    expected: int | None
    not_measured: list[NotMeasured]
    metrics: dict[str, Estimate]
    worst_case: Bounds
    buckets: dict[str, int]
    funnel: list[Stage]
    largest_drop: str | None
    """The stage before which most rollouts are lost."""
    modes: list[ModeShare]
    causes: list[CauseShare]
    unexplained: float | None
    """Share of failing and not-measured rollouts that no tier explains."""
    signals: list[Signalled]


class TaskLabel(msgspec.Struct, kw_only=True):
    """A task of a run, and why it fails."""

    run: str
    task: str
    passed: int
    measured: int
    bucket: str
    mode: str | None
    cause: str | None
    confidence: str | None
    runner_up: str | None
    rule: str | None
    refs: list[str]


class Term(msgspec.Struct, kw_only=True):
    """What one mode adds to the change of the score; the terms of all modes sum to it."""

    mode: str
    title: str
    cause: str
    owner: str
    points: float
    low: float | None
    high: float | None
    within_noise: bool
    baseline: float
    """Points that the mode costs the baseline, and the candidate."""
    candidate: float
    refs: list[str]


class CauseTerm(msgspec.Struct, kw_only=True):
    """The same by cause."""

    cause: str
    points: float
    low: float | None
    high: float | None
    within_noise: bool


class RewardTerm(msgspec.Struct, kw_only=True):
    """What one mode adds to the change of the mean reward, in units of reward."""

    mode: str
    title: str
    cause: str
    value: float
    low: float | None
    high: float | None


class Flow(msgspec.Struct, kw_only=True):
    """Where rollouts of the common tasks went, from what became of them in the baseline."""

    from_: str = msgspec.field(name="from")
    to: str
    points: float


class SliceTerm(msgspec.Struct, kw_only=True):
    """What one mode adds to the change within one slice."""

    field: str
    value: str
    mode: str
    title: str
    cause: str
    points: float


class Explained(Comparison, kw_only=True):
    """A comparison with what its difference is made of."""

    terms: list[Term]
    cause_terms: list[CauseTerm]
    reward_terms: list[RewardTerm] | None
    flows: list[Flow]
    slice_terms: list[SliceTerm]
    answer: list[str]
    """Why the score changed, in sentences, the most important first."""


class Finding(msgspec.Struct, kw_only=True):
    """Something about the benchmark itself, or about the runs as measurements, that a reader must know."""

    kind: str
    """A word of `vocabulary.HEALTH_KINDS`."""
    title: str
    why: str
    """What shows it, in sentences."""
    tasks: list[str] = []
    """The tasks that it concerns; empty where it concerns the whole run or benchmark."""
    refs: list[str] = []
    """Every rollout that it concerns, at the step that shows it where there is one."""
    run: str | None = None
    """The run that it speaks of; None where it speaks of the benchmark or of all runs."""
    quotes: list[Quote] = []


class Gain(msgspec.Struct, kw_only=True):
    """Points of pass@1 that something would give, with the interval over tasks."""

    value: float
    low: float | None
    high: float | None


class Counterfactual(msgspec.Struct, kw_only=True):
    """What a run would score, were something else: a row of the table of what could be won."""

    what: str
    """`baseline`, the key of a mode, `all modes`, `oracle` or `reference run`."""
    title: str
    points: float
    """pass@1 in points, over measured rollouts; where `as_failed`, with the others counted as failures."""
    gain: Gain
    """Against the baseline of the same kind."""
    recoverable: float | None = None
    """Of a mode, all the points that its failures cost: no fix of it can give more."""
    as_failed: bool = False


class Saving(msgspec.Struct, kw_only=True):
    """What a pass costs now, and what it would cost."""

    what: str
    now: float
    then: float


class Intervention(msgspec.Struct, kw_only=True):
    """Something that a person could do about failures, and what it would give at most and at a guarded guess."""

    rank: int
    title: str
    run: str
    owner: str
    causes: list[str]
    modes: list[str]
    gain: Gain
    recoverable: float
    """Points that its failures cost: the upper bound."""
    as_failed: bool
    """Whether points count what is not measured as failed: then the score that is gained is that of a scoreboard."""
    why: str
    """What the gain is read from, in a sentence."""
    rollouts: int
    tasks: list[str]
    confirm: str
    """The rerun that would confirm it, in a sentence."""
    confirm_repeats: int | None
    """Repeats of each of `tasks` in that rerun; None where no number of them would do."""
    saving: list[Saving]
    refs: list[str]


class Analysis(msgspec.Struct, kw_only=True):
    """What is known of some runs: why they fail, and why their scores differ."""

    schema: str = SCHEMA
    pass_rule: str
    runs: list[RunFailures]
    comparisons: list[Explained]
    tasks: list[TaskLabel]
    predictors: list[Predictor]
    restating: list[str]
    """Fields that only say again what the reward says."""
    warnings: list[str]
    health: list[Finding] = []
    interventions: list[Intervention] = []
    """The most gain first."""
    counterfactual: list[Counterfactual] = []
    """What the run that the interventions speak of would score, row by row."""
