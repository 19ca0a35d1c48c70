"""Options that several verbs share, and what they mean together."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from blade.cli.text import escaped, printable
from blade.content import mend_text
from blade.scan.cache import Cache

_Function = TypeVar("_Function", bound=Callable[..., Any])

paths_argument = click.argument("paths", nargs=-1, metavar="[RUN]...")
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


def cache_options(function: _Function) -> _Function:
    """Where the store lives."""
    function = click.option(
        "--cache",
        "directory",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help="Keep scans in DIR rather than in the platform's cache.",
    )(function)
    return click.option("--no-cache", is_flag=True, help="Keep nothing of this scan.")(function)


def scan_options(function: _Function) -> _Function:
    """How to scan."""
    function = click.option(
        "--workers", type=click.IntRange(min=1), metavar="N", help="Processes to read with; one per core by default."
    )(function)
    function = click.option("--strict", is_flag=True, help="Fail (exit 2) where a line cannot be read.")(function)
    function = click.option(
        "--max-line",
        type=click.IntRange(min=1),
        metavar="MB",
        help="Skip lines of more million bytes; 256 by default.",
    )(function)
    return cache_options(function)


def cache_of(directory: Path | None, no_cache: bool) -> Cache | None:
    """The cache that the options name; None for none."""
    if no_cache and directory:
        raise click.UsageError("--cache and --no-cache exclude each other")
    return None if no_cache else Cache(directory)


def scan_settings(
    *,
    directory: Path | None,
    no_cache: bool,
    workers: int | None = None,
    strict: bool = False,
    max_line: int | None = None,
) -> Any:
    """Scan options as the library takes them."""
    from blade.artifacts.files import LONGEST_LINE
    from blade.cli.progress import progress
    from blade.scan.store import Options

    longest = max_line * 1_000_000 if max_line else LONGEST_LINE
    return Options(
        cache=cache_of(directory, no_cache),
        workers=workers or 0,
        strict=strict,
        progress=progress(),
        warn=warn,
        longest_line=longest,
    )


def warn(text: str) -> None:
    """Say something on standard error."""
    click.echo(f"blade: {printable(text)}", err=True)


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    click.echo(escaped(json.dumps(mend_text(value), ensure_ascii=False, indent=2, default=str)))
