"""How fast a scan is, beside plain loops over the same file, in one run.

    python -m bench.speed --megabytes 1000 [--rounds 3] [--file FILE]

Every way is a process of its own, timed from its start to its end, in alternating rounds; the fastest
round of each counts, since noise only ever adds. The ratios carry over to other machines, the figures
do not.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from bench import corpus

_JSON_LOOP = "import json, sys\nfor line in open(sys.argv[1], 'rb'): json.loads(line)"
_LINES_LOOP = "import sys\nfor line in open(sys.argv[1], 'rb', buffering=1 << 20): pass"
_PARSE_LOOP = (
    "import sys, msgspec\nparse = msgspec.json.Decoder(msgspec.Raw).decode\n"
    "for line in open(sys.argv[1], 'rb', buffering=1 << 20): parse(line)"
)
_STAGE = "import gc, sys, bench.speed as speed\ngc.disable()\nspeed.STAGES[sys.argv[2]](sys.argv[1])"


class Timing(NamedTuple):
    """The fastest of several rounds, and the most memory that all its processes had together."""

    seconds: float
    megabytes: float


def timed(command: list[str]) -> Timing:
    """Run a command; its wall clock, and the peak of the memory of its process tree."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    peak = _Peak(process.pid)
    peak.start()
    _, told = process.communicate()
    seconds = time.perf_counter() - started
    peak.stop()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{told.decode()}")
    return Timing(seconds, peak.bytes / 1e6)


class _Peak(threading.Thread):
    """Samples the memory of a process and its children: shared pages count once (Linux only)."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self._over = threading.Event()
        self.bytes = 0

    def run(self) -> None:
        while not self._over.wait(0.05):
            self.bytes = max(self.bytes, sum(map(_proportional_size, _tree(self._pid))))

    def stop(self) -> None:
        self._over.set()
        self.join()


def _tree(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [pid, *(below for child in children for below in _tree(int(child)))]


def _proportional_size(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)


def _stage_lines(path: str) -> None:
    from blade.artifacts import files

    for _ in files.lines(files.Piece(path, 0, 0, None)):
        pass


def _stage_rows(path: str) -> None:
    from blade.artifacts import files
    from blade.artifacts.nemo_gym.row import RowDecoder

    decoder = RowDecoder()
    for line in files.lines(files.Piece(path, 0, 0, None)):
        decoder.decode(line.text)


def _stage_rollouts(path: str) -> None:
    from blade.artifacts import files
    from blade.artifacts.nemo_gym.rollouts import RolloutReader
    from blade.rollout import Place

    reader = RolloutReader()
    for line in files.lines(files.Piece(path, 0, 0, None)):
        reader.read(line.text, Place(path, line.offset, line.size, line.number))


def _stage_columns(path: str) -> None:
    from blade.artifacts import files
    from blade.scan.work import PieceWork, scan

    scan(PieceWork(files.Piece(path, 0, 0, None), "", "rollouts"), lambda *_: None, lambda *_: None)


def _stage_store(path: str) -> None:
    from blade.artifacts import files
    from blade.scan.parts import connect
    from blade.scan.work import PieceWork, scan_piece

    with tempfile.TemporaryDirectory() as directory, connect() as connection:
        scan_piece(PieceWork(files.Piece(path, 0, 0, None), directory, "rollouts"), lambda *_: None, connection)


STAGES: dict[str, Callable[[str], None]] = {
    "reading lines": _stage_lines,
    "decoding rows": _stage_rows,
    "making rollouts": _stage_rollouts,
    "making columns": _stage_columns,
    "writing parts": _stage_store,
}
"""What one worker does, each stage with all before it."""


def measure(path: Path, rounds: int, directory: Path) -> dict[str, Timing]:
    """The fastest round of every way of going over the file."""
    python, blade, cache = sys.executable, [sys.executable, "-m", "blade"], str(directory / "cache")
    cold = [*blade, "runs", str(path), "--cache", cache, "--json"]
    show = [*blade, "show", _random_ref(path), "--cache", cache]
    ways: dict[str, list[str]] = {
        "counting lines, one process": [python, "-c", _LINES_LOOP, str(path)],
        "parsing alone, one process": [python, "-c", _PARSE_LOOP, str(path)],
        "json.loads in a loop, one process": [python, "-c", _JSON_LOOP, str(path)],
        "blade: files to a queryable store": cold,
        "blade: the same again": cold,
        "blade: show a random row": show,
    }
    best: dict[str, Timing] = {}
    for _ in range(rounds):
        subprocess.run([*blade, "cache", "--clear", "--cache", cache], check=True, stdout=subprocess.DEVNULL)
        for name, command in ways.items():
            found = timed(command)
            best[name] = min(best.get(name, found), found)
    for stage in STAGES:
        runs = [timed([python, "-c", _STAGE, str(path), stage]) for _ in range(rounds)]
        best[stage] = min(runs)
    return best


def _random_ref(path: Path) -> str:
    """A ref to some row of the second half of the file."""
    with path.open("rb") as file:
        file.seek(random.Random(7).randrange(path.stat().st_size // 2, path.stat().st_size - 1_000_000))
        file.readline()
        row = json.loads(file.readline())
    return f"{path.stem}:{row['_ng_task_index']}/{row['_ng_rollout_index']}"


def report(best: dict[str, Timing], size: int) -> list[str]:
    """The figures as lines of text."""
    loop = best["json.loads in a loop, one process"].seconds
    lines = [f"{size / 1e6:,.0f} MB, {os.cpu_count()} cores", f"{'':36}{'s':>8}{'MB/s':>8}{'x json':>8}{'MB held':>9}"]
    for name, timing in best.items():
        if name not in STAGES:
            rate = size / 1e6 / timing.seconds
            lines.append(
                f"{name:36}{timing.seconds:8.2f}{rate:8.0f}{loop / timing.seconds:8.2f}{timing.megabytes:9.0f}"
            )
    scan, lines_alone = best["blade: files to a queryable store"], best["counting lines, one process"]
    parse = best["parsing alone, one process"]
    lines.append(f"share of the limits: {lines_alone.seconds / scan.seconds:.0%} of counting lines, ")
    lines[-1] += f"{parse.seconds / scan.seconds:.0%} of parsing alone (each in one process)"
    lines.append("what one worker spends, process start included:")
    before = 0.0
    for stage in STAGES:
        seconds = best[stage].seconds
        lines.append(f"  {stage:34}{max(0.0, seconds - before):8.2f} s")
        before = seconds
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--file", type=Path, help="Measure on this file rather than on a generated one.")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="blade-bench-") as name:
        path = arguments.file or Path(name, "corpus.jsonl")
        if not arguments.file:
            corpus.write(path, arguments.megabytes)
        print("\n".join(report(measure(path, arguments.rounds, Path(name)), path.stat().st_size)))


if __name__ == "__main__":
    main()
