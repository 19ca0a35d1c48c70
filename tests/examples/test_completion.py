"""The simulated completion: code is run, base and plus tests judge it, and what is wrong is told."""

import pytest

from examples.completion import BENCHMARK, Agent, Exposure, generate_tasks, play
from examples.completion.tasks import _verdict
from examples.theatre import families_struck
from examples.theatre.rows import rollout_row

TASKS = generate_tasks(40, seed=7)


@pytest.mark.parametrize("task", TASKS[:10], ids=lambda task: task.family.name)
def test_the_right_body_passes_the_one_without_the_edge_fails_plus_tests_alone_and_the_wrong_one_fails_both(
    task: object,
) -> None:
    function = task.setting.function  # type: ignore[attr-defined]
    right, edge, wrong = (_verdict(function, code).fields for code in (function.right, function.edge, function.wrong))
    assert (right["base_status"], right["plus_status"], right["error_kind"]) == ("pass", "pass", None)
    assert (edge["base_status"], edge["plus_status"]) == ("pass", "fail")
    assert (wrong["base_status"], wrong["plus_status"]) == ("fail", "fail")


def test_every_family_can_be_struck_by_its_slips_and_no_two_tasks_ask_the_same() -> None:
    assert len({task.prompt for task in TASKS}) == len(TASKS)
    for fault in ("edge_forgotten", "renamed", "knowledge_gap"):
        assert len(families_struck(BENCHMARK, fault)) == len(BENCHMARK.families)


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("edge_forgotten", "plus_tests_failed"),
        ("renamed", "entry_point_missing"),
        ("answer_unmarked", "no_code_block"),
        ("knowledge_gap", "base_tests_failed"),
    ],
)
def test_the_verifier_names_what_a_fault_did(fault: str, kind: str) -> None:
    agent = Agent("tested", "model", faults={fault: Exposure(1.0)})
    for rollout in play(agent, tasks=10, repeats=1, seed=5):
        assert rollout_row(rollout)["error_kind"] == kind
        assert rollout.verdict.reward == 0.0


def test_a_perfect_agent_passes_every_task() -> None:
    assert {rollout.verdict.reward for rollout in play("perfect", tasks=30, repeats=2, seed=3)} == {1.0}
