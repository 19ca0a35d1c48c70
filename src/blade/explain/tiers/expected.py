"""What rollouts do and answer, held against what the benchmark expects."""

from collections.abc import Iterable, Iterator

import numpy as np

from blade.explain import slips
from blade.explain.cases import Cases
from blade.explain.expected import Expectations
from blade.explain.mode import Mode, tier
from blade.explain.patterns import patterns
from blade.explain.saying import NOT_AS_EXPECTED, mode_of
from blade.explain.tiers import contrast


@tier("expected", place=4)
def find(cases: Cases) -> Iterable[Mode]:
    """The rollout does not do what the rows say is expected, or answers the expected but for a slip."""
    unexpected = cases.once(calls_not_as_expected)
    yield from unexpected
    amiss = np.zeros(len(cases), dtype=bool)
    for mode in (*unexpected, *cases.once(contrast.unlike_passes)):
        amiss[mode.cases] = True
    yield from slips.modes(cases, amiss)


def calls_not_as_expected(cases: Cases) -> Iterator[Mode]:
    """Calls that are not those which the benchmark expects."""
    expectations = Expectations.of(cases)
    if expectations:
        for pattern in patterns(cases, list(expectations.shown()), binding=True):
            yield mode_of(pattern, NOT_AS_EXPECTED)
