"""Play the cases, let BLADE explain each, print how often it was right: `python -m bench.diagnosis`."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

from bench.diagnosis import report
from bench.diagnosis.cases import Case, grid
from bench.diagnosis.playing import Explain, by_blade, perfectly, run
from bench.diagnosis.report import Scored


def main() -> None:
    """Print a table and write the figures."""
    options = _parser().parse_args()
    grid_of = {"stage": options.stage, "quick": options.quick, "seeds": options.seeds}
    cases = [case for case in grid(**grid_of) if _asked(case, options)]
    explain = perfectly if options.from_truth else by_blade
    scored = []
    for number, one in enumerate(_scores(cases, explain, options.workers), 1):
        scored.append(one)
        verdict = "right" if one.score.perfect else f"wrong: {one.score.why}"
        print(f"{number}/{len(cases)} {one.case.name} ({one.seconds:.1f} s) {verdict}", file=sys.stderr)
    print(report.table(scored))
    if not options.only and not options.from_truth:
        report.write(scored, grid_of)


def _asked(case: Case, options: argparse.Namespace) -> bool:
    return not options.only or any(word in case.name for word in options.only)


def _scores(cases: Sequence[Case], explain: Explain, workers: int) -> Iterator[Scored]:
    """Yield the scores in the order of the cases."""
    if workers == 1:
        yield from (run(case, explain) for case in cases)
        return
    # what a worker inherits by forking is not safe beside the threads of the store
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(partial(run, explain=explain), cases)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.diagnosis", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one size of runs for each kind")
    parser.add_argument("--stage", choices=("signals", "contrast", "all"), default="all")
    parser.add_argument("--seeds", type=int, default=1, metavar="N", help="seeds for each case")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes that play cases side by side")
    parser.add_argument("--only", nargs="+", metavar="TEXT", help="cases whose name holds one of these; writes nothing")
    parser.add_argument("--from-truth", action="store_true", help="score documents made from the truth; writes nothing")
    return parser


if __name__ == "__main__":
    main()
