"""`*_reward_profiling.jsonl`: statistics per task, with what was owed; older ones name no task."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from blade.measure.shipped.agents import has_newest_sidecar
from blade.measure.shipped.aggregate import maps_in
from blade.measure.shipped.entries import agent_of, entry_of, is_newest, task_ids
from blade.measure.shipped.explain import check_entry, report_unlisted
from blade.measure.shipped.facts import Facts, Mask
from blade.measure.shipped.infos import Infos
from blade.measure.shipped.report import Tally, cut
from blade.measure.shipped.sheet import Counts, Sheet, Statistics

_IDENTITY = ("_ng_task_index", "sample", "rollout_infos", "agent_ref", "_ng_environment_server")


def check(tally: Tally, facts: Facts, entries: Sequence[Any], scope: Mask) -> None:
    """The tasks of each agent, where the rows name one, else all together."""
    by_agent: dict[str | None, list[dict[str, Any]]] = {}
    for group in maps_in(list(entries)):
        by_agent.setdefault(agent_of(group), []).append(group)
    newest = is_newest(*maps_in(list(entries))) or has_newest_sidecar(facts)
    for agent, groups in by_agent.items():
        rows = entry_of(tally, facts, groups[0], scope, newest=newest)
        if rows is None:
            tally.skip(cut(f"agent {agent}"), "no row of the run is of this entry")
            continue
        ids = task_ids(tally, facts, rows, groups)
        names = [
            f"task {group['_ng_task_index']}" if "_ng_task_index" in group else f"line {place}"
            for place, group in enumerate(groups, 1)
        ]
        owed = _owed(facts.owed_within(scope), agent)
        sheet = Sheet([cut(name) for name in names], ids, "task", [Statistics(), Counts(owed, ids)])
        sheet.fill(groups, tally, ignore=_IDENTITY)
        taken = check_entry(tally, facts, rows, [sheet], infos=Infos(groups, ids), scores=None)
        report_unlisted(tally, facts, taken, sheet, "the profile")


def _owed(lines: Sequence[Mapping[str, Any]], agent: str | None) -> Mapping[int, int]:
    """Lines of the materialized inputs per task."""
    return Counter(line["task_index"] or 0 for line in lines if agent is None or line["agent"] in (None, agent))
