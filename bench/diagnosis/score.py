"""Hold what a diagnosis says against the truth, check by check; `bench.diagnosis` says what each check asks."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from bench.diagnosis.cases import (
    BASELINE,
    CHANGED_PROMPTS,
    DUPLICATES,
    LEAK,
    NOISE,
    OFFSET,
    SPECIAL,
    Case,
)
from bench.diagnosis.document import (
    Document,
    Term,
    comparison,
    concerned_tasks,
    delta,
    terms,
)
from bench.diagnosis.judging import PRECISION_NEEDED, RECALL_NEEDED, UNKNOWN, Judging, Score, decided_by
from bench.diagnosis.main_cause import judge_main_cause
from bench.diagnosis.truth import (
    FAILED,
    KNOWLEDGE,
    Key,
    Told,
    Truth,
    changed_prompts,
    differences,
    is_beyond_noise,
    points,
    points_of,
    right_verdicts,
    task_points,
    undecidable,
)
from examples.worlds import WORLDS

DELTA_TOLERANCE: Final = 1e-9
SHARE_TOLERANCE: Final = 2.0


def judge(case: Case, truth: Truth, document: Document) -> Score:
    """Return the score of a diagnosis of this case."""
    judging = Judging(case, truth, document, Score())
    _judge_numbers(judging)
    _judge_decoys(judging)
    if case.kind == NOISE:
        _judge_noise(judging)
    elif case.kind == OFFSET:
        _judge_offset(judging)
    elif finding := finding_of(case):
        _judge_health(judging, finding)
    else:
        judge_main_cause(judging)
    return judging.score


def _judge_numbers(judging: Judging) -> None:
    said, right = comparison(judging.document).get("verdict"), right_verdicts(judging.truth)
    judging.score.note("verdict", said in right, f"{said}, true is {' or '.join(sorted(right))}")
    value, true = delta(judging.document), 100 * float(differences(judging.truth).mean())
    close = value is not None and abs(value - true) <= DELTA_TOLERANCE
    judging.score.note("delta", close, f"{value}, true is {true}")
    wrong = list(_wrong_shares(judging))
    judging.score.note("shares", not wrong, "; ".join(wrong))


def _wrong_shares(judging: Judging) -> Iterable[str]:
    """Yield the causes whose points are wrong, whichever way what nobody can tell is counted."""
    said = judging.said_points()
    unclear = undecidable(judging.truth)
    sure = points(judging.truth, lambda told: UNKNOWN if told.key in unclear else judging.cause_of(told.cause))
    gained, lost = points_of(judging.truth, unclear)
    for cause in sorted({*said, *sure} - {UNKNOWN}):
        one, other = said.get(cause, 0.0), sure.get(cause, 0.0)
        low, high = (other - lost, other + gained) if cause in (*KNOWLEDGE, "KG or UK") else (other, other)
        if not low - SHARE_TOLERANCE <= one <= high + SHARE_TOLERANCE:
            yield f"{cause}: {one:+.1f}, true is {other:+.1f}"
    knowing = (*KNOWLEDGE, "KG or UK", UNKNOWN)
    one, other = (sum(found.get(cause, 0.0) for cause in knowing) for found in (said, sure))
    if abs(one - other) > SHARE_TOLERANCE:
        yield f"KG, UK and unknown: {one:+.1f}, true is {other:+.1f}"


def _judge_decoys(judging: Judging) -> None:
    named = [term.mode for term in terms(judging.document) if term.beyond_noise and is_decoy(term, judging.truth)]
    judging.score.note("decoys", not named, f"named: {', '.join(named)}")


def is_decoy(term: Term, truth: Truth) -> bool:
    """Tell whether some decoy explains a term's rollouts better than any true fault does."""
    failed = [told for told in truth.rollouts if told.outcome == FAILED]
    by_fault = _groups(failed, lambda told: [told.fault] if told.fault else []).values()
    likest = max((_likeness(term.rollouts, group) for group in by_fault), default=0.0)
    purest = max((_share(term.rollouts, group) for group in by_fault), default=0.0)
    return any(
        _likeness(term.rollouts, group) > likest
        and _share(term.rollouts, group) > purest
        and _share(term.rollouts, group) >= (1 + len(group) / len(failed)) / 2
        for group in _groups(failed, lambda told: told.decoys).values()
    )


