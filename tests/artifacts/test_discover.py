"""Which runs are at a path: rollouts told from what stands beside them, shards put together, names given."""

import gzip
import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

import blade
from blade.artifacts.nemo_gym.names import SIDECARS
from tests.building import as_line, ask, here, owed, row, write


def runs_at(*paths: Path | str) -> dict[str, list[str]]:
    """The names of the runs with the names of their files."""
    return {run.name: [Path(file).name for file in run.rollouts] for run in blade.find_runs(paths)}


def summary_of(*paths: Path | str, **options: Any) -> blade.RunSummary:
    """The summary of the one run at these paths."""
    with blade.load(paths, here(**options)) as store:
        [summary] = store.summaries
        return summary


def problems_of(*paths: Path | str) -> str:
    return "; ".join(summary_of(*paths).problems)


def tasks_of(*lines: Any, path: Path, query: str = "select ref from rollouts order by file, row") -> list[Any]:
    with blade.load(write(path, lines), here()) as store:
        return [value for [value] in ask(store, query)]


# Files


def test_a_file_is_a_run_of_its_stem(tmp_path: Path) -> None:
    write(tmp_path / "model_b_rollouts.jsonl", [row()])
    assert runs_at(tmp_path / "model_b_rollouts.jsonl") == {"model_b": ["model_b_rollouts.jsonl"]}


@pytest.mark.parametrize(
    ("name", "run"),
    [
        ("a_rollouts.jsonl", "a"),
        ("rollouts.jsonl", "rollouts"),
        ("a.jsonl.gz", "a"),
        ("a.ndjson", "a"),
        ("a.v1.jsonl.zst", "a.v1"),
        ("_rollouts.jsonl", "_rollouts"),
        ("plain.txt", "plain.txt"),
    ],
)
def test_the_name_of_a_run_is_its_file_s_without_endings(name: str, run: str, tmp_path: Path) -> None:
    write(tmp_path / name, [row()])
    assert list(runs_at(tmp_path / name)) == [run]


def test_sidecars_stand_beside_their_run_and_are_no_runs(tmp_path: Path) -> None:
    write(tmp_path / "a_rollouts.jsonl", [row()])
    write(tmp_path / "b_rollouts.jsonl", [row()])
    for sidecar in SIDECARS:
        write(tmp_path / f"a_rollouts{sidecar.ending}", [row()])
    first, second = blade.find_runs([tmp_path])
    assert [first.name, second.name] == ["a", "b"]
    assert {sidecar.kind for sidecar in first.sidecars} == {sidecar.kind for sidecar in SIDECARS}
    assert second.sidecars == ()


def test_compressed_sidecars_stand_beside_their_run_too(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [row()])
    write(tmp_path / "a_failures.jsonl.gz", [])
    assert blade.find_runs([tmp_path])[0].of_kind("failures") == [str(tmp_path / "a_failures.jsonl.gz")]


