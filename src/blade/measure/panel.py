"""The rollouts of one run as columns: what every rate, interval and comparison is computed from."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from blade.measure.outcomes import FAILED, NOT_MEASURED, PASSED, PassRule, Verdict, verdicts
from blade.ref import Ref

if TYPE_CHECKING:
    from blade.scan.store import Store
    from blade.scan.summary import RunSummary

Numbers = npt.NDArray[Any]

SPENT: Final = {
    "input tokens": "input_tokens",
    "output tokens": "output_tokens",
    "reasoning tokens": "reasoning_tokens",
    "total tokens": "coalesce(total_tokens, input_tokens + output_tokens)",
    "steps": "steps",
    "tool calls": "coalesce(calls, 0)",
    "seconds": "elapsed_seconds",
    "cost": "cost",
}
"""What a rollout spends, and how it is read off the store; unknown is null, never zero."""

_ROLLOUTS: Final = f"""
SELECT task, rollout, standing, file, row, reward, question_hash, prompt_hash,
       {", ".join(f'({expression})::DOUBLE AS "{name}"' for name, expression in SPENT.items())}
FROM rollouts LEFT JOIN (SELECT file, row, count(*) AS calls FROM actions GROUP BY ALL) USING (file, row)
WHERE run = $run AND standing IN ('row', 'failed')
"""

_MISSING: Final = """
SELECT task, rollout, any_value(coalesce(question_hash, prompt_hash))
FROM owed LEFT JOIN inputs i USING (run, task, rollout)
WHERE run = $run AND standing = 'missing' GROUP BY ALL
"""

_REPEAT: Final = re.compile(r"\d+")


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One run: a row per rollout that is there or owed, sorted by task and repeat."""

    run: str
    rule: PassRule
    tasks: list[str]
    """Names of the tasks, numbers in their order first."""
    task: Numbers
    """Of each rollout the place of its task in `tasks`."""
    rollout: list[str]
    outcome: Numbers
    """Of each rollout PASSED, FAILED or NOT_MEASURED of `blade.measure.outcomes`."""
    reward: Numbers
    """NaN where there is none."""
    place: Numbers
    """File and row of each rollout in the store; -1 for a missing one."""
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    """Rollouts (by their place here) that something other than the reward decided, or that contradict themselves."""
    spent: dict[str, Numbers] = field(default_factory=dict)
    questions: list[frozenset[str]] = field(default_factory=list)
    """Of each task the hashes of its prompts, without leading instructions; empty where unknown."""
    anonymous: int = 0
    """Rollouts that are owed by a config and missing, of which nobody knows the task."""

    @cached_property
    def passed(self) -> Numbers:
        """Passing rollouts of each task."""
        return np.bincount(self.task[self.outcome == PASSED], minlength=len(self.tasks))

    @cached_property
    def measured(self) -> Numbers:
        """Measured rollouts of each task."""
        return np.bincount(self.task[self.outcome != NOT_MEASURED], minlength=len(self.tasks))

    @cached_property
    def owed(self) -> Numbers:
        """Rollouts of each task, measured or not."""
        return np.bincount(self.task, minlength=len(self.tasks))

    @cached_property
    def turn(self) -> Numbers:
        """Of each rollout its place among the measured ones of its task, from 0; -1 where it is not measured."""
        measured = self.outcome != NOT_MEASURED
        before = np.cumsum(measured) - measured
        firsts = np.searchsorted(self.task, self.task)
        return np.where(measured, before - before[firsts], -1) if len(self.task) else before

    def means(self, values: Numbers, chosen: Numbers | None = None) -> Numbers:
        """Of each task the mean of a value over its chosen rollouts, by default the measured ones; NaN for none."""
        chosen = self.outcome != NOT_MEASURED if chosen is None else chosen
        chosen = chosen & ~np.isnan(values)
        counts = np.bincount(self.task[chosen], minlength=len(self.tasks))
        sums = np.bincount(self.task[chosen], weights=values[chosen], minlength=len(self.tasks))
        return share(sums, counts)

    @cached_property
    def shares(self) -> Numbers:
        """Of each task the share of its measured rollouts that pass; NaN where none is measured."""
        return share(self.passed, self.measured)

    def ref(self, rollout: int) -> str:
        """The ref of a rollout."""
        return str(Ref(self.run, self.tasks[self.task[rollout]], self.rollout[rollout]))

    def refs(self, chosen: Numbers) -> list[str]:
        """The refs of the rollouts at which `chosen` is true."""
        return [self.ref(rollout) for rollout in np.flatnonzero(chosen).tolist()]

    def only(self, tasks: Sequence[int] | Numbers) -> "Panel":
        """The panel of some of its tasks, in the order given."""
        tasks = np.asarray(tasks, dtype=np.int64)
        place = np.full(len(self.tasks), -1)
        place[tasks] = np.arange(len(tasks))
        order = np.argsort(place[self.task], kind="stable")
        kept = order[place[self.task][order] >= 0]
        moved = {int(old): new for new, old in enumerate(kept)}
        return Panel(
            run=self.run,
            rule=self.rule,
            tasks=[self.tasks[task] for task in tasks],
            task=place[self.task][kept],
            rollout=[self.rollout[rollout] for rollout in kept],
            outcome=self.outcome[kept],
            reward=self.reward[kept],
            place=self.place[kept],
            verdicts={moved[old]: verdict for old, verdict in self.verdicts.items() if old in moved},
            spent={name: values[kept] for name, values in self.spent.items()},
            questions=[self.questions[task] for task in tasks] if self.questions else [],
        )


