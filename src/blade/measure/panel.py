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
    answers: list[str | None] = field(default_factory=list)
    """Of each rollout its extracted answer, None where there is none; empty where no field holds any."""
    questions: list[frozenset[str]] = field(default_factory=list)
    """Of each task the hashes of its prompts, without leading instructions; empty where unknown."""
    anonymous: int = 0
    """Rollouts that are owed and missing, of which nobody knows the task."""
    unknown_tasks: int = 0
    """The tasks that these are of."""

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

    @cached_property
    def as_failed(self) -> "Panel":
        """The same run where every rollout that is not measured is a failure, those of unknown tasks too."""
        names = [f"unknown {number}" for number in range(self.unknown_tasks)]
        tasks = np.repeat(np.arange(self.unknown_tasks) + len(self.tasks), _shares(self.anonymous, self.unknown_tasks))
        absent = len(tasks)
        return Panel(
            run=self.run,
            rule=self.rule,
            tasks=self.tasks + names,
            task=np.concatenate([self.task, tasks]),
            rollout=self.rollout + ["unknown"] * absent,
            outcome=np.concatenate([np.maximum(self.outcome, FAILED), np.full(absent, FAILED, dtype=np.int8)]),
            reward=np.concatenate([np.where(self.outcome == NOT_MEASURED, 0.0, self.reward), np.zeros(absent)]),
            place=np.concatenate([self.place, np.full((absent, 2), -1)]),
            spent={name: np.concatenate([values, np.full(absent, np.nan)]) for name, values in self.spent.items()},
            answers=[
                answer if outcome != NOT_MEASURED else None
                for answer, outcome in zip(self.answers, self.outcome.tolist(), strict=False)
            ]
            + [None] * (absent if self.answers else 0),
        )

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
            answers=[self.answers[rollout] for rollout in kept] if self.answers else [],
            questions=[self.questions[task] for task in tasks] if self.questions else [],
        )


def _shares(count: int, parts: int) -> Numbers:
    """A count cut into parts as equal as can be."""
    return np.full(parts, count // max(1, parts)) + (np.arange(parts) < count % max(1, parts))


def share(passed: Numbers, of: Numbers) -> Numbers:
    """`passed / of`, NaN where there is nothing to share."""
    return np.asarray(np.divide(passed, of, out=np.full(len(of), np.nan), where=of > 0))


def load_panel(store: "Store", run: str, rule: PassRule | None = None) -> Panel:
    """The panel of one run of a store."""
    rule = rule or PassRule()
    columns = store.connection.execute(_ROLLOUTS, {"run": run}).fetchnumpy()
    missing = store.connection.execute(_MISSING, {"run": run}).fetchall()
    present = list(zip(map(str, columns["task"]), map(str, columns["rollout"]), strict=True))
    summary = summary_of(store, run)
    missing += _owed_by_config(summary, present)
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
    anonymous, unknown = _unknown(summary, len(names), len(tasks))
    decided = _by_rollout(verdicts(store, run, rule), place)
    decided |= {
        rollout: Verdict("missing", "owed, and neither in the rollouts nor among the failures")
        for rollout in np.flatnonzero(place[:, 0] < 0).tolist()
    }
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
        anonymous=anonymous,
        unknown_tasks=unknown,
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


def _owed_by_config(summary: "RunSummary", present: list[tuple[str, str]]) -> list[tuple[str, str, None]]:
    """The repeats that known tasks lack, where only a config says how many there should be."""
    if summary.expected_from != "config" or not summary.config or not summary.config.get("repeats"):
        return []
    there: dict[str, set[str]] = {}
    for task, rollout in present:
        there.setdefault(task, set()).add(rollout.split(".")[0])
    repeats = range(summary.config["repeats"])
    lacking = {task: [str(each) for each in repeats if str(each) not in seen] for task, seen in there.items()}
    return [
        (task, rollout, None)
        for task, absent in lacking.items()
        for rollout in absent[: max(0, len(repeats) - len(there[task]))]
    ]


def _unknown(summary: "RunSummary", known: int, tasks: int) -> tuple[int, int]:
    """How many rollouts, and of how many tasks, a config owes beyond those that are known."""
    if summary.expected_from != "config" or not summary.expected or not summary.config:
        return 0, 0
    anonymous = max(0, summary.expected - known)
    limit = summary.config.get("task_limit") or tasks
    return anonymous, min(anonymous, max(0, limit - tasks))


def summary_of(store: "Store", run: str) -> "RunSummary":
    """The summary of one run of a store."""
    return next(summary for summary in store.summaries if summary.run == run)
