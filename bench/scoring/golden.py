"""Golden reports as people write them, in two styles, and the anchor facts that their authors note."""

from collections.abc import Iterator

from bench.scoring.tale import DiveTale, ModeTale, RunTale, Tale

WORDS = dict(enumerate(["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]))


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def facts(tale: Tale) -> list[str]:
    """What the author wants every report to know."""
    return [*map(_of_dive, tale.dives), *_of_flips(tale), *map(_of_mode, tale.modes), *_of_modes_elsewhere(tale)][:25]


def _of_dive(dive: DiveTale) -> str:
    reason = f" and is judged wrong with “{dive.reason}”" if dive.reason else ""
    return (
        f"Task {dive.task} of {dive.run} passes {dive.passed}/{dive.measured}: rollout {dive.rollout} closes with "
        f"“{dive.quote}”{reason} ({dive.cause})."
    )


def _of_flips(tale: Tale) -> Iterator[str]:
    first, second = tale.baseline.name, tale.candidate.name
    for flip in tale.flips:
        (a, n), (b, m) = flip.first, flip.second
        yield f"Task {flip.task} goes from {a}/{n} in {first} to {b}/{m} in {second}."


def _of_mode(mode: ModeTale) -> str:
    return (
        f"{mode.title} ({mode.cause}) accounts for {mode.rollouts} of the {mode.failing} failing rollouts of "
        f"{mode.run}, spread over {mode.tasks} tasks."
    )


def _of_modes_elsewhere(tale: Tale) -> Iterator[str]:
    for mode in tale.modes[:4]:
        other = next(run.name for run in tale.runs if run.name != mode.run)
        yield f"{mode.title}: {mode.rollouts} rollouts in {mode.run}, {mode.elsewhere} in {other}."


def eleven_sections(tale: Tale) -> str:
    """In the manner of the eleven sections."""
    first, second = tale.baseline, tale.candidate
    top = tale.modes[0]
    lines = [
        f"# {tale.benchmark}: golden report on `{second.name}`",
        "",
        "## Executive Summary",
        "",
        f"`{second.name}` passes {second.passed} of {second.rollouts} rollouts (pass@1 {percent(second.pass_at_1)}), "
        f"`{first.name}` {first.passed} of {first.rollouts} ({percent(first.pass_at_1)}). The failure mode that costs "
        f"`{top.run}` most is {top.title} ({top.cause}): {top.rollouts} of its {top.failing} failing rollouts.",
        "",
        *_superlatives(tale),
        "",
        "## Artifact Inventory",
        "",
        "| run | model | tasks | rollouts |",
        "|---|---|---:|---:|",
        *(f"| `{run.name}` | {run.model} | {run.tasks} | {run.rollouts} |" for run in tale.runs),
        "",
        "## Aggregate Results",
        "",
        f"| metric | {first.name} | {second.name} |",
        "|---|---:|---:|",
        f"| pass@1 | {percent(first.pass_at_1)} | {percent(second.pass_at_1)} |",
        f"| pass@{first.k} | {percent(first.pass_at_k)} | {percent(second.pass_at_k)} |",
        "",
        "## Workflow Funnel",
        "",
        f"| stage | {first.name} | {second.name} |",
        "|---|---:|---:|",
        *(f"| `{stage}` | {a} | {b} |" for (stage, a), (_, b) in zip(first.funnel, second.funnel, strict=False)),
        "",
        "## Task Outcome Buckets",
        "",
        f"| bucket | {first.name} | {second.name} |",
        "|---|---:|---:|",
        *(f"| {name} | {first.buckets[name]} | {second.buckets[name]} |" for name in ("always", "sometimes", "never")),
        "",
        *_never(tale),
        "",
        "## Dominant Failure Modes",
        "",
        *_mode_chapters(tale),
        "## Sometimes-Pass Deep Dives",
        "",
        *(line for dive in tale.dives if dive.passed for line in _chapter(dive)),
        "## Never-Pass Deep Dives",
        "",
        *(line for dive in tale.dives if not dive.passed for line in _chapter(dive)),
        "## Cross-Model Comparison",
        "",
        *(f"- {line}" for line in _of_flips(tale)),
        "",
        "## Recommendations",
        "",
        *(f"{number}. {_advice(mode)}" for number, mode in enumerate(tale.modes[:3], 1)),
        "",
        "## Reproducibility Notes",
        "",
        "Rewards as stored, threshold 1, intervals by task.",
        "",
    ]
    return "\n".join(lines)


def _superlatives(tale: Tale) -> Iterator[str]:
    for run in tale.runs:
        own = [mode for mode in tale.modes if mode.run == run.name]
        if own and sum(mode.rollouts == own[0].rollouts for mode in own) == 1:
            yield f"- The dominant failure mode of `{run.name}` is {own[0].title}."
    for part in tale.weakest:
        named = f"`{part.field} = {part.value}`"
        yield f"- The weakest slice of `{part.run}` is {named} with a pass@1 of {percent(part.pass_at_1)}."
    first, second = tale.baseline, tale.candidate
    word = "higher" if second.pass_at_1 > first.pass_at_1 else "lower"
    yield f"- The pass@1 of `{second.name}` is {word} than that of `{first.name}`."


def _never(tale: Tale) -> Iterator[str]:
    for run, tasks in tale.never.items():
        if len(tasks) > 1:
            yield f"Never-pass tasks of `{run}`: {', '.join(tasks[:-1])} and {tasks[-1]}."


def _mode_chapters(tale: Tale) -> Iterator[str]:
    for title in dict.fromkeys(mode.title for mode in tale.modes):
        yield from (f"### {title}", "")
        for mode in tale.modes:
            if mode.title == title:
                yield from (_of_mode(mode), "")
        yield from (line for line in _of_modes_elsewhere(tale) if line.startswith(f"{title}:"))
        yield ""


def _chapter(dive: DiveTale) -> Iterator[str]:
    yield from (f"### Task {dive.task} of `{dive.run}` ({dive.passed}/{dive.measured})", "")
    yield f"- Rollout {dive.rollout} (failed) closes with “{dive.quote}” (`{dive.ref}`)."
    if dive.reason:
        yield f"- The verifier judges it wrong with “{dive.reason}”."
    if dive.tool:
        yield f"- Its last call goes to `{dive.tool}`."
    yield f"- Root cause: {dive.cause}, {dive.mode}."
    yield ""


def _advice(mode: ModeTale) -> str:
    return f"Take up {mode.title} with whoever owns the {mode.owner}: {mode.rollouts} rollouts of `{mode.run}`."


def notebook(tale: Tale) -> str:
    """In the manner of somebody's notebook: other sections, runs in rows, prose."""
    first, second = tale.baseline, tale.candidate
    lines = [
        f"# Notes on {tale.benchmark}",
        "",
        "## What was run",
        "",
        "| run | tasks | rollouts | passed | pass@1 |",
        "|---|---|---|---|---|",
        *(
            f"| {run.name} | {run.tasks} | {run.rollouts} | {run.passed} | {percent(run.pass_at_1)} |"
            for run in tale.runs
        ),
        "",
        "## Overall results",
        "",
        f"With {percent(first.pass_at_1)} {first.name} stands against {percent(second.pass_at_1)} of {second.name}.",
        "",
        *(f"{_bucket_sentence(run)}" for run in tale.runs),
        "",
        "## Where it goes wrong",
        "",
        *_superlatives(tale),
        "",
        *(f"{line}\n" for line in map(_of_mode, tale.modes)),
        *(f"* {line}" for line in _of_modes_elsewhere(tale)),
        "",
        "## Tasks I read",
        "",
        *(f"{line}\n" for line in map(_story, tale.dives)),
        "## What changed between the runs",
        "",
        "| task | " + f"{first.name} | {second.name} |",
        "|---|---|---|",
        *(
            f"| {flip.task} | {flip.first[0]}/{flip.first[1]} | {flip.second[0]}/{flip.second[1]} |"
            for flip in tale.flips
        ),
        "",
        *(f"- {line}" for line in _of_flips(tale)),
        "",
    ]
    return "\n".join(lines)


def _bucket_sentence(run: RunTale) -> str:
    counts = run.buckets
    return (
        f"{run.name}: {counts['always']} tasks always pass, {counts['sometimes']} tasks sometimes pass, "
        f"{counts['never']} tasks never pass.\n"
    )


def _story(dive: DiveTale) -> str:
    tool = f" Its last call goes to `{dive.tool}`." if dive.tool else ""
    reason = f" It is judged wrong with “{dive.reason}”." if dive.reason else ""
    return (
        f"**Task {dive.task}, {dive.run}.** {dive.passed}/{dive.measured} pass. Rollout {dive.rollout} closes with "
        f"“{dive.quote}” (`{dive.ref}`).{reason}{tool} Label: {dive.cause}, {dive.mode}."
    )
