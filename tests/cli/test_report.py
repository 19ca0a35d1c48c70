"""`blade report` and `blade schema` on the command line."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from click.testing import CliRunner, Result

from blade.cli import blade
from tests.report.making import run_of, two_runs


def invoke(*words: Any) -> Result:
    return CliRunner().invoke(blade, [str(word) for word in words])


def test_the_terminal_answers_and_says_where_the_report_lies(tmp_path: Path) -> None:
    done = invoke("report", two_runs(tmp_path / "runs"), "-o", tmp_path / "out", "--workers", 1)
    assert done.exit_code == 0, done.output
    shown = " ".join(done.stdout.split())
    assert "later is worse than before" in shown
    assert "first fix Have the model check dates and times" in shown
    assert "for later, at most 77.8" in shown
    assert str(tmp_path / "out" / "report.html") in shown.replace(" ", "")
    assert (tmp_path / "out" / "report.html").exists()


def test_one_run_is_enough(tmp_path: Path) -> None:
    path = run_of(tmp_path / "only_rollouts.jsonl", [[True, False], [False, False]])
    done = invoke("report", path, "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "pass@1" in done.stdout


def test_several_candidates_each_get_their_answer(tmp_path: Path) -> None:
    for name in "abc":
        run_of(tmp_path / f"{name}_rollouts.jsonl", [[True, name == "a"]] * 8)
    done = invoke("report", tmp_path, "-o", tmp_path / "out")
    assert "b against a" in done.stdout
    assert "c against a" in done.stdout
    assert done.stdout.count("first fix") == 1


def test_json_is_what_stands_in_the_file(tmp_path: Path) -> None:
    done = invoke("report", two_runs(tmp_path / "runs"), "-o", tmp_path / "out", "--json")
    assert json.loads(done.stdout) == json.loads((tmp_path / "out" / "analysis.json").read_text())


def test_without_a_place_the_report_lies_in_the_current_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    two_runs(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert invoke("report").exit_code == 0
    assert (tmp_path / "blade-report" / "report.md").exists()
    assert invoke("report").exit_code == 0


def test_the_report_says_how_to_make_it_again_wherever_it_lies(tmp_path: Path) -> None:
    runs = two_runs(tmp_path / "my runs")
    options = ("--baseline", "later", "--seed", 3, "--threshold", 0.5, "--workers", 1, "--no-redact")
    done = invoke("report", runs, "-o", tmp_path / "out", *options)
    assert done.exit_code == 0, done.output
    text = (tmp_path / "out" / "report.md").read_text()
    assert f"blade report '{runs}' --baseline later --no-redact --threshold 0.5 --seed 3 -o OUT" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nowhere.jsonl",), "no such file"),
        (("RUNS", "--baseline", "nobody"), "no run is named nobody"),
        (("RUNS", "-o", "RUNS/before_rollouts.jsonl"), "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_an_error(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    two_runs(tmp_path / "runs")
    done = invoke("report", *(word.replace("RUNS", str(tmp_path / "runs")) for word in words))
    assert done.exit_code != 0
    assert said in str(done.exception)


def test_the_schema_that_is_printed_holds_for_what_is_written(tmp_path: Path) -> None:
    invoke("report", two_runs(tmp_path / "runs"), "-o", tmp_path / "out")
    schema = json.loads(invoke("schema", "analysis").stdout)
    found = json.loads((tmp_path / "out" / "analysis.json").read_text())
    assert jsonschema_rs.is_valid(schema, found)
    del found["runs"][0]["modes"]
    assert not jsonschema_rs.is_valid(schema, found)
    assert invoke("schema", "nothing").exit_code == 2
