"""The same tale by another hand: other words, another order, other headings. Nothing here looks at a golden report."""

import re
from collections.abc import Iterator

from bench.scoring.tale import DiveTale, FlipTale, ModeTale, Tale

ONES = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
BLAME = {
    "KG": "a gap in what the model knows (KG)",
    "UK": "shaky knowledge, UK",
    "BI": "behaviour, so BI",
    "TI": "the task or its verifier (TI)",
    "IR": "infrastructure (IR)",
    "DA": "an artefact of the data (DA)",
    "unknown": "a cause I could not make out",
}


def spelled(number: int) -> str:
    return ONES[number] if number < len(ONES) else str(number)


def full(tale: Tale) -> str:
    """Everything, in full sentences."""
    first, second = tale.baseline, tale.candidate
    lines = [
        f"# Reading the {tale.benchmark} runs",
        "",
        f"I compared {first.name} ({first.model}) and {second.name} ({second.model}). Of {first.rollouts} tries the "
        f"former gets {first.passed} right, which makes {100 * first.pass_at_1:.0f}%; the latter manages "
        f"{second.passed} out of {second.rollouts}, or {100 * second.pass_at_1:.0f}%.",
        "",
        "## The kinds of trouble",
        "",
        *(f"{_trouble(mode, number)}\n" for number, mode in enumerate(tale.modes)),
        "## Cases",
        "",
        *(f"{_case(dive, number)}\n" for number, dive in enumerate(tale.dives)),
        "## From one run to the next",
        "",
        " ".join(_moved(flip, tale, number) for number, flip in enumerate(tale.flips)),
        "",
    ]
    return "\n".join(lines)


def _trouble(mode: ModeTale, number: int) -> str:
    share = f"{mode.rollouts} of {mode.failing}"
    where = f"They come from {spelled(mode.tasks)} different tasks."
    told = (
        f"Among the attempts that {mode.run} loses, {share} fall under “{mode.title}”, which I put down to "
        f"{BLAME[mode.cause]}. {where}",
        f"{mode.title}: this is what {share} failed attempts of {mode.run} have in common ({BLAME[mode.cause]}). "
        f"{where}",
        f"In {mode.run}, “{mode.title}” explains {share} failures, over {spelled(mode.tasks)} tasks. I blame "
        f"{BLAME[mode.cause]}.",
    )[number % 3]
    return f"{told} The other run has {mode.elsewhere} rollouts of that sort, against {mode.rollouts} here."


def _case(dive: DiveTale, number: int) -> str:
    reason = (
        f" The grader turns that down: “{dive.reason}”.",
        f" What the checker holds against it is “{dive.reason}”.",
        f" It got no credit, since “{dive.reason}”.",
    )[number % 3] * bool(dive.reason)
    return (
        f"Task {dive.task} ({dive.run}) works in {spelled(dive.passed)} of {spelled(dive.measured)} tries. Attempt "
        f"{dive.rollout} ends on the words “{dive.quote}”.{reason} I would file it under {BLAME[dive.cause]}.",
        f"With task {dive.task}, {dive.run} fails {dive.measured - dive.passed} out of {dive.measured} times. Look at "
        f"repeat {dive.rollout}, which finishes by saying “{dive.quote}”.{reason} The reason is {BLAME[dive.cause]}.",
        f"- {dive.run} on task {dive.task}: {dive.passed} of {dive.measured} succeed. The one numbered rollout "
        f"{dive.rollout} says “{dive.quote}” at the end.{reason} To me this is {BLAME[dive.cause]}.",
    )[number % 3]


def _moved(flip: FlipTale, tale: Tale, number: int) -> str:
    (a, n), (b, m) = flip.first, flip.second
    first, second = tale.baseline.name, tale.candidate.name
    return (
        f"Task {flip.task} moves from {a} of {n} ({first}) to {b} of {m} ({second}).",
        f"For task {flip.task} it is {a}/{n} with {first} but {b}/{m} with {second}.",
        f"{first} solves task {flip.task} in {a} of {n} attempts, {second} in {b} of {m}.",
    )[number % 3]


def terse(tale: Tale) -> str:
    """Everything in notes."""
    first, second = tale.baseline, tale.candidate
    return "\n".join(
        [
            f"{first.name} {first.passed}/{first.rollouts}, {second.name} {second.passed}/{second.rollouts}",
            "",
            *(
                f"- {mode.run}: {mode.title}, {mode.cause}, {mode.rollouts}/{mode.failing} failures, "
                f"{mode.tasks} tasks (other run {mode.elsewhere})"
                for mode in tale.modes
            ),
            *(
                f"- task {dive.task} {dive.run} {dive.passed}/{dive.measured}, {dive.cause}; rollout {dive.rollout}: "
                f"“{dive.quote}”" + (f" -> “{dive.reason}”" if dive.reason else "")
                for dive in tale.dives
            ),
            *(
                f"- task {flip.task}: {first.name} {flip.first[0]}/{flip.first[1]}, {second.name} "
                f"{flip.second[0]}/{flip.second[1]}"
                for flip in tale.flips
            ),
            "",
        ]
    )


def vague(tale: Tale) -> str:
    """Words that fit every benchmark."""
    return "\n".join(_vague(tale))


def _vague(tale: Tale) -> Iterator[str]:
    yield f"# {tale.benchmark}: an analysis"
    yield "\n## Executive Summary\n"
    yield (
        f"{tale.candidate.name} and {tale.baseline.name} differ in quality. Some tasks pass always, others sometimes, "
        "and a few never. Failures come from behaviour, knowledge and, at times, infrastructure."
    )
    for section in ("Dominant Failure Modes", "Sometimes-Pass Deep Dives", "Never-Pass Deep Dives", "Recommendations"):
        yield f"\n## {section}\n"
        yield "The model sometimes gives a wrong answer or stops early."
        yield "Better prompts and tool descriptions would help."


def with_runs_exchanged(text: str, one: str, other: str) -> str:
    """A report with everything that it tells of one run told of the other."""
    return other.join(part.replace(other, one) for part in text.split(one))


def with_tasks_exchanged(text: str) -> str:
    """A report whose tasks have each other's ids."""
    ids = sorted(set(re.findall(r"[Tt]ask (\d+)", text)))
    moved = dict(zip(ids, [*ids[1:], *ids[:1]], strict=True))
    return re.sub(r"([Tt]ask) (\d+)", lambda match: f"{match[1]} {moved.get(match[2], match[2])}", text)


def with_other_digits(text: str) -> str:
    """A report in which every digit is another one."""
    return re.sub(r"\d", lambda match: str((int(match[0]) + 3 + match.start() % 5) % 10), text)
