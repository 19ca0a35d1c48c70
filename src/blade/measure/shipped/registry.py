"""The kinds of sidecars that state numbers, and who checks each. A new kind is one module and one row."""

import zlib
from collections.abc import Callable, Sequence
from typing import Any, Final

from blade.artifacts import sidecars
from blade.artifacts.discover import SidecarFile
from blade.errors import InputError
from blade.measure.shipped import agents, aggregate, flat, health, profile, verdicts
from blade.measure.shipped.facts import Facts, Mask
from blade.measure.shipped.report import SourceCheck, Tally
from blade.scan.store import SettledRun, Store

Check = Callable[[Tally, Facts, Sequence[Any], Mask], None]

KINDS: Final[dict[str, Check]] = {
    "aggregate metrics": aggregate.check,
    "reward profile": profile.check,
    "agent metrics": agents.check_agents,
    "repeat metrics": agents.check_repeats,
    "metrics": flat.check,
    "health summary": health.check,
    "health verdicts": verdicts.check,
}
"""By the kinds of `blade.artifacts.nemo_gym.names`."""

_PLACEHOLDER = "EXAMPLE"


def check_shipped(store: Store, run: SettledRun) -> list[SourceCheck]:
    """Every sidecar of the run that states numbers, held against the run's rows."""
    found = [sidecar for sidecar in run.files.sidecars if sidecar.kind in KINDS]
    if not found:
        return []
    facts = Facts(store, run)
    return [_check(facts, sidecar) for sidecar in found]


def _check(facts: Facts, sidecar: SidecarFile) -> SourceCheck:
    tally = Tally(sidecar.kind, sidecar.path)
    entries = _read(tally, sidecar)
    if entries is not None:
        scope = facts.scope(sidecar.path)
        if not (scope & facts.main).any():
            tally.problem("the run has no row that can be read")
        else:
            KINDS[sidecar.kind](tally, facts, entries, scope)
    return tally.result()


def _read(tally: Tally, sidecar: SidecarFile) -> list[Any] | None:
    """The entries, or None with the problem told."""
    try:
        entries = sidecars.read(sidecar)
    except InputError as error:
        tally.problem(error.text)
        return None
    except (OSError, EOFError, ValueError, RecursionError, zlib.error) as error:
        tally.problem(f"cannot be read: {error}")
        return None
    maps = [entry for entry in entries if isinstance(entry, dict)]
    if not maps:
        tally.problem("is empty" if not entries else "holds no JSON objects")
        return None
    if any(_PLACEHOLDER in entry for entry in maps):
        tally.problem("a placeholder, not a measurement")
        return None
    if len(maps) < len(entries):
        tally.skip("entries that are no objects", "hold no numbers under a name")
    return maps
