"""`blade package`: a whole package of a benchmark, from its runs."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from blade.cli import text
from blade.cli.options import json_option, print_json, scan_options, scan_settings

if TYPE_CHECKING:
    from blade.check.calibrate import Calibration
    from blade.package.drafting.package import Made
    from blade.package.validate import Validation


@click.group("package")
def command() -> None:
    """Packages of benchmarks: a skill, rollouts and golden reports that others can check and use."""


@command.command("init")
@click.argument("name")
@click.argument("more", nargs=-1, metavar="[RUN]...")
@click.option("--runs", multiple=True, required=True, metavar="RUN...", help="The runs, two or more of the same tasks.")
@click.option(
    "--dir",
    "where",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("benchmarks"),
    show_default=True,
    metavar="DIR",
    help="Where the package's directory NAME is made.",
)
@click.option("--link", is_flag=True, help="Link the rollouts instead of copying them without what is private.")
@click.option(
    "--profile",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A profile that you have already; by default one is drafted.",
)
@click.option("--no-calibrate", is_flag=True, help="Leave the calibration out, which takes most of the time.")
@click.option("--threshold", type=float, metavar="REWARD", help="The reward from which a rollout passes; 1.")
@json_option
@scan_options
def init(
    name: str,
    more: tuple[str, ...],
    runs: tuple[str, ...],
    where: Path,
    link: bool,
    profile: Path | None,
    no_calibrate: bool,
    threshold: float | None,
    as_json: bool,
    **scan: Any,
) -> None:
    """Build the package NAME from runs: skill, profile, rollouts, golden reports, metrics, anchor facts, shallow.

    Then it is validated and calibrated. What was drafted has to be read by a person; exit 1 where a check fails.
    """
    from blade.package.calibrating import calibrate_package
    from blade.package.drafting.package import REVIEW, Wishes, make_package
    from blade.package.validate import validate

    if Path(name).name != name or name in (".", ".."):
        raise click.UsageError(f"{name} is no name of a package: it becomes a directory in --dir")
    options = scan_settings(**scan)
    wishes = Wishes(threshold=threshold, link=link, profile=profile, options=options)
    root = where / name
    made = make_package(name, [*runs, *more], root, wishes, tell=_tell)
    _tell("validating")
    valid = validate(root, options=options)
    calibrated = {} if no_calibrate else calibrate_package(root, tell=_tell)
    _tell("")
    if as_json:
        told = {model: found.summary() for model, found in calibrated.items()}
        print_json(
            {
                "package": str(root),
                "redacted": made.redacted,
                "validation": valid.document(),
                "calibration": told,
                "review": REVIEW,
            }
        )
    else:
        click.echo("\n".join(_lines(made, valid, calibrated, REVIEW)))
    fine = valid.holds and all(found.holds for found in calibrated.values())
    click.get_current_context().exit(int(not fine))


def _tell(what: str) -> None:
    """What is being done, on a terminal only."""
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{what}{' …' if what else ''}", err=True, nl=False)


def _lines(
    made: "Made", valid: "Validation", calibrated: "dict[str, Calibration]", review: tuple[str, ...]
) -> list[str]:
    width = text.terminal_width()
    lines = [click.style(text.one_line(f"{made.root}: the package of {', '.join(made.models)}", width), bold=True)]
    taken = ", ".join(f"{kind}: {count:,}" for kind, count in made.redacted.items() if count)
    lines += text.labelled("redacted", taken or "nothing private was found in the rollouts", width)
    lines += text.labelled("validated", valid.summary.partition(": ")[2], width)
    for each in valid.findings:
        if each.status == "FAIL":
            lines += text.labelled("fails", each.lines()[0].partition("] ")[2], width)
            lines += text.labelled("", f"fix: {each.fix}", width)
    for model, found in calibrated.items():
        told = f"{model}: golden {found.golden:.2f}, shallow {found.shallow:.2f}; {found.note}"
        lines += text.labelled("calibrated", told, width)
    for number, what in enumerate(review, 1):
        lines += text.labelled("review" if number == 1 else "", f"{number}. {what}", width)
    return lines
