"""The simulated office: its artifacts are well formed and its truth is true."""

import json
import math
from collections import Counter, defaultdict
from functools import cache
from itertools import combinations, product
from pathlib import Path
from statistics import mean, median, stdev
from typing import Any

import pytest

from examples.office import AGENTS, DECOYS, FAULTS, Agent, Exposure, generate_tasks, play, simulate
from examples.office.performance import perform
from examples.office.rows import rollout_row
from examples.office.script import Script
from examples.office.tasks import Task, reached_state
from examples.office.tools import TOOLS, call_tool
from examples.office.verifier import verify

TASKS, REPEATS, SEED = 22, 3, 11
WRITTEN: dict[str, Any] = {
    "agents": list(AGENTS),
    "tasks": TASKS,
    "repeats": REPEATS,
    "seed": SEED,
    "wrong_gold": 0.2,
    "observability": True,
}
USAGE_KEYS = ("input_tokens", "output_tokens", "total_tokens")


@cache
def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def key_of(row: dict[str, Any]) -> tuple[int, int]:
    return row["_ng_task_index"], row["_ng_rollout_index"]


def truth_key(truth: dict[str, Any]) -> tuple[int, int]:
    return truth["task_index"], truth["rollout_index"]


def score(task: Task, script: Script) -> float:
    performance = perform(script, task, "test")
    return verify(task, performance.world, performance.last_message).reward


def agent_with(fault: str, **exposure: Any) -> Agent:
    exposures = {fault: Exposure(1.0, **exposure)}
    lacking = ("mail_forward",) if fault == "tool_missing" else ()
    return Agent("tested", "model", faults=exposures, decoys={}, without_tools=lacking)


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    return generate_tasks(TASKS, seed=SEED)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("office")
    simulate(out, **WRITTEN)
    return out


@pytest.fixture(params=sorted(AGENTS))
def run(request: pytest.FixtureRequest, written: Path) -> Path:
    """The rollouts file of each profile in turn."""
    return written / f"{request.param}_rollouts.jsonl"


def beside(run: Path, suffix: str) -> Path:
    return run.with_name(f"{run.stem}{suffix}")


# Tasks and tools


def test_the_expected_actions_lead_to_the_expected_end_state(tasks: list[Task]) -> None:
    for task in tasks:
        world = task.start.copy()
        for action in task.expected_actions:
            reply = json.loads(call_tool(world, action["name"], action["arguments"]))
            assert "error" not in reply
        assert world.snapshot() == task.goal.snapshot()
        assert (world.fingerprint() == task.start.fingerprint()) is not bool(task.expected_actions)


def test_every_look_up_of_a_solution_finds_something(tasks: list[Task]) -> None:
    for task in tasks:
        for move in task.solution.moves:
            if not move.acts:
                (found,) = json.loads(call_tool(task.start.copy(), move.tool, move.arguments)).values()
                assert found, (task.task_id, move)


def test_no_two_tasks_ask_the_same(tasks: list[Task]) -> None:
    many = generate_tasks(400, seed=SEED)
    assert len({task.prompt for task in many}) == 400
    assert [task.prompt for task in many[:TASKS]] == [task.prompt for task in tasks]


def test_a_wrong_answer_is_never_the_right_one(tasks: list[Task]) -> None:
    for task in generate_tasks(200, seed=SEED):
        answer = task.solution.answer
        assert (answer is None) == (not task.wrong_answers)
        assert answer not in task.wrong_answers
        assert answer is None or len(task.wrong_answers) >= 3


def test_playing_a_task_leaves_its_start_as_it_was(tasks: list[Task]) -> None:
    before = [task.start.fingerprint() for task in tasks]
    for task in tasks:
        perform(task.solution, task, "test")
        reached_state(task.solution, task.start)
    assert [task.start.fingerprint() for task in tasks] == before


def test_tools_declare_a_well_formed_schema() -> None:
    known = {"type", "description", "properties", "required", "additionalProperties"}
    for tool in TOOLS.values():
        schema = tool.declaration()["parameters"]
        assert tool.description
        assert set(schema) <= known
        assert (schema["type"], schema["additionalProperties"]) == ("object", False)
        assert set(schema["required"]) <= set(schema["properties"])
        for name, member in schema["properties"].items():
            assert member["type"] in {"string", "integer", "number", "array"}, name
            assert member["description"]


