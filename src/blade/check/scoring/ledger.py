"""What a report says of each task, in whatever words: its causes and its outcomes, held against another report's."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from blade.check.scoring.cast import Cast
from blade.check.scoring.copies import Copy
from blade.check.scoring.statements import Statement
from blade.check.text.figures import OF
from blade.check.text.names import TASK
from blade.check.text.said import Said, causes

_LEAST: Final = 3
"""Things that both reports speak of before their agreement says anything."""

_MOST_WHOLE: Final = 64
"""Repeats of a task; more are counts over tasks."""


class Ledger:
    """Causes and outcomes by task."""

    def __init__(self, statements: Iterable[Statement], cast: Cast) -> None:
        self.causes: dict[str, set[str]] = defaultdict(set)
        self.outcomes: dict[tuple[str, int | None], set[tuple[float, float]]] = defaultdict(set)
        for each in statements:
            task = _one_task(each)
            if task is None:
                continue
            self.causes[task] |= causes(each.said) or causes(each.above)
            self._add_outcomes(task, each.said, cast)
            self._add_outcomes(task, each.above, cast)

    def _add_outcomes(self, task: str, said: Said, cast: Cast) -> None:
        found = cast.outcomes(said)
        for run, outcomes in found.items():
            self.outcomes[task, run] |= {each for each in outcomes if each[1] <= _MOST_WHOLE}
        told = set(_outcomes(said))
        self.outcomes[task, None] |= told


def _one_task(statement: Statement) -> str | None:
    """The task that a statement speaks of, where it is one only."""
    own = _tasks(statement.said)
    found = own or _tasks(statement.above)
    return next(iter(found)) if len(found) == 1 else None


def _tasks(said: Said) -> set[str]:
    return {name.key for name in said.named if name.kind == TASK}


def _outcomes(said: Said) -> Iterable[tuple[float, float]]:
    for value, whole, figure in said.passes:
        if figure.kind == OF and whole is not None and whole <= _MOST_WHOLE:
            yield value, whole


class Agreement(NamedTuple):
    """Of so many things that both reports speak of, how many they see differently."""

    compared: int
    against: int

    @property
    def share(self) -> float:
        """The share of contradictions; 0 where too little was compared."""
        return self.against / self.compared if self.compared >= _LEAST else 0.0


def cause_agreement(candidate: Ledger, golden: Ledger, copies: Sequence[Copy]) -> Agreement:
    """Whether the reports blame the same causes: for the same tasks, and in the same words."""
    pairs = {
        f"task {task}": (found, golden.causes[task])
        for task, found in candidate.causes.items()
        if found and golden.causes.get(task)
    }
    for copy in copies:
        ours, theirs = _causes_of(copy.statement), _causes_of(copy.original)
        if ours and theirs:
            pairs.setdefault(f"{copy.original.passage.headings}{sorted(theirs)}", (ours, theirs))
    return Agreement(len(pairs), sum(not ours & theirs for ours, theirs in pairs.values()))


def _causes_of(statement: Statement) -> set[str]:
    return set(causes(statement.said) or causes(statement.above))


def outcome_agreement(candidate: Ledger, golden: Ledger) -> Agreement:
    """Whether the reports give the same outcomes for the same tasks."""
    compared = against = 0
    for place, found in candidate.outcomes.items():
        known = golden.outcomes.get(place, set())
        for value, whole in found:
            if any(whole == of for _, of in known):
                compared += 1
                against += (value, whole) not in known
    return Agreement(compared, against)