def test_files_with_a_shared_name_speak_of_every_run_of_their_directory(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        write(tmp_path / name, [row()])
    (tmp_path / "notes.md").write_text("# Slow day\n")
    (tmp_path / "quality_summary.json").write_text("{}")
    with blade.load(tmp_path, here()) as store:
        assert [summary.notes for summary in store.summaries] == ["# Slow day"] * 2
        assert [{side["kind"] for side in summary.sidecars} for summary in store.summaries] == [
            {"notes", "health summary"}
        ] * 2


@pytest.mark.parametrize("sidecar", SIDECARS, ids=lambda sidecar: sidecar.kind)
def test_a_sidecar_that_is_named_by_hand_is_refused_with_advice(sidecar: Any, tmp_path: Path) -> None:
    path = write(tmp_path / f"a{sidecar.ending}", [row()])
    with pytest.raises(blade.InputError) as refused:
        blade.find_runs([path])
    assert str(refused.value) == (
        f"{path}: is the {sidecar.kind} sidecar of a run"
        " (name the rollouts file itself; its sidecars are found beside it)"
    )


def test_other_files_of_lines_are_no_runs(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [row()])
    write(tmp_path / "labels.jsonl", [{"task": 1, "label": "x"}])
    write(tmp_path / "dataset.jsonl", [{"responses_create_params": {"input": "q"}}])
    write(tmp_path / "text.jsonl", ["no json"])
    write(tmp_path / ".hidden" / "b.jsonl", [row()])
    write(tmp_path / "a" / "preprocessed_datasets" / "test.jsonl", [row()])
    (tmp_path / "report.json").write_text(json.dumps(row()))
    assert list(runs_at(tmp_path)) == ["a"]


def test_a_name_that_says_rollouts_counts_where_no_row_can_be_read(tmp_path: Path) -> None:
    write(tmp_path / "a_rollouts.jsonl", ["<PLACEHOLDER ROW>"])
    write(tmp_path / "b_rollouts.jsonl", [])
    write(tmp_path / "c_rollouts.jsonl", [{"responses_create_params": {"input": "q"}, "error": "no response"}])
    assert list(runs_at(tmp_path)) == ["a", "b", "c"]


def test_a_directory_is_searched_to_its_bottom(tmp_path: Path) -> None:
    for name in ("x/one.jsonl", "x/y/two.jsonl", "z/three.jsonl.gz"):
        write(tmp_path / name, [row()])
    (tmp_path / "z/three.jsonl.gz").write_bytes(gzip.compress(b'{"reward": 1}\n'))
    assert list(runs_at(tmp_path)) == ["one", "two", "three"]


# Shards


@pytest.mark.parametrize(
    "names",
    [
        ["a-00000-of-00004.jsonl", "a-00001-of-00004.jsonl", "a-00003-of-00004.jsonl"],
        ["a_shard_0.jsonl", "a_shard_1.jsonl", "a_shard_10.jsonl"],
        ["a_shard_0_rollouts.jsonl", "a_shard_1_rollouts.jsonl"],
        ["a.part1.jsonl", "a.part2.jsonl.gz"],
        ["a_rollouts_part-1.jsonl", "a_rollouts_part-2.jsonl"],
        ["a_rollouts.0-of-2.jsonl", "a_rollouts.1-of-2.jsonl"],
    ],
    ids=lambda names: names[0],
)
def test_shards_in_a_directory_are_one_run(names: list[str], tmp_path: Path) -> None:
    for task, name in enumerate(names):
        path = write(tmp_path / name, [row(task=task)])
        if name.endswith(".gz"):
            path.write_bytes(gzip.compress(path.read_bytes()))
    assert runs_at(tmp_path) == {"a": sorted(names)}
    assert summary_of(tmp_path).tasks == len(names)


@pytest.mark.parametrize(
    "names",
    [
        ["gpt-4.jsonl", "gpt-5.jsonl"],
        ["v1.jsonl", "v2.jsonl"],
        ["party1.jsonl", "party2.jsonl"],
        ["a-2024-01-01.jsonl", "a-2024-01-02.jsonl"],
    ],
    ids=lambda names: names[0],
)
def test_numbers_alone_make_no_shards(names: list[str], tmp_path: Path) -> None:
    for name in names:
        write(tmp_path / name, [row()])
    assert sorted(runs_at(tmp_path).values()) == [[name] for name in names]


def test_a_glob_names_the_shards_of_one_run(tmp_path: Path) -> None:
    for name in ("eval_1_rollouts.jsonl", "eval_2_rollouts.jsonl", "other.jsonl"):
        write(tmp_path / name, [row(task=len(name))])
    write(tmp_path / "eval_1_rollouts_failures.jsonl", [])
    found = runs_at(f"{tmp_path}/eval_*.jsonl")
    assert list(found.values()) == [["eval_1_rollouts.jsonl", "eval_2_rollouts.jsonl"]]


def test_a_glob_that_matches_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(blade.InputError, match="no rollouts file matches"):
        blade.find_runs([f"{tmp_path}/*.jsonl"])


def test_a_path_with_the_signs_of_a_pattern_is_a_path_where_it_exists(tmp_path: Path) -> None:
    path = write(tmp_path / "a[1].jsonl", [row()])
    assert list(runs_at(path)) == ["a[1]"]


def test_a_pipe_that_is_named_is_read_like_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "m_rollouts.jsonl"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(as_line(row()) + b"\n"))
    writer.start()
    [run] = blade.find_runs([pipe])
    writer.join()
    assert run.name == "m"
    assert Path(run.rollouts[0]).read_bytes() == as_line(row()) + b"\n"


def test_what_is_neither_file_nor_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(blade.InputError, match="is neither a file nor a directory"):
        blade.find_runs(["/dev/null"])


