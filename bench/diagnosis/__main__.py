"""Play the cases, let BLADE explain each, print how often it was right: `python -m bench.diagnosis`."""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

import blade
from bench.diagnosis import report
from bench.diagnosis.cases import Case, grid, play
from bench.diagnosis.from_truth import perfect_document
from bench.diagnosis.score import judge, summary_of
from bench.diagnosis.truth import Truth

Explain = Callable[[Sequence[Path], Truth], dict[str, Any]]


def main() -> None:
    """Print a table and write the figures."""
    options = _parser().parse_args()
    explain = _from_truth if options.from_truth else _blade_why()
    if explain is None:
        sys.exit("this version of blade has no `why`; --from-truth scores documents made from the truth")
    cases = [
        case for case in grid(stage=options.stage, quick=options.quick, seeds=options.seeds) if _asked(case, options)
    ]
    scored = []
    for number, case in enumerate(cases, 1):
        began = time.perf_counter()
        scored.append(run(case, explain))
        seconds = time.perf_counter() - began
        verdict = "right" if scored[-1][1].perfect else f"wrong: {scored[-1][1].why}"
        print(f"{number}/{len(cases)} {case.name} ({seconds:.1f} s) {verdict}", file=sys.stderr)
    print(report.table(scored))
    if not options.only and not options.from_truth:
        report.write(scored)


def run(case: Case, explain: Explain) -> report.Scored:
    """Play one case in a directory of its own and score what is said of it."""
    with tempfile.TemporaryDirectory() as directory:
        paths, truth = play(case, Path(directory))
        document = explain(paths, truth)
    return case, judge(case, truth, document), summary_of(document)


def _asked(case: Case, options: argparse.Namespace) -> bool:
    return not options.only or any(word in case.name for word in options.only)


def _blade_why() -> Explain | None:
    if "why" not in blade.__all__:
        return None
    options = blade.Options(workers=1)
    return lambda paths, _: msgspec.to_builtins(blade.why([str(path) for path in paths], options=options))


def _from_truth(_: Sequence[Path], truth: Truth) -> dict[str, Any]:
    return perfect_document(truth)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.diagnosis", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one size of runs for each kind")
    parser.add_argument("--stage", choices=("signals", "contrast", "all"), default="all")
    parser.add_argument("--seeds", type=int, default=1, metavar="N", help="seeds for each case")
    parser.add_argument("--only", nargs="+", metavar="TEXT", help="cases whose name holds one of these; writes nothing")
    parser.add_argument("--from-truth", action="store_true", help="score documents made from the truth; writes nothing")
    return parser


if __name__ == "__main__":
    main()
