"""What a terminal says once a report is written: the answer, how sure it is, what it is made of, where to look."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from blade import numbers
from blade.explain.records import Explained, Intervention, RunFailures, Term
from blade.measure import sentences
from blade.report import saying
from blade.report.findings import Findings
from blade.report.recommended import Place, ranked

_MOST_TERMS: Final = 5
_MOST_MODES: Final = 4


class Facts(NamedTuple):
    """Labels with what is true of each; an empty label goes on with the one before."""

    title: str
    facts: list[tuple[str, str]]
    header: list[str]
    rows: list[list[str]]
    right: frozenset[int]
    after: list[tuple[str, str]]


def summaries(findings: Findings) -> Iterator[Facts]:
    """One block for each candidate; for a single run one that says what fails."""
    if not findings.analysis.comparisons:
        yield _of_run(findings, findings.newest)
    for one in findings.analysis.comparisons:
        yield _of_comparison(findings, one)


def _of_comparison(findings: Findings, one: Explained) -> Facts:
    many = len(findings.analysis.comparisons)
    facts = [("answer" if not number else "", text) for number, text in enumerate(one.answer)]
    facts.append(("change", _change(one, many)))
    facts += [("warning", warning) for warning in one.warnings]
    after = [("set-up", f"{one.comparable.verdict}: {one.comparable.why}")]
    if one.verdict == "no difference shown":
        settle = sentences.to_settle(one) if not one.verdict_depends else ""
        after += [("could show", sentences.could_show(one)), ("to settle", settle)]
    if one is findings.main:
        after += _look_first(findings)
    return Facts(
        title=f"{one.candidate} against {one.baseline}",
        facts=facts,
        header=["points", "", "cause", "mode", "one of its rollouts"],
        rows=list(_terms(one)),
        right=frozenset({0}),
        after=[fact for fact in after if fact[1]],
    )


def _change(one: Explained, many: int) -> str:
    if one.delta.value is None:
        return one.verdict
    rates = " → ".join(numbers.percent(rate) for rate in one.rates)
    return f"{rates}; {sentences.verdict(one, many)}, {numbers.counted(one.common.tasks, 'common task')}"


def _terms(one: Explained) -> Iterator[list[str]]:
    """The terms beyond noise first; the rest as one line, so that the column sums."""
    ordered = sorted(one.terms, key=lambda term: (term.within_noise, -abs(term.points)))
    shown, rest = ordered[:_MOST_TERMS], ordered[_MOST_TERMS:]
    yield from (_term(one, term) for term in shown if not term.within_noise)
    if noise := [_term(one, term) for term in shown if term.within_noise]:
        yield ["", "", "", "within noise:", ""]
        yield from noise
    if rest:
        points = numbers.points(sum(term.points for term in rest))
        yield [points, "", "", numbers.counted(len(rest), "smaller term"), ""]
    if one.terms:
        yield [numbers.points(one.delta.value), "", "", "in sum", ""]


def _term(one: Explained, term: Term) -> list[str]:
    ref = saying.one_of(term, saying.bearer(one, term)) or next(iter(term.refs), "")
    ends = numbers.point_range(term.low, term.high)
    return [numbers.points(term.points), ends, f"{term.cause} {term.owner}".strip(), term.title, ref]


def _look_first(findings: Findings) -> list[tuple[str, str]]:
    """The first fix where its gain is estimated, else the first thing to look at."""
    if findings.analysis.interventions:
        return [("first fix", _fix(findings.analysis.interventions[0]))]
    found = ranked(findings)
    return [("look first", look_first(found[0]))] if found else []


def _fix(one: Intervention) -> str:
    gain = saying.in_points(one.gain.value, one.gain.low, one.gain.high)
    most = numbers.points(one.recoverable, signed=False)
    return f"{one.title} ({', '.join(one.causes)}, {one.owner}): {gain} for {one.run}, at most {most}"


def look_first(place: Place) -> str:
    """The first thing to look at, in a sentence."""
    fails = saying.of(place.rollouts, place.run.measured)
    most = numbers.points(place.at_most, signed=False)
    return (
        f"{place.mode.title} ({place.mode.cause}, {place.mode.owner}): fails {fails} measured rollouts of "
        f"{place.run.run}; mending all of it gives at most {most} points"
    )


def _of_run(findings: Findings, run: RunFailures) -> Facts:
    rate = run.metrics.get("pass@1")
    tasks = numbers.counted(rate.tasks, "task") if rate else "no task"
    facts = [("pass@1", f"{saying.share(rate)} over {tasks}, {numbers.counted(run.measured, 'measured rollout')}")]
    if run.rollouts > run.measured:
        facts.append(("not measured", saying.of(run.rollouts - run.measured, run.rollouts)))
    facts += [("warning", warning) for warning in findings.measured(run.run).warnings]
    rows = [
        [
            f"{mode.rollouts:,}",
            numbers.percent(mode.share),
            f"{mode.cause} {mode.owner}".strip(),
            mode.title,
            mode.refs[0] if mode.refs else "",
        ]
        for mode in run.modes[:_MOST_MODES]
    ]
    more = len(run.modes) - len(rows)
    if more > 0:
        rest = sum(mode.rollouts for mode in run.modes[_MOST_MODES:])
        rows.append([f"{rest:,}", "", "", numbers.counted(more, "smaller mode"), ""])
    return Facts(
        title=saying.spaced(run.run, f"({who})" if (who := saying.who(run)) else ""),
        facts=facts,
        header=["rollouts", "share", "cause", "mode", "one of its rollouts"],
        rows=rows,
        right=frozenset({0, 1}),
        after=_look_first(findings),
    )
