"""Profiles are read strictly: every problem has its line, what is allowed there, and what may have been meant."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blade.errors import InputError
from blade.profile import Profile, find_profile, load_profile, read_profile
from blade.profile.keys import SECTIONS

WHOLE = '''
[benchmark]
name = "office"

[tasks]
id_fields = ["task_id"]

[pass]
threshold = 0.5

[slices]
fields = ["category"]

[answers]
expected = ["expected_answer"]
given = ["extracted_answer"]

[redact]
patterns = ["emp-[0-9]+"]

[[stage]]
name = "found"
when = "calls_search > 0"

[[mode]]
name = "late"
title = "Came too late"
when = """
steps > 10
AND reward < 1
"""
cause = "BI"
owner = "model"
'''


def problems(text: str) -> list[str]:
    return [str(problem) for problem in read_profile(text)[1]]


def test_a_whole_profile_is_read_as_it_stands() -> None:
    profile, found = read_profile(WHOLE, "here.toml")
    assert found == []
    assert (profile.name, profile.threshold, profile.path) == ("office", 0.5, "here.toml")
    assert (profile.id_fields, profile.slices) == (("task_id",), ("category",))
    assert (profile.expected, profile.given) == (("expected_answer",), ("extracted_answer",))
    [stage], [mode] = profile.stages, profile.modes
    assert (stage.name, stage.when, stage.line) == ("found", "calls_search > 0", 23)
    assert (mode.title, mode.cause, mode.owner, mode.line) == ("Came too late", "BI", "model", 28)


def test_an_empty_profile_is_one() -> None:
    assert read_profile("") == (Profile(), [])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[pas]\nthreshold = 1", "line 1: pas: no section of a profile (did you mean pass?)"),
        ("[pass]\ntreshold = 1", "line 2: [pass] treshold: no key of this section (did you mean threshold?)"),
        ("\n[pass]\n\nthreshold = '1'", "line 4: [pass] threshold: '1' is not a number"),
        ("[pass]\nthreshold = true", "line 2: [pass] threshold: True is not a number"),
        ("[slices]\nfields = 'a'", "line 2: [slices] fields: 'a' is not a list of names"),
        ("[redact]\npatterns = ['(']", "line 2: [redact] patterns: ['('] is not a list of regular expressions"),
        ("[[stage]]\nname = 'x'", "line 1: [[stage]] 'x': when is missing: a SQL expression that is true or false"),
        ("[stage]\nname = 'x'", "line 1: stage: write [[stage]] above the keys of each"),
        ("pass = 1", "line 1: pass: is no section of its own: write [pass] above its keys"),
        ("[answers]\nexpected = ['a']\ngiven = ['b', 'c']",
         "line 3: [answers] given: 1 expected and 2 given: each needs its other"),
        ("a = [", "line 1: not TOML: invalid value"),
    ],
)  # fmt: skip
def test_a_problem_is_told_with_its_line_and_what_is_allowed(text: str, said: str) -> None:
    [found] = problems(text)
    assert found == said


def test_words_that_are_nearly_right_are_named() -> None:
    text = "[[mode]]\nname = 'a'\nwhen = 'true'\ncause = 'bi'\nowner = 'modell'"
    cause, owner = problems(text)
    assert "line 4" in cause
    assert "did you mean BI?" in cause
    assert "line 5" in owner
    assert "did you mean model?" in owner


def test_two_rules_of_one_name_are_one_too_many() -> None:
    rule = "[[stage]]\nname = 'a'\nwhen = 'true'\n"
    assert problems(rule + rule) == ["line 5: [[stage]] 'a': another one has this name"]


def test_lines_are_right_behind_texts_of_many_lines() -> None:
    text = '[benchmark]\nnote = """\n[pass]\nthreshold = 7\n"""\n[pass]\nthreshold = "x"'
    assert problems(text) == ["line 7: [pass] threshold: 'x' is not a number"]


def test_a_profile_with_problems_is_refused_in_one_line_that_says_where(tmp_path: Path) -> None:
    path = tmp_path / "profile.toml"
    path.write_text("[pass]\nthreshold = 'x'\nother = 1\n")
    with pytest.raises(InputError) as caught:
        load_profile(path)
    assert (
        str(caught.value)
        == f"{path}:2: [pass] threshold: 'x' is not a number (1 more: `blade profile check` lists all)"
    )


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "profile.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        load_profile(tmp_path / "profile.toml")
    with pytest.raises(InputError, match="cannot be read"):
        load_profile(tmp_path / "nothing.toml")


@given(st.text(max_size=300))
def test_no_text_breaks_the_reader(text: str) -> None:
    _, found = read_profile(text)
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        assert found


values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=True) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from([(section.name, key.name) for section in SECTIONS for key in section.keys]), values)
def test_no_value_of_any_key_breaks_a_check(place: tuple[str, str], value: object) -> None:
    section = next(each for each in SECTIONS if each.name == place[0])
    key = section.key(place[1])
    assert key is not None
    try:
        assert key.fits(value) in (True, False)
    except TypeError:
        assert isinstance(value, (list, dict))


def test_a_profile_is_found_beside_the_runs_and_in_their_package(tmp_path: Path) -> None:
    runs = tmp_path / "package" / "rollouts"
    runs.mkdir(parents=True)
    file = runs / "a_rollouts.jsonl"
    file.touch()
    assert find_profile([file]) is None
    above = tmp_path / "package" / "profile.toml"
    above.touch()
    assert find_profile([file]) is None
    (tmp_path / "package" / "SKILL.md").touch()
    assert find_profile([file]) == above
    inside = tmp_path / "package" / "skill" / "profile.toml"
    inside.parent.mkdir()
    inside.touch()
    above.unlink()
    assert find_profile([runs]) == inside
    beside = runs / "profile.toml"
    beside.touch()
    assert find_profile([file]) == beside


def test_reading_a_profile_needs_the_standard_library_alone() -> None:
    slow = "('duckdb', 'numpy', 'msgspec', 'click')"
    code = f"import sys, blade.profile; print([name for name in {slow} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
