"""What reports of three comparisons look like in Markdown; `python -m tests.report.test_snapshots` writes them anew.

A worse candidate with repeats, a series with infrastructure trouble, and single tries: look at the difference of a
snapshot as a reader of the report would.
"""

import sys
import tempfile
from pathlib import Path

import pytest

from examples.office import simulate
from tests.report.making import analysis, markdown, report, run_of

SNAPSHOTS = Path(__file__).parent / "snapshots"


def hasty_against_steady(runs: Path) -> None:
    simulate(runs, agents=["steady", "hasty"], tasks=20, repeats=4, seed=7)


def a_series_with_trouble(runs: Path) -> None:
    simulate(runs, agents=["steady", "rig-trouble", "wordy"], tasks=16, repeats=3, seed=5)


def single_tries(runs: Path) -> None:
    run_of(runs / "first_rollouts.jsonl", [[task % 5 != 0] for task in range(30)])
    run_of(runs / "second_rollouts.jsonl", [[task % 3 == 0] for task in range(30)])


COMPARISONS = {
    "hasty-against-steady": (hasty_against_steady, "steady"),
    "a-series-with-trouble": (a_series_with_trouble, "steady"),
    "single-tries": (single_tries, "first"),
}


def written(name: str, place: Path) -> str:
    """The report of one of the comparisons, whatever directory it is made in."""
    make, baseline = COMPARISONS[name]
    (place / "runs").mkdir(parents=True)
    make(place / "runs")
    report(place / "runs", place / "out", baseline=baseline, command="blade report runs -o OUT")
    analysis(place / "out")
    return markdown(place / "out").replace(str(place), "PLACE")


@pytest.mark.parametrize("name", COMPARISONS)
def test_a_report_reads_as_its_snapshot(name: str, tmp_path: Path) -> None:
    kept = (SNAPSHOTS / f"{name}.md").read_text(encoding="utf-8")
    assert written(name, tmp_path) == kept, "look at it, then `python -m tests.report.test_snapshots`"


if __name__ == "__main__":
    SNAPSHOTS.mkdir(exist_ok=True)
    for name in sys.argv[1:] or COMPARISONS:
        with tempfile.TemporaryDirectory() as place:
            (SNAPSHOTS / f"{name}.md").write_text(written(name, Path(place)), encoding="utf-8")
