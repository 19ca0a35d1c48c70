"""`blade fixes` and `blade health` on the command line."""

import json
from pathlib import Path

import pytest

from tests.building import Row, message, run
from tests.explain.planting import failing, passing, run_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    def make(task: int, repeat: int) -> Row:
        if repeat:
            return passing(task, repeat)
        cut = {"model": "m", "output": [message("and")], "incomplete_details": {"reason": "max_output_tokens"}}
        return failing(task, repeat) | {"response": cut}

    return run_of(tmp_path / "a_rollouts.jsonl", make)


def test_fixes_are_told_with_gain_owner_evidence_and_rerun(path: Path) -> None:
    said = run("fixes", path, "--no-cache")
    assert said.code == 0
    for part in ("Raise the output limit", "+25.0 points", "harness (BI)", "confirm", "a:0/0#0", "As it is"):
        assert part in said.out


def test_fixes_as_json_hold_the_table_and_every_ref(path: Path) -> None:
    told = json.loads(run("fixes", path, "--no-cache", "--json").out)
    assert len(told["interventions"][0]["refs"]) == 10
    assert [row["what"] for row in told["counterfactual"]] == ["baseline", "output truncated", "all modes", "oracle"]


def test_a_run_that_is_not_there_cannot_be_mended(path: Path) -> None:
    said = run("fixes", path, "--no-cache", "--run", "b")
    assert said.code == 2
    assert "no run is named b" in said.err


def test_a_run_without_failures_needs_no_fix(tmp_path: Path) -> None:
    said = run("fixes", run_of(tmp_path / "a_rollouts.jsonl", passing), "--no-cache")
    assert said.out == "Nothing to mend: no rollout fails for a reason that was found.\n"


def test_health_is_told_finding_by_finding(path: Path) -> None:
    said = run("health", path, "--no-cache")
    assert said.code == 0
    assert "noise: a: differences up to" in " ".join(said.out.split())


def test_health_as_json_holds_all_that_is_known(path: Path) -> None:
    told = json.loads(run("health", path, "--no-cache", "--json").out)
    assert {"kind", "title", "why", "tasks", "refs"} <= told["health"][0].keys()
