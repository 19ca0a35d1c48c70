"""One task with all that is known of it: every repeat in every run, why it fails, beside what passes."""

import difflib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from blade.errors import InputError
from blade.explain import judgement
from blade.explain.assign import Assigned, assign
from blade.explain.cases import Cases
from blade.explain.evidence import Asked, examples
from blade.explain.health.registry import Subject, findings
from blade.explain.labels import Labels
from blade.explain.mode import Mode
from blade.explain.prompts import prompts_of
from blade.explain.records import Finding, Quote, TaskLabel
from blade.explain.side_by_side import side_by_side
from blade.explain.two_sides import SideBySides, expected_sides, told
from blade.measure.outcomes import FAILED, PASSED
from blade.measure.panel import Numbers
from blade.measure.run import Settings

if TYPE_CHECKING:
    from blade.scan.store import Store

_LONGEST: Final = 2_000
_OUTCOMES: Final = {PASSED: "passed", FAILED: "failed"}

_SIGNALS: Final = """
WITH asked AS (SELECT unnest($files) AS file, unnest($rows) AS row)
SELECT DISTINCT file, row, signal, CASE WHEN detail = '' THEN NULL ELSE detail END AS detail
FROM signals JOIN asked USING (file, row) ORDER BY file, row, signal, detail
"""
_ANSWERS: Final = """
WITH asked AS (SELECT unnest($files) AS file, unnest($rows) AS row)
SELECT file, row, answer FROM rollouts JOIN asked USING (file, row) WHERE answer IS NOT NULL
"""


class Attempt(msgspec.Struct, kw_only=True):
    """One rollout of the task."""

    ref: str
    outcome: str
    """`passed`, `failed` or `not measured`."""
    why: str | None
    """Why it is not measured, with what shows it."""
    reward: float | None
    answer: str | None
    expected: list[tuple[str, str | None, str, str | None]]
    """What is compared: the field that expects and its value, the field that was given and its value."""
    signals: list[str]
    mode: str | None
    title: str | None
    cause: str | None
    owner: str | None
    tier: str | None
    rule: str | None
    also: list[str]
    """Titles of other accepted modes that it shows."""
    evidence: Quote | None


class RunOfTask(msgspec.Struct, kw_only=True):
    """The task in one run."""

    run: str
    label: TaskLabel
    attempts: list[Attempt]
    contrast: SideBySides | None
    expected: SideBySides | None


class TaskStory(msgspec.Struct, kw_only=True):
    """All that is known of one task."""

    task: str
    prompt: str
    runs: list[RunOfTask]
    health: list[Finding]
    """What speaks against the task itself."""


def tell_task(store: "Store", task: str, settings: Settings | None = None, *, by_id: bool = False) -> TaskStory:
    """One task in every run of a store, by its name in the first run that has it."""
    settings = settings or Settings()
    runs = [summary.run for summary in store.summaries]
    cases = Cases.of(store, runs, settings.rule, by_id=by_id, profile=settings.profile)
    number = _number(cases, task)
    return _Telling(cases, settings).story(task, number)


def _number(cases: Cases, task: str) -> int:
    """The number of a task; `InputError` with the nearest names where there is none."""
    for run, panel in enumerate(cases.panels):
        if task in panel.tasks:
            own = np.flatnonzero(panel.task == panel.tasks.index(task))
            if len(own):
                return int(cases.task[cases.starts[run] + own[0]])
    names = sorted({name for panel in cases.panels for name in panel.tasks})
    close = difflib.get_close_matches(task, names, 3) or names[:5]
    raise InputError(f"no run has a task {task}", hint=f"there are {len(names):,}, such as {', '.join(close)}")


