"""Numbers with what stands beside them, and how one is off from another: by a factor, a unit, a sign, a rounding."""

import math
import re
from functools import lru_cache
from typing import Final, NamedTuple

from blade.explain.values.difference import FORM, Difference

LONGEST: Final = 40

_AMOUNT: Final = re.compile(
    r"(?P<before>[^\W\d_]{0,5}[$€£¥₹₩]{0,1}|[~≈#$€£¥₹₩])\s?(?P<sign>[+\-−–]?)\s?"
    r"(?P<digits>\d[\d,.'’_\u00a0\u202f]{0,30}(?:e[+-]?\d{1,3})?)\s?(?P<after>[^\W\d_]{0,12}(?:[/^²³%°][^\W\d_]{0,6})?|[%°€$£¥₹₩])",
    re.IGNORECASE,
)
_PADDED: Final = re.compile(r"0\d")
"""Digits that are no number: nobody writes one with a nought in front."""

_THOUSANDS: Final = re.compile(r"\d{1,3}(?:([,.'’_\u00a0\u202f])\d{3})(?:\1\d{3}){0,8}(?:[.,]\d{1,10})?")

_CODES: Final = """
eur usd gbp jpy chf cad aud nzd cny inr sek nok dkk pln czk huf brl mxn zar sgd hkd krw try ils thb rub
"""
CURRENCIES: Final = frozenset(_CODES.split())
_SIGNS: Final = {"$": "usd", "€": "eur", "£": "gbp", "¥": "jpy", "₹": "inr", "₩": "krw"}
_UNITS: Final = {
    name: unit
    for unit, names in {
        "s": "s sec secs second seconds",
        "min": "min mins minute minutes",
        "h": "h hr hrs hour hours",
        "d": "day days",
        "week": "week weeks",
        "month": "month months",
        "year": "year years yr yrs",
        "ms": "ms millisecond milliseconds",
        "g": "g gram grams gramme grammes",
        "kg": "kg kgs kilo kilos kilogram kilograms",
        "lb": "lb lbs pound pounds",
        "oz": "oz ounce ounces",
        "mm": "mm millimeter millimeters millimetre millimetres",
        "cm": "cm centimeter centimeters centimetre centimetres",
        "m": "m meter meters metre metres",
        "km": "km kilometer kilometers kilometre kilometres",
        "mi": "mi mile miles",
        "ft": "ft foot feet",
        "in": "in inch inches",
        "ml": "ml milliliter milliliters millilitre millilitres",
        "l": "l liter liters litre litres",
        "%": "% percent pct",
        "°c": "°c c celsius",
        "°f": "°f f fahrenheit",
        "b": "bytes byte",
        "kb": "kb kib",
        "mb": "mb mib",
        "gb": "gb gib",
        "ct": "cent cents ct cts",
    }.items()
    for name in names.split()
}
_FACTORS: Final = {
    2: "2 times", 7: "7 times", 10: "10 times", 12: "12 times", 24: "24 times", 60: "60 times", 100: "100 times",
    1000: "1,000 times", 1024: "1,024 times", 3600: "3,600 times", 86400: "86,400 times", 1e6: "a million times",
    1e9: "a billion times", 1.609344: "1.6 times (miles and kilometres)", 2.20462: "2.2 times (pounds and kilograms)",
    2.54: "2.54 times (inches and centimetres)", 3.28084: "3.28 times (feet and metres)",
}  # fmt: skip
_NO_UNIT: Final = frozenset({2})
"""Factors that no unit makes."""

_EXACT: Final = 1e-9
_NEAR: Final = 2e-3
_MOST_DECIMALS: Final = 6


class Amount(NamedTuple):
    """A number and the unit beside it, empty for none."""

    value: float
    unit: str = ""


@lru_cache(maxsize=8_000)
def amount(text: str) -> Amount | None:
    """What a text says as a number, with a unit or a currency before or behind it."""
    text = text.strip()
    if not 0 < len(text) <= LONGEST or not any(map(str.isdigit, text)):
        return None
    match = _AMOUNT.fullmatch(text)
    if not match or _PADDED.match(match["digits"]):
        return None
    units = [unit_of(match["before"].strip("~≈#")), unit_of(match["after"])]
    value = _number(match["digits"])
    if value is None or None in units or all(units) or not math.isfinite(value):
        return None
    return Amount(-value if match["sign"] in ("-", "−", "–") else value, units[0] or units[1] or "")


