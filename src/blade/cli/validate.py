"""`blade validate`: is a package there, whole and true?"""

from pathlib import Path
from typing import Any

import click

from blade.cli import text
from blade.cli.options import json_option, print_json, scan_options, scan_settings
from blade.package.findings import ALL, FAIL, PASS, PHASES
from blade.package.subject import LEAST_FACTS

_COLOURS = {PASS: "green", FAIL: "red"}


@click.command("validate")
@click.option(
    "--benchmark-dir",
    required=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The package: the directory that holds the skill, rollouts and golden_reports.",
)
@click.option("--phase", type=click.Choice((ALL, *PHASES)), default=ALL, show_default=True, help="What to check.")
@click.option(
    "--min-anchor-facts",
    type=click.IntRange(min=0),
    default=LEAST_FACTS,
    show_default=True,
    metavar="N",
    help="Anchor facts that every golden report must have.",
)
@json_option
@scan_options
def command(benchmark_dir: Path, phase: str, min_anchor_facts: int, as_json: bool, **scan: Any) -> None:
    """Check that a package is there, whole and true; exit 1 where anything fails. Nothing is written into it."""
    from blade.package.validate import validate

    found = validate(benchmark_dir, phase=phase, least_facts=min_anchor_facts, options=scan_settings(**scan))
    if as_json:
        print_json(found.document())
    else:
        for line in found.lines():
            status, bracket, rest = line.partition("] ")
            coloured = click.style(status + "]", fg=_COLOURS.get(status[1:])) + f" {rest}" if bracket else line
            click.echo(coloured if line.startswith("[") else text.printable(line))
    click.get_current_context().exit(int(not found.holds))
