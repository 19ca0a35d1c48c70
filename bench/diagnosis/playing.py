"""Play one case, have it explained, and score what is said: the work of one worker."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

import blade
from bench.diagnosis.cases import Case, Played, play
from bench.diagnosis.from_truth import perfect_document
from bench.diagnosis.report import Scored
from bench.diagnosis.score import judge, summary_of

Explain = Callable[[Played], dict[str, Any]]


def by_blade(played: Played) -> dict[str, Any]:
    """Return what `blade why` says, which gets nothing but the files."""
    paths = [str(path) for path in played.paths]
    found: dict[str, Any] = msgspec.to_builtins(blade.why(paths, options=blade.Options(workers=1)))
    return found


def perfectly(played: Played) -> dict[str, Any]:
    """Return what somebody would say who knows the truth."""
    return perfect_document(played.truth)


def run(case: Case, explain: Explain) -> Scored:
    """Play one case in a directory of its own and score what is said of it."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as directory:
        played = play(case, Path(directory))
        document = explain(played)
    seconds = time.perf_counter() - began
    return Scored(case, judge(case, played.truth, document), summary_of(document), seconds)
