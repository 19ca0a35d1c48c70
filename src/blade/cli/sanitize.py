"""`blade sanitize`: what must not be shared, shown and taken out."""

from pathlib import Path

import click

from blade.cli import text
from blade.cli.options import json_option, print_json

_SHOWN = 40


@click.command("sanitize")
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--fix", is_flag=True, help="Replace what is private by placeholders, in the files themselves.")
@click.option("--emails", is_flag=True, help="E-mail addresses in rollouts too; they are left alone by default.")
@click.option(
    "--profile",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A profile whose [redact] patterns count too; by default that of the package.",
)
@json_option
def command(path: Path, fix: bool, emails: bool, profile: Path | None, as_json: bool) -> None:
    """Show what is private in the files at PATH, a package or a file; exit 1 where there is any.

    With --fix the same thing becomes the same placeholder everywhere, JSON stays JSON, and ids of tasks stay.
    """
    from blade.package.layout import layout_of
    from blade.package.sanitizing import look_through, sanitize
    from blade.profile import load_profile

    root = path if path.is_dir() else path.parent
    layout = layout_of(root)
    files = layout.files if path.is_dir() else [path]
    chosen = profile or (layout.profile if path.is_dir() else None)
    patterns = load_profile(chosen).patterns if chosen else ()
    mended = sanitize(path, patterns=patterns, keep=_ids(path), emails=emails) if fix else None
    left = [each for each in look_through(files, root, patterns=patterns, emails=emails) if each.counts or each.trouble]
    if as_json:
        shown = [each._asdict() | {"path": str(each.path)} for each in left]
        taken = None if mended is None else {"files": [str(each) for each in mended.files], "counts": mended.counts}
        print_json({"files": len(files), "private": shown, "fixed": taken})
    else:
        width = text.terminal_width()
        if mended is not None:
            counts = ", ".join(f"{kind}: {count:,}" for kind, count in mended.counts.items()) or "nothing"
            click.echo("\n".join(text.labelled("taken out", f"{counts}, in {len(mended.files):,} files", width)))
        for each in left[:_SHOWN]:
            told = each.trouble or ", ".join(f"{kind}: {count:,}" for kind, count in each.counts.items())
            place = f", first in line {each.first:,}" if each.first else ""
            click.echo("\n".join(text.labelled("private", f"{layout.shown(each.path)}: {told}{place}", width)))
        if len(left) > _SHOWN:
            click.echo("\n".join(text.labelled("", f"{len(left) - _SHOWN:,} more files: --json lists all", width)))
        clean = f"{len(files) - len(left):,} of {len(files):,} files have nothing private"
        click.echo("\n".join(text.labelled("clean", clean, width)))
    click.get_current_context().exit(int(bool(left)))


def _ids(path: Path) -> frozenset[str]:
    """The ids of the package's tasks, which stay as they are."""
    from blade.package.layout import layout_of
    from blade.package.rows import read_runs

    if not path.is_dir():
        return frozenset()
    layout = layout_of(path)
    rows = read_runs(layout.runs, path)
    return frozenset(alias for each in rows.values() for alias in each.aliases)
