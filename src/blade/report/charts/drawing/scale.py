"""Scales: from a number to a place on the sheet, with round ticks."""

import math
from collections.abc import Iterable
from typing import Final, NamedTuple

LARGEST: Final = 1e12
"""Nothing that is measured is larger; a number beyond it is none."""


def known(value: float | None) -> float | None:
    """A number that can be drawn; None for what is missing, not finite or beyond all measure."""
    return None if value is None or not abs(value) <= LARGEST else float(value)


def all_known(values: Iterable[float | None]) -> list[float]:
    """Those of some numbers that can be drawn."""
    return [number for value in values if (number := known(value)) is not None]


class Scale(NamedTuple):
    """Numbers from `low` to `high` become places from `start` to `end`; what lies outside is put on the edge."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.start + min(1.0, max(0.0, share)) * (self.end - self.start)

    def ticks(self, most: int = 6) -> list[float]:
        """Round numbers within the scale, at most so many."""
        step = round_step((self.high - self.low) / max(1, most - 1))
        first = math.ceil(round(self.low / step, 9))
        last = math.floor(round(self.high / step, 9))
        return [round(place * step, 12) for place in range(first, last + 1)]


class LogScale(NamedTuple):
    """As `Scale`, for numbers above 0 that differ by orders of magnitude."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        span = math.log(self.high / self.low)
        share = math.log(max(self.low, min(self.high, value)) / self.low) / span
        return self.start + min(1.0, max(0.0, share)) * (self.end - self.start)

    def ticks(self, most: int = 6) -> list[float]:
        """Powers of ten within the scale, every one or every few."""
        first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
        every = max(1, math.ceil((last - first + 1) / most))
        return [10.0**power for power in range(first, last + 1, every)]


def round_step(least: float) -> float:
    """The smallest of 1, 2, 2.5 or 5 times a power of ten that is at least so large."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * step for step in (1, 2, 2.5, 5, 10) if power * step >= least * (1 - 1e-9))


def linear(
    values: Iterable[float | None], start: float, end: float, *, room: float = 0.06, least: float = 1e-6
) -> Scale:
    """A scale that holds some numbers, with room at both ends; it spans `least` where they are all alike."""
    numbers = all_known(values) or [0.0]
    low, high = min(numbers), max(numbers)
    spare = max((high - low) * room, (least - (high - low)) / 2, max(abs(low), abs(high)) * 1e-6)
    return Scale(low - spare, high + spare, start, end)


def logarithmic(values: Iterable[float | None], start: float, end: float) -> LogScale:
    """A scale by orders of magnitude, from a power of ten to a power of ten."""
    numbers = [number for number in all_known(values) if number > 0] or [1.0]
    low = 10.0 ** math.floor(math.log10(max(min(numbers), 1e-6)))
    high = 10.0 ** math.ceil(math.log10(max(numbers) * 1.05))
    return LogScale(low, max(high, low * 10), start, end)
