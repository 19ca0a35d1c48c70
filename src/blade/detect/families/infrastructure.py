"""Errors of the machinery that a tool's answer tells of."""

from collections.abc import Iterator

from blade.detect.reading import Reading
from blade.detect.signal import BEHAVIOUR, Signal, detector


@detector(
    "tool error from infrastructure",
    needs="errors",
    family="infrastructure",
    role=BEHAVIOUR,
    cause="IR",
    owner="infrastructure",
    title="A tool failed for want of its infrastructure",
    meaning="The answer of a tool is an error of the machinery that the policy could not have caused: a rate limit, a"
    " service that is down, a lost sandbox. The detail says whether the tool worked again later.",
    but="It does not say that the rollout was lost: where the tool worked again, the model may have gone on unharmed.",
)
def tool_error_from_infrastructure(reading: Reading) -> Iterator[Signal]:
    failed = [action for action in reading.errors if action.error and action.error.infrastructure]
    if not failed:
        return
    worked = {action.tool: action.step for action in reading.actions if action.is_answered and not action.error}
    for action in failed:
        if action.error and action.result_step is not None:
            again = "worked again" if worked.get(action.tool, -1) > action.step else "not again"
            yield Signal(
                action.result_step, reading.error_quote(action), f"{action.tool}, {again}: {action.error.kind}"
            )
