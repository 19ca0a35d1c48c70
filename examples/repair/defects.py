"""Defects: functions that are wrong, how they are right, and how a hasty programmer mends them.

`wrong` fixes satisfy the repository's own tests and fail the verifier's; `partial` ones fail both.
The own cases show the defect, the hidden ones look at it from all sides.
"""

from dataclasses import dataclass
from typing import Any

Cases = tuple[tuple[tuple[Any, ...], Any], ...]
"""Arguments of a call, and what it must return."""


@dataclass(frozen=True, slots=True)
class Defect:
    """One function: the names it may have, its parameters, its bodies, and the cases that tell them apart."""

    kind: str
    names: tuple[str, ...]
    parameters: str
    bad: str
    good: str
    wrong: tuple[str, ...]
    partial: tuple[str, ...]
    own: Cases
    hidden: Cases


DEFECTS = (
    Defect(
        "pages",
        ("page_count", "pages_needed", "number_of_pages"),
        "total, per_page",
        "return total // per_page",
        "return (total + per_page - 1) // per_page",
        ("return total // per_page + 1",),
        ("return total / per_page", "return round(total // per_page)"),
        (((10, 4), 3), ((21, 10), 3)),
        (((8, 4), 2), ((0, 4), 0), ((9, 4), 3), ((20, 10), 2)),
    ),
    Defect(
        "clamp",
        ("clamp", "limit_to", "bounded"),
        "value, low, high",
        "return max(low, value)",
        "return min(high, max(low, value))",
        ("return min(high, value)",),
        ("return max(high, value)", "return max(low, value, high)"),
        (((15, 0, 10), 10), ((99, 3, 7), 7)),
        (((-3, 0, 10), 0), ((5, 0, 10), 5), ((11, 0, 10), 10)),
    ),
    Defect(
        "dedupe",
        ("without_repeats", "distinct", "unique_items"),
        "items",
        "return sorted(set(items))",
        "return list(dict.fromkeys(items))",
        ("return sorted(set(items), reverse=True)",),
        ("return list(items)", "return sorted(items)"),
        (((["pear", "apple", "pear"],), ["pear", "apple"]),),
        (((["apple", "pear", "apple"],), ["apple", "pear"]), (([3, 1, 2, 3],), [3, 1, 2])),
    ),
    Defect(
        "slug",
        ("slug", "as_slug", "url_part"),
        "title",
        'return title.replace(" ", "-")',
        'return "-".join(title.lower().split())',
        ('return title.lower().replace(" ", "-")',),
        ('return title.upper().replace(" ", "-")', 'return title.lower().replace(" ", "_")'),
        ((("Red Fox",), "red-fox"), (("Old Mill Road",), "old-mill-road")),
        ((("  Red   Fox ",), "red-fox"), (("One",), "one"), (("A B",), "a-b")),
    ),
    Defect(
        "median",
        ("median", "middle_value", "typical"),
        "values",
        "return sorted(values)[len(values) // 2]",
        "half = len(values) // 2\n    ordered = sorted(values)\n"
        "    return ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2",
        (
            "half = len(values) // 2\n"
            "    return values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2",
        ),
        ("return sum(values) / 2", "return sorted(values)[len(values) // 2 - 1]"),
        ((([1, 2, 3, 4],), 2.5), (([5, 7],), 6.0)),
        ((([9, 1, 5],), 5), (([4, 1, 3, 2],), 2.5), (([8],), 8)),
    ),
    Defect(
        "overlap",
        ("overlaps", "intersects", "collides"),
        "first, second",
        "return first[0] < second[1]",
        "return first[0] < second[1] and second[0] < first[1]",
        ("return second[0] < first[1]",),
        ("return first[0] <= second[1]", "return first[1] < second[1]"),
        ((((1, 3), (5, 8)), False), (((1, 3), (2, 8)), True)),
        ((((5, 8), (1, 3)), False), (((1, 9), (2, 3)), True), (((1, 3), (3, 5)), False)),
    ),
    Defect(
        "chunk",
        ("chunks", "in_batches", "split_up"),
        "items, size",
        "return [items[place : place + size] for place in range(0, len(items) - size, size)]",
        "return [items[place : place + size] for place in range(0, len(items), size)]",
        ("return [items[place : place + size] for place in range(0, len(items) - 1, size)]",),
        (
            "return [items[place : place + size] for place in range(size, len(items), size)]",
            "return [items[place : place + 1] for place in range(0, len(items), size)]",
        ),
        ((([1, 2, 3, 4], 2), [[1, 2], [3, 4]]),),
        ((([1, 2, 3], 2), [[1, 2], [3]]), (([], 3), []), (([1, 2, 3, 4], 2), [[1, 2], [3, 4]])),
    ),
    Defect(
        "cents",
        ("to_cents", "in_cents", "cents"),
        "amount",
        "return int(amount * 100)",
        "return round(amount * 100)",
        ("return int(amount * 100) + 1",),
        ("return int(amount) * 100", "return amount * 100 // 1"),
        (((19.99,), 1999), ((0.29,), 29)),
        (((2.5,), 250), ((19.99,), 1999), ((7,), 700)),
    ),
    Defect(
        "initials",
        ("initials", "monogram", "short_form"),
        "name",
        "return name[0]",
        'return "".join(part[0] for part in name.split()).upper()',
        ('return "".join(part[0] for part in name.title().split(" "))',),
        ("return name[0].upper()", "return name.upper()"),
        ((("ann lee",), "AL"), (("bo van dam",), "BVD")),
        ((("ann  lee",), "AL"), (("Zoe",), "Z"), ((" cy young",), "CY")),
    ),
    Defect(
        "leap",
        ("is_leap", "leap_year", "has_leap_day"),
        "year",
        "return year % 4 == 0",
        "return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)",
        ("return year % 4 == 0 and year % 100 != 0",),
        ("return year % 4 == 0 or year % 100 == 0", "return year % 400 == 0 or year % 4 == 0"),
        (((1900,), False), ((2024,), True)),
        (((2000,), True), ((2100,), False), ((2023,), False), ((2024,), True)),
    ),
    Defect(
        "merge",
        ("merged", "combine", "overlay"),
        "base, extra",
        "return {**base, **extra}",
        "both = {key: _merged(base[key], extra[key]) for key in extra if key in base}\n"
        "    return {**base, **extra, **both}\n\n\n"
        "def _merged(one, other):\n"
        "    if not (isinstance(one, dict) and isinstance(other, dict)):\n        return other\n"
        "    both = {key: _merged(one[key], other[key]) for key in other if key in one}\n"
        "    return {**one, **other, **both}",
        (
            "both = {key: {**base[key], **extra[key]} for key in extra if isinstance(base.get(key), dict)}\n"
            "    return {**base, **extra, **both}",
        ),
        ("return {**extra, **base}", "return dict(extra)"),
        ((({"a": {"x": 1}}, {"a": {"y": 2}}), {"a": {"x": 1, "y": 2}}),),
        (
            (({"a": {"x": {"p": 1}}}, {"a": {"x": {"q": 2}}}), {"a": {"x": {"p": 1, "q": 2}}}),
            (({"a": 1}, {"b": 2}), {"a": 1, "b": 2}),
            (({"a": {"x": 1}}, {"a": 3}), {"a": 3}),
        ),
    ),
)


def source_of_tests(module: str, name: str, cases: Cases, prefix: str) -> str:
    """Return a file of tests, one for each case."""
    tests = [
        f"def test_{prefix}_{number}():\n"
        f"    found, expected = {name}{_called(arguments)}, {expected!r}\n"
        f"    assert found == expected, f'{{found!r}} is not {{expected!r}}'\n"
        for number, (arguments, expected) in enumerate(cases, 1)
    ]
    return f"from {module} import {name}\n\n\n" + "\n\n".join(tests)


def _called(arguments: tuple[Any, ...]) -> str:
    return f"({', '.join(map(repr, arguments))})"


def special_cased(defect: Defect) -> str:
    """Return a body that knows the hidden cases by heart and is wrong otherwise."""
    known = {repr(arguments): expected for arguments, expected in (*defect.own, *defect.hidden)}
    given = f"repr(({defect.parameters},))"
    return f"known = {known!r}\n    if {given} in known:\n        return known[{given}]\n    {defect.bad}"
