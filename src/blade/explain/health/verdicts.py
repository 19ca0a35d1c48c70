"""Verdicts that are at fault: equal answers judged differently, right ones rejected, expectations in doubt."""

from collections.abc import Iterator

import numpy as np

from blade.explain import judgement, suspicion
from blade.explain.health.registry import Subject, check, rollouts, tasks
from blade.explain.records import Finding

_SHOWN = 3


@check("verifier too strict")
def too_strict(subject: Subject) -> Iterator[Finding]:
    """Answers that fail for their writing alone."""
    cases = subject.cases
    shown = np.array(cases.once(judgement.too_strict), dtype=np.int64)
    if not len(shown):
        return
    pairs = judgement.judged(cases).pairs
    told = [
        f"{subject.cases.ref(case)} gave “{_cut(pair.given[case])}” for “{_cut(pair.expected[case])}”"
        for case in shown[:_SHOWN].tolist()
        for pair in pairs
        if pair.known[case] and not pair.exact[case]
    ]
    concerned = np.unique(cases.task[shown])
    yield Finding(
        kind="verifier too strict",
        title=f"{rollouts(len(shown))} of {tasks(len(concerned))} failed for the writing of a right answer",
        why=f"What was given ({pairs[0].given_field}) is what is expected ({pairs[0].expected_field}) but for its"
        f" writing, on which the prompts are silent: {'; '.join(told)}.",
        tasks=subject.task_names(concerned),
        refs=subject.refs(shown),
    )


@check("flaky verdict")
def flaky(subject: Subject) -> Iterator[Finding]:
    """Rollouts that are equal in all that is judged, with different verdicts."""
    cases = subject.cases
    groups = cases.once(judgement.judged_differently)
    alone = cases.mask(np.array(cases.once(judgement.wrongly_failed), dtype=np.int64))
    shown = np.unique(
        np.concatenate([np.flatnonzero(alone), *(each for group in groups for each in (group.failing, group.passing))])
    ).astype(np.int64)
    if not len(shown):
        return
    concerned = np.unique(cases.task[shown])
    told = [
        f"{cases.ref(int(group.passing[0]))} passed and {cases.ref(int(group.failing[0]))} failed"
        + (f" with “{_cut(group.value)}”" if group.value else "")
        for group in groups[:_SHOWN]
    ]
    only = len(set(np.unique(cases.task[alone]).tolist()) - {group.task for group in groups})
    why = f"Equal in all that is judged: {'; '.join(told)}." if told else ""
    if only:
        why += (
            f" On {tasks(only)} more it fails what is exactly as expected, though it accepts that elsewhere, or says of"
            " a failure only what it says of these."
        )
    yield Finding(
        kind="flaky verdict",
        title=f"Equal rollouts of {tasks(len(concerned))} were judged differently",
        why=why.strip(),
        tasks=subject.task_names(concerned),
        refs=subject.refs(shown),
    )


@check("wrong gold")
def wrong_gold(subject: Subject) -> Iterator[Finding]:
    """Expected answers that nobody gives, where all agree on another."""
    cases = subject.cases
    suspects = cases.once(suspicion.suspected)
    if not suspects:
        return
    told = [
        f"task {subject.task_names([each.task])[0]} expects “{_cut(each.expected)}”, and {each.answers} of"
        f" {rollouts(each.answers)} answer “{_cut(each.given)}”"
        for each in suspects[:_SHOWN]
    ]
    models = max(each.models for each in suspects)
    agree = f"up to {models} models agree" if models > 1 else "one model always gives the same answer"
    yield Finding(
        kind="wrong gold",
        title=f"The expected answer of {tasks(len(suspects))} is suspected wrong",
        why=f"Nobody is ever right on them, and {agree}, more often than habit explains: {'; '.join(told)}."
        " A suspicion: a person has to look.",
        tasks=subject.task_names([each.task for each in suspects]),
        refs=subject.refs(np.sort(np.concatenate([each.cases for each in suspects]))),
    )


def _cut(text: str | None, most: int = 80) -> str:
    plain = " ".join((text or "").split())
    return plain if len(plain) <= most else plain[: most - 1] + "…"
