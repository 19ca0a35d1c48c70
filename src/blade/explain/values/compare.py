"""Two values held against each other, whatever their types: where and how they differ."""

import math
from collections.abc import Iterator
from typing import Any, Final

from blade import content
from blade.explain.values import amounts, moments, texts
from blade.explain.values.difference import FORM, Difference, is_form_only

MOST_DIFFERENCES: Final = 20
DEEPEST: Final = 6
_MOST_MEMBERS: Final = 40
"""Members of lists that are held against each other one by one; longer lists are compared as a whole."""


def compare(first: Any, second: Any) -> list[Difference]:
    """How the first value differs from the second; nothing where they are equal.

    Values are those of JSON. The result depends on the two values alone, is bounded, and the words are the same for the
    same difference, so that they can be counted.
    """
    found: list[Difference] = []
    for difference in _differences(first, second, DEEPEST):
        found.append(difference)
        if len(found) == MOST_DIFFERENCES:
            break
    return found


def agree(first: Any, second: Any) -> bool:
    """Whether two values are the same but for their form."""
    return is_form_only(compare(first, second))


def _differences(first: Any, second: Any, depth: int) -> Iterator[Difference]:
    if _same(first, second):
        return
    if isinstance(first, dict) and isinstance(second, dict):
        yield from _of_objects(first, second, depth)
    elif isinstance(first, list) and isinstance(second, list):
        yield from _of_lists(first, second, depth)
    elif isinstance(first, list) or isinstance(second, list):
        yield from _of_list_and_other(first, second, depth)
    elif isinstance(first, dict) or isinstance(second, dict):
        yield from _of_object_and_other(first, second, depth)
    else:
        yield from _of_scalars(first, second)


def _same(first: Any, second: Any) -> bool:
    """Whether JSON has them as one value; 1 and true are two."""
    if type(first) is not type(second) and (isinstance(first, bool) or isinstance(second, bool)):
        return False
    if isinstance(first, dict | list) and isinstance(second, dict | list):
        return _text(first) == _text(second)
    return bool(first == second)


def _text(value: Any) -> str:
    try:
        return content.canonical(value)
    except (ValueError, TypeError):
        return repr(type(value))


def _of_scalars(first: Any, second: Any) -> Iterator[Difference]:
    if first is None or second is None:
        yield Difference("missing", "left out") if first is None else Difference("added", "added")
    elif isinstance(first, bool) or isinstance(second, bool):
        yield from _of_booleans(first, second)
    elif isinstance(first, int | float) and isinstance(second, int | float):
        yield from _of_numbers(first, second)
    elif isinstance(first, str) and isinstance(second, str):
        yield _of_texts(first, second)
    else:
        yield _of_text_and_number(first, second)


def _of_booleans(first: Any, second: Any) -> Iterator[Difference]:
    one, other = (texts.normal(str(value)) for value in (first, second))
    if one == other:
        yield Difference(FORM, "as text" if isinstance(first, str) else "not as text")
    elif {one, other} == {"true", "false"}:
        yield Difference("choice", f"{one} instead of {other}")
    else:
        yield Difference("type", "a value of another type")


def _of_numbers(first: float, second: float) -> Iterator[Difference]:
    one, other = moments.of_epoch(first), moments.of_epoch(second)
    if one and other and one.minute == other.minute and (difference := moments.between((one,), (other,))):
        yield difference
        return
    try:
        numbers = float(first), float(second)
    except OverflowError:
        yield Difference("number", "larger" if first > second else "smaller")
        return
    if not all(map(math.isfinite, numbers)):
        yield Difference("number", "no finite number")
    elif difference := amounts.between(amounts.Amount(numbers[0]), amounts.Amount(numbers[1])):
        yield difference


def _of_texts(first: str, second: str) -> Difference:
    one, other = moments.moments(first), moments.moments(second)
    if one and other:
        return moments.between(one, other) or _form_of_same(first, second, moments.in_another_form())
    amount, expected = amounts.amount(first), amounts.amount(second)
    if amount and expected and not (texts.is_number_of_a_thing(first) and texts.is_number_of_a_thing(second)):
        return amounts.between(amount, expected) or _form_of_same(
            first, second, Difference(FORM, "another way to write the number")
        )
    return texts.between(first, second)


def _form_of_same(first: str, second: str, otherwise: Difference) -> Difference:
    found = texts.between(first, second)
    return found if found.kind == FORM else otherwise


def _of_text_and_number(first: Any, second: Any) -> Difference:
    """A number beside a text that may hold one."""
    text, number = (first, second) if isinstance(first, str) else (second, first)
    if not isinstance(text, str) or not isinstance(number, int | float):
        return Difference("type", "a value of another type")
    amount = amounts.amount(text)
    try:
        value = float(number)
    except OverflowError:
        return Difference("type", "a value of another type")
    if amount is None or not math.isfinite(value):
        return Difference("type", "a value of another type")
    found = amounts.Amount(value, amount.unit)
    pair = (amount, found) if text is first else (found, amount)
    return amounts.between(*pair) or Difference(FORM, "as text" if text is first else "not as text")


