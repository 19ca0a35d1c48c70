"""Claims of a report are held against the runs: what is false is found, what is true is left alone."""

import pytest

from blade.check.checking import check
from blade.check.claims import truth as known
from blade.check.claims.claim import CONTRADICTED, NOT_CHECKABLE, SUPPORTED
from blade.check.claims.truth import Pair, Quantity, Run, Task, Truth


class Steps:
    """Rollouts whose every step says the same."""

    said = "The invoice of March was never sent to the customer."

    def steps(self, ref: str) -> list[str] | None:
        return [self.said, "Done."]

    def whole(self, ref: str) -> str:
        return f"{self.said}\nDone."

    def prompt(self, ref: str) -> list[str]:
        return ["Send the invoice."]


def _of_run(run: str, passed: int) -> list[Quantity]:
    whole = (run, known.WHOLE, "")
    return [
        Quantity(*whole, "pass@1", passed / 40, known.SHARE),
        Quantity(*whole, "tasks", 10, known.COUNT),
        Quantity(*whole, "rollouts", 40, known.COUNT),
        Quantity(*whole, "passed", passed, known.COUNT, 40),
        Quantity(*whole, "failed", 40 - passed, known.COUNT, 40),
        Quantity(run, known.MODE, "Stopped early", "rollouts", 40 - passed - 2, known.COUNT, 40 - passed),
        Quantity(run, known.MODE, "Wrong answer", "rollouts", 2, known.COUNT, 40 - passed),
    ]


def _task(passed: int) -> Task:
    bucket = "always" if passed == 4 else "sometimes" if passed else "never"
    return Task(passed, 4, bucket, frozenset(["KG"]), frozenset(["Stopped early"]))


@pytest.fixture
def truth() -> Truth:
    """Two runs of ten tasks."""
    pair = ("alder", "birch")
    passes = {"alder": [4, 4, 4, 4, 3, 3, 3, 2, 2, 1], "birch": [4, 4, 2, 2, 2, 1, 1, 0, 4, 0]}
    return Truth(
        [Run("alder", "alder-7b", None), Run("birch", "birch-7b", None)],
        [*_of_run("alder", 30), *_of_run("birch", 20), Quantity("", "", "", "delta", -25, known.POINTS, others=pair)],
        tasks={(run, str(task)): _task(passed) for run in pair for task, passed in enumerate(passes[run])},
        rollouts={
            (run, str(task), str(number)): "passed" if number < passed else "failed"
            for run in pair
            for task, passed in enumerate(passes[run])
            for number in range(4)
        },
        modes={"Stopped early": frozenset(["birch:9/3"])},
        pairs=[Pair("alder", "birch", -25.0, "worse")],
        texts=Steps(),
    )


TRUE = (
    "alder passes 75 % of its rollouts.",
    "The pass rate of alder is 0.75, against 0.50 for birch.",
    "birch passed 20 of 40 rollouts.",
    "alder passes 30 of 40.",
    "Both runs cover 10 tasks.",
    "birch-7b solves half of its attempts.",
    "In birch, task 7 never passes.",
    "Task 3 passes 4 of 4 in alder and 2 of 4 in birch.",
    "The most frequent failure mode of birch is Stopped early.",
    "Stopped early accounts for 18 of 20 failures of birch.",
    "alder is 25 points above birch.",
    "`birch:9/3` fails.",
    "In `birch:9/3#0` it says “The invoice of March was never sent to the customer.”",
    "`birch:9/3#0`: “The invoice of … was never sent”",
)
FALSE = (
    "alder passes 64 % of its rollouts.",
    "The pass rate of birch is 0.75.",
    "birch passed 23 of 40 rollouts.",
    "alder passes 31 of 40.",
    "birch has 14 tasks.",
    "In birch, task 2 never passes.",
    "Task 3 passes 4 of 4 in birch.",
    "Task 31 passes 2 of 4 in birch.",
    "The most frequent failure mode of birch is Wrong answer.",
    "Stopped early accounts for 12 of 20 failures of birch.",
    "birch scores higher than alder.",
    "`birch:9/7` fails.",
    "`birch:9/3` passes.",
    "In `birch:9/3#0` it says “The invoice of April was never sent to the customer.”",
)
LEFT_ALONE = (
    "We suggest 12 more repeats, which would settle it.",
    "The judge failed on 4 rollouts of birch.",
    "birch loses time in 3 places of the prompt.",
    "With 25 repeats of its tasks, birch would show a difference of 5.0 points.",
    "The mean reward changes by −0.116.",
    "Between 2 and 4 tools are offered.",
    "In 2024, alder was trained on 15 billion tokens.",
)


@pytest.mark.parametrize("sentence", TRUE)
def test_what_is_true_is_supported_and_not_contradicted(sentence: str, truth: Truth) -> None:
    found = check(f"# Report\n\n{sentence}\n", truth)
    assert found.contradictions == []
    assert found.counts[SUPPORTED]


@pytest.mark.parametrize("sentence", FALSE)
def test_what_is_false_is_contradicted_with_what_is_true(sentence: str, truth: Truth) -> None:
    found = check(f"# Report\n\n{sentence}\n", truth)
    assert found.counts[CONTRADICTED]
    assert all(each.true and each.claim.line == 3 for each in found.contradictions)


@pytest.mark.parametrize("sentence", LEFT_ALONE)
def test_what_cannot_be_told_is_never_contradicted(sentence: str, truth: Truth) -> None:
    assert check(f"# Report\n\n{sentence}\n", truth).contradictions == []


def test_a_cause_is_a_judgement_and_never_contradicted(truth: Truth) -> None:
    found = check("# Report\n\nTask 7 of birch fails for want of a tool (TI).\n", truth)
    assert found.contradictions == []
    assert found.counts[NOT_CHECKABLE]


def test_tables_are_read_by_their_headers(truth: Truth) -> None:
    table = "# Report\n\n| run | pass@1 | tasks |\n|---|---|---|\n| alder | 75.0 % | 10 |\n| birch | {} | 10 |\n"
    assert check(table.format("50.0 %"), truth).contradictions == []
    found = check(table.format("57.5 %"), truth).contradictions
    assert [(each.claim.line, each.true) for each in found] == [(6, "50.0 %")]


def test_the_sign_of_a_difference_counts_only_where_the_baseline_is_known(truth: Truth) -> None:
    said = "# Report\n\n| run | change in points |\n|---|---|\n| alder against birch | {} |\n"
    assert check(said.format("−25.0"), truth).contradictions == []
    truth.directed = False
    assert check(said.format("+25.0"), truth).contradictions == []
    assert check(said.format("+19.0"), truth).contradictions


def test_a_report_of_hostile_text_is_read_in_linear_time(truth: Truth) -> None:
    for text in ("`" * 200_000, "*_" * 100_000, "[" * 100_000, "| a " * 50_000, "> " * 50_000, "1 of " * 40_000):
        check(f"# Report\n\n{text}\n", truth)
