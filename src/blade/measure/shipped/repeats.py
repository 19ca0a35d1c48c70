"""Keys of Gym 0.7: statistics over repeats, counts of repeats, coverage, token counts of `perf_summary`."""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from blade.measure.shipped.facts import Facts, Mask
from blade.measure.shipped.formulas import Array, Groups
from blade.measure.shipped.report import Tally, agrees, number_of
from blade.measure.shipped.sheet import Solved, View, solved, two_names

_ACROSS = re.compile(r"(mean|median|std|min|max|se|ci_low_95|ci_high_95)_across_repeats/(?:mean/)?(.+)")
_TOKENS = re.compile(r"(mean|median|total)_(prompt|cached_prompt|completion|reasoning)_tokens")
_TOKEN_COLUMNS = {
    "prompt": "input_tokens",
    "cached_prompt": "cached_tokens",
    "completion": "output_tokens",
    "reasoning": "reasoning_tokens",
}


class AcrossRepeats:
    """`mean_across_repeats/reward` and the like: each repeat is one observation, the mean over its rollouts."""

    def parse(self, key: str) -> Hashable | None:
        match = _ACROSS.fullmatch(key)
        return (match[1], match[2]) if match else None

    def columns(self, wanted: Sequence[Any]) -> Iterable[str]:
        return {column for _, column in wanted}

    def solve(self, wanted: Sequence[Any], view: View, /) -> list[Solved | str]:
        repeats, numbers = np.unique(view.rows.repeats, return_inverse=True)
        named = self.columns(wanted)
        means: dict[str, Groups | str] = {}
        for column in named:
            values = two_names(column, named) or view.rows.value(column)
            if isinstance(values, str):
                means[column] = values
            else:
                observed = Groups(values, numbers.astype(np.int64), len(repeats)).mean()
                means[column] = Groups(observed, np.zeros(len(repeats), dtype=np.int64), 1)
        return [solved(name, means[column]) for name, column in wanted]


class RepeatCounts:
    """`num_repeats` of an agent; `sample_count` and `missing_count` of a repeat."""

    _KEYS = ("num_repeats", "sample_count", "missing_count")

    def parse(self, key: str) -> Hashable | None:
        return key if key in self._KEYS else None

    def columns(self, _: Sequence[Any], /) -> Iterable[str]:
        return ()

    def solve(self, wanted: Sequence[Any], view: View, /) -> list[Solved | str]:
        repeats = np.full(view.size, float(len(np.unique(view.rows.repeats))))
        present = view.present()
        known = {
            "num_repeats": repeats,
            "sample_count": present,
            "missing_count": len(np.unique(view.rows.tasks)) - present,
        }
        return [Solved(known[key]) for key in wanted]


class Coverage:
    """`coverage/*`: what is masked among all rows of the agent, whichever of them enter the statistics."""

    _KEYS = ("measured_rollouts", "masked_rollouts", "measured_tasks", "fully_masked_tasks")

    def __init__(self, facts: Facts, where: Mask, masked: Mask) -> None:
        measured = np.unique(facts.task[where & ~masked])
        numbers = (int((where & ~masked).sum()), int(masked.sum()), len(measured))
        lost = len(np.unique(facts.task[where])) - len(measured)
        self._known = dict(zip(self._KEYS, (*numbers, lost), strict=True))

    def parse(self, key: str) -> Hashable | None:
        name = key.removeprefix("coverage/")
        return name if name != key and name in self._known else None

    def columns(self, _: Sequence[Any], /) -> Iterable[str]:
        return ()

    def solve(self, wanted: Sequence[Any], view: View, /) -> list[Solved | str]:
        return [Solved(np.full(view.size, float(self._known[key]))) for key in wanted]


def check_performance(tally: Tally, where: str, summary: Mapping[str, Any], facts: Facts, rows: Mask) -> None:
    """Token counts of `perf_summary`, where they are those of `response.usage`; the rest needs captured calls."""
    kinds: dict[str, dict[str, float]] = {}
    for key, value in summary.items():
        match, number = _TOKENS.fullmatch(key), number_of(value)
        if match and number is not None:
            kinds.setdefault(match[2], {})[match[1]] = number
        elif value is not None:
            tally.skip(f"perf_summary: {key}", "comes from captured model calls, by rules that are not known here")
    for kind, shipped in kinds.items():
        values: Array = facts.fact(_TOKEN_COLUMNS[kind])[rows]
        values = values[~np.isnan(values)]
        ours = {"mean": values.mean(), "median": np.median(values), "total": values.sum()} if len(values) else {}
        right = [name for name, number in shipped.items() if name in ours and agrees(number, float(ours[name]))]
        for name, number in shipped.items():
            key = f"{name}_{kind}_tokens"
            if name in right:
                tally.agree()
            elif right:
                tally.differ(where, key, number, float(ours[name]), why="Nothing here explains it.")
            else:
                tally.skip(f"perf_summary: {key}", "is not that of `response.usage`: perhaps of captured calls")
