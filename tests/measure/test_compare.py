"""Two runs held against each other: which tasks are the same, what differs in the set-up, what is claimed."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import blade
from tests.building import Row, here, message, owed, row, write

Rewards = Sequence[Sequence[float | None]]
"""Of each task the rewards of its rollouts."""

NOISY: Rewards = [[float((task * 7 + rollout * 3) % 5 < 2) for rollout in range(2)] for task in range(12)]
LOW: Rewards = [[0.0, float(task % 3 == 0)] for task in range(12)]
HIGH: Rewards = [[1.0, float(task % 4 > 0)] for task in range(12)]


def rows_of(rewards: Rewards, first: int = 0, **more: Any) -> list[Row]:
    return [
        row(**{"task": task, "rollout": rollout, "prompt": f"Question {task}?", "reward": reward} | more)
        for task, of_task in enumerate(rewards, first)
        for rollout, reward in enumerate(of_task)
    ]


def compared(directory: Path, *runs: list[Row], **how: Any) -> list[blade.Comparison]:
    """Runs a, b, … of these rows, each held against a."""
    paths = [write(directory / f"{name}_rollouts.jsonl", rows) for name, rows in zip("abcdef", runs, strict=False)]
    return blade.compare(paths, options=here(), **how)


def pair(directory: Path, first: list[Row], second: list[Row], **how: Any) -> blade.Comparison:
    [found] = compared(directory, first, second, **how)
    return found


def differing(found: blade.Comparison) -> dict[str, tuple[Any, Any]]:
    return {each.what: (each.baseline, each.candidate) for each in found.comparable.differences}


# The verdict


def test_a_candidate_that_is_clearly_better_or_worse_is_called_so(tmp_path: Path) -> None:
    up = pair(tmp_path / "up", rows_of(LOW), rows_of(HIGH))
    down = pair(tmp_path / "down", rows_of(HIGH), rows_of(LOW))
    assert (up.verdict, down.verdict) == ("better", "worse")
    assert up.delta.value == pytest.approx(-(down.delta.value or 0.0))
    assert up.delta.p == down.delta.p
    low, value, high = up.delta.low, up.delta.value, up.delta.high
    assert low is not None
    assert value is not None
    assert high is not None
    assert 0 < low < value < high


def test_a_run_against_itself_has_a_difference_of_0_and_p_1(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", rows_of(NOISY))
    [found] = blade.compare([path, path], options=here())
    assert (found.baseline, found.candidate, found.verdict) == ("a", "a", "no difference shown")
    assert (found.delta.value, found.delta.p, found.flips) == (0.0, 1.0, [])
    assert found.warnings == ["the run is compared with itself"]
    assert found.comparable.verdict == "same setup"


def test_one_path_to_one_run_is_nothing_to_compare(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", rows_of(NOISY))
    with pytest.raises(blade.InputError, match="a comparison needs two runs, and there is only a"):
        blade.compare(path, options=here())


def test_the_same_rewards_in_two_files_are_warned_of(tmp_path: Path) -> None:
    found = pair(tmp_path, rows_of(NOISY), rows_of(NOISY))
    assert (found.delta.value, found.delta.p) == (0.0, 1.0)
    assert found.warnings == ["every reward of one run is that of the other: the same data twice?"]


def test_a_verdict_that_depends_on_what_is_not_measured_is_none(tmp_path: Path) -> None:
    masked = [each | {"mask_sample": each["_ng_rollout_index"] == 1} for each in rows_of([[1.0, 0.0]] * 12)]
    found = pair(tmp_path, rows_of([[1.0, 1.0]] * 12), masked)
    assert (found.delta.value, found.delta_as_failed.value) == (0.0, -50.0)
    assert (found.verdict, found.verdict_depends) == ("no difference shown", True)
    assert "no difference shown where it is left out, worse where it counts as failed" in found.why


def test_several_candidates_are_adjusted_for_their_number_and_compared_with_the_baseline(tmp_path: Path) -> None:
    found = compared(tmp_path, rows_of(LOW), rows_of(HIGH), rows_of(NOISY), rows_of(LOW))
    assert [(each.baseline, each.candidate) for each in found] == [("a", "b"), ("a", "c"), ("a", "d")]
    smallest = found[0].delta
    assert smallest.p is not None
    assert smallest.p_adjusted == pytest.approx(3 * smallest.p)
    assert all((each.delta.p_adjusted or 0) >= (each.delta.p or 0) for each in found)


def test_a_baseline_may_be_named_and_must_be_there(tmp_path: Path) -> None:
    [found] = compared(tmp_path, rows_of(LOW), rows_of(HIGH), baseline="b")
    assert (found.baseline, found.candidate, found.verdict) == ("b", "a", "worse")
    with pytest.raises(blade.InputError, match="no run is named z"):
        compared(tmp_path, rows_of(LOW), rows_of(HIGH), baseline="z")


@given(order=st.randoms(use_true_random=False))
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_neither_the_order_of_rows_nor_the_numbers_of_tasks_change_a_comparison(
    tmp_path_factory: pytest.TempPathFactory, order: random.Random
) -> None:
    plain = pair(tmp_path_factory.mktemp("plain"), rows_of(LOW), rows_of(NOISY))
    runs = [[each | {"_ng_task_index": 50 - each["_ng_task_index"]} for each in rows_of(run)] for run in (LOW, NOISY)]
    for rows in runs:
        order.shuffle(rows)
    other = pair(tmp_path_factory.mktemp("other"), *runs)
    assert other.delta.p == plain.delta.p
    for name in ("value", "low", "high"):
        assert getattr(other.delta, name) == pytest.approx(getattr(plain.delta, name), abs=1e-9)
    assert other.minimum_detectable == pytest.approx(plain.minimum_detectable)
    assert len(other.flips) == len(plain.flips)


def test_the_power_that_is_stated_falls_with_more_tasks(tmp_path: Path) -> None:
    few = pair(tmp_path / "few", rows_of(NOISY), rows_of(LOW)).minimum_detectable
    many = pair(tmp_path / "many", rows_of([*NOISY] * 4), rows_of([*LOW] * 4)).minimum_detectable
    assert few is not None
    assert many is not None
    assert 0 < many < few < 100


# Which tasks are the same


def test_the_same_id_with_another_prompt_is_another_task(tmp_path: Path) -> None:
    second = rows_of(NOISY[:2], prompt="Something else?") + rows_of(NOISY[2:], first=2)
    found = pair(tmp_path, rows_of(NOISY), second)
    assert (found.common.changed_prompts, found.common.tasks) == (["0", "1"], 10)
    assert pair(tmp_path, rows_of(NOISY), second, by_id=True).common.tasks == 12


def test_other_leading_instructions_are_no_other_task_but_a_change(tmp_path: Path) -> None:
    def instructed(text: str) -> list[Row]:
        return [
            row(
                task=task,
                prompt=[message(text, "system"), message(f"Question {task}?", "user")],
                reward=float(task % 2),
            )
            for task in range(4)
        ]

    found = pair(tmp_path, instructed("Be brief."), instructed("Be thorough."))
    assert (found.common.tasks, found.common.changed_prompts) == (4, [])
    assert found.comparable.verdict == "one change"
    assert found.comparable.why == "only the instructions differ"


def test_runs_that_number_their_tasks_differently_are_paired_by_prompts(tmp_path: Path) -> None:
    moved = [each | {"_ng_task_index": 100 + each["_ng_task_index"]} for each in rows_of(NOISY)]
    found = pair(tmp_path, rows_of(NOISY), moved)
    assert (found.common.tasks, found.common.paired_by) == (12, "prompt")
    assert found.delta.value == 0.0


def test_prompts_that_vary_between_repeats_leave_ids_to_pair_by(tmp_path: Path) -> None:
    def varied(seed: int) -> list[Row]:
        return [
            each | {"responses_create_params": {"input": f"{seed} {place}"}}
            for place, each in enumerate(rows_of(NOISY))
        ]

    found = pair(tmp_path, varied(1), varied(2))
    assert (found.common.tasks, found.common.paired_by) == (12, "id")


def test_a_changed_template_is_told_where_other_fields_name_the_tasks(tmp_path: Path) -> None:
    def templated(words: str) -> list[Row]:
        return [
            row(task=task, prompt=f"{words} {task}", reward=float(task % 2), expected_answer=f"answer {task}")
            for task in range(6)
        ]

    found = pair(tmp_path, templated("Tell me"), templated("Say"))
    assert (found.common.tasks, found.common.paired_by) == (6, "id")
    assert "expected_answer agrees" in found.common.note
    assert found.comparable.verdict == "one change"


def test_tasks_of_one_run_only_and_tasks_without_a_measurement_are_named(tmp_path: Path) -> None:
    first = rows_of([[1.0], [1.0], [None], [0.0]])
    second = rows_of([[1.0], [0.0], [1.0], [1.0]], first=1)
    common = pair(tmp_path, first, second).common
    assert (common.only_baseline, common.only_candidate, common.not_measured) == (["0"], ["4"], ["2"])
    assert (common.tasks, common.rollouts) == (2, (2, 2))


# What differs in the set-up


def test_one_thing_that_differs_is_named_and_several_are_listed(tmp_path: Path) -> None:
    agent = {"agent_ref": {"name": "other"}}
    one = pair(tmp_path / "one", rows_of(NOISY, agent_ref={"name": "some"}), rows_of(LOW, **agent))
    assert (one.comparable.verdict, one.comparable.why) == ("one change", "only the agent differs")
    assert differing(one) == {"agent": ("some", "other")}
    hotter = {"input": "Question 0?", "temperature": 0.9, "max_output_tokens": 99}
    several = pair(
        tmp_path / "several",
        rows_of(NOISY[:1]),
        [
            row(
                reward=reward,
                rollout=rollout,
                responses_create_params=hotter,
                skills_ref={"hash": "abc"},
                response={"model": "big", "output": []},
            )
            for rollout, reward in enumerate(NOISY[0])
        ],
    )
    assert several.comparable.verdict == "several changes"
    assert differing(several) == {
        "model": ("tiny", "big"),
        "temperature": (None, 0.9),
        "max output tokens": (None, 99),
        "skills": ("none", "abc"),
    }


def test_other_tools_limits_verifier_fields_repeats_and_tasks_are_told(tmp_path: Path) -> None:
    def equipped(tool: str, task: int, **more: Any) -> Row:
        request = {"input": f"Question {task}?", "tools": [{"type": "function", "name": tool}]}
        return row(task=task, responses_create_params=request, **more)

    first = [equipped("look", task, max_turns=5) for task in range(3)]
    second = [equipped("peek", task, rollout=each, max_turns=9, checked=True) for task in range(4) for each in (0, 1)]
    found = differing(pair(tmp_path, first, second))
    assert found.keys() == {"tools", "max_turns", "verifier fields", "repeats", "tasks"}
    assert (found["max_turns"], found["repeats"]) == (("5", "9"), ("1", "2"))
    assert found["verifier fields"] == ("no field of its own", "only here: checked")
    assert found["tasks"] == ("0 only here", "1 only here")


def test_more_repeats_and_more_tasks_are_the_same_setup(tmp_path: Path) -> None:
    found = pair(tmp_path, rows_of([[1.0]] * 3), rows_of([[1.0, 0.0]] * 4))
    assert (found.comparable.verdict, differing(found).keys()) == ("same setup", {"repeats", "tasks"})


def test_variants_in_one_file_are_compared_once_they_are_split(tmp_path: Path) -> None:
    lines = rows_of(LOW, skills_ref={"hash": "old"}) + rows_of(HIGH, skills_ref={"hash": "new"})
    path = write(tmp_path / "m.jsonl", lines)
    [found] = blade.compare(path, options=here(split_by="skills"), baseline="m@old")
    assert (found.candidate, found.verdict, found.comparable.why) == ("m@new", "better", "only the skills differ")


def test_agents_in_one_file_are_runs_of_their_own(tmp_path: Path) -> None:
    lines = rows_of(LOW, agent_ref={"name": "x"}) + rows_of(HIGH, agent_ref={"name": "y"})
    [found] = blade.compare(write(tmp_path / "m.jsonl", lines), options=here())
    assert (found.baseline, found.candidate, found.verdict) == ("m@x", "m@y", "better")


# What a difference is made of


def test_what_a_scoreboard_shows_is_the_sum_of_its_terms(tmp_path: Path) -> None:
    first = rows_of([[1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    second = [
        *rows_of([[1.0, 0.0]], prompt="Something else?"),
        *rows_of([[1.0, 1.0]], first=1),
        *(each | {"mask_sample": each["_ng_rollout_index"] == 1} for each in rows_of([[1.0, 0.0]], first=2)),
        *rows_of([[0.0, 1.0]], first=9),
    ]
    headline = pair(tmp_path, first, second).headline
    assert headline is not None
    assert headline.value == pytest.approx(headline.candidate - headline.baseline)
    assert sum(term.points for term in headline.terms) == pytest.approx(headline.value)
    assert {term.what for term in headline.terms} == {
        "common-task delta",
        "tasks in one run",
        "changed prompts",
        "not measured",
    }


def test_flips_name_the_rollouts_that_make_them(tmp_path: Path) -> None:
    found = pair(tmp_path, rows_of([[1.0, 1.0], [0.0, 0.0], [1.0, 0.0]]), rows_of([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]))
    assert [(flip.task, flip.baseline, flip.candidate, flip.points, flip.refs) for flip in found.flips] == [
        ("1", (0, 2), (2, 2), 100.0, ["a:1/0", "a:1/1", "b:1/0", "b:1/1"]),
        ("0", (2, 2), (1, 2), -50.0, ["b:0/1", "a:0/0", "a:0/1"]),
    ]


def test_slices_are_adjusted_together_and_small_ones_are_not_tested(tmp_path: Path) -> None:
    def sliced(rewards: Rewards) -> list[Row]:
        return [
            each | {"genre": "rare" if each["_ng_task_index"] < 2 else f"{each['_ng_task_index'] % 2}"}
            for each in rows_of(rewards)
        ]

    slices = {each.value: each for each in pair(tmp_path, sliced([*LOW] * 2), sliced([*HIGH] * 2)).slices}
    assert slices.keys() == {"rare", "0", "1"}
    assert (slices["rare"].p_adjusted, slices["rare"].tasks) == (None, 2)
    assert all(0 < (slices[name].p_adjusted or 0) < 0.05 for name in ("0", "1"))


def test_graded_rewards_have_a_difference_of_their_own(tmp_path: Path) -> None:
    found = pair(tmp_path, rows_of([[0.1], [0.2], [0.3]]), rows_of([[0.4], [0.5], [0.6]]))
    assert found.reward_delta is not None
    assert found.reward_delta.value == pytest.approx(0.3)
    assert found.delta.value == 0.0
    assert any("no reward of either run reaches the threshold" in warning for warning in found.warnings)
    assert pair(tmp_path, rows_of(LOW), rows_of(HIGH)).reward_delta is None


# Runs that do not compare


@pytest.mark.parametrize(
    ("second", "why"),
    [
        (rows_of(NOISY, first=40), "no common task: no id and no prompt stands in both runs"),
        (
            rows_of(NOISY, prompt="Something else?"),
            "no common task: the prompts of all 12 tasks with the same id differ",
        ),
        (rows_of(NOISY, reward=None), "no rollout of b is measured"),
        ([], "no rollout of b is measured"),
    ],
)
def test_runs_without_a_common_measurement_are_not_comparable(tmp_path: Path, second: list[Row], why: str) -> None:
    found = pair(tmp_path, rows_of(NOISY), second)
    assert (found.verdict, found.comparable.verdict, found.why) == ("not comparable", "not comparable", why)
    assert (found.delta.value, found.minimum_detectable, found.slices) == (None, None, [])


def test_common_tasks_that_only_one_run_has_measured_do_not_compare(tmp_path: Path) -> None:
    found = pair(tmp_path, rows_of([[1.0], [None]]), rows_of([[None], [1.0]]))
    assert found.why == "no common task is measured in both runs"


def test_one_common_task_shows_nothing(tmp_path: Path) -> None:
    found = pair(tmp_path, rows_of([[1.0, 1.0]]), rows_of([[0.0, 0.0]]))
    assert (found.verdict, found.delta.value, found.delta.low, found.delta.p) == (
        "no difference shown",
        -100.0,
        None,
        1.0,
    )
    assert found.why == "with 1 common task no result could have p < 0.05"
    assert found.minimum_detectable is None


def test_unequal_repeats_compare_task_by_task(tmp_path: Path) -> None:
    found = pair(tmp_path, rows_of([[1.0], [0.0, 1.0], [1.0]]), rows_of([[1.0, 0.0, 0.0], [1.0], [1.0, 1.0]]))
    assert found.rates == (pytest.approx((1 + 1 / 2 + 1) / 3), pytest.approx((1 / 3 + 1 + 1) / 3))
    assert found.delta.value == pytest.approx(100 * (1 / 3 - 1 + 1 / 2) / 3)


def test_rewards_on_other_scales_and_lines_that_are_lost_are_warned_of(tmp_path: Path) -> None:
    percent = [each | {"reward": 100 * each["reward"]} for each in rows_of(HIGH)]
    found = pair(tmp_path, rows_of(LOW), [*percent, "<PLACEHOLDER ROW>"])  # type: ignore[list-item]
    assert found.warnings[0] == "the rewards seem to be on different scales: up to 1 and up to 100"
    assert found.warnings[1].startswith("b: 1 line could not be read and is not in the numbers: ")


def test_rollouts_that_are_missing_count_as_failed_in_the_second_look(tmp_path: Path) -> None:
    inputs = [
        owed(task=task, rollout=rollout, prompt=f"Question {task}?") for task in range(12) for rollout in range(2)
    ]
    write(tmp_path / "b_rollouts_materialized_inputs.jsonl", inputs)
    found = pair(tmp_path, rows_of([[1.0, 1.0]] * 12), rows_of([[1.0]] * 12))
    assert (found.delta.value, found.delta_as_failed.value) == (0.0, -50.0)
    assert found.verdict_depends
