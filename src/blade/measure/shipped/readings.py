"""Which rows entered a sidecar: the plain reading, and a short list of others that may explain a number.

A reading is legitimate where Gym itself defines it so: 0.7 leaves masked rows out, and may count failed
and missing rollouts as zero; before it, every row counts. The others explain a disagreement and do not
remove it.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from blade.measure.shipped.facts import Facts, Mask, Rows
from blade.measure.shipped.formulas import Whole
from blade.measure.shipped.report import counted

_MOST_TRIED = 20
"""Rows tried one by one, where many of them have the same value."""


class Part(NamedTuple):
    """What a number speaks of: one task, one repeat or all of them, and columns that it is made from."""

    task: int | None = None
    repeat: int | None = None
    columns: frozenset[str] = frozenset()

    def among(self, facts: Facts, places: Whole) -> Whole:
        """The rows that belong to it."""
        if self.task is not None:
            places = places[facts.task[places] == self.task]
        return places if self.repeat is None else places[facts.repeat[places] == self.repeat]


class Reading(NamedTuple):
    """One answer to the question which rows entered."""

    text: str
    """How it differs from the plain one, to follow "It agrees"; empty for the plain one."""
    rows: Rows
    refs: Callable[[Part], list[str]]
    """The rows that make the difference to a number."""
    legitimate: bool = False


class Entry(NamedTuple):
    """What an entry of a sidecar speaks of."""

    where: Mask
    """The rows, whatever their standing, of its agent and shard."""
    newest: bool
    """Whether it was written by Gym 0.7 or later."""
    others: Mask | None = None
    """Rows of the run that belong to other agents or to none."""


def plain_reading(facts: Facts, entry: Entry) -> Reading:
    """Every row of the main file, the first where one is there twice."""
    rows, masked = _counted(facts, entry), _left_out(facts, entry)
    text = _counted_too(masked, "masked row") if masked.any() else ""
    refs = refs_of(facts, np.flatnonzero(masked))
    return Reading(text, facts.rows_of(np.flatnonzero(rows)), refs, not masked.any())


def readings(facts: Facts, entry: Entry) -> list[Reading]:
    """The other readings that differ from the plain one, the likeliest first."""
    found = [*_legitimate(facts, entry), *_others(facts, entry)]
    return [reading for reading in found if reading is not None]


def _counted(facts: Facts, entry: Entry) -> Mask:
    return np.asarray(entry.where & (facts.standing == "row"))


def _left_out(facts: Facts, entry: Entry) -> Mask:
    """The masked rows that the version which wrote the entry does not count."""
    rows = _counted(facts, entry)
    return facts.masked(rows) if entry.newest else np.zeros(len(rows), dtype=bool)


def _legitimate(facts: Facts, entry: Entry) -> Iterable[Reading | None]:
    """What 0.7 may do; of older sidecars, what would explain them."""
    rows, newest = _counted(facts, entry), entry.newest
    masked = facts.masked(rows)
    too = f"{_counted_too(masked, 'masked row')} and " if newest and masked.any() else ""
    absent = {
        "failed": entry.where & (facts.standing == "failed"),
        "missing": entry.where & (facts.standing == "missing"),
    }
    without = _without(masked, "masked row")
    if masked.any():
        yield _reading(facts, rows & ~masked, masked, without, legitimate=newest)
    sets = [("failed",), ("missing",), ("failed", "missing")]
    for names in sets:
        if not all(absent[name].any() for name in names):
            continue
        zeros = np.logical_or.reduce([absent[name] for name in names])
        told = " and ".join(counted(int(absent[name].sum()), f"{name} rollout") for name in names)
        text = f"if {told} {'counts' if zeros.sum() == 1 else 'count'} as 0"
        yield _reading(facts, rows | zeros, zeros, too + text, legitimate=newest and not too, zeros=zeros)
        if masked.any():
            both = f"{without} and {text}"
            yield _reading(facts, (rows & ~masked) | zeros, zeros | masked, both, legitimate=newest, zeros=zeros)


def _others(facts: Facts, entry: Entry) -> Iterable[Reading | None]:
    rows = _counted(facts, entry) & ~_left_out(facts, entry)
    copies = entry.where & (facts.standing == "duplicate")
    if copies.any():
        yield _reading(facts, rows | copies, copies, _counted_too(copies, "duplicate row"))
        yield _last_copies(facts, rows, copies)
    nested = rows & (facts.fact("masked") == 1) & ~facts.masked(rows)
    if nested.any():
        yield _reading(facts, rows & ~nested, nested, _without(nested, "row that is masked in instance_config"))
    failed = entry.where & (facts.standing == "failed")
    if failed.any():
        text = (
            f"if {counted(int(failed.sum()), 'failed rollout')} {_verb(failed)} counted as the failures file has them"
        )
        yield _reading(facts, rows | failed, failed, text)
    skipped = entry.where & (facts.standing == "skipped")
    if skipped.any():
        text = f"if {counted(int(skipped.sum()), 'line')} that cannot be read counted as 0"
        yield _reading(facts, rows | skipped, skipped, text, zeros=skipped)
    if entry.others is not None and (others := entry.others & (facts.standing == "row")).any():
        text = f"if {counted(int(others.sum()), 'row')} of other agents {_verb(others)} counted too"
        yield _reading(facts, rows | others, others, text)


def _last_copies(facts: Facts, rows: Mask, copies: Mask) -> Reading | None:
    """The last of rows that are there several times, rather than the first."""
    last = {(int(facts.task[at]), int(facts.repeat[at])): int(at) for at in np.flatnonzero(copies)}
    firsts = [int(at) for at in np.flatnonzero(rows) if (int(facts.task[at]), int(facts.repeat[at])) in last]
    chosen, changed = rows.copy(), np.zeros(len(rows), dtype=bool)
    chosen[firsts], chosen[list(last.values())] = False, True
    changed[[*firsts, *last.values()]] = True
    return _reading(facts, chosen, changed, "if the last of several rows of one rollout is taken, not the first")


def _reading(
    facts: Facts, chosen: Mask, changed: Mask, text: str, *, legitimate: bool = False, zeros: Mask | None = None
) -> Reading | None:
    if not changed.any():
        return None
    return Reading(
        text, facts.rows_of(np.flatnonzero(chosen), zeros), refs_of(facts, np.flatnonzero(changed)), legitimate
    )


def refs_of(facts: Facts, changed: Whole) -> Callable[[Part], list[str]]:
    """The refs of those rows that belong to a part."""
    return lambda part: facts.refs_at(part.among(facts, changed))


def _without(rows: Mask, noun: str) -> str:
    return f"if {counted(int(rows.sum()), noun)} {_verb(rows)} left out"


def _counted_too(rows: Mask, noun: str) -> str:
    return f"if {counted(int(rows.sum()), noun)} {_verb(rows)} counted too"


def _verb(rows: Mask) -> str:
    return "is" if rows.sum() == 1 else "are"


def without_one(facts: Facts, plain: Rows, column: str, shipped: float) -> list[Reading]:
    """Readings that leave out one row, or take one twice, so that the mean of a column comes out as shipped."""
    values = plain.value(column)
    if isinstance(values, str) or len(values) < 3 or np.isnan(values).any():
        return []
    size, found = len(values), []
    with np.errstate(all="ignore"):
        for sign, text in ((-1, "if this row is left out"), (1, "if this row is counted twice")):
            means = (values.sum() + sign * values) / (size + sign)
            near = np.flatnonzero(np.abs(means - shipped) <= 1e-9 + 1e-9 * abs(shipped))
            for place in near[:_MOST_TRIED]:
                chosen = np.delete(plain.at, place) if sign < 0 else np.append(plain.at, plain.at[place])
                found.append(Reading(text, facts.rows_of(chosen), refs_of(facts, plain.at[place : place + 1])))
    return found
