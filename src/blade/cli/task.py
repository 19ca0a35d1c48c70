"""`blade task`: one task, with all that is known of it."""

import os
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
)

if TYPE_CHECKING:
    from blade.explain.one_task import Attempt, RunOfTask, TaskStory
    from blade.explain.two_sides import Beside, SideBySides

_AROUND: Final = 2
"""Lines of two sides that are shown before and after the one at which they part."""

_ANSWER: Final = 300


@click.command("task")
@paths_argument
@click.argument("task")
@click.option("--by-id", is_flag=True, help="Pair tasks by their ids alone, whatever became of their prompts.")
@click.option("--full", is_flag=True, help="Cut nothing: whole answers, every line of two sides.")
@measure_options
@json_option
@scan_options
def command(
    paths: tuple[str, ...],
    task: str,
    by_id: bool,
    full: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """TASK in the runs at RUN...: every repeat, what it shows, why it fails, and what passes do otherwise.

    TASK is its id as refs write it; a ref of one of its rollouts will do.
    """
    from blade import doors
    from blade.explain.one_task import tell_task

    _in_order(paths, task)
    settings, options = measure_and_scan(**given)
    with doors.load(paths or (".",), options) as store:
        found = tell_task(store, _task_of(task), settings, by_id=by_id)
    if as_json:
        print_json(msgspec.to_builtins(found))
        return
    click.echo("\n".join(_Report(found, text.terminal_width(), full=full).lines()).rstrip("\n"))


def _in_order(paths: tuple[str, ...], task: str) -> None:
    """Refuse a task that is named before the runs, with what was meant."""
    if len(paths) == 1 and not os.path.lexists(paths[0]) and os.path.lexists(task):
        from blade.errors import InputError

        raise InputError(
            "no such file or directory", file=paths[0], hint=f"TASK comes last: blade task {task} {paths[0]}"
        )


def _task_of(named: str) -> str:
    """The task's id; that of a ref, where one is given."""
    from blade.errors import RefError
    from blade.ref import Ref

    try:
        return Ref.parse(named).task
    except RefError:
        return named


class _Report:
    """The task run by run: outcomes, then why, then what others do otherwise."""

    def __init__(self, found: "TaskStory", width: int, *, full: bool) -> None:
        self._found, self._width, self._full = found, width, full

    def lines(self) -> Iterator[str]:
        yield click.style(text.one_line(f"task {self._found.task}", self._width), bold=True)
        yield from self._told("asks", self._found.prompt)
        for finding in self._found.health:
            yield from self._told(finding.kind[: text.INDENT - 4], f"{finding.title}. {finding.why}")
        for run in self._found.runs:
            yield ""
            yield from self._run(run)

    def _told(self, label: str, fact: str) -> list[str]:
        return (
            text.labelled(label, fact, self._width, most_lines=200 if self._full else text.MOST_LINES) if fact else []
        )

    def _run(self, run: "RunOfTask") -> Iterator[str]:
        label = run.label
        passed = f"{label.passed} of {numbers.counted(label.measured, 'measured rollout')} passed"
        yield click.style(text.one_line(f"{run.run}: {passed}", self._width), bold=True)
        yield from self._label(run)
        yield from self._attempts(run.attempts)
        passes = [each for each in run.attempts if each.outcome == "passed"]
        for attempt in run.attempts:
            if attempt.outcome != "passed" or self._full or attempt is passes[0]:
                yield from self._attempt(attempt)
        yield from self._sides("expected", run.expected)
        yield from self._sides("contrast", run.contrast)

    def _label(self, run: "RunOfTask") -> Iterator[str]:
        label = run.label
        if label.cause is None:
            return
        title = next((each.title for each in run.attempts if each.mode == label.mode), label.mode)
        second = f"; else {label.runner_up}" if label.runner_up else ""
        yield from self._told("why", f"{label.cause}: {title} (confidence {label.confidence}{second})")
        yield from self._told("rule", label.rule or "")

    def _attempts(self, attempts: "list[Attempt]") -> Iterator[str]:
        rows = [
            [
                each.ref,
                each.outcome,
                "" if each.reward is None else f"{each.reward:g}",
                each.cause or "",
                each.title or each.why or "",
            ]
            for each in attempts
        ]
        yield from text.labelled_table(
            "rollouts", ["ref", "outcome", "reward", "cause", "mode"], rows, width=self._width
        )

    def _attempt(self, attempt: "Attempt") -> Iterator[str]:
        """What one rollout shows; of a pass only what it answers."""
        name = attempt.ref.partition(":")[2].split("#")[0].partition("/")[2]
        for expects, value, gives, given in attempt.expected if attempt.outcome == "failed" else ():
            fact = f"{gives} is {_quoted(given)}, {expects} is {_quoted(value)}"
            yield from self._told(f"{name} judged", fact)
        if attempt.why:
            yield from self._told(f"{name} lost", attempt.why)
        if attempt.evidence:
            where = f"{attempt.evidence.field} of " if attempt.evidence.field else ""
            yield from self._told(f"{name} quote", f"{where}{attempt.evidence.ref}: “{attempt.evidence.text}”")
        if attempt.outcome != "passed" and attempt.signals:
            yield from self._told(f"{name} signals", ", ".join(attempt.signals))
        if attempt.also:
            yield from self._told(f"{name} also", "; ".join(attempt.also))
        if attempt.answer:
            cut = attempt.answer if self._full else attempt.answer[-_ANSWER:]
            yield from self._told(f"{name} answer", cut if cut == attempt.answer else f"…{cut}")

    def _sides(self, label: str, sides: "SideBySides | None") -> Iterator[str]:
        if sides is None:
            return
        there = f"{sides.passing}, which passes" if sides.passing else "what is expected"
        parting = f"; they part by {sides.kind}" if sides.passing else ""
        yield from self._told(label, f"{sides.failing} beside {there}{parting}")
        shown = self._shown(sides)
        rows = [_line(sides.lines[place], place == sides.parting) for place in shown]
        header = ["", sides.failing, sides.passing or "expected", "differs by"]
        yield from text.labelled_table("", header, rows, width=self._width)
        if left := len(sides.lines) - len(shown):
            yield from self._told("", f"{numbers.counted(left, 'line')} left out: --full")

    def _shown(self, sides: "SideBySides") -> list[int]:
        """The lines around the parting; all that differ, where there is none."""
        if self._full:
            return list(range(len(sides.lines)))
        if sides.parting is not None:
            first = max(0, sides.parting - _AROUND)
            return list(range(first, min(len(sides.lines), sides.parting + _AROUND + 1)))
        differing = [place for place, line in enumerate(sides.lines) if line.kind != "same"]
        return differing[: 2 * _AROUND + 2]


def _line(line: "Beside", parts: bool) -> list[str]:
    from blade.explain.two_sides import MARKS

    mark = MARKS.get(line.kind, line.kind)
    return [f"{mark}{' ←' if parts else ''}", line.here, line.there, "; ".join(line.differences)]


def _quoted(value: str | None) -> str:
    return "nothing" if value is None else f"“{value}”"
