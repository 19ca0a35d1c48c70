"""`pass@k`, averages, majorities and places: the keys that a server's `compute_metrics` adds.

Which score a name stands for, which field holds the answer and which one names the subset is the
server's own affair. It is found out here: the candidate that gives most of the shipped numbers, where
it gives at least half of them, is taken for the definition, and the others are held against it.
"""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from blade.measure.shipped.facts import Facts, Rows
from blade.measure.shipped.formulas import (
    Array,
    Whole,
    average_deviation,
    average_of,
    by_place,
    deviation,
    majority_at,
    pass_at,
    scores,
)
from blade.measure.shipped.report import agrees, number_of
from blade.measure.shipped.sheet import LONGEST_KEY, Solved, View

_KEY = re.compile(
    r"(?:(?P<subset>[^@]+)/)?(?:pass@(?P<best>\d{1,6})|pass@1\[avg-of-(?P<mean>\d{1,6})\]|majority@(?P<most>\d{1,6}))"
    r"/(?P<name>[^/]+)(?:/(?P<spread>std_dev_across_runs|std_err_across_runs|avg_sample_std_dev))?"
)
_PLACE = re.compile(r"(?:(?P<subset>[^\[\]]+)/)?per_sample_aggregate\[(?P<name>[^\[\]]+)\]\[(?P<place>\d{1,6})\]")
_ANSWER_WORDS = ("extracted", "predict", "answer", "parsed", "response_text", "pred")
_MOST_PLACES = 10_000


class Asked(NamedTuple):
    """One number of this family."""

    subset: str | None
    name: str
    what: str
    k: int


class Definition(NamedTuple):
    """What a server may mean by a name: the column of the score, the answer's field, the subset's field."""

    score: str
    answer: str | None = None
    full: bool = False
    subset: str | None = None


def flatten(metrics: Mapping[str, Any]) -> dict[str, Any]:
    """Metrics with the lists of `per_sample_aggregate` opened as `per_sample_aggregate[name][place]`."""
    flat: dict[str, Any] = {}
    for key, value in metrics.items():
        if key.rpartition("/")[2] != "per_sample_aggregate" or not isinstance(value, dict):
            flat[key] = value
            continue
        for name, places in value.items():
            listed = places if isinstance(places, list) else [places]
            flat.update((f"{key}[{name}][{place}]", one) for place, one in enumerate(listed[:_MOST_PLACES]))
    return flat


