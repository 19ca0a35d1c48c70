"""Dates and times as people and programs write them, and how far two of them are apart."""

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from typing import Final, NamedTuple

from blade.explain.values.difference import FORM, Difference

LONGEST: Final = 48

_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sep sept", "october oct", "november nov", "december dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
_CLOCK: Final = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.\d{1,9})?)?\s?(?P<half>[ap]\.?m\.?)?"
_ZONE: Final = r"\s?(?P<zone>z|utc|gmt|[+-]\d{2}:?\d{2})?"
_WEEKDAY: Final = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,? )?"
_MONTH: Final = r"(?P<word>[a-z]{3,9})\.?"
_FORMS: Final = tuple(
    re.compile(rf"(?:{day})(?:(?:t|,? | at ){_CLOCK}{_ZONE})?")
    for day in (
        r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})",
        rf"{_WEEKDAY}(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?{_MONTH}(?:,? (?P<year>\d{{4}}))?",
        rf"{_WEEKDAY}{_MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<year>\d{{4}}))?",
    )
)
_SLASHED: Final = re.compile(rf"(\d{{1,2}})([/.-])(\d{{1,2}})\2(\d{{4}})(?:,? {_CLOCK}{_ZONE})?")
_COMPACT: Final = re.compile(r"(?P<year>(?:19|20)\d{2})(?P<month>\d{2})(?P<day>\d{2})")
_TIME: Final = re.compile(rf"{_CLOCK}{_ZONE}")
_HOUR: Final = re.compile(r"(?P<hour>\d{1,2})\s?(?P<half>[ap]\.?m\.?)")

_LEAP: Final = 2000
"""Stands for a year that is not told: it has every day."""

_EPOCHS: Final = ((1e9, 4e9, 1), (1e12, 4e12, 1000))
_DAY, _HOUR_MINUTES = 1440, 60


class Moment(NamedTuple):
    """A date, a time, or both; what is not told is None."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    minute: int | None = None
    """Since midnight."""
    zone: int | None = None
    """Minutes east of Greenwich."""

    @property
    def dated(self) -> bool:
        return self.day is not None


@lru_cache(maxsize=8_000)
def moments(text: str) -> tuple[Moment, ...]:
    """What a text may mean as a date or a time: nothing for most texts, several where day and month may be swapped."""
    text = text.strip().lower()
    if not 3 <= len(text) <= LONGEST or not any(map(str.isdigit, text)):
        return ()
    return tuple(_readings(text))


def _readings(text: str) -> Iterator[Moment]:
    for form in _FORMS:
        if match := form.fullmatch(text):
            found = match.groupdict()
            month = int(found["month"]) if found.get("month") else _MONTHS.get(found.get("word") or "", 0)
            yield from _moment(found["year"], month, int(found["day"]), match)
            return
    if match := _SLASHED.fullmatch(text):
        first, second = int(match[1]), int(match[3])
        for month, day in dict.fromkeys([(first, second), (second, first)]):
            yield from _moment(match[4], month, day, match)
        return
    if match := _COMPACT.fullmatch(text):
        yield from _moment(match["year"], int(match["month"]), int(match["day"]), None)
    elif match := _TIME.fullmatch(text) or _HOUR.fullmatch(text):
        minute = _minute(match)
        if minute is not None:
            yield Moment(minute=minute, zone=_zone(match))


def _moment(year: str | None, month: int, day: int, match: "re.Match[str] | None") -> Iterator[Moment]:
    """The moment, even if the calendar does not have it: somebody may write 29 February of any year."""
    if not 1 <= month <= 12 or not 1 <= day <= 31 or year == "0000":
        return
    clock = match and match.groupdict().get("hour")
    minute = _minute(match) if match and clock else None
    if not clock or minute is not None:
        zone = _zone(match) if match and clock else None
        yield Moment(int(year) if year else None, month, day, minute, zone)


def _minute(match: "re.Match[str]") -> int | None:
    found = match.groupdict()
    hour, minute = int(found["hour"]), int(found.get("minute") or 0)
    if half := found.get("half"):
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half[0] == "p" else 0)
    return hour * _HOUR_MINUTES + minute if hour < 24 and minute < 60 else None


def _zone(match: "re.Match[str]") -> int | None:
    zone = match.groupdict().get("zone")
    if not zone:
        return None
    if zone[0] not in "+-":
        return 0
    digits = zone[1:].replace(":", "")
    return (-1 if zone[0] == "-" else 1) * (int(digits[:2]) * 60 + int(digits[2:]))


def of_epoch(value: float) -> Moment | None:
    """The moment that a number of seconds or milliseconds since 1970 stands for."""
    for low, high, per_second in _EPOCHS:
        if low <= value < high:
            minutes = int(value / per_second) // 60
            day = date.fromordinal(date(1970, 1, 1).toordinal() + minutes // _DAY)
            return Moment(day.year, day.month, day.day, minutes % _DAY, 0)
    return None


def between(first: tuple[Moment, ...], second: tuple[Moment, ...]) -> Difference | None:
    """How the first differs from the second, by the readings that are nearest; None where they are the same moment."""
    found = [(_apart(one, other), _difference(one, other)) for one in first for other in second]
    return min(found, key=lambda item: item[0])[1]


def _apart(first: Moment, second: Moment) -> float:
    if first.dated != second.dated:
        return float("inf")
    days = abs(_ordinal(first, second) - _ordinal(second, first)) if first.dated else 0
    return days * _DAY + abs((first.minute or 0) - (second.minute or 0))


def _ordinal(one: Moment, other: Moment) -> int:
    """The day's number; where a year is not told by both, both count in one year."""
    told = one.year is not None and other.year is not None
    year, month = (one.year if told else _LEAP) or _LEAP, one.month or 1
    return date(year, month, min(one.day or 1, monthrange(year, month)[1])).toordinal()


