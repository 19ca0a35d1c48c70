"""Error texts of one form fall together, in whatever order they come."""

import random
import time

from hypothesis import given
from hypothesis import strategies as st

from blade.explain.templates import ANY, masked, mine


def test_what_is_particular_to_one_rollout_is_masked() -> None:
    for text in (
        "no entry with id 'evt-1001'",
        "no entry with id evt-77",
        'no entry with id "a long name"',
        "no entry with id /var/lib/x/y.db",
        "no entry with id 0x7ffe12",
        "no entry with id ada@example.com",
        "no entry with id https://host/a?b=c",
    ):
        assert masked(text) == f"no entry with id {ANY}"


def test_codes_of_errors_are_kept_since_they_say_what_happened() -> None:
    assert masked("HTTP 503 after 12 tries") == f"HTTP 503 after {ANY} tries"


def test_texts_that_differ_in_a_value_share_a_template_and_others_do_not() -> None:
    names = ["anna", "boris", "chen", "dora", "emil", "fatou", "gil", "hana"]
    texts = [f"user {name} has no calendar" for name in names] + ["permission denied for this board"] * 3
    found = mine(texts)
    assert {found[text] for text in texts[:8]} == {f"user {ANY} has no calendar"}
    assert found["permission denied for this board"] == "permission denied for this board"


def test_different_errors_of_equal_length_stay_apart() -> None:
    found = mine(["file not found", "access was denied", "out of memory", "no such table"])
    assert len(set(found.values())) == 4


@given(st.lists(st.text(alphabet="ab 1'/", max_size=12), max_size=20), st.randoms(use_true_random=False))
def test_order_and_repetition_change_nothing(texts: list[str], shuffle: random.Random) -> None:
    again = [*texts, *texts]
    shuffle.shuffle(again)
    assert mine(texts) == mine(again)


@given(st.lists(st.text(max_size=300), max_size=30))
def test_every_text_has_a_template(texts: list[str]) -> None:
    assert mine(texts).keys() == set(texts)


def test_megabytes_of_one_character_cost_next_to_nothing() -> None:
    started = time.perf_counter()
    for text in (
        "'" * 2_000_000,
        "/" * 2_000_000,
        "1" * 2_000_000,
        "a." * 1_000_000,
        "([{<" * 500_000,
        "@" * 2_000_000,
    ):
        masked(text)
    assert time.perf_counter() - started < 2
