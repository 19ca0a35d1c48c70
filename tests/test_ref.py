"""Refs: what they print is what they parse, and what they point to is found."""

import contextlib
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import blade
from blade.ref import Ref, encode
from blade.scan import places
from tests.building import ask, here, row, write

PART = st.text(min_size=1)
STEP = st.none() | st.from_regex(r"i?[0-9]{1,6}", fullmatch=True)


@given(PART, PART, PART, STEP)
@example("a%b", "c:d", "e/f", "0")
@example(" \t\n", "#", "%25", "i0")
@example("\x1c\x85\u2028", "\ufeff\x00\x7f", "\u00a0", None)
def test_a_ref_is_read_back_from_its_text(run: str, task: str, rollout: str, step: str | None) -> None:
    ref = Ref(run, task, rollout, step)
    assert Ref.parse(str(ref)) == ref
    assert Ref.parse(f"  {ref}\n") == ref


@given(PART, PART, PART)
def test_the_text_of_a_ref_is_one_word_with_its_signs_in_place(run: str, task: str, rollout: str) -> None:
    text = str(Ref(run, task, rollout, "5"))
    assert text.split() == [text]
    assert re.fullmatch(r"[^:/#]+:[^:/#]+/[^:/#]+#5", text)


@given(PART)
def test_encoding_leaves_plain_text_alone(part: str) -> None:
    assert (encode(part) == part) == (not re.search(r"[%:/#\s\x00-\x1f\x7f]", part))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "a:",
        "a:b",
        "a:b/",
        ":b/c",
        "a:/c",
        "a/b:c",
        "a:b/c/d",
        "a:b:c/d",
        "a:b/c#",
        "a:b/c#x",
        "a:b/c#-1",
        "a:b/c#i",
        "a:b/c#1#2",
        "a:b/c#٣",
        "a:b/c#1.5",
        "#1",
    ],
)
def test_what_is_no_ref_is_refused_with_the_shape_that_was_expected(text: str) -> None:
    with pytest.raises(blade.RefError, match=r"expected run:task/rollout|a step is a number"):
        Ref.parse(text)


@given(st.text())
def test_any_text_is_a_ref_or_an_error_of_its_own(text: str) -> None:
    with contextlib.suppress(blade.RefError):
        ref = Ref.parse(text)
        assert ref.run
        assert ref.task
        assert ref.rollout


def test_another_step_of_the_same_rollout_is_one_call_away() -> None:
    ref = Ref.parse("a:1/2#3")
    assert (str(ref.at(5)), str(ref.at("i0")), str(ref.at(None))) == ("a:1/2#5", "a:1/2#i0", "a:1/2")


@given(st.dictionaries(st.tuples(PART, PART, PART), st.tuples(*[st.integers(0, 2**50)] * 3), max_size=40), PART)
def test_a_place_is_found_by_halving_as_a_dictionary_would(
    tmp_path_factory: pytest.TempPathFactory,
    known: dict[tuple[str, str, str], tuple[int, int, int]],
    other: str,
) -> None:
    lines = sorted((places.key_of(Ref(*key)), value) for key, value in known.items())
    path = tmp_path_factory.getbasetemp() / "places.tsv"
    path.write_bytes(b"".join(b"%s\t%d\t%d\t%d\n" % (key, *value) for key, value in lines))
    for key in [*known, (other, other, other), ("", "", "")]:
        assert places.find(path, Ref(*key)) == known.get(key)


HOSTILE = [
    "a b",
    "a%20b",
    "%",
    "a/b",
    "a:b",
    "a#b",
    "a\tb\nc",
    "\x1c",
    "\x85",
    "\u00a0",
    "\u2028",
    "é",
    "世界",
    "😀",
    "\x00",
    "'",
    '"',
    "\\",
    ";--",
    "\u202e",
    "ａ",
    "e\u0301",
    "é",
    "A",
    "a",
    "+",
    "*",
    "~",
    "[x]",
    " lead",
    "trail ",
]


def test_every_ref_in_the_store_is_the_ref_of_its_row_and_finds_it(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", [row(task=..., task_id=name, rollout=2) for name in HOSTILE])
    cache = blade.Cache()
    with blade.load(path, here(cache=cache)) as store:
        found = ask(store, "select run, task, rollout, ref from rollouts order by row")
    assert [task for _, task, _, _ in found] == HOSTILE
    assert [ref for *_, ref in found] == [str(Ref(*parts)) for *parts, _ in found]
    for *_, ref in found:
        assert blade.resolve(ref, path, cache=cache).row_id == Ref.parse(ref).task
