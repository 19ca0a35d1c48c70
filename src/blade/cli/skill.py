"""`blade skill`: the skill that coding agents follow, put into a repository."""

from pathlib import Path

import click

from blade.cli import text
from blade.cli.options import json_option, print_json
from blade.package.installing import AGENTS

_ALL = "all"


@click.group("skill")
def command() -> None:
    """The skill by which a coding agent analyses results with BLADE."""


@command.command("install")
@click.option(
    "--dir",
    "directory",
    type=click.Path(path_type=Path),
    default=Path(),
    metavar="DIR",
    help="The root of the repository; the current directory by default.",
)
@click.option(
    "--agent",
    type=click.Choice((*AGENTS, _ALL)),
    default=_ALL,
    show_default=True,
    help="Whose directory links to it; .agents always has it.",
)
@click.option("--force", is_flag=True, help="Replace files of the skill that were changed there.")
@json_option
def install(directory: Path, agent: str, force: bool, as_json: bool) -> None:
    """Put the skill nemo-gym-blade-analysis into DIR, where coding agents find it."""
    from blade.package.installing import install as put

    found = put(directory, list(AGENTS) if agent == _ALL else [agent], force=force)
    if as_json:
        print_json({"skill": str(found.skill), "links": [str(link) for link in found.links], "files": found.files})
        return
    width = text.terminal_width()
    click.echo(click.style(text.one_line(f"{found.skill}: {found.files} files", width), bold=True))
    for link in found.links:
        click.echo("\n".join(text.labelled("linked", str(link), width)))
    click.echo(
        "\n".join(text.labelled("next", "ask your agent: which tasks failed, why, and what should I fix?", width))
    )
