"""Facts drafted from the runs themselves: from modes, from tasks that flip, from where rollouts part."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from blade.check.anchors.fact import HIGH, LOW, MEDIUM, AnchorFact, Value, numbered
from blade.check.text.names import REFERENCE
from blade.check.text.said import Said
from blade.numbers import counted

if TYPE_CHECKING:
    from blade.explain.records import Analysis, Explained, RunFailures, TaskLabel
    from blade.measure.run import Settings
    from blade.report.dives import Dive
    from blade.scan.store import Store

_MODES: Final = 4
"""Failure modes of a run that facts are made of."""

_FLIPS: Final = 6
_LABELS: Final = 12
_LARGE_FLIP: Final = 50.0
"""Points of one task."""

_LONGEST_QUOTE: Final = 160


def draft(store: "Store", settings: "Settings | None" = None, *, baseline: str | None = None) -> list[AnchorFact]:
    """Facts that only who has read rollouts knows; what concerns single steps comes first."""
    from blade.measure.run import Settings
    from blade.report.findings import gather

    findings = gather(store, settings or Settings(), baseline=baseline)
    analysis = findings.analysis
    told = [
        *(fact for dive in findings.dives for fact in _of_dive(dive)),
        *(fact for one in analysis.comparisons for fact in _of_flips(one, analysis)),
        *(fact for run in analysis.runs for fact in _of_modes(run)),
        *_of_labels(analysis),
    ]
    unique = {fact.fact: fact for fact in told}
    return numbered(unique.values())


def _of_dive(dive: "Dive") -> Iterator[AnchorFact]:
    """Where the actions of a failing and a passing rollout part, with what the one did."""
    from blade.report.pieces import plain_text

    how = plain_text(dive.how)
    passed, measured = next((passed, measured) for run, passed, measured in dive.counts if run == dive.run)
    cause, title = dive.mode.cause, dive.mode.title
    yield _fact(
        f"Task {dive.task} of {dive.run} passes {passed} of {measured}{f': {_lower(how)}' if how else '.'} "
        f"The failing rollout {dive.failing} has the mode “{title}” ({cause}).",
        HIGH,
        passed / measured if measured else None,
        subject=f"task {dive.task}, {dive.run}",
        what=title,
        values=(Value(passed, "of", measured),),
    )
    for label, line in dive.left.facts:
        quote = plain_text(line)
        if label == "reason" and 8 <= len(quote) <= _LONGEST_QUOTE:
            yield _fact(
                f"Rollout {dive.failing} of task {dive.task} fails because “{quote}”.",
                HIGH,
                passed / measured if measured else None,
                subject=f"task {dive.task}, {dive.run}",
                what=quote,
            )


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _of_flips(one: "Explained", analysis: "Analysis") -> Iterator[AnchorFact]:
    """Tasks that changed much from one run to the other."""
    labels = {(label.run, label.task): label for label in analysis.tasks}
    titles = _titles(analysis)
    large = sorted((flip for flip in one.flips if abs(flip.points) >= _LARGE_FLIP), key=lambda flip: -abs(flip.points))
    for flip in large[:_FLIPS]:
        worse = one.candidate if flip.points < 0 else one.baseline
        label = labels.get((worse, flip.task))
        why = f" In {worse} it fails by “{titles[label.mode]}” ({label.cause})." if label and label.mode else ""
        direction = "falls" if flip.points < 0 else "rises"
        first, second = ("{} of {}".format(*side) for side in (flip.baseline, flip.candidate))
        yield _fact(
            f"Task {flip.task} {direction} from {first} in {one.baseline} to {second} in {one.candidate}.{why}",
            MEDIUM,
            flip.candidate[0] / flip.candidate[1] if flip.candidate[1] else None,
            subject=f"task {flip.task}",
            what="flip",
            direction=direction,
            values=(Value(flip.baseline[0], "of", flip.baseline[1]), Value(flip.candidate[0], "of", flip.candidate[1])),
            refs=tuple(flip.refs[:4]),
        )


def _of_modes(run: "RunFailures") -> Iterator[AnchorFact]:
    """The largest failure modes of a run with a rollout that shows each, in its own words."""
    failing = run.failed + run.rollouts - run.measured
    for mode in run.modes[:_MODES]:
        quote = mode.example.text if mode.example else ""
        words = (
            f", as “{' '.join(quote.split())}” in {mode.example.ref}" if mode.example and 3 <= len(quote) <= 120 else ""
        )
        yield _fact(
            f"In {run.run}, {mode.rollouts} of {failing} failing rollouts, of {counted(mode.tasks, 'task')}, have the "
            f"mode “{mode.title}” ({mode.cause}; {mode.owner}){words}.",
            LOW,
            None,
            subject=f"{mode.title}, {run.run}",
            what="mode",
            values=(Value(mode.rollouts, "of", failing), Value(mode.tasks, "count")),
            refs=tuple(mode.refs[:4]),
        )


def _of_labels(analysis: "Analysis") -> Iterator[AnchorFact]:
    """Tasks that never or sometimes pass, and why."""
    sure = [label for label in analysis.tasks if label.mode and label.confidence == "high" and label.bucket != "always"]
    titles = _titles(analysis)
    for label in sorted(sure, key=lambda label: label.passed / max(1, label.measured))[:_LABELS]:
        yield _of_label(label, titles[label.mode or ""])


def _titles(analysis: "Analysis") -> dict[str, str]:
    """Of each mode what it is called; one that no run lists has its own key."""
    keys = {label.mode: label.mode for label in analysis.tasks if label.mode}
    return keys | {mode.mode: mode.title for run in analysis.runs for mode in run.modes}


def _of_label(label: "TaskLabel", title: str) -> AnchorFact:
    return _fact(
        f"Task {label.task} of {label.run} passes {label.passed} of {label.measured}; its failures are “{title}” "
        f"({label.cause}).",
        MEDIUM,
        label.passed / label.measured if label.measured else None,
        subject=f"task {label.task}, {label.run}",
        what=title,
        values=(Value(label.passed, "of", label.measured),),
        refs=tuple(label.refs[:4]),
    )


def _fact(
    text: str,
    difficulty: str,
    mean_score: float | None,
    *,
    subject: str,
    what: str,
    direction: str = "",
    values: tuple[Value, ...] = (),
    refs: tuple[str, ...] = (),
) -> AnchorFact:
    said = Said.of(text)
    own = tuple(dict.fromkeys(name.key for name in said.named if name.kind == REFERENCE))
    return AnchorFact(
        id="",
        fact=text,
        difficulty=difficulty,
        mean_score=None if mean_score is None else round(mean_score, 3),
        subject=subject,
        what=what,
        direction=direction,
        values=values,
        entities=tuple(dict.fromkeys(name.id for name in said.named if name.kind != REFERENCE))[:12],
        refs=refs or own,
    )
