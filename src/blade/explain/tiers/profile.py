"""The benchmark's own taxonomy: the failure modes of its profile, in their order."""

from collections.abc import Iterable

from blade.explain.cases import Cases
from blade.explain.mode import ENDING, Mode, tier
from blade.explain.rules import modes_held, steps_shown


@tier("profile", place=1)
def find(cases: Cases) -> Iterable[Mode]:
    """A rule of the benchmark's profile holds for it; taken unless passes show it as often."""
    for held in cases.once(modes_held):
        rule, shown = held
        if len(shown):
            yield Mode(
                key=f"profile: {rule.name}",
                title=rule.title or rule.name,
                cause=rule.cause,
                owner=rule.owner,
                proof=ENDING,
                cases=shown,
                steps=steps_shown(cases, held),
                rule=f"the profile's rule: {' '.join(rule.when.split())}",
            )
