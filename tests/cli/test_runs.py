"""`blade runs`, and what holds for every verb: exit codes, streams, JSON, strictness."""

import json
from pathlib import Path

import pytest

from blade.cli import VERBS
from tests.building import message, owed, row, run, start, write

PACKAGE = Path(__file__).parents[2] / "benchmarks" / "completion_plus"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write(tmp_path / "m_rollouts_materialized_inputs.jsonl", [owed(task=task) for task in range(4)])
    lines = [
        row(task=0),
        "<PLACEHOLDER ROW>",
        row(task=1, reward=0.0),
        row(task=1, reward=0.0),
        row(task=2, mask_sample=True),
    ]
    return write(tmp_path / "m_rollouts.jsonl", lines)


def test_a_run_is_told_with_what_is_there_and_what_is_missing(path: Path) -> None:
    said = run("runs", path)
    assert (said.code, said.err) == (0, "")
    told = " ".join(said.out.split())
    for part in (
        "4 rows, 3 tasks, 1 per task",
        "1 duplicate among them",
        "1 line skipped",
        "3 of 4 that are owed (75.0 %)",
        "1 missing",
        "masked 1 row",
        "tiny",
        ":2: not JSON",
    ):
        assert part in told


def test_json_of_runs_is_the_summary(path: Path) -> None:
    [told] = json.loads(run("runs", "--json", path).out)
    assert (told["run"], told["rows"], told["tasks"], told["expected"], told["missing"]) == ("m", 4, 3, 4, ["3/0"])
    assert told["skipped"] == [
        {"file": str(path), "line": 2, "why": told["skipped"][0]["why"], "offset": told["skipped"][0]["offset"]}
    ]
    assert told["reward"] == {"count": 3, "mean": 2 / 3, "low": 0.0, "high": 1.0, "at_one": 2, "absent": 0}


def test_many_runs_take_a_line_each(tmp_path: Path) -> None:
    for number in range(12):
        write(tmp_path / f"run{number:02d}.jsonl", [row(reward=number / 12)])
    brief = run("runs", tmp_path).out.splitlines()
    assert len(brief) == 16
    assert brief[-1].startswith("12 runs, 12 rows, 0 lines skipped")
    assert len(run("runs", tmp_path, "--full").out.splitlines()) > 40


def test_strict_fails_on_the_first_bad_line_and_names_it(path: Path) -> None:
    for command in (("runs",), ("sql", "select 1")):
        said = run(*command, path, "--strict")
        assert (said.code, said.out) == (2, "")
        [line] = said.err.splitlines()
        assert f"{path}:2: not JSON" in line
        assert "without --strict such lines are skipped and counted" in line
    write(path, [row()])
    assert run("runs", path, "--strict").code == 0


def test_strict_looks_at_sidecars_too(path: Path) -> None:
    write(path, [row()])
    sidecar = write(path.with_name("m_rollouts_failures.jsonl"), [row(), row(task=1), "bad", "worse"])
    said = run("runs", path, "--strict")
    assert said.code == 2
    assert f"{sidecar}:3: not JSON" in said.err
    assert "1 more" in said.err


def test_the_limit_of_a_line_is_given_in_megabytes(tmp_path: Path) -> None:
    path = write(tmp_path / "m.jsonl", [row(), row(task=1, note="x" * 1_100_000)])
    assert json.loads(run("runs", "--json", path).out)[0]["rows"] == 2
    assert json.loads(run("runs", "--json", path, "--max-line", "1").out)[0]["rows"] == 1


