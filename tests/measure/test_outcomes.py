"""What became of every rollout: which are no measurement, why, and what shows it."""

from pathlib import Path
from typing import Any

import pytest

import blade
from tests.building import Row, call, here, message, owed, result, row, write


def measured(tmp_path: Path, *rows: Row, **sidecars: list[Row]) -> blade.RunMetrics:
    """The metrics of a run of these rows."""
    path = write(tmp_path / "m_rollouts.jsonl", rows)
    for kind, lines in sidecars.items():
        write(tmp_path / f"m_rollouts_{kind}.jsonl", lines)
    [found] = blade.metrics(path, options=here())
    return found


def whys(run: blade.RunMetrics) -> dict[str, str]:
    """Of every rollout that is not measured, why; steps are cut off its ref."""
    return {ref.partition("#")[0]: each.why for each in run.not_measured for ref in each.refs}


def asked(arguments: str, answer: str, *more: Row) -> dict[str, Any]:
    """A rollout that called a tool, and what came after."""
    steps = [call("ledger", arguments), result(answer), *more]
    return {"response": {"model": "tiny", "output": steps}}


def said(text: str) -> dict[str, Any]:
    return {"response": {"model": "tiny", "output": [message(text)]}}


NOT_MEASURED: dict[str, tuple[str, dict[str, Any]]] = {
    "a mask": ("masked", {"mask_sample": True}),
    "a mask inside the config of the instance": ("masked", {"instance_config": {"mask_sample": True}}),
    "no reward": ("no reward", {"reward": None}),
    "a reward that is no number": ("no reward", {"reward": "excellent"}),
    "a kind that names the provider": ("infrastructure", {"failure_kind": "provider_unavailable"}),
    "a failure class in the main file": ("infrastructure", {"_ng_failure_class": "environment_server_failed"}),
    "a host that went away": ("infrastructure", {"error": "SandboxError: sandbox host node-3 went away"}),
    "a kind that names the judge": ("verifier", {"failure_kind": "judge_failed"}),
    "an error of the judge": ("verifier", {"judge_error": "the grader answered 502"}),
    "an answer of the judge that is none": ("verifier", {"invalid_judge_response": True}),
    "an expected answer that cannot be used": ("verifier", {"failure_reason": "gold_execution_error"}),
    "a tool whose server is down at the end": (
        "infrastructure",
        asked('{"page": 3}', "Error: 503 Service Unavailable"),
    ),
    "giving up after a tool that is down": (
        "infrastructure",
        asked(
            '{"page": 3}',
            "ConnectionError: connection refused by the tool server",
            message("The ledger is not available."),
        ),
    ),
    "a sandbox that dies": ("infrastructure", asked('{"command": "make"}', "sandbox terminated unexpectedly")),
    "an error of the model server as last words": ("infrastructure", said("APIConnectionError: Connection error.")),
}

MEASURED: dict[str, dict[str, Any]] = {
    "a plain failure": {},
    "the agent's time": {"failure_kind": "agent_timeout", "failure_reason": "the agent used up its 600 s"},
    "the limit of turns": {"error": "maximum number of turns (30) reached"},
    "the context": {"error": "context_length_exceeded: 131073 tokens"},
    "a time-out that the row flags": {"agent_timed_out": True},
    "a verdict among failure reasons": {"failure_reason": "result_mismatch"},
    "no failure among failure reasons": {"failure_reason": "none"},
    "fields of trouble that are null or false": {"judge_error": None, "invalid_judge_response": False},
    "an answer that is not found": asked('{"page": 3}', "Error: 404 page not found"),
    "a tool that came back": asked(
        '{"page": 3}', "Error: 503 Service Unavailable", call(call_id="c2"), result(call_id="c2")
    ),
    "a service of its own that does not run": asked(
        '{"command": "curl http://localhost:80"}', "curl: (7) Failed to connect to localhost: Connection refused"
    ),
    "speech about an error": said("A 503 means that the service is unavailable."),
    "no output at all": {"response": {"model": "tiny", "output": []}},
    "an output that was cut": {"response": {"output": [], "incomplete_details": {"reason": "max_output_tokens"}}},
}


