"""The verbs of the room end as they should, whatever they are given."""

import json
from pathlib import Path

import pytest

from tests.building import run
from tests.check.conftest import Known


def test_a_true_report_ends_with_0_and_a_false_one_with_1(known: Known, tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    report.write_text("# Note\n\nhasty passes 56 of 80.\n", encoding="utf-8")
    assert run("check", report, "--runs", *known.paths).code == 0
    report.write_text("# Note\n\nhasty passes 61 of 80.\n", encoding="utf-8")
    said = run("check", report, "--runs", *known.paths)
    assert said.code == 1
    assert "true is 56 of 80" in said.out


def test_facts_are_written_and_too_few_end_with_1(known: Known, tmp_path: Path) -> None:
    report, facts = tmp_path / "hasty_golden_report.md", tmp_path / "facts.json"
    report.write_text(known.report, encoding="utf-8")
    words = ("extract-anchor-facts", "--golden", report, "--output", facts, "--num-facts", "10")
    assert run(*words, "--runs", *known.paths).code == 0
    found = json.loads(facts.read_text(encoding="utf-8"))
    assert (found["model"], len(found["anchor_facts"]), found["review_required"]) == ("hasty", 10, True)
    assert run(*words, "--min-facts", "11").code == 1


@pytest.mark.parametrize("content", [b"\0\1\2", b"", b"{", b"[" * 5_000, b'{"anchor_facts": [{}]}', None])
@pytest.mark.parametrize("verb", ["score", "calibrate"])
def test_a_broken_file_of_facts_is_told_in_one_line(content: bytes | None, verb: str, tmp_path: Path) -> None:
    report, facts = tmp_path / "report.md", tmp_path / "facts.json"
    report.write_text("# Report\n", encoding="utf-8")
    if content is not None:
        facts.write_bytes(content)
    names = {"score": ("--report", report, "--golden", report), "calibrate": ("--golden-report", report)}
    said = run(verb, *names[verb], "--anchor-facts", facts)
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)


def test_a_score_is_written_as_a_reward(tmp_path: Path) -> None:
    report, facts = tmp_path / "report.md", tmp_path / "facts.json"
    report.write_text("# Report\n\nTask 3 of alder never passes: it loops over `list_files`.\n", encoding="utf-8")
    fact = {"id": "B1", "fact": "Task 3 of alder never passes because it loops over list_files."}
    facts.write_text(json.dumps({"anchor_facts": [fact]}), encoding="utf-8")
    words = ("--report", report, "--golden", report, "--anchor-facts", facts, "--output-dir", tmp_path / "out")
    assert run("score", *words).code == 0
    reward = json.loads((tmp_path / "out" / "reward.json").read_text(encoding="utf-8"))
    assert reward["reward"] == reward["final_score"] > 0.8
