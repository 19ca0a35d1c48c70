"""The truth about two runs, and what follows from it: outcomes, points by cause, which claims hold."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

PASSED: Final = "passed"
FAILED: Final = "failed"
NOT_MEASURED: Final = "not_measured"

BEYOND_NOISE: Final = 3.5
"""Standard errors from which on nobody may call a true change noise, however many terms there are."""

KNOWLEDGE: Final = ("KG", "UK")
TELLING_REPEATS: Final = 4

EXACT_BELOW: Final = 14
FLIPS: Final = 20_000
ALPHA: Final = 0.05
EITHER_WAY: Final = (0.04, 0.06)

Key = tuple[str, str, str]
"""Run, task and repeat: how a report names a rollout."""


@dataclass(frozen=True, slots=True)
class Told:
    """What is true of one rollout."""

    run: str
    task: str
    repeat: str
    prompt: str
    outcome: str
    fault: str | None
    cause: str | None
    owners: frozenset[str]
    occurred: frozenset[str]
    decoys: frozenset[str]
    leaks: bool = False
    copies: int = 1

    @property
    def key(self) -> Key:
        return (self.run, self.task, self.repeat)


@dataclass(frozen=True, slots=True)
class Truth:
    """Two runs, the baseline first, and the tasks that both have measured under one prompt."""

    baseline: tuple[Told, ...]
    candidate: tuple[Told, ...]

    @property
    def rollouts(self) -> tuple[Told, ...]:
        return (*self.baseline, *self.candidate)

    def run(self, name: str) -> tuple[Told, ...]:
        return tuple(told for told in self.rollouts if told.run == name)

    def common(self) -> list[str]:
        """Return the tasks of which a delta speaks, in the order of the baseline."""
        prompts = [{told.task: told.prompt for told in run} for run in (self.baseline, self.candidate)]
        measured = [
            {told.task for told in run if told.outcome != NOT_MEASURED} for run in (self.baseline, self.candidate)
        ]
        return [
            task
            for task, prompt in prompts[0].items()
            if prompts[1].get(task) == prompt and task in measured[0] and task in measured[1]
        ]

    def asked_alike(self) -> list[str]:
        """Return the tasks that both runs put in the same words, measured or not."""
        prompts = [{told.task: told.prompt for told in run} for run in (self.baseline, self.candidate)]
        return [task for task, prompt in prompts[0].items() if prompts[1].get(task) == prompt]


def read_truth(path: Path) -> tuple[Told, ...]:
    """Read a truth file."""
    return tuple(told_by(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines())


def told_by(line: Mapping[str, Any]) -> Told:
    """Return what one line of a truth file says."""
    task, _, repeat = line["ref"].partition("/")
    return Told(
        run=line["run"].removesuffix("_rollouts"),
        task=task,
        repeat=repeat,
        prompt=line["prompt"],
        outcome=line["outcome"],
        fault=line["fault"],
        cause=line["cause"],
        owners=frozenset([line["owner"], *line["other_owners"]]) - {None},
        occurred=frozenset(line["occurred"]),
        decoys=frozenset(line["decoys"]),
        leaks=line["leaks"],
        copies=line["copies"],
    )


def changed_prompts(truth: Truth) -> set[str]:
    """Return the tasks that the runs put in different words."""
    return {told.task for told in truth.rollouts} - set(truth.asked_alike())


def undecidable(truth: Truth) -> frozenset[Key]:
    """Return the failures for want of knowledge of which nobody can tell whether it is a gap or unreliable.

    That takes four rollouts of the task in the run that passed or failed for want of knowledge; and where none of
    them passed, bad luck looks like a gap.
    """
    return frozenset().union(*(_undecidable_in(run) for run in (truth.baseline, truth.candidate)))


def _undecidable_in(run: Sequence[Told]) -> frozenset[Key]:
    telling: dict[str, list[Told]] = {}
    for told in run:
        if told.outcome == PASSED or (told.outcome == FAILED and told.cause in KNOWLEDGE):
            telling.setdefault(told.task, []).append(told)
    return frozenset(
        told.key
        for group in telling.values()
        for told in group
        if told.outcome == FAILED and (len(group) < TELLING_REPEATS or _looks_like(group) != told.cause)
    )


def _looks_like(group: Sequence[Told]) -> str:
    return "KG" if all(told.outcome == FAILED for told in group) else "UK"


Labelled = Callable[[Told], str | None]


def points(truth: Truth, label: Labelled) -> dict[str, float]:
    """Return the points of pass@1 that the candidate gained under each label of a failure; they sum to the delta."""
    return {name: 100 * float(values.mean()) for name, values in task_points(truth, label).items()}


def task_points(truth: Truth, label: Labelled) -> dict[str, np.ndarray]:
    """Return for each label, task by task, the baseline's share of such failures less the candidate's."""
    tasks = truth.common()
    before, after = (_failing_shares(run, label) for run in (truth.baseline, truth.candidate))
    names = sorted({name for run in (before, after) for _, name in run})
    return {
        name: np.array([before.get((task, name), 0.0) - after.get((task, name), 0.0) for task in tasks])
        for name in names
    }


def points_of(truth: Truth, keys: Set[Key]) -> tuple[float, float]:
    """Return the points that some failures cost the baseline, and the candidate."""
    tasks = truth.common()
    costs = []
    for run in (truth.baseline, truth.candidate):
        shares = _failing_shares(run, lambda told: "these" if told.key in keys else "others")
        costs.append(100 * sum(shares.get((task, "these"), 0.0) for task in tasks) / max(1, len(tasks)))
    return costs[0], costs[1]


def _failing_shares(run: Iterable[Told], label: Labelled) -> dict[tuple[str, str], float]:
    measured = Counter(told.task for told in run if told.outcome != NOT_MEASURED)
    failed = Counter((told.task, label(told) or "") for told in run if told.outcome == FAILED)
    return {(task, name): count / measured[task] for (task, name), count in failed.items()}


def differences(truth: Truth, *, unmeasured_fail: bool = False) -> np.ndarray:
    """Return, task by task, the candidate's share of passes less the baseline's."""
    tasks = truth.asked_alike() if unmeasured_fail else truth.common()
    before, after = (_passing_shares(run, unmeasured_fail=unmeasured_fail) for run in (truth.baseline, truth.candidate))
    return np.array([after[task] - before[task] for task in tasks])


def _passing_shares(run: Sequence[Told], *, unmeasured_fail: bool) -> dict[str, float]:
    counted = Counter(told.task for told in run if unmeasured_fail or told.outcome != NOT_MEASURED)
    passed = Counter(told.task for told in run if told.outcome == PASSED)
    return {task: passed[task] / count for task, count in counted.items()}


def right_verdicts(truth: Truth) -> set[str]:
    """Return the verdicts that may be given: one, or two where chance decides between them."""
    measured, as_failed = (_claims(differences(truth, unmeasured_fail=counted)) for counted in (False, True))
    return {one if one == other else "no difference shown" for one in measured for other in as_failed}


def _claims(values: np.ndarray) -> set[str]:
    claim = "better" if values.sum() > 0 else "worse"
    p = sign_flip_p(values)
    if EITHER_WAY[0] < p < EITHER_WAY[1]:
        return {claim, "no difference shown"}
    return {claim} if p < ALPHA else {"no difference shown"}


def is_beyond_noise(changes: np.ndarray | None) -> bool:
    """Tell whether a change, given task by task, is far larger than its standard error over tasks."""
    if changes is None or len(changes) < 2:
        return False
    return bool(abs(changes.mean()) > BEYOND_NOISE * changes.std(ddof=1) / np.sqrt(len(changes)))


def sign_flip_p(values: np.ndarray) -> float:
    """Return the two-sided p of the paired sign-flip test on the sum, exact where few values differ from zero."""
    moved = values[np.abs(values) > 1e-12]
    if not len(moved):
        return 1.0
    if len(moved) <= EXACT_BELOW:
        bits = (np.arange(2 ** len(moved))[:, None] >> np.arange(len(moved))) & 1
        sums = (1 - 2 * bits) @ moved
        return float(np.mean(np.abs(sums) >= abs(moved.sum()) - 1e-9))
    signs = np.random.default_rng(0).integers(0, 2, (FLIPS, len(moved))) * 2 - 1
    extreme = np.abs(signs @ moved) >= abs(moved.sum()) - 1e-9
    return float((extreme.sum() + 1) / (FLIPS + 1))
