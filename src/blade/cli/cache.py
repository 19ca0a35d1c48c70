"""`blade cache`: what is stored of earlier scans."""

from pathlib import Path

import click

from blade.cli import text
from blade.cli.options import json_option, print_json
from blade.scan.cache import Cache


@click.command("cache")
@click.option(
    "--cache",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="The cache to look at, rather than the platform's.",
)
@click.option("--clear", is_flag=True, help="Remove everything that is stored.")
@json_option
def command(directory: Path | None, clear: bool, as_json: bool) -> None:
    """See what is stored of earlier scans, or clear it. Nothing in it is lost for good: a scan makes it again."""
    cache = Cache(directory)
    if clear:
        freed = cache.clear()
        print_json({"directory": str(cache.directory), "freed": freed}) if as_json else click.echo(
            f"freed {text.size(freed)} in {cache.directory}"
        )
        return
    entries = list(cache.entries())
    if as_json:
        fields = ("kind", "key", "what", "bytes", "complete")
        print_json(
            {
                "directory": str(cache.directory),
                "entries": [{name: getattr(entry, name) for name in fields} for entry in entries],
            }
        )
        return
    total = text.size(sum(entry.bytes for entry in entries))
    click.echo(f"{cache.directory}  {total} in {len(entries)} {'entry' if len(entries) == 1 else 'entries'}")
    if entries:
        rows = [
            [entry.kind, text.size(entry.bytes), "yes" if entry.complete else "interrupted", entry.what]
            for entry in entries
        ]
        for line in text.table(["kind", "size", "complete", "what"], rows, width=text.terminal_width(), right={1}):
            click.echo(line)
