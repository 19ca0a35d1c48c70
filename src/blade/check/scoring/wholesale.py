"""Signs that a whole report was turned: one sentence may read so by chance, most of them may not."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from blade.check.scoring.disorder import nearness
from blade.check.scoring.matching import Match
from blade.check.text.said import Said, turned

_FOUND: Final = 0.5
"""The credit from which a passage is taken to speak of the fact."""

_FEWEST: Final = 4
_DENIED: Final = (0.3, 0.6)
_TURNED: Final = (0.35, 0.6)
_APART: Final = (0.44, 0.55)
"""From where on a share is a sign, and where it leaves no doubt."""


class Wholesale(NamedTuple):
    """How often the passages that speak of the facts deny them, point the other way, or have their words apart."""

    denied: float
    turned: float
    apart: float

    @classmethod
    def of(cls, pairs: Sequence[tuple[Said, Match]]) -> "Wholesale":
        """From facts and the passages that speak of them."""
        found = [(fact, match.window.said) for fact, match in pairs if match.window and match.credit >= _FOUND]
        denials = [float(bool(turned(fact, said))) for fact, said in found]
        signs = [each for fact, said in found for each in _opposite(fact, said)]
        apart = [1 - near for fact, said in found if (near := nearness(fact, said)) is not None]
        return cls(_mean(denials), _mean(signs), _mean(apart))

    def beyond(self, own: "Wholesale") -> dict[str, float]:
        """How clearly they say that a report was turned, 0 to 1, beyond what the golden report shows itself."""
        return {
            "denied": sign(self.denied - own.denied, _DENIED),
            "turned": sign(self.turned - own.turned, _TURNED),
            "out_of_order": sign(self.apart, _APART),
        }


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if len(values) >= _FEWEST else 0.0


def _opposite(fact: Said, said: Said) -> list[float]:
    """Of each axis on which both point one way only whether it is the other way."""
    shared = [(signs, said.signs[axis]) for axis, signs in fact.signs.items() if axis in said.signs]
    return [float(one != other) for one, other in shared if len(one) == len(other) == 1]


def sign(value: float, between: tuple[float, float]) -> float:
    """0 to 1: how clearly a share says something, from where it begins to where it leaves no doubt."""
    low, high = between
    return min(1.0, max(0.0, (value - low) / (high - low)))
