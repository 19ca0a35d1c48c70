"""Tasks of the completion: the head of a function, and a verifier that runs base tests and plus tests."""

from dataclasses import dataclass
from typing import Any

from examples.completion.families import FAMILIES, Function
from examples.theatre.answers import extract_answer
from examples.theatre.tasks import Draft, Family, FamilyMaker, Row, Task, Verdict
from examples.theatre.tools import Toolbox

NO_TOOLS = Toolbox()
FORM = "```python\n{answer}\n```"


@dataclass(frozen=True, slots=True)
class CompletionSetting:
    """A function has nothing to act upon; its tests are what counts."""

    function: Function

    def begin(self) -> None:
        return None

    def fields(self, task: Task) -> Row:
        return {
            "entry_point": self.function.name,
            "category": task.family.category,
            "difficulty": task.family.difficulty,
            "canonical_solution": self.function.right,
        }

    def verify(self, task: Task, state: None, last_message: str | None) -> Verdict:
        return _verdict(self.function, extract_answer(last_message, FORM))

    def rejected(self, task: Task, verdict: Verdict) -> Verdict:
        return _verdict(self.function, None)


def _verdict(function: Function, code: str | None) -> Verdict:
    base, plus = (_failures(function, code, cases) for cases in (function.base, function.plus))
    right = not base and not plus
    fields = {
        "extracted_code": code,
        "base_status": "fail" if base else "pass",
        "plus_status": "fail" if base or plus else "pass",
        "base_tests_passed": len(function.base) - len(base),
        "base_tests": len(function.base),
        "plus_tests_passed": len(function.plus) - len(plus),
        "plus_tests": len(function.plus),
        "failure_reason": next(iter([*base, *plus]), None),
        "error_kind": None if right else _kind(code, base),
    }
    return Verdict(reward=float(right), fields=fields, text=fields["failure_reason"])


def _kind(code: str | None, base: list[str]) -> str:
    if code is None:
        return "no_code_block"
    if any("NameError" in failure for failure in base[:1]):
        return "entry_point_missing"
    return "base_tests_failed" if base else "plus_tests_failed"


def _failures(function: Function, code: str | None, cases: tuple[tuple[Any, ...], ...]) -> list[str]:
    """What goes wrong, case by case."""
    if code is None:
        return ["no block of Python was found"] * len(cases)
    expected = function.outcomes(function.right, cases)
    given = function.outcomes(code, cases)
    return [
        f"{function.name}({', '.join(map(repr, case))}) gives {got}, expected {want}"
        for case, want, got in zip(cases, expected, given, strict=True)
        if got != want
    ]


class CompletionMaker(FamilyMaker):
    """Makes functions to complete."""

    families = FAMILIES

    def prompt(self, kind: Family, draft: Draft) -> str:
        return self.vocabulary.phrase("prompt", **draft.details)

    def task(self, index: int, kind: Family, draft: Draft) -> Task:
        return Task(
            benchmark="completion",
            index=index,
            family=kind,
            vocabulary=self.vocabulary,
            toolbox=NO_TOOLS,
            setting=CompletionSetting(draft.setting),
            prompt=self.prompt(kind, draft),
            solution=draft.solution,
            wrong_answers=draft.wrong_answers,
            expected_answer=draft.solution.answer,
            answer_form=FORM,
            system=None,
            tools=(),
            slips=draft.slips,
        )
