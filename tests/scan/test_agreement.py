"""However a file is cut and shared among processes, the facts are the same."""

import multiprocessing
import random
import subprocess
import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import blade
from bench import corpus
from blade.artifacts import files
from blade.scan import parts, pool, work
from tests.building import BLADE, Said, ask, call, message, owed, result, row, write

ROLLOUTS = "SELECT * EXCLUDE path FROM rollouts ORDER BY file, row"
QUERIES = {
    "rollouts": ROLLOUTS,
    "steps": "SELECT * FROM steps ORDER BY file, row, step",
    "actions": "SELECT * FROM actions ORDER BY file, row, step, place",
    "signals": "SELECT * FROM signals ORDER BY file, row, signal, nth",
    "fields": "SELECT * FROM fields ORDER BY file, row, name, kind, text",
    "inputs": "SELECT * EXCLUDE path FROM inputs ORDER BY file, row",
    "input_fields": "SELECT * EXCLUDE path FROM input_fields ORDER BY file, row, name",
    "skipped": "SELECT line, why FROM skipped ORDER BY line",
    "runs": "SELECT * EXCLUDE files FROM runs",
}


def varied(directory: Path) -> Path:
    """A file whose rows differ in keys, order of keys, size and health."""
    random_ = random.Random(2)
    lines: list[Any] = [line for line in islice(corpus.rows(seed=9), 40) if len(line) < 9_000]
    for number in range(120):
        fields = [
            (f"key_{random_.randint(0, 40)}", random_.choice([1, 2**60, 0.5, "x", None, [1], {"a": {"b": 2}}]))
            for _ in range(6)
        ]
        fields += random_.sample(
            [("final_state", 1), ("db_hash", "x"), ("terminal_state", "y")], k=random_.randint(0, 3)
        )
        steps = [call(call_id=str(number)), result("x" * random_.randint(0, 900), str(number)), message("done")]
        made = row(*steps[: random_.randint(0, 3)], task=number // 4, rollout=number % 4, **dict(fields))
        made["responses_create_params"]["temperature"] = random_.choice([1, 0, 0.7, None])
        lines += [made, *random_.choice([[], ["oops"], ["", "  "], []])]
    inputs = [owed(task=number // 4, rollout=number % 4, sample="s" * (number % 50)) for number in range(140)]
    write(directory / "varied_materialized_inputs.jsonl", ["", *inputs])
    return write(directory / "varied.jsonl", lines)


def everything(path: Path, workers: int = 1) -> dict[str, list[tuple[Any, ...]]]:
    with blade.load(path, blade.Options(workers=workers)) as store:
        return {name: ask(store, query) for name, query in QUERIES.items()}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[tuple[Any, ...]]]]:
    path = varied(tmp_path_factory.mktemp("varied"))
    return path, everything(path)


def cut_small(monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    monkeypatch.setattr(files, "_PIECE", piece)
    monkeypatch.setattr(files, "_SMALL_PIECE", piece)


@pytest.mark.parametrize("piece", [2_500, 30_000])
def test_small_pieces_give_the_same_facts(piece: int, expected: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path, facts = expected
    cut_small(monkeypatch, piece)
    assert len(files.pieces(path, path.stat().st_size)) > 2
    found = everything(path)
    for name, rows in facts.items():
        assert found[name] == rows, name


def test_two_workers_give_the_same_facts(expected: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path, facts = expected
    cut_small(monkeypatch, 30_000)
    assert everything(path, workers=2) == facts


def test_small_batches_and_parts_give_the_same_facts(expected: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path, facts = expected
    for name in ("BATCH_BYTES", "BATCH_ROWS", "PART_ITEMS"):
        monkeypatch.setattr(work, name, 7)
    found = everything(path)
    for name, rows in facts.items():
        assert found[name] == rows, name


def test_words_that_are_packed_by_number_are_the_same_words(expected: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path, facts = expected
    monkeypatch.setattr(parts, "_WORTH_NUMBERING", 1)
    assert everything(path) == facts


def test_every_line_belongs_to_exactly_one_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "run.jsonl", [row(task=number, note="x" * (number * 7 % 50)) for number in range(40)])
    whole = [line.offset for line in files.lines(files.pieces(path, path.stat().st_size)[0])]
    for piece in (1, 2, 150, 223, 1_000):
        cut_small(monkeypatch, piece)
        cuts = files.pieces(path, path.stat().st_size)
        assert [cut.start for cut in cuts[1:]] == [cut.end for cut in cuts[:-1]]
        if len(cuts) < 3_000:
            assert [line.offset for cut in cuts for line in files.lines(cut)] == whole


def test_the_same_facts_come_out_of_every_process(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", [row(final_state=1, db_hash=2, end_state=3, terminal_db=4, task_id="x")])
    query = "select prompt_hash, end_state_hash, answer_hash from rollouts"
    outputs = set()
    for seed in ("0", "1", "2", "3"):
        command = [*BLADE, "sql", "--no-cache", "--csv", query, str(path)]
        outputs.add(
            subprocess.run(command, capture_output=True, env={"PYTHONHASHSEED": seed}, timeout=60, check=True).stdout
        )
    assert len(outputs) == 1


def test_processes_that_scan_the_same_run_at_once_agree(expected: Any, cache: Path) -> None:
    path, facts = expected
    query = "select count(*), sum(reward), count(distinct ref) from rollouts"
    for round_ in range(2):
        directory = cache / str(round_)
        command = [*BLADE, "sql", "--csv", "--workers", "1", "--cache", str(directory), query, str(path)]
        started = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(5)]
        ended = [
            Said(*(part.decode() for part in process.communicate(timeout=90)), process.returncode)
            for process in started
        ]
        assert {said.code for said in ended} == {0}, [said.err for said in ended]
        assert {said.out for said in ended} == {ended[0].out}
        assert f"{len(facts['rollouts'])}," in ended[0].out
        assert list(directory.glob("**/*.tmp")) == []


def replace_in_workers(monkeypatch: pytest.MonkeyPatch, stand_in: Callable[..., Any]) -> None:
    """Forked, whatever threads other tests left behind: a spawned worker would import the real function."""
    monkeypatch.setattr(pool, "scan_piece", stand_in)
    monkeypatch.setattr(pool, "_context", lambda: multiprocessing.get_context("fork"))


def test_a_worker_that_dies_is_said_with_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "run.jsonl", [row(task=number) for number in range(50)])
    cut_small(monkeypatch, 1_000)

    def die(*_: Any) -> None:
        import os

        os._exit(9)

    replace_in_workers(monkeypatch, die)
    with pytest.raises(blade.StoreError, match=r"a worker died \(exit 9\) while reading .*run\.jsonl"):
        blade.load(path, blade.Options(workers=2))


def test_what_goes_wrong_in_a_worker_is_said_as_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "run.jsonl", [row(task=number) for number in range(50)])
    cut_small(monkeypatch, 1_000)

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    replace_in_workers(monkeypatch, fail)
    with pytest.raises(blade.StoreError, match="no space left on the disk"):
        blade.load(path, blade.Options(workers=2))
    assert sys.exc_info() == (None, None, None)
