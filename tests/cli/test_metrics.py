"""`blade metrics`: what is printed, line by line."""

import json
from pathlib import Path

import pytest

from tests.building import Row, owed, row, run, write


def rows(rewards: dict[int, list[float]], **more: object) -> list[Row]:
    return [
        row(task=task, rollout=rollout, prompt=f"Question {task}?", reward=reward, **more)
        for task, of_task in rewards.items()
        for rollout, reward in enumerate(of_task)
    ]


REWARDS = {0: [1.0, 1.0, 1.0], 1: [1.0, 0.0, 0.0], 2: [0.0, 0.0], 3: [1.0, 0.0, 1.0]}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    inputs = [owed(task=task, rollout=rollout, prompt=f"Question {task}?") for task in range(4) for rollout in range(3)]
    write(tmp_path / "m_rollouts_materialized_inputs.jsonl", inputs)
    return write(tmp_path / "m_rollouts.jsonl", rows(REWARDS))


def flat(text: str) -> str:
    return " ".join(text.split())


def test_a_run_is_told_with_its_rates_and_what_is_not_measured(path: Path) -> None:
    said = run("metrics", path)
    assert (said.code, said.err) == (0, "")
    told = flat(said.out)
    for part in (
        "m (tiny) rollouts 11 measured of 12, 4 tasks, 2 to 3 measured per task; a pass is reward ≥ 1",
        "1 missing; pass@1 is between 50.0 % (had they all failed) and 58.3 % (had they all passed)",
        "tasks 1 always pass, 2 sometimes, 1 never",
        "by rows 54.5 % 4",
        "pass^3 33.3 %",
        "retry value +33.3",
    ):
        assert part in told, part


@pytest.mark.parametrize("width", [80, 120])
def test_no_line_is_wider_than_the_terminal(path: Path, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    assert max(map(len, run("metrics", path).out.splitlines())) <= width


def test_full_shows_every_k(path: Path) -> None:
    full = run("metrics", path, "--full").out
    assert all(f"{name}{k}" in full for name in ("pass@", "pass^", "avg-of-") for k in (1, 2, 3))


def test_missing_lists_every_rollout_that_is_not_measured_and_what_shows_it(path: Path) -> None:
    told = flat(run("metrics", path, "--missing").out)
    assert "m: 1 of 12 rollouts not measured" in told
    assert "m:2/2 missing owed, and neither in the rollouts nor among the failures" in told


def test_tasks_lists_every_task(path: Path) -> None:
    told = [line.split() for line in run("metrics", path, "--tasks").out.splitlines()]
    assert ["2", "0/2", "3", "never", "0"] in told
    assert ["0", "3/3", "3", "always", "1"] in told


def test_json_leaves_nothing_out(path: Path) -> None:
    [told] = json.loads(run("metrics", path, "--json").out)
    assert told["metrics"]["pass@3"]["tasks"] == 3
    assert told["worst_case"] == {"low": pytest.approx(0.5), "high": pytest.approx(0.5 + 1 / 12)}
    assert told["not_measured"][0]["refs"] == ["m:2/2"]
    assert [task["bucket"] for task in told["by_task"]] == ["always", "sometimes", "never", "sometimes"]


def test_single_rollouts_have_no_retry_value(tmp_path: Path) -> None:
    path = write(tmp_path / "m.jsonl", rows({0: [1.0], 1: [0.0], 2: [1.0, 1.0]}))
    told = run("metrics", path).out
    assert "retry value" not in told
    assert "consistency" in told


def test_many_runs_take_a_line_each_and_say_what_is_odd(tmp_path: Path) -> None:
    for number in range(9):
        write(tmp_path / f"run{number}.jsonl", rows({0: [number / 10], 1: [1.0] if number else [0.5]}))
    lines = run("metrics", tmp_path).out.splitlines()
    assert lines[-1] == "9 runs, 18 measured rollouts; --full shows each run whole"
    assert "no reward reaches" in lines[2]
    assert len(run("metrics", tmp_path, "--full").out.splitlines()) > 50


def test_text_of_rollouts_cannot_steer_the_terminal(tmp_path: Path) -> None:
    evil = "\x1b[2Jgone"
    lines = rows({0: [1.0, 0.0], 1: [0.0, 1.0]}, genre=evil, error=evil, agent_ref={"name": evil})
    lines += rows({2: [0.0, 0.0], 3: [0.0, 1.0]}, genre="x", mask_sample=True, error=f"sandbox host went away {evil}")
    path = write(tmp_path / "m.jsonl", lines)
    for how in ([], ["--missing"], ["--full"], ["--tasks"], ["--json"]):
        assert "\x1b" not in run("metrics", path, *how).out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--by", "nosuch"], "no row has a field named nosuch"),
        (["--split-by", "nosuch"], "no row says anything of nosuch"),
        (["--threshold", "nan"], "--threshold is no number"),
        (["--seed", "-1"], "--seed"),
    ],
)
def test_what_cannot_be_asked_is_said_in_one_line(path: Path, options: list[str], said: str) -> None:
    told = run("metrics", path, *options)
    assert (told.code, told.out, len(told.err.splitlines())) == (2, "", 1)
    assert said in told.err
