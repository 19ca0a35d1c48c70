"""`blade show`: what a ref points to."""

import gzip
import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.building import BLADE, Said, call, message, result, row, run, start, write

ESC = "\x1b]0;owned\x07\x1b[31mred\x9b31m\x1b[0m\u202egnp\u2066x\u061c\x08\x7f\r"
UNSAFE = [
    chr(code)
    for code in (
        *range(0x0A),
        *range(0x0B, 0x20),
        *range(0x7F, 0xA0),
        0x061C,
        0x200E,
        0x200F,
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
    )
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    steps = [message("I look it up"), call("search", '{"q": "two", "n": 2}'), result("it is 4"), message("4")]
    lines = [
        row(*steps, task=3, rollout=1, prompt=[message("Be brief.", "system"), message("2 + 2?", "user")], judge="ok"),
        row(task=3, rollout=1, reward=0.0),
        row(task=..., task_id="a b/c", rollout=0),
    ]
    write(
        tmp_path / "m_rollouts_failures.jsonl",
        [row(task=3, rollout=2, response=..., _ng_failure_class="agent_run_error")],
    )
    return write(tmp_path / "m_rollouts.jsonl", lines)


def refused(said: Said) -> str:
    """The one line on standard error of a command that was refused."""
    assert (said.code, said.out) == (2, "")
    [line] = said.err.splitlines()
    return line


def test_a_rollout_shows_its_prompt_steps_and_fields(path: Path) -> None:
    said = run("show", "m:3/1", path)
    assert (said.code, said.err) == (0, "")
    for part in (
        "m:3/1",
        "reward",
        "tiny",
        "#i0",
        "Be brief.",
        "#i1",
        "2 + 2?",
        "#1",
        "search",
        "q = ",
        "#2",
        "it is 4",
        "→ #2",
        "judge",
        "ok",
    ):
        assert part in said.out


@pytest.mark.parametrize(
    ("step", "text"), [("0", "I look it up"), ("2", "it is 4"), ("i0", "Be brief."), ("i1", "2 + 2?")]
)
def test_a_step_shows_its_text_and_no_other(step: str, text: str, path: Path) -> None:
    said = run("show", f"m:3/1#{step}", path)
    assert said.code == 0
    assert text in said.out
    assert said.out.count("    ") == 1


def test_duplicates_failed_attempts_and_encoded_ids_have_refs_too(path: Path) -> None:
    assert "reward" in run("show", "m:3/1.d1", path).out
    failed = run("show", "m:3/2.a1", path)
    assert "the row holds no trajectory" in failed.out
    assert "agent_run_error" in failed.out
    assert "a b/c" in run("show", "m:a%20b%2Fc/0", path).out


def test_a_run_that_was_scanned_is_found_without_its_path(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("runs", path)
    (path.parent / "elsewhere").mkdir()
    monkeypatch.chdir(path.parent / "elsewhere")
    assert "it is 4" in run("show", "m:3/1").out


def test_without_a_path_the_directory_is_searched(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    assert "it is 4" in run("show", "m:3/1").out


def test_a_row_of_an_archive_is_shown(path: Path) -> None:
    archive = path.with_name("z.jsonl.gz")
    archive.write_bytes(gzip.compress(path.read_bytes()))
    assert "it is 4" in run("show", "z:3/1", archive).out
    assert "it is 4" in run("show", "z:3/1#2").out


def test_after_the_file_changed_its_new_rows_are_shown(path: Path) -> None:
    assert "it is 4" in run("show", "m:3/1#2", path).out
    write(path, ["", row(message("new"), task=3, rollout=1)])
    assert "new" in run("show", "m:3/1#0", path).out
    assert "no step 2" in refused(run("show", "m:3/1#2", path))


@pytest.mark.parametrize(
    ("ref", "reason"),
    [
        ("nobody:3/1", "no run named nobody here"),
        ("m:9/1", "run m has no rollout 9/1"),
        ("m:3/7", "run m has no rollout 3/7"),
        ("m:3/1#4", "no step 4 in m:3/1 (it has steps 0 to 3)"),
        ("m:3/1#i2", "no step i2 in m:3/1 (it has prompt items i0 to i1)"),
        ("m:3/2.a1#0", "no step 0 in m:3/2.a1 (it has no steps)"),
        ("m:3/1#" + "9" * 5000, "not a step"),
        ("m:3", "not a ref"),
        ("m:3/1#x", "not a step"),
        ("\x1b[31m:1/2", "no run named"),
    ],
    ids=lambda text: text[:12].replace("\x1b", "esc"),
)
def test_a_ref_to_nothing_is_refused_in_one_line(ref: str, reason: str, path: Path) -> None:
    line = refused(run("show", ref, path))
    assert line.startswith("blade: ")
    assert reason in line
    assert not set(line) & set(UNSAFE)


def test_a_path_that_is_not_there_is_refused_in_one_line(tmp_path: Path) -> None:
    assert "no such file or directory" in refused(run("show", "m:1/1", tmp_path / "none"))


def test_runs_of_one_name_are_told_apart_by_their_path(tmp_path: Path) -> None:
    for name in ("x", "y"):
        write(tmp_path / name / "m.jsonl", [row(message(f"in {name}"))])
        run("runs", tmp_path / name / "m.jsonl")
    line = refused(run("show", "m:0/0#0"))
    assert "2 files hold a run named m" in line
    for name in ("x", "y"):
        assert str(tmp_path / name / "m.jsonl") in line
        assert f"in {name}" in run("show", "m:0/0#0", tmp_path / name).out


def test_the_only_run_of_a_name_below_this_directory_is_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("x", "y"):
        write(tmp_path / name / "m.jsonl", [row(message(f"in {name}"))])
        run("runs", tmp_path / name / "m.jsonl")
    monkeypatch.chdir(tmp_path / "x")
    assert "in x" in run("show", "m:0/0#0").out


def test_text_is_cut_with_a_count_unless_it_is_wanted_in_full(tmp_path: Path) -> None:
    path = write(tmp_path / "m.jsonl", [row(message("x" * 20_000), note="y" * 5_000)])
    assert "19,400 more characters (--full shows them)" in run("show", "m:0/0", path).out
    assert "12,000 more characters" in run("show", "m:0/0#0", path).out
    full = run("show", "m:0/0", path, "--full").out
    assert "x" * 20_000 in full
    assert "y" * 5_000 in full


def test_json_holds_everything_uncut(path: Path) -> None:
    told = json.loads(run("show", "m:3/1", path, "--json").out)
    assert (told["ref"], told["reward"], told["model"], told["fields"]) == ("m:3/1", 1.0, "tiny", {"judge": "ok"})
    assert [step["text"] for step in told["prompt"]] == ["Be brief.", "2 + 2?"]
    assert [step["kind"] for step in told["steps"]] == ["message", "call", "result", "message"]
    call = {"tool": "search", "call_id": "c1", "arguments": {"q": "two", "n": 2}, "result": 2}
    assert told["steps"][1]["calls"] == [call]
    step = json.loads(run("show", "m:3/1#2", path, "--json").out)
    assert (step["ref"], step["text"]) == ("m:3/1#2", "it is 4")


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A run with control sequences wherever a text may stand."""
    steps = [
        message(ESC, name=ESC),
        message(ESC, ESC),
        call(ESC, json.dumps({ESC: ESC}), ESC, status=ESC),
        call(ESC, ESC),
        result(ESC, ESC, status=ESC),
        {"type": ESC, "content": ESC},
        {"role": "assistant", "content": f"<tool_call>{ESC}</tool_call>"},
    ]
    records = [{"tool_call_id": ESC, "status": ESC, "error_type": ESC}]
    odd = row(
        *steps, task=..., task_id="t" + ESC, prompt=ESC, agent_ref={"name": ESC}, ng_trajectory={"tool_calls": records}
    )
    odd |= {ESC: ESC, "failure_reason": ESC, "stage_index": ESC, "error": ESC}
    odd["response"] |= {"model": ESC, "status": ESC, "incomplete_details": {"reason": ESC}}
    path = write(tmp_path / "evil\u202e\x1b[31m.jsonl", [odd, ESC])
    (tmp_path / "notes.md").write_text(ESC)
    (tmp_path / "config.json").write_text(json.dumps({"model": ESC}))
    (tmp_path / f"{path.stem}_aggregate_metrics.json").write_text(ESC)
    return path


def test_nothing_in_a_rollout_steers_the_terminal(hostile: Path) -> None:
    [ref] = json.loads(run("sql", "--json", "select ref from rollouts", hostile).out)
    commands = [
        ("runs", hostile),
        ("runs", hostile, "--json"),
        ("show", ref["ref"], hostile),
        ("show", ref["ref"], hostile, "--full"),
        ("show", ref["ref"], hostile, "--json"),
        *(("show", f"{ref['ref']}#{step}", hostile) for step in ("0", "2", "4", "5", "6", "i0")),
        ("show", ref["ref"].replace("/", "/9"), hostile),
        ("sql", "select * from rollouts", hostile),
        ("sql", "select * from steps", hostile, "--json"),
        ("sql", "select why from skipped", hostile),
        ("sql", f'select 1 as "{ESC}", "{ESC}"', hostile),
        ("runs", hostile.parent / f"none{ESC}"),
        ("runs", hostile, "--strict"),
        ("cache",),
    ]
    for command in commands:
        said = run(*command)
        assert not set(said.out + said.err) & set(UNSAFE), (
            f"{command}: {sorted(set(said.out + said.err) & set(UNSAFE))}"
        )


def test_json_gives_hostile_text_back_whole(hostile: Path) -> None:
    [told] = json.loads(run("sql", "--json", "select text from steps where step = 0", hostile).out)
    assert told["text"] == ESC


def test_a_narrow_encoding_of_the_terminal_does_not_end_the_command(tmp_path: Path) -> None:
    path = write(tmp_path / "m.jsonl", [row(message("世界 → é"))])
    said = start("show", "m:0/0", path, PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C")
    assert said.code == 0, said.err


def test_a_reader_that_stops_early_is_no_error(tmp_path: Path) -> None:
    path = write(tmp_path / "m.jsonl", [row(message("line\n" * 200_000))])
    with subprocess.Popen(
        [*BLADE, "show", "m:0/0", str(path), "--full"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(100)
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()