@pytest.mark.parametrize(
    "command",
    [
        ("runs", "PATH", "--workers", "0"),
        ("runs", "PATH", "--nonsense"),
        ("nonsense",),
        ("runs", "NONE"),
        ("runs", "EMPTY"),
        ("show",),
        ("show", "x"),
        ("sql", "select", "PATH"),
        ("sql", "select 1", "NONE"),
    ],
    ids=" ".join,
)
def test_bad_usage_and_unreadable_input_end_with_code_2_and_nothing_on_standard_output(
    command: tuple[str, ...], path: Path, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    names = {"PATH": path, "NONE": tmp_path / "none.jsonl", "EMPTY": tmp_path / "empty"}
    said = run(*(names.get(part, part) for part in command))
    assert (said.code, said.out) == (2, "")
    assert said.err
    assert "Traceback" not in said.err


def test_every_verb_prints_json(path: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "other_rollouts.jsonl", [row()])
    empty = write(tmp_path / "known.toml", [])
    report = tmp_path / "golden.md"
    report.write_text("# Golden\n\nTask 0 passes 1 of 1 in m.\n", encoding="utf-8")
    facts = tmp_path / "facts.json"
    facts.write_text('{"anchor_facts": [{"id": "B1", "fact": "Task 0 passes 1 of 1 in m."}]}', encoding="utf-8")
    commands = {
        "runs": ("runs", "--json", path),
        "show": ("show", "--json", "m:0/0", path),
        "sql": ("sql", "--json", "select 1 as one", path),
        "cache": ("cache", "--json"),
        "metrics": ("metrics", "--json", path),
        "compare": ("compare", "--json", path, other),
        "failures": ("failures", "--json", path),
        "why": ("why", "--json", path, other),
        "fixes": ("fixes", "--json", path),
        "health": ("health", "--json", path),
        "profile": ("profile", "check", "--json", empty, path),
        "task": ("task", "--json", path, "0"),
        "report": ("report", "--json", path, "-o", tmp_path / "report"),
        "check": ("check", "--json", report, "--runs", path),
        "extract-anchor-facts": (
            *("extract-anchor-facts", "--json", "--golden", report, "--min-facts", "0"),
            *("--output", tmp_path / "drafted.json", "--runs", path),
        ),
        "make-shallow": ("make-shallow", "--json", "--input", report, "--output", tmp_path / "shallow.md"),
        "score": ("score", "--json", "--report", report, "--golden", report, "--anchor-facts", facts),
        "calibrate": ("calibrate", "--json", "--golden-report", report, "--anchor-facts", facts, "--min-spread", "0"),
        "validate": ("validate", "--json", "--benchmark-dir", PACKAGE, "--phase", "skill"),
        "package": ("package", "init", "p", "--json", "--no-calibrate", "--dir", tmp_path, "--runs", path, other),
        "sanitize": ("sanitize", "--json", path),
        "skill": ("skill", "install", "--json", "--dir", tmp_path),
        "schema": ("schema", "analysis"),
    }
    assert commands.keys() == VERBS.keys()
    for verb, command in commands.items():
        said = run(*command)
        assert said.code == (1 if verb == "package" else 0)  # so small a package lacks anchor facts
        json.loads(said.out)


def test_help_names_every_verb() -> None:
    said = run("--help")
    assert said.code == 0
    for verb, meaning in VERBS.items():
        assert verb in said.out
        assert " ".join(meaning.split()[:3]) in said.out
        assert run(verb, "--help").code == 0


def test_version_is_printed() -> None:
    assert run("--version").out.startswith("blade, version ")


def test_a_process_of_its_own_gives_the_same_answer_and_code(path: Path) -> None:
    assert start("runs", "--json", path) == run("runs", "--json", path)
    assert start("runs", path.with_name("none.jsonl")).code == 2


def test_wide_and_combining_characters_keep_the_table_aligned(tmp_path: Path) -> None:
    path = write(
        tmp_path / "m.jsonl", [row(message("x"), task=..., task_id=name) for name in ("世界", "e\u0301", "ab")]
    )
    lines = run("sql", "select task, reward from rollouts order by row", path).out.splitlines()
    assert [line.split()[-1] for line in lines[2:]] == ["1", "1", "1"]
    assert lines[2].index("1") + 2 == lines[4].index("1")
