"""One answer in two forms: what two texts have in common where only their writing differs.

A form is a text without what writers choose freely: case, white space, outer punctuation, thousands separators, the
order of a date's parts where its month is a word. Nothing that changes a value is dropped: signs, decimal points, units
and what stands between the parts of a name or a path stay.
"""

import json
import re
import unicodedata
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, Final

LONGEST: Final = 400
"""Characters up to which an answer is put into its form; longer texts are compared as they are."""

_NUMBER: Final = re.compile(r"[+-]?(?:\d{1,3}(?:[,'\u2009\u202f _]\d{3})+|\d{1,30})(?:\.\d{1,30})?")
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH: Final = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DAY_FIRST: Final = re.compile(rf"(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH},? (\d{{4}})")
_MONTH_FIRST: Final = re.compile(rf"{_MONTH} (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})")
_YEAR_FIRST: Final = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_LATEX: Final = re.compile(r"\\(?:boxed|fbox|text|textbf|mathrm|mathbf)\{([^{}]{0,400})\}")
_OUTER: Final = " \t\n\r.,;:!?\"'`“”‘’„*_"
_AROUND_SIGNS: Final = re.compile(r"(?<=[^\w\s])\s+|\s+(?=[^\w\s])")
_SPACE: Final = re.compile(r"\s+")
_BESIDE: Final = re.compile(r"^(?:the|an?|[$€£¥])\s?|\s?(?:%|[$€£¥])$")


@lru_cache(maxsize=200_000)
def form(text: str) -> str:
    """The form of an answer: equal for texts that differ in their writing alone."""
    if len(text) > LONGEST:
        return text.strip()
    plain = _without_latex(unicodedata.normalize("NFKC", text).replace("−", "-").strip().casefold())
    if plain[:1] in "[{" and (listed := _listed(plain)) is not None:
        return listed
    plain = _SPACE.sub(" ", plain.strip(_OUTER))
    return _number(plain) or _date(plain) or _AROUND_SIGNS.sub("", plain)


def alike(given: str, expected: str) -> bool:
    """Whether two answers are one; either may also name a currency or an article that the other leaves out."""
    one, other = form(given), form(expected)
    if not one or not other:
        return False
    return one == other or _bare(one) == other or one == _bare(other)


def kind_of(text: str) -> str:
    """`number` or `date`; empty for any other text."""
    plain = _SPACE.sub(" ", text.strip().casefold().strip(_OUTER))
    return "number" if _number(_BESIDE.sub("", plain)) else "date" if _date(plain) else ""


def _bare(text: str) -> str:
    """A form without an article, a sign of a currency or of percent beside it."""
    bare = _BESIDE.sub("", text)
    return _number(bare) or bare


def _without_latex(text: str) -> str:
    for _ in range(3):
        text, changed = _LATEX.subn(r"\1", text)
        if not changed:
            break
    return text[1:-1].strip("$") if len(text) > 2 and text[0] == text[-1] == "$" else text


def _number(text: str) -> str:
    """A number without separators and needless zeros; empty for what is none. A leading plus is no part of a number."""
    if not _NUMBER.fullmatch(text) or text.startswith("+"):
        return ""
    try:
        value = Decimal(re.sub(r"[,'\s_\u2009\u202f]", "", text)).normalize()
    except InvalidOperation:
        return ""
    return f"{value:f}" if value else "0"


def _date(text: str) -> str:
    """A date as year, month and day, where nothing about it is in doubt."""
    if match := _YEAR_FIRST.fullmatch(text):
        year, month, day = (int(part) for part in match.groups())
    elif match := _DAY_FIRST.fullmatch(text):
        year, month, day = int(match[3]), _MONTHS.index(match[2]) + 1, int(match[1])
    elif match := _MONTH_FIRST.fullmatch(text):
        year, month, day = int(match[3]), _MONTHS.index(match[1]) + 1, int(match[2])
    else:
        return ""
    return f"{year:04}-{month:02}-{day:02}" if 1 <= month <= 12 and 1 <= day <= 31 else ""


def _listed(text: str) -> str | None:
    """The JSON of a list or an object with each text in its form; None for what is no JSON."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return json.dumps(_forms_in(value, 4), sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _forms_in(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return form(value) if len(value) <= LONGEST else value
    if not depth:
        return value
    if isinstance(value, list):
        return [_forms_in(each, depth - 1) for each in value]
    if isinstance(value, dict):
        return {key: _forms_in(each, depth - 1) for key, each in value.items()}
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
