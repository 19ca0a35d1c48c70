"""`blade metrics`: the rates of runs, with their intervals and denominators."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click
import msgspec

from blade import numbers
from blade.cli import text
from blade.cli.options import (
    json_option,
    measure_and_scan,
    measure_options,
    paths_argument,
    print_json,
    scan_options,
)

if TYPE_CHECKING:
    from blade.measure.rates import Estimate
    from blade.measure.run import RunMetrics, SliceMetrics
    from blade.measure.shipped import SourceCheck

_BRIEF_FROM = 9
_SHOWN = 5
_ORDER = ("pass@", "pass^", "majority@", "avg-of-", "consistency", "retry", "mean_reward", "coverage")


@click.command("metrics")
@paths_argument
@click.option("--missing", is_flag=True, help="List every rollout that is not measured, and what shows it.")
@click.option("--tasks", is_flag=True, help="List every task with its passes.")
@click.option("--full", is_flag=True, help="Show every rate, slice and disagreement, however many there are.")
@measure_options
@json_option
@scan_options
def command(
    paths: tuple[str, ...],
    missing: bool,
    tasks: bool,
    full: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """How well the runs at RUN... do: rates with intervals, what is not measured, slices, tokens and cost.

    Rates stand twice: over measured rollouts, and with those that are not measured counted as failures.
    """
    from blade import doors

    settings, options = measure_and_scan(**given)
    found = doors.metrics(paths or (".",), settings, options)
    if as_json:
        print_json(msgspec.to_builtins(found))
        return
    width = text.terminal_width()
    if missing:
        lines = [line for run in found for line in _not_measured(run, width)]
    elif tasks:
        lines = [line for run in found for line in _tasks(run, width)]
    elif len(found) >= _BRIEF_FROM and not full:
        lines = _brief(found, width)
    else:
        lines = [line for run in found for line in (*_Report(run, width, full=full).lines(), "")][:-1]
    click.echo("\n".join(lines))


def _brief(runs: list["RunMetrics"], width: int) -> list[str]:
    """One line per run."""
    header = ["run", "measured", "tasks", "pass@1", "", "not measured", "notes"]
    rows = [
        [
            run.run,
            f"{run.measured:,}",
            f"{run.tasks:,}",
            *_percent(run.metrics.get("pass@1")),
            f"{run.rollouts - run.measured:,}" if run.rollouts > run.measured else "",
            "; ".join([*_disagreeing(run.shipped), *run.warnings]),
        ]
        for run in runs
    ]
    measured = sum(run.measured for run in runs)
    end = f"{len(runs)} runs, {numbers.counted(measured, 'measured rollout')}; --full shows each run whole"
    return [*text.table(header, rows, width=width, right={1, 2, 3, 5}), "", end]


def _disagreeing(checks: list["SourceCheck"]) -> list[str]:
    wrong = sum(check.checked - check.agreed for check in checks)
    return [f"{numbers.counted(wrong, 'number')} shipped with it disagree{'s' if wrong == 1 else ''}"] if wrong else []


def _percent(rate: "Estimate | None") -> tuple[str, str]:
    """A rate and its interval, in percent."""
    if rate is None or rate.value is None:
        return "unknown", ""
    return numbers.percent(rate.value), numbers.share_range(rate.low, rate.high)


def _not_measured(run: "RunMetrics", width: int) -> list[str]:
    """Every rollout that is not measured, and every row that contradicts itself."""
    rows = [
        [ref, found.why, detail]
        for found in run.not_measured
        for ref, detail in zip(found.refs, found.details, strict=True)
    ]
    unnamed = sum(found.rollouts - len(found.refs) for found in run.not_measured)
    lines = [click.style(text.one_line(f"{run.run}: {_count_of_unmeasured(run)}", width), bold=True)]
    if rows:
        lines += text.table(["rollout", "why", "what shows it"], rows, width=width)
    if unnamed:
        lines.append(f"{numbers.counted(unnamed, 'rollout')} more are owed by the config; nobody knows of which task")
    for found in run.contradictions:
        refs = ", ".join(found.refs)
        lines += text.labelled("contradicts", f"{found.what}: {refs}", width, most_lines=len(found.refs) + 4)
    return [*lines, ""]


def _count_of_unmeasured(run: "RunMetrics") -> str:
    count = run.rollouts - run.measured
    return f"{count:,} of {numbers.counted(run.rollouts, 'rollout')} not measured" if count else "all is measured"


def _tasks(run: "RunMetrics", width: int) -> list[str]:
    rows = [
        [task.task, f"{task.passed}/{task.measured}", f"{task.rollouts}", task.bucket, numbers.amount(task.mean_reward)]
        for task in run.by_task
    ]
    header = ["task", "passed", "owed", "bucket", "mean reward"]
    title = click.style(text.one_line(run.run, width), bold=True)
    return [title, *text.table(header, rows, width=width, right={1, 2, 4}), ""]


class _Report:
    """One run, a label and a fact on each line, tables below their labels."""

    def __init__(self, run: "RunMetrics", width: int, *, full: bool) -> None:
        self._run, self._width, self._full = run, width, full

    def lines(self) -> Iterator[str]:
        run = self._run
        who = ", ".join(name for name in (run.model, run.agent and f"agent {run.agent}") if name)
        yield click.style(text.one_line(f"{run.run}{f' ({who})' if who else ''}", self._width), bold=True)
        for warning in run.warnings:
            yield from self._told("warning", warning)
        yield from self._told("rollouts", self._rollouts())
        yield from self._unmeasured()
        yield from self._told("tasks", self._buckets())
        yield from self._table("rates", *self._rates())
        yield from self._table("spent", *self._spent())
        yield from self._slices()
        for check in run.shipped:
            yield from self._shipped(check)

    def _told(self, label: str, fact: str) -> list[str]:
        return text.labelled(label, fact, self._width, most_lines=40 if self._full else text.MOST_LINES) if fact else []

    def _table(self, label: str, header: list[str], rows: list[list[str]], right: set[int]) -> list[str]:
        return text.labelled_table(label, header, rows, width=self._width, right=right) if rows else []

    def _rollouts(self) -> str:
        run = self._run
        low, usual, high = run.repeats or (0, 0, 0)
        each = f"{low}" if low == high else f"{low} to {high}" + (f", as a rule {usual}" if usual < high else "")
        duplicates = f"; {numbers.counted(run.duplicates, 'duplicate row')} left out" if run.duplicates else ""
        return (
            f"{run.measured:,} measured of {run.rollouts:,}, {numbers.counted(run.tasks, 'task')}, "
            f"{each} measured per task{duplicates}; a pass is {run.pass_rule}"
        )

    def _unmeasured(self) -> Iterator[str]:
        run = self._run
        if run.not_measured:
            reasons = ", ".join(f"{found.rollouts:,} {found.why}" for found in run.not_measured)
            low, high = numbers.percent(run.worst_case.low), numbers.percent(run.worst_case.high)
            bounds = f"pass@1 is between {low} (had they all failed) and {high} (had they all passed)"
            yield from self._told("not measured", f"{reasons}; {bounds}; --missing lists them")
        for found in run.contradictions[: None if self._full else _SHOWN]:
            refs = ", ".join(found.refs[: None if self._full else _SHOWN])
            more = "" if self._full else _and_more(len(found.refs) - _SHOWN)
            yield from self._told("contradicts", f"{found.what}: {refs}{more}")

    def _buckets(self) -> str:
        counts = self._run.buckets
        single = "; with one rollout each that says little of a task" if self._run.repeats[-1:] == [1] else ""
        told = [f"{counts['always']:,} always pass", f"{counts['sometimes']:,} sometimes", f"{counts['never']:,} never"]
        told += [f"{counts['missing']:,} without a measurement"] if counts["missing"] else []
        return ", ".join(told) + single

    def _rates(self) -> tuple[list[str], list[list[str]], set[int]]:
        run = self._run
        both = run.rollouts > run.measured
        header = ["", "measured", "", *(["as failed", ""] if both else []), "tasks"]
        rows = []
        for name in self._chosen():
            rate, failed = run.metrics[name], run.metrics_as_failed.get(name)
            write = _amount if name == "mean_reward" else _points if name == "retry_value" else _percent
            rows.append([_shown(name), *write(rate), *(write(failed) if both else ()), f"{rate.tasks:,}"])
            if name == "pass@1" and self._rows_differ():
                rows.append(
                    ["by rows", numbers.percent(run.row_mean), "", *(["", ""] if both else []), f"{rate.tasks:,}"]
                )
        return header, rows, {1, 3, 5} if both else {1, 3}

    def _rows_differ(self) -> bool:
        """Whether the plain mean over rows shows as another number: tasks have different numbers of rollouts."""
        return numbers.percent(self._run.row_mean) != numbers.percent(self._run.metrics["pass@1"].value)

    def _chosen(self) -> list[str]:
        """The names of the rates to show: of the many k those that people ask for."""
        run = self._run
        if self._full:
            return [name for kind in _ORDER for name in run.metrics if name.startswith(kind)]
        most = max((int(name[5:]) for name in run.metrics if name.startswith("pass@")), default=0)
        ks = sorted({k for k in (1, 2, 4, 8, 16, 32, 64, 128, run.usual_repeats, most) if 0 < k <= most})
        several = ["consistency"] if most > 1 else []
        several += ["retry_value"] if run.usual_repeats > 1 else []
        graded = ["mean_reward"] if run.graded else []
        names = [f"pass@{k}" for k in ks] + [f"{kind}{k}" for kind in ("pass^", "majority@") for k in ks if k > 1]
        return [name for name in (*names, *several, *graded) if name in run.metrics]

    def _spent(self) -> tuple[list[str], list[list[str]], set[int]]:
        all_known = all(spent.known == self._run.measured for spent in self._run.spending)
        header = ["", "per rollout", "", "per pass", "", *([] if all_known else ["known"])]
        rows = [
            [
                spent.what,
                numbers.amount(spent.per_rollout.value),
                numbers.amount_range(spent.per_rollout.low, spent.per_rollout.high),
                "no pass" if spent.per_pass.value is None else numbers.amount(spent.per_pass.value),
                numbers.amount_range(spent.per_pass.low, spent.per_pass.high),
                *([] if all_known else [f"{spent.known:,}"]),
            ]
            for spent in self._run.spending
        ]
        return header, rows, {1, 3, 5}

    def _slices(self) -> Iterator[str]:
        fields: dict[str, list[SliceMetrics]] = {}
        for one in self._run.slices:
            fields.setdefault(one.field, []).append(one)
        for field, found in fields.items():
            if self._full or len(fields) == 1:
                header = [field, "tasks", "measured", "pass@1", ""]
                yield from self._table("slices", header, _slice_rows(found), {1, 2, 3})
            else:
                values = (f"{one.value} {_percent(one.metrics.get('pass@1'))[0]} ({one.tasks:,})" for one in found)
                yield from self._told("slices", f"by {field}: {', '.join(values)}")

    def _shipped(self, check: "SourceCheck") -> Iterator[str]:
        yield from self._told("shipped", f"{check.file.rpartition('/')[2]}: {_agreement(check)}")
        for found in check.disagreements[: None if self._full else _SHOWN]:
            refs = f" ({', '.join(found.refs[:_SHOWN])}{_and_more(len(found.refs) - _SHOWN)})" if found.refs else ""
            both = f"{_value(found.shipped)} in the file, {_value(found.recomputed)} from {found.recomputed_from}"
            yield from self._told("", f"{found.where}, {found.key}: {both}. {found.why}{refs}")
        for note in check.notes if self._full else ():
            yield from self._told("", note)


def _agreement(check: "SourceCheck") -> str:
    wrong, checked = check.checked - check.agreed, numbers.counted(check.checked, "number")
    if check.problem:
        return check.problem
    if not check.checked:
        return "states nothing that could be recomputed"
    return f"{wrong:,} of {checked} disagree with the rows" if wrong else f"{checked} recomputed, none disagrees"


def _slice_rows(found: list["SliceMetrics"]) -> list[list[str]]:
    return [[one.value, f"{one.tasks:,}", f"{one.measured:,}", *_percent(one.metrics.get("pass@1"))] for one in found]


def _shown(name: str) -> str:
    return name.replace("_", " ")


def _amount(rate: "Estimate | None") -> tuple[str, str]:
    if rate is None or rate.value is None:
        return "unknown", ""
    return numbers.amount(rate.value), numbers.amount_range(rate.low, rate.high)


def _points(rate: "Estimate | None") -> tuple[str, str]:
    """A difference of rates, in points."""
    if rate is None or rate.value is None:
        return "unknown", ""
    ends = (None, None) if rate.low is None or rate.high is None else (100 * rate.low, 100 * rate.high)
    return numbers.points(100 * rate.value), numbers.point_range(*ends)


def _value(value: Any) -> str:
    if value is None:
        return "nothing"
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def _and_more(count: int) -> str:
    return f" and {count:,} more" if count > 0 else ""
