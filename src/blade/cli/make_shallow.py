"""`blade make-shallow`: the negative control of a golden report."""

import click

from blade.cli.options import json_option, print_json


@click.command("make-shallow")
@click.option("--input", "golden", required=True, metavar="FILE", help="The golden report, a Markdown file.")
@click.option("--output", required=True, metavar="FILE", help="Where the shallow report is written.")
@json_option
def command(golden: str, output: str, as_json: bool) -> None:
    """Write what is left of a golden report if nobody has read a rollout.

    That is its title, its second-level headings, and the tables of aggregate results and of the workflow funnel.
    """
    from blade.check.files import read_text, write_text
    from blade.check.passages import ROW, read
    from blade.check.shallow import shallow

    made = shallow(read_text(golden))
    write_text(output, made)
    report = read(made)
    rows = sum(passage.kind == ROW for passage in report.passages)
    sections = sum(heading.level == 2 for heading in report.headings)
    if as_json:
        print_json({"output": output, "sections": sections, "rows": rows})
        return
    click.echo(f"{output}: {sections} sections, {rows} rows of tables")
