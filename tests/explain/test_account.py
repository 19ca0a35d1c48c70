"""The terms of a score change sum to it, exactly, whatever the runs are."""

import random
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.building import Row, message
from tests.explain.planting import explained, failing, passing, rollouts, run_of, tried

KINDS = 4


def of_kind(kind: int, task: int, repeat: int) -> Row:
    """A pass, a wrong answer, a tool error, a verifier's kind, or no measurement."""
    if kind == 0:
        return passing(task, repeat, *tried("found"), message("It is 5."), error_kind=None)
    if kind == 1:
        return failing(task, repeat, *tried("found"), message("It is 7."), error_kind=None)
    if kind == 2:
        return failing(task, repeat, *tried(f"Error: no entry with id '{task}'"), message("Sorry."), error_kind=None)
    if kind == 3:
        return failing(task, repeat, *tried("found"), message("It is 7."), error_kind="bad_order")
    return failing(task, repeat, *tried("found"), message("It is 7."), error_kind=None, mask_sample=True)


@given(st.integers(0, 2**32), st.integers(2, 9), st.integers(1, 4))
@settings(max_examples=12, deadline=None)
def test_terms_and_causes_sum_to_the_delta_and_the_headline_to_what_a_scoreboard_shows(
    seed: int, tasks: int, repeats: int
) -> None:
    chance = random.Random(seed)
    with TemporaryDirectory() as directory:
        paths = [
            run_of(
                Path(directory, f"{name}_rollouts.jsonl"),
                lambda t, r: of_kind(chance.choice([0, 0, 1, 2, 3, 4]), t, r),
                tasks=chance.randint(2, tasks),
                repeats=repeats,
            )
            for name in "ab"
        ]
        found = explained(*paths)
        [one] = found.comparisons
        [mirrored] = explained(*paths, baseline="b").comparisons
    if one.delta.value is None:
        assert one.terms == []
        return
    assert sum(term.points for term in one.terms) == pytest.approx(one.delta.value, abs=1e-10)
    assert sum(term.points for term in one.cause_terms) == pytest.approx(one.delta.value, abs=1e-10)
    if one.headline:
        assert sum(term.points for term in one.headline.terms) == pytest.approx(one.headline.value, abs=1e-10)
    by_mode = {term.mode: term.points for term in mirrored.terms}
    assert by_mode == pytest.approx({term.mode: -term.points for term in one.terms}, abs=1e-10)
    for term in one.terms:
        assert term.points == pytest.approx(term.baseline - term.candidate, abs=1e-10)
    assert sum(flow.points for flow in one.flows) == pytest.approx(100, abs=0.05 * 25)


def two_runs(tmp_path: Path, first: object, second: object, **size: int) -> tuple[Path, Path]:
    return (
        run_of(tmp_path / "a_rollouts.jsonl", first, **size),  # type: ignore[arg-type]
        run_of(tmp_path / "b_rollouts.jsonl", second, **size),  # type: ignore[arg-type]
    )


def test_a_planted_loss_is_told_with_its_mode_its_cause_and_its_rollouts(tmp_path: Path) -> None:
    struck = {(task, repeat) for task in range(40) for repeat in range(4) if (task * 7 + repeat * 3) % 5 < 2}
    paths = two_runs(
        tmp_path,
        lambda t, r: of_kind(0, t, r),
        lambda t, r: of_kind(3 if (t, r) in struck else 0, t, r),
        tasks=40,
    )
    [one] = explained(*paths).comparisons
    assert one.verdict == "worse"
    [term] = [term for term in one.terms if not term.within_noise]
    assert term.mode == "error_kind = bad_order"
    assert term.points == pytest.approx(-100 * len(struck) / 160)
    assert rollouts(term.refs) == {f"b:{task}/{repeat}" for task, repeat in struck}
    assert one.answer[0].startswith("b is worse than a: −40.0 points")
    assert "“bad_order” (error_kind) costs 40.0 points" in one.answer[1]


