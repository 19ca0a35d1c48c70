"""The benchmark's own taxonomy: the failure modes of its profile, in their order."""

from collections.abc import Iterable

import numpy as np

from blade.explain.cases import Cases
from blade.explain.mode import ENDING, Mode, tier
from blade.explain.rules import modes_held


@tier("profile", place=1)
def find(cases: Cases) -> Iterable[Mode]:
    """A rule of the benchmark's profile holds for it; taken unless passes show it as often."""
    for rule, shown in cases.once(modes_held):
        if len(shown):
            yield Mode(
                key=f"profile: {rule.name}",
                title=rule.title or rule.name,
                cause=rule.cause,
                owner=rule.owner,
                proof=ENDING,
                cases=shown,
                steps=np.full(len(shown), -1),
                rule=f"the profile's rule: {' '.join(rule.when.split())}",
            )
