"""`blade compare`: what is printed, the gates of a pipeline, the summary for a pull request."""

import json
from pathlib import Path

import pytest

from tests.building import Row, row, run, write


def rows(passes: int, **more: object) -> list[Row]:
    """Twelve tasks, the first of which pass."""
    return [
        row(task=task, rollout=rollout, prompt=f"Question {task}?", reward=float(task < passes or rollout == 0), **more)
        for task in range(12)
        for rollout in range(2)
    ]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    write(tmp_path / "a.jsonl", rows(12))
    write(tmp_path / "b.jsonl", rows(2))
    return tmp_path


def flat(text: str) -> str:
    return " ".join(text.split())


def test_a_comparison_is_told_from_the_verdict_to_the_tasks(runs: Path) -> None:
    said = run("compare", runs)
    assert (said.code, said.err) == (0, "")
    told = flat(said.out)
    for part in (
        "b against a verdict worse: −41.7 points [",
        "pass@1 100.0 % → 58.3 % over 12 common tasks (24 and 24 measured rollouts; a pass is reward ≥ 1)",
        "points is found in 80 % of comparisons like this one",
        "set-up same setup: nothing that the rows tell differs",
        "differ 10 tasks passed less often, 0 more often",
        "2 2/2 1/2 −50.0 b:2/1",
        "and 2 more: --full",
    ):
        assert part in told, part
    assert "and 2 more" not in run("compare", runs, "--full").out


def test_slices_that_are_left_out_are_counted(tmp_path: Path) -> None:
    for name, passes in (("a", 1.0), ("b", 0.0)):
        lines = [
            row(task=task, prompt=f"Question {task}?", reward=passes, genre=f"kind {task % 10}") for task in range(80)
        ]
        write(tmp_path / f"{name}.jsonl", lines)
    told = flat(run("compare", tmp_path).out)
    assert "slices 10 differ beyond noise of 10 slices that were tested" in told
    assert told.endswith("and 2 more: --full")
    assert "genre = kind 9" in run("compare", tmp_path, "--full").out


@pytest.mark.parametrize("width", [80, 120])
def test_no_line_is_wider_than_the_terminal(runs: Path, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    assert max(map(len, run("compare", runs).out.splitlines())) <= width


def test_json_holds_comparisons_and_gates(runs: Path) -> None:
    said = run("compare", runs, "--json", "--fail-on", "regression")
    told = json.loads(said.out)
    assert said.code == 1
    assert told["comparisons"][0]["delta"]["value"] == pytest.approx(-100 * 5 / 12)
    assert [(gate["asked"], gate["holds"]) for gate in told["gates"]] == [("--fail-on regression", False)]


GATES = [
    (["--fail-on", "regression"], 1, "fails, b is worse by 41.7 points, beyond noise"),
    (["--fail-on", "regression:41"], 1, "fails, b is worse by 41.7 points, beyond noise"),
    (["--fail-on", "regression:42"], 0, "holds, b is worse beyond noise, but by 41.7 points only"),
    (["--fail-on", "regression", "--baseline", "b"], 0, "holds, a: better"),
    (["--require-mde", "90"], 0, "--require-mde 90: holds, the comparison of b finds differences from"),
    (["--require-mde", "0.5"], 1, "--require-mde 0.5: fails, the comparison of b finds differences from"),
]


@pytest.mark.parametrize(("options", "code", "told"), GATES)
@pytest.mark.parametrize("form", [[], ["--markdown"]])
def test_a_gate_says_whether_it_holds_and_decides_the_exit_code(
    runs: Path, options: list[str], code: int, told: str, form: list[str]
) -> None:
    said = run("compare", runs, *options, *form)
    assert (said.code, said.err) == (code, "")
    assert told.rpartition(":")[2].strip() in flat(said.out).replace("\\", "")


def test_nothing_inside_noise_fails_a_gate_but_too_little_to_see_it_does(tmp_path: Path) -> None:
    for name, passes in (("a", 12), ("b", 10)):
        write(tmp_path / f"{name}.jsonl", rows(passes))
    assert run("compare", tmp_path, "--fail-on", "regression").code == 0
    assert run("compare", tmp_path, "--fail-on", "regression", "--require-mde", "5").code == 1


def test_a_gate_on_runs_that_do_not_compare_is_an_error(runs: Path) -> None:
    write(runs / "b.jsonl", [row(task=99, prompt="Something else?")])
    said = run("compare", runs, "--fail-on", "regression")
    assert (said.code, said.out) == (2, "")
    assert "cannot tell whether b is a regression from a" in said.err
    assert run("compare", runs, "--require-mde", "5").code == 1
    assert run("compare", runs).code == 0


@pytest.mark.parametrize(
    "options",
    [
        ["--fail-on", "regresion"],
        ["--fail-on", "regression:"],
        ["--fail-on", "regression:-1"],
        ["--fail-on", "regression:nan"],
        ["--require-mde", "0"],
        ["--require-mde", "nan"],
        ["--require-mde", "inf"],
        ["--require-mde", "much"],
        ["--json", "--markdown"],
        ["--baseline", "nosuch"],
    ],
)
def test_what_cannot_be_asked_is_said_in_one_line(runs: Path, options: list[str]) -> None:
    said = run("compare", runs, *options)
    assert (said.code, said.out, len(said.err.splitlines())) == (2, "", 1)


def test_a_path_that_is_named_twice_is_compared_with_itself(runs: Path) -> None:
    said = run("compare", runs / "a.jsonl", runs / "." / "a.jsonl", "--fail-on", "regression")
    assert said.code == 0
    told = flat(said.out)
    assert "warning the run is compared with itself verdict no difference shown: 0.0 points" in told
    assert run("compare", runs / "a.jsonl").code == 2


def test_four_candidates_take_a_line_each(runs: Path) -> None:
    for name, passes in (("c", 5), ("d", 7), ("e", 12)):
        write(runs / f"{name}.jsonl", rows(passes))
    lines = run("compare", runs).out.splitlines()
    assert lines[0] == "4 runs against a"
    assert [line.split()[0] for line in lines[3:7]] == ["b", "c", "d", "e"]
    assert "adjusted for 4 candidates" in flat(run("compare", runs, "--full").out)


def test_the_summary_says_what_the_terminal_says(runs: Path) -> None:
    lines = run("compare", runs, "--markdown").out.splitlines()
    assert lines[0] == "### Compared with `a`"
    assert lines[4].startswith("| `b` | 🔴 **worse** | 100.0 % → 58.3 % | −41.7 [")
    assert "| `2` | 2/2 | 1/2 | `blade show b:2/1` |" in lines


def test_what_comes_out_of_rollouts_is_no_markup_in_the_summary(tmp_path: Path) -> None:
    evil = "<img src=x onerror=alert(1)> `code` | [link](http://x) @everyone\n# Title"
    for name, passes in (("a", 12), ("b", 2)):
        lines = rows(passes, genre=evil, agent_ref={"name": f"{evil} {name}"})
        write(
            tmp_path / f"{name}.jsonl", [each | {"_ng_task_index": f"{evil}{each['_ng_task_index']}"} for each in lines]
        )
    told = run("compare", tmp_path, "--markdown").out
    outside = "".join(told.split("`")[::2])
    assert "<img" not in outside
    assert "@everyone" not in outside
    assert "\n# Title" not in told