def unit_of(text: str) -> str | None:
    """The unit that a word stands for, empty for no word; None for a word that is no unit."""
    word = text.strip().lower().rstrip(".")
    if not word:
        return ""
    if word in CURRENCIES:
        return word
    return _SIGNS.get(word) or _UNITS.get(word)


def _number(digits: str) -> float | None:
    """The value of digits with separators: groups of three, or one mark before the decimals."""
    if _THOUSANDS.fullmatch(digits):
        mark = next(character for character in digits if not character.isdigit())
        digits = digits.replace(mark, "").replace(",", ".")
    elif digits.count(",") == 1 and "." not in digits:
        digits = digits.replace(",", ".")
    try:
        return float(digits)
    except ValueError:
        return None


def between(first: Amount, second: Amount) -> Difference | None:
    """How the first differs from the second; None where they are the same amount."""
    if first.unit != second.unit and first.unit and second.unit:
        if _equal(first.value, second.value):
            return Difference("unit", _other_unit(first.unit, second.unit))
        if _converts(first, second):
            return Difference(FORM, "the same amount in another unit")
        return Difference("unit", f"{_other_unit(first.unit, second.unit)} and another number")
    if "%" in (first.unit, second.unit) and first.unit != second.unit and _equal(_as_share(first), _as_share(second)):
        return Difference(FORM, "the same amount in another unit")
    return _numbers(first.value, second.value)


def _as_share(one: Amount) -> float:
    return one.value / 100 if one.unit == "%" else one.value


def _other_unit(first: str, second: str) -> str:
    return "another currency" if first in CURRENCIES and second in CURRENCIES else "another unit"


_BASE: Final = {
    "s": ("s", 1.0), "min": ("s", 60.0), "h": ("s", 3600.0), "d": ("s", 86400.0), "week": ("s", 604800.0),
    "ms": ("s", 0.001), "g": ("g", 1.0), "kg": ("g", 1000.0), "mm": ("m", 0.001), "cm": ("m", 0.01), "m": ("m", 1.0),
    "km": ("m", 1000.0), "ml": ("l", 0.001), "l": ("l", 1.0),
}  # fmt: skip


def _converts(first: Amount, second: Amount) -> bool:
    one, other = _BASE.get(first.unit), _BASE.get(second.unit)
    if one is None or other is None or one[0] != other[0]:
        return False
    return math.isclose(first.value * one[1], second.value * other[1], rel_tol=_EXACT)


def _equal(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=_EXACT, abs_tol=1e-12)


def _numbers(first: float, second: float) -> Difference | None:
    if _equal(first, second):
        return None
    if _equal(first, -second):
        return Difference("number", "opposite sign")
    if factor := _factor(first, second):
        return factor
    if _is_rounded(first, second):
        return Difference("number", "rounded")
    if _is_rounded(second, first):
        return Difference("number", "less rounded")
    if _equal(abs(first - second), 1):
        return Difference("number", "one more" if first > second else "one less")
    return Difference("number", "larger" if first > second else "smaller")


def _factor(first: float, second: float) -> Difference | None:
    """A difference by a factor that units make; exact for round factors, near for measured ones."""
    if not first or not second or (first < 0) != (second < 0):
        return None
    large, small = max(abs(first), abs(second)), min(abs(first), abs(second))
    ratio = large / small
    for factor, words in _FACTORS.items():
        if abs(ratio / factor - 1) <= (_NEAR if factor >= 100 or factor % 1 else _EXACT):
            side = "as large" if abs(first) > abs(second) else "as small"
            return Difference("number" if factor in _NO_UNIT else "scale", f"{words} {side}")
    return None


def _is_rounded(first: float, second: float) -> bool:
    """Whether the first is the second with fewer digits behind the point, rounded or cut off."""
    if abs(first - second) >= 1 or abs(first) > 1e12:
        return False
    for digits in range(_MOST_DECIMALS):
        if _equal(first, round(first, digits)):
            cut = math.trunc(second * 10**digits) / 10**digits
            return not _equal(second, round(second, digits)) and (
                _equal(first, round(second, digits)) or _equal(first, cut)
            )
    return False
