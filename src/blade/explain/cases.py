"""Every rollout of every run of one analysis, as columns: what modes are looked for in, over all runs together."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from blade.errors import InputError
from blade.measure.outcomes import FAILED, NOT_MEASURED, PASSED, PassRule, Verdict
from blade.measure.pairing import Pairing, pair
from blade.measure.panel import Numbers, Panel, load_panel
from blade.numbers import counted
from blade.ref import encode

if TYPE_CHECKING:
    from blade.profile import Profile
    from blade.scan.store import Store

_Made = TypeVar("_Made")

_ROWS_OF_A_FILE: Final = 1 << 44
"""More bytes than a file has: file and offset together make one number."""


def _nothing_read(store: "Store") -> InputError:
    """What to say of runs that hold no rollout: whose file it is, and why its first line was skipped."""
    files = [path for summary in store.summaries for path in summary.files]
    skipped = [line for summary in store.summaries for line in summary.skipped]
    if not skipped:
        return InputError("nothing was read: there is no rollout in it", file=", ".join(files[:3]))
    count = sum(summary.skipped_count for summary in store.summaries)
    first = skipped[0]
    hint = f"{counted(count, 'line')} skipped in all: `blade runs` says why"
    return InputError(f"nothing was read: {first.why}", file=first.file, line=first.line, hint=hint)


class Cases:
    """The rollouts of some runs, one after the other, each with a number.

    A task has the same number in every run that has it, by the rule of `blade.measure.pairing` against the first
    run. A stratum is one task in one run: rollouts of one stratum differ in nothing but chance and conduct.
    """

    def __init__(
        self, store: "Store", panels: Sequence[Panel], *, by_id: bool = False, profile: "Profile | None" = None
    ) -> None:
        self.store, self.profile = store, profile
        self.panels = list(panels)
        self.starts = np.cumsum([0, *(len(panel.task) for panel in panels)])
        self.run = np.repeat(np.arange(len(panels)), np.diff(self.starts))
        self.pairings = [pair(store, panels[0], panel, by_id=by_id) for panel in panels[1:]]
        numbers = _task_numbers(panels, self.pairings)
        self.task = _joined([number[panel.task] for number, panel in zip(numbers, panels, strict=True)])
        self.tasks = max((int(number.max()) + 1 for number in numbers if len(number)), default=0)
        self.outcome = _joined([panel.outcome for panel in panels])
        self.reward = np.concatenate([panel.reward for panel in panels]) if panels else np.zeros(0)
        self._keys = _joined([_key(panel.place[:, 0], panel.place[:, 1]) for panel in panels])
        self._order = np.argsort(self._keys, kind="stable")
        self._made: dict[Any, list[Any]] = {}

    @classmethod
    def of(
        cls,
        store: "Store",
        runs: Sequence[str],
        rule: PassRule,
        *,
        by_id: bool = False,
        profile: "Profile | None" = None,
    ) -> "Cases":
        """The rollouts of these runs of a store, the baseline first; `InputError` where there is none at all."""
        made = cls(store, [load_panel(store, run, rule) for run in runs], by_id=by_id, profile=profile)
        if not len(made) and not any(panel.anonymous for panel in made.panels):
            raise _nothing_read(store)
        return made

    def __len__(self) -> int:
        return len(self.run)

    @property
    def runs(self) -> list[str]:
        return [panel.run for panel in self.panels]

    @cached_property
    def passed(self) -> Numbers:
        return np.asarray(self.outcome == PASSED)

    @cached_property
    def failed(self) -> Numbers:
        return np.asarray(self.outcome == FAILED)

    @cached_property
    def measured(self) -> Numbers:
        return np.asarray(self.outcome != NOT_MEASURED)

    @cached_property
    def stratum(self) -> Numbers:
        """Of each rollout the number of its task in its run."""
        return self.run * max(1, self.tasks) + self.task

    def by_task(self, chosen: Numbers) -> Numbers:
        """How many of the chosen rollouts each run has of each task, as runs × tasks."""
        tasks = max(1, self.tasks)
        counts = np.bincount(self.stratum[chosen], minlength=len(self.panels) * tasks)
        return counts.reshape(len(self.panels), tasks)

    def find(self, file: Any, row: Any) -> Numbers:
        """The numbers of rollouts, by file and row of the store; -1 for rows that do not count."""
        wanted = _key(np.asarray(file, dtype=np.int64), np.asarray(row, dtype=np.int64))
        if not len(self._keys):
            return np.full(len(wanted), -1)
        places = np.minimum(np.searchsorted(self._keys, wanted, sorter=self._order), len(self._keys) - 1)
        found = self._order[places]
        return np.where((self._keys[found] == wanted) & (wanted >= 0), found, -1)

    def ref(self, case: int, step: int = -1) -> str:
        """The ref of a rollout, with a step where one is given."""
        return self.refs(np.array([case]), [step])[0]

    def refs(self, cases: Numbers, steps: Sequence[int]) -> list[str]:
        """The refs of rollouts, each with its step where that is not -1."""
        names = self._names
        found = map(names.__getitem__, cases.tolist())
        return [name if step < 0 else f"{name}#{step}" for name, step in zip(found, steps, strict=True)]

    @cached_property
    def _names(self) -> list[str]:
        """The refs of all rollouts."""
        found = []
        for panel in self.panels:
            run, tasks = encode(panel.run), [encode(task) for task in panel.tasks]
            places = zip(panel.task.tolist(), panel.rollout, strict=True)
            found += [f"{run}:{tasks[task]}/{encode(rollout)}" for task, rollout in places]
        return found

    def once(self, compute: "Callable[[Cases], Iterable[_Made]]") -> list[_Made]:
        """What a function makes of these rollouts, made when it is first asked for and then kept."""
        if compute not in self._made:
            self._made[compute] = list(compute(self))
        return self._made[compute]

    def verdict(self, case: int) -> Verdict | None:
        """What was found about a rollout beyond its reward."""
        run = int(self.run[case])
        return self.panels[run].verdicts.get(int(case - self.starts[run]))

    def place(self, case: int) -> tuple[int, int]:
        """File and row of a rollout in the store; -1 for a missing one."""
        run = int(self.run[case])
        file, row = self.panels[run].place[case - self.starts[run]].tolist()
        return file, row

    def of_run(self, run: int) -> slice:
        """Where the rollouts of a run stand."""
        return slice(int(self.starts[run]), int(self.starts[run + 1]))

    def mask(self, cases: Numbers) -> Numbers:
        """Which rollouts are among these."""
        found = np.zeros(len(self), dtype=bool)
        found[cases] = True
        return found

    def rows(self, query: str, **parameters: Any) -> tuple[Numbers, dict[str, Numbers]]:
        """Ask the store for columns with `file` and `row`; of each row that counts its rollout, and the columns."""
        columns = self.store.connection.execute(query, parameters).fetchnumpy()
        case = self.find(_integers(columns.pop("file")), _integers(columns.pop("row")))
        known = case >= 0
        return case[known], {name: _plain(values)[known] for name, values in columns.items()}


def _plain(values: Any) -> Numbers:
    """A column without a mask: where a value is absent, as objects with None."""
    if not np.ma.is_masked(values):
        return np.ma.getdata(values)
    objects = np.ma.getdata(values).astype(object)
    objects[np.ma.getmaskarray(values)] = None
    return objects


def _integers(values: Any) -> Numbers:
    return np.ma.filled(np.ma.asarray(values), -1).astype(np.int64)


def _key(file: Numbers, row: Numbers) -> Numbers:
    return np.where(file < 0, -1, file * _ROWS_OF_A_FILE + row)


def _joined(parts: list[Numbers]) -> Numbers:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def _task_numbers(panels: Sequence[Panel], pairings: Sequence[Pairing]) -> list[Numbers]:
    """Of each run the numbers of its tasks: those of the first run where they are the same, else new ones."""
    numbers = [np.arange(len(panels[0].tasks))] if panels else []
    following = len(panels[0].tasks) if panels else 0
    for panel, pairing in zip(panels[1:], pairings, strict=True):
        number = np.full(len(panel.tasks), -1)
        number[pairing.candidate] = pairing.baseline
        new = np.flatnonzero(number < 0)
        number[new] = following + np.arange(len(new))
        following += len(new)
        numbers.append(number)
    return numbers
