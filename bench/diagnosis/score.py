"""Hold what a diagnosis says against the truth, check by check; `bench.diagnosis` says what each check asks."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
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
    Mode,
    Term,
    comparison,
    concerned_tasks,
    delta,
    modes,
    not_measured,
    terms,
)
from bench.diagnosis.truth import (
    FAILED,
    KNOWLEDGE,
    NOT_MEASURED,
    TELLING_REPEATS,
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

CHECKS: Final = (
    "verdict",
    "delta",
    "cause",
    "shares",
    "precision",
    "recall",
    "owner",
    "decoys",
    "story",
    "health",
)
UNKNOWN: Final = "unknown"
DELTA_TOLERANCE: Final = 1e-9
SHARE_TOLERANCE: Final = 2.0
PRECISION_NEEDED: Final = 0.9
RECALL_NEEDED: Final = 0.8
PART_OF_A_CHANGE: Final = 0.1


@dataclass(slots=True)
class Score:
    """What became of every check of one case: right, wrong, or None where it was not asked; and why."""

    checks: dict[str, bool | None] = field(default_factory=lambda: dict.fromkeys(CHECKS))
    why: dict[str, str] = field(default_factory=dict)

    def note(self, check: str, right: bool, why: str = "") -> None:
        """Record one check, and where it is wrong, what was said in place of what is true."""
        self.checks[check] = right
        if not right:
            self.why[check] = why

    @property
    def perfect(self) -> bool:
        return False not in self.checks.values()


@dataclass(frozen=True, slots=True)
class _Judging:
    """One case, its truth and what was said of it."""

    case: Case
    truth: Truth
    document: Document
    score: Score

    @property
    def direction(self) -> float:
        return float(differences(self.truth).sum())

    def cause_of(self, cause: str | None) -> str:
        """Return the cause as far as it can be told: few repeats do not tell gaps from unreliable knowledge."""
        if self.case.repeats < TELLING_REPEATS and cause in (*KNOWLEDGE, UNKNOWN):
            return "KG or UK"
        return cause or ""

    def true_points(self) -> dict[str, float]:
        return points(self.truth, lambda told: self.cause_of(told.cause))

    def said_points(self) -> dict[str, float]:
        said: defaultdict[str, float] = defaultdict(float)
        for term in terms(self.document):
            said[self.cause_of(term.cause)] += term.points
        return dict(said)


def judge(case: Case, truth: Truth, document: Document) -> Score:
    """Return the score of a diagnosis of this case."""
    judging = _Judging(case, truth, document, Score())
    _judge_numbers(judging)
    _judge_decoys(judging)
    if case.kind == NOISE:
        _judge_noise(judging)
    elif case.kind == OFFSET:
        _judge_offset(judging)
    elif finding := finding_of(case):
        _judge_health(judging, finding)
    else:
        _judge_main_cause(judging)
    return judging.score


def _judge_numbers(judging: _Judging) -> None:
    said, right = comparison(judging.document).get("verdict"), right_verdicts(judging.truth)
    judging.score.note("verdict", said in right, f"{said}, true is {' or '.join(sorted(right))}")
    value, true = delta(judging.document), 100 * float(differences(judging.truth).mean())
    close = value is not None and abs(value - true) <= DELTA_TOLERANCE
    judging.score.note("delta", close, f"{value}, true is {true}")
    wrong = list(_wrong_shares(judging))
    judging.score.note("shares", not wrong, "; ".join(wrong))


def _wrong_shares(judging: _Judging) -> Iterable[str]:
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


def _judge_decoys(judging: _Judging) -> None:
    named = [term.mode for term in terms(judging.document) if term.beyond_noise and is_decoy(term, judging.truth)]
    judging.score.note("decoys", not named, f"named: {', '.join(named)}")


def is_decoy(term: Term, truth: Truth) -> bool:
    """Tell whether some decoy explains a term's rollouts better than any true fault does, in both measures."""
    failed = [told for told in truth.rollouts if told.outcome == FAILED]
    by_decoy = _groups(failed, lambda told: told.decoys)
    by_fault = _groups(failed, lambda told: [told.fault] if told.fault else [])
    return all(measure(term.rollouts, by_decoy) > measure(term.rollouts, by_fault) for measure in (_likeness, _purity))


def _groups(rollouts: Iterable[Told], labels: Callable[[Told], Iterable[str]]) -> list[set[Key]]:
    groups: dict[str, set[Key]] = {}
    for told in rollouts:
        for label in labels(told):
            groups.setdefault(label, set()).add(told.key)
    return list(groups.values())


def _likeness(rollouts: frozenset[Key], groups: Sequence[set[Key]]) -> float:
    """Return the largest Jaccard index with any of the groups."""
    return max((len(rollouts & group) / len(rollouts | group) for group in groups), default=0.0)


def _purity(rollouts: frozenset[Key], groups: Sequence[set[Key]]) -> float:
    """Return the largest share of the rollouts that any of the groups has."""
    return max((len(rollouts & group) / max(1, len(rollouts)) for group in groups), default=0.0)


