"""`blade report`: why did the score change, as a report that people open."""

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
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
    from blade.report.terminal import Facts
    from blade.report.writing import Written

_DEFAULT: Final = "blade-report"
_MOST_LINES: Final = 6


@click.command("report")
@paths_argument
@click.option(
    "-o", "--out", default=_DEFAULT, show_default=True, metavar="OUT", help="The directory to write the report into."
)
@click.option("--baseline", metavar="NAME", help="The run to compare with; by default the first.")
@click.option("--by-id", is_flag=True, help="Pair tasks by their ids alone, whatever became of their prompts.")
@click.option("--no-redact", is_flag=True, help="Leave secrets and private names in; for your own eyes.")
@measure_options
@json_option
@scan_options
def command(
    paths: tuple[str, ...],
    out: str,
    baseline: str | None,
    by_id: bool,
    no_redact: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Write a report on the runs at RUN... into OUT: why the score changed, what fails, what to look at first.

    OUT gets report.html, report.md, analysis.json and the metrics of each run. The first run is the baseline.
    """
    from blade import doors

    settings, options = measure_and_scan(**given)
    stages = _Stages()
    written = doors.write_report(
        paths or (".",),
        out,
        settings,
        options,
        baseline=baseline,
        by_id=by_id,
        redact=not no_redact,
        command=_again(),
        tell=stages.tell,
    )
    stages.end()
    if as_json:
        from blade.report.document import analysis_of

        print_json(msgspec.to_builtins(analysis_of(written.findings)))
        return
    click.echo("\n".join(_lines(written, text.terminal_width(), assumed=baseline is None)))


class _Stages:
    """What is being done, on a terminal only, gone at the end."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()

    def tell(self, what: str) -> None:
        if self._shown:
            click.echo(f"\r\x1b[K{what} …", err=True, nl=False)

    def end(self) -> None:
        if self._shown:
            click.echo("\r\x1b[K", err=True, nl=False)


def _again() -> str:
    """The command that makes the report again, wherever to."""
    context = click.get_current_context()
    words = ["blade", "report", *(context.params["paths"] or ())]
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        name = max(parameter.opts, key=len)
        if not name.startswith("--") or name in _ELSEWHERE or value in (None, False, (), parameter.default):
            continue
        for each in value if isinstance(value, tuple) else (value,):
            words += [name] if value is True else [name, f"{each:g}" if isinstance(each, float) else str(each)]
    return shlex.join([*words, "-o", "OUT"])


_ELSEWHERE: Final = ("--out", "--cache", "--no-cache", "--workers", "--json", "--help")
"""Options that change nothing in a report."""


def _lines(written: "Written", width: int, *, assumed: bool) -> Iterator[str]:
    """What the terminal says; `assumed` where nobody named the baseline."""
    from blade.report.terminal import summaries

    for facts in summaries(written.findings):
        yield from _block(facts, width)
        yield ""
    if assumed and (main := written.findings.main):
        yield from text.labelled("baseline", f"{main.baseline}, the first run; --baseline NAME takes another", width)
    place = Path(written.directory)
    shown = ", ".join(name for name in written.files if not name.startswith("metrics/"))
    yield from text.labelled("report", str(place / "report.html"), width)
    yield from text.labelled("", f"in {place}: {shown}, metrics/", width)
    if written.redacted:
        told = ", ".join(f"{kind}: {count:,}" for kind, count in sorted(written.redacted.items()) if count)
        yield from text.labelled("redacted", told or "nothing found", width)


def _block(facts: "Facts", width: int) -> Iterator[str]:
    yield click.style(text.one_line(facts.title, width), bold=True)
    for label, fact in facts.facts:
        yield from text.labelled(label, fact, width, most_lines=_MOST_LINES)
    if facts.rows:
        yield from text.labelled_table("made of", facts.header, facts.rows, width=width, right=set(facts.right))
    for label, fact in facts.after:
        yield from text.labelled(label, fact, width, most_lines=_MOST_LINES)
