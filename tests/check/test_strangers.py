"""A report about more runs than were given: what it says of the others is not checkable, and never false."""

import pytest

from blade.check.checking import check
from blade.check.claims import truth as known
from blade.check.claims.truth import Pair, Quantity, Run, Task, Truth

REPORT = """# Three builds

| run | pass@1 | change in points |
|---|---|---|
| larch | 80.0 % | |
| rowan | 60.0 % | −20.0 |
| willow | 40.0 % | −40.0 |

## rowan against larch

5 tasks passed less often, 1 more often.

## willow against larch

9 tasks passed less often, 2 more often.

| Task | larch | willow |
|---|---|---|
| 3 | 4/4 | 1/4 |

- willow: 31 of 40 rollouts pass
- larch: 32 of 40 rollouts pass

Look at `willow:3/1`. In all, 120 rollouts were run. Task 3 passes 1 of 4 in willow.
"""


@pytest.fixture
def truth() -> Truth:
    """Two runs of ten tasks."""
    told = []
    for run, passed in (("larch", 32), ("rowan", 24)):
        told += [
            Quantity(run, known.WHOLE, "", "pass@1", passed / 40, known.SHARE),
            Quantity(run, known.WHOLE, "", "rollouts", 40, known.COUNT),
            Quantity(run, known.WHOLE, "", "passed", passed, known.COUNT, 40),
        ]
    pair = ("larch", "rowan")
    told += [
        Quantity("", known.WHOLE, "", "delta", -20, known.POINTS, others=pair),
        Quantity("", known.WHOLE, "", "worse tasks", 5, known.COUNT, others=pair),
        Quantity("", known.WHOLE, "", "better tasks", 1, known.COUNT, others=pair),
    ]
    return Truth(
        [Run("larch", None, None), Run("rowan", None, None)],
        told,
        tasks={(run, "3"): Task(4, 4, "always", frozenset(), frozenset()) for run in pair},
        rollouts={(run, "3", str(number)): "passed" for run in pair for number in range(4)},
        pairs=[Pair(*pair, -20.0, "worse")],
    )


def test_what_is_said_of_a_run_that_was_not_given_is_not_checkable(truth: Truth) -> None:
    found = check(REPORT, truth)
    assert [each.document() for each in found.contradictions] == []
    assert found.counts["supported"] >= 5
    assert sum(each.why == "run willow was not given" for each in found.claims) >= 5


def test_what_is_said_of_the_runs_that_were_given_is_still_checked(truth: Truth) -> None:
    wrong = REPORT.replace("| rowan | 60.0 %", "| rowan | 66.0 %").replace("larch: 32", "larch: 35")
    assert len(check(wrong, truth).contradictions) == 2
