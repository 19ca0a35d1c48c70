"""What a value looks like: drawn at random, a plain name, or a stand-in for a value."""

import re
from itertools import pairwise
from typing import Final


def words(text: str) -> frozenset[str]:
    """The words of a text, to look others up among."""
    return frozenset(text.split())


_SEPARATORS: Final = re.compile(r"[-_.:/+=~%]+")
_NAME: Final = re.compile(r"[A-Za-z]+|\d+")
_HEX: Final = re.compile(r"[0-9a-f]+|[0-9A-F]+")
_HASH: Final = re.compile(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:[0-9a-f]{2}:){5,64}[0-9a-f]{2}")
_STAND_IN: Final = re.compile(
    r"(?i)[<{\[(]|%\w+%|%[s(]|\$[({]?[a-z_]\w*[)}]?$"
    r"|(?:your|my|the|some|an?|new|old|test|fake|dummy|sample|example|insert|enter|put|change|replace)(?=[-_ ])"
    r"|(?:example|sample|dummy|changeme|placeholder|redacted|hidden|masked|removed|todo|secret|password|token|key|value)\W*$"
    r"|(?:os\.|process\.|env\.|self\.|this\.|config\.|settings\.|getenv|input\()"
    r"|(.)\1*$|[x*.…•-]+$"
)
_TELLING: Final = re.compile(r"(?i)password|passwd|secret|token|credential|(?<![a-z])key|key(?![a-z])")

_WORDS_OF_STATE: Final = words(
    """
    none null nil undefined true false yes no string str text bytes int integer number float bool boolean object
    array list dict any required optional missing invalid incorrect wrong correct valid empty blank unknown
    default hidden expired accepted rejected denied failed ok okay set unset reset changed unchanged enabled
    disabled needed present absent protected encrypted hashed varchar char field input type format pattern
    description title label username user name email login here below above is was not must should cannot can
    has have that this with and or for
    """
)
"""Words that stand where a value might, and are none."""

_FEWEST: Final = 16
_ENOUGH: Final = 80
"""Characters that are looked at: what was drawn at random looks so from its beginning."""

_CHANGES: Final = 0.27
"""Share of neighbours of another class from which on a text is taken to be drawn at random. Letters and digits at
random come to 0.40 and more; names in any style of writing stay below 0.25."""


def is_random(value: str, *, fewest: int = _FEWEST) -> bool:
    """Whether a value looks as if it had been drawn at random from letters and digits."""
    if not fewest <= len(value) or not any(map(str.isalpha, value)):
        return False
    value = value[:_ENOUGH]
    if not _has_digit(value):
        return _is_random_without_digits(value)
    parts = [part for part in _SEPARATORS.split(value) if part]
    pairs = sum(len(part) - 1 for part in parts)
    changes = sum(_differ(one, other) for part in parts for one, other in pairwise(part))
    return pairs >= fewest // 2 and changes / pairs >= _CHANGES


def _is_random_without_digits(value: str) -> bool:
    """Whether about half of the letters are capitals, in no order; in names few are, or all."""
    letters = [one for one in value if one.isalpha()]
    capitals = sum(map(str.isupper, letters)) / len(letters)
    turns = sum(one.islower() and other.isupper() for one, other in pairwise(letters))
    return 0.3 <= capitals <= 0.7 and turns >= len(letters) / 8


def _has_digit(value: str) -> bool:
    return any(map(str.isdigit, value))


def _differ(one: str, other: str) -> bool:
    """Whether neighbours are of different classes; a capital before a small letter begins a word."""
    if one.isdigit() or other.isdigit():
        return one.isdigit() != other.isdigit()
    return (one.islower() and other.isupper()) or not (one.isalpha() and other.isalpha())


def is_hash(value: str) -> bool:
    """Whether a value is a number in hexadecimal digits, such as a hash, a UUID or a fingerprint."""
    return bool(_HEX.fullmatch(value) or _HASH.fullmatch(value))


def is_stand_in(value: str) -> bool:
    """Whether a value stands for one, or is a word that tells of one: `<your key>`, `****`, `null`, `dbPassword`."""
    if _STAND_IN.match(value) or value.strip(".,!?:").lower() in _WORDS_OF_STATE:
        return True
    return bool(_TELLING.search(value)) and is_name(value) and not _has_digit(value)


def is_name(value: str) -> bool:
    """Whether a value is made of words and numbers, as names in programs are."""
    parts = [part for part in _SEPARATORS.split(value) if part]
    return all(_NAME.fullmatch(part) for part in parts)


def is_path(value: str) -> bool:
    """Whether a value is the path of a file."""
    return value.startswith(("/", "./", "../", "~/", "\\")) or value[1:3] in (":\\", ":/")


def has_letters_and_digits(value: str) -> bool:
    """Whether a value mixes letters with digits, or with signs that are rare in words."""
    letters = any(map(str.isalpha, value))
    return letters and (_has_digit(value) or any(sign in "!@#$%^&*+?" for sign in value))
