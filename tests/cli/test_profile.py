"""`blade profile`, and `--profile` on the verbs that measure."""

import json
from pathlib import Path

import pytest

from tests.building import Row, call, message, result, run
from tests.explain.planting import failing, passing, run_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    def make(task: int, repeat: int) -> Row:
        if repeat == 0:
            return failing(task, repeat, message("no"))
        return passing(task, repeat, call("search"), result("found"), message("right"))

    return run_of(tmp_path / "a_rollouts.jsonl", make)


def profile(directory: Path, text: str = "") -> Path:
    path = directory / "profile.toml"
    rule = "[[mode]]\nname = 'unsearched'\nwhen = 'calls_search = 0'\ncause = 'TI'\nowner = 'tools'\n"
    path.write_text(text or rule)
    return path


def test_a_drafted_profile_is_checked_without_complaint(path: Path) -> None:
    out = path.parent / "drafted.toml"
    drafted = run("profile", "draft", path, "-o", out, "--no-cache")
    assert (drafted.code, drafted.out) == (0, "")
    assert "blade profile check" in drafted.err
    checked = run("profile", "check", out, path, "--no-cache")
    assert checked.code == 0, checked.out
    assert "answered" in checked.out


def test_a_draft_does_not_overwrite_a_file(path: Path) -> None:
    said = run("profile", "draft", path, "-o", profile(path.parent), "--no-cache")
    assert said.code == 2
    assert "is there already" in said.err


def test_a_draft_goes_to_standard_output_where_no_file_is_named(path: Path) -> None:
    said = run("profile", "draft", path, "--no-cache")
    assert said.code == 0
    assert "[pass]" in said.out


def test_a_check_shows_what_rules_catch(path: Path) -> None:
    said = run("profile", "check", profile(path.parent), path, "--no-cache", "--names")
    assert said.code == 0
    assert "unsearched       10        0             0     10" in said.out
    assert "0 failing or not-measured rollouts have none" in said.out
    assert "calls_search, errors_search" in said.out


def test_a_check_as_json_names_every_rollout(path: Path) -> None:
    said = run("profile", "check", profile(path.parent), path, "--no-cache", "--json")
    [caught] = json.loads(said.out)["caught"]
    assert len(caught["refs"]) == 10


def test_a_profile_with_problems_does_not_pass_its_check(path: Path) -> None:
    bad = profile(path.parent, "[pass]\nthreshold = 'x'\nlimit = 1\n")
    said = run("profile", "check", bad, path, "--no-cache")
    assert said.code == 1
    assert said.out.splitlines() == [
        f"{bad}:2: [pass] threshold: 'x' is not a number",
        f"{bad}:3: [pass] limit: no key of this section (there are threshold)",
    ]


def test_a_rule_that_cannot_be_run_does_not_pass_its_check(path: Path) -> None:
    rule = "[[stage]]\nname = 'a'\nwhen = 'calls_serch > 0'\n"
    said = run("profile", "check", profile(path.parent, rule), path, "--no-cache")
    assert said.code == 1
    assert "there is no calls_serch (did you mean calls_search?)" in " ".join(said.out.split())


@pytest.mark.parametrize("verb", ["metrics", "failures", "fixes", "health"])
def test_a_profile_beside_the_runs_is_used_and_told(path: Path, verb: str) -> None:
    profile(path.parent, "[pass]\nthreshold = -1\n")
    said = run(verb, path, "--no-cache")
    assert said.code == 0
    assert "profile.toml says what is known of the benchmark" in said.err
    assert "profile.toml" not in run(verb, path, "--no-cache", "--no-profile").err


def test_a_profile_that_is_named_is_used_in_silence(path: Path, tmp_path: Path) -> None:
    named = tmp_path / "other.toml"
    named.write_text("[[mode]]\nname = 'unsearched'\nwhen = 'calls_search = 0'\ncause = 'TI'\nowner = 'tools'\n")
    said = run("failures", path, "--no-cache", "--profile", named)
    assert said.err == ""
    assert "unsearched" in said.out


def test_what_is_asked_for_comes_before_what_a_profile_says(path: Path) -> None:
    profile(path.parent, "[pass]\nthreshold = -1\n")
    found = json.loads(run("metrics", path, "--no-cache", "--json", "--threshold", "1").out)
    [told] = found if isinstance(found, list) else found["runs"]
    assert told["passed"] == 30


def test_a_bad_profile_is_one_line_that_says_where(path: Path) -> None:
    bad = profile(path.parent, "[pass]\nthreshold = 'x'\n")
    said = run("failures", path, "--no-cache")
    assert said.code == 2
    assert said.err == f"blade: {bad}:2: [pass] threshold: 'x' is not a number\n"


def test_a_profile_is_either_named_or_left_alone(path: Path) -> None:
    said = run("failures", path, "--no-cache", "--profile", profile(path.parent), "--no-profile")
    assert said.code == 2
    assert "exclude each other" in said.err


def test_the_ids_of_a_profile_name_the_tasks(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        return passing(task, repeat, label=f"t{task}") | {"_ng_task_index": None}

    path = run_of(tmp_path / "a_rollouts.jsonl", make, tasks=2)
    profile(tmp_path, "[tasks]\nid_fields = ['label']\n")
    found = json.loads(run("metrics", path, "--no-cache", "--json").out)
    [told] = found if isinstance(found, list) else found["runs"]
    assert [task["task"] for task in told["by_task"]] == ["t0", "t1"]
