"""Values are compared by what they are: dates by their shift, numbers by their factor, ids by what they name."""

import string
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blade.explain.values import FORM, KINDS, MOST_DIFFERENCES, agree, compare, mirrored


def said(first: Any, second: Any) -> list[tuple[str, str]]:
    """Kinds and words of what differs, without paths."""
    return [(each.kind, each.words) for each in compare(first, second)]


def only(first: Any, second: Any) -> str:
    [(_, words)] = said(first, second)
    return words


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ("2025-03-10", "2026-03-10", "one year before"),
        ("2028-03-10", "2026-03-10", "some years after"),
        ("2026-02-10", "2026-03-10", "one month before"),
        ("2025-12-10", "2026-01-10", "one month before"),
        ("2026-03-03", "2026-03-10", "one week before"),
        ("2026-03-11", "2026-03-10", "one day after"),
        ("2026-03-14", "2026-03-10", "some days after"),
        ("2026-09-01", "2026-03-10", "more than a month after"),
        ("2026-03-10", "2026-10-03", "month and day swapped"),
        ("March 11, 2026", "2026-03-10", "one day after"),
        ("11th of March", "2026-03-10", "one day after"),
        ("20250310", "20260310", "one year before"),
        ("2026-03-10T10:00", "2026-03-10T09:00", "one hour after"),
        ("2026-03-10 21:00", "2026-03-10 09:00", "twelve hours after"),
        ("14:30", "14:00", "some minutes after"),
        ("2 pm", "15:00", "one hour before"),
        ("2026-03-10T09:00+02:00", "2026-03-10T09:00Z", "another time zone"),
        ("2026-03-10", "2026-03-10T09:00", "time of day left out"),
        (1773100800, 1773187200, "one day before"),
    ],
)
def test_dates_and_times_are_told_by_their_shift(first: Any, second: Any, words: str) -> None:
    assert only(first, second) == words


@pytest.mark.parametrize(
    ("first", "second", "kind", "words"),
    [
        (14473, 144.73, "scale", "100 times as large"),
        (0.12, 120, "scale", "1,000 times as small"),
        (90, 1.5, "scale", "60 times as large"),
        (-45, 45, "number", "opposite sign"),
        (12.3, 12.34, "number", "rounded"),
        (12.34, 12.3, "number", "less rounded"),
        (4, 5, "number", "one less"),
        (41, 17, "number", "larger"),
        ("5 km", "5 mi", "unit", "another unit"),
        ("20 USD", "20 EUR", "unit", "another currency"),
        ("USD", "EUR", "unit", "another currency"),
        ("$1,200", "€1,200", "unit", "another currency"),
    ],
)
def test_numbers_are_told_by_factor_sign_rounding_and_unit(first: Any, second: Any, kind: str, words: str) -> None:
    assert said(first, second) == [(kind, words)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("1,200", "1200"),
        ("1.200,50", "1200.50"),
        ("+ 45", "+45"),
        ("45 minutes", "45 min"),
        ("90 min", "1.5 h"),
        ("50%", "0.5"),
        ("  Yes. ", "yes"),
        ("Möbius", "Mo\u0308bius"),
        ("606‑10‑25", "606-10-25"),
        ("\\boxed{\\frac{1}{2}}", "1/2"),
        ("10 March 2026", "2026-03-10"),
        ("9 am", "09:00"),
        ("2026-03-10T10:00+01:00", "2026-03-10T09:00Z"),
        ("12", 12),
        ("true", True),
        (["a"], "a"),
        ('{"a": [1, 2]}', {"a": [1, 2]}),
    ],
)
def test_values_that_differ_in_form_alone_agree(first: Any, second: Any) -> None:
    assert agree(first, second)
    assert [kind for kind, _ in said(first, second)] == [FORM]


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ("evt-1001", "evt-7302", "another id"),
        ("6086499569", "9523456873", "another id"),
        ("007", "7", "another id"),
        ("ada.byron@example.org", "ada.byron@mill.example.org", "the same name at another domain"),
        ("ada@example.org", "bob@example.org", "another address"),
        ("lib/a/run.py", "src/a/run.py", "the same file in another directory"),
        ("src/a.py", "src/b.py", "another path"),
        ("https://a.example/1", "https://a.example/2", "another link"),
    ],
)
def test_names_of_things_are_told_by_what_they_name(first: str, second: str, words: str) -> None:
    assert said(first, second) == [("entity", words)]


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ("Ada", "Ada Byron", "shortened"),
        ("the whole plan", "plan", "with more text"),
        ("economy", "business", "another choice"),
        ("Ada Byron", "Ada Lovelace", "partly other words"),
        ("Please call me back at noon", "See you in the meeting tomorrow", "another text"),
        (True, False, "true instead of false"),
        (None, "x", "left out"),
        (3, "three", "a value of another type"),
    ],
)
def test_texts_and_the_rest_are_told_by_how_they_overlap(first: Any, second: Any, words: str) -> None:
    assert only(first, second) == words


