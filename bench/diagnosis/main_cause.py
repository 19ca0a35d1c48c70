"""The main cause of a difference and the evidence for it, held against the fault that was planted."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from bench.diagnosis.document import Mode, Term, modes, not_measured, terms
from bench.diagnosis.judging import PRECISION_NEEDED, RECALL_NEEDED, Judging, decided_by
from bench.diagnosis.truth import FAILED, NOT_MEASURED, TELLING_REPEATS, Key, Told, right_verdicts, undecidable

PART_OF_A_CHANGE: Final = 0.9
"""How much of a cause's change its largest modes must carry before the others are left out."""


def judge_main_cause(judging: Judging) -> None:
    """Check the main cause of a case with one planted fault, and the evidence for it."""
    [(run, fault)] = judging.case.faults
    decided = _tellable(judging, run, fault)
    if not decided:
        return
    true = next(told for told in judging.truth.run(run) if told.fault == fault)
    found = _in_unmeasured(judging, run) if true.outcome == NOT_MEASURED else _in_delta(judging, run)
    if true.outcome != NOT_MEASURED and not _stands_out(judging, true):
        return
    cause, blamed = found
    right = judging.cause_of(cause) == judging.cause_of(true.cause)
    judging.score.note("cause", right, f"{cause or 'none'} ({_named(blamed)}), true is {true.cause}")
    if blamed and right:
        _judge_evidence(judging, decided, blamed, true.owners)
    elif not right:
        judging.score.note("recall", False, "the main cause is another")


def _tellable(judging: Judging, run: str, fault: str) -> set[Key]:
    """Return the rollouts that a diagnosis must name: those that the fault decides, as far as that can be told."""
    told = judging.truth.run(run)
    decided = decided_by(told, fault)
    if judging.case.repeats >= TELLING_REPEATS:
        return decided - undecidable(judging.truth)
    causes = {judging.cause_of(one.cause) for one in told if one.key in decided} & {"KG or UK"}
    return decided | {one.key for one in told if one.outcome == FAILED and judging.cause_of(one.cause) in causes}


def _stands_out(judging: Judging, true: Told) -> bool:
    """Tell whether what was planted is larger than noise: the largest change by the truth's own accounting."""
    if right_verdicts(judging.truth) == {"no difference shown"}:
        return False
    toward = {cause: _toward(value, judging.direction) for cause, value in judging.true_points().items()}
    return max(toward, key=lambda cause: toward[cause]) == judging.cause_of(true.cause)


def _toward(value: float, direction: float) -> float:
    return value if direction >= 0 else -value


def _in_delta(judging: Judging, run: str) -> tuple[str | None, list[Mode]]:
    """Return the main cause of the delta, and the modes in the run that make up its change, largest first."""
    toward = {cause: _toward(value, judging.direction) for cause, value in judging.said_points().items()}
    if not toward or max(toward.values()) <= 0:
        return None, []
    main = max(toward, key=lambda cause: toward[cause])
    of_cause = [term for term in terms(judging.document) if judging.cause_of(term.cause) == main]
    moved = sorted(((term.toward(judging.direction), term) for term in of_cause), key=lambda pair: -pair[0])
    chosen = list(_carrying(moved))
    return chosen[0].cause if chosen else main, [_as_mode(judging, run, term) for term in chosen]


def _carrying(moved: Sequence[tuple[float, Term]]) -> Iterator[Term]:
    """Yield the largest terms until they carry nearly all that goes in the direction of the difference."""
    needed = PART_OF_A_CHANGE * sum(amount for amount, _ in moved if amount > 0)
    for amount, term in moved:
        if amount > 0 and needed > 0:
            yield term
            needed -= amount


def _as_mode(judging: Judging, run: str, term: Term) -> Mode:
    """Return a term's rollouts in one run, with the owner that the run's own mode of that name has."""
    owners = {(mode.run, mode.name): mode.owner for mode in modes(judging.document)}
    here = frozenset(key for key in term.rollouts if key[0] == run)
    return Mode(run, term.mode, term.cause, owners.get((run, term.mode), ""), here)


def _in_unmeasured(judging: Judging, run: str) -> tuple[str | None, list[Mode]]:
    """Return the cause of most rollouts of the run that the document calls unmeasured, and its modes of them."""
    unmeasured = not_measured(judging.document, run)
    found = [
        Mode(mode.run, mode.name, mode.cause, mode.owner, mode.rollouts & unmeasured)
        for mode in modes(judging.document)
        if mode.run == run and mode.rollouts & unmeasured
    ]
    counted: Counter[str] = Counter()
    for mode in found:
        counted[mode.cause] += len(mode.rollouts)
    if not counted:
        return None, []
    main = counted.most_common(1)[0][0]
    return main, sorted((mode for mode in found if mode.cause == main), key=lambda mode: -len(mode.rollouts))


def _judge_evidence(judging: Judging, decided: set[Key], blamed: Sequence[Mode], owners: frozenset[str]) -> None:
    named = frozenset[Key]().union(*(mode.rollouts for mode in blamed))
    if judging.case.repeats >= TELLING_REPEATS:
        named -= undecidable(judging.truth)
    hits = len(named & decided)
    precise = bool(named) and hits >= PRECISION_NEEDED * len(named)
    judging.score.note("precision", precise, f"{hits} of {len(named)} ({_named(blamed)})")
    judging.score.note("recall", hits >= RECALL_NEEDED * len(decided), f"{hits} of {len(decided)} ({_named(blamed)})")
    judging.score.note("owner", blamed[0].owner in owners, f"{blamed[0].owner}, true is {'/'.join(sorted(owners))}")


def _named(blamed: Iterable[Mode]) -> str:
    return ", ".join(f"{mode.name} x{len(mode.rollouts)}" for mode in blamed) or "no mode"
