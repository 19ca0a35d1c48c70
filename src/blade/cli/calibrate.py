"""`blade calibrate`: can the scorer be fooled on this golden report?"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from blade.cli import text
from blade.cli.options import json_option, print_json

if TYPE_CHECKING:
    from blade.check.calibrate import Calibration


@click.command("calibrate")
@click.option("--golden-report", required=True, metavar="FILE", help="The golden report, a Markdown file.")
@click.option("--anchor-facts", required=True, metavar="FILE", help="The anchor facts of the golden report.")
@click.option("--shallow-report", metavar="FILE", help="The shallow control; by default it is made.")
@click.option("--output-dir", metavar="DIR", help="Where the summary and the cases are written.")
@click.option(
    "--min-spread", type=float, default=0.50, show_default=True, help="How far the shallow control must be below."
)
@click.option("--seed", type=click.IntRange(min=0), default=7, show_default=True, help="Seed of the made controls.")
@json_option
def command(
    golden_report: str,
    anchor_facts: str,
    shallow_report: str | None,
    output_dir: str | None,
    min_spread: float,
    seed: int,
    as_json: bool,
) -> None:
    """Score a golden report against itself, its shallow control and every made control; exit 1 where a target fails.

    Controls say what is false, spoil something, or only look different; each must score accordingly.
    """
    from blade.check.anchors.fact import parse
    from blade.check.calibrate import calibrate, write
    from blade.check.files import read_text
    from blade.check.scoring.score import Fact

    golden = read_text(golden_report)
    facts = parse(read_text(anchor_facts, what="file of anchor facts"), file=anchor_facts)
    shallow = read_text(shallow_report) if shallow_report else None
    found = calibrate(
        golden,
        [Fact(fact.id, fact.fact) for fact in facts],
        shallow=shallow,
        least_spread=min_spread,
        seed=seed,
    )
    if output_dir:
        write(found, Path(output_dir))
    if as_json:
        print_json(found.summary())
    else:
        click.echo("\n".join(_lines(found)))
    click.get_current_context().exit(int(not found.holds))


def _lines(found: "Calibration") -> list[str]:
    width = text.terminal_width()
    lines = [click.style(text.one_line(found.note, width), bold=True)]
    rows = [
        [
            f"{case.score.final:.3f}" if case.score else "",
            case.wanted,
            "" if case.holds else "fails",
            case.family,
            case.name,
        ]
        for case in found.cases
    ]
    lines += text.labelled_table("cases", ["score", "wanted", "", "family", "case"], rows, width=width, right={0})
    lines += text.labelled("spread", f"{found.spread:.3f}, wanted at least {found.least_spread:.2f}", width)
    return lines
