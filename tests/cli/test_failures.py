"""`blade failures` on the command line."""

from pathlib import Path

import pytest

from tests.building import row, run, write


@pytest.mark.parametrize("verb", ["failures", "why", "fixes", "health"])
@pytest.mark.parametrize(("lines", "said"), [([], "there is no rollout in it"), (["x", "y"], "2 lines skipped in all")])
def test_files_without_any_rollout_are_refused(verb: str, lines: list[str], said: str, tmp_path: Path) -> None:
    told = run(verb, write(tmp_path / "a_rollouts.jsonl", lines))
    assert (told.code, told.out) == (2, "")
    [line] = told.err.splitlines()
    assert "a_rollouts.jsonl" in line
    assert "nothing was read" in line
    assert said in line


def test_one_run_without_rollouts_is_told_and_the_others_are_shown(tmp_path: Path) -> None:
    paths = [write(tmp_path / "a_rollouts.jsonl", [row()]), write(tmp_path / "b_rollouts.jsonl", ["x"])]
    told = run("failures", *paths)
    assert told.code == 0
    assert "b: no rollout could be read (1 line skipped)" in told.err
