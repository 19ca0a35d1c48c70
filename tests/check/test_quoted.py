"""What stands in a step: keys with their values, and the true words shown in place of wrong ones."""

import json

import pytest

from blade.check.checking import check
from blade.check.claims.claim import CONTRADICTED, NOT_CHECKABLE, SUPPORTED
from blade.check.claims.truth import Run, Truth

_LETTER = (
    "Dear guest, your room is ready from two in the afternoon. "
    "Breakfast is served from seven until ten on the ground floor. Parking costs 12 euros a night."
)


class Hotel:
    """One rollout of four steps."""

    _steps = (
        "I look up the booking of the guest.",
        'book_room\n{"nights": 3, "rate": 80.50, "guest": "Ida Moe", "pets": false}',
        json.dumps({"status": json.dumps({"nights": 30, "code": "R-7"}), "message": _LETTER}),
        "Parking costs 15 euros a night in our garage.",
    )

    def steps(self, ref: str) -> list[str] | None:
        return list(self._steps)

    def whole(self, ref: str) -> str:
        return "\n".join(self._steps)

    def prompt(self, ref: str) -> list[str]:
        return ["Book a room."]


@pytest.fixture
def truth() -> Truth:
    """A run with that rollout."""
    return Truth([Run("inn", None, None)], [], rollouts={("inn", "2", "0"): "failed"}, texts=Hotel())


def _quotes(sentence: str, truth: Truth) -> list[tuple[str, str]]:
    found = check(f"# Note\n\n{sentence}\n", truth).claims
    return [(each.verdict, each.true) for each in found if each.claim.kind == "quote"]


@pytest.mark.parametrize(
    "pair", ['"nights": 3', '"rate": 80.5', '"guest": "Ida Moe"', '"guest": "Ida …"', '"pets": False', "'nights': 3"]
)
@pytest.mark.parametrize("mark", ["", "`"])
def test_a_key_with_its_value_is_supported(pair: str, mark: str, truth: Truth) -> None:
    assert _quotes(f"At `inn:2/0#1` it books with {mark}{pair}{mark}.", truth) == [(SUPPORTED, "")]


@pytest.mark.parametrize(
    ("pair", "true"),
    [
        ('"nights": 4', '"nights": 3'),
        ('"rate": 8.05', '"rate": 80.5'),
        ('"guest": "Ida Mo"', '"guest": "Ida Moe"'),
        ('"pets": true', '"pets": false'),
    ],
)
def test_another_value_is_contradicted_with_the_true_one(pair: str, true: str, truth: Truth) -> None:
    assert _quotes(f"At `inn:2/0#1` it books with {pair}, which is wrong.", truth) == [(CONTRADICTED, true)]


def test_a_value_within_escaped_json_is_read(truth: Truth) -> None:
    assert _quotes('The answer `inn:2/0#2` says "nights": 30.', truth) == [(SUPPORTED, "")]
    assert _quotes('The answer `inn:2/0#2` says "nights": 31.', truth) == [(CONTRADICTED, '"nights": 30')]


@pytest.mark.parametrize(
    ("sentence", "verdicts"),
    [
        ('At `inn:2/0#1` it books "nights": 3 instead of "nights": 5.', [SUPPORTED]),
        ('At `inn:2/0#1` it should have booked "nights": 5.', []),
        ('At `inn:2/0#1` it books with "floor": 2.', [NOT_CHECKABLE]),
        ('At `inn:2/0#1` it books with "nights": 30.', [NOT_CHECKABLE]),
    ],
)
def test_what_another_value_stands_for_is_left_alone(sentence: str, verdicts: list[str], truth: Truth) -> None:
    assert [verdict for verdict, _ in _quotes(sentence, truth)] == verdicts


@pytest.mark.parametrize(
    ("quote", "true"),
    [
        (
            "Breakfast is served from eight until ten on the ground floor.",
            "Breakfast is served from seven until ten on the ground floor.",
        ),
        (
            "Dear guest, your room is ready from two in the afternoon. Breakfast is served from six until ten",
            "Breakfast is served from seven until ten on the ground floor.",
        ),
        ("Parking costs 18 euros a night", "Parking costs 12 euros a night."),
    ],
)
def test_the_sentence_of_the_step_is_shown_that_is_most_alike(quote: str, true: str, truth: Truth) -> None:
    assert _quotes(f"`inn:2/0#2` says “{quote}”", truth) == [(CONTRADICTED, true)]


def test_of_two_steps_the_one_is_shown_that_has_something_alike(truth: Truth) -> None:
    text = "At `inn:2/0#1` it books.\nThen `inn:2/0#2` says “Parking costs 18 euros a night”."
    found = check(f"# Note\n\n{text}\n", truth).contradictions
    assert [(each.claim.line, each.true, each.source) for each in found] == [
        (4, "Parking costs 12 euros a night.", "inn:2/0#2")
    ]
