"""What a report says: the answer first, eleven sections, every number with what it is of, every claim with a ref."""

import re
from pathlib import Path

import msgspec
import pytest

import blade
from blade.errors import InputError
from blade.explain.records import Counterfactual, Finding, Gain, Intervention, Quote, Saving
from blade.report.composing import compose
from blade.report.findings import gather
from blade.report.markdown import render
from blade.report.recommended import ranked
from tests.building import here, row, write
from tests.report.making import SECTIONS, analysis, booked, markdown, page, report, run_of, two_runs


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of two runs of which the second is worse."""
    directory = tmp_path_factory.mktemp("compared")
    report(two_runs(directory / "runs"), directory / "out")
    return directory


def test_the_eleven_sections_stand_in_their_order(compared: Path) -> None:
    told = re.findall(r"^## (.+)$", markdown(compared / "out"), re.MULTILINE)
    assert told == SECTIONS
    shown = [re.sub(r"^\d+\s+", "", heading.strip()) for heading in page(compared / "out").headings]
    assert [heading for heading in shown if heading in SECTIONS] == SECTIONS


def test_the_answer_stands_above_everything_with_its_interval(compared: Path) -> None:
    one = analysis(compared / "out")["comparisons"][0]
    first = page(compared / "out").headings[0]
    assert first == one["answer"][0]
    assert "later is worse than before" in first
    assert re.search(r"−\d+\.\d points \[−\d+\.\d, −\d+\.\d\]", first)
    assert markdown(compared / "out").split("\n")[2] == f"**{first}**"


def test_the_first_fix_says_who_can_act_and_what_it_would_give(compared: Path) -> None:
    text = markdown(compared / "out").partition("### The first fix")[2].partition("\n\n")[2].partition("\n\n")[0]
    assert "Who can act: " in text
    assert re.search(r"\d+\.\d points", text)


def test_the_bound_of_a_mode_is_what_the_score_would_gain_if_its_rollouts_passed(compared: Path) -> None:
    with blade.load(str(compared / "runs"), here()) as store:
        places = ranked(gather(store, blade.Settings()))
        run = blade.metrics(store)[-1]
    assert run.run == "later"
    lost = 100 * (1 - run.metrics["pass@1"].value)
    assert sum(place.at_most for place in places) == pytest.approx(lost)


def test_the_terms_of_a_comparison_sum_to_its_difference(compared: Path) -> None:
    for one in analysis(compared / "out")["comparisons"]:
        assert sum(term["points"] for term in one["terms"]) == pytest.approx(one["delta"]["value"], abs=1e-9)
        assert sum(term["points"] for term in one["headline"]["terms"]) == pytest.approx(one["headline"]["value"])


def test_the_data_have_a_ref_for_every_failing_rollout_and_a_label_for_every_task(compared: Path) -> None:
    found = analysis(compared / "out")
    for run in found["runs"]:
        refs = [ref for mode in run["modes"] for ref in mode["refs"]]
        assert len(refs) == len(set(refs)) == run["failed"]
    assert len(found["tasks"]) == 24


def test_every_ref_that_is_shown_opens(compared: Path) -> None:
    shown = set(re.findall(r"`((?:before|later):\d+/\d+(?:#i?\d+)?)`", markdown(compared / "out")))
    assert len(shown) > 10
    with blade.load(str(compared / "runs"), here()):
        pass
    for ref in shown:
        assert blade.resolve(ref, str(compared / "runs"), cache=None) is not None


def test_every_link_of_the_page_leads_somewhere_and_no_place_has_two_names(compared: Path) -> None:
    found = page(compared / "out")
    assert len(found.ids) == len(set(found.ids))
    assert [link for link in found.links if link.lstrip("#") not in found.ids] == []
    assert len(found.links) > 50


def test_every_ref_of_a_small_report_leads_to_its_step(compared: Path) -> None:
    found = page(compared / "out")
    shown = [attributes for tag, attributes in found.elements if (attributes.get("class") or "") == "ref"]
    assert len(shown) > 10
    assert [attributes for attributes in shown if "href" not in attributes] == []


def test_a_task_row_leads_to_where_the_task_is_looked_into(compared: Path) -> None:
    links = page(compared / "out").links
    dives = [link for link in links if link.startswith("#dive-")]
    assert dives
    assert all(dives.count(link) > 1 for link in dives)


def test_one_run_says_what_went_wrong_and_how_to_compare(tmp_path: Path) -> None:
    path = run_of(tmp_path / "only_rollouts.jsonl", [[True, False], [True, True], [False, False]])
    report(path, tmp_path / "out")
    text = markdown(tmp_path / "out")
    assert "only passes 50.0 %" in text.split("\n")[2]
    assert "There is one run only" in text
    assert analysis(tmp_path / "out")["comparisons"] == []
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == SECTIONS


def test_a_run_without_failures_has_nothing_to_explain(tmp_path: Path) -> None:
    report(run_of(tmp_path / "fine_rollouts.jsonl", [[True, True]] * 3), tmp_path / "out")
    text = markdown(tmp_path / "out")
    assert "fine passes every one of its 6 measured rollouts." in text
    assert "there is no failure to explain" in text
    analysis(tmp_path / "out")


def test_two_runs_without_failures_have_no_difference(tmp_path: Path) -> None:
    for name in "ab":
        run_of(tmp_path / f"{name}_rollouts.jsonl", [[True, True]] * 6)
    report(tmp_path, tmp_path / "out")
    assert "so there is nothing to split" in markdown(tmp_path / "out")
    assert analysis(tmp_path / "out")["comparisons"][0]["terms"] == []


def test_a_run_without_a_verdict_has_no_score(tmp_path: Path) -> None:
    write(tmp_path / "dark_rollouts.jsonl", [row(task=task, reward=...) for task in range(3)])
    report(tmp_path, tmp_path / "out")
    assert "there is no score to explain" in markdown(tmp_path / "out")
    analysis(tmp_path / "out")


def test_single_tries_are_told_for_what_they_are(tmp_path: Path) -> None:
    report(run_of(tmp_path / "once_rollouts.jsonl", [[True], [False], [True]]), tmp_path / "out")
    text = markdown(tmp_path / "out")
    assert "always and never say little" in text
    assert "No task was tried twice" in text


def test_what_is_not_measured_is_told_with_both_denominators(tmp_path: Path) -> None:
    rows = [booked(task, rollout, passes=task % 2 == 0) for task in range(6) for rollout in range(2)]
    rows[3]["mask_sample"] = True
    write(tmp_path / "masked_rollouts.jsonl", rows)
    report(tmp_path, tmp_path / "out")
    text = markdown(tmp_path / "out")
    assert "1 rollout not measured, masked" in text
    assert "pass@1, not measured as failed" in text
    assert "11 of 12 (91.7 %)" in text


def test_runs_that_share_no_task_are_not_compared(tmp_path: Path) -> None:
    run_of(tmp_path / "a_rollouts.jsonl", [[True, False]] * 3)
    write(tmp_path / "b_rollouts.jsonl", [row(task=f"t{task}", prompt=f"other {task}", reward=0) for task in range(3)])
    report(tmp_path, tmp_path / "out")
    found = analysis(tmp_path / "out")["comparisons"][0]
    assert found["verdict"] == "not comparable"
    assert "cannot be compared" in markdown(tmp_path / "out").split("\n")[2]


def test_a_series_of_runs_has_a_row_for_each_and_their_drift(tmp_path: Path) -> None:
    for night in range(4):
        run_of(tmp_path / f"night{night}_rollouts.jsonl", [[task > night, task > 2 * night] for task in range(8)])
    report(tmp_path, tmp_path / "out")
    text = markdown(tmp_path / "out")
    assert "*Every run against night0*" in text
    assert "*Failure modes over the runs.*" in text
    assert len(analysis(tmp_path / "out")["comparisons"]) == 3
    assert page(tmp_path / "out").text.startswith("night3 against night0, and 2 other runs: why the score changed")


def test_a_baseline_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no run is named nobody"):
        report(two_runs(tmp_path / "runs"), tmp_path / "out", baseline="nobody")


def test_graded_rewards_get_their_own_account(tmp_path: Path) -> None:
    for name, low in (("a", 0.8), ("b", 0.2)):
        rows = [booked(task, 0, passes=task < 4) for task in range(12)]
        for each in rows[4:]:
            each["reward"] = low
        write(tmp_path / f"{name}_rollouts.jsonl", rows)
    report(tmp_path, tmp_path / "out")
    assert "Rewards are graded: the mean reward changes by" in markdown(tmp_path / "out")
    assert analysis(tmp_path / "out")["comparisons"][0]["reward_terms"]


def test_interventions_are_told_with_their_gain_its_bound_and_what_would_confirm_it(compared: Path) -> None:
    one = Intervention(
        rank=1,
        title="Have the date repeated before a room is booked",
        run="later",
        owner="prompt",
        causes=["BI"],
        modes=["wrong answer, varies"],
        gain=Gain(value=31.5, low=12.25, high=44.0),
        recoverable=52.75,
        as_failed=False,
        why="tasks score so much without the failure",
        rollouts=19,
        tasks=["1", "2"],
        confirm="rerun 2 tasks, 4 repeats each",
        confirm_repeats=4,
        saving=[Saving(what="output tokens", now=900.0, then=400.0)],
        refs=["later:1/1#2"],
    )
    row = Counterfactual(
        what="all modes", title="Without all modes", points=88.0, gain=Gain(value=40.0, low=None, high=None)
    )
    with blade.load(str(compared / "runs"), here()) as store:
        found = gather(store, blade.Settings())
        analysis = msgspec.structs.replace(found.analysis, interventions=[one], counterfactual=[row])
        document = compose(msgspec.structs.replace(found, analysis=analysis), store)
    text = render(document)
    assert "### The first fix" in text.partition("## Artifact Inventory")[0]
    assert "It would give +31.5 points [+12.2, +44.0], at most 52.8." in text
    assert "To confirm it: rerun 2 tasks, 4 repeats each." in text
    assert "For each pass: output tokens 900 → 400." in text
    assert "| Without all modes | 88.0 | +40.0 |" in text


def test_doubts_about_the_benchmark_stand_before_the_details(compared: Path) -> None:
    doubt = Finding(
        kind="leak",
        title="The prompts of 2 tasks hold the expected answer",
        why="They do.",
        tasks=["1", "2"],
        refs=["later:1/1#i0"],
        quotes=[Quote(ref="later:1/1#i0", text="Book a room")],
    )
    with blade.load(str(compared / "runs"), here()) as store:
        found = gather(store, blade.Settings())
        analysis = msgspec.structs.replace(found.analysis, health=[doubt])
        text = render(compose(msgspec.structs.replace(found, analysis=analysis), store))
    first = text.partition("## Executive Summary")[2].partition("## Artifact Inventory")[0]
    assert "Before the score is trusted: the prompts of 2 tasks hold the expected answer ([health](#health))." in first
    assert "**The prompts of 2 tasks hold the expected answer.** They do. Tasks: 1 and 2. As in `later:1/1#i0`." in text
