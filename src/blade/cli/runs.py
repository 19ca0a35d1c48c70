"""`blade runs`: what is there."""

from typing import Any

import click
import msgspec

from blade.cli import text
from blade.cli.options import json_option, paths_argument, print_json, scan_options, scan_settings

_SHOWN = 5
_BRIEF_FROM = 9


@click.command("runs")
@paths_argument
@click.option("--full", is_flag=True, help="Show every detail of every run, however many there are.")
@json_option
@scan_options
def command(paths: tuple[str, ...], full: bool, as_json: bool, **scan: Any) -> None:
    """What is at RUN...: runs, rows, tasks, repeats, coverage, identity, sidecars, problems."""
    from blade.artifacts.discover import find_runs
    from blade.scan.store import scan_runs

    with scan_runs(find_runs(paths or (".",)), scan_settings(**scan)) as store:
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
    counts = f"{len(summaries)} runs, {_count(rows_in_all, 'row')}, {_count(skipped, 'line')} skipped"
    end = f"{counts}; --full shows each run whole"
    return [*text.table(header, rows, width=width, right={1, 2, 3, 4, 5}), "", end]


def _notes(summary: Any) -> list[str]:
    skipped = [f"{summary.skipped_count:,} skipped"] if summary.skipped_count else []
    return [*skipped, *summary.problems]


def _detailed(summary: Any, width: int) -> list[str]:
    """Everything about one run, a label and a fact on each line."""
    files = summary.files[:_SHOWN]
    facts = [
        ("files", ", ".join(files) + _and_more(len(summary.files) - len(files), "more")),
        ("rows", _row_text(summary)),
        ("coverage", _coverage(summary)),
        ("reward", _reward(summary)),
        *_identity(summary),
        ("trajectory", f"{_count(summary.steps, 'step')}, {_count(summary.calls, 'tool call')}"),
        ("masked", _count(summary.masked, "row") if summary.masked else ""),
        ("cut off", f"{_count(summary.truncated, 'row')} by a limit on output" if summary.truncated else ""),
        ("failed", _failed(summary)),
        ("sidecars", ", ".join(map(_sidecar, summary.sidecars))),
        ("config", _config(summary)),
        ("notes", _notes_text(summary.notes)),
        *(("skipped", f"{skip.file}:{skip.line}: {skip.why}") for skip in summary.skipped[:_SHOWN]),
        ("", _and_more(summary.skipped_count - _SHOWN, "more lines that cannot be read").removeprefix(" ")),
        *(("problem", problem) for problem in summary.problems),
    ]
    lines = [click.style(text.one_line(summary.run, width), bold=True)]
    for label, fact in facts:
        lines += text.labelled(label, fact, width) if fact else []
    return lines


def _and_more(count: int, what: str) -> str:
    return f" and {count:,} {what}" if count > 0 else ""


def _count(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _row_text(summary: Any) -> str:
    tasks = _count(summary.tasks, "task")
    duplicates = f", {_count(summary.duplicates, 'duplicate')} among them" if summary.duplicates else ""
    skipped = f"; {_count(summary.skipped_count, 'line')} skipped" if summary.skipped_count else ""
    return f"{_count(summary.rows, 'row')}, {tasks}, {_repeats(summary)} per task{duplicates}{skipped}"


def _failed(summary: Any) -> str:
    """The failures sidecar: attempts that came to nothing, and rollouts of which every attempt did."""
    if not summary.failed_attempts:
        return ""
    lost = _count(summary.failed_rollouts, "rollout")
    return f"{_count(summary.failed_attempts, 'attempt')} in the sidecar; {lost} with no row at all"


def _sidecar(sidecar: dict[str, Any]) -> str:
    return str(sidecar["kind"]) + (f" ({sidecar['problem']})" if "problem" in sidecar else "")


def _notes_text(notes: str | None) -> str:
    """The notes as running text; their headings stand as sentences."""
    lines = [line.strip() for line in (notes or "").splitlines()]
    return " ".join(line.lstrip("# ") + "." if line.startswith("#") else line for line in lines if line)


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
    return agent + [_trait(identity) for identity in summary.identity]


def _trait(identity: Any) -> tuple[str, str]:
    """A trait of the run; of what only has a hash, whether it is the same in all rows."""
    label, what = _TRAITS.get(identity.trait, (identity.trait, ""))
    if what and len(identity.values) == 1:
        return label, f"{what} in all rows ({identity.values[0][0]})"
    return label, _values(identity.values)


_TRAITS = {
    "max_output_tokens": ("max output", ""),
    "reasoning_effort": ("effort", ""),
    "tools_hash": ("tools", "the same list"),
    "system_hash": ("instructions", "the same"),
    "skills_hash": ("skills", "the same"),
}


def _values(values: list[Any]) -> str:
    """One value as it is; several with the number of rows of each."""
    if len(values) == 1:
        return _value(values[0][0])
    shown = ", ".join(f"{_value(value)} ({count:,})" for value, count in values[:_SHOWN])
    return shown + (" …" if len(values) > _SHOWN else "")


def _value(value: Any) -> str:
    return "unknown" if value is None else f"{value:g}" if isinstance(value, float) else str(value) or '""'


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
