"""`blade runs`: what is there."""

from typing import Any

import click
import msgspec

from blade.cli import text
from blade.cli.options import json_option, paths_argument, print_json, scan_options, scan_settings

_SHOWN = 5
_BRIEF_FROM = 9
_LABEL = 12


@click.command("runs")
@paths_argument
@click.option("--full", is_flag=True, help="Show every detail of every run, however many there are.")
@json_option
@scan_options
def command(paths: tuple[str, ...], full: bool, as_json: bool, **scan: Any) -> None:
    """What is at RUN...: runs, rows, tasks, repeats, coverage, identity, sidecars, problems.

    RUN is a rollouts file, a quoted glob of the shards of one run, a directory that is searched for runs,
    or - for standard input.
    """
    from blade.artifacts.discover import find_runs
    from blade.scan.store import scan_runs

    with scan_runs(find_runs(paths), scan_settings(**scan)) as store:
        summaries = store.summaries
    if as_json:
        print_json(msgspec.to_builtins(summaries))
        return
    width = text.terminal_width()
    if len(summaries) >= _BRIEF_FROM and not full:
        lines = _brief(summaries, width)
    else:
        lines = [line for summary in summaries for line in (*_detailed(summary, width), "")][:-1]
    click.echo("\n".join(lines))


def _brief(summaries: list[Any], width: int) -> list[str]:
    """One line per run."""
    header = ["run", "rows", "tasks", "repeats", "coverage", "mean reward", "model", "notes"]
    rows = [
        [
            summary.run,
            f"{summary.rows:,}",
            f"{summary.tasks:,}",
            _repeats(summary),
            "" if summary.coverage is None else _percent(summary.coverage),
            "" if summary.reward.mean is None else f"{summary.reward.mean:.3f}",
            summary.model or "",
            "; ".join(_notes(summary)),
        ]
        for summary in summaries
    ]
    rows_in_all = sum(summary.rows for summary in summaries)
    skipped = sum(summary.skipped_count for summary in summaries)
    end = f"{len(summaries)} runs, {rows_in_all:,} rows, {skipped:,} lines skipped; --full shows each run whole"
    return [*text.table(header, rows, width=width, right={1, 2, 3, 4, 5}), "", end]


def _notes(summary: Any) -> list[str]:
    skipped = [f"{summary.skipped_count:,} skipped"] if summary.skipped_count else []
    return [*skipped, *summary.problems]


def _detailed(summary: Any, width: int) -> list[str]:
    facts = [
        (
            "files",
            ", ".join(summary.files[:_SHOWN])
            + (f" and {len(summary.files) - _SHOWN} more" if len(summary.files) > _SHOWN else ""),
        ),
        ("rows", _row_text(summary)),
        ("coverage", _coverage(summary)),
        ("reward", _reward(summary)),
        *_identity(summary),
        ("trajectory", f"{summary.steps:,} steps, {summary.calls:,} tool calls"),
        ("not measured", _not_measured(summary)),
        ("sidecars", _sidecars(summary)),
        ("config", _config(summary)),
        ("notes", (summary.notes or "").lstrip("# ")),
        *(("skipped", f"{skip.file}:{skip.line}: {skip.why}") for skip in summary.skipped[:_SHOWN]),
        *(
            [("", f"and {summary.skipped_count - _SHOWN:,} more lines that cannot be read")]
            if summary.skipped_count > _SHOWN
            else []
        ),
        *(("problem", problem) for problem in summary.problems),
    ]
    lines = [click.style(text.one_line(summary.run, width), bold=True)]
    for label, fact in facts:
        if fact:
            lines.append(f"  {label:<{_LABEL}}  {text.one_line(fact, width - _LABEL - 4)}")
    return lines


def _row_text(summary: Any) -> str:
    counted = f"{summary.rows:,} of {summary.tasks:,} tasks, {_repeats(summary)} per task"
    extra = f", {summary.duplicates:,} of them duplicates" if summary.duplicates else ""
    skipped = f"; {summary.skipped_count:,} lines skipped" if summary.skipped_count else ""
    return counted + extra + skipped


def _repeats(summary: Any) -> str:
    if not summary.repeats:
        return "0"
    low, middle, high = summary.repeats
    return f"{low}" if low == high else f"{low}-{high}" if middle in (low, high) else f"{low}-{high} (median {middle})"


def _coverage(summary: Any) -> str:
    if summary.expected is None:
        return ""
    counted = summary.expected - summary.missing_count - summary.failed_rollouts
    share = _percent(summary.coverage or 0.0)
    told = f"{counted:,} of {summary.expected:,} that are owed ({share}), by the {summary.expected_from}"
    absent = [f"{summary.missing_count:,} missing"] if summary.missing_count else []
    absent += [f"{summary.failed_rollouts:,} failed in every attempt"] if summary.failed_rollouts else []
    return f"{told}; {', '.join(absent)}" if absent else told


def _reward(summary: Any) -> str:
    reward = summary.reward
    if reward.mean is None:
        return "none"
    range_ = f"from {reward.low:g} to {reward.high:g}" if reward.low != reward.high else f"always {reward.low:g}"
    at_one = f", {reward.at_one:,} of {reward.count:,} rows at 1" if reward.at_one else ""
    return f"mean {reward.mean:.4g} over rows, {range_}{at_one}"


def _identity(summary: Any) -> list[tuple[str, str]]:
    agent = [("agent", summary.agent)] if summary.agent else []
    return agent + [
        (_TRAITS.get(identity.trait, identity.trait), _values(identity.values)) for identity in summary.identity
    ]


_TRAITS = {
    "max_output_tokens": "max output",
    "reasoning_effort": "effort",
    "tools_hash": "tools",
    "system_hash": "instructions",
    "skills_hash": "skills",
}


def _values(values: list[Any]) -> str:
    """One value as it is; several with the number of rows of each."""
    if len(values) == 1:
        return _value(values[0][0])
    shown = ", ".join(f"{_value(value)} ({count:,})" for value, count in values[:_SHOWN])
    return shown + (" …" if len(values) > _SHOWN else "")


def _value(value: Any) -> str:
    return "unknown" if value is None else f"{value:g}" if isinstance(value, float) else str(value) or '""'


def _not_measured(summary: Any) -> str:
    parts = [
        (summary.masked, "masked"),
        (summary.failed_attempts, "failed attempts in the sidecar"),
        (summary.truncated, "cut off by a limit (measured all the same)"),
    ]
    return ", ".join(f"{count:,} {what}" for count, what in parts if count)


def _sidecars(summary: Any) -> str:
    return ", ".join(
        sidecar["kind"] + (f" ({sidecar['problem']})" if "problem" in sidecar else "") for sidecar in summary.sidecars
    )


def _config(summary: Any) -> str:
    if not summary.config:
        return ""
    said = [
        f"{name} {summary.config[key]}"
        for key, name in (("repeats", "repeats"), ("task_limit", "task limit"))
        if summary.config.get(key)
    ]
    return ", ".join([*(path.rpartition("/")[2] for path in summary.config["files"]), *said])


def _percent(share: float) -> str:
    from blade.scan.summary import percent

    return percent(share)