@pytest.mark.parametrize(
    ("tool", "arguments", "kind", "words"),
    [
        ("calendar_erase", {}, "unknown_tool", "calendar_erase"),
        ("directory_search", {}, "invalid_arguments", "'query' is required"),
        ("directory_search", {"query": 3}, "invalid_arguments", "query must be of type string"),
        ("calendar_cancel", {"id": "x"}, "invalid_arguments", "'id' is not known"),
        ("calendar_search", {"date_from": "5 March"}, "invalid_arguments", "YYYY-MM-DD"),
        ("mail_search", {"sender": "Kim"}, "invalid_arguments", "an e-mail address"),
        ("calendar_cancel", {"event_id": "evt-1"}, "not_found", "evt-1"),
        (
            "expense_submit",
            {"title": "x", "amount": True, "currency": "EUR"},
            "invalid_arguments",
            "amount must be of type number",
        ),
        (
            "expense_submit",
            {"title": "x", "amount": -1, "currency": "DKK"},
            "invalid_arguments",
            "currency must be one of EUR, USD, GBP",
        ),
        (
            "mail_send",
            {"to": [], "subject": "x", "body": "y"},
            "invalid_arguments",
            "at least 1 entries",
        ),
    ],
)
def test_a_bad_call_gets_a_readable_error_and_changes_nothing(
    tasks: list[Task], tool: str, arguments: dict[str, Any], kind: str, words: str
) -> None:
    world = tasks[0].start.copy()
    error = json.loads(call_tool(world, tool, arguments))["error"]
    assert error["type"] == kind
    assert words in error["message"]
    assert world.fingerprint() == tasks[0].start.fingerprint()


def test_an_appointment_cannot_go_where_another_is(tasks: list[Task]) -> None:
    world = tasks[0].start.copy()
    first, second, *_ = world.rows("events")
    arguments = {"event_id": first["id"], "date": second["date"], "start": second["start"]}
    assert json.loads(call_tool(world, "calendar_move", arguments))["error"]["type"] == "conflict"


# Agents and faults


def test_a_perfect_agent_passes_every_task(tasks: list[Task]) -> None:
    for rollout in play("perfect", tasks=tasks, repeats=2, seed=SEED):
        assert rollout.verdict.reward == 1.0, rollout.verdict.failure_reason
        assert rollout.outcome == "passed"


@pytest.mark.parametrize("name", sorted(FAULTS))
def test_a_fault_does_to_every_rollout_what_its_truth_says(name: str) -> None:
    fault = FAULTS[name]
    half_wrong = generate_tasks(44, seed=SEED, wrong_gold=0.5)
    struck = [
        rollout
        for rollout in play(agent_with(name), tasks=half_wrong, repeats=2, seed=SEED)
        if name in rollout.direction.occurred
    ]
    assert struck
    for rollout in struck:
        if fault.outcome is None:
            assert rollout.task.errs or rollout.outcome == "passed"
            assert rollout.task.errs or rollout.direction.decided_by is None
        else:
            assert rollout.outcome == fault.outcome
            assert rollout.direction.decided_by is fault
        if fault.outcome == "failed":
            assert rollout.in_main_file
            assert rollout.row_reward == 0.0
            assert rollout.performance.struck_at is not None


@pytest.mark.parametrize("name", sorted(DECOYS))
def test_a_decoy_leaves_the_reward_alone(name: str, tasks: list[Task]) -> None:
    for faults in ({}, {"early_stop": Exposure(1.0), "knowledge_gap": Exposure(0.5)}):
        plain = Agent("tested", "model", skill=0.7, faults=faults, decoys={})
        showy = Agent("tested", "model", skill=0.7, faults=faults, decoys={name: 1.0})
        pairs = zip(
            play(plain, tasks=tasks, repeats=2, seed=SEED),
            play(showy, tasks=tasks, repeats=2, seed=SEED),
            strict=True,
        )
        for without, with_decoy in pairs:
            assert with_decoy.direction.decoys == (name,)
            assert with_decoy.verdict == without.verdict
            assert with_decoy.outcome == without.outcome


def test_decoys_are_as_frequent_in_failures_as_in_passes() -> None:
    rollouts = play("hasty", tasks=150, repeats=4, seed=SEED)
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    totals = Counter(rollout.outcome for rollout in rollouts)
    for rollout in rollouts:
        for name in rollout.direction.decoys:
            seen[name][rollout.outcome] += 1
    for name, counts in seen.items():
        rates = [counts[outcome] / totals[outcome] for outcome in ("passed", "failed")]
        assert rates[0] == pytest.approx(rates[1], abs=0.12), name


