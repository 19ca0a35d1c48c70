"""`blade show`: what a ref points to, readably."""

from typing import Any

import click
import msgspec

from blade.cli import text
from blade.cli.options import cache_of, cache_options, json_option, print_json, warn
from blade.ref import Ref
from blade.rollout import Rollout, Step, results_of
from blade.scan.resolve import Resolved, resolve

STEP_LIMIT = 600
"""Characters of each step that a rollout shows; one step on its own shows more."""

ONE_STEP_LIMIT = 8_000
PROMPT_LIMIT = 400
FIELD_LIMIT = 160
_COLORS = {"model": "cyan", "user": "green", "system": "magenta", "tool": "yellow"}


@click.command("show")
@click.argument("ref")
@click.argument("paths", nargs=-1, metavar="[RUN]...")
@click.option("--full", is_flag=True, help="Cut nothing.")
@json_option
@cache_options
def command(ref: str, paths: tuple[str, ...], full: bool, as_json: bool, **cache: Any) -> None:
    """What REF points to: a rollout (run:task/rollout) or a step of it (run:task/rollout#step).

    A run that was scanned before is found by its name; otherwise it is looked for at RUN...: a rollouts file, a
    glob of shards, or a directory that holds runs, by default this one. Where several files hold a run of this name,
    RUN says which is meant.
    """
    found = resolve(Ref.parse(ref), paths, cache_of(**cache), warn=warn)
    if as_json:
        print_json(_as_json(found))
    else:
        click.echo("\n".join(_as_text(found, full)))


def _as_text(found: Resolved, full: bool) -> list[str]:
    rollout, step = found.rollout, found.ref.step
    if step is not None:
        return [_title(found), *_step_lines(_step(rollout, step), step, None, None if full else ONE_STEP_LIMIT)]
    answers = _answers(rollout)
    lines = [_title(found), *_facts(rollout)]
    for prompt_step in rollout.prompt:
        lines += _step_lines(prompt_step, f"i{prompt_step.number}", None, None if full else PROMPT_LIMIT)
    for number, own in enumerate(rollout.steps):
        lines += _step_lines(own, str(number), answers, None if full else STEP_LIMIT)
    if not rollout.items:
        lines += ["", "  the row holds no trajectory"]
    return [*lines, *_field_lines(rollout, full)]


def _answers(rollout: Rollout) -> dict[tuple[int, int], int]:
    """Which step answers which call."""
    return {place: result.number for place, result in results_of(rollout.steps).items()}


def _title(found: Resolved) -> str:
    place = found.rollout.place
    return (
        click.style(text.printable(str(found.ref)), bold=True)
        + f"  {text.printable(place.file)}, byte {place.offset:,}, {text.size(place.length)}"
    )


def _facts(rollout: Rollout) -> list[str]:
    """What the row says beside its trajectory, one line each."""
    sampling, usage, evidence = rollout.sampling, rollout.usage, rollout.evidence
    facts: list[tuple[str, Any]] = [
        (
            "reward",
            "none"
            if rollout.reward is None
            else f"{rollout.reward:g}" + ("" if rollout.reward_field == "reward" else f" ({rollout.reward_field})"),
        ),
        ("model", rollout.model),
        ("agent", rollout.agent),
        ("own id", rollout.row_id and f"{rollout.row_id} ({rollout.row_id_field})"),
        (
            "sampling",
            _joined(
                temperature=sampling.temperature,
                top_p=sampling.top_p,
                max_output_tokens=sampling.max_output_tokens,
                effort=sampling.reasoning_effort,
                seed=sampling.seed,
            ),
        ),
        ("tokens", _joined(input=usage.input_tokens, output=usage.output_tokens, reasoning=usage.reasoning_tokens)),
        ("time", None if rollout.timing.elapsed_seconds is None else f"{rollout.timing.elapsed_seconds:,.1f} s"),
        ("status", evidence.status),
        ("cut off", evidence.incomplete),
        ("error", evidence.error),
        ("masked", "yes" if evidence.masked else None),
        (
            "failure",
            _joined(failure_class=evidence.failure_class, kind=evidence.failure_kind, stage=evidence.failure_stage),
        ),
        ("reason", evidence.failure_text),
        ("steps from", None if rollout.steps_from in ("response", "none") else rollout.steps_from),
        *(("problem", problem) for problem in rollout.problems),
    ]
    width = text.terminal_width() - 14
    return [f"  {name:<10}  {text.one_line(str(value), width)}" for name, value in facts if value]


def _joined(**values: Any) -> str:
    return ", ".join(
        f"{name.replace('_', ' ')} {value:g}" if isinstance(value, float) else f"{name.replace('_', ' ')} {value}"
        for name, value in values.items()
        if value is not None
    )