def test_a_name_that_is_no_text_costs_its_run_and_no_other(tmp_path: Path) -> None:
    write(tmp_path / "good.jsonl", [row()])
    bad = os.path.join(os.fsencode(tmp_path), b"b\xff_rollouts.jsonl")
    Path(os.fsdecode(bad)).write_bytes(as_line(row()))
    Path(os.fsdecode(bad)).with_name(os.fsdecode(b"\xff_config.yaml")).write_text("num_repeats: 4")
    warnings: list[str] = []
    with blade.load(tmp_path, here(warn=warnings.append)) as store:
        assert [summary.run for summary in store.summaries] == ["good"]
    [warning] = warnings
    assert "has a name that is not UTF-8 text" in warning
    with pytest.raises(blade.InputError, match="rename it"):
        blade.load(os.fsdecode(bad), here())


def test_shards_of_one_numbering_share_their_tasks(tmp_path: Path) -> None:
    write(tmp_path / "a-0-of-2.jsonl", [row(task=0, rollout=0, prompt="p"), row(task=1, rollout=0, prompt="q")])
    write(tmp_path / "a-1-of-2.jsonl", [row(task=0, rollout=1, prompt="p"), row(task=1, rollout=1, prompt="q")])
    summary = summary_of(tmp_path)
    assert (summary.tasks, summary.repeats, summary.duplicates) == (2, [2, 2, 2], 0)


def independent(tmp_path: Path) -> Path:
    """Two shards that both number their tasks from 0, each with its own sidecars."""
    for shard in (0, 1):
        stem = f"a-{shard}-of-2"
        prompts = [f"question {shard}.{task}" for task in range(3)]
        write(tmp_path / f"{stem}.jsonl", [row(task=task, prompt=prompts[task]) for task in range(2)])
        write(
            tmp_path / f"{stem}_materialized_inputs.jsonl", [owed(task=task, prompt=prompts[task]) for task in range(3)]
        )
        write(
            tmp_path / f"{stem}_failures.jsonl", [row(task=2, prompt=prompts[2], response=..., _ng_failure_class="x")]
        )
    return tmp_path


def test_shards_that_number_independently_keep_their_tasks_apart(tmp_path: Path) -> None:
    summary = summary_of(independent(tmp_path))
    assert (summary.rows, summary.duplicates) == (4, 0)
    assert any("the shards number their tasks apart" in problem for problem in summary.problems)


def test_the_sidecars_of_independent_shards_speak_of_the_tasks_of_their_shard(tmp_path: Path) -> None:
    summary = summary_of(independent(tmp_path))
    assert (summary.expected, summary.missing_count, summary.failed_rollouts) == (6, 0, 2)
    with blade.load(tmp_path, here()) as store:
        assert len(ask(store, "select distinct task from rollouts")) == 6
        assert ask(store, "select standing, count(*) from owed group by 1 order by 1") == [("failed", 2), ("row", 4)]


# Names


def test_equal_stems_get_the_names_of_their_directories(tmp_path: Path) -> None:
    for name in ("a/rollouts.jsonl", "b/rollouts.jsonl", "c/x/r.jsonl", "d/x/r.jsonl", "only.jsonl"):
        write(tmp_path / name, [row()])
    assert list(runs_at(tmp_path)) == ["only", "a_rollouts", "b_rollouts", "c_x_r", "d_x_r"]


def test_names_stay_different_where_directories_do_not_help(tmp_path: Path) -> None:
    for name in ("a_rollouts.jsonl", "a.jsonl", "a.ndjson"):
        write(tmp_path / name, [row()])
    assert len(runs_at(tmp_path)) == 3


def test_a_path_given_twice_is_one_run(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [row()])
    assert list(runs_at(path, tmp_path, path)) == ["a"]


def test_runs_come_in_the_order_of_their_paths(tmp_path: Path) -> None:
    b, a = write(tmp_path / "b.jsonl", [row()]), write(tmp_path / "a.jsonl", [row()])
    assert list(runs_at(b, a)) == ["b", "a"]


def test_one_file_with_several_agents_is_one_run_for_each(tmp_path: Path) -> None:
    lines = [
        row(agent_ref={"name": "x"}),
        row(agent_ref={"name": "y"}),
        row(task=1, agent_ref={"name": "y"}),
        row(task=2),
    ]
    with blade.load(write(tmp_path / "a.jsonl", lines), here()) as store:
        assert {summary.run: (summary.rows, summary.agent) for summary in store.summaries} == {
            "a@x": (1, "x"),
            "a@y": (2, "y"),
            "a": (1, None),
        }
        assert ask(store, "select ref from rollouts order by row") == [
            ("a@x:0/0",),
            ("a@y:0/0",),
            ("a@y:1/0",),
            ("a:2/0",),
        ]