def test_lists_are_told_by_their_members_and_their_order() -> None:
    assert only(["b", "a"], ["a", "b"]) == "in another order"
    assert only(["a"], ["a", "b"]) == "leaves members out"
    assert only(["a", "b", "c"], ["a"]) == "adds members"
    assert only(["a", "x", "y"], ["a", "b"]) == "other members"
    assert compare(["a", "x"], ["a", "b"])[0].path == "[]"


def test_objects_are_told_by_path() -> None:
    first = {"who": {"mail": "a@x.org"}, "days": [{"on": "2025-01-02", "n": 1}], "extra": 5, "id_of_room": "r1"}
    second = {"who": {"mail": "b@x.org"}, "days": [{"on": "2026-01-02", "n": 1}], "room": "r1", "lacking": 7}
    assert [(each.path, each.words) for each in compare(first, second)] == [
        ("days.[].on", "one year before"),
        ("who.mail", "another address"),
        ("lacking", "left out"),
        ("room", "under another key"),
        ("extra", "added"),
    ]


def test_null_and_an_absent_key_are_one() -> None:
    assert compare({"a": 1, "b": None}, {"a": 1}) == []
    assert compare(1, 1.0) == []
    assert compare({"a": True}, {"a": 1}) != []


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["2026-03-10", "10 March", "9:30 pm", "1,200", "$5", "5 km", "a@b.org", "evt-12", "/a/b", "[1]"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(json_values, json_values)
def test_any_two_values_can_be_compared_and_the_words_are_known(first: Any, second: Any) -> None:
    found = compare(first, second)
    assert found == compare(first, second)
    assert len(found) <= MOST_DIFFERENCES
    assert {each.kind for each in found} <= KINDS.keys()


@given(json_values)
def test_a_value_does_not_differ_from_itself(value: Any) -> None:
    if value == value:
        assert compare(value, value) == []


scalars = st.one_of(
    st.dates().map(str),
    st.datetimes().map(lambda moment: moment.isoformat(timespec="minutes")),
    st.integers(-(10**6), 10**6),
    st.decimals(-10_000, 10_000, places=2).map(float),
    st.integers(0, 10**7).map(lambda number: f"{number:,}"),
    st.text(string.ascii_letters + " ", max_size=12),
    st.sampled_from(["EUR", "USD", "km", "mi", "a@b.org", "a@c.org", "evt-1", "evt-2", "true", "false"]),
)


@given(scalars, scalars)
def test_two_scalars_seen_from_the_other_side_differ_by_the_mirrored_words(first: Any, second: Any) -> None:
    other_side = {"missing": "added", "added": "missing"}
    seen = [(other_side.get(kind, kind), mirrored(words)) for kind, words in said(first, second)]
    assert seen == said(second, first)


@pytest.mark.parametrize(
    "text", ["1" * 5_000, "1," * 5_000, "\\frac{" * 3_000, "(" * 5_000, "9:" * 3_000, "a." * 5_000]
)
def test_hostile_texts_cost_no_more_than_their_length(text: str) -> None:
    began = time.process_time()
    for other in (text + "1", "x" + text, text.upper()):
        compare(text, other)
    assert time.process_time() - began < 1.0


@pytest.mark.parametrize(
    ("given", "expected", "words"),
    [
        ("D1EW9B", "9HBUV8", "another id"),
        ("order_12", "order_7", "another id"),
        ("order_12", "invoice_12", "an id of another form"),
        ("KX-204", "KX-71", "another id"),
    ],
)
def test_ids_that_differ_in_numbers_and_codes_alone_have_one_form(given: str, expected: str, words: str) -> None:
    [difference] = compare(given, expected)
    assert (difference.kind, difference.words) == ("entity", words)
