"""Simulated runs, what is true of them, and the project's own report about them."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import blade
from blade.check.claims.from_store import truth_of
from blade.check.claims.truth import Truth
from blade.report.composing import compose
from blade.report.findings import gather
from blade.report.markdown import render
from examples.office import simulate


class Known(NamedTuple):
    """Two runs of one benchmark."""

    paths: list[Path]
    truth: Truth
    report: str


@pytest.fixture(scope="session")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Known]:
    """Two simulated runs, with BLADE's own report."""
    directory = tmp_path_factory.mktemp("known")
    simulate(directory, agents=["steady", "hasty"], tasks=20, repeats=4, seed=7)
    paths = [directory / "steady_rollouts.jsonl", directory / "hasty_rollouts.jsonl"]
    with blade.load(paths, blade.Options(cache=None, workers=1)) as store:
        report = render(compose(gather(store, blade.Settings()), store))
        yield Known(paths, truth_of(store, report=report), report)
