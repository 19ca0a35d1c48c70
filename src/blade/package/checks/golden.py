"""D3: golden reports with every section, evidence of single tasks, and nothing that the rollouts contradict."""

from collections.abc import Iterator
from typing import Final

from blade.check.claims.claim import SUPPORTED
from blade.check.passages import read
from blade.check.text.names import REFERENCE, TASK, key_of
from blade.check.text.said import Said
from blade.package.findings import FAIL, GOLDEN, PASS, SKIP, Finding, check
from blade.package.rows import listed
from blade.package.sections import OF_A_REPORT, Section, lacking, matching, sections_of
from blade.package.subject import Subject

FEWEST_TASKS: Final = 3
"""Tasks that a report must name, or all where there are fewer."""


@check(GOLDEN, 10)
def present(subject: Subject) -> Iterator[Finding]:
    """There is a golden report that can be read."""
    fix = "write golden_reports/<model>_golden_report.md from the rollouts; `blade report` makes a first one"
    if not subject.layout.goldens:
        yield Finding(FAIL, GOLDEN, "golden report missing", "golden_reports/ holds no <model>_golden_report.md", fix)
    for path in [*(golden.report for golden in subject.layout.goldens), *subject.layout.comparisons]:
        trouble, shown = subject.text(path).trouble, subject.layout.shown(path)
        yield Finding(FAIL if trouble else PASS, GOLDEN, "golden report readable", trouble, fix * bool(trouble), shown)


@check(GOLDEN, 20)
def sections(subject: Subject) -> Iterator[Finding]:
    """Every section of a report is there and says something."""
    for golden in subject.readable_goldens:
        there = sections_of(subject.text(golden.report).text)
        missing = [wanted for wanted in OF_A_REPORT if matching(wanted, there) is None]
        told = [wanted.name for wanted in missing]
        for wanted in OF_A_REPORT:
            section = matching(wanted, there)
            if section and (problem := _lacking(section)):
                told.append(f"{wanted.name} {problem}")
        detail = f"missing or hollow: {listed(told, 9)}" if told else f"all {len(OF_A_REPORT)}"
        fix = "; ".join(f"{wanted.name}: {wanted.says}" for wanted in missing[:3]) or "write what the sections promise"
        yield Finding(
            FAIL if told else PASS,
            GOLDEN,
            "golden report sections",
            detail,
            fix if told else "",
            subject.layout.shown(golden.report),
        )


def _lacking(section: Section) -> str:
    """What a section lacks; few words are enough where there is little to say."""
    problem = lacking(section)
    return "" if problem.startswith("has ") else problem


@check(GOLDEN, 30)
def task_evidence(subject: Subject) -> Iterator[Finding]:
    """A report names tasks, and the rollouts have them."""
    name = "task-level evidence"
    known = frozenset(key_of(alias) for each in subject.rows.values() for alias in each.aliases)
    for golden in subject.readable_goldens:
        shown = subject.layout.shown(golden.report)
        cited = _cited(subject.text(golden.report).text, known)
        real = cited & known if known else cited
        wanted = min(FEWEST_TASKS, len(subject.tasks) or FEWEST_TASKS)
        told = f"names {len(real)} tasks of the rollouts" if known else f"names {len(real)} tasks"
        if cited - real and not real:
            told = f"names {listed(sorted(cited))}, and the rollouts have no such task"
        fix = "name the tasks that show each point, with refs such as `run:task/rollout#step`"
        holds = len(real) >= wanted
        yield Finding(PASS if holds else FAIL, GOLDEN, name, told, "" if holds else fix, shown)


def _cited(source: str, known: frozenset[str]) -> frozenset[str]:
    """The tasks that a report names, under one spelling."""
    found: set[str] = set()
    for passage in read(source).passages:
        said = Said.of(passage.text)
        found |= {key for each in said.named for key in _task_of(each.kind, each.key)}
        found |= {key_of(cell.text.text) for cell in passage.cells} & known
    flat = f" {key_of(source)} "
    found |= {alias for alias in known if len(alias) > 3 and not alias.isdigit() and f" {alias} " in flat}
    return frozenset(found)


def _task_of(kind: str, key: str) -> Iterator[str]:
    if kind == TASK:
        yield key_of(key)
    elif kind == REFERENCE:
        yield key_of(key.partition(":")[2].partition("/")[0])


@check(GOLDEN, 80)
def claims(subject: Subject) -> Iterator[Finding]:
    """The rollouts contradict nothing that a report claims."""
    name = "claims hold against the rollouts"
    models = {golden.report: golden.model for golden in subject.layout.goldens}
    for path in [*models, *subject.layout.comparisons]:
        source, shown = subject.text(path).text, subject.layout.shown(path)
        held = subject.held([source], models.get(path, "")) if source else "it cannot be read"
        if isinstance(held, str):
            yield Finding(SKIP, GOLDEN, name, held, file=shown)
            continue
        [checked] = held
        false = [
            f"line {each.claim.line}: {each.claim.subject}: {each.claim.value}, true is {each.true}"
            for each in checked.contradictions
        ]
        told = listed(false) if false else f"{checked.counts[SUPPORTED]:,} supported, none contradicted"
        fix = f"correct them: `blade check {shown} --runs rollouts` lists all with what is true" if false else ""
        yield Finding(FAIL if false else PASS, GOLDEN, name, told, fix, shown)
