"""A number with its interval, as charts take it."""

from dataclasses import dataclass
from typing import Protocol

from blade import numbers
from blade.report.charts.drawing.scale import all_known, known


class Estimated(Protocol):
    """Anything with a value and two ends."""

    @property
    def value(self) -> float | None: ...

    @property
    def low(self) -> float | None: ...

    @property
    def high(self) -> float | None: ...


@dataclass(frozen=True)
class Estimate:
    """A number with the ends of its interval; None for what is not known."""

    value: float | None
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, found: Estimated) -> "Estimate":
        """The same of a record that has a value and two ends."""
        return cls(found.value, found.low, found.high)

    @property
    def drawn(self) -> "Estimate":
        """The same without numbers that cannot be drawn, and with ends that stand the right way round."""
        low, high = known(self.low), known(self.high)
        swapped = low is not None and high is not None and low > high
        return Estimate(known(self.value), high if swapped else low, low if swapped else high)

    @property
    def ends(self) -> tuple[float, float] | None:
        """Both ends, where both are known."""
        low, high = known(self.low), known(self.high)
        return None if low is None or high is None else (min(low, high), max(low, high))

    @property
    def numbers(self) -> list[float]:
        """The numbers in it that are known."""
        return all_known((self.value, self.low, self.high))


def as_share(found: Estimate) -> str:
    """A share with its interval, in percent."""
    ends = numbers.share_range(*(found.ends or (None, None)))
    return f"{numbers.percent(known(found.value))}{ends and f' {ends}'}"


def as_points(found: Estimate) -> str:
    """A difference in points with its interval."""
    ends = numbers.point_range(*(found.ends or (None, None)))
    return f"{numbers.points(known(found.value))}{ends and f' {ends}'}"


def as_amount(found: Estimate) -> str:
    """A quantity with its interval."""
    ends = numbers.amount_range(*(found.ends or (None, None)))
    return f"{numbers.amount(known(found.value))}{ends and f' {ends}'}"
