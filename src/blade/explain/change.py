"""Why two runs differ, as records: the terms of the difference by mode and cause, the flows, the answer in words."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

from blade.explain import account, story
from blade.explain.account import PASSED, Pair, Part
from blade.explain.assign import Assigned
from blade.explain.cases import Cases
from blade.explain.mode import Mode
from blade.explain.records import CauseTerm, Explained, Flow, RewardTerm, SliceTerm, Term
from blade.explain.story import Lost
from blade.measure.comparison import Comparison
from blade.measure.panel import Numbers
from blade.measure.run import Settings
from blade.measure.slices import Seen, slice_by
from blade.vocabulary import CAUSES

if TYPE_CHECKING:
    from blade.scan.store import Store

_CAUSE_NAMES: Final = tuple(CAUSES)
_MOST_SLICE_TERMS: Final = 5
_SMALLEST_SLICE_TERM: Final = 0.005


class Change:
    """What the modes of an analysis say of the difference of two of its runs."""

    def __init__(self, store: "Store", cases: Cases, assigned: Assigned, settings: Settings) -> None:
        self.store, self.cases, self.assigned, self.settings = store, cases, assigned, settings
        self.cause = np.array([_CAUSE_NAMES.index(mode.cause) for mode in assigned.modes], dtype=np.int64)

    def explained(self, comparison: Comparison, candidate: int) -> Explained:
        """A comparison with the terms of its difference."""
        pair = Pair.of(self.cases, candidate)
        settings = {"seed": self.settings.seed, "level": self.settings.level}
        kinds = len(self.assigned.modes)
        terms = account.parts(pair, self.assigned.mode, kinds, **settings)  # type: ignore[arg-type]
        cause = np.append(self.cause, -1)[self.assigned.mode]
        by_cause = account.parts(pair, cause, len(_CAUSE_NAMES), **settings)  # type: ignore[arg-type]
        rewards = None
        if comparison.reward_delta is not None:
            found = account.reward_parts(pair, self.assigned.mode, kinds, level=self.settings.level)
            rewards = [self._reward_term(part) for part in found]
        explained = Explained(
            **{name: getattr(comparison, name) for name in comparison.__struct_fields__},
            terms=[self._term(pair, part) for part in terms],
            cause_terms=[_cause_term(part) for part in by_cause],
            reward_terms=rewards,
            flows=[
                Flow(from_=self._named(source), to=self._named(target), points=points)
                for source, target, points in account.flows(pair, self.assigned)
            ],
            slice_terms=list(self._slice_terms(pair, comparison)),
            answer=[],
        )
        explained.answer = story.answer(explained, self._lost(pair))
        return explained

    def _lost(self, pair: Pair) -> list[Lost]:
        """The rollouts of two runs that are not measured, by mode."""
        spans = [self.cases.of_run(run) for run in pair.runs]
        found = []
        for number, mode in enumerate(self.assigned.modes):
            own = [self.assigned.having(number, span) for span in spans]
            first, second = (each[~self.cases.measured[each]] for each in own)
            if len(first) or len(second):
                one = second[:1] if len(second) >= len(first) else first[:1]
                found.append(Lost(mode.title, len(first), len(second), self._refs(mode, one)[0]))
        return found

    def _named(self, kind: int) -> str:
        return self.assigned.modes[kind].key if kind < len(self.assigned.modes) else PASSED

    def _term(self, pair: Pair, part: Part) -> Term:
        mode = self.assigned.modes[part.kind]
        own = self.assigned.having(part.kind)
        own = own[pair.common[own] >= 0]
        low, high = _ends(part, 100)
        return Term(
            mode=mode.key,
            title=mode.title,
            cause=mode.cause,
            owner=mode.owner,
            points=100 * part.value,
            low=low,
            high=high,
            within_noise=part.within_noise,
            baseline=100 * part.baseline,
            candidate=100 * part.candidate,
            refs=self._refs(mode, own),
        )

    def _reward_term(self, part: Part) -> RewardTerm:
        low, high = _ends(part, 1)
        if part.kind == len(self.assigned.modes):
            return RewardTerm(
                mode=PASSED, title="Partial credit in passes", cause="unknown", value=part.value, low=low, high=high
            )
        mode = self.assigned.modes[part.kind]
        return RewardTerm(mode=mode.key, title=mode.title, cause=mode.cause, value=part.value, low=low, high=high)

    def _slice_terms(self, pair: Pair, comparison: Comparison) -> Iterator[SliceTerm]:
        """What the modes add within the slices that differ beyond noise."""
        told = {
            (one.field, one.value) for one in comparison.slices if one.p_adjusted is not None and one.p_adjusted < 0.05
        }
        if not told:
            return
        panels = [self.cases.panels[run] for run in pair.runs]
        seen = Seen.of([panels[0].only(pair.tasks), panels[1].only(self._tasks_of(pair))])
        kinds = len(self.assigned.modes)
        first, second = (pair.shares(side, self.assigned.mode, kinds) for side in (0, 1))
        for field in sorted({field for field, _ in told}):
            for value, tasks in slice_by(self.store, seen, field).groups():
                if (field, value) not in told:
                    continue
                points = 100 * (first[tasks] - second[tasks]).mean(axis=0)
                for number in np.argsort(-np.abs(points), kind="stable")[:_MOST_SLICE_TERMS].tolist():
                    if abs(points[number]) < _SMALLEST_SLICE_TERM:
                        continue
                    mode = self.assigned.modes[number]
                    yield SliceTerm(
                        field=field,
                        value=value,
                        mode=mode.key,
                        title=mode.title,
                        cause=mode.cause,
                        points=float(points[number]),
                    )

    def _tasks_of(self, pair: Pair) -> Numbers:
        """The common tasks as the candidate's panel numbers them."""
        pairing = self.cases.pairings[pair.runs[1] - 1]
        place = np.full(self.cases.tasks, -1)
        place[pairing.baseline] = pairing.candidate
        return place[pair.tasks]

    def _refs(self, mode: Mode, cases: Numbers) -> list[str]:
        return self.cases.refs(cases, mode.steps_of(cases))


def _ends(part: Part, scale: float) -> tuple[float | None, float | None]:
    return (None, None) if part.interval is None else (scale * part.interval.low, scale * part.interval.high)


def _cause_term(part: Part) -> CauseTerm:
    low, high = _ends(part, 100)
    return CauseTerm(
        cause=_CAUSE_NAMES[part.kind], points=100 * part.value, low=low, high=high, within_noise=part.within_noise
    )
