"""`blade profile`: what the people of a benchmark know about it, drafted from runs and held against them."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from blade.cli import text
from blade.cli.options import json_option, paths_argument, print_json, scan_options, scan_settings, warn

if TYPE_CHECKING:
    from blade.explain.profiling import Caught, Checked


@click.group("profile")
def command() -> None:
    """The profile of a benchmark: ids, pass rule, slices, stages, failure modes, redactions, in a file that runs."""


@command.command("draft")
@paths_argument
@click.option("-o", "--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write to FILE.")
@click.option("--threshold", type=float, metavar="REWARD", help="The reward from which a rollout passes; 1.")
@scan_options
def draft(paths: tuple[str, ...], out: Path | None, threshold: float | None, **scan: Any) -> None:
    """Draft a first profile from the runs at RUN...: what was found in them, for a person to correct."""
    from blade import doors

    with doors.load(paths or (".",), scan_settings(**scan)) as store:
        from blade.explain.drafting import draft_profile
        from blade.measure.run import settings_of

        drafted = draft_profile(store, settings_of(None, threshold=threshold))
    if out is None:
        click.echo(text.printable(drafted).rstrip("\n"))
        return
    if out.exists():
        raise click.UsageError(f"{out} is there already: name another file, or remove it")
    out.write_text(drafted, encoding="utf-8")
    warn(f"{out} is written; read it, then see what it catches: blade profile check {out} RUN...")


@command.command("check")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@paths_argument
@click.option("--names", is_flag=True, help="List all that rules may name.")
@json_option
@scan_options
def check(file: Path, paths: tuple[str, ...], names: bool, as_json: bool, **scan: Any) -> None:
    """Check the profile in FILE, and what its rules catch in the runs at RUN...

    Ends with exit code 1 where anything is wrong with it.
    """
    from blade.profile import read_profile
    from blade.profile.reading import text_of

    profile, problems = read_profile(text_of(file), str(file))
    if problems:
        lines = [f"{file}:{problem.line or 1}: {_without_line(str(problem))}" for problem in problems]
        click.echo("\n".join(map(text.printable, lines)))
        raise SystemExit(1)
    found = _checked(profile, paths, scan)
    if as_json:
        print_json(msgspec.to_builtins(found))
    else:
        click.echo("\n".join(_lines(found, text.terminal_width(), names=names)).rstrip("\n"))
    if not found.is_fine:
        raise SystemExit(1)


def _checked(profile: Any, paths: tuple[str, ...], scan: dict[str, Any]) -> "Checked":
    from blade import doors
    from blade.measure.run import settings_of

    options = msgspec.structs.replace(scan_settings(**scan), id_fields=profile.id_fields)
    with doors.load(paths or (".",), options) as store:
        from blade.explain.profiling import check_profile

        return check_profile(store, settings_of(profile))


def _without_line(said: str) -> str:
    return said.partition(": ")[2] if said.startswith("line ") else said


def _lines(found: "Checked", width: int, *, names: bool) -> Iterator[str]:
    runs = f"{len(found.runs)} runs" if len(found.runs) > 1 else found.runs[0]
    yield click.style(text.one_line(f"{found.profile} against {runs}", width), bold=True)
    unmeasured = f", {found.not_measured:,} not measured" if found.not_measured else ""
    fact = f"{found.rollouts:,}, {found.failing:,} failing{unmeasured} ({found.pass_rule})"
    yield from text.labelled("rollouts", fact, width)
    for name in found.unknown_fields:
        yield from text.labelled("problem", f"no row has a field named {name}", width)
    for one in found.caught:
        if one.error:
            yield from text.labelled("problem", one.error, width)
    yield from _table("stages", [one for one in found.caught if one.kind == "stage"], width)
    yield from _table("modes", [one for one in found.caught if one.kind == "mode"], width)
    if any(one.kind == "mode" for one in found.caught):
        yield from text.labelled("left", f"{found.unexplained:,} failing or not-measured rollouts have none", width)
    for one in found.caught:
        if one.overlap:
            shared = ", ".join(f"{count:,} with {name}" for name, count in one.overlap.items())
            yield from text.labelled("overlap", f"{one.name}: {shared}", width)
    if names:
        for kind, listed in found.names.items():
            yield from text.labelled(kind, ", ".join(listed), width, most_lines=100)


def _table(label: str, caught: "list[Caught]", width: int) -> list[str]:
    if not caught:
        return []
    rows = [
        [
            one.name,
            f"{one.failing:,}",
            f"{one.passing:,}",
            f"{one.not_measured:,}",
            f"{one.first:,}",
            *([] if one.kind == "stage" else ["" if one.taken else "not taken: passes show it as often"]),
        ]
        for one in caught
    ]
    last = ["reach it"] if label == "stages" else ["first", ""]
    header = ["name", "failing", "passing", "not measured", *last]
    return text.labelled_table(label, header, rows, width=width, right={1, 2, 3, 4})
