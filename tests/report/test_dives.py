"""Deep dives: which tasks are looked into, and where their rollouts part."""

import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blade.report.parting import Action, parting, told
from blade.report.pieces import plain_text
from tests.building import call, message, result, row, write
from tests.report.making import markdown, page, report, run_of, two_runs

_UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def actions(*does: tuple[str, str]) -> list[Action]:
    return [Action(2 * number, tool, arguments, 2 * number + 1) for number, (tool, arguments) in enumerate(does)]


def said(failing: list[Action], passing: list[Action]) -> str:
    return plain_text(told(parting(failing, passing), str))


def test_rollouts_part_at_the_first_action_that_is_not_the_same() -> None:
    shared = ("look", '{"at":1}')
    found = parting(actions(shared, ("move", '{"to":"a","fast":true}')), actions(shared, ("move", '{"to":"b"}')))
    assert found.shared == 1
    assert found.differs == ("to", "fast")
    assert found.apart == 2


def test_how_they_part_is_told_with_the_values() -> None:
    shared = ("look", "{}")
    text = said(actions(shared, ("move", '{"to":"a"}')), actions(shared, ("move", '{"to":"b"}')))
    assert text == 'After 1 equal action both call move, with another to: "a" where the passing one has "b".'
    text = said(actions(("move", "{}")), actions(("look", "{}"), ("move", "{}")))
    assert text == "From the first action on the failing rollout calls move, the passing one look."
    assert said(actions(shared), actions(shared, shared)).startswith("After 1 equal action the failing rollout acts no")
    assert said(actions(shared, shared), actions(shared)).endswith("goes on with look; the passing one acts no more.")
    assert said(actions(shared), actions(shared)) == "Both take the same 1 action and differ in what they say."
    assert said([], []) == "Neither acts: they differ in what they say."


_DOES = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["{}", '{"x":1}', "no json"])), max_size=6)


@_UNHURRIED
@given(_DOES, _DOES)
def test_what_is_shared_and_what_is_apart_is_all_there_is(
    first: list[tuple[str, str]], second: list[tuple[str, str]]
) -> None:
    found = parting(actions(*first), actions(*second))
    assert first[: found.shared] == second[: found.shared]
    assert found.apart <= len(first) + len(second) - 2 * found.shared
    assert (found.apart == 0) == (first == second)
    other = parting(actions(*second), actions(*first))
    assert (other.shared, other.apart) == (found.shared, found.apart)
    assert said(actions(*first), actions(*second))


def test_a_failing_rollout_stands_beside_a_passing_one_with_what_differs_marked(tmp_path: Path) -> None:
    report(two_runs(tmp_path / "runs"), tmp_path / "out")
    text = markdown(tmp_path / "out")
    dives = text.partition("## Sometimes-Pass Deep Dives")[2].partition("## Cross-Model")[0]
    assert 'After 1 equal action both call `book_room`, with another `day`: `"2030-05-02"`' in dives
    assert '  ≠   day = "2030-05-02"' in dives
    assert '  ≠   day = "2031-05-02"' in dives
    assert "<mark>day = &#34;2030-05-02&#34;</mark>" in (tmp_path / "out" / "report.html").read_text("utf-8")


def test_a_task_that_one_run_never_passes_is_held_against_a_pass_of_another(tmp_path: Path) -> None:
    run_of(tmp_path / "a_rollouts.jsonl", [[True, True]] * 4)
    run_of(tmp_path / "b_rollouts.jsonl", [[False, False], [True, True], [True, True], [True, True]])
    report(tmp_path, tmp_path / "out")
    never = markdown(tmp_path / "out").partition("## Never-Pass Deep Dives")[2].partition("## Cross-Model")[0]
    assert "Tasks that never pass: 1 of b." in never
    assert "**Failing: `b:0/0`**" in never
    assert "**Passing: `a:0/0`**" in never


def test_a_task_that_nobody_passes_stands_alone(tmp_path: Path) -> None:
    run_of(tmp_path / "a_rollouts.jsonl", [[False, False], [True, True]])
    report(tmp_path, tmp_path / "out")
    never = markdown(tmp_path / "out").partition("## Never-Pass Deep Dives")[2].partition("## Cross-Model")[0]
    assert "No rollout of any run passes this task" in never
    assert "**Passing:" not in never


def test_small_modes_are_shown_beside_a_large_one(tmp_path: Path) -> None:
    rows = []
    for task in range(14):
        for rollout in range(4):
            passes = rollout > 1
            rare = task >= 12
            what = {"error": "shelf is locked"} if rare and not passes else {"ok": rollout}
            rows.append(
                row(
                    call("find" if passes or rare else "guess", json.dumps({"task": task}), "c1"),
                    result(what, "c1"),
                    message("Done."),
                    task=task,
                    rollout=rollout,
                    prompt=f"task {task}",
                    reward=float(passes),
                    error_kind=None if passes else "locked shelf" if rare else "guessed place",
                )
            )
    write(tmp_path / "a_rollouts.jsonl", rows)
    report(tmp_path, tmp_path / "out")
    headings = [heading for heading in page(tmp_path / "out").headings if heading.startswith("Task ")]
    shown = {int(heading.split()[1]) for heading in headings}
    assert len(shown) == 6
    assert shown & {12, 13}
    assert shown & set(range(12))


def test_calls_are_shown_around_the_one_from_which_on_rollouts_part_for_good(tmp_path: Path) -> None:
    report(two_runs(tmp_path / "runs"), tmp_path / "out")
    dives = markdown(tmp_path / "out").partition("## Sometimes-Pass Deep Dives")[2].partition("## Cross-Model")[0]
    assert "from the marked line on they part for good, by a call with other arguments" in dives
    line = next(line for line in dives.splitlines() if line.startswith("| ≠ ←"))
    assert "2030-05-02" in line
    assert "2031-05-02" in line
    assert "one year before" in line
