"""What ended a rollout. The order of the detectors is their precedence: the first that shows is the most telling."""

from collections.abc import Iterator

from blade.detect.reading import Reading
from blade.detect.signal import ENDING, Signal, detector


@detector(
    "output truncated",
    family="ending",
    role=ENDING,
    owner="harness",
    title="Output cut by the token limit",
    meaning="The response, or its last model call, stopped because the limit of output tokens was reached.",
    but="It does not say that the limit is too low: the model may have rambled.",
)
def output_truncated(reading: Reading) -> Iterator[Signal]:
    reason = reading.rollout.evidence.incomplete
    if reason and ("token" in reason or "length" in reason):
        yield Signal(None, reason, field="response.incomplete_details.reason")


@detector(
    "empty answer",
    family="ending",
    role=ENDING,
    title="Empty final answer",
    meaning="The last step is a message of the model without any text.",
    but="It does not say why: the model may have been cut off, or may have put its answer into a tool.",
)
def empty_answer(reading: Reading) -> Iterator[Signal]:
    last = reading.last
    if last < 0 or reading.answer:
        return
    form = reading.forms[last]
    if form.kind == "message" and form.actor == "model" and not reading.text(last).strip():
        yield Signal(last, "")