def share(passed: Numbers, of: Numbers) -> Numbers:
    """`passed / of`, NaN where there is nothing to share."""
    return np.asarray(np.divide(passed, of, out=np.full(len(of), np.nan), where=of > 0))


def load_panel(store: "Store", run: str, rule: PassRule | None = None) -> Panel:
    """The panel of one run of a store."""
    rule = rule or PassRule()
    columns = store.connection.execute(_ROLLOUTS, {"run": run}).fetchnumpy()
    missing = store.connection.execute(_MISSING, {"run": run}).fetchall()
    names = [*map(str, columns["task"]), *(task for task, _, _ in missing)]
    tasks = sorted(set(names), key=natural)
    number = {task: place for place, task in enumerate(tasks)}
    task = np.fromiter(map(number.__getitem__, names), dtype=np.int64, count=len(names))
    rollouts = [*map(str, columns["rollout"]), *(rollout for _, rollout, _ in missing)]
    order = _in_order(task, rollouts)
    absent = len(missing)
    reward = np.concatenate([_plain(columns["reward"]), np.full(absent, np.nan)])
    file, row = (
        np.concatenate([_plain(columns[name]), np.full(absent, -1)]).astype(np.int64) for name in ("file", "row")
    )
    place = np.stack([file, row], axis=1)[order]
    decided = _by_rollout(verdicts(store, run, rule), place)
    decided |= {rollout: Verdict("missing") for rollout in np.flatnonzero(place[:, 0] < 0).tolist()}
    return Panel(
        run=run,
        rule=rule,
        tasks=tasks,
        task=task[order],
        rollout=[rollouts[rollout] for rollout in order],
        outcome=_outcomes(reward[order], rule, decided),
        reward=reward[order],
        place=place,
        verdicts=decided,
        spent={name: np.concatenate([_plain(columns[name]), np.full(absent, np.nan)])[order] for name in SPENT},
        questions=_questions(columns, missing, number),
        anonymous=_anonymous(store, run, len(names)),
    )


def _outcomes(reward: Numbers, rule: PassRule, decided: dict[int, Verdict]) -> Numbers:
    outcome = np.where(np.isnan(reward), NOT_MEASURED, np.where(rule.passes(reward), PASSED, FAILED)).astype(np.int8)
    outcome[[rollout for rollout, verdict in decided.items() if verdict.why]] = NOT_MEASURED
    return outcome


def _by_rollout(found: dict[tuple[int, int], Verdict], place: Numbers) -> dict[int, Verdict]:
    """Verdicts on rows of the store as verdicts on rollouts of the panel."""
    where = {tuple(row): rollout for rollout, row in enumerate(place.tolist())}
    return {where[row]: verdict for row, verdict in found.items() if row in where}


def _plain(values: Any) -> Numbers:
    """A column of numbers; null as NaN."""
    return np.ma.filled(np.ma.asarray(values, dtype=np.float64), np.nan)


def natural(text: str) -> tuple[Any, ...]:
    """A key that sorts texts as people do, numbers by their value."""
    return tuple(
        (0, int(part), "") if part.isdigit() and part.isascii() else (1, 0, part)
        for part in re.split(r"(\d+)", text)
        if part
    )


def _in_order(task: Numbers, rollouts: list[str]) -> list[int]:
    """Rollouts by task, then by repeat: the number of a repeat counts, not its text."""
    repeats = [int(match[0][:18]) if (match := _REPEAT.match(rollout)) else 0 for rollout in rollouts]
    return sorted(range(len(rollouts)), key=lambda place: (task[place], repeats[place], rollouts[place]))


def _questions(columns: dict[str, Any], missing: list[Any], number: dict[str, int]) -> list[frozenset[str]]:
    found: list[set[str]] = [set() for _ in number]
    for task, question, prompt in zip(
        columns["task"], _texts(columns["question_hash"]), _texts(columns["prompt_hash"]), strict=True
    ):
        if known := question or prompt:
            found[number[task]].add(known)
    for task, _, known in missing:
        if known:
            found[number[task]].add(known)
    return [frozenset(hashes) for hashes in found]


def _texts(values: Any) -> list[str | None]:
    return np.ma.filled(np.ma.asarray(values, dtype=object), None).tolist()  # type: ignore[no-any-return]


def _anonymous(store: "Store", run: str, known: int) -> int:
    """Rollouts that a config owes beyond those whose tasks are known."""
    summary = summary_of(store, run)
    return max(0, summary.expected - known) if summary.expected_from == "config" and summary.expected else 0


def summary_of(store: "Store", run: str) -> "RunSummary":
    """The summary of one run of a store."""
    return next(summary for summary in store.summaries if summary.run == run)
