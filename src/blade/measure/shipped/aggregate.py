"""`*_aggregate_metrics.json`: statistics over the rollouts of each agent, and of each task."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from blade.measure.shipped.entries import agent_of, entry_of, is_newest, task_ids
from blade.measure.shipped.explain import check_entry, report_unlisted
from blade.measure.shipped.facts import Facts, Mask
from blade.measure.shipped.formulas import STATISTICS
from blade.measure.shipped.infos import Infos
from blade.measure.shipped.readings import Entry
from blade.measure.shipped.repeats import AcrossRepeats, Coverage, RepeatCounts, check_performance
from blade.measure.shipped.report import Tally, agrees, cut, index_of, map_of, number_of
from blade.measure.shipped.scores import ScoreKeys, flatten
from blade.measure.shipped.sheet import Counts, Family, Sheet, Statistics

_PARTS: dict[str, type] = {
    "agent_ref": dict,
    "_ng_environment_server": str,
    "agent_metrics": dict,
    "key_metrics": dict,
    "group_level_metrics": list,
    "repeat_level_metrics": list,
    "perf_summary": dict,
}
"""The parts of an entry that are read, and what kind of value each is."""

_IDENTITY = ("_ng_task_index", "sample", "rollout_infos", "agent_ref")
_REPEAT_IDENTITY = ("_ng_rollout_index", "agent_ref", "_ng_environment_server")


def check(tally: Tally, facts: Facts, entries: Sequence[Any], scope: Mask) -> None:
    """Every entry: its agent, its tasks, its repeats, its headline."""
    for place, found in enumerate(entries):
        entry = map_of(found)
        if not map_of(entry.get("agent_metrics")) and not maps_in(entry.get("group_level_metrics")):
            tally.skip(f"entry {place}", "holds no metrics")
            continue
        newest = is_newest(entry, map_of(entry.get("agent_metrics")))
        rows = entry_of(tally, facts, entry, scope, newest=newest)
        if rows is None or not (rows.where & facts.main).any():
            tally.skip(cut(where_of(entry)), "no row of the run is of this entry")
            continue
        _check(tally, facts, entry, rows)


def where_of(entry: Mapping[str, Any]) -> str:
    """The agent or server that an entry names."""
    server = entry.get("_ng_environment_server")
    name = agent_of(entry) or (server if isinstance(server, str) else None)
    return f"agent {name}" if name else "the run"


def maps_in(value: Any) -> list[dict[str, Any]]:
    """The objects of a list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _skip_unread(tally: Tally, entry: Mapping[str, Any]) -> None:
    """Parts that are none of Gym's, or that are not what they should be."""
    for key, value in entry.items():
        kind = _PARTS.get(key)
        if kind is None:
            tally.skip(key, "no part of an entry that is known")
        elif value is not None and not isinstance(value, kind):
            tally.skip(key, "is not of the kind that this part has")
        elif isinstance(value, list) and len(maps_in(value)) < len(value):
            tally.skip(f"entries of {key} that are no objects", "hold no numbers under a name")


def _check(tally: Tally, facts: Facts, entry: Mapping[str, Any], rows: Entry) -> None:
    _skip_unread(tally, entry)
    where = cut(where_of(entry))
    metrics, groups = map_of(entry.get("agent_metrics")), maps_in(entry.get("group_level_metrics"))
    scores = ScoreKeys(facts)
    agent = agent_sheet(tally, facts, where, metrics, rows, scores)
    ids = task_ids(tally, facts, rows, groups)
    names = [f"task {group.get('_ng_task_index', place)}" for place, group in enumerate(groups)]
    tasks = Sheet([cut(name) for name in names], ids, "task", [Statistics(), Counts()])
    tasks.fill(groups, tally, ignore=_IDENTITY)
    repeats = repeat_sheet(tally, where, maps_in(entry.get("repeat_level_metrics")))
    sheets = [agent, tasks, repeats]
    taken = check_entry(tally, facts, rows, sheets, infos=Infos(groups, ids), scores=scores)
    report_unlisted(tally, facts, taken, tasks, "group_level_metrics")
    _check_headline(tally, where, map_of(entry.get("key_metrics")), metrics)
    check_performance(tally, where, map_of(entry.get("perf_summary")), facts, rows.where & facts.main)


def agent_sheet(
    tally: Tally, facts: Facts, where: str, metrics: Mapping[str, Any], rows: Entry, scores: ScoreKeys
) -> Sheet:
    """The numbers over all rollouts of an agent."""
    counted = rows.where & (facts.standing == "row")
    coverage = Coverage(facts, counted, facts.masked(counted))
    families: list[Family] = [Statistics(), scores, AcrossRepeats(), RepeatCounts(), coverage]
    sheet = Sheet([where], np.zeros(1, dtype=np.int64), "all", families)
    sheet.fill([flatten(metrics)], tally, ignore=("agent_ref", "_ng_environment_server"))
    return sheet


def repeat_sheet(tally: Tally, where: str, repeats: Sequence[Mapping[str, Any]]) -> Sheet:
    """The numbers of every repeat of an agent."""
    known = [(index, one) for one in repeats if (index := index_of(one.get("_ng_rollout_index"))) is not None]
    if len(known) < len(repeats):
        tally.skip("repeat_level_metrics", "entries that name no repeat")
    known = list(dict(reversed(known)).items())[::-1]
    ids = np.array([index for index, _ in known], dtype=np.int64)
    names = [f"{where}, repeat {index}" for index, _ in known]
    sheet = Sheet(names, ids, "repeat", [Statistics(STATISTICS), RepeatCounts()])
    sheet.fill([one for _, one in known], tally, ignore=_REPEAT_IDENTITY)
    return sheet


def _check_headline(tally: Tally, where: str, headline: Mapping[str, Any], metrics: Mapping[str, Any]) -> None:
    """`key_metrics` repeats some of `agent_metrics`; names of its own are the server's."""
    known = sorted((number, key) for key, value in metrics.items() if (number := number_of(value)) is not None)
    for key, value in headline.items():
        number, same = number_of(value), number_of(metrics.get(key))
        if number is None or same is None:
            renamed = _of_equal_value(number, known) if number is not None else None
            why = f"has the value of {cut(renamed)}" if renamed else "is in agent_metrics under no name or value"
            tally.skip(f"key_metrics: {key}", why)
        elif agrees(number, same):
            tally.agree()
        else:
            why = "The agent_metrics of the same file have another value under this key."
            tally.differ(where, f"key_metrics: {key}", number, same, why=why, recomputed_from="its agent_metrics")


def _of_equal_value(number: float, known: Sequence[tuple[float, str]]) -> str | None:
    """The key of a number that is equal but for rounding."""
    place = bisect_left(known, (number, ""))
    near = (key for other, key in known[max(place - 1, 0) : place + 1][::-1] if agrees(number, other))
    return next(near, None)
