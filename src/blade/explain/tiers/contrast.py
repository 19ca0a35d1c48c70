"""What failing rollouts do otherwise than passing ones of the same task."""

from collections.abc import Iterable, Iterator

import numpy as np

from blade.explain.cases import Cases
from blade.explain.contrast import Contrasts
from blade.explain.mode import Mode, tier
from blade.explain.patterns import Shown, patterns
from blade.explain.saying import UNLIKE_PASSES, mode_of
from blade.explain.telltales import recognised


@tier("contrast", place=5)
def find(cases: Cases) -> Iterable[Mode]:
    """The rollout leaves what passing rollouts of the same task do, where failures do so and passes hardly ever."""
    return cases.once(unlike_passes)


def unlike_passes(cases: Cases) -> Iterator[Mode]:
    """Divergences from passes that go with failure."""
    shown = [Shown(each.case, each.divergences, each.within) for each in Contrasts.of(cases).found]
    held = np.array([each.case for each in shown], dtype=np.int64)
    for pattern in patterns(cases, shown):
        yield mode_of(recognised(cases, pattern, held), UNLIKE_PASSES)