class ScoreKeys:
    """The family of these keys, for one entry of a sidecar."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._meant: dict[tuple[bool, str, bool], Definition | str] = {}

    def parse(self, key: str) -> Hashable | None:
        if match := _PLACE.fullmatch(key):
            return Asked(match["subset"], match["name"], "place", int(match["place"]))
        match = _KEY.fullmatch(key)
        if not match:
            return None
        what = next(name for name in ("best", "mean", "most") if match[name])
        spread = match["spread"]
        if spread and what != "mean":
            return None
        return Asked(match["subset"], match["name"], spread or what, int(match[what]))

    def columns(self, wanted: Sequence[Any]) -> Iterable[str]:
        names = {asked.name for asked in wanted}
        return names | {"reward"} if "accuracy" in names else names

    def learn(self, shipped: Mapping[str, Any], readings: Sequence[Rows]) -> None:
        """Find out what each name means, from numbers that some reading of the rows gives."""
        groups: dict[tuple[bool, str, bool], list[tuple[Asked, float]]] = defaultdict(list)
        for key, value in shipped.items():
            asked: Any = self.parse(key) if len(key) <= LONGEST_KEY else None
            number = number_of(value)
            if asked and number is not None:
                groups[asked.subset is not None, asked.name, asked.what == "most"].append((asked, number))
        for bucket in sorted(groups):  # whole sets before subsets, which build on them
            self._meant[bucket] = self._best(bucket, groups[bucket], readings)

    def _best(
        self, bucket: tuple[bool, str, bool], numbers: list[tuple[Asked, float]], readings: Sequence[Rows]
    ) -> Definition | str:
        found, most = None, 0
        for definition in self._candidates(bucket, [asked for asked, _ in numbers]):
            for rows in readings:
                ours = self._numbers(definition, [asked for asked, _ in numbers], rows)
                right = sum(agrees(number, one) for (_, number), one in zip(numbers, ours, strict=True))
                if right > most:
                    found, most = definition, right
            if most == len(numbers):
                break
        if found and 2 * most >= len(numbers):
            return found
        in_subset, name, majority = bucket
        if name == "accuracy" and not in_subset and not majority:
            return Definition("reward")
        what = "field of the answer" if majority else "score"
        return f"the server's own definition: no {what} in the rows gives these numbers"

    def _candidates(self, bucket: tuple[bool, str, bool], asked: list[Asked]) -> Iterable[Definition]:
        in_subset, name, majority = bucket
        named = [score for score in ("reward", name) if score == name or name == "accuracy"]
        answers = self._facts.fields_like(_ANSWER_WORDS) if majority or name == "no_answer" else []
        if majority:
            plain = [Definition(score, field, full) for score in named for field in answers for full in (False, True)]
        elif name == "no_answer":
            plain = [*(Definition("no_answer", field) for field in answers), Definition(name)]
        else:
            plain = [Definition(score) for score in named]
        if not in_subset:
            return plain
        known = self._meant.get((False, name, majority))
        chosen = [known] if isinstance(known, Definition) else plain
        fields = self._facts.fields_with_texts(sorted({one.subset for one in asked if one.subset}))
        return [definition._replace(subset=field) for field in fields for definition in chosen]

    def solve(self, wanted: Sequence[Any], view: View, /) -> list[Solved | str]:
        answers: list[Solved | str] = ["is of all rollouts, not of one group"] * len(wanted)
        if view.size != 1 or (view.groups != 0).any():
            return answers
        by_definition: dict[Definition, list[int]] = defaultdict(list)
        for place, asked in enumerate(wanted):
            meant = self._meant.get((asked.subset is not None, asked.name, asked.what == "most"), "was not learned")
            if isinstance(meant, str):
                answers[place] = meant
            else:
                by_definition[meant].append(place)
        for definition, places in by_definition.items():
            numbers = self._numbers(definition, [wanted[place] for place in places], view.rows)
            for place, number in zip(places, numbers, strict=True):
                answers[place] = Solved(np.array([number]))
        return answers

    def _numbers(self, definition: Definition, wanted: Sequence[Asked], rows: Rows) -> list[float]:
        """The numbers by one definition; NaN where they do not exist."""
        values = self._values(definition, rows)
        if values is None:
            return [float("nan")] * len(wanted)
        found: dict[Asked, float] = {}
        for subset in {asked.subset for asked in wanted}:
            kept = ~np.isnan(values)
            if subset is not None:
                kept &= self._within(definition, subset, rows)
            given = scores(values[kept], rows.tasks[kept])
            answers = rows.answer(definition.answer)[kept] if definition.answer else None
            places = by_place(given)
            for asked in wanted:
                if asked.subset == subset:
                    found[asked] = _number(asked, given, places, answers, full=definition.full)
        return [found[asked] for asked in wanted]

    def _values(self, definition: Definition, rows: Rows) -> Array | None:
        if definition.score == "no_answer" and definition.answer:
            return (rows.answer(definition.answer) < 0).astype(np.float64)
        values = rows.value(definition.score)
        return None if isinstance(values, str) else values

    def _within(self, definition: Definition, subset: str, rows: Rows) -> Any:
        """Rows of the tasks whose first rollout names the subset."""
        if definition.subset is None:
            return np.zeros(len(rows.tasks), dtype=bool)
        texts = self._facts.texts(definition.subset)
        named: dict[int, str] = {}
        for task, at in zip(rows.tasks.tolist(), rows.at.tolist(), strict=True):
            text = texts[at] if at >= 0 else None
            if text:
                named.setdefault(task, text)
        return np.array([named.get(task) == subset for task in rows.tasks.tolist()], dtype=bool)


def _number(asked: Asked, given: Any, places: Array, answers: Whole | None, *, full: bool) -> float:
    if asked.what == "place":
        return float(places[asked.k]) if asked.k < len(places) else float("nan")
    if asked.what == "best":
        return pass_at(asked.k, given)
    if asked.what == "mean":
        return average_of(asked.k, given)
    if asked.what == "most":
        return float("nan") if answers is None else majority_at(asked.k, given, answers, full=full)
    if asked.what == "avg_sample_std_dev":
        return average_deviation(asked.k, given)
    spread = deviation(places[: asked.k])
    return spread if asked.what == "std_dev_across_runs" else spread / float(np.sqrt(min(asked.k, len(places)) or 1))