def test_a_new_fault_reshuffles_no_rollout_that_it_does_not_strike(tasks: list[Task]) -> None:
    before = AGENTS["hasty"]
    after = Agent(
        before.name,
        before.model,
        before.skill,
        {**before.faults, "backend_down": Exposure(0.3)},
        before.decoys,
    )
    pairs = list(zip(play(before, tasks=tasks, seed=SEED), play(after, tasks=tasks, seed=SEED), strict=True))
    struck = [new for _, new in pairs if "backend_down" in new.direction.occurred]
    assert 0 < len(struck) < len(pairs)
    for old, new in pairs:
        if "backend_down" not in new.direction.occurred:
            assert new.direction == old.direction
            assert new.performance.output == old.performance.output


def test_an_exposure_keeps_to_its_category_and_to_its_share_of_tasks() -> None:
    agent = agent_with("early_stop", share=0.5, category="calendar")
    rollouts = play(agent, tasks=120, repeats=3, seed=SEED)
    struck = {r.task.index for r in rollouts if r.direction.decided_by}
    calendar = {r.task.index for r in rollouts if r.task.family.category == "calendar"}
    assert struck < calendar
    assert 0.25 < len(struck) / len(calendar) < 0.75
    assert all(r.direction.decided_by for r in rollouts if r.task.index in struck)


def test_less_skill_fails_more() -> None:
    def failures(skill: float) -> int:
        agent = Agent("tested", "model", skill=skill)
        rollouts = play(agent, tasks=60, repeats=2, seed=SEED)
        return sum(rollout.outcome == "failed" for rollout in rollouts)

    assert 0 == failures(1.0) < failures(0.8) < failures(0.4)


def test_an_agent_with_an_unregistered_fault_is_refused() -> None:
    with pytest.raises(ValueError, match="sleepiness"):
        Agent("tested", "model", faults={"sleepiness": Exposure(1.0)})


def test_a_wrong_gold_fails_every_agent_and_nobody_else_is_to_blame() -> None:
    erring = [task for task in generate_tasks(66, seed=SEED, wrong_gold=0.4) if task.errs]
    assert erring
    for name in ("perfect", "careless", "wordy"):
        for rollout in play(name, tasks=erring, seed=SEED):
            assert rollout.row_reward == 0.0
            assert rollout.direction.decided_by is FAULTS["wrong_gold"]


def test_a_missing_tool_fails_the_tasks_that_need_it_and_no_others(tasks: list[Task]) -> None:
    agent = Agent("tested", "model", without_tools=("mail_forward",))
    for rollout in play(agent, tasks=tasks, repeats=1, seed=SEED):
        needed = "mail_forward" in {action["name"] for action in rollout.task.expected_actions}
        assert (rollout.outcome == "failed") is needed
        declared = rollout_row(rollout)["responses_create_params"]["tools"]
        assert "mail_forward" not in {tool["name"] for tool in declared}


def test_a_reworded_prompt_keeps_its_task_and_its_result(tasks: list[Task]) -> None:
    agent = Agent("tested", "model", reworded=0.5)
    rollouts = play(agent, tasks=tasks, repeats=1, seed=SEED)
    changed = [r for r, task in zip(rollouts, tasks, strict=True) if r.task.prompt != task.prompt]
    assert 0 < len(changed) < len(tasks)
    assert {r.outcome for r in changed} == {"passed"}
    assert [r.task.task_id for r in rollouts] == [task.task_id for task in tasks]


def test_the_step_of_a_fault_shows_the_fault() -> None:
    agent = Agent("tested", "model", faults={"wrong_year": Exposure(1.0)})
    struck = [r for r in play(agent, tasks=44, repeats=2, seed=SEED) if r.direction.decided_by]
    assert struck
    for rollout in struck:
        assert rollout.performance.struck_at is not None
        call = rollout.performance.output[rollout.performance.struck_at]
        assert call["type"] == "function_call"
        assert "2025-" in call["arguments"]


# Files


def test_the_same_arguments_give_the_same_bytes(written: Path, tmp_path: Path) -> None:
    again = simulate(tmp_path, **WRITTEN)
    assert sorted(path.name for path in again) == sorted(path.name for path in written.iterdir())
    for path in again:
        assert path.read_bytes() == (written / path.name).read_bytes(), path.name


def test_another_seed_gives_another_office(written: Path, tmp_path: Path) -> None:
    simulate(tmp_path, agents=["steady"], tasks=TASKS, repeats=REPEATS, seed=SEED + 1)
    name = "steady_rollouts.jsonl"
    assert (tmp_path / name).read_bytes() != (written / name).read_bytes()


