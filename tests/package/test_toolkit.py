"""The toolkit script: the walk through a package by each of its three paths, with nothing installed."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from blade.package import toolkit
from tests.package.conftest import ROOT, TOOLKIT

PATHS = (".agents", ".claude", ".codex")


def start(script: Path, *arguments: object, bare: bool = True) -> subprocess.CompletedProcess[str]:
    """Run the script; bare, as where nothing is installed."""
    words = [sys.executable, *(["-S", "-I"] if bare else []), str(script), *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize("agent", PATHS)
def test_the_walk_through_works_by_every_path_with_nothing_installed(agent: str, package: Path, tmp_path: Path) -> None:
    script, out = ROOT / agent / TOOLKIT, tmp_path / "out"
    golden = package / "golden_reports" / "quick_golden_report.md"
    anchors, shallow = (golden.with_name(f"quick_{name}") for name in ("anchor_facts.json", "shallow.md"))
    anchors.unlink()
    shallow.unlink()

    before = start(script, "validate", "--benchmark-dir", package, "--phase", "all", "--min-anchor-facts", 8)
    assert before.returncode == 1
    assert "[FAIL] missing anchor facts" in before.stdout
    drafted = start(
        *(script, "extract-anchor-facts", "--golden", golden, "--output", anchors, "--benchmark", "completion_plus"),
        *("--model-name", "basalt", "--num-facts", 20, "--min-facts", 8),
    )
    assert drafted.returncode == 0, drafted.stderr
    found = json.loads(anchors.read_text(encoding="utf-8"))
    assert (found["benchmark"], found["model"], found["review_required"]) == ("completion_plus", "basalt", True)
    assert 8 <= len(found["anchor_facts"]) <= 20
    assert start(script, "make-shallow", "--input", golden, "--output", shallow).returncode == 0
    after = start(script, "validate", "--benchmark-dir", package)
    assert after.returncode == 0, after.stdout
    assert "[SKIP]" in after.stdout
    assert "pip install" in after.stdout
    scored = start(
        *(script, "score", "--report", golden, "--golden", golden, "--anchor-facts", anchors),
        *("--output-dir", out / "score"),
    )
    assert scored.returncode == 0
    assert json.loads((out / "score" / "reward.json").read_text(encoding="utf-8"))["final_score"] >= 0.85


def test_calibration_writes_its_summary_and_a_reward_for_every_case(package: Path, tmp_path: Path) -> None:
    script, reports = ROOT / ".agents" / TOOLKIT, package / "golden_reports"
    done = start(
        *(script, "calibrate", "--golden-report", reports / "quick_golden_report.md"),
        *("--anchor-facts", reports / "quick_anchor_facts.json", "--shallow-report", reports / "quick_shallow.md"),
        *("--output-dir", tmp_path / "calibration", "--min-spread", 0.5),
    )
    assert done.returncode == 0, done.stdout
    summary = json.loads((tmp_path / "calibration" / "calibration_summary.json").read_text(encoding="utf-8"))
    assert summary["golden_vs_self"] >= 0.85
    assert summary["shallow_vs_golden"] <= 0.40
    assert summary["spread"] >= 0.50
    assert summary.keys() >= {"targets", "note"}
    assert (tmp_path / "calibration" / "cases" / "shallow" / "reward.json").is_file()


def test_a_spread_that_cannot_be_ends_with_1(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reports = package / "golden_reports"
    code = toolkit.main(
        [
            *("calibrate", "--golden-report", str(reports / "quick_golden_report.md")),
            *("--anchor-facts", str(reports / "quick_anchor_facts.json"), "--min-spread", "0.99", "--json"),
        ]
    )
    assert code == 1
    assert "spread" in json.loads(capsys.readouterr().out)


def test_it_says_the_same_as_the_verb(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from click.testing import CliRunner

    from blade.cli import blade

    arguments = ["validate", "--benchmark-dir", str(package), "--phase", "skill"]
    assert toolkit.main(arguments) == 0
    verb = CliRunner().invoke(blade, [*arguments, "--no-cache"])
    assert verb.stdout == capsys.readouterr().out


def test_it_leaves_nothing_behind(package: Path) -> None:
    script = ROOT / ".agents" / TOOLKIT
    before = {path: path.stat().st_mtime for path in script.parents[1].rglob("*")}
    start(script, "validate", "--benchmark-dir", package, "--phase", "skill")
    assert {path: path.stat().st_mtime for path in script.parents[1].rglob("*")} == before


def test_in_another_repository_without_blade_one_line_says_how_to_install_it(tmp_path: Path) -> None:
    script = Path(shutil.copy(ROOT / ".agents" / TOOLKIT, tmp_path / "blade_toolkit.py"))
    done = start(script, "validate", "--benchmark-dir", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    assert "pip install" in line


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("nonsense",),
        ("validate",),
        ("validate", "--benchmark-dir", ".", "--phase", "none"),
        ("make-shallow", "--input", "none.md", "--output", "out.md"),
        ("score", "--report", ".", "--golden", ".", "--anchor-facts", "."),
    ],
    ids=" ".join,
)
def test_wrong_usage_ends_with_2_and_a_line(arguments: tuple[str, ...]) -> None:
    done = start(ROOT / ".agents" / TOOLKIT, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert done.stderr


def test_without_the_engine_facts_come_from_the_text_and_that_is_told(
    package: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], no_engine: None
) -> None:
    golden = package / "golden_reports" / "quick_golden_report.md"
    code = toolkit.main(
        [
            *("extract-anchor-facts", "--golden", str(golden), "--output", str(tmp_path / "facts.json")),
            *("--runs", str(package / "rollouts")),
        ]
    )
    assert code == 0
    assert "[SKIP] facts from rollouts" in capsys.readouterr().err


def test_too_few_facts_end_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "thin.md"
    report.write_text("# Thin\n\nNothing much happened.\n", encoding="utf-8")
    arguments = ["extract-anchor-facts", "--golden", str(report), "--output", str(tmp_path / "facts.json")]
    assert toolkit.main(arguments) == 1
    assert "--min-facts" in capsys.readouterr().err
