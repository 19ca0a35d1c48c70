"""What the model did: behaviour signals that failures show more often than passes of the same task."""

from collections.abc import Iterable

from blade.detect.signal import BEHAVIOUR
from blade.explain import signals
from blade.explain.cases import Cases
from blade.explain.mode import Mode, tier


@tier("behaviour", place=7)
def find(cases: Cases) -> Iterable[Mode]:
    """The model did something that failing rollouts show more often than passing ones of the same task."""
    return signals.modes_of(cases, BEHAVIOUR)