# Tasks and repeats


def test_a_task_is_its_index_then_its_own_id_then_its_place(tmp_path: Path) -> None:
    lines = [row(task=7, task_id="t7"), row(task=..., task_id="t8"), row(task=..., prompt="only a prompt")]
    refs = tasks_of(*lines, path=tmp_path / "a.jsonl")
    assert refs[:2] == ["a:7/0", "a:t8/0"]
    assert refs[2] == "a:unnamed0/0"
    problems = problems_of(tmp_path / "a.jsonl")
    assert "no task index and no id (1 row): tasks are numbered in order of first appearance" in problems
    assert "no task index (1 row): tasks are named by the rows' own id" in problems


def test_rows_without_index_and_id_are_one_task_where_their_prompts_are_equal(tmp_path: Path) -> None:
    lines = [row(task=..., rollout=..., prompt=prompt) for prompt in ("p", "q", "p", "r", "q", "p")]
    assert tasks_of(*lines, path=tmp_path / "a.jsonl") == ["a:0/0", "a:1/0", "a:0/1", "a:2/0", "a:1/1", "a:0/2"]


def test_a_task_without_a_name_is_no_other_task(tmp_path: Path) -> None:
    lines = [row(task=1, prompt="p"), row(task=..., prompt="q"), row(task=..., prompt="r"), row(task=0, prompt="s")]
    refs = tasks_of(*lines, path=tmp_path / "a.jsonl")
    assert len({ref.partition("/")[0] for ref in refs}) == 4
    assert summary_of(tmp_path).duplicates == 0


def test_a_repeat_without_a_number_is_no_other_repeat(tmp_path: Path) -> None:
    lines = [row(rollout=0), row(rollout=...), row(rollout=2), row(rollout=...), row(rollout=...)]
    assert len(set(tasks_of(*lines, path=tmp_path / "a.jsonl"))) == 5
    assert summary_of(tmp_path).duplicates == 0


@pytest.mark.parametrize("field", ["task_id", "problem_id", "instance_id", "uuid", "id"])
def test_a_row_s_own_id_names_its_task_whatever_its_type(field: str, tmp_path: Path) -> None:
    lines = [row(task=..., **{field: value}) for value in ("a b", 3, "é#/:%")]
    assert tasks_of(*lines, path=tmp_path / "a.jsonl") == ["a:a%20b/0", "a:3/0", "a:é%23%2F%3A%25/0"]


def test_id_fields_that_are_named_come_before_the_usual_ones(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [row(task=..., task_id="t", case="c1"), row(task=..., task_id="t", case="c2")])
    with blade.load(path, here(id_fields=("case",))) as store:
        assert ask(store, "select ref from rollouts order by row") == [("a:c1/0",), ("a:c2/0",)]


def test_an_index_that_stands_as_text_is_an_index(tmp_path: Path) -> None:
    assert tasks_of(row(task="7", rollout="1"), row(task=8.0), path=tmp_path / "a.jsonl") == ["a:7/1", "a:8/0"]


def test_rows_whose_index_is_a_word_stay_different_tasks(tmp_path: Path) -> None:
    refs = tasks_of(row(task="alpha"), row(task="beta"), path=tmp_path / "a.jsonl")
    assert refs == ["a:alpha/0", "a:beta/0"]


def test_a_further_row_of_a_repeat_is_a_duplicate_that_does_not_count(tmp_path: Path) -> None:
    lines = [row(reward=1.0), row(reward=0.0), row(reward=0.0), row(rollout=1, reward=1.0)]
    path = tmp_path / "a.jsonl"
    assert tasks_of(*lines, path=path) == ["a:0/0", "a:0/0.d1", "a:0/0.d2", "a:0/1"]
    summary = summary_of(path)
    assert (summary.rows, summary.duplicates, summary.repeats, summary.reward.mean) == (4, 2, [2, 2, 2], 1.0)
    assert "a task and repeat that already has a row (2 rows): counted once" in summary.problems


