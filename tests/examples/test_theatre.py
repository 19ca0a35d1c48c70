"""What all simulated worlds share: agents do what their profile says, and the truth about it is true."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from examples.theatre import Agent, Benchmark, Exposure, families_struck, play
from examples.theatre.answers import extract_answer, same_answer
from examples.theatre.benchmark import as_given
from examples.theatre.rollouts import Rollout
from examples.theatre.rows import rollout_row
from examples.theatre.tasks import Defects, Task
from examples.theatre.vocabulary import Vocabulary
from examples.worlds import WORLDS

TASKS, SEED = 24, 11
LOOKS = [(world, vocabulary) for world, known in WORLDS.items() for vocabulary in known.vocabularies]
FAULTS = [
    (world, vocabulary, fault)
    for world, vocabulary in LOOKS
    for fault in WORLDS[world].faults
    if families_struck(WORLDS[world], fault)
]
DECOYS = [(world, vocabulary, decoy) for world, vocabulary in LOOKS for decoy in WORLDS[world].decoys]


def agent_with(world: str, fault: str, **exposure: Any) -> Agent:
    tools = WORLDS[world].removable
    return Agent(
        "tested",
        "model",
        faults={fault: Exposure(1.0, **exposure)},
        without_tools=tools if fault == "tool_missing" else (),
        renamed_tools=tools if fault == "tool_renamed" else (),
    )


# Tasks


@pytest.mark.parametrize(("world", "vocabulary"), LOOKS)
def test_no_two_tasks_ask_the_same_and_more_tasks_change_none(world: str, vocabulary: str) -> None:
    many = WORLDS[world].tasks(240, seed=SEED, vocabulary=vocabulary)
    few = WORLDS[world].tasks(22, seed=SEED, vocabulary=vocabulary)
    assert len({task.prompt for task in many}) == 240
    assert [task.prompt for task in many[:22]] == [task.prompt for task in few]


@pytest.mark.parametrize("world", WORLDS)
def test_a_wrong_answer_is_never_the_right_one(world: str) -> None:
    for task in WORLDS[world].tasks(120, seed=SEED):
        answer = task.solution.answer
        assert (answer is None) == (not task.wrong_answers)
        assert not any(same_answer(wrong, answer or "") for wrong in task.wrong_answers)
        assert answer is None or len(task.wrong_answers) >= 3


@pytest.mark.parametrize("world", WORLDS)
def test_every_second_task_is_of_a_family_that_is_favoured(world: str) -> None:
    family = [*WORLDS[world].families][-1].name
    tasks = WORLDS[world].tasks(20, seed=SEED, favoured=[family])
    assert all(task.family.name == family for task in tasks[1::2])
    assert len({task.family.name for task in tasks}) > 2


@pytest.mark.parametrize("world", WORLDS)
def test_a_leak_tells_the_answer_and_whoever_reads_it_knows(world: str) -> None:
    tasks = WORLDS[world].tasks(TASKS, seed=SEED, defects=Defects(leaked=1.0))
    leaking = [task for task in tasks if task.leaks]
    assert {task.index for task in leaking} == {task.index for task in tasks if task.expected_answer}
    for rollout in play(WORLDS[world], Agent("a", "m", faults={"knowledge_gap": Exposure(1.0)}), tasks=leaking):
        assert rollout.task.expected_answer in rollout.task.prompt
        assert rollout.outcome == "passed"


def test_the_page_of_the_examples_says_of_every_fault_where_it_strikes_and_whose_it_is() -> None:
    page = (Path(__file__).parents[2] / "examples" / "README.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line[:3] == "| `"]
    said = {row[0].strip("`"): tuple(row[1:]) for row in rows if len(row) == 6}
    words = {None: "nothing", "failed": "fails", "not_measured": "not measured", "passed": "passes"}
    true = {}
    for world, benchmark in WORLDS.items():
        for name, fault in benchmark.faults.items():
            if families_struck(benchmark, name):
                worlds = f"{true[name][0]}, {world}" if name in true else world
                owners = ", ".join((fault.owner, *fault.other_owners))
                true[name] = (worlds, fault.cause, owners, words[fault.outcome], fault.stage)
    assert said == true


# Vocabularies


@pytest.mark.parametrize("world", WORLDS)
def test_vocabularies_share_no_tool_no_argument_and_no_own_field(world: str) -> None:
    first, second = (look_of(WORLDS[world], name) for name in WORLDS[world].vocabularies)
    common = {"tools": set(), "arguments": set(), "fields": {"mask_sample", "failure_kind", "name", "metadata"}}
    for what, allowed in common.items():
        assert first[what] & second[what] <= allowed, what


def look_of(benchmark: Benchmark, vocabulary: str) -> dict[str, set[str]]:
    tasks = benchmark.tasks(TASKS, seed=SEED, vocabulary=vocabulary)
    row = rollout_row(play(benchmark, "perfect", tasks=tasks[:1], repeats=1, seed=SEED)[0])
    tools = [tool for task in tasks for tool in task.declarations()]
    standard = {"_ng_task_index", "_ng_rollout_index", "agent_ref", "responses_create_params", "response", "reward"}
    return {
        "tools": {tool["name"] for tool in tools},
        "arguments": {key for tool in tools for key in tool["parameters"]["properties"]},
        "fields": set(row) - standard,
    }


def test_a_phrase_is_drawn_where_there_are_several() -> None:
    vocabulary = Vocabulary("v", {"one": "a {what}", "many": ("x {what}", "y {what}")})

    drawn = {vocabulary.phrase("many", random.Random(seed), what="b") for seed in range(20)}
    assert vocabulary.phrase("one", what="b") == "a b"
    assert drawn == {"x b", "y b"}


def test_arguments_and_answers_are_shown_under_their_own_keys_at_any_depth() -> None:
    vocabulary = Vocabulary("v", {}, keys={"a": "z"}, fields={"a": None, "b": "c"})
    assert vocabulary.keyed({"a": [{"a": 1, "b": 2}]}) == {"z": [{"z": 1, "b": 2}]}
    assert vocabulary.row({"a": 1, "b": 2, "d": 3}) == {"c": 2, "d": 3}


@pytest.mark.parametrize(
    ("form", "message", "answer"),
    [
        ("Answer: {answer}", "It is this.\n\nAnswer: 42", "42"),
        ("Answer: {answer}", "Answer: 1\nAnswer: 2", "2"),
        ("Answer: {answer}", "My Answer: 42", None),
        ("Answer: {answer}", "Answer: ", None),
        ("Answer: {answer}", None, None),
        ("<answer>{answer}</answer>", "so <answer> a b </answer>.", "a b"),
        ("<answer>{answer}</answer>", "so <answer>a", None),
        ("\\boxed{{answer}}", "thus \\boxed{7}", "7"),
    ],
)
def test_an_answer_is_found_in_its_form_alone(form: str, message: str | None, answer: str | None) -> None:
    assert extract_answer(message, form) == answer


# Agents and faults


@pytest.mark.parametrize(("world", "vocabulary"), LOOKS)
def test_a_perfect_agent_passes_every_task(world: str, vocabulary: str) -> None:
    for rollout in play(WORLDS[world], "perfect", tasks=TASKS, repeats=2, seed=SEED, vocabulary=vocabulary):
        assert rollout.verdict.reward == 1.0, rollout.verdict.text
        assert rollout.outcome == "passed"


@pytest.mark.parametrize(("world", "vocabulary", "name"), FAULTS)
def test_a_fault_does_to_every_rollout_what_its_truth_says(world: str, vocabulary: str, name: str) -> None:
    benchmark = WORLDS[world]
    fault = benchmark.faults[name]
    wrong = Defects(wrong_gold=0.5 if name == "wrong_gold" else 0.0)
    favoured = sorted(families_struck(benchmark, name))
    tasks = benchmark.tasks(TASKS, seed=SEED, vocabulary=vocabulary, defects=wrong, favoured=favoured)
    struck = struck_by(name, play(benchmark, agent_with(world, name), tasks=tasks, repeats=2, seed=SEED))
    assert struck
    for rollout in struck:
        assert rollout.outcome == (fault.outcome or "passed")
        assert rollout.direction.decided_by is (fault if fault.outcome else None)
        if rollout.in_main_file:
            assert rollout.row_reward == float(rollout.outcome == "passed")
        if fault.outcome == "failed":
            assert rollout.in_main_file
            assert rollout.performance.struck_at is not None


def struck_by(name: str, rollouts: Iterable[Rollout]) -> list[Rollout]:
    return [rollout for rollout in rollouts if name in rollout.direction.occurred]


@pytest.mark.parametrize(("world", "vocabulary", "name"), DECOYS)
def test_a_decoy_leaves_the_reward_alone(world: str, vocabulary: str, name: str) -> None:
    benchmark = WORLDS[world]
    tasks = benchmark.tasks(22, seed=SEED, vocabulary=vocabulary)
    seen = 0
    for faults in ({}, {"truncated": Exposure(0.5), "knowledge_gap": Exposure(0.5)}):
        plain = Agent("tested", "model", skill=0.7, faults=faults)
        showy = Agent("tested", "model", skill=0.7, faults=faults, decoys={name: 1.0})
        pairs = [play(benchmark, agent, tasks=tasks, repeats=2, seed=SEED) for agent in (plain, showy)]
        for without, with_decoy in zip(*pairs, strict=True):
            seen += with_decoy.direction.decoys == (name,)
            differs = with_decoy.performance.output != without.performance.output
            assert differs is (with_decoy.direction.decoys == (name,))
            assert with_decoy.verdict == without.verdict
            assert with_decoy.outcome == without.outcome
    assert seen > 20


@pytest.mark.parametrize("world", WORLDS)
def test_decoys_are_as_frequent_in_failures_as_in_passes(world: str) -> None:
    benchmark = WORLDS[world]
    agent = Agent("usual", "model", skill=0.6, decoys=benchmark.usual_decoys)
    rollouts = play(benchmark, agent, tasks=150, repeats=4, seed=SEED)
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    totals = Counter(rollout.outcome for rollout in rollouts)
    for rollout in rollouts:
        for name in rollout.direction.decoys:
            seen[name][rollout.outcome] += 1
    assert seen
    for name, counts in seen.items():
        rates = [counts[outcome] / totals[outcome] for outcome in ("passed", "failed")]
        assert rates[0] == pytest.approx(rates[1], abs=0.12), name


@pytest.mark.parametrize("world", WORLDS)
def test_a_new_fault_reshuffles_no_rollout_that_it_does_not_strike(world: str) -> None:
    benchmark = WORLDS[world]
    before, after = (
        Agent("a", "m", 0.8, {"knowledge_gap": Exposure(1.0, 0.2), **more}, benchmark.usual_decoys)
        for more in ({}, {"truncated": Exposure(0.3)})
    )
    pairs = list(zip(*(play(benchmark, agent, tasks=22, seed=SEED) for agent in (before, after)), strict=True))
    struck = struck_by("truncated", (new for _, new in pairs))
    assert 0 < len(struck) < len(pairs)
    for old, new in pairs:
        if "truncated" not in new.direction.occurred:
            assert new.direction == old.direction
            assert new.performance.output == old.performance.output


@pytest.mark.parametrize("world", WORLDS)
def test_an_exposure_keeps_to_its_category_and_to_its_share_of_tasks(world: str) -> None:
    benchmark = WORLDS[world]
    category = next(iter(benchmark.families)).category
    agent = agent_with(world, "truncated", share=0.5, category=category)
    rollouts = play(benchmark, agent, tasks=120, repeats=3, seed=SEED)
    struck = {r.task.index for r in rollouts if r.direction.decided_by}
    inside = {r.task.index for r in rollouts if r.task.family.category == category}
    assert struck < inside
    assert 0.2 < len(struck) / len(inside) < 0.8
    assert all(r.direction.decided_by for r in rollouts if r.task.index in struck)


@pytest.mark.parametrize("world", WORLDS)
def test_agents_meet_a_common_difficulty_on_the_same_tasks(world: str) -> None:
    agents = [Agent(name, "m", faults={"knowledge_gap": Exposure(1.0, 0.4, common=True)}) for name in "ab"]
    failed = [
        {r.task.index for r in play(WORLDS[world], agent, tasks=60, repeats=1, seed=SEED) if r.outcome == "failed"}
        for agent in agents
    ]
    assert failed[0] == failed[1] != set()


@pytest.mark.parametrize("world", WORLDS)
def test_less_skill_fails_more(world: str) -> None:
    def failures(skill: float) -> int:
        rollouts = play(WORLDS[world], Agent("tested", "model", skill=skill), tasks=60, repeats=2, seed=SEED)
        return sum(rollout.outcome == "failed" for rollout in rollouts)

    assert 0 == failures(1.0) < failures(0.7) < failures(0.2)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(
    "agent",
    [
        Agent("tested", "model", faults={"sleepiness": Exposure(1.0)}),
        Agent("tested", "model", decoys={"sleepiness": 1.0}),
        Agent("tested", "model", without_tools=("sleepiness",)),
    ],
)
def test_an_agent_of_whom_something_is_not_known_is_refused(world: str, agent: Agent) -> None:
    with pytest.raises(ValueError, match="sleepiness"):
        play(WORLDS[world], agent, tasks=1)


@pytest.mark.parametrize("world", [name for name, known in WORLDS.items() if families_struck(known, "wrong_gold")])
def test_a_wrong_gold_fails_every_agent_and_nobody_else_is_to_blame(world: str) -> None:
    benchmark = WORLDS[world]
    erring = [task for task in benchmark.tasks(66, seed=SEED, defects=Defects(wrong_gold=0.4)) if task.errs]
    assert erring
    for name in benchmark.agents:
        for rollout in play(benchmark, name, tasks=erring, seed=SEED):
            if rollout.outcome != "not_measured":
                assert rollout.row_reward == 0.0
                assert rollout.direction.decided_by is benchmark.faults["wrong_gold"]


@pytest.mark.parametrize("fault", ["tool_missing", "tool_renamed"])
@pytest.mark.parametrize(("world", "vocabulary"), [look for look in LOOKS if WORLDS[look[0]].removable])
def test_another_set_of_tools_fails_the_tasks_that_need_it_and_no_others(
    world: str, vocabulary: str, fault: str
) -> None:
    benchmark = WORLDS[world]
    tasks = benchmark.tasks(TASKS, seed=SEED, vocabulary=vocabulary)
    for rollout in play(benchmark, agent_with(world, fault), tasks=tasks, repeats=1, seed=SEED):
        given = as_given(rollout.task, benchmark, fault)
        needed = any(move.tool in benchmark.removable for move in given.solution.moves)
        assert (rollout.outcome == "failed") is needed
        declared = {tool["name"] for tool in rollout_row(rollout)["responses_create_params"]["tools"]}
        assert declared.isdisjoint(rollout.task.vocabulary.tool(name) for name in benchmark.removable)
        called = [item["name"] for item in rollout.performance.output if item["type"] == "function_call"]
        assert (set(called) <= declared) is (fault == "tool_missing" or not needed)


@pytest.mark.parametrize("world", WORLDS)
def test_a_reworded_prompt_keeps_its_task_and_its_result(world: str) -> None:
    tasks: list[Task] = WORLDS[world].tasks(22, seed=SEED)
    rollouts = play(WORLDS[world], Agent("tested", "model", reworded=0.5), tasks=tasks, repeats=1, seed=SEED)
    changed = [r for r, task in zip(rollouts, tasks, strict=True) if r.task.prompt != task.prompt]
    assert 0 < len(changed) < len(tasks)
    assert {r.outcome for r in changed} == {"passed"}
    assert [r.task.task_id for r in rollouts] == [task.task_id for task in tasks]
