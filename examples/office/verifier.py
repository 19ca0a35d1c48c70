"""The verifier: the end state must be the expected one, and so must the answer, if one is asked."""

import re
from dataclasses import dataclass

from examples.office.tasks import Task
from examples.office.world import World, difference

_ANSWER = re.compile(r"^Answer:[ \t]*(\S.*)$", re.MULTILINE)
MAX_DIFFERENCES = 8


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the verifier found. `answer_match` is None where no answer is asked."""

    state_match: bool
    answer_match: bool | None
    state_diff: list[str]
    extracted_answer: str | None
    end_state_hash: str
    failure_reason: str | None

    @property
    def reward(self) -> float:
        """Return 1.0 for a pass and 0.0 for anything else."""
        return 0.0 if self.failure_reason else 1.0


def verify(task: Task, end: World, last_message: str | None) -> Verdict:
    """Compare where a rollout ended with where the task was to end."""
    differences = difference(end, task.goal)
    expected = task.expected_answer
    extracted = extract_answer(last_message)
    match = None if expected is None else same_answer(extracted, expected)
    reason = _state_reason(differences) or _answer_reason(match, extracted, expected)
    return Verdict(
        state_match=not differences,
        answer_match=match,
        state_diff=differences[:MAX_DIFFERENCES],
        extracted_answer=extracted,
        end_state_hash=end.fingerprint(),
        failure_reason=reason,
    )


def extract_answer(message: str | None) -> str | None:
    """Return what stands on the last line that begins with 'Answer:', or None."""
    found = _ANSWER.findall(message or "")
    return found[-1].strip() if found else None


def same_answer(given: str | None, expected: str) -> bool:
    """Tell whether two answers agree, whatever their case and outer punctuation."""
    return given is not None and _normal(given) == _normal(expected)


def _normal(answer: str) -> str:
    return " ".join(answer.strip(" .'\"").casefold().split())


def _state_reason(differences: list[str]) -> str | None:
    if not differences:
        return None
    more = f" (and {len(differences) - 1} more)" if len(differences) > 1 else ""
    return f"the end state differs: {differences[0]}{more}"


def _answer_reason(match: bool | None, given: str | None, expected: str | None) -> str | None:
    if match in (None, True):
        return None
    if given is None:
        return "no answer was given"
    return f"the answer is {given!r}, expected {expected!r}"
