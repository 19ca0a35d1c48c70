"""Charts of made-up numbers, one or more of every kind."""

import random

from blade.report.charts.buckets import Buckets, RunBuckets
from blade.report.charts.drift import Drift, ModeSeries
from blade.report.charts.estimate import Estimate
from blade.report.charts.funnel import Funnel, Stage
from blade.report.charts.heat_map import HeatMap, Task
from blade.report.charts.intervals import POINTS, Intervals, Row
from blade.report.charts.pass_curve import Curve, PassCurve
from blade.report.charts.spent import Box, RunSpent, Spent
from blade.report.charts.waterfall import Term, Waterfall

OLD, NEW, SMALL = "harbour-large-2024-05", "harbour-large-2024-06", "harbour-small-2024-06"


def _waterfall() -> Waterfall:
    noise = {"within_noise": True}
    return Waterfall(
        title="What the difference is made of",
        description="Each step is a failure mode, as wide as what it costs or gives back.",
        baseline=OLD,
        candidate=NEW,
        rates=(0.642, 0.569),
        delta=Estimate(-7.3, -10.9, -3.6),
        terms=(
            Term(label="Answered before the last required booking", points=-4.4, low=-6.5, high=-2.3, cause="BI"),
            Term(label="Output cut by the token limit", points=-3.1, low=-4.6, high=-1.5, cause="IR"),
            Term(label="Wrong currency in the total", points=-1.0, low=-2.4, high=0.5, cause="KG", **noise),
            Term(label="The verifier rejects a right answer: full stop", points=1.9, low=0.6, high=3.3, cause="TI"),
            Term(label="Sometimes right: departure times", points=-0.9, low=-2.9, high=1.1, cause="UK", **noise),
            Term(label="no explanation", points=0.3, low=-1.1, high=1.7, **noise),
            Term(label="Duplicate task rows", points=-0.1, low=-0.3, high=0.1, cause="DA", **noise),
        ),
    )


def _buckets() -> Buckets:
    counts = {
        OLD: {"always": 31, "sometimes": 17, "never": 12},
        NEW: {"always": 24, "sometimes": 19, "never": 15, "missing": 2},
        SMALL: {"always": 9, "sometimes": 22, "never": 29},
    }
    return Buckets(
        title="Tasks by how often they pass",
        description="One bar for each run, of all its tasks.",
        runs=tuple(RunBuckets(run=run, tasks=tasks) for run, tasks in counts.items()),
    )


def _funnel(runs: int) -> Funnel:
    stages = {
        "measured": (240, 236, 240),
        "answered without an error of a tool": (231, 214, 190),
        "called every tool that the task needs": (203, 151, 141),
        "form of the answer is right": (188, 147, 96),
        "passed": (154, 137, 71),
    }
    return Funnel(
        title="How far rollouts come",
        description="Each bar is the share of a run's rollouts that reach the stage.",
        runs=(OLD, NEW, SMALL)[:runs],
        totals=(240, 240, 240)[:runs],
        stages=tuple(Stage(label=label, reached=reached[:runs]) for label, reached in stages.items()),
    )


def _slices() -> Intervals:
    found = (
        ("language", "English", 120, -3.1, -6.9, 0.7),
        ("language", "Portuguese", 64, -14.8, -21.9, -7.7),
        ("language", "Welsh", 16, -2.2, -14.4, 10.1),
        ("steps needed", "1 to 3", 90, 0.4, -3.0, 3.8),
        ("steps needed", "4 to 8", 78, -8.7, -13.9, -3.5),
        ("steps needed", "more than 8", 32, -17.2, -27.1, -7.3),
    )
    return Intervals(
        title="Where the score changed",
        description="The difference of pass@1 within each slice, with its interval.",
        unit=POINTS,
        reference=0.0,
        reference_label="no difference",
        rows=tuple(
            Row(label=value, group=field, note=f"{tasks} tasks", estimates=(Estimate(delta, low, high),))
            for field, value, tasks, delta, low, high in found
        ),
    )


def _rates() -> Intervals:
    found = {
        "pass@1": ((0.642, 0.571, 0.708), (0.569, 0.497, 0.639), (0.296, 0.233, 0.367)),
        "consistency": ((0.517, 0.393, 0.639), (0.4, 0.286, 0.526), (0.15, 0.081, 0.261)),
        "coverage": ((1.0, None, None), (0.983, None, None), (1.0, None, None)),
        "mean reward": ((0.71, 0.65, 0.77), (0.64, 0.57, 0.7), (None, None, None)),
    }
    return Intervals(
        title="Rates of each run",
        description="Each mark is a rate, its line the interval.",
        series=(OLD, NEW, SMALL),
        rows=tuple(Row(label=name, estimates=tuple(Estimate(*ends) for ends in each)) for name, each in found.items()),
    )