def test_materialized_inputs_are_all_that_is_owed(run: Path) -> None:
    inputs = read_lines(beside(run, "_materialized_inputs.jsonl"))
    assert [key_of(row) for row in inputs] == list(product(range(TASKS), range(REPEATS)))
    for row in read_lines(run):
        task = inputs[key_of(row)[0] * REPEATS]
        assert row["responses_create_params"]["input"] == task["responses_create_params"]["input"]
        assert row["expected_actions"] == task["expected_actions"]


def test_what_is_missing_is_what_the_truth_says(run: Path) -> None:
    present = Counter(key_of(row) for row in read_lines(run))
    truths = {truth_key(truth): truth for truth in read_lines(beside(run, "_truth.jsonl"))}
    owed = {key_of(row) for row in read_lines(beside(run, "_materialized_inputs.jsonl"))}
    assert set(truths) == owed
    assert max(present.values()) == 1
    missing = {key for key, truth in truths.items() if not truth["in_main_file"]}
    assert owed - present.keys() == missing
    assert all(truths[key]["outcome"] == "not_measured" for key in missing)


def test_the_failures_file_has_a_line_for_every_failed_attempt(run: Path) -> None:
    lines = Counter(key_of(row) for row in read_lines(beside(run, "_failures.jsonl")))
    truths = read_lines(beside(run, "_truth.jsonl"))
    assert lines == {truth_key(truth): truth["failed_attempts"] for truth in truths if truth["failed_attempts"]}
    for row in read_lines(run):
        assert row.get("_ng_attempt_index", 0) == lines[key_of(row)]


def test_rewards_are_what_the_truth_says(run: Path) -> None:
    truths = {truth_key(truth): truth for truth in read_lines(beside(run, "_truth.jsonl"))}
    for row in read_lines(run):
        truth = truths[key_of(row)]
        assert row["reward"] == (1.0 if truth["outcome"] == "passed" else 0.0)
        assert (truth["fault"] is None) == (truth["outcome"] == "passed")
        assert (row["failure_reason"] is None) == (row["reward"] == 1.0)
        if truth["step"] is not None:
            assert 0 <= truth["step"] < len(row["response"]["output"])


def test_a_truth_file_cannot_be_taken_for_rollouts(run: Path) -> None:
    rollout_keys = {"response", "reward", "score", "responses_create_params"}
    for truth in read_lines(beside(run, "_truth.jsonl")):
        assert rollout_keys.isdisjoint(truth)


def test_rows_come_in_order_of_completion(run: Path) -> None:
    rows = read_lines(run)
    finished = [row["response"]["created_at"] for row in rows]
    assert finished == sorted(finished)
    assert [key_of(row) for row in rows] != sorted(key_of(row) for row in rows)


def test_calls_and_outputs_belong_together(run: Path) -> None:
    for row in read_lines(run):
        output = row["response"]["output"]
        calls = [item["call_id"] for item in output if item["type"] == "function_call"]
        outputs = [item["call_id"] for item in output if item["type"] == "function_call_output"]
        assert len(set(calls)) == len(calls)
        assert outputs == calls[: len(outputs)]
        assert len(calls) - len(outputs) == row["agent_timed_out"]


def test_usage_is_the_sum_over_the_recorded_model_calls(run: Path) -> None:
    for row in read_lines(run):
        usage, recorded = row["response"]["usage"], row["ng_trajectory"]
        answered = [call for call in recorded["model_calls"] if call["response"]]
        stats = [call["token_stats"] for call in answered]
        assert usage["input_tokens"] == sum(call["prompt_tokens"] for call in stats)
        assert usage["output_tokens"] == sum(call["completion_tokens"] for call in stats)
        assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"]
        assert row["ng_perf"]["num_turns"] == len(recorded["turns"]) == row["turns_used"]


def test_a_row_without_observability_says_nothing_of_its_trajectory(tmp_path: Path) -> None:
    rollouts, *_ = simulate(tmp_path, agents=["steady"], tasks=3, repeats=1, seed=SEED)
    for row in read_lines(rollouts):
        assert "ng_trajectory" not in row
        assert "ng_perf" not in row


# Metrics, recomputed from the rows by brute force


def recomputed_columns(rows: list[dict[str, Any]]) -> dict[str, list[float]]:
    columns: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        numbers = {key: row["response"]["usage"][key] for key in USAGE_KEYS}
        for key, value in row.items():
            if type(value) in (int, float, bool) and key not in (
                "_ng_task_index",
                "_ng_rollout_index",
            ):
                numbers[key] = float(value)
        for key, value in numbers.items():
            columns[key].append(value)
    return columns


