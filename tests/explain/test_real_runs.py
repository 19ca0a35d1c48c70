"""On real runs nothing crashes, every failing rollout has a mode, and every quote stands where it is said to stand."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import blade
from blade.explain.analysis import explain
from tests.building import here
from tests.conftest import SHARED
from tests.explain.planting import rollouts


def runs_in(directory: Path) -> list[blade.RunFiles]:
    if not directory.is_dir():
        pytest.skip("the shared data is not beside the repository")
    return blade.find_runs([str(directory)])


def read(directory: Path) -> Iterator[tuple[blade.RunFiles, blade.Store]]:
    """The runs of a directory one by one, but for files that hold nothing but placeholders."""
    for files in runs_in(directory):
        with blade.load(files.rollouts, here()) as store:
            if any(summary.rows for summary in store.summaries):
                yield files, store


@pytest.mark.parametrize("name", ["gym", "mint", "tau_airline", "who_when", "agentrx"])
def test_every_failing_rollout_of_a_real_run_has_one_mode(name: str) -> None:
    for _, store in read(SHARED / name):
        found = explain(store, compared=False)
        for run in found.runs:
            refs = [ref for mode in run.modes for ref in rollouts(mode.refs)]
            owed_to_nobody = run.rollouts - run.measured - sum(len(each.refs) for each in run.not_measured)
            assert len(refs) == len(set(refs)) == run.failed + run.rollouts - run.measured - owed_to_nobody
            assert run.funnel[-1].reached == run.measured - run.failed


@pytest.mark.parametrize("name", ["gym", "mint", "tau_airline"])
def test_every_quote_of_a_real_run_is_exact(name: str) -> None:
    for files, store in read(SHARED / name):
        quotes = [mode.example for run in explain(store, compared=False).runs for mode in run.modes if mode.example]
        for quote in quotes:
            rollout = blade.resolve(quote.ref.split("#")[0], files.rollouts)
            step = quote.ref.partition("#")[2]
            if not quote.field:
                assert quote.text in rollout.text(int(step)), quote


def test_three_real_runs_of_one_benchmark_are_explained_to_the_last_point() -> None:
    files = [path for run in runs_in(SHARED / "mint") for path in run.rollouts]
    with blade.load(files, here()) as store:
        for one in explain(store).comparisons:
            assert one.delta.value is not None
            assert sum(term.points for term in one.terms) == pytest.approx(one.delta.value, abs=1e-9)