def test_offsetting_causes_are_told_though_nothing_changed_in_sum(tmp_path: Path) -> None:
    def first(task: int, repeat: int) -> Row:
        return of_kind(3 if repeat == task % 4 else 0, task, repeat)

    def second(task: int, repeat: int) -> Row:
        return of_kind(2 if repeat == (task + 1) % 4 else 0, task, repeat)

    [one] = explained(*two_runs(tmp_path, first, second, tasks=40)).comparisons
    assert one.verdict == "no difference shown"
    assert one.answer[
        0
    ] == "No difference shown in sum (0.0 points [−9.5, +9.5]), but parts of it offset each other." or (
        "offset each other" in one.answer[0]
    )
    assert {term.points > 0 for term in one.terms if not term.within_noise} == {True, False}


def test_inside_noise_the_first_sentence_says_so_and_no_story_is_told(tmp_path: Path) -> None:
    chance = random.Random(4)
    wrong = {(name, t, r): chance.random() < 0.3 for name in "ab" for t in range(40) for r in range(4)}
    paths = two_runs(
        tmp_path,
        lambda t, r: of_kind(int(wrong["a", t, r]), t, r),
        lambda t, r: of_kind(int(wrong["b", t, r]), t, r),
        tasks=40,
    )
    [one] = explained(*paths).comparisons
    assert one.answer[0].startswith("No difference shown: ")
    assert all(term.within_noise for term in one.terms)
    assert not any("costs" in sentence or "gives back" in sentence for sentence in one.answer)


def test_flows_say_where_rollouts_went_and_force_nothing_that_the_counts_do_not(tmp_path: Path) -> None:
    paths = two_runs(tmp_path, lambda t, r: of_kind(3, t, r), lambda t, r: of_kind(0 if r else 3, t, r))
    [one] = explained(*paths).comparisons
    found = {(flow.from_, flow.to): flow.points for flow in one.flows}
    assert found == pytest.approx(
        {("error_kind = bad_order", "passed"): 75.0, ("error_kind = bad_order", "error_kind = bad_order"): 25.0}
    )


def test_graded_rewards_get_a_table_of_their_own_that_sums_to_the_change_of_the_mean(tmp_path: Path) -> None:
    def second(task: int, repeat: int) -> Row:
        return of_kind(3, task, repeat) | {"reward": 0.25} if repeat == 0 else of_kind(0, task, repeat)

    paths = two_runs(tmp_path, lambda t, r: of_kind(0, t, r), second)
    [one] = explained(*paths).comparisons
    assert one.reward_delta is not None
    assert one.reward_terms is not None
    assert sum(term.value for term in one.reward_terms) == pytest.approx(one.reward_delta.value)
    assert one.reward_terms[0].value == pytest.approx(-0.75 / 4)


def test_slices_that_differ_are_accounted_for_too(tmp_path: Path) -> None:
    def kind_of(task: int) -> dict[str, str]:
        return {"category": "mail" if task % 2 else "board"}

    def second(task: int, repeat: int) -> Row:
        return of_kind(3 if task % 2 and repeat < 3 else 0, task, repeat) | kind_of(task)

    paths = two_runs(tmp_path, lambda t, r: of_kind(0, t, r) | kind_of(t), second, tasks=40)
    [one] = explained(*paths).comparisons
    assert [(term.field, term.value, term.mode) for term in one.slice_terms] == [
        ("category", "mail", "error_kind = bad_order")
    ]
    assert one.slice_terms[0].points == pytest.approx(-75)


def test_runs_without_a_common_task_are_not_explained(tmp_path: Path) -> None:
    a = run_of(tmp_path / "a_rollouts.jsonl", lambda t, r: of_kind(0, t, r))
    b = run_of(tmp_path / "b_rollouts.jsonl", lambda t, r: of_kind(1, t + 50, r))
    [one] = explained(a, b).comparisons
    assert one.terms == []
    assert one.answer[0].startswith("The runs cannot be compared")
