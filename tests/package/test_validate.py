"""Validation: presence and truth, a finding for everything that is broken, nothing written, never a stack trace."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from blade.cli import blade
from blade.package.findings import FAIL, PASS, PHASES, SKIP, Finding
from blade.package.validate import Validation, validate
from tests.package.conftest import ROOT

LOST = "rollouts/quick_rollouts.jsonl"
REPORT = "golden_reports/quick_golden_report.md"
METRICS = "golden_reports/quick_golden_report_metrics.json"
ANCHORS = "golden_reports/quick_anchor_facts.json"
SHALLOW = "golden_reports/quick_shallow.md"


def failures(found: Validation) -> list[str]:
    return [each.check for each in found.findings if each.status == FAIL]


def test_a_sound_package_passes_every_check(package: Path) -> None:
    found = validate(package)
    assert failures(found) == []
    assert {each.phase for each in found.findings} == set(PHASES)
    assert not any(each.status == SKIP for each in found.findings)
    assert found.lines()[-1] == f"Summary: {found.counted}/{found.counted} checks passed"


def test_with_the_standard_library_alone_what_needs_the_engine_is_skipped_and_says_how_to_install_it(
    package: Path,
) -> None:
    script = (
        "import sys, json; sys.path.insert(0, sys.argv[1]); from blade.package.validate import validate; "
        "print(json.dumps([list(each) for each in validate(sys.argv[2]).findings]))"
    )
    command = [sys.executable, "-S", "-I", "-c", script, str(ROOT / "src"), str(package)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    found = Validation([Finding(*each) for each in json.loads(done.stdout)])
    skipped = [each for each in found.findings if each.status == SKIP]
    assert failures(found) == []
    assert any("recomputed" in each.check for each in skipped)
    assert any("profile rules" in each.check for each in skipped)
    assert all("pip install" in each.detail for each in skipped)


def test_nothing_is_written_into_the_package(package: Path) -> None:
    def state() -> list[tuple[str, int, float]]:
        return sorted((str(p), p.stat().st_size, p.stat().st_mtime) for p in package.rglob("*"))

    before = state()
    validate(package)
    assert state() == before


def test_the_verb_prints_a_line_for_each_finding_and_ends_with_the_summary(package: Path) -> None:
    (package / "skill" / "SKILL.md").unlink()
    shown = CliRunner().invoke(blade, ["validate", "--benchmark-dir", str(package), "--phase", "skill", "--no-cache"])
    assert shown.exit_code == 1
    assert "[FAIL] D1 skill missing" in shown.output
    assert "fix: " in shown.output
    assert shown.output.splitlines()[-1].startswith("Summary: ")


def test_json_has_every_finding_with_its_fix(package: Path) -> None:
    (package / METRICS).unlink()
    arguments = ["validate", "--benchmark-dir", str(package), "--phase", "golden", "--json", "--no-cache"]
    shown = CliRunner().invoke(blade, arguments)
    found = json.loads(shown.stdout)
    [missing] = [each for each in found["findings"] if each["status"] == FAIL]
    assert shown.exit_code == 1
    assert (missing["check"], missing["file"]) == ("missing metrics sidecar", METRICS)
    assert missing["fix"]
    assert found["checks"] == found["passed"] + 1


@pytest.mark.usefixtures("no_engine")
def test_more_anchor_facts_may_be_demanded(package: Path) -> None:
    assert failures(validate(package, phase="golden", least_facts=99)) == ["at least 99 anchor facts"]


# What users meet most


def _second_run_away(package: Path) -> None:
    (package / LOST).unlink()


def _no_rewards(package: Path) -> None:
    _rows(package, lambda row: {key: value for key, value in row.items() if key != "reward"})


def _no_tasks(package: Path) -> None:
    dropped = ("_ng_task_index", "task_id")
    _rows(package, lambda row: {key: value for key, value in row.items() if key not in dropped})


def _rows(package: Path, change: Callable[[dict[str, object]], dict[str, object]], name: str = LOST) -> None:
    path = package / name
    rows = [change(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _gone(name: str) -> Callable[[Path], None]:
    def away(package: Path) -> None:
        path = package / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()

    return away


@pytest.mark.usefixtures("no_engine")
@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (_gone("skill/SKILL.md"), "D1 skill missing"),
        (_gone("rollouts"), "At least two scored rollout files"),
        (_second_run_away, "At least two scored rollout files"),
        (_no_rewards, "At least two scored rollout files"),
        (_no_tasks, "task id field present"),
        (_gone(METRICS), "missing metrics sidecar"),
        (_gone(ANCHORS), "missing anchor facts"),
        (_gone(SHALLOW), "missing shallow report"),
        (_gone("golden_reports"), "golden report missing"),
    ],
)
def test_what_is_missing_is_told_in_the_words_that_users_know(
    package: Path, spoil: Callable[[Path], None], words: str
) -> None:
    spoil(package)
    assert words in failures(validate(package))


@pytest.mark.usefixtures("no_engine")
def test_the_other_spellings_and_places_are_known(package: Path) -> None:
    (package / "skill" / "SKILL.md").rename(package / "SKILL.md")
    (package / "skill" / "profile.toml").rename(package / "profile.toml")
    (package / "rollouts").rename(package / "data")
    for path in list((package / "golden_reports").iterdir()):
        path.rename(path.with_name(path.name.replace("_", "-")))
    assert failures(validate(package)) == []


@pytest.mark.usefixtures("no_engine")
def test_a_report_that_compares_needs_no_companions(package: Path) -> None:
    comparisons = list((package / "golden_reports").glob("*_vs_*"))
    assert [path.suffix for path in comparisons] == [".md"]
    assert failures(validate(package, phase="golden")) == []


# What is there and not true


def _text(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(package: Path) -> None:
        text = (package / name).read_text(encoding="utf-8")
        assert old in text
        (package / name).write_text(text.replace(old, new), encoding="utf-8")

    return change


def _value(name: str, key: str, value: object) -> Callable[[Path], None]:
    def change(package: Path) -> None:
        found = json.loads((package / name).read_text(encoding="utf-8"))
        (package / name).write_text(json.dumps(found | {key: value}), encoding="utf-8")

    return change


def _facts(change: Callable[[list[dict[str, object]]], object]) -> Callable[[Path], None]:
    def changed(package: Path) -> None:
        found = json.loads((package / ANCHORS).read_text(encoding="utf-8"))
        change(found["anchor_facts"])
        (package / ANCHORS).write_text(json.dumps(found), encoding="utf-8")

    return changed


def _other_tasks(package: Path) -> None:
    _rows(package, lambda row: row | {"_ng_task_index": int(str(row["_ng_task_index"])) + 1000})


def _other_prompts(package: Path) -> None:
    _rows(package, lambda row: row | {"responses_create_params": {"input": f"something else {row['task_id']}"}})


def _same_file_twice(package: Path) -> None:
    shutil.copyfile(package / "rollouts" / "careful_rollouts.jsonl", package / LOST)


def _rows_twice(package: Path) -> None:
    path = package / LOST
    path.write_bytes(path.read_bytes() + path.read_bytes().splitlines(keepends=True)[0])


@pytest.mark.usefixtures("no_engine")
@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (_text("skill/SKILL.md", "name: completion-plus-analysis", "name: Completion Plus"), "skill frontmatter"),
        (_text("skill/SKILL.md", "---\nname", "name"), "skill frontmatter"),
        (_text("skill/SKILL.md", "## Workflow Funnel", "## Something"), "skill section: workflow funnel"),
        (_text("skill/SKILL.md", "completion_plus measures", "TODO measures"), "skill section: overview"),
        (_text("skill/SKILL.md", "| `", "| `nothing_like_"), "input schema matches the rollouts"),
        (_text("skill/profile.toml", 'cause = "KG"', 'cause = "knowledge"'), "profile is well-formed"),
        (_text("skill/profile.toml", "[[stage]]", "[[stage"), "profile is well-formed"),
        (_other_tasks, "runs are comparable"),
        (_other_prompts, "runs are comparable"),
        (_same_file_twice, "runs are comparable"),
        (_rows_twice, "repeat ids tell repeats apart"),
        (_text(LOST, '"reward":1.0', '"reward":"good"'), "rewards are numbers"),
        (_text(REPORT, "## Recommendations", "## Etcetera"), "golden report sections"),
        (_value(METRICS, "pass_at_1", 0.9876), "metrics sidecar matches the report"),
        (lambda package: (package / METRICS).write_text('{"model_name": "x"}'), "metrics sidecar well-formed"),
        (_facts(lambda facts: facts[0].update(id=facts[1]["id"])), "anchor facts well-formed"),
        (_facts(lambda facts: facts[0].update(difficulty="extreme")), "anchor facts well-formed"),
        (_facts(lambda facts: facts[0].update(fact="")), "anchor facts well-formed"),
        (_facts(lambda facts: facts[0].update(fact="The model often fails at hard things.")), "anchor facts concrete"),
        (
            _facts(lambda facts: facts[0].update(fact="Task 3 of quick calls refund_order twice at step 9.")),
            "anchor facts stand in the report",
        ),
        (_facts(lambda facts: facts.__delitem__(slice(3, None))), "at least 8 anchor facts"),
        (_text(SHALLOW, "## Recommendations", "## Recommendations\n\nTrain it on edges."), "shallow report is shallow"),
    ],
)
def test_what_is_there_and_not_true_is_found(package: Path, spoil: Callable[[Path], object], words: str) -> None:
    spoil(package)
    assert words in failures(validate(package))


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (_text("skill/profile.toml", "error_kind = 'no_code_block'", "eror_kind = 'x'"), "profile rules run"),
        (
            lambda package: (_value(METRICS, "pass_at_1", 0.875)(package), _text(REPORT, "120", "120 (87.5)")(package)),
            "metrics sidecar recomputed from the rollouts",
        ),
        (_text(REPORT, "28 of 57", "39 of 57"), "claims hold against the rollouts"),
        (
            _facts(lambda facts: facts[0].update(fact="Task 0 of quick passes 4 of 4.")),
            "anchor facts hold against the rollouts",
        ),
    ],
)
def test_the_rollouts_have_the_last_word(package: Path, spoil: Callable[[Path], object], words: str) -> None:
    spoil(package)
    assert words in failures(validate(package))


# What can be wrong with files


BROKEN: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "blank": lambda path: path.write_bytes(b"\n  \n"),
    "binary": lambda path: path.write_bytes(bytes(range(256)) * 64),
    "directory": lambda path: (path.unlink(), path.mkdir()),
    "link to nothing": lambda path: (path.unlink(), path.symlink_to("nowhere")),
    "link to itself": lambda path: (path.unlink(), path.symlink_to(path.name)),
    "link outside": lambda path: (path.rename(path.parents[2] / "moved"), path.symlink_to("../../moved")),
    "pipe": lambda path: (path.unlink(), os.mkfifo(path)),
    "not utf-8": lambda path: path.write_bytes(b"\xff\xfe\xfd" * 1000),
    "deep": lambda path: path.write_bytes(b"[" * 200_000),
    "no list": lambda path: path.write_text('{"anchor_facts": 3}'),
    "a list": lambda path: path.write_text("[1, null, {}, []]"),
    "a number": lambda path: path.write_text("1e999"),
    "huge": lambda path: path.write_bytes(b"x" * 60_000_000),
}


@pytest.mark.usefixtures("no_engine")
@pytest.mark.parametrize("name", ["skill/SKILL.md", "skill/profile.toml", LOST, REPORT, METRICS, ANCHORS, SHALLOW])
@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_file_is_a_finding_and_no_stack_trace(package: Path, name: str, how: str) -> None:
    BROKEN[how](package / name)
    found = validate(package, phase=name.partition("/")[0].replace("golden_reports", "golden"))
    assert failures(found), how
    assert "cannot be carried out" not in "\n".join(found.lines())
    assert any(Path(name).stem in line for line in found.lines() if line.startswith("[FAIL]"))


@pytest.mark.parametrize("name", [LOST, "skill/profile.toml"])
@pytest.mark.parametrize("how", ["empty", "binary", "directory", "link to nothing", "deep", "a list"])
def test_the_engine_meets_broken_files_as_well(package: Path, name: str, how: str) -> None:
    BROKEN[how](package / name)
    found = validate(package)
    assert failures(found)
    assert "cannot be carried out" not in "\n".join(found.lines())


def test_a_package_that_is_not_there_or_empty_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    for place in (tmp_path / "nowhere", tmp_path / "file"):
        found = validate(place)
        assert failures(found) == ["package directory"]
    (tmp_path / "empty").mkdir()
    assert {"D1 skill missing", "At least two scored rollout files", "golden report missing"} <= set(
        failures(validate(tmp_path / "empty"))
    )


@pytest.mark.usefixtures("no_engine")
def test_what_stands_in_names_and_texts_does_not_steer_the_terminal(package: Path) -> None:
    (package / REPORT).rename(package / "golden_reports" / "qu\x1b[31mick\n_golden_report.md")
    for line in validate(package, phase="golden").lines():
        assert line.isprintable()


@pytest.mark.usefixtures("no_engine")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("skill/SKILL.md", "\nThe key is sk-proj-Zk3jd83hdKd93jdkw93kdKDJ3kd93.\n"),
        ("golden_reports/quick_golden_report.md", "\nSee /home/tbergmann/runs/out.txt for more.\n"),
        ("golden_reports/quick_shallow.md", "\n| served at | http://10.31.4.9:8000/v1 |\n"),
        ("skill/notes.txt", "judge: https://llm.basalt-labs.io/v1/chat/completions\n"),
        ("skill/profile.toml", "# runs stand in /lustre/fsw/team/tbergmann/runs\n"),
    ],
)
def test_what_must_not_be_shared_is_found_wherever_it_stands(package: Path, name: str, text: str) -> None:
    with (package / name).open("a", encoding="utf-8") as file:
        file.write(text)
    found = validate(package)
    assert [each.file for each in found.findings if each.check == "sanitised" and each.status == FAIL] == [name]


@pytest.mark.usefixtures("no_engine")
def test_a_secret_in_a_rollout_is_found(package: Path) -> None:
    _rows(package, lambda row: row | {"log": "password: hunter22!x"})
    assert "sanitised" in failures(validate(package, phase="rollouts"))


def test_every_status_has_a_meaning() -> None:
    from blade.package.findings import STATUSES

    assert set(STATUSES) == {PASS, FAIL, SKIP}
