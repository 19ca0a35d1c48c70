"""Options that several verbs share, and what they mean together."""

import inspect
import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from blade.cli.text import escaped, printable
from blade.content import mend_text
from blade.scan.cache import Cache

if TYPE_CHECKING:
    from blade.measure.run import Settings
    from blade.profile import Profile
    from blade.scan.store import Options

_Function = TypeVar("_Function", bound=Callable[..., Any])

WHAT_RUN_IS: Final = (
    "RUN is a rollouts file, a quoted glob of the shards of one run, a directory that is searched for runs,"
    " or - for standard input; by default this directory."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


def paths_argument(function: _Function) -> _Function:
    """The runs that a verb is about; its help says what may stand there."""
    function.__doc__ = f"{inspect.cleandoc(function.__doc__ or '')}\n\n{WHAT_RUN_IS}"
    return click.argument("paths", nargs=-1, metavar="[RUN]...")(function)


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


_PROFILE: Final = "blade.profile"
"""Where the profile in use stands in the context of a command: every verb that measures has one, none handles it."""


def _remember(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    context.meta[f"{_PROFILE}.{parameter.name}"] = value


def profile_in_use(*, told: bool = False) -> "Profile | None":
    """The profile that was named, else the one beside the runs or in their package; that one may be told of."""
    meta = click.get_current_context().meta
    if _PROFILE not in meta:
        meta[_PROFILE] = _chosen_profile()
    profile: Profile | None = meta[_PROFILE]
    if told and profile and meta.get(f"{_PROFILE}.profile") is None:
        warn(f"{os.path.relpath(profile.path)} says what is known of the benchmark (--no-profile leaves it alone)")
    return profile


def _chosen_profile() -> "Profile | None":
    from blade.profile import find_profile, load_profile

    context = click.get_current_context()
    named, unwanted = (context.meta.get(f"{_PROFILE}.{name}") for name in ("profile", "no_profile"))
    if named and unwanted:
        raise click.UsageError("--profile and --no-profile exclude each other")
    if unwanted:
        return None
    runs = [*(context.params.get("runs") or ()), *(context.params.get("more") or ())]
    path = named or find_profile(context.params.get("paths") or runs or (".",))
    return load_profile(path) if path else None


_PROFILE_OPTIONS: Final = (
    click.option(
        "--profile",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        metavar="FILE",
        expose_value=False,
        callback=_remember,
        help="What is known of the benchmark; by default the profile.toml beside the runs or in their package.",
    ),
    click.option(
        "--no-profile",
        is_flag=True,
        expose_value=False,
        callback=_remember,
        help="Leave a profile.toml beside the runs alone.",
    ),
)


def judging_options(function: _Function) -> _Function:
    """What a report is held against: the pass rule, and what is known of the benchmark."""
    for option in (
        *_PROFILE_OPTIONS,
        click.option("--threshold", type=float, metavar="REWARD", help="The reward from which a rollout passes; 1."),
    ):
        function = option(function)
    return function


def measure_options(function: _Function) -> _Function:
    """What to measure."""
    for option in (
        click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Seed of what is drawn; 7 by default."),
        click.option(
            "--these-tasks",
            is_flag=True,
            help="Intervals for these very tasks, where only rollouts vary, not for new tasks like them.",
        ),
        click.option("--by", multiple=True, metavar="FIELD", help="Slice by this field; may be given more than once."),
        click.option(
            "--split-by",
            metavar="NAME",
            help="Make a run of each value of a field or column (skills, tools, instructions, model, agent, …).",
        ),
        *_PROFILE_OPTIONS,
        click.option("--threshold", type=float, metavar="REWARD", help="The reward from which a rollout passes; 1."),
    ):
        function = option(function)
    return function


def measure_settings(
    *, threshold: float | None, by: tuple[str, ...] = (), these_tasks: bool = False, seed: int | None = None
) -> "Settings":
    """What to measure as the library takes it."""
    from blade.measure.rates import NEW_TASKS, THESE_TASKS
    from blade.measure.run import SEED, settings_of

    if threshold is not None and not math.isfinite(threshold):
        raise click.UsageError("--threshold is no number")
    return settings_of(
        profile_in_use(told=True),
        threshold=threshold,
        by=by,
        estimand=THESE_TASKS if these_tasks else NEW_TASKS,
        seed=SEED if seed is None else seed,
    )


def cache_of(directory: Path | None, no_cache: bool) -> Cache | None:
    """The cache that the options name; None for none."""
    if no_cache and directory:
        raise click.UsageError("--cache and --no-cache exclude each other")
    return None if no_cache else Cache(directory)


def measure_and_scan(
    *,
    threshold: float | None,
    split_by: str | None,
    by: tuple[str, ...],
    these_tasks: bool,
    seed: int | None,
    **scan: Any,
) -> "tuple[Settings, Options]":
    """What the options of a verb that measures say of how to measure, and of how to scan."""
    settings = measure_settings(threshold=threshold, by=by, these_tasks=these_tasks, seed=seed)
    return settings, scan_settings(split_by=split_by, **scan)


def scan_settings(
    *,
    directory: Path | None,
    no_cache: bool,
    workers: int | None = None,
    strict: bool = False,
    max_line: int | None = None,
    split_by: str | None = None,
) -> Any:
    """Scan options as the library takes them."""
    from blade.artifacts.files import LONGEST_LINE
    from blade.cli.progress import progress
    from blade.scan.store import Options

    longest = max_line * 1_000_000 if max_line else LONGEST_LINE
    profile = profile_in_use()
    return Options(
        id_fields=profile.id_fields if profile else (),
        cache=cache_of(directory, no_cache),
        workers=workers or 0,
        strict=strict,
        progress=progress(),
        warn=warn,
        split_by=split_by or "",
        longest_line=longest,
    )


def warn(text: str) -> None:
    """Say something on standard error."""
    click.echo(f"blade: {printable(text)}", err=True)


def print_json(value: Any) -> None:
    """One JSON document on standard output."""
    click.echo(escaped(json.dumps(mend_text(value), ensure_ascii=False, indent=2, default=str)))