class _Telling:
    """The analysis that one task is told from."""

    def __init__(self, cases: Cases, settings: Settings) -> None:
        self.cases, self.settings = cases, settings
        self.assigned: Assigned = assign(cases)
        self.labels = Labels(cases, self.assigned)

    def story(self, name: str, number: int) -> TaskStory:
        cases = self.cases
        shown = np.flatnonzero(cases.task == number)
        prompt = next(iter(prompts_of(cases, [number])), None)
        found = findings(Subject(cases, self.settings))
        refs = {cases.ref(case) for case in shown.tolist()}
        return TaskStory(
            task=name,
            prompt=prompt.messages[-1][1][:_LONGEST] if prompt and prompt.messages else "",
            runs=[self._run(run, shown[cases.run[shown] == run]) for run in np.unique(cases.run[shown]).tolist()],
            health=[_only(finding, name, refs) for finding in found if name in finding.tasks],
        )

    def _run(self, run: int, shown: Numbers) -> RunOfTask:
        panel = self.cases.panels[run]
        task = panel.tasks[int(panel.task[shown[0] - self.cases.starts[run]])]
        label = next(each for each in self.labels.of_run(run) if each.task == task)
        failing = [case for case in shown.tolist() if self.cases.failed[case]]
        return RunOfTask(
            run=panel.run,
            label=label,
            attempts=list(self._attempts(shown)),
            contrast=self._contrast(failing),
            expected=self._expected(failing),
        )

    def _attempts(self, shown: Numbers) -> Iterator[Attempt]:
        signals, answers = self._signals(shown), self._answers(shown)
        pairs = judgement.judged(self.cases).pairs
        for case in shown.tolist():
            place = int(self.assigned.mode[case])
            mode = self.assigned.modes[place] if place >= 0 else None
            verdict = self.cases.verdict(case)
            reward = float(self.cases.reward[case])
            quotes = examples(self.cases, [Asked(mode, np.array([case]))]) if mode else {}
            yield Attempt(
                ref=self.cases.ref(case, mode.step_of(case) if mode else -1),
                outcome=_OUTCOMES.get(int(self.cases.outcome[case]), "not measured"),
                why=f"{verdict.why}: {verdict.detail}" if verdict and verdict.why else None,
                reward=None if np.isnan(reward) else reward,
                answer=answers.get(case),
                expected=[
                    (pair.expected_field, pair.expected[case], pair.given_field, pair.given[case])
                    for pair in pairs
                    if pair.expected[case] is not None
                ],
                signals=signals.get(case, []),
                mode=mode.key if mode else None,
                title=mode.title if mode else None,
                cause=mode.cause if mode else None,
                owner=mode.owner if mode else None,
                tier=mode.tier if mode else None,
                rule=mode.rule if mode else None,
                also=self._also(case, mode),
                evidence=next(iter(quotes.values()), None),
            )

    def _also(self, case: int, own: Mode | None) -> list[str]:
        """Titles of other accepted modes that a rollout shows."""
        told = [mode for mode in self.assigned.tried if mode.key in self.assigned.accepted and case in mode.cases]
        return [mode.title for mode in told if own is None or mode.key != own.key]

    def _signals(self, shown: Numbers) -> dict[int, list[str]]:
        case, found = self.cases.rows(_SIGNALS, **self._places(shown))
        told: dict[int, list[str]] = {}
        for number, signal, detail in zip(case.tolist(), found["signal"], found["detail"], strict=True):
            told.setdefault(number, []).append(f"{signal} ({detail})" if detail else str(signal))
        return told

    def _answers(self, shown: Numbers) -> dict[int, str]:
        case, found = self.cases.rows(_ANSWERS, **self._places(shown))
        return dict(zip(case.tolist(), map(str, found["answer"]), strict=True))

    def _places(self, shown: Numbers) -> dict[str, list[int]]:
        places = [self.cases.place(case) for case in shown.tolist()]
        return {"files": [file for file, _ in places], "rows": [row for _, row in places]}

    def _contrast(self, failing: list[int]) -> SideBySides | None:
        """The failing rollout that parts most plainly from a pass, beside it."""
        found = [one for case in failing if (one := side_by_side(self.cases, case))]
        one = min(found, key=lambda each: (each.parting is None, len(each.rows)), default=None)
        return one and told(one)

    def _expected(self, failing: list[int]) -> SideBySides | None:
        """The first failing rollout that does other than is expected, beside it."""
        return next((one for case in failing if (one := expected_sides(self.cases, case))), None)


def _only(finding: Finding, task: str, refs: set[str]) -> Finding:
    """A finding as far as it concerns one task."""
    own = [ref for ref in finding.refs if ref.split("#")[0] in refs]
    quotes = [quote for quote in finding.quotes if quote.ref.split("#")[0] in refs]
    return msgspec.structs.replace(finding, tasks=[task], refs=own, quotes=quotes)
