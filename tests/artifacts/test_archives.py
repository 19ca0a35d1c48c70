"""Files that are not plain UTF-8 lines: archives, other encodings, streams, files that change."""

import gzip
import importlib
import io
import os
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import blade
from bench.corpus import rows
from blade.scan.store import Progress
from tests.building import as_line, ask, facts, here, row, start, write

ROWS = [as_line(row(task=number, note="x" * 50)) for number in range(200)]
PLAIN = b"".join(line + b"\n" for line in ROWS)


def zstd() -> Any:
    try:
        return importlib.import_module("compression.zstd")
    except ImportError:
        return importlib.import_module("backports.zstd")


PACK = {"gz": gzip.compress, "zst": lambda data: zstd().compress(data)}
packed = pytest.mark.parametrize("ending", PACK)


@packed
def test_a_compressed_file_gives_what_the_plain_one_gives(ending: str, tmp_path: Path) -> None:
    plain, archive = tmp_path / "a" / "run.jsonl", tmp_path / "b" / f"run.jsonl.{ending}"
    for path, data in ((plain, PLAIN), (archive, PACK[ending](PLAIN))):
        path.parent.mkdir()
        path.write_bytes(data)
    query = "select run, ref, line, row, bytes, reward, answer, prompt_hash"
    assert facts(archive, query) == facts(plain, query)
    assert len(facts(archive, query)) == 200


@packed
def test_the_compression_is_told_by_content_and_not_by_name(ending: str, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(PACK[ending](PLAIN))
    assert len(facts(path, "select line")) == 200


@packed
def test_rows_of_an_archive_are_found_again_by_ref(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"run.jsonl.{ending}"
    path.write_bytes(PACK[ending](PLAIN))
    for task in (199, 0, 77):
        assert blade.resolve(f"run:{task}/0", path).task_index == task
    assert set(facts(path, "select text from steps")) == {("4",)}


@packed
def test_an_archive_of_several_members_is_read_to_its_end(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"run.jsonl.{ending}"
    path.write_bytes(b"".join(PACK[ending](line + b"\n") for line in ROWS[:5]))
    assert facts(path, "select task_index") == [(0,), (1,), (2,), (3,), (4,)]


@packed
@pytest.mark.parametrize("kept", [0.9, 0.5])
def test_of_a_cut_archive_the_rows_before_the_cut_are_kept_and_the_cut_is_said(
    ending: str, kept: float, tmp_path: Path
) -> None:
    lines = [line for line in islice(rows(seed=4), 60) if len(line) < 60_000]
    data = PACK[ending](b"".join(line + b"\n" for line in lines))
    path = tmp_path / f"run.jsonl.{ending}"
    path.write_bytes(data[: int(len(data) * kept)])
    with blade.load(path, here()) as store:
        [[count]] = ask(store, "select count(*) from rollouts")
        [[line, why]] = ask(store, "select line, why from skipped")
        tasks = ask(store, "select bytes from rollouts order by row")
    assert tasks == [(len(row_),) for row_ in lines[:count]]
    assert count > len(lines) * kept * 0.5
    assert line == count + 1
    assert why.startswith("the file cannot be read from here on: ")


@packed
def test_an_archive_that_is_damaged_in_its_middle_does_not_end_the_scan(ending: str, tmp_path: Path) -> None:
    data = bytearray(PACK[ending](PLAIN))
    for place in range(len(data) // 2, len(data) // 2 + 8):
        data[place] ^= 0xFF
    damaged, good = tmp_path / f"bad.jsonl.{ending}", tmp_path / "good.jsonl"
    damaged.write_bytes(bytes(data))
    good.write_bytes(PLAIN)
    with blade.load([damaged, good], here()) as store:
        assert ask(store, "select count(*) from rollouts where run = 'good'") == [(200,)]
        assert ask(store, "select count(*) > 0 from skipped") == [(True,)]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le"])
def test_utf16_is_refused_or_skipped_but_never_misread(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(PLAIN.decode().encode(encoding))
    if encoding == "utf-16":
        with pytest.raises(blade.InputError, match=r"run\.jsonl: is UTF-16 text \(convert it to UTF-8\)"):
            blade.load(path, here())
    else:
        assert facts(path, "select line") == []


def test_a_path_that_is_not_there_is_refused_with_advice(tmp_path: Path) -> None:
    with pytest.raises(blade.InputError, match=r"no such file or directory \(name a rollouts file"):
        blade.load(tmp_path / "none.jsonl")


def test_a_directory_without_rollouts_is_refused_with_what_was_expected(tmp_path: Path) -> None:
    write(tmp_path / "other.jsonl", [{"unrelated": 1}])
    with pytest.raises(blade.InputError, match="holds no rollouts file"):
        blade.load(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_refused_with_advice(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", [row()])
    path.chmod(0)
    with pytest.raises(blade.InputError, match=r"permission denied .*check the path and its permissions"):
        blade.load(path, here())


class Meddling(Progress):
    """Changes the file when the scan has looked at it and begins to read."""

    def __init__(self, change: Any) -> None:
        self.change = change

    def begin(self, size: int) -> None:
        self.change()


def meddled(path: Path, change: Any) -> tuple[list[tuple[Any, ...]], str, list[tuple[Any, ...]]]:
    """Tasks, problems and skipped lines of a scan during which the file changes."""
    with blade.load(path, here(progress=Meddling(change))) as store:
        [summary] = store.summaries
        tasks = ask(store, "select task_index from rollouts order by row")
        return tasks, " ".join(summary.problems), ask(store, "select line, why from skipped")


@pytest.mark.parametrize("whole", [True, False])
def test_what_is_added_while_a_file_is_read_stays_unread_and_is_said(whole: bool, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    last = as_line(row(task=1)) + b"\n"
    path.write_bytes(as_line(row(task=0)) + b"\n" + (last if whole else last[:50]))

    def grow() -> None:
        with path.open("ab") as file:
            file.write((b"" if whole else last[50:]) + as_line(row(task=2)) + b"\n")

    tasks, problems, skipped = meddled(path, grow)
    assert tasks == ([(0,), (1,)] if whole else [(0,)])
    assert [line for line, _ in skipped] == ([] if whole else [2])
    assert "the file grew while it was read" in problems
    assert facts(path, "select task_index") == [(0,), (1,), (2,)]


def test_a_file_that_is_cut_while_it_is_read_is_said_to_be(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", [row(task=0), row(task=1)])
    tasks, problems, _ = meddled(path, lambda: write(path, [row(task=0)]))
    assert tasks == [(0,)]
    assert "the file was cut while it was read: scan it again" in problems


def test_a_file_that_is_changed_while_it_is_read_is_said_to_be(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", [row(task=0), row(task=1)])
    _, problems, _ = meddled(path, lambda: os.utime(path, ns=(1, 1)))
    assert "the file was changed while it was read: scan it again" in problems


@pytest.mark.parametrize("ending", ["", *PACK])
def test_standard_input_is_a_run_like_any_other(ending: str, tmp_path: Path) -> None:
    data = PACK[ending](PLAIN) if ending else PLAIN
    query = "select run, count(*), sum(reward) from rollouts group by run"
    said = start("sql", "--csv", query, "-", data=data, TMPDIR=str(tmp_path))
    assert said.out.splitlines()[1:] == ["stdin,200,200.0"], said.err
    assert list(tmp_path.iterdir()) == [], "the copy of standard input stays behind"


def test_standard_input_can_be_given_in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PLAIN)))
    assert len(list(blade.read("-"))) == 200
