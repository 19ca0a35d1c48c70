"""`*_agent_metrics.json` and `*_repeat_level_metrics.json`: flat statistics per agent, and per repeat."""

from collections.abc import Mapping, Sequence
from typing import Any

from blade.measure.shipped.aggregate import agent_sheet, maps_in, repeat_sheet, where_of
from blade.measure.shipped.entries import entry_of, is_newest
from blade.measure.shipped.explain import check_entry
from blade.measure.shipped.facts import Facts, Mask
from blade.measure.shipped.report import Tally, cut
from blade.measure.shipped.scores import ScoreKeys


def check_agents(tally: Tally, facts: Facts, entries: Sequence[Any], scope: Mask) -> None:
    """One flat map per agent."""
    newest = is_newest(*maps_in(list(entries))) or has_newest_sidecar(facts)
    for entry in maps_in(list(entries)):
        where = cut(where_of(entry))
        rows = entry_of(tally, facts, entry, scope, newest=newest)
        if rows is None:
            tally.skip(where, "no row of the run is of this entry")
            continue
        scores = ScoreKeys(facts)
        sheet = agent_sheet(tally, facts, where, entry, rows, scores)
        check_entry(tally, facts, rows, [sheet], infos=None, scores=scores)


def check_repeats(tally: Tally, facts: Facts, entries: Sequence[Any], scope: Mask) -> None:
    """One map per agent and repeat; only Gym 0.7 writes them."""
    by_agent: dict[str, list[Mapping[str, Any]]] = {}
    for entry in maps_in(list(entries)):
        by_agent.setdefault(where_of(entry), []).append(entry)
    for where, repeats in by_agent.items():
        rows = entry_of(tally, facts, repeats[0], scope, newest=True)
        if rows is None:
            tally.skip(cut(where), "no row of the run is of this entry")
            continue
        check_entry(tally, facts, rows, [repeat_sheet(tally, cut(where), repeats)], infos=None, scores=None)


def has_newest_sidecar(facts: Facts) -> bool:
    """Whether the run has a sidecar that only Gym 0.7 writes."""
    return bool(facts.run.files.of_kind("repeat metrics"))
