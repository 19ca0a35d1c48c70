"""The companions of a golden report: its metrics sidecar, its anchor facts, its shallow control."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from blade.check.anchors.fact import DIFFICULTIES, AnchorFact, parse
from blade.check.anchors.from_text import MOST_GUESSABLE
from blade.check.anchors.guessing import guesser
from blade.check.claims.claim import CONTRADICTED, SUPPORTED
from blade.check.claims.sidecars import check_metrics
from blade.check.passages import ROW, read
from blade.check.scoring.matching import Wanted
from blade.check.scoring.rarity import Rarity
from blade.check.scoring.score import MET
from blade.check.scoring.shelf import Shelf
from blade.check.scoring.statements import Statement, statements
from blade.check.text.names import key_of
from blade.check.text.said import Said
from blade.errors import InputError
from blade.package.findings import FAIL, GOLDEN, PASS, SKIP, Finding, check
from blade.package.layout import Golden as Paths
from blade.package.rows import listed
from blade.package.subject import Subject

_RATES: Final = ("pass_at_1", "pass@1", "pass_rate", "accuracy", "success_rate", "mean_reward", "average_reward")
_COUNTS: Final = ("total_tasks", "num_tasks", "total_rollouts", "num_rollouts")
_NUMERAL: Final = re.compile(r"\d{1,9}(?:[.,]\d{1,9}){0,3}")
_PLACEHOLDER: Final = re.compile(r"(?i)\b(?:TODO|TBD|lorem ipsum|placeholder|fill in|fact \d+ here)\b|^<[^<>]{1,60}>$")


def _found(problem: str, name: str, told: str, fix: str, file: str) -> Finding:
    return Finding(FAIL if problem else PASS, GOLDEN, name, problem or told, fix if problem else "", file)


@check(GOLDEN, 40)
def metrics_sidecar(subject: Subject) -> Iterator[Finding]:
    """Every golden report has its numbers as data."""
    for golden in subject.layout.goldens:
        shown = subject.layout.shown(golden.metrics)
        value, trouble = subject.document(golden.metrics)
        if trouble:
            fix = "copy metrics/<run>.json that `blade report` writes, or write the report's numbers as a JSON object"
            yield Finding(FAIL, GOLDEN, "missing metrics sidecar", trouble, fix, shown)
            continue
        yield _states_numbers(value, shown)
        if isinstance(value, dict):
            yield from _matches(subject, golden, value, shown)
            yield _recomputed(subject, golden, value, shown)


def _states_numbers(value: Any, shown: str) -> Finding:
    rate = _first(value, _RATES) if isinstance(value, dict) else None
    problem = "" if isinstance(value, dict) else "is no JSON object"
    problem = problem or ("" if rate else f"states no rate ({', '.join(_RATES[:4])}, …) as a number")
    fix = 'the shape is {"model_name", "benchmark", "pass_at_1", "total_tasks", "total_rollouts", …}'
    return _found(problem, "metrics sidecar well-formed", f"{rate[0]} {rate[1]:g}" if rate else "", fix, shown)


def _first(values: Mapping[str, Any], names: tuple[str, ...]) -> tuple[str, float] | None:
    for name in names:
        value = values.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < float("inf"):
            return name, value
    return None


def _matches(subject: Subject, golden: Paths, value: Mapping[str, Any], shown: str) -> Iterator[Finding]:
    """The report tells the numbers of its sidecar."""
    source = subject.text(golden.report).text
    stated = [found for names in (_RATES, _COUNTS[:2], _COUNTS[2:]) if (found := _first(value, names))]
    if not source or not stated:
        return
    numerals = {numeral.replace(",", "").rstrip(".") for numeral in _NUMERAL.findall(source)}
    absent = [f"{name} {number:g}" for name, number in stated if not _spellings(number) & numerals]
    problem = f"the report does not tell {listed(absent)}" if absent else ""
    fix = "make both from the same run, and give the report the sidecar's numbers"
    told = ", ".join(f"{name} {number:g}" for name, number in stated)
    yield _found(problem, "metrics sidecar matches the report", told, fix, shown)


def _spellings(number: float) -> set[str]:
    """How a report may write a number: as it is, rounded, as a percentage."""
    whole = {f"{number:.0f}"} if float(number).is_integer() else set()
    shares = {f"{number:.{digits}f}" for digits in (2, 3, 4)} | {f"{100 * number:.{digits}f}" for digits in (0, 1, 2)}
    return whole | ({f"{number:g}"} | shares if number <= 1 else {f"{number:.{digits}f}" for digits in (0, 1, 2, 3)})


def _recomputed(subject: Subject, golden: Paths, value: Mapping[str, Any], shown: str) -> Finding:
    """The rollouts give the numbers of the sidecar."""
    name = "metrics sidecar recomputed from the rollouts"
    truth = subject.truth
    if isinstance(truth, str):
        return Finding(SKIP, GOLDEN, name, truth, file=shown)
    run = truth.aliases.get(key_of(golden.model))
    told = dict(value) if not run or any(value.get(key) for key in ("run", "model_name")) else {**value, "run": run}
    try:
        judged = check_metrics(json.dumps(told, default=str), truth)
    except InputError as error:
        return Finding(FAIL, GOLDEN, name, error.text, "write a JSON object of names and numbers", shown)
    false = [f"{one.claim.text}, true is {one.true}" for one in judged if one.verdict == CONTRADICTED]
    held = sum(one.verdict == SUPPORTED for one in judged)
    problem = listed(false)
    if not held and not false:
        problem = f"nothing in it can be recomputed: {judged[0].why if judged else 'it has no numbers'}"
    fix = "take the numbers from `blade metrics --json`, and name the run or model they are of in `run` or `model_name`"
    return _found(problem, name, f"{held} numbers agree", fix, shown)


@check(GOLDEN, 50)
def anchor_facts(subject: Subject) -> Iterator[Finding]:
    """Every golden report has facts that a good report must hold."""
    for golden in subject.layout.goldens:
        shown = subject.layout.shown(golden.anchors)
        text, trouble = subject.text(golden.anchors)
        if trouble:
            fix = "draft them: `blade extract-anchor-facts --golden REPORT --output FILE`, then review each"
            yield Finding(FAIL, GOLDEN, "missing anchor facts", trouble, fix, shown)
            continue
        try:
            facts = parse(text)
        except InputError as error:
            fix = 'the shape is {"anchor_facts": [{"id": "B1", "fact": "…", "difficulty": "high", "mean_score": 0.5}]}'
            yield Finding(FAIL, GOLDEN, "anchor facts well-formed", error.text, fix, shown)
            continue
        yield from _of_facts(subject, golden, facts, shown)


def _of_facts(subject: Subject, golden: Paths, facts: list[AnchorFact], shown: str) -> Iterator[Finding]:
    fix = "give every fact an id of its own, a difficulty (high, medium, low), and a text that says something"
    yield _found(_malformed(facts), "anchor facts well-formed", f"{len(facts)} facts", fix, shown)
    least = subject.least_facts
    few = f"{len(facts)}, and {least} are wanted" if len(facts) < least else ""
    yield _found(few, f"at least {least} anchor facts", str(len(facts)), "draft more and review them", shown)
    vague = [fact.id for fact in facts if not _is_concrete(fact)]
    fix = "name the task, the rollout, the tool or the error, with its number"
    problem = f"names neither a task, a tool, an error nor a number: {listed(vague)}" if vague else ""
    yield _found(problem, "anchor facts concrete", "each names what it speaks of", fix, shown)
    source = subject.text(golden.report).text
    if source and facts:
        known = statements(read(source))
        yield _held(known, facts, shown)
        yield _guessable(source, known, facts, shown)
    yield _true(subject, golden, facts, shown)


def _malformed(facts: list[AnchorFact]) -> str:
    ids = [fact.id for fact in facts]
    twice = sorted({one for one in ids if ids.count(one) > 1})
    other = [fact.id for fact in facts if fact.difficulty not in DIFFICULTIES]
    hollow = [fact.id for fact in facts if _PLACEHOLDER.search(fact.fact) or len(fact.fact.split()) < 4]
    problems = [
        f"ids that stand twice: {listed(twice)}" if twice else "",
        f"difficulty is none of {', '.join(DIFFICULTIES)}: {listed(other)}" if other else "",
        f"no fact at all: {listed(hollow)}" if hollow else "",
    ]
    return "; ".join(filter(None, problems))


def _is_concrete(fact: AnchorFact) -> bool:
    said = Said.of(fact.fact)
    return bool(said.names or said.figures)


def _held(known: list[Statement], facts: list[AnchorFact], shown: str) -> Finding:
    """The golden report itself holds every fact."""
    shelf, rarity = Shelf(known), Rarity(known)
    absent = [fact.id for fact in facts if shelf.best(Wanted(Said.of(fact.fact), rarity)).credit < MET]
    problem = f"the report does not say {listed(absent, 6)}" if absent else ""
    fix = "anchor facts come from the golden report: write them as it says them, or say them in the report"
    return _found(problem, "anchor facts stand in the report", f"all {len(facts)}", fix, shown)


def _guessable(source: str, known: list[Statement], facts: list[AnchorFact], shown: str) -> Finding:
    """No fact follows from the tables of aggregates alone."""
    guess = guesser(source, known)
    easy = [fact.id for fact in facts if guess(fact.fact) >= MOST_GUESSABLE]
    problem = f"the tables of aggregates give away {listed(easy, 6)}" if easy else ""
    fix = "replace them by what only who has read rollouts knows: which task, which step, which words"
    return _found(problem, "anchor facts cannot be guessed", f"none of {len(facts)} stands in the tables", fix, shown)


def _true(subject: Subject, golden: Paths, facts: list[AnchorFact], shown: str) -> Finding:
    """The rollouts contradict no fact."""
    name, held = "anchor facts hold against the rollouts", subject.held([fact.fact for fact in facts], golden.model)
    if isinstance(held, str):
        return Finding(SKIP, GOLDEN, name, held, file=shown)
    checked = list(zip(facts, held, strict=True))
    false = [
        f"{fact.id}: {found.contradictions[0].claim.value}, true is {found.contradictions[0].true}"
        for fact, found in checked
        if found.contradictions
    ]
    supported = sum(bool(found.counts[SUPPORTED]) for found in held)
    told = f"{supported} of {len(facts)} supported, none contradicted"
    return _found(listed(false), name, told, "correct the facts, and the report where it says the same", shown)


@check(GOLDEN, 60)
def shallow_control(subject: Subject) -> Iterator[Finding]:
    """Every golden report has its negative control, and that is shallow."""
    for golden in subject.layout.goldens:
        shown = subject.layout.shown(golden.shallow)
        text, trouble = subject.text(golden.shallow)
        fix = "make it: `blade make-shallow --input REPORT --output FILE`"
        if trouble:
            yield Finding(FAIL, GOLDEN, "missing shallow report", trouble, fix, shown)
            continue
        report = read(text)
        other = [passage for passage in report.passages if passage.kind != ROW]
        line = f"line {other[0].line} is no row of a table" if other else ""
        problem = line and f"{line}: a shallow report has headings and tables only"
        told = f"{len(report.headings)} headings, {len(report.passages)} rows"
        yield _found(problem, "shallow report is shallow", told, fix, shown)