def _judge_noise(judging: _Judging) -> None:
    told = [f"{term.mode} {term.points:+.1f}" for term in terms(judging.document) if term.beyond_noise]
    judging.score.note("story", not told, f"told: {', '.join(told)}")


def _judge_offset(judging: _Judging) -> None:
    changes = task_points(judging.truth, lambda told: told.fault)
    asked = [(run, fault) for run, fault in judging.case.faults if is_beyond_noise(changes.get(fault))]
    missing = [fault for run, fault in asked if not _is_told(judging, run, fault)]
    if asked:
        judging.score.note("story", not missing, f"not told: {', '.join(missing)}")


def _is_told(judging: _Judging, run: str, fault: str) -> bool:
    """Tell whether a mode beyond noise, with the right cause and sign, is mostly of the fault's rollouts."""
    decided = _decided_by(judging.truth.run(run), fault)
    cause = next(told.cause for told in judging.truth.rollouts if told.fault == fault)
    sign = 1.0 if run == BASELINE else -1.0
    return any(
        term.beyond_noise
        and term.toward(sign) > 0
        and judging.cause_of(term.cause) == judging.cause_of(cause)
        and len(term.rollouts & decided) >= 0.5 * len(decided)
        for term in terms(judging.document)
    )


def _decided_by(rollouts: Iterable[Told], fault: str) -> set[Key]:
    return {told.key for told in rollouts if told.fault == fault}


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
    concerns: dict[str, Callable[[Told], bool]] = {
        DUPLICATES: lambda told: told.copies > 1,
        LEAK: lambda told: told.leaks,
    }
    of_kind = concerns.get(kind, lambda told: kind in told.occurred)
    return {told.task for told in truth.rollouts if of_kind(told)}


def _judge_health(judging: _Judging, finding: str) -> None:
    concerned = concerned_by(judging.case.kind, judging.truth)
    named = concerned_tasks(judging.document, finding)
    hits = len(concerned & named)
    right = hits >= RECALL_NEEDED * len(concerned) and hits >= PRECISION_NEEDED * len(named)
    judging.score.note("health", right, f"{hits} of {len(concerned)} tasks found, {len(named)} named")


def _judge_main_cause(judging: _Judging) -> None:
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


def _tellable(judging: _Judging, run: str, fault: str) -> set[Key]:
    """Return the rollouts that a diagnosis must name: those that the fault decides, as far as that can be told."""
    told = judging.truth.run(run)
    decided = _decided_by(told, fault)
    if judging.case.repeats >= TELLING_REPEATS:
        return decided - undecidable(judging.truth)
    causes = {judging.cause_of(one.cause) for one in told if one.key in decided} & {"KG or UK"}
    return decided | {one.key for one in told if one.outcome == FAILED and judging.cause_of(one.cause) in causes}


def _stands_out(judging: _Judging, true: Told) -> bool:
    """Tell whether what was planted is larger than noise: the largest change by the truth's own accounting."""
    if right_verdicts(judging.truth) == {"no difference shown"}:
        return False
    toward = {cause: _toward(value, judging.direction) for cause, value in judging.true_points().items()}
    return max(toward, key=lambda cause: toward[cause]) == judging.cause_of(true.cause)


def _toward(value: float, direction: float) -> float:
    return value if direction >= 0 else -value


def _in_delta(judging: _Judging, run: str) -> tuple[str | None, list[Mode]]:
    """Return the main cause of the delta, and the modes in the run that make up its change, largest first."""
    toward = {cause: _toward(value, judging.direction) for cause, value in judging.said_points().items()}
    if not toward or max(toward.values()) <= 0:
        return None, []
    main = max(toward, key=lambda cause: toward[cause])
    of_cause = [term for term in terms(judging.document) if judging.cause_of(term.cause) == main]
    moved = [(term.toward(judging.direction), term) for term in of_cause]
    carried = sum(amount for amount, _ in moved if amount > 0)
    chosen = sorted((pair for pair in moved if pair[0] >= PART_OF_A_CHANGE * carried), key=lambda pair: -pair[0])
    return chosen[0][1].cause if chosen else main, [_as_mode(judging, run, term) for _, term in chosen]


def _as_mode(judging: _Judging, run: str, term: Term) -> Mode:
    """Return a term's rollouts in one run, with the owner that the run's own mode of that name has."""
    owners = {(mode.run, mode.name): mode.owner for mode in modes(judging.document)}
    here = frozenset(key for key in term.rollouts if key[0] == run)
    return Mode(run, term.mode, term.cause, owners.get((run, term.mode), ""), here)


def _in_unmeasured(judging: _Judging, run: str) -> tuple[str | None, list[Mode]]:
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


def _judge_evidence(judging: _Judging, decided: set[Key], blamed: Sequence[Mode], owners: frozenset[str]) -> None:
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


def summary_of(document: Document) -> dict[str, Any]:
    """Return the largest terms that were named, to read beside what is true."""
    largest = sorted(terms(document), key=lambda term: -abs(term.points))[:6]
    return {term.mode: [term.cause, round(term.points, 2), term.beyond_noise] for term in largest}
