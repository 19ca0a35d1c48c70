"""`blade extract-anchor-facts`: facts that a report must hold and nobody can guess."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    from blade.check.anchors.drafting import Drafted


@click.command("extract-anchor-facts")
@click.argument("more", nargs=-1, metavar="[RUN]...")
@click.option("--golden", required=True, metavar="FILE", help="The golden report, a Markdown file.")
@click.option("--output", required=True, metavar="FILE", help="Where the facts are written.")
@click.option("--benchmark", default="", metavar="NAME", help="The benchmark, as the file shall name it.")
@click.option("--model-name", default="", metavar="NAME", help="The model, as the file shall name it.")
@click.option("--num-facts", type=click.IntRange(min=1), default=25, show_default=True, help="Facts at most.")
@click.option("--min-facts", type=click.IntRange(min=0), default=8, show_default=True, help="Exit 1 with fewer.")
@click.option("--runs", multiple=True, metavar="RUN...", help="The runs: facts come from them, and are checked.")
@judging_options
@json_option
@scan_options
def command(
    more: tuple[str, ...],
    golden: str,
    output: str,
    benchmark: str,
    model_name: str,
    num_facts: int,
    min_facts: int,
    runs: tuple[str, ...],
    threshold: float | None,
    as_json: bool,
    **scan: Any,
) -> None:
    """Draft the anchor facts of a golden report: from what is found in the runs, else from the report's own text.

    A fact that the tables of aggregates give away is left out, and one that the data contradict. A person reviews the
    rest.
    """
    from blade.check.anchors.fact import document
    from blade.check.files import read_text, write_json

    source = read_text(golden)
    drafted = _drafted(source, [*runs, *more], num_facts, threshold, scan)
    now = datetime.now(UTC).replace(microsecond=0).isoformat()
    found = document(
        drafted.facts,
        benchmark=benchmark,
        model=model_name or Path(golden).stem.split("_golden")[0].split("-golden")[0],
        method=drafted.method,
        generated_at=now,
    )
    write_json(output, found)
    if as_json:
        print_json(found | {"left_out": [each._asdict() for each in drafted.left_out]})
    else:
        click.echo("\n".join(_lines(drafted, output)))
    if len(drafted.facts) < min_facts:
        click.echo(f"blade: {len(drafted.facts)} facts, and --min-facts wants {min_facts}", err=True)
    click.get_current_context().exit(int(len(drafted.facts) < min_facts))


def _drafted(source: str, paths: list[str], most: int, threshold: float | None, scan: dict[str, Any]) -> "Drafted":
    from blade.check.anchors.drafting import draft

    if not paths:
        return draft(source, most=most)
    from blade import doors
    from blade.check.anchors import from_runs
    from blade.check.claims.from_store import truth_of

    settings = measure_settings(threshold=threshold)
    with doors.load(paths, scan_settings(**scan)) as store:
        truth = truth_of(store, settings, report=source)
        found = from_runs.draft(store, settings, baseline=truth.baseline)
        return draft(source, most=most, found=found, truth=truth)


def _lines(drafted: "Drafted", output: str) -> list[str]:
    width = text.terminal_width()
    lines = [click.style(text.one_line(f"{output}: {len(drafted.facts)} facts to review", width), bold=True)]
    for fact in drafted.facts:
        checked = f", {fact.checked}" if fact.checked else ""
        lines += text.labelled(fact.id, f"({fact.difficulty}{checked}) {fact.fact}", width)
    if drafted.left_out:
        lines += text.labelled("left out", f"{len(drafted.left_out)} facts; --json lists them with the reasons", width)
    return lines