def _groups(rollouts: Iterable[Told], labels: Callable[[Told], Iterable[str]]) -> dict[str, set[Key]]:
    groups: dict[str, set[Key]] = {}
    for told in rollouts:
        for label in labels(told):
            groups.setdefault(label, set()).add(told.key)
    return groups


def _likeness(rollouts: frozenset[Key], group: set[Key]) -> float:
    """Return the Jaccard index."""
    return len(rollouts & group) / max(1, len(rollouts | group))


def _share(rollouts: frozenset[Key], group: set[Key]) -> float:
    """Return the share of the rollouts that are in the group."""
    return len(rollouts & group) / max(1, len(rollouts))


def _judge_noise(judging: Judging) -> None:
    told = [f"{term.mode} {term.points:+.1f}" for term in terms(judging.document) if term.beyond_noise]
    judging.score.note("story", not told, f"told: {', '.join(told)}")


def _judge_offset(judging: Judging) -> None:
    changes = task_points(judging.truth, lambda told: told.fault)
    asked = [(run, fault) for run, fault in judging.case.faults if is_beyond_noise(changes.get(fault))]
    missing = [fault for run, fault in asked if not _is_told(judging, run, fault)]
    if asked:
        judging.score.note("story", not missing, f"not told: {', '.join(missing)}")


def _is_told(judging: Judging, run: str, fault: str) -> bool:
    """Tell whether a mode beyond noise, with the right cause and sign, is mostly of the fault's rollouts."""
    decided = decided_by(judging.truth.run(run), fault)
    cause = next(told.cause for told in judging.truth.rollouts if told.fault == fault)
    sign = 1.0 if run == BASELINE else -1.0
    return any(
        term.beyond_noise
        and term.toward(sign) > 0
        and judging.cause_of(term.cause) == judging.cause_of(cause)
        and len(term.rollouts & decided) >= 0.5 * len(decided)
        for term in terms(judging.document)
    )


def finding_of(case: Case) -> str | None:
    """Return the kind of the health finding that a case asks for."""
    if case.kind in SPECIAL or case.world not in WORLDS:
        return SPECIAL.get(case.kind)
    fault = WORLDS[case.world].faults.get(case.kind)
    return fault.finding if fault else None


def concerned_by(kind: str, truth: Truth) -> set[str]:
    """Return the tasks that a fault of the benchmark or of its data concerns."""
    if kind == CHANGED_PROMPTS:
        return changed_prompts(truth)
    return {told.task for told in truth.rollouts if _concerns(kind, told)}


def _concerns(kind: str, told: Told) -> bool:
    if kind == DUPLICATES:
        return told.copies > 1
    return told.leaks if kind == LEAK else kind in told.occurred


def _judge_health(judging: Judging, finding: str) -> None:
    concerned = concerned_by(judging.case.kind, judging.truth)
    named = concerned_tasks(judging.document, finding)
    hits = len(concerned & named)
    right = hits >= RECALL_NEEDED * len(concerned) and hits >= PRECISION_NEEDED * len(named)
    judging.score.note("health", right, f"{hits} of {len(concerned)} tasks found, {len(named)} named")


def summary_of(document: Document) -> dict[str, Any]:
    """Return the largest terms that were named, to read beside what is true."""
    largest = sorted(terms(document), key=lambda term: -abs(term.points))[:6]
    return {term.mode: [term.cause, round(term.points, 2), term.beyond_noise] for term in largest}
