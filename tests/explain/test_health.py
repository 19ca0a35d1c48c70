"""The health of a benchmark: every kind of finding where it is due, and silence where the evidence is thin."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import blade
from blade.explain.health.noise import noise_floor, variance_of
from blade.explain.health.registry import all_checks
from blade.explain.records import Finding
from blade.vocabulary import HEALTH_KINDS
from tests.building import Row, call, here, message, owed, result, row, write
from tests.explain.planting import explained, failing, modes, passing, rollouts, run_of

Make = Callable[[int, int], Row]


def findings(*paths: Path, kind: str) -> list[Finding]:
    found = blade.health(list(paths), options=here())
    return [finding for finding in found if finding.kind == kind]


def answered(task: int, repeat: int, given: str, *, right: bool, expected: str = "", **more: Any) -> Row:
    """A row of a quiz: what is expected, what was extracted, and the verdict."""
    return row(
        message(f"I think that it is so. Answer: {given}"),
        task=task,
        rollout=repeat,
        prompt=more.pop("prompt", f"Question {task}?"),
        reward=float(right),
        **{"solution_key": expected or f"word{task}", "read_off": given, **more},
    )


def quiz(wrong: Callable[[int, int], str | None]) -> Make:
    """Right answers, but for those that a function gives."""

    def make(task: int, repeat: int) -> Row:
        given = wrong(task, repeat)
        return answered(task, repeat, given or f"word{task}", right=given is None)

    return make


def test_every_kind_of_finding_has_a_check() -> None:
    assert list(all_checks()) == list(HEALTH_KINDS)


def test_a_run_in_order_has_no_finding_that_blames_the_benchmark(tmp_path: Path) -> None:
    path = run_of(tmp_path / "a_rollouts.jsonl", quiz(lambda t, r: f"other{r}" if (t + r) % 3 == 0 else None), tasks=30)
    kinds = {finding.kind for finding in blade.health(path, options=here())}
    assert kinds <= {"noise", "too few repeats"}


# Verdicts


def test_equal_answers_of_one_task_with_different_verdicts_are_a_flaky_verdict(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        if task < 3:
            return answered(task, repeat, f"word{task}", right=repeat > 0)
        return quiz(lambda t, r: f"other{r}" if r == 0 else None)(task, repeat)

    path = run_of(tmp_path / "a_rollouts.jsonl", make, tasks=12)
    [flaky] = findings(path, kind="flaky verdict")
    assert flaky.tasks == ["0", "1", "2"]
    assert {"a:0/0", "a:0/1"} <= set(flaky.refs)
    [run] = explained(path).runs
    mode = modes(run)["judged differently"]
    assert (mode.cause, mode.owner) == ("TI", "verifier")
    assert rollouts(mode.refs) == {"a:0/0", "a:1/0", "a:2/0"}


def test_equal_last_words_say_nothing_where_something_else_was_done(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        steps = [call("book", json.dumps({"day": repeat})), result("ok"), message("Done.")]
        return (passing if repeat else failing)(task, repeat, *steps)

    assert findings(run_of(tmp_path / "a_rollouts.jsonl", make), kind="flaky verdict") == []


def test_equal_end_states_judged_differently_are_a_flaky_verdict(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        steps = [call("book", json.dumps({"day": repeat})), result("ok"), message("Done.")]
        return (passing if repeat else failing)(task, repeat, *steps, end_state_hash=f"{task:016x}")

    [flaky] = findings(run_of(tmp_path / "a_rollouts.jsonl", make), kind="flaky verdict")
    assert len(flaky.tasks) == 10


def test_games_that_end_in_the_same_words_are_not_judged_by_them(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        turns = [message("hit"), message(f"You have {15 + repeat}.", role="user"), message("stand")]
        return (passing if repeat else failing)(task, repeat, *turns)

    assert findings(run_of(tmp_path / "a_rollouts.jsonl", make), kind="flaky verdict") == []


def test_a_failure_in_the_words_of_flaky_ones_is_one_of_them(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        flake = repeat == 0 or task == 9
        log = "test_a: ok\ntest_b: timed out after 5 seconds" if flake else "test_a: ok\ntest_b: ok"
        patch = f"- old\n+ new {task}" if not (task == 9 and repeat) else f"- old\n+ other {repeat}"
        return row(message("Mended."), task=task, rollout=repeat, prompt=f"Bug {task}", patch=patch, test_log=log,
                   reward=0.0 if flake else 1.0)  # fmt: skip

    path = run_of(tmp_path / "a_rollouts.jsonl", make)
    [run] = explained(path).runs
    assert len(modes(run)["judged differently"].refs) == 9 + 4


@pytest.mark.parametrize("written", ["{:,}", "{}.0", " {} ", "{}."])
def test_a_right_answer_that_fails_for_its_writing_meets_a_strict_verifier(tmp_path: Path, written: str) -> None:
    def make(task: int, repeat: int) -> Row:
        expected = str(1_000 + task)
        given = written.format(1_000 + task) if repeat == 0 and task < 4 else expected
        return answered(task, repeat, given, right=given.strip() == expected, expected=expected)

    path = run_of(tmp_path / "a_rollouts.jsonl", make)
    found = findings(path, kind="verifier too strict")
    if written == " {} ":
        assert found == []
        return
    [strict] = found
    assert strict.tasks == ["0", "1", "2", "3"]
    [run] = explained(path).runs
    assert modes(run)["verifier too strict"].cause == "TI"


def test_a_form_that_the_prompt_demands_is_the_models_fault(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        given = f"{1_000 + task:,}" if repeat == 0 else str(1_000 + task)
        prompt = f"How many are {task} and 1000? Write the number without commas."
        return answered(task, repeat, given, right=repeat > 0, expected=str(1_000 + task), prompt=prompt)

    path = run_of(tmp_path / "a_rollouts.jsonl", make)
    assert findings(path, kind="verifier too strict") == []


def test_a_right_answer_with_a_wrong_end_state_is_no_fault_of_the_verifier(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        wrong = repeat == 0
        made = answered(task, repeat, f"word{task}", right=not wrong, end_state_hash=f"{task + 1000 * wrong:016x}")
        made["response"]["output"].insert(0, call("book"))
        return made | {"goal": {"expected_state_hash": f"{task:016x}"}}

    path = run_of(tmp_path / "a_rollouts.jsonl", make)
    assert findings(path, kind="flaky verdict") == findings(path, kind="verifier too strict") == []


def test_an_expectation_that_nobody_meets_and_all_contradict_alike_is_suspected(tmp_path: Path) -> None:
    drawn = random.Random(3)

    def make(model: str) -> Make:
        def one(task: int, repeat: int) -> Row:
            wrong = f"wrong{drawn.randrange(20)}" if drawn.random() < 0.3 or task in (5, 6) else None
            given = f"truth{task}" if task in (1, 2, 3) else wrong or f"word{task}"
            made = answered(task, repeat, given, right=given == f"word{task}")
            return made | {"response": made["response"] | {"model": model}}

        return one

    paths = [run_of(tmp_path / f"{model}_rollouts.jsonl", make(model), tasks=30) for model in ("one", "two")]
    [suspect] = findings(*paths, kind="wrong gold")
    assert suspect.tasks == ["1", "2", "3"]
    assert len(suspect.refs) == 3 * 4 * 2
    assert "suspicion" in suspect.why
    for run in explained(*paths).runs:
        assert (modes(run)["expectation suspected"].cause, modes(run)["expectation suspected"].owner) == ("TI", "data")


def test_a_model_that_repeats_its_mistakes_casts_no_doubt_on_the_expectation(tmp_path: Path) -> None:
    path = run_of(tmp_path / "a_rollouts.jsonl", quiz(lambda t, r: f"habit{t}" if t % 3 == 0 else None), tasks=30)
    assert findings(path, kind="wrong gold") == []


@pytest.mark.parametrize("agreeing", [1, 8])
def test_one_model_that_agrees_with_itself_now_and_then_casts_no_doubt(agreeing: int, tmp_path: Path) -> None:
    """Where it is wrong on many tasks, each time in another way, one on which it repeats itself is luck."""

    def wrong(task: int, repeat: int) -> str | None:
        if task < agreeing:
            return f"other{task}"
        if task < 18:
            return f"guess{(task + repeat) % 3 == 0}" if repeat or task < 12 else None
        return None

    found = findings(run_of(tmp_path / "a_rollouts.jsonl", quiz(wrong), tasks=60), kind="wrong gold")
    assert [finding.tasks for finding in found] == ([] if agreeing == 1 else [[str(task) for task in range(8)]])


def test_agreement_on_one_of_a_few_letters_casts_no_doubt_on_the_expectation(tmp_path: Path) -> None:
    def make(model: str) -> Make:
        def one(task: int, repeat: int) -> Row:
            given, expected = ("B" if task < 6 else "ABCD"[task % 4]), ("A" if task < 6 else "ABCD"[task % 4])
            made = answered(task, repeat, given, right=given == expected, expected=expected)
            return made | {"response": made["response"] | {"model": model}}

        return one

    paths = [run_of(tmp_path / f"{model}_rollouts.jsonl", make(model), tasks=30) for model in ("one", "two")]
    assert findings(*paths, kind="wrong gold") == []


# Prompts


def test_a_prompt_that_announces_its_answer_leaks(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        hint = f"\nReference: word{task}" if task < 4 else ""
        given = f"word{task}" if task < 4 or repeat else "nothing"
        return answered(task, repeat, given, right=given != "nothing", prompt=f"Which word is number {task}?{hint}")

    [leak] = findings(run_of(tmp_path / "a_rollouts.jsonl", make, tasks=20), kind="leak")
    assert leak.tasks == ["0", "1", "2", "3"]
    assert leak.quotes[0].text == "Reference: word0"
    assert leak.quotes[0].ref == "a:0/0#i0"


@pytest.mark.parametrize(
    "prompt",
    [
        "Which is right?\nA) word{other}\nB) word{task}\nC) word{another}",
        "Is it word{other} or word{task}?",
        "Which is right? (A) word{other} (B) word{task} (C) word{another}",
        "Read: On day {task} the word{task} was heard, and word{other} was not. Which one was heard?",
    ],
    ids=["options", "a choice", "options in one line", "a text that is asked about"],
)
def test_answers_that_stand_in_their_prompt_by_right_are_no_leak(tmp_path: Path, prompt: str) -> None:
    def make(task: int, repeat: int) -> Row:
        asked = prompt.format(task=task, other=(task + 1) % 20, another=(task + 2) % 20)
        return answered(task, repeat, f"word{task}", right=repeat > 0, prompt=asked)

    assert findings(run_of(tmp_path / "a_rollouts.jsonl", make, tasks=20), kind="leak") == []


@pytest.mark.parametrize("asked", ["Which product is largest? (A) {n} x 30 (B) 7 x {n}", "Is {n} above 30? B, or not?"])
def test_the_same_words_before_a_few_equal_letters_are_chance(tmp_path: Path, asked: str) -> None:
    def make(task: int, repeat: int) -> Row:
        expected = "B" if task < 3 else "ABCD"[task % 4]
        prompt = asked.format(n=12 if task < 3 else 10**task)
        return answered(task, repeat, expected, right=repeat > 0, expected=expected, prompt=prompt)

    assert findings(run_of(tmp_path / "a_rollouts.jsonl", make, tasks=20), kind="leak") == []


def test_an_example_of_the_form_is_no_leak(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        asked = f"Question {task}? End with a line such as 'Answer: word3'."
        return answered(task, repeat, f"word{task}", right=True, prompt=asked)

    assert findings(run_of(tmp_path / "a_rollouts.jsonl", make, tasks=20), kind="leak") == []


def test_tasks_that_ask_the_same_under_different_ids_are_duplicates(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        return answered(task, repeat, f"word{task % 18}", right=True, expected=f"word{task % 18}",
                        prompt=f"Question {task % 18}?", id=f"q-{task}")  # fmt: skip

    [twins] = findings(run_of(tmp_path / "a_rollouts.jsonl", make, tasks=20), kind="duplicates")
    assert sorted(twins.tasks, key=int) == ["0", "1", "18", "19"]


def test_the_same_question_with_another_expectation_contradicts_itself(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        return answered(task, repeat, f"word{task}", right=True, expected_answer=f"word{task}", solution_key=...,
                        prompt=f"Question {task % 19}?", id=f"q-{task}")  # fmt: skip

    [twins] = findings(run_of(tmp_path / "a_rollouts.jsonl", make, tasks=20), kind="duplicates")
    assert sorted(twins.tasks, key=int) == ["0", "19"]
    assert "expect something else" in twins.title


def test_tasks_that_differ_in_their_world_are_no_duplicates(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        return passing(task, repeat, seed=task, scenario=f"Room {task} holds a pan.") | {
            "responses_create_params": {"input": f"Put the pan away. Kitchen {task % 19}."}
        }

    assert findings(run_of(tmp_path / "a_rollouts.jsonl", make, tasks=20), kind="duplicates") == []


def test_rows_that_stand_there_twice_are_duplicates(tmp_path: Path) -> None:
    rows = [passing(task, repeat) for task in range(5) for repeat in range(2)]
    [twice] = findings(write(tmp_path / "a_rollouts.jsonl", [*rows, rows[3]]), kind="duplicates")
    assert twice.refs == ["a:1/1.d1"]
    assert twice.tasks == ["1"]


def test_the_same_id_with_another_prompt_is_a_changed_prompt(tmp_path: Path) -> None:
    def reworded(task: int, repeat: int) -> Row:
        return row(message("It."), task=task, rollout=repeat, prompt=f"Task {task}" + ("!" if task < 2 else ""))

    paths = [
        run_of(tmp_path / "a_rollouts.jsonl", lambda t, r: row(message("It."), task=t, rollout=r, prompt=f"Task {t}")),
        run_of(tmp_path / "b_rollouts.jsonl", reworded),
    ]
    [changed] = findings(*paths, kind="changed prompt")
    assert changed.tasks == ["0", "1"]
    assert changed.run == "b"


def test_a_repeat_that_asks_something_else_is_a_changed_prompt(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        return row(message("It."), task=task, rollout=repeat, prompt=f"Task {task}{'!' * (task == 4 and repeat == 2)}")

    [changed] = findings(run_of(tmp_path / "a_rollouts.jsonl", make), kind="changed prompt")
    assert changed.tasks == ["4"]


# What is not there, and what should not be


def test_rows_that_are_owed_are_missing_and_the_notes_say_why(tmp_path: Path) -> None:
    write(
        tmp_path / "a_materialized_inputs.jsonl", (owed(t, r, prompt=f"Task {t}") for t in range(5) for r in range(2))
    )
    (tmp_path / "a_notes.md").write_text(
        "All went well at first. Then the node was lost and two rollouts were not run.\n"
    )
    kept = [passing(t, r) for t in range(5) for r in range(2) if (t, r) not in ((1, 1), (4, 0))]
    [missing] = findings(write(tmp_path / "a_rollouts.jsonl", kept), kind="missing rows")
    assert missing.refs == ["a:1/1", "a:4/0"]
    assert missing.tasks == ["1", "4"]
    assert "the node was lost" in missing.why
    assert "went well" not in missing.why


def test_a_judge_that_failed_is_a_judge_error(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        broken = repeat == 0 and task < 3
        return (failing if broken else passing)(task, repeat, judge_error="judge timed out" if broken else None)

    [judge] = findings(run_of(tmp_path / "a_rollouts.jsonl", make), kind="judge error")
    assert rollouts(judge.refs) == {"a:0/0", "a:1/0", "a:2/0"}


def test_a_pass_that_edited_its_tests_is_suspicious_and_a_failure_that_did_is_not_told(tmp_path: Path) -> None:
    edit = json.dumps({"command": "str_replace", "path": "tests/test_sum.py", "old_str": "== 3", "new_str": "== 4"})
    look = json.dumps({"command": "view", "path": "tests/test_sum.py"})

    def make(task: int, repeat: int) -> Row:
        steps = [call("editor", look), result("assert f() == 3")]
        if repeat == 0 and task < 4:
            steps += [call("editor", edit, call_id="c2"), result("edited", call_id="c2")]
        return (passing if task != 3 else failing)(task, repeat, *steps, message("Mended."))

    found = findings(run_of(tmp_path / "a_rollouts.jsonl", make), kind="suspicious pass")
    assert {ref for each in found for ref in rollouts(each.refs)} == {"a:0/0", "a:1/0", "a:2/0"}


# What chance makes


def test_tasks_at_the_ceiling_and_at_the_floor_are_told_where_they_are_many(tmp_path: Path) -> None:
    def make(task: int, repeat: int) -> Row:
        return passing(task, repeat) if task < 8 or (task < 12 and repeat) else failing(task, repeat)

    path = run_of(tmp_path / "a_rollouts.jsonl", make, tasks=20)
    [ceiling] = findings(path, kind="ceiling")
    [floor] = findings(path, kind="floor")
    [flat] = findings(path, kind="low discrimination")
    assert (len(ceiling.tasks), len(floor.tasks), len(flat.tasks)) == (8, 8, 4)


def test_a_task_that_better_runs_fail_discriminates_backwards(tmp_path: Path) -> None:
    def make(skill: int) -> Make:
        return lambda t, r: (passing if (t > 20 - 2 * skill if t else skill < 5) else failing)(t, r)

    paths = [run_of(tmp_path / f"r{skill}_rollouts.jsonl", make(skill), tasks=21, repeats=1) for skill in range(1, 9)]
    assert ["0"] in [finding.tasks for finding in findings(*paths, kind="low discrimination")]


def test_one_repeat_is_too_few(tmp_path: Path) -> None:
    path = run_of(tmp_path / "a_rollouts.jsonl", lambda t, r: (passing if t % 2 else failing)(t, r), repeats=1)
    [few] = findings(path, kind="too few repeats")
    assert "one rollout for each task" in few.title


def test_noise_shrinks_with_repeats(tmp_path: Path) -> None:
    def floor(repeats: int) -> float:
        chance = random.Random(repeats)
        drawn = {(t, r): chance.random() < 0.5 for t in range(40) for r in range(repeats)}
        make = lambda t, r: (passing if drawn[t, r] else failing)(t, r)  # noqa: E731
        [noise] = findings(
            run_of(tmp_path / f"r{repeats}_rollouts.jsonl", make, tasks=40, repeats=repeats), kind="noise"
        )
        return float(noise.title.split("up to ")[1].split(" ")[0])

    assert floor(1) == pytest.approx(1.96 * (2 * 0.25 / 40) ** 0.5 * 100, abs=2)
    assert floor(16) == pytest.approx(1.96 * (2 * 0.25 / 16 / 40) ** 0.5 * 100, abs=1)


@pytest.mark.parametrize(("tasks", "repeats"), [(50, 2), (50, 4), (20, 8), (200, 4)])
@pytest.mark.parametrize("shape", [1.0, 0.3])
def test_two_runs_of_one_agent_differ_by_more_than_the_noise_in_one_case_of_twenty(
    tasks: int, repeats: int, shape: float
) -> None:
    draw = np.random.default_rng(7)
    within = []
    for _ in range(1_500):
        rates = draw.beta(shape, shape, tasks)
        first, second, third = (draw.binomial(repeats, rates) for _ in range(3))
        variance = variance_of(first, np.full(tasks, repeats))
        assert variance is not None
        within.append(abs((second - third).mean() / repeats) <= noise_floor(variance))
    assert 0.92 <= float(np.mean(within)) <= 0.975


@pytest.mark.parametrize("tries", [[1] * 2, [1] * 40, [4] * 20, [1, 3, 8]])
@pytest.mark.parametrize("passes", [0, 1])
def test_runs_in_which_nothing_varies_may_differ_all_the_same(tries: list[int], passes: int) -> None:
    variance = variance_of(passes * np.array(tries), np.array(tries))
    assert variance is not None
    assert 0 < noise_floor(variance) <= 1


def test_one_try_of_each_task_bounds_the_noise_and_says_so(tmp_path: Path) -> None:
    [noise] = findings(run_of(tmp_path / "a_rollouts.jsonl", failing, tasks=40, repeats=1), kind="noise")
    assert "can be noise" in noise.title
    assert "the most that chance can do" in noise.why
    assert "up to 0.0 points" not in noise.title


def test_a_sidecar_that_its_rows_do_not_give_is_told(tmp_path: Path) -> None:
    path = run_of(tmp_path / "a_rollouts.jsonl", lambda t, r: (passing if r else failing)(t, r))
    told = {"model_name": "tiny", "pass_at_1": 0.9, "total_tasks": 10, "total_rollouts": 40}
    (tmp_path / "a_metrics.json").write_text(json.dumps(told))
    [shipped] = findings(path, kind="disagrees with shipped metrics")
    assert "pass_at_1 is 0.9 there and 0.75 by the rows" in shipped.why


def test_findings_do_not_depend_on_the_order_of_rows(tmp_path: Path) -> None:
    rows = [quiz(lambda t, r: f"x{r}" if (t * r) % 5 == 1 else None)(t, r) for t in range(12) for r in range(4)]
    rows += [answered(20, r, "word20", right=r > 1) for r in range(4)]
    shuffled = random.Random(1).sample(rows, len(rows))
    one = blade.health(write(tmp_path / "one" / "a_rollouts.jsonl", rows), options=here())
    other = blade.health(write(tmp_path / "other" / "a_rollouts.jsonl", shuffled), options=here())
    assert [(each.kind, each.title, sorted(each.refs)) for each in one] == [
        (each.kind, each.title, sorted(each.refs)) for each in other
    ]
