"""`*_metrics.json`: the flat metrics of a report, which may be rounded and in percent.

Here a rollout passes with a reward of at least 1. `pass_at_1` is the mean over tasks of the share of
passes among measured rollouts: rows with a reward that are not masked. `pass_at_k` is the unbiased
estimate over the tasks with at least k of them.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from blade.measure.shipped.facts import Facts, Mask
from blade.measure.shipped.formulas import Scores, average_of, pass_at, scores
from blade.measure.shipped.report import Tally, counted, index_of, number_of

_PASS = re.compile(r"pass_?(?:at_?|@)(\d{1,6}|k)")
_REPEATS = ("k", "num_repeats", "repeats", "num_rollouts_per_task")
_REWARDS = ("mean_reward", "avg_reward", "average_reward")
_EPSILON = 1e-9


class Basis(NamedTuple):
    """One answer to the question which rollouts are counted, and with which of them as failures."""

    text: str
    rewards: Scores
    raw: "np.ndarray[Any, Any]"
    tasks: int
    rollouts: int
    refs: list[str]


_TOTALS: dict[str, Callable[[Basis], float]] = {
    "total_tasks": lambda basis: float(basis.tasks),
    "total_rollouts": lambda basis: float(basis.rollouts),
}


def check(tally: Tally, facts: Facts, entries: Sequence[Any], scope: Mask) -> None:
    """The numbers of every map; a file has one, as a rule."""
    bases = list(_bases(facts, scope))
    for entry in entries:
        _check(tally, facts, entry, bases)


def _check(tally: Tally, facts: Facts, entry: Mapping[str, Any], bases: list[Basis]) -> None:
    rates = {
        key: number for key, value in entry.items() if _PASS.fullmatch(key) and (number := number_of(value)) is not None
    }
    factor = _unit(tally, entry, rates, bases[0])
    for key, value in entry.items():
        number = number_of(value)
        if key == "model_name":
            named = sorted({str(row["model"]) for row in facts.facts[: facts.rows] if row["model"]})
            tally.skip(key, f"is a name; the rows say {', '.join(named[:3]) or 'nothing of the model'}")
        elif number is None:
            tally.skip(key, "no number")
        elif key in rates:
            _compare_rate(tally, entry, key, factor, bases)
        elif key in _TOTALS:
            _compare(tally, key, number, bases, _TOTALS[key], 0.0)
        elif key in _REWARDS:
            _compare(tally, key, number, bases, lambda basis: _mean(basis.raw), _half(number, 2))
        elif key not in _REPEATS:
            tally.skip(key, "a key without a definition here")


def _bases(facts: Facts, scope: Mask) -> Iterable[Basis]:
    """The plain count first, then others that may explain a number."""
    rows = scope & (facts.standing == "row")
    reward = facts.fact("reward")
    masked = rows & (facts.fact("masked") == 1)
    none = rows & np.isnan(reward) & ~masked
    measured = rows & ~masked & ~none
    yield _basis(facts, "", measured, rows, np.zeros(0, dtype=np.int64))
    for mask, noun, without, failing in (
        (masked, "masked row", "", False),
        (none, "row", " without reward", True),
        (scope & (facts.standing == "failed"), "failed rollout", "", True),
        (scope & (facts.standing == "missing"), "missing rollout", "", True),
        (scope & (facts.standing == "duplicate"), "duplicate row", "", False),
    ):
        if mask.any():
            some = counted(int(mask.sum()), noun) + without
            text = f"if {some} {'counts' if mask.sum() == 1 else 'count'} {'as failed' if failing else 'too'}"
            yield _basis(facts, text, measured | mask, rows | mask, np.flatnonzero(mask))
    absent = rows | (scope & np.isin(facts.standing.astype(str), ["failed", "missing"]))
    yield _basis(
        facts, "if all that was not measured counts as failed", absent, absent, np.flatnonzero(absent & ~measured)
    )
    if (rows & ~measured).any():
        invalid = rows & ~measured
        verb = "is" if invalid.sum() == 1 else "are"
        text = f"if {counted(int(invalid.sum()), 'row')} without a valid reward {verb} not counted"
        yield _basis(facts, text, measured, measured, np.flatnonzero(invalid))


def _basis(facts: Facts, text: str, chosen: Mask, listed: Mask, changed: Any) -> Basis:
    at = facts.rows_of(np.flatnonzero(chosen)).at
    raw = np.nan_to_num(facts.fact("reward")[at], nan=0.0)
    masked = facts.fact("masked")[at] == 1
    passed = (raw >= 1) & ~(masked if "not measured" in text else np.zeros(len(at), dtype=bool))
    rewards = scores(passed.astype(np.float64), facts.task[at])
    refs = facts.refs_at(changed) if text else []
    return Basis(text, rewards, raw, len(np.unique(facts.task[listed])), int(listed.sum()), refs)


def _mean(values: Any) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _unit(tally: Tally, entry: Mapping[str, Any], rates: Mapping[str, float], plain: Basis) -> float:
    """What rates are multiplied by: 100 where one is above 1, or where only percentages fit."""
    if not rates:
        return 1.0
    percent = any(number > 1 for number in rates.values())
    if not percent and any(number > 0 for number in rates.values()):
        fits = {
            factor: sum(
                any(
                    abs(ours - number) <= _half(number, 2 if factor == 1 else 1)
                    for ours in _rates(entry, key, plain, factor)
                )
                for key, number in rates.items()
            )
            for factor in (1.0, 100.0)
        }
        percent = fits[100.0] > fits[1.0]
    tally.note(f"Pass rates are read as {'percentages' if percent else 'fractions'}; a pass is a reward of 1 or more.")
    return 100.0 if percent else 1.0


def _rates(entry: Mapping[str, Any], key: str, basis: Basis, factor: float) -> list[float]:
    """The rate that a key asks for; where it does not say which k, by the median and by the most repeats."""
    counts = basis.rewards.counts
    if not len(counts):
        return [float("nan")]
    named = _PASS.fullmatch(key)
    if named and named[1] != "k":
        wanted = [int(named[1])]
    else:
        said = [k for name in _REPEATS if (k := index_of(entry.get(name))) is not None and 0 < k < 10**6]
        wanted = said[:1] or [int(np.median(counts)), int(counts.max())]
    most = int(counts.max())
    return [_rate(k, basis.rewards, most) * factor for k in wanted]


def _rate(k: int, given: Scores, most: int) -> float:
    return average_of(most, given) / 100 if k == 1 else pass_at(k, given) / 100


def _compare_rate(tally: Tally, entry: Mapping[str, Any], key: str, factor: float, bases: list[Basis]) -> None:
    number, near = float(entry[key]), _half(float(entry[key]), 2 if factor == 1 else 1)
    plain = _rates(entry, key, bases[0], factor)
    if any(abs(ours - number) <= near for ours in plain):
        if abs(plain[0] - number) > near:
            tally.note(f"{key} is read with k as the most repeats of a task.")
        tally.agree()
        return
    for basis in bases[1:]:
        if any(abs(ours - number) <= near for ours in _rates(entry, key, basis, factor)):
            _differ(tally, key, number, plain[0], f"It agrees {basis.text}.", basis.refs)
            return
    values, others = bases[0].rewards.values, range(1, int(bases[0].rewards.counts.max(initial=0)) + 1)
    if len(values) and abs(float(values.mean()) * factor - number) <= near:
        why = "It agrees if every rollout weighs the same; tasks have different numbers of them."
        _differ(tally, key, number, plain[0], why, [])
        return
    fits = [k for k in others if k <= 64 and abs(_rate(k, bases[0].rewards, len(others)) * factor - number) <= near]
    why = f"It agrees with pass@{fits[0]}." if fits else "Nothing here explains it."
    _differ(tally, key, number, plain[0], why, [])


def _compare(
    tally: Tally, key: str, number: float, bases: list[Basis], read: Callable[[Basis], float], near: float
) -> None:
    ours = read(bases[0])
    if abs(ours - number) <= near + _EPSILON:
        tally.agree()
        return
    found = next((basis for basis in bases[1:] if abs(read(basis) - number) <= near + _EPSILON), None)
    why = f"It agrees {found.text}." if found else "Nothing here explains it."
    _differ(tally, key, number, ours, why, found.refs if found else [])


def _differ(tally: Tally, key: str, number: float, ours: float, why: str, refs: list[str]) -> None:
    tally.differ("the run", key, number, None if np.isnan(ours) else ours, why=why, refs=refs)


def _half(number: float, least: int) -> float:
    """Half a unit of the last decimal that a number was written with, at least `least` of them."""
    exponent = Decimal(repr(number)).normalize().as_tuple().exponent
    decimals = -exponent if isinstance(exponent, int) and exponent < 0 else 0
    return float(0.5 * 10.0 ** -max(decimals, least)) * (1 + 1e-9) + _EPSILON