def test_stages_of_a_repeat_are_rows_of_their_own(tmp_path: Path) -> None:
    lines = [row(stage_index=stage) for stage in (0, 1, 1)]
    assert tasks_of(*lines, path=tmp_path / "a.jsonl") == ["a:0/0.s0", "a:0/0.s1", "a:0/0.s1.d1"]


def failed(task: int, rollout: int, **more: Any) -> Any:
    return row(task=task, rollout=rollout, response=..., reward=..., _ng_failure_class="agent_run_error", **more)


def test_failed_attempts_are_numbered_and_the_last_without_a_row_stands(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [row(task=0, rollout=0), row(task=0, rollout=1)])
    write(tmp_path / "a_failures.jsonl", [failed(0, 2), failed(0, 1), failed(0, 2)])
    with blade.load(path, here()) as store:
        assert ask(store, "select ref, standing from rollouts order by file, row") == [
            ("a:0/0", "row"),
            ("a:0/1", "row"),
            ("a:0/2.a1", "attempt"),
            ("a:0/1.a1", "attempt"),
            ("a:0/2.a2", "failed"),
        ]
        [summary] = store.summaries
    assert (summary.rows, summary.failed_attempts, summary.failed_rollouts) == (2, 3, 1)


def test_what_is_owed_and_neither_there_nor_failed_is_missing(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [row(task=0, rollout=0), row(task=1, rollout=1), row(task=1, rollout=1)])
    write(tmp_path / "a_failures.jsonl", [failed(0, 1)])
    write(
        tmp_path / "a_materialized_inputs.jsonl",
        [owed(task=task, rollout=repeat) for task in (0, 1) for repeat in (0, 1)],
    )
    summary = summary_of(path)
    assert (summary.expected, summary.expected_from) == (4, "materialized inputs")
    assert (summary.missing, summary.missing_count, summary.coverage) == (["1/0"], 1, 0.5)


def test_an_empty_failures_file_says_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [row()])
    write(tmp_path / "a_failures.jsonl", [])
    assert summary_of(path).failed_attempts == 0


# Configs and notes


@pytest.mark.parametrize("name", ["config.yaml", "eval_config.yml", "a.json", "config.json", ".hydra/config.yaml"])
def test_a_config_beside_a_run_says_what_is_owed(name: str, tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [row(task=task) for task in range(3)])
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(json.dumps({"eval": {"num_repeats": 4, "limit": 10, "temperature": 0.5}}))
    summary = summary_of(tmp_path / "a.jsonl")
    assert (summary.expected, summary.expected_from, summary.missing_count) == (40, "config", 37)
    assert summary.config is not None
    assert summary.config["values"]["eval.temperature"] == 0.5


def test_materialized_inputs_are_trusted_before_a_config(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [row()])
    write(tmp_path / "a_materialized_inputs.jsonl", [owed()])
    (tmp_path / "config.yaml").write_text("num_repeats: 4\n")
    summary = summary_of(tmp_path / "a.jsonl")
    assert (summary.expected, summary.expected_from) == (1, "materialized inputs")


@pytest.mark.parametrize(
    "text",
    ["a: [1", "\tx: {", "", "- 1", "a: &x [*x]", "num_repeats: many", "{" * 5_000, "!!python/object:os.system {}"],
)
def test_a_config_that_cannot_be_used_costs_nothing(text: str, tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [row()])
    (tmp_path / "config.yaml").write_text(text)
    summary = summary_of(tmp_path / "a.jsonl")
    assert summary.rows == 1
    assert summary.expected is None


def test_notes_are_shown_and_bounded(tmp_path: Path) -> None:
    write(tmp_path / "a_rollouts.jsonl", [row()])
    (tmp_path / "a_rollouts_notes.md").write_text("stem notes")
    (tmp_path / "notes.md").write_text("x" * 200_000)
    notes = summary_of(tmp_path).notes
    assert notes is not None
    assert notes.startswith("stem notes\n\nxxx")
    assert len(notes) == 64 * 1024


def test_a_broken_sidecar_is_named_as_a_problem_of_its_own(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [row()])
    (tmp_path / "a_aggregate_metrics.json").write_text("[{")
    (tmp_path / "example_metrics.json").write_text('{"EXAMPLE": 1}')
    by_kind = {sidecar["kind"]: sidecar for sidecar in summary_of(tmp_path).sidecars}
    assert "is not JSON" in by_kind["aggregate metrics"]["problem"]
    assert by_kind["dataset statistics"]["problem"] == "a placeholder, not a measurement"
