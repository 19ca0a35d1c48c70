"""`blade health`: can the benchmark and its runs be trusted as measurements?"""

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

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
    from blade.explain.records import Finding

_FEW: Final = 5


@click.command("health")
@paths_argument
@click.option("--by-id", is_flag=True, help="Pair tasks by their ids alone, whatever became of their prompts.")
@click.option("--full", is_flag=True, help="Show every task, ref and quote, however many there are.")
@measure_options
@json_option
@scan_options
def command(
    paths: tuple[str, ...],
    by_id: bool,
    full: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """What speaks against the benchmark and the runs at RUN... as measurements.

    Leaks, duplicates, verdicts that contradict each other, doubtful expectations, what is missing, what chance makes.
    """
    from blade import doors

    settings, options = measure_and_scan(**given)
    found = doors.health(paths or (".",), settings, options, by_id=by_id)
    if as_json:
        print_json({"health": msgspec.to_builtins(found)})
        return
    lines = [line for one in found for line in (*_lines(one, text.terminal_width(), full=full), "")]
    click.echo("\n".join(lines).rstrip("\n") or "Nothing was found that speaks against the benchmark or these runs.")


def _lines(one: "Finding", width: int, *, full: bool) -> Iterator[str]:
    """One finding: its kind and title, what shows it, and what it concerns."""
    for line in textwrap.wrap(text.one_line(f"{one.kind}: {one.title}", 10_000), width):
        yield click.style(line, bold=True)
    most = 60 if full else text.MOST_LINES
    for label, fact in (
        ("why", one.why),
        *(("quote", f"{quote.ref}: “{quote.text}”") for quote in (one.quotes if full else one.quotes[:1])),
        ("tasks", _few(one.tasks, full=full)),
        ("look at", _few(one.refs, full=full)),
    ):
        if fact:
            yield from text.labelled(label, fact, width, most_lines=most)


def _few(names: list[str], *, full: bool) -> str:
    shown = names if full else names[:_FEW]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")
