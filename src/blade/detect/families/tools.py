"""How tools were called, and what became of it."""

from collections.abc import Iterator

from blade.detect.reading import Reading
from blade.detect.signal import BEHAVIOUR, Signal, detector


@detector(
    "tool error",
    family="tools",
    role=BEHAVIOUR,
    title="A tool answered with an error",
    meaning="The answer of a tool is an error: it says that the call did not do what it was made for.",
    but="It does not say that the error mattered, nor whose doing it was: models try things out and mend their calls.",
)
def tool_error(reading: Reading) -> Iterator[Signal]:
    for action in reading.errors:
        if action.error and action.result_step is not None:
            yield Signal(action.result_step, action.error.quote, f"{action.tool}: {action.error.kind}")