def _pass_curve() -> PassCurve:
    def line(values: list[float]) -> tuple[Estimate, ...]:
        return tuple(Estimate(value, value - 0.06, min(1.0, value + 0.055)) for value in values)

    return PassCurve(
        title="What more attempts are worth",
        description="Solid: one of k attempts passes. Dashed: all k pass.",
        curves=(
            Curve(run=OLD, at=line([0.642, 0.73, 0.771, 0.8]), hat=line([0.642, 0.554, 0.53, 0.517])),
            Curve(run=NEW, at=line([0.569, 0.68, 0.72, 0.75]), hat=line([0.569, 0.47, 0.42, 0.4])),
            Curve(run=SMALL, at=line([0.296, 0.4, 0.47, 0.517]), hat=line([0.296, 0.21, 0.17, 0.15])),
        ),
    )


def _spent() -> Spent:
    dice = random.Random(7)

    def tokens(middle: float, spread: float, count: int) -> Box | None:
        return Box.of(dice.lognormvariate(middle, spread) for _ in range(count))

    return Spent(
        title="What rollouts spend",
        description="A box is the middle half of the rollouts, its line nine of ten, the bar the median.",
        what="output tokens",
        runs=(
            RunSpent(run=OLD, passed=tokens(7.2, 0.4, 154), failed=tokens(7.6, 0.7, 86)),
            RunSpent(run=NEW, passed=tokens(7.1, 0.4, 137), failed=tokens(8.3, 0.9, 99)),
            RunSpent(run=SMALL, passed=None, failed=tokens(7.9, 0.8, 169)),
        ),
    )


def _drift() -> Drift:
    scores = [0.61, 0.62, 0.63, 0.615, 0.64, 0.55, 0.56, 0.545, 0.6, 0.61]
    modes = {
        ("Answered before the last required booking", "BI"): [0.1, 0.11, 0.09, 0.1, 0.1, 0.11, 0.1, 0.12, 0.11, 0.1],
        ("Output cut by the token limit", "IR"): [0, 0, 0, 0, 0, 0.09, 0.08, 0.09, 0.02, 0],
        ("Departure times of the winter timetable", "KG"): [0.12, 0.11, 0.12, 0.13, 0.12, 0.12, 0.11, 0.12, 0.13, 0.12],
        ("The verifier rejects a right answer: full stop", "TI"): [0.06, 0.06, 0.05, 0.06, 0, 0, 0, 0, 0, 0],
        ("Asks the user again for what was said", "BI"): [0, 0, 0, 0, 0, 0, 0.03, 0.03, 0.04, 0.05],
        ("no explanation", "unknown"): [0.1, 0.1, 0.11, 0.09, 0.11, None, 0.1, 0.11, 0.1, 0.11],
    }
    return Drift(
        title="Ten nights",
        description="The score, and below it the share of rollouts that each failure mode takes.",
        runs=tuple(f"nightly-2024-06-{day:02}" for day in range(1, 11)),
        scores=tuple(Estimate(score, score - 0.035, score + 0.034) for score in scores),
        modes=tuple(ModeSeries(label=label, cause=cause, shares=tuple(s)) for (label, cause), s in modes.items()),
    )


def heat_map(tasks: int, runs: int, repeats: int = 4) -> HeatMap:
    dice = random.Random(3)

    def cells(ease: float) -> tuple[tuple[int, int] | None, ...]:
        chances = [
            ease if ease in (0, 1) else min(1, max(0, ease - run * dice.choice((0, 0, 0.3)))) for run in range(runs)
        ]
        drawn = [(sum(dice.random() < chance for _ in range(repeats)), repeats) for chance in chances]
        return tuple(None if dice.random() < 0.01 else cell for cell in drawn)

    return HeatMap(
        title="Every task in every run",
        description="Tasks are sorted by how their results changed.",
        runs=(OLD, NEW, SMALL, *(f"night-{night}" for night in range(99)))[:runs],
        tasks=tuple(
            Task(task=f"book-{nth:03}", cells=cells(dice.choice((0, 1, dice.random())))) for nth in range(tasks)
        ),
    )


EXAMPLES = {
    "waterfall": _waterfall(),
    "buckets": _buckets(),
    "funnel": _funnel(2),
    "funnel of one run": _funnel(1),
    "slices": _slices(),
    "rates": _rates(),
    "pass curve": _pass_curve(),
    "spent": _spent(),
    "drift": _drift(),
    "heat map": heat_map(24, 3),
    "heat map of bands": heat_map(400, 2),
}
