"""`blade failures`: what went wrong in a run, and how often."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

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
    warn,
)
from blade.explain import phrases
from blade.explain.guard import NONE

if TYPE_CHECKING:
    from blade.explain.records import Analysis, ModeShare, RunFailures

_SHOWN: Final = 10


@click.command("failures")
@paths_argument
@click.option("--full", is_flag=True, help="Show every mode, ref and signal, however many there are.")
@measure_options
@json_option
@scan_options
def command(
    paths: tuple[str, ...],
    full: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """What went wrong in the runs at RUN...: failure modes, their causes, where rollouts are lost.

    Every failing and every not-measured rollout has one mode; modes are looked for in all runs together.
    """
    from blade import doors

    settings, options = measure_and_scan(**given)
    found = doors.failures(paths or (".",), settings, options)
    if as_json:
        print_json(msgspec.to_builtins(found))
        return
    width = text.terminal_width()
    for warning in found.warnings:
        warn(warning)
    lines = [line for run in found.runs for line in (*_Report(run, width, full=full).lines(), "")]
    click.echo("\n".join([*lines, *_fields(found, width, full=full)]).rstrip("\n"))


class _Report:
    """One run, a label and a fact on each line, tables below their labels."""

    def __init__(self, run: "RunFailures", width: int, *, full: bool) -> None:
        self._run, self._width, self._full = run, width, full

    def lines(self) -> Iterator[str]:
        run = self._run
        who = ", ".join(name for name in (run.model, run.agent and f"agent {run.agent}") if name)
        yield click.style(text.one_line(f"{run.run}{f' ({who})' if who else ''}", self._width), bold=True)
        yield from self._told("failing", self._failing())
        yield from self._told("funnel", phrases.funnel(run))
        if not run.modes:
            return
        yield from self._told("causes", phrases.causes(run))
        yield from self._told("unexplained", phrases.unexplained(run))
        yield from self._modes()
        yield from self._evidence()
        yield from self._told("not taken", self._not_taken())

    def _told(self, label: str, fact: str) -> list[str]:
        return text.labelled(label, fact, self._width, most_lines=40 if self._full else text.MOST_LINES) if fact else []

    def _failing(self) -> str:
        run = self._run
        lost = run.rollouts - run.measured
        unmeasured = f", {lost:,} not measured" if lost else ""
        rate = run.metrics.get("pass@1")
        shown = f"; pass@1 {numbers.percent(rate.value)} {numbers.share_range(rate.low, rate.high)}" if rate else ""
        return f"{run.failed:,} of {numbers.counted(run.measured, 'measured rollout')}{unmeasured}{shown}".rstrip()

    def _modes(self) -> Iterator[str]:
        shown = self._shown
        passes = any(mode.in_passes for mode in shown)
        header = ["rollouts", "tasks", "share", "cause", "owner", "mode", *(["in passes"] if passes else [])]
        rows = [
            [
                f"{mode.rollouts:,}",
                f"{mode.tasks:,}",
                numbers.percent(mode.share),
                mode.cause,
                mode.owner,
                mode.title,
                *([f"{mode.in_passes:,}"] if passes else []),
            ]
            for mode in shown
        ]
        yield from text.labelled_table("modes", header, rows, width=self._width, right={0, 1, 2, 6})
        if more := len(self._run.modes) - len(shown):
            yield from text.indented([f"and {numbers.counted(more, 'smaller mode')}: --full"])

    @property
    def _shown(self) -> list["ModeShare"]:
        return self._run.modes[: None if self._full else _SHOWN]

    def _evidence(self) -> Iterator[str]:
        """The words that show each mode, or a rollout that has it; every ref where all is asked for."""
        for number, mode in enumerate(self._shown):
            yield from self._told("" if number else "evidence", phrases.evidence(mode.title, mode.refs, mode.example))
            if self._full:
                refs = f"{phrases.odds_in_words(mode)}all: {', '.join(mode.refs)}"
                yield from text.labelled("", refs, self._width, most_lines=len(mode.refs) + 4)

    def _not_taken(self) -> str:
        """Signals that failures do not show more often than passes."""
        found = [each for each in self._run.signals if not each.taken and each.failing and each.guard != NONE]
        found.sort(key=lambda each: (-each.failing, each.signal))
        shown = found[: None if self._full else 4]
        told = ", ".join(f"{each.signal} ({each.failing:,} failing, {each.passing:,} passing)" for each in shown)
        more = f" and {len(found) - len(shown):,} more" if len(found) > len(shown) else ""
        return f"seen, but not shown to go with failure: {told}{more}" if told else ""


def _fields(found: "Analysis", width: int, *, full: bool) -> Iterator[str]:
    """Fields that go with failure, and those that only restate it."""
    shown = found.predictors[: None if full else _SHOWN]
    if shown:
        header = ["field", "value", "with it", "without it", "p adjusted"]
        rows = [
            [
                each.field,
                each.value,
                f"{each.failed:,}/{each.measured:,} fail",
                f"{each.failed_otherwise:,}/{each.measured_otherwise:,} fail",
                numbers.probability(each.p_adjusted, bare=True),
            ]
            for each in shown
        ]
        yield from text.labelled_table("fields", header, rows, width=width, right={2, 3, 4})
    if found.restating:
        names = ", ".join(found.restating[: None if full else _SHOWN])
        yield from text.labelled("restating", f"say no more than the reward: {names}", width)
