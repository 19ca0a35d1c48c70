"""The difference that a scoreboard shows, split into what the common tasks say and what they do not."""

import numpy as np

from blade.measure.comparison import Headline, HeadlineTerm
from blade.measure.pairing import Pairing
from blade.measure.panel import Panel, share
from blade.measure.rates import mean


def headline(baseline: Panel, candidate: Panel, pairing: Pairing, common: tuple[Panel, Panel]) -> Headline | None:
    """What a scoreboard shows, step by step down to the common tasks and their measured rollouts.

    Each step leaves something out on both sides; what the difference loses by it is that step's term, so that
    the terms sum to the whole.
    """
    steps = [_scoreboard(baseline, candidate)]
    changed = set(pairing.changed)
    kept_a = sorted([*pairing.baseline, *(place for place, task in enumerate(baseline.tasks) if task in changed)])
    kept_b = sorted([*pairing.candidate, *(place for place, task in enumerate(candidate.tasks) if task in changed)])
    steps.append(_scoreboard(baseline.only(kept_a), candidate.only(kept_b)))
    steps.append(_scoreboard(baseline.only(pairing.baseline), candidate.only(pairing.candidate)))
    steps.append((mean(common[0].shares), mean(common[1].shares)))
    if any(value is None for step in steps for value in step):
        return None
    deltas = [100 * ((b or 0.0) - (a or 0.0)) for a, b in steps]
    names = ("tasks in one run", "changed prompts", "not measured")
    terms = [HeadlineTerm(what="common-task delta", points=deltas[-1])]
    terms += [
        HeadlineTerm(what=name, points=before - after)
        for name, before, after in zip(names, deltas, deltas[1:], strict=False)
        if before != after
    ]
    return Headline(
        value=deltas[0], baseline=100 * (steps[0][0] or 0.0), candidate=100 * (steps[0][1] or 0.0), terms=terms
    )


def _scoreboard(*panels: Panel) -> tuple[float | None, ...]:
    """pass@1 over the rows of the main file: absent rows ignored, rows that are not measured as failures."""
    found = []
    for panel in panels:
        in_main = panel.place[:, 0] >= 0
        in_main[[place for place, verdict in panel.verdicts.items() if verdict.why == "failed attempt"]] = False
        rows = np.bincount(panel.task[in_main], minlength=len(panel.tasks))
        shares = share(panel.passed, rows)[rows > 0]
        found.append(mean(shares))
    return tuple(found)
