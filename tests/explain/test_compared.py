"""The fields with what is expected and what was given are found in the data, once for all who ask."""

from pathlib import Path
from typing import Any

import pytest

import blade
from blade.explain.cases import Cases
from blade.explain.compared import Compared, compared_of, expected_of
from blade.explain.prompts import prompts_of
from blade.measure.outcomes import PassRule
from tests.building import here
from tests.explain.planting import failing, passing, run_of


def found(path: Path) -> tuple[list[Compared], list[str | None]]:
    with blade.load([path], here()) as store:
        cases = Cases.of(store, ["a"], PassRule())
        return cases.once(compared_of), expected_of(cases)


@pytest.mark.parametrize(
    ("expected", "given"),
    [(str, str), (float, str), (str, lambda value: f"{value:,}"), (str, lambda value: f"{value} ")],
)
def test_a_pair_is_found_whatever_way_its_numbers_are_written(tmp_path: Path, expected: Any, given: Any) -> None:
    def make(task: int, repeat: int) -> Any:
        wrong = repeat == 0
        told = {"a1": expected(2_000 + task), "b1": given(2_000 + task + wrong * (7 + task))}
        return (failing if wrong else passing)(task, repeat, **told)

    [pair], values = found(run_of(tmp_path / "a_rollouts.jsonl", make, tasks=12))
    assert (pair.expected_field, pair.given_field) == ("a1", "b1")
    assert pair.same.sum() == 36
    assert values == pair.expected


def test_where_nothing_given_agrees_a_name_says_what_is_expected(tmp_path: Path) -> None:
    path = run_of(tmp_path / "a_rollouts.jsonl", lambda t, r: failing(t, r, gold_answer=f"the city of {t}"))
    pairs, values = found(path)
    assert pairs == []
    assert values[0] == "the city of 0"


def test_prompts_of_a_file_that_vanished_are_left_out(tmp_path: Path) -> None:
    path = run_of(tmp_path / "a_rollouts.jsonl", passing)
    with blade.load([path], here()) as store:
        cases = Cases.of(store, ["a"], PassRule())
        path.unlink()
        assert list(prompts_of(cases, [0, 1])) == []
