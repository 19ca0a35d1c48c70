"""The verifier: the end state must be the expected one, and so must the answer, if one is asked."""

from examples.office.world import World, difference
from examples.theatre.answers import extract_answer, same_answer
from examples.theatre.tasks import Task, Verdict

MAX_DIFFERENCES = 8


def verify(task: Task, end: World, goal: World, last_message: str | None) -> Verdict:
    """Compare where a rollout ended with where the task was to end."""
    differences = difference(end, goal, task.vocabulary.key)
    expected = task.expected_answer
    extracted = extract_answer(last_message, task.answer_form)
    match = None if expected is None else same_answer(extracted, expected)
    reason = _state_reason(task, differences) or _answer_reason(task, match, extracted)
    return Verdict(
        reward=0.0 if reason else 1.0,
        fields={
            "state_match": not differences,
            "answer_match": match,
            "state_diff": differences[:MAX_DIFFERENCES],
            "extracted_answer": extracted,
            "end_state_hash": end.fingerprint(),
            "failure_reason": reason,
            **({"miss": _kind_of_miss(differences, match)} if "miss" in task.vocabulary.fields else {}),
        },
        text=reason,
    )


def rejected(task: Task, verdict: Verdict) -> Verdict:
    """Return the verdict with the answer not accepted."""
    reason = task.vocabulary.phrase("verifier: not accepted", answer=repr(verdict.fields["extracted_answer"]))
    miss = {"miss": "answer"} if "miss" in verdict.fields else {}
    fields = {**verdict.fields, "answer_match": False, "failure_reason": reason, **miss}
    return Verdict(reward=0.0, fields=fields, text=reason)


def _state_reason(task: Task, differences: list[str]) -> str | None:
    if not differences:
        return None
    more = f" (and {len(differences) - 1} more)" if len(differences) > 1 else ""
    return task.vocabulary.phrase("verifier: state", difference=differences[0], more=more)


def _answer_reason(task: Task, match: bool | None, given: str | None) -> str | None:
    if match in (None, True):
        return None
    if given is None:
        return task.vocabulary.phrase("verifier: no answer")
    return task.vocabulary.phrase("verifier: wrong answer", given=repr(given), expected=repr(task.expected_answer))


def _kind_of_miss(differences: list[str], match: bool | None) -> str:
    """Return a word for what is wrong first, as verifiers with a field for it write one."""
    if not differences:
        return "none" if match in (None, True) else "answer"
    return "absent" if "found none" in differences[0] or "still there" in differences[0] else "mismatch"