def _difference(first: Moment, second: Moment) -> Difference | None:
    if first.dated != second.dated:
        return Difference("time", "another kind of time")
    if first.dated and second.dated and _instants_agree(first, second):
        return None
    days = _ordinal(first, second) - _ordinal(second, first) if first.dated else 0
    if days:
        return Difference("date", _days_off(first, second, days))
    return _of_day(first, second)


def _instants_agree(first: Moment, second: Moment) -> bool:
    """Whether two full moments are one instant, told in two time zones."""
    if None in (first.zone, second.zone, first.minute, second.minute) or first.year is None or second.year is None:
        return False
    instants = [
        _ordinal(one, other) * _DAY + (one.minute or 0) - (one.zone or 0)
        for one, other in ((first, second), (second, first))
    ]
    return instants[0] == instants[1]


def _days_off(first: Moment, second: Moment, days: int) -> str:
    years = (first.year - second.year) if first.year is not None and second.year is not None else 0
    same_day = first.day == second.day
    if years and same_day and first.month == second.month:
        return _span(years, "year")
    if not years and (first.month, first.day) == (second.day, second.month):
        return "month and day swapped"
    months = 12 * years + (first.month or 0) - (second.month or 0)
    if same_day and months:
        return _span(months, "month")
    if days % 7 == 0 and abs(days) == 7:
        return _span(days // 7, "week")
    if abs(days) <= 31:
        return _span(days, "day")
    return f"more than a month {_side(days)}"


def _span(count: int, unit: str) -> str:
    """A distance, exact for one unit: what differs by others from case to case is one kind."""
    return f"{'one ' + unit if abs(count) == 1 else f'some {unit}s'} {_side(count)}"


def _side(count: int) -> str:
    return "before" if count < 0 else "after"


def _of_day(first: Moment, second: Moment) -> Difference | None:
    """How two moments of one day differ."""
    if first.minute is None or second.minute is None:
        told = second.minute if first.minute is None else first.minute
        if not told:
            return None
        return Difference("time", f"time of day {'left out' if first.minute is None else 'added'}")
    shift = first.minute - second.minute
    if first.zone is not None and second.zone is not None:
        if shift - (first.zone - second.zone) == 0:
            return None
        if not shift:
            return Difference("time", "another time zone")
    if not shift:
        return None
    return Difference("time", _minutes_off(shift))


def _minutes_off(shift: int) -> str:
    if abs(shift) == 12 * _HOUR_MINUTES:
        return f"twelve hours {_side(shift)}"
    if shift % _HOUR_MINUTES == 0:
        return _span(shift // _HOUR_MINUTES, "hour")
    if abs(shift) < _HOUR_MINUTES:
        return f"some minutes {_side(shift)}"
    return f"another time of day, {'earlier' if shift < 0 else 'later'}"


def in_another_form() -> Difference:
    """Of two moments that are the same and are not written alike."""
    return Difference(FORM, "another way to write the date or time")
