"""`blade fixes`: what to do about failures, and what it would give."""

import textwrap
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
    from blade.explain.records import Analysis, Intervention

_SHOWN: Final = 5
_MOST_ROWS: Final = 12


@click.command("fixes")
@paths_argument
@click.option("--run", metavar="NAME", help="The run to mend; by default the last.")
@click.option("--full", is_flag=True, help="Show every intervention, task and row, however many there are.")
@measure_options
@json_option
@scan_options
def command(
    paths: tuple[str, ...],
    run: str | None,
    full: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """What could be done about the failures of the last of the runs at RUN..., the most gain first.

    The gain of each is a guarded guess with its interval, and bounded by what its failures cost. The other runs help to
    guess what tasks would score.
    """
    from blade import doors

    settings, options = measure_and_scan(**given)
    found = doors.fixes(paths or (".",), settings, options, run=run)
    if as_json:
        told = {"interventions": found.interventions, "counterfactual": found.counterfactual}
        print_json(msgspec.to_builtins({"pass_rule": found.pass_rule, **told}))
        return
    click.echo("\n".join(_Report(found, text.terminal_width(), full=full).lines()).rstrip("\n"))


class _Report:
    """The table of what could be won, then what to do, one thing after the other."""

    def __init__(self, found: "Analysis", width: int, *, full: bool) -> None:
        self._found, self._width, self._full = found, width, full

    def lines(self) -> Iterator[str]:
        fixes = self._found.interventions
        if not fixes:
            yield "Nothing to mend: no rollout fails for a reason that was found."
            return
        yield click.style(text.one_line(f"What would mend {fixes[0].run}", self._width), bold=True)
        yield from self._table()
        shown = fixes if self._full else fixes[:_SHOWN]
        for one in shown:
            yield ""
            yield from self._fix(one)
        if more := len(fixes) - len(shown):
            yield ""
            yield from self._told("more", f"{more:,} more with less to gain: --full")

    def _told(self, label: str, fact: str) -> list[str]:
        return text.labelled(label, fact, self._width, most_lines=60 if self._full else text.MOST_LINES) if fact else []

    def _table(self) -> Iterator[str]:
        """pass@1 as it is, without each mode, without all, at its best."""
        found = self._found.counterfactual
        modes = [row for row in found if row.recoverable is not None and row.what != "all modes"]
        left_out = set() if self._full else {row.what for row in modes[_MOST_ROWS:]}
        rows = [
            [
                numbers.points(row.points, signed=False),
                "" if row.what == "baseline" else numbers.points(row.gain.value),
                "" if row.what == "baseline" else numbers.point_range(row.gain.low, row.gain.high),
                "" if row.recoverable is None else numbers.points(row.recoverable, signed=False),
                row.title + (" (what is not measured counted as failed)" if row.as_failed else ""),
            ]
            for row in found
            if row.what not in left_out
        ]
        header = ["pass@1", "gain", "", "at most", "what if"]
        yield from text.labelled_table("", header, rows, width=self._width, right={0, 1, 3})

    def _fix(self, one: "Intervention") -> Iterator[str]:
        yield from textwrap.wrap(text.one_line(f"{one.rank}. {one.title}", 10_000), self._width)
        ends = numbers.point_range(one.gain.low, one.gain.high)
        most = numbers.points(one.recoverable, signed=False)
        basis = ", where what is not measured counts as failed" if one.as_failed else ""
        yield from self._told("gain", f"{numbers.points(one.gain.value)} points {ends} of at most {most}{basis}")
        yield from self._told("owner", f"{one.owner} ({', '.join(one.causes)})")
        yield from self._told("why", one.why)
        yield from self._told("saves", "; ".join(map(_saved, one.saving)))
        yield from self._told("confirm", one.confirm)
        yield from self._told("tasks", self._few(one.tasks))
        yield from self._told("look at", self._few(one.refs))

    def _few(self, names: list[str]) -> str:
        shown = names if self._full else names[:3]
        more = len(names) - len(shown)
        return ", ".join(shown) + (f" and {more:,} more" if more else "")


def _saved(saving: Any) -> str:
    return f"{numbers.amount(saving.now)} → {numbers.amount(saving.then)} {saving.what} for each pass"