def _step(rollout: Rollout, step: str) -> Step:
    return rollout.prompt[int(step[1:])] if step.startswith("i") else rollout.steps[int(step)]


def _step_lines(step: Step, number: str, answers: dict[tuple[int, int], int] | None, limit: int | None) -> list[str]:
    """A step: a line that says what it is, then its text."""
    heading = [click.style(f"#{number}", bold=True), click.style(step.kind, fg=_COLORS.get(step.actor))]
    if step.kind == "message":
        heading.append(f"by {step.actor}" + (f" ({text.one_line(step.name, 40)})" if step.name else ""))
    elif step.name:
        heading.append(text.one_line(step.name, 60))
    heading += [text.one_line(part, 80) for part in _details(step, answers)]
    lines = ["", "  ".join(heading)]
    if step.kind == "call" and step.calls:
        return lines + _indented(_call_text(step), limit)
    lines += _indented(step.text, limit)
    for call in step.calls:
        lines.append(
            f"    → calls {text.one_line(call.tool or 'unknown', 60)} {text.one_line(call.arguments_text, 200)}"
        )
    return lines


def _details(step: Step, answers: dict[tuple[int, int], int] | None) -> list[str]:
    details = []
    if step.status not in (None, "completed"):
        details.append(f"status {step.status}")
    if step.kind == "call" and answers is not None:
        answer = answers.get((step.number, 0))
        details.append(f"→ #{answer}" if answer is not None else "no result")
    if step.observed:
        seen = step.observed
        details += [f"{seen.duration_ms:,.0f} ms"] if seen.duration_ms is not None else []
        details += [str(seen.status)] if seen.status not in (None, "completed") else []
        details += [seen.error_type] if seen.error_type else []
    if step.kind == "other":
        details.append(f"type {step.type}")
    return details


def _call_text(step: Step) -> str:
    """The arguments of a call, one per line where they are an object."""
    value = step.calls[0].arguments_value
    if not isinstance(value, dict):
        return step.text
    from blade import content

    return "\n".join(f"{name} = {content.canonical(part)}" for name, part in value.items())


def _indented(body: str, limit: int | None) -> list[str]:
    """Text below its heading; what is cut is counted."""
    kept = body if limit is None or len(body) <= limit else body[:limit]
    lines = ["    " + line for line in text.printable(kept).split("\n")] if kept else []
    if len(kept) < len(body):
        lines.append(click.style(f"    … {len(body) - len(kept):,} more characters (--full shows them)", dim=True))
    return lines


def _field_lines(rollout: Rollout, full: bool) -> list[str]:
    from blade import content

    if not rollout.fields:
        return []
    wide = min(28, max(map(text.columns, rollout.fields)))
    lines = ["", click.style("fields", bold=True)]
    for name, value in rollout.fields.items():
        shown = value if isinstance(value, str) else content.canonical(content.plain(value))
        told = text.one_line(shown, len(shown) + 1 if full else min(FIELD_LIMIT, text.terminal_width() - wide - 4))
        lines.append(f"  {text.padded(text.one_line(name, 60), wide)}  {told}")
    return lines


def _as_json(found: Resolved) -> dict[str, Any]:
    """Everything, uncut."""
    from blade import content

    rollout, step = found.rollout, found.ref.step
    if step is not None:
        return {"ref": str(found.ref), **_step_json(_step(rollout, step))}
    place = rollout.place
    answers = _answers(rollout)
    return {
        "ref": str(found.ref),
        "place": {"file": place.file, "offset": place.offset, "length": place.length},
        **{name: msgspec.to_builtins(getattr(rollout, name)) for name in f"{_FACTS} {_GROUPS}".split()},
        "prompt": [_step_json(prompt_step) for prompt_step in rollout.prompt],
        "steps": [_step_json(own, answers) for own in rollout.steps],
        "fields": {name: content.plain(value) for name, value in rollout.fields.items()},
    }


_FACTS = "task_index rollout_index attempt_index stage row_id row_id_field reward reward_field model agent environment"
_GROUPS = "sampling usage evidence timing observed hashes steps_from problems"


def _step_json(step: Step, answers: dict[tuple[int, int], int] | None = None) -> dict[str, Any]:
    return {
        "step": step.number,
        "kind": step.kind,
        "actor": step.actor,
        "type": step.type,
        "name": step.name,
        "call_id": step.call_id,
        "status": step.status,
        "text": step.text,
        "observed": msgspec.to_builtins(step.observed),
        "calls": [
            {
                "tool": call.tool,
                "call_id": call.call_id,
                "arguments": call.arguments_value,
                "result": (answers or {}).get((step.number, place)),
            }
            for place, call in enumerate(step.calls)
        ],
    }
