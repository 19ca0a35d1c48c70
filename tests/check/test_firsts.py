"""Which run is first or last, which failure mode leads, and whether every failure is of one kind."""

import pytest

from blade.check.checking import check
from blade.check.claims import truth as known
from blade.check.claims.claim import CONTRADICTED, SUPPORTED
from blade.check.claims.truth import Quantity, Run, Truth

_PASSED = {"amber": 30, "cobalt": 20, "ochre": 26}
_MODES = {"Search repeated without end": 14, "ship_parcel weight: 100 times as large": 5, "Wrong date format": 1}


@pytest.fixture
def truth() -> Truth:
    """Three runs; of the 20 failures of the last, 14 are loops."""
    told = []
    for run, passed in _PASSED.items():
        whole = (run, known.WHOLE, "")
        told += [
            Quantity(*whole, "pass@1", passed / 40, known.SHARE),
            Quantity(*whole, "rollouts", 40, known.COUNT),
            Quantity(*whole, "failed", 40 - passed, known.COUNT, 40),
        ]
    told += [Quantity("cobalt", known.MODE, title, "rollouts", n, known.COUNT, 20) for title, n in _MODES.items()]
    return Truth([Run(run, None, None) for run in _PASSED], told)


@pytest.mark.parametrize(
    "sentence",
    [
        "amber has the highest pass@1 of all runs.",
        "cobalt has the lowest pass rate of the three runs.",
        "Of the three runs, cobalt performs worst.",
        "The lowest pass@1 is cobalt's.",
        "ochre outscores cobalt.",
        "cobalt trails amber.",
        "The most common failure mode of cobalt is an endlessly repeated search.",
    ],
)
def test_a_true_ranking_is_supported(sentence: str, truth: Truth) -> None:
    found = check(f"# Note\n\n{sentence}\n", truth).counts
    assert (found[SUPPORTED], found[CONTRADICTED]) == (1, 0)


@pytest.mark.parametrize(
    ("sentence", "true"),
    [
        ("ochre has the highest pass@1 of all runs.", "amber (75.0 %)"),
        ("ochre has the lowest pass@1 of the three runs.", "cobalt (50.0 %)"),
        ("Of the three runs, amber scores worst.", "cobalt (50.0 %)"),
        ("The highest pass@1 is ochre's.", "amber (75.0 %)"),
        ("cobalt beats ochre.", "cobalt: 50.0 %; ochre: 65.0 %"),
        ("Every failing rollout of cobalt is a search repeated without end.", "14 of 20 failing rollouts"),
        (
            "The most common failure mode of cobalt is the parcel weight given to ship_parcel.",
            "cobalt: Search repeated without end (14; “ship_parcel weight: 100 times as large”: 5)",
        ),
    ],
)
def test_a_false_ranking_is_contradicted_with_the_first(sentence: str, true: str, truth: Truth) -> None:
    assert [each.true for each in check(f"# Note\n\n{sentence}\n", truth).contradictions] == [true]


@pytest.mark.parametrize(
    "sentence",
    [
        "Of the five runs, ochre scores best.",
        "ochre is the worst offender.",
        "ochre is not the best run.",
        "ochre has its highest pass@1 on short tasks.",
        "Not every failing rollout of cobalt is a search repeated without end.",
        "The most common failure mode of cobalt is plain bad luck.",
        "The most common failure mode of cobalt is a repeated parcel weight.",
    ],
)
def test_a_ranking_of_something_else_is_left_alone(sentence: str, truth: Truth) -> None:
    assert check(f"# Note\n\n{sentence}\n", truth).contradictions == []
