"""What was scanned is kept: interrupted scans go on, finished ones are not done again."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import blade
from blade.artifacts import files
from blade.scan.store import Progress
from tests.building import BLADE, ask, facts, row, run, write

COUNT = "select count(*), sum(reward), count(distinct ref) from rollouts"
SLOW = """
import time
from blade.artifacts import files
from blade.cli import main
from blade.scan import pool

files._PIECE = files._SMALL_PIECE = 20_000
scan_piece = pool.scan_piece

def slowly(*given):
    report = scan_piece(*given)
    time.sleep(0.2)
    return report

pool.scan_piece = slowly
main()
"""


class Counting(Progress):
    """How many bytes a scan had to read."""

    read = 0

    def begin(self, size: int) -> None:
        self.read += size


def large(directory: Path) -> Path:
    return write(directory / "run.jsonl", [row(task=number, note="x" * 500) for number in range(600)])


def read_bytes(path: Path, **options: Any) -> int:
    """How many bytes a scan in the default cache still reads."""
    progress = Counting()
    with blade.load(path, blade.Options(cache=blade.Cache(), workers=1, progress=progress, **options)):
        return progress.read


def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_PIECE", 20_000)
    monkeypatch.setattr(files, "_SMALL_PIECE", 20_000)


def until(there: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not there():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_scan_that_was_killed_goes_on_with_its_finished_pieces(
    workers: str, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = large(tmp_path)
    command = [BLADE[0], "-c", SLOW, "runs", "--workers", workers, str(path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        until(lambda: len(list(cache.glob("files/*/piece-*.json"))) >= 4)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    done = len(list(cache.glob("files/*/piece-*.json")))
    told = json.loads(run("cache", "--json").out)["entries"]
    assert [(entry["kind"], entry["complete"]) for entry in told] == [("file", False)]
    small_pieces(monkeypatch)
    assert 0 < read_bytes(path) <= path.stat().st_size - (done - 1) * 20_000
    assert read_bytes(path) == 0
    with blade.load(path) as store:
        assert ask(store, COUNT) == [(600, 600.0, 600)]


def test_an_interrupt_ends_with_one_line_and_code_130(tmp_path: Path, cache: Path) -> None:
    path = large(tmp_path)
    process = subprocess.Popen(
        [BLADE[0], "-c", SLOW, "runs", str(path)], stderr=subprocess.PIPE, start_new_session=True
    )
    until(lambda: bool(list(cache.glob("files/*/piece-*.json"))))
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"finished pieces are kept" in said
    assert b"Traceback" not in said


def test_a_second_scan_reads_nothing_and_says_the_same(tmp_path: Path) -> None:
    path = large(tmp_path)
    first = run("runs", "--json", path)
    assert read_bytes(path) == 0
    assert run("runs", "--json", path) == first


@pytest.mark.parametrize("change", ["longer", "touched", "other text"])
def test_a_file_that_changed_is_read_again(change: str, tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", [row(reward=0.0)])
    assert read_bytes(path) > 0
    if change == "touched":
        os.utime(path, ns=(1, 1))
    else:
        write(path, [row(reward=1.0)] * (2 if change == "longer" else 1))
    assert read_bytes(path) == path.stat().st_size


def test_options_that_change_the_facts_are_not_served_by_another_scan(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", [row(task=..., case="c"), row(note="x" * 3_000)])
    with blade.load(path, blade.Options(cache=blade.Cache())) as store:
        assert ask(store, "select count(*) from rollouts") == [(2,)]
    for option, expected in (({"longest_line": 1_000}, 1), ({"id_fields": ("case",)}, 2)):
        with blade.load(path, blade.Options(cache=blade.Cache(), **option)) as store:
            assert ask(store, "select count(*) from rollouts") == [(expected,)]


def test_the_same_file_under_another_name_is_another_run_with_the_same_facts(tmp_path: Path) -> None:
    path = large(tmp_path)
    copy = tmp_path / "copy.jsonl"
    os.link(path, copy)
    read_bytes(path)
    assert read_bytes(copy) == 0
    with blade.load(copy) as store:
        assert ask(store, "select distinct run from rollouts") == [("copy",)]


@pytest.mark.parametrize("lost", ["rollouts-*.parquet", "fields-*.parquet", "manifest.json", "piece-*.json", "*"])
def test_what_was_lost_from_the_cache_is_made_again(lost: str, tmp_path: Path, cache: Path) -> None:
    path = write(tmp_path / "run.jsonl", [row(), row(task=1)])
    query = "select name from rollouts join fields using (file, row)"
    before = facts(path, "select ref, line, reward")
    assert read_bytes(path) > 0
    for part in cache.glob(f"files/*/{lost}"):
        part.unlink()
    with blade.load(path) as store:
        assert ask(store, "select ref, line, reward from rollouts order by row") == before
        assert ask(store, query) == []


@pytest.mark.parametrize("lost", ["places.tsv", "rows.parquet", "owed.parquet", "manifest.json", "*"])
def test_what_was_lost_of_a_settled_run_is_settled_again(lost: str, tmp_path: Path, cache: Path) -> None:
    path = write(tmp_path / "run.jsonl", [row(), row(task=1)])
    read_bytes(path)
    for part in cache.glob(f"runs/*/{lost}"):
        part.unlink()
    with blade.load(path) as store:
        assert ask(store, "select ref from rollouts order by row") == [("run:0/0",), ("run:1/0",)]
        assert ask(store, "select * from owed") == []
    assert blade.resolve("run:1/0", path).task_index == 1


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"\xff\x00"])
def test_a_damaged_manifest_is_made_again(damage: bytes, tmp_path: Path, cache: Path) -> None:
    path = write(tmp_path / "run.jsonl", [row()])
    read_bytes(path)
    for manifest in cache.glob("*/*/manifest.json"):
        manifest.write_bytes(damage)
    assert facts(path, "select ref") == [("run:0/0",)]
    with blade.load(path) as store:
        assert ask(store, "select ref from rollouts") == [("run:0/0",)]


def test_the_cache_tells_what_it_holds_and_is_cleared(tmp_path: Path, cache: Path) -> None:
    path = large(tmp_path)
    run("runs", path)
    told = json.loads(run("cache", "--json").out)
    assert told["directory"] == str(cache)
    assert {(entry["kind"], entry["complete"]) for entry in told["entries"]} == {("run", True), ("file", True)}
    assert "2 entries" in run("cache").out
    freed = json.loads(run("cache", "--clear", "--json").out)["freed"]
    assert freed == sum(entry["bytes"] for entry in told["entries"]) > 0
    assert json.loads(run("cache", "--json").out)["entries"] == []
    assert read_bytes(path) == path.stat().st_size


def test_clearing_leaves_alone_what_is_not_blade_s(cache: Path) -> None:
    (cache / "mine.txt").write_text("keep")
    run("cache", "--clear")
    assert (cache / "mine.txt").read_text() == "keep"


def test_no_cache_leaves_nothing_behind(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "data" / "run.jsonl", [row()])
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    for command in (("runs",), ("sql", COUNT), ("show", "run:0/0")):
        assert run(*command, path, "--no-cache").code == 0
    assert run("runs", tmp_path / "none", "--no-cache").code == 2
    assert list(cache.iterdir()) == []
    assert list((tmp_path / "tmp").iterdir()) == []
    assert [found.name for found in (tmp_path / "data").iterdir()] == ["run.jsonl"]


@pytest.mark.parametrize("command", [("runs",), ("sql", COUNT), ("show", "run:0/0")])
def test_a_cache_that_cannot_be_written_is_done_without_and_said(command: tuple[str, ...], tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", [row()])
    (tmp_path / "file").write_text("")
    said = run(*command, path, "--cache", tmp_path / "file" / "cache")
    assert said.code == 0
    assert said.out == run(*command, path, "--no-cache").out
    [line] = said.err.splitlines()
    assert line.startswith(f"blade: cannot write the cache in {tmp_path}/file/cache: not a directory")
    assert line.endswith("nothing of this scan is kept")


def test_a_cache_and_no_cache_exclude_each_other(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", [row()])
    said = run("runs", path, "--cache", tmp_path, "--no-cache")
    assert said.code == 2
    assert "exclude each other" in said.err


def test_a_named_cache_is_used_instead_of_the_default(tmp_path: Path, cache: Path) -> None:
    path = write(tmp_path / "data" / "run.jsonl", [row()])
    run("runs", path, "--cache", tmp_path / "mine")
    assert (tmp_path / "mine" / "files").is_dir()
    assert list(cache.iterdir()) == []
