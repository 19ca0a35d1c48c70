"""`blade schema`: the shape of what BLADE writes, for programs that read it."""

import click

from blade.cli.options import print_json


@click.command("schema")
@click.argument("name", type=click.Choice(["analysis"]))
def command(name: str) -> None:
    """Print the JSON Schema of NAME: `analysis` is analysis.json, which `blade report` writes."""
    from blade.report.schema import SCHEMAS

    print_json(SCHEMAS[name]())
