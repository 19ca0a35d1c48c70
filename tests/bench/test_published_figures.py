"""The figures that the pages publish are those of the code as it is: some cells are simulated again."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench import coverage, noise

BENCH = Path(noise.__file__).parent
NOISE: dict[str, Any] = json.loads((BENCH / "noise.json").read_text())
COVERAGE: dict[str, Any] = json.loads((BENCH / "coverage.json").read_text())


def test_every_cell_of_the_grids_has_its_figure() -> None:
    for figures, cells in ((NOISE, noise.cells()), (COVERAGE, coverage.cells())):
        grid = [{name: value for name, value in cell._asdict().items() if value} for cell in cells]
        assert [{name: cell[name] for name in each} for cell, each in zip(figures["cells"], grid, strict=True)] == grid


@pytest.mark.parametrize(
    "cell",
    [
        noise.Cell("false alarms", "Beta(.5, .5)", 50, 4),
        noise.Cell("power", "Beta(2, 2)", 20, 4, "everywhere"),
        noise.Cell("power", "half easy, half hard", 50, 8, "at few tasks"),
        noise.Cell("false alarms of terms", "Beta(1, 1)", 20, 4),
    ],
)
def test_a_claim_that_is_simulated_again_is_the_one_that_is_published(cell: noise.Cell) -> None:
    number = list(noise.cells()).index(cell)
    published, found = NOISE["cells"][number], noise.answer((number, cell, NOISE["simulations"], NOISE["seed"]))
    assert found == pytest.approx(published, abs=0.002)


@pytest.mark.parametrize(
    "cell",
    [
        coverage.Cell("shares", "Beta(2, 2)", 20, 4),
        coverage.Cell("paired", "Beta(.2, 2)", 20, 1, "3 % of the tasks solved"),
        coverage.Cell("these tasks", "Beta(1, 1)", 20, 8),
        coverage.Cell("means", "lognormal, sigma 1", 20),
    ],
)
def test_a_coverage_that_is_simulated_again_is_the_one_that_is_published(cell: coverage.Cell) -> None:
    number = list(coverage.cells()).index(cell)
    published = COVERAGE["cells"][number]
    found = coverage.cover((number, cell, COVERAGE["simulations"], COVERAGE["seed"]))
    assert found == pytest.approx(published, abs=0.002)
