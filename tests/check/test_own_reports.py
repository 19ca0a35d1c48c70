"""The project's own report holds, and errors that are planted into it are found."""

import json
from pathlib import Path

import pytest

import blade
from bench.scoring.planted import plant_and_check
from blade.check.checking import check
from blade.check.claims.baseline import named_baseline
from blade.check.claims.claim import SUPPORTED
from blade.check.claims.sidecars import check_metrics
from blade.check.claims.truth import Run
from tests.check.conftest import Known


def test_nothing_in_the_own_report_is_contradicted(known: Known) -> None:
    found = check(known.report, known.truth)
    assert [each.document() for each in found.contradictions] == []
    assert found.counts[SUPPORTED] > 300


def test_planted_errors_are_found_and_nothing_else_is(known: Known) -> None:
    found = plant_and_check(known.report, known.truth, seed=1)
    assert len(found.errors) > 30
    assert found.recall >= 0.8
    assert found.precision >= 0.95


@pytest.mark.parametrize(
    "text",
    [
        "hasty against the baseline steady: it lost 20 points.",
        "Compared with steady, the baseline, hasty lost 20 points.",
        "| baseline: steady | candidate: hasty |\n|---|---|\n| 1 | 2 |",
        "| run | change |\n|---|---|\n| steady | baseline |\n| hasty | −20 |",
    ],
)
def test_the_run_that_a_report_calls_its_baseline_is_found(text: str) -> None:
    runs = [Run("hasty", None, None), Run("steady", None, None)]
    assert named_baseline(f"# Report\n\n{text}\n", runs) == "steady"


def test_no_baseline_is_made_up() -> None:
    runs = [Run("hasty", None, None), Run("steady", None, None)]
    assert named_baseline("# Report\n\nsteady and hasty differ.\n", runs) is None


def test_the_own_metrics_files_hold_and_a_wrong_number_does_not(known: Known, tmp_path: Path) -> None:
    blade.write_report(known.paths, tmp_path, options=blade.Options(cache=None, workers=1))
    for path in tmp_path.glob("metrics/*.json"):
        text = path.read_text(encoding="utf-8")
        found = check_metrics(text, known.truth, file=path.name)
        assert {each.verdict for each in found} == {"supported", "not checkable"}
        wrong = json.dumps({**json.loads(text), "total_tasks": 21})
        assert [each.true for each in check_metrics(wrong, known.truth) if each.true] == ["20"]
