"""`blade compare`: is the difference between runs real, and what differs in their set-up?"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click
import msgspec

from blade import numbers
from blade.cli import gates, text
from blade.cli.options import (
    json_option,
    measure_and_scan,
    measure_options,
    paths_argument,
    print_json,
    scan_options,
)
from blade.measure import sentences

if TYPE_CHECKING:
    from blade.measure.comparison import Comparison

_BRIEF_FROM = 4
_SHOWN = 8


@click.command("compare")
@paths_argument
@click.option("--baseline", metavar="NAME", help="The run to compare with; by default the first.")
@click.option("--by-id", is_flag=True, help="Pair tasks by their ids alone, whatever became of their prompts.")
@click.option(
    "--fail-on",
    type=gates.Regression(),
    metavar="regression[:POINTS]",
    help="Exit with 1 where a candidate is worse beyond noise (and by more than POINTS).",
)
@click.option(
    "--require-mde",
    type=gates.Points(),
    metavar="POINTS",
    help="Exit with 1 where a true difference of POINTS could not have been shown.",
)
@click.option("--markdown", is_flag=True, help="Print a summary for a pull request.")
@click.option("--full", is_flag=True, help="Show every comparison, flip and slice whole, however many there are.")
@measure_options
@json_option
@scan_options
def command(
    paths: tuple[str, ...],
    baseline: str | None,
    by_id: bool,
    fail_on: float | None,
    require_mde: float | None,
    markdown: bool,
    full: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Whether the runs at RUN... are better or worse than the first of them, beyond noise.

    The first run is the baseline. Task is held against task; with several candidates p is adjusted for their number.
    """
    from blade import doors

    if markdown and as_json:
        raise click.UsageError("--json and --markdown exclude each other")
    settings, options = measure_and_scan(**given)
    found = doors.compare(paths or (".",), settings, options, baseline=baseline, by_id=by_id)
    asked = gates.judge(found, fail_on=fail_on, require_mde=require_mde)
    if as_json:
        print_json({"comparisons": msgspec.to_builtins(found), "gates": msgspec.to_builtins(asked)})
    elif markdown:
        from blade.cli.markdown import summary

        click.echo(summary(found, asked))
    else:
        click.echo("\n".join(_lines(found, asked, text.terminal_width(), full=full)))
    return gates.status(asked)


def _lines(found: list["Comparison"], asked: list[gates.Gate], width: int, *, full: bool) -> Iterator[str]:
    if len(found) >= _BRIEF_FROM and not full:
        yield from _brief(found, width)
    else:
        for number, comparison in enumerate(found):
            yield from [""] if number else []
            yield from _Report(comparison, width, full=full, candidates=len(found)).lines()
    for gate in asked:
        yield from text.labelled("gate", f"{gate.asked}: {gate.said}", width)


def _brief(found: list["Comparison"], width: int) -> Iterator[str]:
    """One line per candidate."""
    header = ["candidate", "verdict", "points", "", "p adjusted", "tasks", "set-up"]
    rows = [
        [
            one.candidate,
            one.verdict,
            numbers.points(one.delta.value),
            numbers.point_range(one.delta.low, one.delta.high),
            numbers.probability(one.delta.p_adjusted, bare=True),
            f"{one.common.tasks:,}",
            one.comparable.verdict,
        ]
        for one in found
    ]
    yield click.style(text.one_line(f"{len(found)} runs against {found[0].baseline}", width), bold=True)
    yield from text.table(header, rows, width=width, right={2, 4, 5})
    yield ""
    yield "points of pass@1 over common tasks; p is adjusted for the number of candidates; --full shows each whole"


