"""What there is to tell about some runs: plain facts, which every hand puts into its own words."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from blade.explain.analysis import explain
from blade.explain.records import Analysis, RunFailures
from blade.measure.run import RunMetrics, measure
from blade.ref import Ref
from blade.report.reading import Library
from blade.rollout import Rollout
from blade.scan.store import Store

CAUSES = ("KG", "UK", "BI", "TI", "IR", "DA")


@dataclass(frozen=True)
class RunTale:
    name: str
    model: str
    tasks: int
    rollouts: int
    passed: int
    failing: int
    pass_at_1: float
    pass_at_k: float
    k: int
    buckets: dict[str, int]
    funnel: list[tuple[str, int]]


@dataclass(frozen=True)
class ModeTale:
    run: str
    title: str
    cause: str
    owner: str
    rollouts: int
    failing: int
    tasks: int
    elsewhere: int
    """Rollouts of the other run that have it."""


@dataclass(frozen=True)
class DiveTale:
    run: str
    task: str
    passed: int
    measured: int
    rollout: str
    ref: str
    quote: str
    reason: str
    cause: str
    mode: str
    tool: str


@dataclass(frozen=True)
class FlipTale:
    task: str
    first: tuple[int, int]
    second: tuple[int, int]


@dataclass(frozen=True)
class SliceTale:
    run: str
    field: str
    value: str
    pass_at_1: float
    """The lowest of its field."""


@dataclass(frozen=True)
class Tale:
    benchmark: str
    runs: list[RunTale]
    modes: list[ModeTale]
    dives: list[DiveTale]
    flips: list[FlipTale]
    never: dict[str, list[str]] = field(default_factory=dict)
    weakest: list[SliceTale] = field(default_factory=list)

    @property
    def baseline(self) -> RunTale:
        return self.runs[0]

    @property
    def candidate(self) -> RunTale:
        return self.runs[-1]


def tale_of(store: Store, benchmark: str, *, most: int = 10) -> Tale:
    """The facts of two runs."""
    analysis = explain(store)
    metrics = {run.run: run for run in measure(store)}
    one = analysis.comparisons[0]
    flips = sorted(one.flips, key=lambda flip: (-abs(flip.points), flip.task))
    return Tale(
        benchmark=benchmark,
        runs=[_run(run, metrics[run.run]) for run in analysis.runs],
        modes=list(_modes(analysis)),
        dives=list(_dives(store, analysis, most)),
        flips=[FlipTale(flip.task, flip.baseline, flip.candidate) for flip in flips[:5]],
        weakest=[each for run in analysis.runs for each in _weakest(metrics[run.run])],
        never={
            run.run: [label.task for label in analysis.tasks if label.run == run.run and label.bucket == "never"]
            for run in analysis.runs
        },
    )


def _run(run: RunFailures, measured: RunMetrics) -> RunTale:
    k = measured.usual_repeats
    return RunTale(
        name=run.run,
        model=run.model or "",
        tasks=measured.tasks,
        rollouts=measured.rollouts,
        passed=measured.passed,
        failing=run.failed + run.rollouts - run.measured,
        pass_at_1=measured.metrics["pass@1"].value or 0.0,
        pass_at_k=measured.metrics[f"pass@{k}"].value or 0.0,
        k=k,
        buckets=dict(measured.buckets),
        funnel=[(stage.stage, stage.reached) for stage in run.funnel],
    )


def _weakest(measured: RunMetrics) -> Iterator[SliceTale]:
    """Of the first field that slices the run the one value with the lowest rate, where it is one."""
    rates = [(each.metrics["pass@1"].value or 0.0, each) for each in measured.slices]
    first = [(rate, each) for rate, each in rates if each.field == rates[0][1].field]
    lowest = min((rate for rate, _ in first), default=0.0)
    ends = [each for rate, each in first if rate == lowest]
    if len(ends) == 1 and len(first) > 1:
        yield SliceTale(measured.run, ends[0].field, ends[0].value, lowest)


def _modes(analysis: Analysis) -> Iterator[ModeTale]:
    counts = {(run.run, mode.title): mode.rollouts for run in analysis.runs for mode in run.modes}
    for run in analysis.runs:
        other = next(each.run for each in analysis.runs if each.run != run.run)
        failing = run.failed + run.rollouts - run.measured
        for mode in run.modes[:4]:
            elsewhere = counts.get((other, mode.title), 0)
            yield ModeTale(run.run, mode.title, mode.cause, mode.owner, mode.rollouts, failing, mode.tasks, elsewhere)


def _dives(store: Store, analysis: Analysis, most: int) -> Iterator[DiveTale]:
    labels = {(label.run, label.task): label for label in analysis.tasks}
    wanted: dict[tuple[str, str], tuple[Ref, Any]] = {}
    for run in analysis.runs:
        for mode in run.modes:
            for ref in map(Ref.parse, mode.refs):
                wanted.setdefault((ref.run, ref.task), (ref, mode))
    chosen = [key for key in wanted if labels[key].measured and labels[key].bucket in ("sometimes", "never")]
    chosen = [*chosen[: most // 2], *chosen[-(most - most // 2) :]]
    texts = dict(Library(store).read([wanted[key][0] for key in chosen]))
    for key in dict.fromkeys(chosen):
        ref, mode = wanted[key]
        rollout = texts.get(ref.at(None))
        quote = _closing(rollout) if rollout else ""
        if rollout is None or not quote:
            continue
        label = labels[key]
        yield DiveTale(
            run=key[0],
            task=key[1],
            passed=label.passed,
            measured=label.measured,
            rollout=ref.rollout,
            ref=str(ref.at(rollout.answer()[0])) if rollout.answer() else str(ref.at(None)),
            quote=quote,
            reason=_reason(rollout),
            cause=mode.cause,
            mode=mode.title,
            tool=_last_tool(rollout),
        )


def _closing(rollout: Rollout) -> str:
    """The last line of the last message."""
    found = rollout.answer()
    lines = [line.strip() for line in (found[1] if found else "").split("\n") if len(line.strip()) > 7]
    return lines[-1] if lines and len(lines[-1]) < 140 and '"' not in lines[-1] else ""


def _reason(rollout: Rollout) -> str:
    texts = [value for value in rollout.fields.values() if isinstance(value, str)]
    return max((text for text in texts if " " in text and len(text) < 140 and "\n" not in text), key=len, default="")


def _last_tool(rollout: Rollout) -> str:
    tools = [call.tool for step in rollout.steps for call in step.calls if call.tool]
    return tools[-1] if tools else ""


# Tales that are not true, for reports that are confident and wrong.


def with_other_numbers(tale: Tale, seed: int = 1) -> Tale:
    """Every count is another one."""
    stream = random.Random(seed)

    def other(value: int, whole: int) -> int:
        return (value + stream.randint(1, max(1, whole))) % (whole + 1)

    def flip(one: FlipTale) -> FlipTale:
        sides = [(other(passed, measured), measured) for passed, measured in (one.first, one.second)]
        return replace(one, first=sides[0], second=sides[1])

    return replace(
        tale,
        runs=[
            replace(run, passed=other(run.passed, run.rollouts), pass_at_1=1 - run.pass_at_1 / 2) for run in tale.runs
        ],
        modes=[
            replace(mode, rollouts=other(mode.rollouts, mode.failing), tasks=mode.tasks + 3, failing=mode.failing + 7)
            for mode in tale.modes
        ],
        dives=[
            replace(
                dive, passed=other(dive.passed, dive.measured), rollout=f"{int(dive.rollout) + 5}", reason="", quote=""
            )
            for dive in tale.dives
        ],
        flips=[flip(one) for one in tale.flips],
    )


def with_swapped_verdicts(tale: Tale) -> Tale:
    """What passed failed, and the runs change places."""
    swap = {tale.runs[0].name: tale.runs[-1].name, tale.runs[-1].name: tale.runs[0].name}
    return replace(
        tale,
        runs=[replace(run, passed=run.rollouts - run.passed, pass_at_1=1 - run.pass_at_1) for run in tale.runs],
        modes=[replace(mode, run=swap[mode.run]) for mode in tale.modes],
        dives=[replace(dive, passed=dive.measured - dive.passed, run=swap[dive.run]) for dive in tale.dives],
        flips=[replace(flip, first=flip.second, second=flip.first) for flip in tale.flips],
    )


def with_other_causes(tale: Tale) -> Tale:
    """Every failure has another cause and another reason."""
    shift = dict(zip(CAUSES, (*CAUSES[3:], *CAUSES[:3]), strict=True))
    reasons = [dive.reason for dive in tale.dives]
    quotes = [dive.quote for dive in tale.dives]
    titles = [mode.title for mode in tale.modes]
    return replace(
        tale,
        modes=[
            replace(mode, cause=shift.get(mode.cause, "DA"), title=title)
            for mode, title in zip(tale.modes, [*titles[1:], titles[0]], strict=True)
        ],
        dives=[
            replace(dive, cause=shift.get(dive.cause, "DA"), reason=reason, quote=quote, mode=titles[0])
            for dive, reason, quote in zip(
                tale.dives, [*reasons[1:], reasons[0]], [*quotes[1:], quotes[0]], strict=True
            )
        ],
    )


def with_other_tasks(tale: Tale) -> Tale:
    """Everything is said of another task."""
    own = [dive.task for dive in tale.dives]
    flipped = [flip.task for flip in tale.flips]
    titles = [mode.title for mode in tale.modes]
    return replace(
        tale,
        modes=[replace(mode, title=title) for mode, title in zip(tale.modes, [*titles[2:], *titles[:2]], strict=True)],
        dives=[
            replace(dive, task=task, ref=dive.ref.replace(f":{dive.task}/", f":{task}/"))
            for dive, task in zip(tale.dives, [*own[2:], *own[:2]], strict=True)
        ],
        flips=[replace(flip, task=task) for flip, task in zip(tale.flips, [*flipped[1:], flipped[0]], strict=True)],
    )


def half(tale: Tale) -> Tale:
    """Every second thing."""
    return replace(tale, modes=tale.modes[::2], dives=tale.dives[::2], flips=tale.flips[::2])
