"""Prompts that give their answer away.

An answer in its prompt is no leak by itself: options are listed there, and texts that are asked about. It is one where
words announce it as the answer, or where the same words stand before the answer in several prompts, though not in most.
Either way those words must not stand before anything else: where other prompts of the benchmark have another text at
the same place, it is no answer that stands there.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np

from blade import numbers
from blade.explain.cases import Cases
from blade.explain.compared import expected_of
from blade.explain.health.registry import Subject, check, tasks
from blade.explain.prompts import Prompt, prompts_of
from blade.explain.records import Finding, Quote

MOST_READ: Final = 5_000
"""Tasks whose prompts are read."""

LONGEST: Final = 200
"""Characters of an answer that is looked for."""

MOST_PLACES: Final = 20
MOST_LEADS: Final = 200

RECURS: Final = 3
BY_DESIGN: Final = 0.6
"""Share of prompts with the same words before their answer, from which on that is how the tasks are made."""

OWN: Final = 0.8
"""Share of the prompts with some words, in which their own answer follows them, for these words to give it away."""

CHANCE: Final = 0.05
"""How likely other answers may be to stand at the same places, by how often each is expected."""

TELLING: Final = 4
"""Letters and digits of an answer that stands nowhere by chance."""

_LEAD: Final = 16
_ANNOUNCED: Final = re.compile(
    r"(?:answer|solution|expected(?: \w{1,20})?|gold(?:en)?(?: \w{1,20})?|ground[ _-]truth|reference(?: \w{1,20})?|key"
    r"|(?:correct|right|true) (?:value|result|response|option|output))\b"
    r"[^.\n]{0,20}?(?:\bis|\bare|\bwas|:|=|->|→)\s{0,3}[\"'“‘`(\[*]{0,3}$",
    re.IGNORECASE,
)
"""What stands right before an answer that is given away."""

_OPTION: Final = re.compile(r"^[ \t>]{0,8}(?:[(\[]?[A-Za-z0-9]{1,2}[)\].:]|[-*•])[ \t]", re.MULTILINE)
_FEWEST_OPTIONS: Final = 2
_LABEL: Final = re.compile(r"(?:^|\s)[(\[]?[A-Za-z0-9][)\].:](?=\s)")
_BEHIND_LABEL: Final = re.compile(r"(?:^|\s)[(\[]?[A-Za-z0-9][)\].:][ \t]{1,4}[\"'“‘`*]{0,3}$")
"""Labels of options that stand in one line: (A) this (B) that."""

_CHOICE: Final = re.compile(r"\bor\b|,|/|\|", re.IGNORECASE)
_MOST_QUOTES: Final = 5


class _Found(NamedTuple):
    """A place at which an answer stands in its prompt."""

    prompt: Prompt
    lead: str
    """What stands right before it, numbers made alike."""
    announced: bool
    quote: str
    item: int
    """The message of the prompt that holds it."""
    telling: bool


@check("leak")
def leaks(subject: Subject) -> Iterator[Finding]:
    """Prompts that hold their expected answer as an answer."""
    cases = subject.cases
    expected = _expected_by_task(cases)
    if not expected:
        return
    prompts = list(prompts_of(cases, sorted(expected)[:MOST_READ]))
    leaking = _leaking(prompts, expected)
    if not leaking:
        return
    concerned = {one.prompt.task for one in leaking}
    shown = np.flatnonzero(np.isin(cases.task, sorted(concerned)))
    share = numbers.percent(len(leaking) / len(prompts))
    yield Finding(
        kind="leak",
        title=f"The prompt of {tasks(len(leaking))} holds the expected answer",
        why=f"{len(leaking):,} of {len(prompts):,} prompts that were read ({share}) give their own answer away, where"
        f" others have nothing in its place: “{leaking[0].quote}”.{_effect(cases, concerned)}",
        tasks=subject.task_names(concerned),
        refs=subject.refs(shown),
        quotes=[
            Quote(ref=f"{cases.ref(one.prompt.case)}#i{one.item}", text=one.quote) for one in leaking[:_MOST_QUOTES]
        ],
    )


def _expected_by_task(cases: Cases) -> dict[int, str]:
    """The expected answer of every task, where it is a text to look for."""
    expected = expected_of(cases)
    found = {task: value.strip() for task, value in zip(cases.task.tolist(), expected, strict=True) if value}
    return {task: value for task, value in found.items() if len(value) <= LONGEST and any(map(str.isalnum, value))}


def _leaking(prompts: list[Prompt], expected: dict[int, str]) -> list[_Found]:
    """Of each prompt that gives its answer away the place that does, in the order of the prompts."""
    places = [list(_places(prompt, expected[prompt.task])) for prompt in prompts]
    own: Counter[str] = Counter(lead for found in places for lead in {one.lead for one in found})
    announcing = {one.lead for found in places for one in found if one.announced}
    recurring = {lead for lead, count in own.items() if RECURS <= count <= BY_DESIGN * len(prompts)}
    leads = {lead for lead, _ in own.most_common() if lead in announcing or lead in recurring}
    leads = set(sorted(leads, key=lambda lead: (-own[lead], lead))[:MOST_LEADS])
    elsewhere = _elsewhere(prompts, places, leads)
    giving = {lead for lead in leads if own[lead] >= OWN * (own[lead] + elsewhere[lead])}
    giving &= _beyond_chance(places, expected, announcing, len(recurring))
    chosen = []
    for found in places:
        held = [one for one in found if one.lead in giving and (own[one.lead] >= RECURS or one.telling)]
        held.sort(key=lambda one: not one.announced)
        chosen += held[:1]
    return sorted(chosen, key=lambda one: one.prompt.case)


def _beyond_chance(places: list[list[_Found]], expected: dict[int, str], announcing: set[str], tried: int) -> set[str]:
    """Words before answers that would not stand before so many of them, were the answers dealt out anew.

    Words that announce an answer are one guess; others were chosen among all that recur.
    """
    answers = Counter(map(str.casefold, expected.values()))
    chance: dict[str, float] = defaultdict(lambda: 1.0)
    for found in places:
        for lead in {one.lead for one in found}:
            chance[lead] *= answers[expected[found[0].prompt.task].casefold()] / len(expected)
    return {lead for lead, each in chance.items() if each * (1 if lead in announcing else max(1, tried)) <= CHANCE}


def _places(prompt: Prompt, answer: str) -> Iterator[_Found]:
    """Where an answer stands in its prompt, other than as an option."""
    telling = sum(map(str.isalnum, answer)) >= TELLING
    for item, (_, text) in enumerate(prompt.messages):
        for start in _whole_words(text, answer):
            if _is_option(text, start, len(answer)):
                continue
            line = text[max(0, start - 80) : start].rpartition("\n")[2]
            lead = _alike(text[max(0, start - _LEAD) : start])
            quote = (line[-60:] + text[start : start + len(answer)]).strip()
            yield _Found(prompt, lead, bool(_ANNOUNCED.search(line)), quote, item, telling)


def _whole_words(text: str, answer: str) -> Iterator[int]:
    """Where a text holds an answer as a whole word."""
    lowered, wanted = text.casefold(), answer.casefold()
    if len(lowered) != len(text):
        lowered, wanted = text, answer
    start = lowered.find(wanted)
    for _ in range(MOST_PLACES):
        if start < 0:
            return
        end = start + len(wanted)
        if not (_joins(lowered[start - 1 : start], wanted[0]) or _joins(lowered[end : end + 1], wanted[-1])):
            yield start
        start = lowered.find(wanted, start + 1)


def _joins(beside: str, edge: str) -> bool:
    return beside.isalnum() and edge.isalnum()


def _is_option(text: str, start: int, size: int) -> bool:
    """Whether what stands here is one of several things to choose from."""
    begin, end = text.rfind("\n", 0, start) + 1, text.find("\n", start + size)
    if _ANNOUNCED.search(text[max(begin, start - 80) : start]):
        return False
    line = text[begin : end if end >= 0 else len(text)][:400]
    if _OPTION.match(line) and len(_OPTION.findall(text[max(0, start - 2_000) : start + 2_000])) >= _FEWEST_OPTIONS:
        return True
    if _is_labelled(text, start, size) and len(_LABEL.findall(text[max(0, start - 300) : start + 300])) > 1:
        return True
    beside = text[max(0, start - 6) : start] + text[start + size : start + size + 6]
    return bool(_CHOICE.search(beside.replace("\n", " ")))


def _is_labelled(text: str, start: int, size: int) -> bool:
    """Whether what stands here is the label of an option, or what follows one."""
    brackets = text[max(0, start - 1) : start] + text[start + size : start + size + 1]
    return brackets in ("()", "[]") or bool(_BEHIND_LABEL.search(text[max(0, start - 12) : start]))


def _alike(lead: str) -> str:
    return re.sub(r"\d", "0", lead.casefold())


def _elsewhere(prompts: list[Prompt], places: list[list[_Found]], leads: Iterable[str]) -> Counter[str]:
    """In how many prompts some words stand before anything but their own answer alone."""
    found: Counter[str] = Counter()
    for prompt, own in zip(prompts, places, strict=True):
        held: dict[str, int] = defaultdict(int)
        for one in own:
            held[one.lead] += 1
        text = "\n".join(_alike(text) for _, text in prompt.messages)
        for lead in leads:
            if lead in text and not held[lead]:
                found[lead] += 1
    return found


def _effect(cases: Cases, concerned: set[int]) -> str:
    """How tasks with a leak fare against the others."""
    leaked = np.isin(cases.task, sorted(concerned)) & cases.measured
    others = cases.measured & ~leaked
    if not leaked.any() or not others.any():
        return ""
    rates = [numbers.percent(float(cases.passed[chosen].mean())) for chosen in (leaked, others)]
    return f" Their rollouts pass at {rates[0]}, those of the other tasks at {rates[1]}."