def test_what_shows_that_a_rollout_is_no_measurement_is_found_and_named(tmp_path: Path) -> None:
    rows = [row(task=place, **{"reward": 0.0} | more) for place, (_, more) in enumerate(NOT_MEASURED.values())]
    run = measured(tmp_path, *rows)
    found = whys(run)
    assert {name: found.get(f"m:{place}/0") for place, name in enumerate(NOT_MEASURED)} == {
        name: why for name, (why, _) in NOT_MEASURED.items()
    }
    assert all(detail for each in run.not_measured for detail in each.details)


def test_the_agents_own_failures_are_measured(tmp_path: Path) -> None:
    run = measured(tmp_path, *(row(task=place, reward=0.0, **more) for place, more in enumerate(MEASURED.values())))
    found = whys(run)
    assert [name for place, name in enumerate(MEASURED) if f"m:{place}/0" in found] == []
    assert (run.measured, run.passed) == (len(MEASURED), 0)


def test_the_step_that_shows_it_stands_in_the_ref(tmp_path: Path) -> None:
    run = measured(
        tmp_path, row(message("I look."), **asked('{"page": 3}', "Error: 503 Service Unavailable"), reward=0.0)
    )
    assert [each.refs for each in run.not_measured] == [["m:0/0#1"]]


def test_a_pass_is_doubted_only_where_its_row_is_masked(tmp_path: Path) -> None:
    broken = asked('{"page": 3}', "Error: 503 Service Unavailable")
    run = measured(tmp_path, row(**broken), row(task=1, judge_error="no answer"), row(task=2, mask_sample=True))
    assert (run.measured, run.passed, whys(run)) == (2, 2, {"m:2/0": "masked"})


def test_where_a_kind_and_a_text_contradict_each_other_the_text_decides_and_both_are_told(tmp_path: Path) -> None:
    run = measured(
        tmp_path,
        row(reward=0.0, failure_kind="agent_timeout", failure_reason="connection reset by the sandbox host"),
        row(task=1, reward=0.0, failure_kind="transport_timeout", failure_reason="maximum number of turns reached"),
        row(task=2, reward=0.0, mask_sample=False, error="SandboxError: sandbox host node-3 went away"),
    )
    assert whys(run) == {"m:0/0": "infrastructure", "m:2/0": "infrastructure"}
    told = {ref: each.what for each in run.contradictions for ref in each.refs}
    assert told.keys() == {"m:0/0", "m:1/0", "m:2/0"}
    assert "agent_timeout" in told["m:0/0"]
    assert "counted as measured" in told["m:1/0"]
    assert "mask_sample is false" in told["m:2/0"]


def test_attempts_are_counted_once_and_the_last_one_decides(tmp_path: Path) -> None:
    run = measured(
        tmp_path,
        row(),
        failures=[
            row(reward=0.0, _ng_failure_class="transient"),
            row(task=1, reward=0.0, _ng_failure_class="agent_request_failed"),
            row(task=1, reward=0.0, _ng_failure_class="judge_failed", _ng_attempt_index=1),
        ],
        materialized_inputs=[owed(task=task) for task in range(3)],
    )
    assert (run.rollouts, run.measured, run.passed) == (3, 1, 1)
    assert whys(run) == {"m:1/0.a2": "failed attempt", "m:2/0": "missing"}
    assert (run.not_measured_as_failed, run.worst_case.high) == (pytest.approx(1 / 3), 1.0)


def test_rollouts_that_a_config_owes_are_missing_even_where_nobody_knows_of_which_task(tmp_path: Path) -> None:
    (tmp_path / "m_config.yaml").write_text("num_repeats: 2\nlimit: 3\n")
    run = measured(tmp_path, row(), row(task=1), row(task=1, rollout=1))
    assert (run.rollouts, run.measured, run.tasks) == (6, 3, 3)
    assert [(each.why, each.rollouts, each.refs) for each in run.not_measured] == [("missing", 3, ["m:0/1"])]
    assert run.worst_case.low == pytest.approx((1 / 2 + 1 + 0) / 3)


def test_the_threshold_decides_what_passes_and_nothing_else(tmp_path: Path) -> None:
    path = write(tmp_path / "m.jsonl", [row(task=place, reward=place / 4) for place in range(5)])
    with blade.load(path, here()) as store:
        rates = {
            threshold: blade.metrics(store, blade.Settings(rule=blade.PassRule(threshold)))[0].metrics["pass@1"].value
            for threshold in (1.0, 0.5, 0.0)
        }
    assert rates == {1.0: pytest.approx(0.2), 0.5: pytest.approx(0.6), 0.0: 1.0}