def _of_objects(first: dict[str, Any], second: dict[str, Any], depth: int) -> Iterator[Difference]:
    if not depth:
        yield Difference("text", "another value inside")
        return
    here = {key for key, value in first.items() if value is not None}
    there = {key for key, value in second.items() if value is not None}
    swapped = _swapped(first, second, sorted(here & there))
    for key in sorted(here & there):
        if key in swapped:
            yield Difference("renamed", "swapped with another", key)
            continue
        for difference in _differences(first[key], second[key], depth - 1):
            yield difference.at(key)
    renamed = dict(_renamed(first, second, sorted(here - there), sorted(there - here)))
    for key in sorted(there - here):
        words = ("renamed", "under another key") if key in renamed else ("missing", "left out")
        yield Difference(*words, path=key)
    for key in sorted(here - there - set(renamed.values())):
        yield Difference("added", "added", key)


def _swapped(first: dict[str, Any], second: dict[str, Any], keys: list[str]) -> set[str]:
    """Keys whose values stand under each other."""
    other = [key for key in keys[:_MOST_MEMBERS] if not _same(first[key], second[key])]
    return {
        key
        for place, one in enumerate(other)
        for two in other[place + 1 :]
        if _same(first[one], second[two]) and _same(first[two], second[one])
        for key in (one, two)
    }


def _renamed(
    first: dict[str, Any], second: dict[str, Any], own: list[str], lacking: list[str]
) -> Iterator[tuple[str, str]]:
    """Keys that are lacking, with the key under which their value stands instead."""
    left = own[:_MOST_MEMBERS]
    for key in lacking[:_MOST_MEMBERS]:
        under = next((each for each in left if _same(first[each], second[key])), None)
        if under is not None:
            left.remove(under)
            yield key, under


def _of_lists(first: list[Any], second: list[Any], depth: int) -> Iterator[Difference]:
    if not depth or max(len(first), len(second)) > _MOST_MEMBERS:
        yield Difference("members", "other members")
        return
    extra, lacking = _unmatched(first, second)
    if not extra and not lacking:
        yield Difference("order", "in another order")
        return
    pairs = min(len(extra), len(lacking))
    if pairs == len(lacking) == len(extra):
        seen = set()
        for one, other in _paired(extra, lacking):
            for difference in _differences(one, other, depth - 1):
                if (at := difference.at("[]")) not in seen:
                    seen.add(at)
                    yield at
        return
    words = {(True, False): "adds members", (False, True): "leaves members out"}
    yield Difference("members", words.get((bool(extra), bool(lacking)), "other members"))


def _unmatched(first: list[Any], second: list[Any]) -> tuple[list[Any], list[Any]]:
    """Members of each list that the other has no equal of."""
    lacking = [(_text(value), value) for value in second]
    extra = []
    for value in first:
        text = _text(value)
        place = next((number for number, (other, _) in enumerate(lacking) if other == text), None)
        if place is None:
            extra.append(value)
        else:
            del lacking[place]
    return extra, [value for _, value in lacking]


def _paired(first: list[Any], second: list[Any]) -> Iterator[tuple[Any, Any]]:
    """Members of two lists of one length, those first that are most alike."""
    left = list(second)
    for value in first:
        other = max(left, key=lambda candidate: _likeness(value, candidate))
        left.remove(other)
        yield value, other


def _likeness(first: Any, second: Any) -> float:
    if isinstance(first, dict) and isinstance(second, dict):
        keys = first.keys() & second.keys()
        return sum(_same(first[key], second[key]) for key in keys) + len(keys) / 100
    return float(type(first) is type(second))


def _of_list_and_other(first: Any, second: Any, depth: int) -> Iterator[Difference]:
    whole, other = (first, second) if isinstance(first, list) else (second, first)
    if (opened := _opened(other)) is not None and isinstance(opened, list):
        yield from _of_json_text(first, second, opened, depth)
    elif len(whole) == 1 and not isinstance(other, dict):
        pair = (whole[0], other) if whole is first else (other, whole[0])
        found = list(_differences(*pair, depth - 1)) if depth else [Difference("type", "a value of another type")]
        yield from found or [Difference(FORM, "as a list" if whole is first else "not as a list")]
    elif other is None:
        yield Difference("missing", "left out") if first is None else Difference("added", "added")
    else:
        yield Difference("type", "a value of another type")


def _of_object_and_other(first: Any, second: Any, depth: int) -> Iterator[Difference]:
    opened = _opened(second if isinstance(first, dict) else first)
    if isinstance(opened, dict):
        yield from _of_json_text(first, second, opened, depth)
    elif first is None or second is None:
        yield Difference("missing", "left out") if first is None else Difference("added", "added")
    else:
        yield Difference("type", "a value of another type")


def _opened(value: Any) -> Any:
    """What stands in a text as JSON; None for no such text."""
    if not isinstance(value, str) or value.strip()[:1] not in ("{", "[") or len(value) > texts.LONGEST:
        return None
    try:
        return content.value_of(value)
    except ValueError:
        return None


def _of_json_text(first: Any, second: Any, opened: Any, depth: int) -> Iterator[Difference]:
    """A list or an object beside a text that holds one as JSON."""
    is_first = isinstance(first, str)
    pair = (opened, second) if is_first else (first, opened)
    yield from list(_differences(*pair, depth - 1)) if depth else []
    yield Difference(FORM, "as text" if is_first else "not as text")
