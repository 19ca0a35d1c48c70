"""`blade check`: is the report true?"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import click

from blade.cli import text
from blade.cli.options import (
    json_option,
    judging_options,
    measure_settings,
    print_json,
    scan_options,
    scan_settings,
)

if TYPE_CHECKING:
    from blade.check.claims.claim import Judged

_SHOWN: Final = 40


@click.command("check")
@click.argument("report", metavar="REPORT")
@click.argument("more", nargs=-1, metavar="[RUN]...")
@click.option("--runs", multiple=True, required=True, metavar="RUN...", help="The runs that the report speaks of.")
@click.option("--metrics", multiple=True, metavar="FILE", help="A metrics file beside the report, checked too.")
@click.option(
    "--baseline",
    metavar="NAME",
    help="The run that others are compared with; by default the one that the report calls so.",
)
@click.option("--full", is_flag=True, help="List every claim, those that hold too.")
@click.option("--split-by", metavar="NAME", help="Make a run of each value of a field or column.")
@judging_options
@json_option
@scan_options
def command(
    report: str,
    more: tuple[str, ...],
    runs: tuple[str, ...],
    metrics: tuple[str, ...],
    baseline: str | None,
    full: bool,
    threshold: float | None,
    split_by: str | None,
    as_json: bool,
    **scan: Any,
) -> None:
    """Hold every claim of the Markdown file REPORT against the runs at RUN...; exit 1 where one is contradicted.

    A claim is supported, contradicted (with what is true, and where that stands), or not checkable (with the reason).
    """
    from blade import doors
    from blade.check.checking import Checked, check
    from blade.check.claims.from_store import truth_of
    from blade.check.claims.sidecars import check_metrics
    from blade.check.files import read_text
    from blade.errors import InputError

    source = read_text(report)
    if not source.strip():
        raise InputError("it holds no text", file=report, hint="name a report in Markdown")
    files = {path: read_text(path, what="metrics file") for path in metrics}
    settings = measure_settings(threshold=threshold)
    with doors.load([*runs, *more], scan_settings(split_by=split_by, **scan)) as store:
        truth = truth_of(store, settings, baseline=baseline, report=source)
        found = check(source, truth)
        sidecars = {path: Checked(check_metrics(each, truth, file=path)) for path, each in files.items()}
    if as_json:
        told = {path: each.document() for path, each in sidecars.items()}
        print_json({"report": report, **found.document(), "metrics": told})
    else:
        for path, each in {report: found, **sidecars}.items():
            click.echo("\n".join(_lines(path, each, full=full)))
    click.get_current_context().exit(int(any(each.contradictions for each in (found, *sidecars.values()))))


def _lines(path: str, found: Any, *, full: bool) -> Iterator[str]:
    """The counts, and the claims that do not hold."""
    width = text.terminal_width()
    counts = found.counts
    yield click.style(text.one_line(path, width), bold=True)
    yield from text.labelled("claims", ", ".join(f"{count:,} {verdict}" for verdict, count in counts.items()), width)
    shown = found.claims if full else found.contradictions[:_SHOWN]
    for judged in shown:
        yield from _claim(judged, width)
    left = len(found.contradictions) - len(shown)
    if left > 0:
        yield from text.labelled("", f"{left:,} more contradictions: --full", width)


def _claim(judged: "Judged", width: int) -> Iterator[str]:
    claim = judged.claim
    said = f"line {claim.line}, {claim.kind}: {claim.subject}: {claim.value}"
    if judged.verdict == "contradicted":
        said += f"; true is {judged.true} ({judged.source})"
    elif judged.why:
        said += f"; {judged.why}"
    yield from text.labelled(judged.verdict, said, width)
    yield from text.labelled("", f"“{claim.text}”", width, most_lines=2)
