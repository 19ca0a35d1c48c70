"""The files of simulated runs: what NeMo Gym would have left, in every world and vocabulary."""

import json
import math
from collections import Counter, defaultdict
from functools import cache
from itertools import combinations, product
from pathlib import Path
from statistics import mean, median, stdev
from typing import Any

import pytest

from examples.theatre import Agent, simulate
from examples.worlds import WORLDS

TASKS, REPEATS, SEED = 14, 3, 11
WRITTEN: dict[str, Any] = {"tasks": TASKS, "repeats": REPEATS, "seed": SEED, "wrong_gold": 0.2, "observability": True}
USAGE_KEYS = ("input_tokens", "output_tokens", "total_tokens")
LOOKS = [(world, vocabulary) for world, known in WORLDS.items() for vocabulary in known.vocabularies]
RUNS = [
    (world, vocabulary, agent)
    for world, vocabulary in LOOKS
    for agent in sorted(WORLDS[world].agents)
    if WORLDS[world].vocabularies[vocabulary].indexed
]


@cache
def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def key_of(row: dict[str, Any]) -> tuple[int, int]:
    return row["_ng_task_index"], row["_ng_rollout_index"]


def truth_key(truth: dict[str, Any]) -> tuple[int, int]:
    return truth["task_index"], truth["rollout_index"]


def write(out: Path, world: str, vocabulary: str) -> list[Path]:
    """Runs of every profile of a world."""
    return simulate(WORLDS[world], out, agents=list(WORLDS[world].agents), vocabulary=vocabulary, **WRITTEN)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of runs for each world and vocabulary."""
    out = tmp_path_factory.mktemp("worlds")
    for world, vocabulary in LOOKS:
        write(out / world / vocabulary, world, vocabulary)
    return out


@pytest.fixture(params=RUNS, ids="-".join)
def run(request: pytest.FixtureRequest, written: Path) -> Path:
    """The rollouts file of each profile in turn."""
    world, vocabulary, agent = request.param
    return written / world / vocabulary / f"{agent}_rollouts.jsonl"


def beside(run: Path, suffix: str) -> Path:
    return run.with_name(f"{run.stem}{suffix}")


def fields_of(run: Path) -> dict[str, str | None]:
    """How the run's vocabulary calls the fields of rows."""
    return WORLDS[run.parts[-3]].vocabularies[run.parts[-2]].fields


@pytest.mark.parametrize(("world", "vocabulary"), LOOKS)
def test_the_same_arguments_give_the_same_bytes(world: str, vocabulary: str, written: Path, tmp_path: Path) -> None:
    again = write(tmp_path, world, vocabulary)
    before = written / world / vocabulary
    assert sorted(path.name for path in again) == sorted(path.name for path in before.iterdir())
    for path in again:
        assert path.read_bytes() == (before / path.name).read_bytes(), path.name


@pytest.mark.parametrize("world", WORLDS)
def test_another_seed_gives_another_world(world: str, tmp_path: Path) -> None:
    for seed in (1, 2):
        simulate(WORLDS[world], tmp_path / str(seed), agents=["perfect"], tasks=8, repeats=1, seed=seed)
    first, second = ((tmp_path / str(seed) / "perfect_rollouts.jsonl").read_bytes() for seed in (1, 2))
    assert first != second


@pytest.mark.parametrize(("world", "vocabulary"), LOOKS)
def test_another_vocabulary_tells_the_same_story(world: str, vocabulary: str, written: Path) -> None:
    told = ("task_index", "rollout_index", "outcome", "fault", "cause", "owner", "occurred", "decoys")
    usual, other = (written / world / name for name in (next(iter(WORLDS[world].vocabularies)), vocabulary))
    for path in sorted(usual.glob("*_truth.jsonl")):
        pairs = zip(read_lines(path), read_lines(other / path.name), strict=True)
        assert all(one[key] == two[key] for one, two in pairs for key in told), path.name


@pytest.mark.parametrize(("world", "vocabulary"), LOOKS)
def test_a_run_without_indices_has_none_and_no_sidecars_that_need_them(
    world: str, vocabulary: str, written: Path
) -> None:
    indexed = WORLDS[world].vocabularies[vocabulary].indexed
    suffixes = {path.name.partition("_rollouts")[2] for path in (written / world / vocabulary).glob("perfect_*")}
    rows = read_lines(written / world / vocabulary / "perfect_rollouts.jsonl")
    assert all(("_ng_task_index" in row) is indexed for row in rows)
    assert ("_failures.jsonl" in suffixes) is indexed
    assert {".jsonl", "_notes.md", "_truth.jsonl"} <= suffixes


def test_a_row_that_is_written_twice_is_counted_in_the_truth(tmp_path: Path) -> None:
    doubled = Agent("doubled", "model", duplicated=0.3)
    rollouts, *_ = simulate(WORLDS["office"], tmp_path, agents=[doubled], tasks=10, repeats=2)
    counts = Counter(map(key_of, read_lines(rollouts)))
    truths = read_lines(beside(rollouts, "_truth.jsonl"))
    assert set(counts.values()) == {1, 2}
    assert counts == {truth_key(truth): truth["copies"] for truth in truths}


def test_materialized_inputs_are_all_that_is_owed(run: Path) -> None:
    inputs = read_lines(beside(run, "_materialized_inputs.jsonl"))
    assert [key_of(row) for row in inputs] == list(product(range(TASKS), range(REPEATS)))
    for row in read_lines(run):
        task = inputs[key_of(row)[0] * REPEATS]
        assert row["responses_create_params"]["input"] == task["responses_create_params"]["input"]
        own = {key for key in task if key not in row}
        assert not own, own


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
        assert row["reward"] == 0.0 or truth["outcome"] != "failed"
        assert row["reward"] == 1.0 or truth["outcome"] != "passed"
        assert truth["fault"] is not None or truth["outcome"] == "passed"
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
        assert len(calls) - len(outputs) in (0, 1)


def test_usage_is_the_sum_over_the_recorded_model_calls(run: Path) -> None:
    for row in read_lines(run):
        usage, recorded = row["response"]["usage"], row["ng_trajectory"]
        answered = [call for call in recorded["model_calls"] if call["response"]]
        stats = [call["token_stats"] for call in answered]
        assert usage["input_tokens"] == sum(call["prompt_tokens"] for call in stats)
        assert usage["output_tokens"] == sum(call["completion_tokens"] for call in stats)
        assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"]
        assert row["ng_perf"]["num_turns"] == len(recorded["turns"])


def test_a_row_without_observability_says_nothing_of_its_trajectory(tmp_path: Path) -> None:
    rollouts, *_ = simulate(WORLDS["office"], tmp_path, agents=["steady"], tasks=3, repeats=1, seed=SEED)
    for row in read_lines(rollouts):
        assert "ng_trajectory" not in row
        assert "ng_perf" not in row


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
