"""The files of a report: the same for the same input, redacted, in the shape that they promise."""

import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

import blade
from blade.errors import InputError
from blade.report import findings as gathering
from blade.report.schema import analysis_schema
from blade.report.sidecar import file_name
from blade.scan.cache import Cache
from tests.building import message, row, write
from tests.report.making import analysis, booked, markdown, page, report, run_of, two_runs

SECRET = "sk-live-4fQ2zXw91LmN8pR7tYv3Bc6Da5"


def files_of(directory: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(directory)): path.read_bytes() for path in sorted(directory.rglob("*")) if path.is_file()
    }


def test_a_report_is_four_files_and_the_metrics_of_each_run(tmp_path: Path) -> None:
    report(two_runs(tmp_path / "runs"), tmp_path / "out")
    assert list(files_of(tmp_path / "out")) == [
        "analysis.json",
        "metrics/before.json",
        "metrics/later.json",
        "report.html",
        "report.md",
    ]


def test_the_same_input_gives_the_same_bytes_wherever_they_are_written(tmp_path: Path) -> None:
    runs = two_runs(tmp_path / "runs")
    report(runs, tmp_path / "one")
    report(runs, tmp_path / "two" / "deeper")
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two" / "deeper")


def test_what_is_known_from_before_gives_the_same_bytes_and_is_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, options = two_runs(tmp_path / "runs"), blade.Options(cache=Cache(tmp_path / "cache"), workers=1)
    blade.write_report(runs, tmp_path / "one", options=options)
    with monkeypatch.context() as patched:
        patched.setattr(gathering, "explain_cases", lambda *_, **__: pytest.fail("explained again"))
        blade.write_report(runs, tmp_path / "two", options=options)
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")


def test_other_settings_other_files_and_other_sidecars_are_looked_at_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, options = two_runs(tmp_path / "runs"), blade.Options(cache=Cache(tmp_path / "cache"), workers=1)
    made: list[str] = []
    explain = gathering.explain_cases

    def counted(*arguments: Any, **more: Any) -> Any:
        made.append("")
        return explain(*arguments, **more)

    monkeypatch.setattr(gathering, "explain_cases", counted)
    blade.write_report(runs, tmp_path / "out", options=options)
    blade.write_report(runs, tmp_path / "out", blade.Settings(seed=8), options)
    blade.write_report(runs, tmp_path / "out", options=options, baseline="later")
    (runs / "later_rollouts_metrics.json").write_text('{"pass_at_1": 0.5}')
    blade.write_report(runs, tmp_path / "out", options=options)
    run_of(runs / "later_rollouts.jsonl", [[True, False]] * 12)
    blade.write_report(runs, tmp_path / "out", options=options)
    assert len(made) == 5


def test_the_schema_is_one_and_every_key_of_the_contract_is_in_it() -> None:
    schema = analysis_schema()
    assert jsonschema_rs.meta.is_valid(schema)
    top = schema["$defs"]["AnalysisFile"]["properties"]
    words = "schema inputs benchmark pass_rule runs comparisons tasks health interventions unread"
    assert set(words.split()) <= top.keys()
    words = (
        "run model agent sampling skills rows measured expected tasks repeats skipped not_measured metrics worst_case"
        " not_measured_as_failed buckets funnel modes"
    )
    assert set(words.split()) <= schema["$defs"]["Run"]["properties"].keys()
    words = (
        "baseline candidate comparable delta reward_delta verdict minimum_detectable to_settle terms reward_terms"
        " headline flips flows slices"
    )
    assert set(words.split()) <= schema["$defs"]["Explained"]["properties"].keys()
    assert schema["$defs"]["Flow"]["properties"].keys() == {"from", "to", "points"}


def test_the_metrics_of_a_run_agree_with_its_rows_when_they_stand_beside_it(tmp_path: Path) -> None:
    runs = two_runs(tmp_path / "runs")
    report(runs, tmp_path / "out")
    for name in ("before", "later"):
        shutil.copy(tmp_path / "out" / "metrics" / f"{name}.json", runs / f"{name}_rollouts_metrics.json")
    checks = [check for run in blade.metrics(str(runs)) for check in run.shipped]
    assert len(checks) == 2
    assert all(check.checked == check.agreed >= 5 for check in checks), checks


@pytest.mark.parametrize("name", ["a/b", "..", "x" * 300, "später@agent:1", "C:\\x", "a\nb"])
def test_any_name_of_a_run_makes_one_name_of_a_file(name: str, tmp_path: Path) -> None:
    path = tmp_path / file_name(name)
    path.write_text("{}")
    assert path.parent == tmp_path
    assert len(path.name) < 200


def test_secrets_and_private_names_are_taken_out_of_everything_that_is_written(tmp_path: Path) -> None:
    rows = [booked(task, 0, passes=task % 2 == 0) for task in range(6)]
    for each in rows[1::2]:
        each["response"]["output"].append(message(f"I used the key {SECRET} and wrote to ann.lee@corp-mail.org."))
        each["failure_reason"] = "no file at /home/annlee/work/plan.txt"
    write(tmp_path / "runs" / "leaky_rollouts.jsonl", rows)
    found = report(tmp_path / "runs", tmp_path / "out")
    everything = b"".join(files_of(tmp_path / "out").values()).decode()
    for private in (SECRET, "ann.lee", "annlee"):
        assert private not in everything
    assert "<email-1>" in json.dumps(analysis(tmp_path / "out")) + markdown(tmp_path / "out").replace("&lt;", "<")
    assert sum(found.redacted.values()) >= 3
    assert "Redacted: " in markdown(tmp_path / "out")
    report(tmp_path / "runs", tmp_path / "plain", redact=False)
    assert SECRET in (tmp_path / "plain" / "report.html").read_text()
    assert "this report may hold secrets" in markdown(tmp_path / "plain")


def test_redaction_leaves_ids_alone(tmp_path: Path) -> None:
    rows = [row(task=f"ann{task}@corp-mail.org", rollout=0, reward=task % 2, prompt=f"q{task}") for task in range(4)]
    write(tmp_path / "runs" / "mail_rollouts.jsonl", rows)
    report(tmp_path / "runs", tmp_path / "out")
    found = analysis(tmp_path / "out")
    assert {label["task"] for label in found["tasks"]} == {f"ann{task}@corp-mail.org" for task in range(4)}
    assert all("@corp-mail.org/0" in ref for mode in found["runs"][0]["modes"] for ref in mode["refs"])


def test_a_place_that_cannot_be_written_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        report(two_runs(tmp_path / "runs"), tmp_path / "file")


def test_lines_that_cannot_be_read_are_told_with_their_place(tmp_path: Path) -> None:
    rows = [booked(task, 0, passes=True) for task in range(3)]
    write(tmp_path / "runs" / "torn_rollouts.jsonl", [*rows, '{"broken'])
    report(tmp_path / "runs", tmp_path / "out")
    found = analysis(tmp_path / "out")
    assert [skip["line"] for skip in found["runs"][0]["skipped"]] == [4]
    assert {key: found["unread"][0][key] for key in ("what", "rows")} == {"what": "torn: lines", "rows": 1}
    assert "1 line that could not be read" in markdown(tmp_path / "out")
    assert "line 4 was skipped" in page(tmp_path / "out").text