class _Report:
    """One candidate against the baseline, a label and a fact on each line."""

    def __init__(self, comparison: "Comparison", width: int, *, full: bool, candidates: int) -> None:
        self._one, self._width, self._full, self._candidates = comparison, width, full, candidates

    def lines(self) -> Iterator[str]:
        one = self._one
        yield click.style(text.one_line(f"{one.candidate} against {one.baseline}", self._width), bold=True)
        for warning in one.warnings:
            yield from self._told("warning", warning)
        yield from self._told("verdict", sentences.verdict(one, self._candidates))
        yield from self._told("", one.why)
        yield from self._told("pass@1", self._rates())
        yield from self._told("scoreboard", sentences.scoreboard(one))
        yield from self._told("rewards", self._rewards())
        yield from self._told("could show", sentences.could_show(one))
        yield from self._told("to settle", sentences.to_settle(one))
        yield from self._setup()
        yield from self._told("tasks", sentences.tasks(one, None if self._full else _SHOWN))
        yield from self._flips()
        yield from self._slices()

    def _told(self, label: str, fact: str) -> list[str]:
        return text.labelled(label, fact, self._width, most_lines=40 if self._full else text.MOST_LINES) if fact else []

    def _table(self, label: str, header: list[str], rows: list[list[str]], right: set[int]) -> Iterator[str]:
        yield from text.labelled_table(label, header, rows, width=self._width, right=right)

    def _rates(self) -> str:
        one = self._one
        if None in one.rates:
            return ""
        rates = " → ".join(map(numbers.percent, one.rates))
        measured = " and ".join(f"{count:,}" for count in one.common.rollouts)
        over = f"{numbers.counted(one.common.tasks, 'common task')} ({measured} measured rollouts"
        return f"{rates} over {over}; a pass is {one.pass_rule})"

    def _rewards(self) -> str:
        found = self._one.reward_delta
        if found is None:
            return ""
        ends = numbers.amount_range(found.low, found.high)
        sign = "+" if found.value > 0 else ""
        return f"mean reward {sign}{numbers.amount(found.value)} {ends}, {numbers.probability(found.p)}"

    def _setup(self) -> Iterator[str]:
        setup = self._one.comparable
        yield from self._told("set-up", setup.verdict if self._not_comparable else f"{setup.verdict}: {setup.why}")
        for each in sentences.differences(self._one):
            yield from self._told("", f"{each.what}: {' → '.join(map(sentences.value, sentences.sides(each)))}")

    @property
    def _not_comparable(self) -> bool:
        return self._one.verdict == "not comparable"

    def _flips(self) -> Iterator[str]:
        flips = self._one.flips
        shown = flips if self._full else flips[:_SHOWN]
        if not flips:
            return
        rows = [
            [
                flip.task,
                f"{flip.baseline[0]}/{flip.baseline[1]}",
                f"{flip.candidate[0]}/{flip.candidate[1]}",
                numbers.points(flip.points),
                ", ".join(flip.refs[: None if self._full else 1]),
            ]
            for flip in shown
        ]
        yield from self._told("differ", sentences.flips(flips))
        header = ["task", "baseline", "candidate", "points", "one of its rollouts"]
        yield from self._table("", header, rows, {1, 2, 3})
        if len(flips) > len(shown):
            yield from self._told("", f"and {len(flips) - len(shown):,} more: --full")

    def _slices(self) -> Iterator[str]:
        slices = self._one.slices
        tried = [one for one in slices if one.p_adjusted is not None]
        beyond = [one for one in tried if one.p_adjusted is not None and one.p_adjusted < 0.05]
        if slices:
            yield from self._told("slices", sentences.slices(len(slices), len(tried), len(beyond)))
        shown = sorted(slices, key=lambda one: (one.field,)) if self._full else beyond[:_SHOWN]
        if shown:
            rows = [
                [
                    f"{one.field} = {one.value}",
                    f"{one.tasks:,}",
                    numbers.points(one.delta),
                    numbers.point_range(one.low, one.high),
                    "" if one.p_adjusted is None else numbers.probability(one.p_adjusted, bare=True),
                ]
                for one in shown
            ]
            yield from self._table("", ["slice", "tasks", "points", "", "p adjusted"], rows, {1, 2, 4})
        if not self._full and len(beyond) > len(shown):
            yield from self._told("", f"and {len(beyond) - len(shown):,} more: --full")
