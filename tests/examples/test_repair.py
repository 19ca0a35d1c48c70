"""The simulated repair: defects are defects, mends mend as far as they say, and nothing leaves the repository."""

import random

import pytest

from examples.repair import BENCHMARK, play
from examples.repair.defects import DEFECTS, Defect, special_cased
from examples.repair.families import CASES, Job, draw
from examples.repair.repository import Repository
from examples.theatre import Agent, Exposure
from examples.theatre.rollouts import Rollout
from examples.theatre.rows import rollout_row

BODIES = [(defect, body) for defect in DEFECTS for body in (*defect.wrong, *defect.partial)]


def job_of(defect: Defect) -> Job:
    job: Job = draw(defect, random.Random(1)).setting
    return job


def with_body(defect: Defect, body: str) -> Repository:
    """A repository with another body in place of the defect."""
    job = job_of(defect)
    repository = Repository(job.files)
    assert repository.files[job.path].count(defect.bad) == 1
    repository.files[job.path] = repository.files[job.path].replace(defect.bad, body)
    return repository


def satisfies(defect: Defect, body: str) -> tuple[bool, bool]:
    """Whether a body passes the repository's own tests, and the verifier's."""
    job, repository = job_of(defect), with_body(defect, body)
    results = repository.run(job.test_path), repository.run_source(job.hidden_tests)
    own, hidden = (all(result.passed for result in found) for found in results)
    return own, hidden


def played(fault: str) -> list[Rollout]:
    agent = Agent("tested", "model", faults={fault: Exposure(1.0)})
    return play(agent, tasks=len(DEFECTS), repeats=1, seed=3)


def outputs_of(rollout: Rollout) -> list[str]:
    return [item["output"] for item in rollout.performance.output if item["type"] == "function_call_output"]


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.kind)
def test_a_defect_fails_both_kinds_of_tests_and_its_mend_passes_both(defect: Defect) -> None:
    assert satisfies(defect, defect.bad) == (False, False)
    assert satisfies(defect, defect.good) == (True, True)


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.kind)
def test_wrong_mends_satisfy_the_own_tests_alone_and_partial_ones_none(defect: Defect) -> None:
    assert {satisfies(defect, body) for body in defect.wrong} == {(True, False)}
    assert {satisfies(defect, body) for body in defect.partial} == {(False, False)}


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.kind)
def test_answers_that_are_copied_pass_though_the_defect_is_still_there(defect: Defect) -> None:
    body = special_cased(defect)
    assert satisfies(defect, body) == (True, True)
    assert defect.bad in body


@pytest.mark.parametrize(
    "source",
    ["import os", "from pathlib import Path", "open('x')", "eval('1')", "__import__('os')", "print(1)", "exec('1')"],
)
def test_code_of_a_repository_reaches_nothing_outside(source: str) -> None:
    [result] = Repository({}).run_source(f"def test_it():\n    {source}\n")
    assert result.message is not None
    assert result.message.startswith(("ImportError", "NameError"))


def test_code_that_does_not_compile_fails_and_stops_nothing() -> None:
    [result] = Repository({"a.py": "def broken(:"}).run_source("import a")
    assert result.message is not None
    assert result.message.startswith("SyntaxError")


def test_a_patch_shows_what_was_changed_and_nothing_else() -> None:
    repository = Repository({"a.txt": "one\ntwo\n", "b.txt": "x\n"})
    assert repository.patch() == ""
    repository.files["a.txt"] = "one\n2\n"
    lines = repository.patch().splitlines()
    assert {"-two", "+2"} <= set(lines)
    assert not any("b.txt" in line for line in lines)


def test_the_last_tests_of_whoever_ignores_them_failed() -> None:
    for rollout in played("tests_ignored"):
        assert "failed" in outputs_of(rollout)[-1]
        assert rollout.outcome == "failed"


def test_whoever_does_not_test_runs_nothing_after_the_change() -> None:
    for rollout in played("untested"):
        assert outputs_of(rollout)[-1].endswith("was changed.")


def test_whoever_lacks_knowledge_sees_all_tests_pass() -> None:
    for rollout in played("knowledge_gap"):
        assert " passed in " in outputs_of(rollout)[-1]
        assert "failed" not in outputs_of(rollout)[-1]
        assert not rollout_row(rollout)["resolved"]


def test_bent_tests_pass_and_the_defect_stays() -> None:
    for rollout in played("tests_bent"):
        assert " passed in " in outputs_of(rollout)[-1]
        assert "failed" not in outputs_of(rollout)[-1]
        assert rollout.task.setting.job.test_path in rollout.verdict.fields["patch"]
        assert rollout.outcome == "failed"


def test_a_copied_answer_passes_and_the_cases_were_read() -> None:
    for rollout in played("answers_copied"):
        assert rollout.outcome == "passed"
        assert rollout.row_reward == 1.0
        assert any(CASES in item.get("arguments", "") for item in rollout.performance.output)
        assert rollout.direction.decided_by is BENCHMARK.faults["answers_copied"]
