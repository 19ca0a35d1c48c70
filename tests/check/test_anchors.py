"""Anchor facts: drafted from runs or from text, checked, kept in the shape that users know."""

import json

import pytest

import blade
from blade.check.anchors import from_runs
from blade.check.anchors.drafting import draft
from blade.check.anchors.fact import document, parse
from blade.errors import InputError
from tests.check.conftest import Known


def test_facts_from_runs_are_held_by_the_report_and_by_the_data(known: Known) -> None:
    with blade.load(known.paths, blade.Options(cache=None, workers=1)) as store:
        found = from_runs.draft(store, baseline=known.truth.baseline)
    drafted = draft(known.report, found=found, truth=known.truth)
    assert len(drafted.facts) >= 12
    assert {fact.checked for fact in drafted.facts} <= {"supported", "not checkable"}
    assert sum(fact.checked == "supported" for fact in drafted.facts) >= 0.8 * len(drafted.facts)
    assert all(fact.guessability is not None and fact.guessability < 1 for fact in drafted.facts)


def test_facts_are_drafted_from_the_text_alone(known: Known) -> None:
    drafted = draft(known.report, most=12)
    assert len(drafted.facts) == 12
    assert [fact.id for fact in drafted.facts] == [f"B{number}" for number in range(1, 13)]


def test_a_fact_that_the_data_contradict_is_left_out(known: Known) -> None:
    task = next(task for (run, task), found in known.truth.tasks.items() if run == "hasty" and found.passed == 4)
    drafted = draft(f"# Report\n\n## Deep Dives\n\nTask {task} passes 1 of 4 in hasty.\n", truth=known.truth)
    assert all(f"Task {task} " not in fact.fact for fact in drafted.facts)
    assert any("contradict" in each.why for each in drafted.left_out) or not drafted.facts


def test_the_file_has_the_keys_that_users_know(known: Known) -> None:
    facts = draft(known.report, most=9).facts
    found = document(facts, benchmark="office", model="hasty", method="text", generated_at="2026-01-01T00:00:00+00:00")
    assert list(found) == [
        *("benchmark", "model", "extraction_method", "generated_at", "review_required", "anchor_facts")
    ]
    assert {"id", "fact", "difficulty", "mean_score"} <= found["anchor_facts"][0].keys()
    assert [fact.fact for fact in parse(json.dumps(found))] == [fact.fact for fact in facts]


@pytest.mark.parametrize(
    "text", ["", "{", "[1]", '{"anchor_facts": 3}', '{"anchor_facts": [{"id": "B1"}]}', "[" * 9_999]
)
def test_a_file_that_holds_no_facts_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(InputError):
        parse(text, file="facts.json")