def recomputed_statistics(rows: list[dict[str, Any]]) -> dict[str, float]:
    found: dict[str, float] = {}
    columns = recomputed_columns(rows)
    for key, values in columns.items():
        found |= {f"mean/{key}": mean(values), f"median/{key}": median(values)}
        found |= {f"max/{key}": max(values), f"min/{key}": min(values)}
        if len(values) > 1:
            found[f"std/{key}"] = stdev(values)
    if len(rows) == 1:
        found |= {f"std/{key}": 0.0 for key in columns}
    return found


def by_task(rows: list[dict[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    groups: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in sorted(rows, key=key_of):
        groups[row["_ng_task_index"]].append(row)
    return groups


def drawn_pass(rewards: list[float], k: int) -> float:
    """The share of all choices of k rollouts that hold a pass."""
    return mean(max(choice) for choice in combinations(rewards, k))


def only_statistics(entry: dict[str, Any]) -> dict[str, float]:
    prefixes = ("mean/", "median/", "max/", "min/", "std/")
    return {key: value for key, value in entry.items() if key.startswith(prefixes)}


def test_aggregate_statistics_follow_from_the_rows(run: Path) -> None:
    rows = read_lines(run)
    (aggregate,) = json.loads(beside(run, "_aggregate_metrics.json").read_text())
    metrics = aggregate["agent_metrics"]
    assert aggregate["agent_ref"]["name"] == rows[0]["agent_ref"]["name"]
    assert only_statistics(metrics) == pytest.approx(recomputed_statistics(rows))
    assert aggregate["key_metrics"] == {key: value for key, value in metrics.items() if key.startswith("mean/")}
    groups = by_task(rows)
    assert [entry["_ng_task_index"] for entry in aggregate["group_level_metrics"]] == list(groups)
    for entry in aggregate["group_level_metrics"]:
        group = groups[entry["_ng_task_index"]]
        assert only_statistics(entry) == pytest.approx(recomputed_statistics(group))
        assert entry["num_rollouts"] == entry["expected_num_rollouts"] == len(group)
        assert [info["reward"] for info in entry["rollout_infos"]] == [r["reward"] for r in group]


def test_pass_at_k_follows_from_the_rows(run: Path) -> None:
    rewards = [[r["reward"] for r in group] for group in by_task(read_lines(run)).values()]
    (aggregate,) = json.loads(beside(run, "_aggregate_metrics.json").read_text())
    metrics = aggregate["agent_metrics"]
    by_place = []
    for k in range(1, REPEATS + 1):
        full = [group for group in rewards if len(group) >= k]
        by_place.append(100 * mean(group[k - 1] for group in full))
        assert metrics[f"pass@{k}/accuracy"] == pytest.approx(100 * mean(drawn_pass(group, k) for group in full))
        average = f"pass@1[avg-of-{k}]/accuracy"
        assert metrics[average] == pytest.approx(100 * mean(mean(group[:k]) for group in rewards))
        if k > 1:
            spread = stdev(by_place)
            assert metrics[f"{average}/std_dev_across_runs"] == pytest.approx(spread)
            assert metrics[f"{average}/std_err_across_runs"] == pytest.approx(spread / math.sqrt(k))
    assert metrics["per_sample_aggregate"]["accuracy"] == pytest.approx(by_place)


def test_the_reward_profile_counts_what_is_missing(run: Path) -> None:
    groups = by_task(read_lines(run))
    inputs = read_lines(beside(run, "_materialized_inputs.jsonl"))
    profile = read_lines(beside(run, "_reward_profiling.jsonl"))
    assert [entry["_ng_task_index"] for entry in profile] == list(groups)
    for entry in profile:
        group = groups[entry["_ng_task_index"]]
        assert only_statistics(entry) == pytest.approx(recomputed_statistics(group))
        assert entry["expected_num_rollouts"] == REPEATS
        assert entry["missing_num_rollouts"] == REPEATS - len(group)
        assert entry["reward_profile_completion_pct"] == pytest.approx(100 * len(group) / REPEATS)
        owed = inputs[entry["_ng_task_index"] * REPEATS]
        assert entry["sample"] == {key: value for key, value in owed.items() if key[:4] != "_ng_"}


def test_the_notes_name_every_missing_rollout(run: Path) -> None:
    notes = beside(run, "_notes.md").read_text()
    for truth in read_lines(beside(run, "_truth.jsonl")):
        if not truth["in_main_file"]:
            assert f"{truth['task_index']}:{truth['rollout_index']}" in notes
