"""Where an answer came from: the step in which it stands first."""

from pathlib import Path

import blade
from blade.explain.origin import origins, stands_in
from blade.rollout import Rollout
from tests.building import Row, call, message, result, row, write


def rollout_of(path: Path, *items: Row, prompt: str = "How many seats has the hall?") -> Rollout:
    return blade.resolve("a:0/0", [write(path / "a_rollouts.jsonl", [row(*items, prompt=prompt)])])


def test_an_answer_is_followed_back_to_the_step_that_brought_it_in(tmp_path: Path) -> None:
    items = [call("count", "{}"), result("There are 412 seats"), message("I shall add nothing."), message("**412**")]
    assert origins(rollout_of(tmp_path, *items)) == [1]


def test_what_the_prompt_says_already_is_no_answer(tmp_path: Path) -> None:
    asked = "How many of the 412 seats are free?"
    items = [message("Let me look"), message("Of 412 seats 57 are free. Answer: 57")]
    assert origins(rollout_of(tmp_path, *items, prompt=asked)) == [1]


def test_without_any_answer_no_step_is_named(tmp_path: Path) -> None:
    assert origins(rollout_of(tmp_path, message("Done"))) == []


def test_an_answer_stands_in_a_text_as_words_of_its_own() -> None:
    assert stands_in("it is 12, as said", "12")
    assert not stands_in("it is 12.5", "12")
    assert not stands_in("room-12 is free", "12")
    assert not stands_in("the archive", "arch")
