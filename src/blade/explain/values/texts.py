"""Texts, ids and addresses: equal but for their form, or naming another thing."""

import re
import unicodedata
from functools import lru_cache
from typing import Final

from blade.explain.values.amounts import CURRENCIES, unit_of
from blade.explain.values.difference import FORM, Difference

LONGEST: Final = 20_000
"""Characters of a text that are compared."""

_FEW_WORDS: Final = 3
_MANY_WORDS: Final = 4
_LONG_NUMBER: Final = 8

_EMAIL: Final = re.compile(r"[^\s@<>,;]{1,64}@[^\s@<>,;]{1,190}")
_LINK: Final = re.compile(r"[a-z][a-z+.-]{1,15}://\S{1,2000}", re.IGNORECASE)
_PATH: Final = re.compile(r"(?:[~.]{0,2}|[\w.@-]{1,255})(?:/[\w.@+-]{1,255}){1,60}/?")
_ID: Final = re.compile(r"#?[A-Za-z0-9][\w.:#-]{0,79}")
_PARTS_OF_ID: Final = re.compile(r"[A-Za-z0-9]{1,80}")
_NUMBERED: Final = re.compile(r"([a-z]{3,40})\d{1,40}")
"""A word with a number: the word says what sort of thing is numbered."""

_OUTER: Final = " \t\r\n.,;:!?'\"`“”‘’«»()[]{}*_"
_MARKS: Final = str.maketrans(dict.fromkeys("‐‑‒–—−", "-") | dict.fromkeys("‘’`´", "'") | dict.fromkeys("“”«»", '"'))
_WRAPPED: Final = re.compile(r"\\(?:boxed|text|mathrm|mathbf|textbf|operatorname)\{([^{}]{0,400})\}")
_FRACTION: Final = re.compile(r"\\[dt]?frac\{([^{}]{1,100})\}\{([^{}]{1,100})\}")
_BARE: Final = re.compile(r"\\(?:left|right|displaystyle|,|;|!|:|quad|\(|\)|\[|\])|\$")


@lru_cache(maxsize=20_000)
def normal(text: str) -> str:
    """A text without what is form alone: case, white space, outer punctuation, kinds of dashes, marks of LaTeX."""
    text = unicodedata.normalize("NFKC", text[:LONGEST]).translate(_MARKS)
    if "\\" in text or "$" in text:
        text = _WRAPPED.sub(r"\1", _FRACTION.sub(r"\1/\2", _BARE.sub("", text)))
    return " ".join(text.casefold().strip(_OUTER).split())


def between(first: str, second: str) -> Difference:
    """How one text differs from another that is not equal to it, letter by letter."""
    one, other = normal(first), normal(second)
    if one == other:
        return Difference(FORM, _form(first, second))
    if not one or not other:
        return Difference("missing", "left out") if not one else Difference("added", "added")
    return _entity(first.strip(), second.strip()) or _words(one, other)


def _form(first: str, second: str) -> str:
    if first.strip() == second.strip() or first.split() == second.split():
        return "other white space"
    if first.casefold() == second.casefold():
        return "other case"
    return "other punctuation"


def is_free(value: str) -> bool:
    """Whether a text is prose, which nobody writes twice in the same way."""
    return len(value.split()) >= _MANY_WORDS


def _entity(first: str, second: str) -> Difference | None:
    """Two names of things of one sort."""
    if _EMAIL.fullmatch(first) and _EMAIL.fullmatch(second):
        same_name = first.split("@")[0].casefold() == second.split("@")[0].casefold()
        return Difference("entity", "the same name at another domain" if same_name else "another address")
    if _LINK.fullmatch(first) and _LINK.fullmatch(second):
        return Difference("entity", "another link")
    if _PATH.fullmatch(first) and _PATH.fullmatch(second):
        same_file = first.rstrip("/").rsplit("/", 1)[-1] == second.rstrip("/").rsplit("/", 1)[-1]
        return Difference("entity", "the same file in another directory" if same_file else "another path")
    if _is_id(first) and _is_id(second):
        codes = len(first) == len(second) and first.isalnum() and second.isalnum()
        alike = codes or _PARTS_OF_ID.sub(_sort, first.lower()) == _PARTS_OF_ID.sub(_sort, second.lower())
        return Difference("entity", "another id" if alike else "an id of another form")
    return None


def _sort(part: re.Match[str]) -> str:
    """What a part of an id has in common with those of other things of its sort: words, but no numbers or codes."""
    text = part.group()
    if numbered := _NUMBERED.fullmatch(text):
        return f"{numbered.group(1)}0"
    return "0" if any(map(str.isdigit, text)) else text


def is_number_of_a_thing(text: str) -> bool:
    """Whether digits name something rather than count it: as an account or a product is numbered."""
    return text.isdecimal() and (len(text) >= _LONG_NUMBER or (len(text) > 1 and text[0] == "0"))


def _is_id(text: str) -> bool:
    return bool(_ID.fullmatch(text)) and any(map(str.isdigit, text))


def _words(first: str, second: str) -> Difference:
    """How two normal texts differ."""
    if first in CURRENCIES and second in CURRENCIES:
        return Difference("unit", "another currency")
    if unit_of(first) and unit_of(second):
        return Difference("unit", "another unit")
    if _within(first, second):
        return Difference("text", "shortened")
    if _within(second, first):
        return Difference("text", "with more text")
    one, other = first.split(), second.split()
    if max(len(one), len(other)) == 1:
        return Difference("choice", "another choice")
    if max(len(one), len(other)) <= _FEW_WORDS:
        return Difference("text", "partly other words" if set(one) & set(other) else "another name")
    shared = len(set(one) & set(other)) / len(set(one) | set(other))
    return Difference("text", "partly other words" if shared >= 0.5 else "another text")


def _within(part: str, whole: str) -> bool:
    """Whether a text stands in a longer one, word for word."""
    return f" {part} " in f" {whole} "
