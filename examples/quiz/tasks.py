"""Tasks of the quiz: a question, the form that its answer must have, and the verifier."""

from dataclasses import dataclass
from typing import Any

from examples.quiz.families import FAMILIES
from examples.theatre.answers import extract_answer, same_answer
from examples.theatre.tasks import Draft, Family, FamilyMaker, Row, Task, Verdict
from examples.theatre.tools import Toolbox

NO_TOOLS = Toolbox()


@dataclass(frozen=True, slots=True)
class QuizSetting:
    """A question has nothing to act upon. Where a text is asked for, `conditions` say what it must meet."""

    conditions: dict[str, Any] | None

    def begin(self) -> None:
        return None

    def fields(self, task: Task) -> Row:
        return {
            "question": task.prompt,
            "category": task.family.category,
            "difficulty": task.family.difficulty,
            "expected_answer": task.expected_answer,
        }

    def rejected(self, task: Task, verdict: Verdict) -> Verdict:
        return _verdict(False, extracted=verdict.fields["extracted_answer"], kind=None)

    def verify(self, task: Task, state: None, last_message: str | None) -> Verdict:
        if self.conditions is not None:
            return _text_verdict(task, (last_message or "").strip(), self.conditions)
        extracted = extract_answer(last_message, task.answer_form)
        right = same_answer(extracted, task.expected_answer or "")
        return _verdict(right, extracted=extracted, kind=None)


def _text_verdict(task: Task, text: str, conditions: dict[str, Any]) -> Verdict:
    missed = _missed(text, conditions)
    return _verdict(missed is None, extracted=None, kind=missed and task.vocabulary.kinds.get(missed, missed))


def _missed(text: str, conditions: dict[str, Any]) -> str | None:
    """Return the first condition that a text does not meet."""
    if not text:
        return "no_text"
    if len(text.split()) > conditions["most"]:
        return "too_long"
    if conditions["word"] not in text:
        return "word_missing"
    if text != text.lower():
        return "wrong_case"
    return None if text.endswith(conditions["ending"]) else "wrong_ending"


def _verdict(right: bool, *, extracted: str | None, kind: str | None) -> Verdict:
    fields = {"extracted_answer": extracted, "is_correct": right, "error_kind": kind}
    return Verdict(reward=float(right), fields=fields, text=kind)


class QuizMaker(FamilyMaker):
    """Makes questions."""

    families = FAMILIES

    def prompt(self, kind: Family, draft: Draft) -> str:
        question = self.vocabulary.phrase(f"prompt: {draft.asks or kind.name}", **draft.details)
        if draft.solution.answer is None:
            return question
        return self.vocabulary.phrase("ask", question=question, demand=self._form(kind, "demand"))

    def task(self, index: int, kind: Family, draft: Draft) -> Task:
        return Task(
            benchmark="quiz",
            index=index,
            family=kind,
            vocabulary=self.vocabulary,
            toolbox=NO_TOOLS,
            setting=QuizSetting(draft.setting),
            prompt=self.prompt(kind, draft),
            solution=draft.solution,
            wrong_answers=draft.wrong_answers,
            expected_answer=draft.solution.answer,
            answer_form=self._form(kind, "answer form"),
            system=self.vocabulary.phrase("system") or None,
            tools=(),
            slips=draft.slips,
        )

    def _form(self, kind: Family, what: str) -> str:
        """Return a phrase about the form of answers: the category's own, or that of all."""
        own = f"{what}: {kind.category}"
        return self.vocabulary.phrase(own if own in self.vocabulary.phrases else what)
