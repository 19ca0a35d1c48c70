"""Which tasks are looked into, and what is seen there: a failing rollout beside a passing one, from where they part.

A task is chosen for what it teaches: how many points its failure mode costs, and how clear the contrast is, which is
the fewer actions differ the clearer. Modes take turns by their size, so that no large one crowds out the others.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from blade.explain.records import Analysis, ModeShare, RunFailures, TaskLabel
from blade.explain.two_sides import SideBySides
from blade.measure.outcomes import PassRule
from blade.measure.panel import natural
from blade.ref import Ref
from blade.report.excerpts import Excerpter
from blade.report.parting import Action, Parting, parting, told
from blade.report.pieces import Excerpt, Line, Step
from blade.report.reading import Library
from blade.rollout import Rollout

if TYPE_CHECKING:
    from blade.scan.store import Store

MOST: Final = {"sometimes": 6, "never": 4}
"""Deep dives of each bucket."""

_TASKS_OF_A_MODE: Final = 12
_FAILING, _PASSING = 2, 3
"""Rollouts of a task that are held against each other."""

_BEHIND: Final = 2

_ACTIONS: Final = """
WITH asked AS (SELECT unnest($refs) AS wanted)
SELECT r.ref, a.step, coalesce(a.tool, 'unknown tool'), coalesce(a.arguments, ''), a.result_step
FROM rollouts r JOIN asked ON r.ref = wanted JOIN actions a USING (file, row)
WHERE r.run IN (SELECT unnest($runs)) AND r.task IN (SELECT unnest($tasks)) AND r.standing = 'row'
ORDER BY 1, a.step, a.place
"""
_PASSES: Final = """
SELECT run, task, rollout FROM rollouts
WHERE standing = 'row' AND reward >= $threshold AND task IN (SELECT unnest($tasks))
"""


class Dive(msgspec.Struct, kw_only=True):
    """A task that is looked into."""

    run: str
    task: str
    bucket: str
    mode: ModeShare
    failing: str
    passing: str | None
    counts: list[tuple[str, int, int]]
    """Of each run that has the task its passed and measured rollouts."""
    question: Step | None
    how: Line
    left: Excerpt
    right: Excerpt | None
    sides: SideBySides | None = None
    """Call by call beside the pass."""
    expected: SideBySides | None = None
    """Call by call beside what is expected."""


class Pair(NamedTuple):
    """A failing rollout of a task, and a passing one where there is any."""

    run: RunFailures
    mode: ModeShare
    label: TaskLabel
    failing: Ref
    passing: Ref | None
    parting: Parting


class _Candidate(NamedTuple):
    run: RunFailures
    mode: ModeShare
    label: TaskLabel
    failing: list[Ref]


def dives(
    store: "Store", analysis: Analysis, rule: PassRule, excerpter: Excerpter, sides: Iterable[SideBySides] = ()
) -> list[Dive]:
    """The tasks to look into, those with the largest failure modes first."""
    chosen = pairs_of(store, analysis, rule)
    shown, counts = _shown(store, chosen, excerpter), _counts(analysis)
    beside = {(one.failing, one.passing): one for one in sides}
    found = (_dive(pair, shown, counts[pair.label.task], excerpter, beside) for pair in chosen)
    return [dive for dive in found if dive]


def pairs_of(store: "Store", analysis: Analysis, rule: PassRule) -> list[Pair]:
    """The tasks to look into, each with a failing rollout and, where any passes, the pass it is held against."""
    candidates = list(_candidates(analysis))
    passes = _passes(store, analysis, rule, {candidate.label.task for candidate in candidates})
    pairs = list(_pairs(candidates, passes, _Actions(store, candidates, passes)))
    return [pair for bucket, most in MOST.items() for pair in _chosen(analysis, pairs, bucket, most)]


def _candidates(analysis: Analysis) -> Iterator[_Candidate]:
    """Of each mode of each run some tasks of each bucket, those that it fails most often first."""
    labels = {(label.run, label.task): label for label in analysis.tasks}
    for run in analysis.runs:
        unmeasured = {Ref.parse(ref).at(None) for each in run.not_measured for ref in each.refs}
        for mode in run.modes:
            by_task: dict[str, list[Ref]] = defaultdict(list)
            for ref in map(Ref.parse, mode.refs):
                if ref.at(None) not in unmeasured:
                    by_task[ref.task].append(ref)
            for bucket in MOST:
                own = [task for task in by_task if labels[run.run, task].bucket == bucket]
                own.sort(key=lambda task: (-len(by_task[task]), natural(task)))
                for task in own[:_TASKS_OF_A_MODE]:
                    yield _Candidate(run, mode, labels[run.run, task], by_task[task][:_FAILING])


def _passes(store: "Store", analysis: Analysis, rule: PassRule, tasks: set[str]) -> dict[tuple[str, str], list[Ref]]:
    """Passing rollouts of these tasks, by run and task."""
    unmeasured = {ref.partition("#")[0] for run in analysis.runs for each in run.not_measured for ref in each.refs}
    found: dict[tuple[str, str], list[Ref]] = defaultdict(list)
    parameters = {"tasks": sorted(tasks), "threshold": rule.threshold}
    for row in store.connection.execute(_PASSES, parameters).fetchall():
        ref = Ref(*row)
        if str(ref) not in unmeasured:
            found[ref.run, ref.task].append(ref)
    return {place: sorted(refs, key=lambda ref: natural(ref.rollout)) for place, refs in found.items()}


class _Actions:
    """The actions of the rollouts that may be shown, asked for at once."""

    def __init__(
        self, store: "Store", candidates: Sequence[_Candidate], passes: dict[tuple[str, str], list[Ref]]
    ) -> None:
        failing = {ref.at(None) for candidate in candidates for ref in candidate.failing}
        tasks = {ref.task for ref in failing}
        passing = {ref for (_, task), refs in passes.items() if task in tasks for ref in refs[:_PASSING]}
        refs = [str(ref) for ref in sorted(failing | passing)]
        self._found: dict[str, list[Action]] = defaultdict(list)
        parameters = {"refs": refs, "tasks": sorted(tasks), "runs": sorted({ref.run for ref in failing | passing})}
        for ref, *action in store.connection.execute(_ACTIONS, parameters).fetchall():
            self._found[ref].append(Action(*action))

    def of(self, ref: Ref) -> list[Action]:
        return self._found.get(str(ref.at(None)), [])


def _pairs(
    candidates: Iterable[_Candidate], passes: dict[tuple[str, str], list[Ref]], actions: _Actions
) -> Iterator[Pair]:
    """Of each candidate the clearest pair."""
    others: dict[str, list[Ref]] = defaultdict(list)
    for (_, task), refs in passes.items():
        others[task] += refs[:_PASSING]
    for run, mode, label, failing in candidates:
        own: list[Ref] | list[None] = passes.get((run.run, label.task), [])[:_PASSING] or others[label.task] or [None]
        found = [
            Pair(run, mode, label, fail, ok, parting(actions.of(fail), actions.of(ok) if ok else ()))
            for fail in failing
            for ok in own
        ]
        yield min(found, key=_clarity)


def _clarity(pair: Pair) -> tuple[Any, ...]:
    """Sorts the clearest contrast first."""
    return (pair.passing is None, pair.parting.apart, pair.parting.shared, natural(str(pair.failing)))


def _chosen(analysis: Analysis, pairs: Iterable[Pair], bucket: str, most: int) -> Iterator[Pair]:
    """Modes take turns by weight; of each the clearest contrast of a kind and a task that was not shown yet."""
    groups: dict[tuple[str, str], list[Pair]] = defaultdict(list)
    for pair in pairs:
        if pair.label.bucket == bucket:
            groups[pair.run.run, pair.mode.mode].append(pair)
    left = {place: sorted(group, key=_clarity) for place, group in groups.items()}
    weight = {place: _weight(analysis, group[0]) for place, group in left.items()}
    taken: dict[tuple[str, str], int] = defaultdict(int)
    tasks: set[str] = set()
    kinds: set[tuple[str, ...]] = set()
    for _ in range(most):
        waiting = [place for place in left if any(pair.label.task not in tasks for pair in left[place])]
        if not waiting:
            return
        place = max(waiting, key=lambda place: (weight[place] / (taken[place] + 1), -list(left).index(place)))
        new = [pair for pair in left[place] if pair.label.task not in tasks]
        pair = next((pair for pair in new if (pair.mode.mode, *pair.parting.kind) not in kinds), new[0])
        taken[place] += 1
        tasks.add(pair.label.task)
        kinds.add((pair.mode.mode, *pair.parting.kind))
        yield pair


def _weight(analysis: Analysis, pair: Pair) -> float:
    """Points that the mode costs the run, and those that it moves between runs where this one bears them."""
    cost = 100 * pair.mode.rollouts / max(1, pair.run.measured)
    for one in analysis.comparisons:
        for term in one.terms:
            bearer = one.candidate if term.points < 0 else one.baseline
            if term.mode == pair.mode.mode and bearer == pair.run.run:
                cost += abs(term.points)
    return cost


def _counts(analysis: Analysis) -> dict[str, list[tuple[str, int, int]]]:
    """Of each task what every run makes of it."""
    found: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
    for label in analysis.tasks:
        found[label.task].append((label.run, label.passed, label.measured))
    return found


class _Side(NamedTuple):
    """A rollout that is to be shown beside another: where it parts, and where its evidence stands."""

    ref: Ref
    own: Action | None
    parting: Parting
    evidence: int | None = None


def _sides(pair: Pair) -> Iterator[_Side]:
    step = pair.failing.step
    evidence = int(step) if step and step.isdigit() else None
    yield _Side(pair.failing.at(None), pair.parting.failing if pair.passing else None, pair.parting, evidence)
    if pair.passing:
        yield _Side(pair.passing, pair.parting.passing, pair.parting)


class _Shown(NamedTuple):
    """What is kept of a rollout that was read."""

    excerpt: Excerpt
    question: Step | None


def _shown(store: "Store", pairs: Sequence[Pair], excerpter: Excerpter) -> dict[_Side, _Shown]:
    """Excerpts of both sides of every pair; one rollout is held at a time."""
    wanted: dict[Ref, list[_Side]] = defaultdict(list)
    for side in dict.fromkeys(side for pair in pairs for side in _sides(pair)):
        wanted[side.ref].append(side)
    return {
        side: _Shown(_excerpt(side, rollout, excerpter), excerpter.question(rollout))
        for ref, rollout in Library(store).read(wanted)
        for side in wanted[ref]
    }


def _dive(
    pair: Pair,
    shown: dict[_Side, _Shown],
    counts: list[tuple[str, int, int]],
    excerpter: Excerpter,
    beside: dict[tuple[str, str], SideBySides],
) -> Dive | None:
    left, *others = (shown.get(side) for side in _sides(pair))
    if left is None:
        return None
    right = others[0] if others else None
    return Dive(
        run=pair.run.run,
        task=pair.label.task,
        bucket=pair.label.bucket,
        mode=pair.mode,
        failing=str(pair.failing),
        passing=str(pair.passing) if right else None,
        counts=counts,
        question=left.question,
        how=told(pair.parting, lambda text: excerpter.text(text, 200)) if right else "",
        left=left.excerpt,
        right=right.excerpt if right else None,
        sides=beside.get((str(pair.failing.at(None)), str(pair.passing))) if right else None,
        expected=beside.get((str(pair.failing.at(None)), "")),
    )


def _excerpt(side: _Side, rollout: Rollout, excerpter: Excerpter) -> Excerpt:
    """The steps of one side from where it parts, its evidence, and how it ends."""
    count = len(rollout.items)
    answer = rollout.answer()
    last = answer[0] if answer else count - 1
    at = side.own.step if side.own else last if side.evidence is None else side.evidence
    numbers = [at, *range(at + 1, at + 1 + _BEHIND), at - 1, last, *([side.evidence] if side.evidence else [])]
    shown = sorted({number for number in numbers if 0 <= number < count})
    return excerpter.part(side.ref, rollout, shown, marked=at, differs=side.parting.differs if side.own else [])
