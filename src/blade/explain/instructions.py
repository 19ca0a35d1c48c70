"""What a person would do about a failure mode, as an instruction; made from what the mode's rollouts hold.

A mode is matched by its key, the most particular pattern first, else by its owner. Modes with the same instruction are
mended together.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np

from blade.explain.cases import Cases
from blade.explain.mode import Mode
from blade.measure.panel import Numbers
from blade.numbers import counted

Write = Callable[[Cases, Numbers], str]
"""What makes the instruction of the rollouts that it concerns."""


class Instruction(NamedTuple):
    """Something to do."""

    key: str
    """Modes of one key are mended together."""
    write: Write
    done: str
    """How its doing begins a sentence about the rerun."""

    def title(self, cases: Cases, modes: Sequence[Mode], decided: Numbers) -> str:
        """The instruction with what it is about: how many rollouts of how many tasks fail by it."""
        tasks = len(np.unique(cases.task[decided]))
        concerned = f"{counted(len(decided), 'rollout')} of {counted(tasks, 'task')}"
        return f"{self.write(cases, decided)}: {concerned} {_fate(modes)}"


def _fate(modes: Sequence[Mode]) -> str:
    """What became of rollouts, from the titles of their modes."""
    titles = [mode.title[:1].lower() + mode.title[1:] for mode in modes[:2]]
    more = f" and {len(modes) - 2} more" if len(modes) > 2 else ""
    return f"({'; '.join(titles)}{more})"


_CONTRAST: Final = r"(?:not as expected|unlike passes): "


_LIMITS: Final = (
    "SELECT file, row, max_output_tokens::BIGINT AS limited FROM rollouts WHERE max_output_tokens IS NOT NULL"
)
_TOOLS: Final = """
SELECT file, row, detail, signal FROM signals
WHERE standing IN ('row', 'failed') AND signal IN ('unknown tool', 'tool error', 'arguments break schema', 'arguments not JSON')
"""


def _raise_the_output_limit(cases: Cases, decided: Numbers) -> str:
    case, found = cases.rows(_LIMITS)
    concerned = np.isin(case, decided)
    limits = Counter(found["limited"][concerned].tolist())
    if not limits:
        return "Raise the output limit, or make the model shorter"
    limit = limits.most_common(1)[0][0]
    runs = cases.run[case]
    elsewhere = np.flatnonzero(~np.isin(runs, runs[concerned]) & (found["limited"] > limit))
    had = f" ({cases.runs[runs[elsewhere[0]]]} had {found['limited'][elsewhere[0]]:,})" if len(elsewhere) else ""
    return f"Raise the output limit above {limit:,} tokens{had}, or make the model shorter"


def _said(text: str) -> Write:
    return lambda _cases, _decided: text


def _of_tools(signal: str, text: str) -> Write:
    """An instruction with the tools that most of the rollouts name."""

    def write(cases: Cases, decided: Numbers) -> str:
        case, found = cases.rows(_TOOLS)
        own = np.isin(case, decided) & (found["signal"] == signal)
        names = Counter(
            str(detail).partition(":")[0].split(" ")[0] for detail in found["detail"][own].tolist() if detail
        )
        named = ", ".join(name for name, _ in names.most_common(3))
        return text.format(f" ({named})" if named else "")

    return write


_BY_KEY: Final[tuple[tuple[str, Instruction], ...]] = tuple(
    (pattern, Instruction(key, write, done))
    for pattern, key, write, done in (
        (r"output truncated", "output limit", _raise_the_output_limit, "Raise the limit"),
        (r"context overflow", "context", _said("Keep conversations inside the context: cut tool outputs, compact, or use a longer context"), "Make room"),
        (r"agent time-out", "time limit", _said("Give the agent more time, or fewer and faster steps"), "Change the time limit"),
        (r"turn limit", "turn limit", _said("Raise the turn limit, or stop loops before it"), "Change the turn limit"),
        (r"verifier time-out", "verifier time", _said("Give the verifier more time, or make its checks faster"), "Change the verifier's time limit"),
        (r"content filter", "content filter", _said("Look at what the content filter stops, and let harmless tasks through"), "Change the filter"),
        (r"stopped from outside", "harness stop", _said("Find out why the harness stops these rollouts"), "Mend the harness"),
        (r"call without output", "unanswered calls", _said("Make the harness answer every call"), "Mend the harness"),
        (r"not measured: missing", "missing rows", _said("Run the rollouts that are owed and not there"), "Run them"),
        (r"not measured: (?:verifier|failed attempt: (?:gold|judge|grading) trouble)|verifier error", "judge", _said("Mend the judge or the verifier and judge these rollouts again"), "Mend it"),
        (r"not measured: (?:infrastructure|failed attempt)|tool error from infrastructure|container time-out|cancelled", "infrastructure", _said("Mend the infrastructure and run these rollouts again"), "Mend it"),
        (r"not measured: masked", "masked", _said("Find out why the run masked these rollouts, and run them again"), "Mend the reason"),
        (r"not measured", "unmeasured", _said("Find out why these rollouts have no verdict, and run them again"), "Mend the reason"),
        (_CONTRAST + r"(?:date|time)", "dates", _said("Have the model check dates and times against those it was given; say the present day in the prompt"), "Change the prompt or the model"),
        (_CONTRAST + r"(?:scale|number|unit)", "amounts", _said("Say in the tools' schemas which unit, currency and sign is meant, and have the model check amounts"), "Change the tools or the model"),
        (_CONTRAST + r"(?:entity|choice|.*: (?:another (?:choice|name|id|link)|\S+ instead of|the same (?:file|name)))", "look-ups", _said("Have the model look names, addresses and ids up before it uses them"), "Change the prompt or the model"),
        (_CONTRAST + r"(?:renamed|missing|added)", "keys", _said("Make the tools' arguments plain: names that say what is meant, and errors for those that are unknown or missing"), "Change the tools"),
        (_CONTRAST + r"(?:text|members|order|type|form|other arguments|.*: (?:another (?:text|value)|partly other|shortened|with more|other members|a value of))", "values", _said("Have the model check what it passes to tools against the request"), "Change the prompt or the model"),
        (_CONTRAST + r".*stopped before", "early end", _said("Make the model do all that is asked before it ends; have the harness ask whether something is left"), "Change the prompt or the harness"),
        (_CONTRAST + r".*left out", "steps left out", _said("Make the model take the steps that passes take"), "Change the prompt or the model"),
        (_CONTRAST + r".*(?:a call too many|do not have)", "steps too many", _said("Keep the model from doing what nobody asked for"), "Change the prompt or the model"),
        (_CONTRAST + r".*instead of|" + _CONTRAST + r"another tool", "other tools", _said("Tell the tools apart: descriptions that say when each is meant"), "Change the tools"),
        (r"judged differently|expected answer rejected", "verdicts", _said("Make the verifier judge equals alike"), "Mend the verifier"),
        (r"verifier too strict|expected answer in another form", "strictness", _said("Let the verifier accept right answers in other writings"), "Mend the verifier"),
        (r"expectation suspected", "expectations", _said("Have a person check these expected answers, and correct the wrong ones"), "Correct them"),
        (r"unknown tool", "unknown tools", _of_tools("unknown tool", "Offer the tools that models look for{}, or name the offered ones so that they are found"), "Change the list of tools"),
        (r"arguments (?:break schema|not JSON)", "arguments", _of_tools("arguments break schema", "Make calls keep to the tools' schemas{}: clearer descriptions, strict decoding, errors that say what is wanted"), "Change the tools or the decoding"),
        (r"format missed|nothing extracted|answers differ|\S+ = .*\b(?:no \w+ found|not? (?:\w+ )?(?:parsed|extracted|found)|unpars|extract|format)", "answer form", _said("Make the model answer in the form that is extracted: say it last in the prompt, or have the harness ask again"), "Change the prompt"),
        (r"refusal|gave up", "refusals", _said("Find out what the model declines, and tell it that the task is allowed and can be done"), "Change the prompt"),
        (r"empty answer|no answer", "no answer", _said("Have the harness ask for the final answer where there is none"), "Change the harness"),
        (r"early stop", "early stop", _said("Tell the model to finish without asking, or have the harness answer that it should go on"), "Change the prompt or the harness"),
        (r"call repeated|calls alternate", "loops", _said("Stop loops: tell the model when a call repeats, and end it there"), "Change the harness"),
        (r"error not recovered", "recovery", _said("Make the model go on after an error: errors that say what to do, and a harness that asks for another try"), "Change the tools or the harness"),
        (r"self-check failed|success claimed|edits never checked", "own checks", _said("Have the model run its tests to the end and go on while they fail"), "Change the prompt or the harness"),
        (r"no tool used", "no tool", _said("Make the model use the tools that it has"), "Change the prompt"),
        (r"user ", "simulated user", _said("Mend the simulated user"), "Mend it"),
        (r"wrong answer, never right", "gaps", _said("Teach the model what it does not know, or give it the means to look it up"), "Train it"),
        (r"wrong answer, varies", "unreliable answers", _said("Make answers reliable: more reasoning, a vote over several, or a check before answering"), "Change how it answers"),
    )
)  # fmt: skip
"""Pattern of a mode's key, the key of the instruction, its text, and how its doing is told."""

_BY_OWNER: Final = {
    "model": ("Train or prompt the model out of it", "Change the model or the prompt"),
    "prompt": ("Say in the prompt what is wanted", "Change the prompt"),
    "harness": ("Change the harness so that this cannot happen", "Change the harness"),
    "tools": ("Mend the tools, or how they are described", "Mend the tools"),
    "verifier": ("Mend the verifier", "Mend the verifier"),
    "infrastructure": ("Mend the infrastructure and run these rollouts again", "Mend it"),
    "data": ("Mend the data of these tasks", "Mend the data"),
}


def instruction_for(mode: Mode) -> Instruction:
    """What one would do about a mode."""
    for pattern, instruction in _BY_KEY:
        if re.match(pattern, mode.key):
            return instruction
    text, done = _BY_OWNER[mode.owner]
    return Instruction(mode.key, _said(text), done)
