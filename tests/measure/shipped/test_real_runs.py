"""Sidecars of real runs: every number that is recomputed agrees, and none is dropped without a word."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import blade
from blade.artifacts import sidecars
from blade.artifacts.discover import SidecarFile
from blade.measure.shipped import KINDS, SourceCheck, check_shipped
from blade.scan.cache import Cache
from tests.measure.shipped.test_oracle import said

NOT_COMPARED = {"_ng_task_index", "_ng_rollout_index", "rollout_id", "sample", "agent_ref", "rollout_infos"}


@pytest.fixture(scope="session")
def scanned(gym_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[blade.Store]:
    options = blade.Options(cache=Cache(tmp_path_factory.mktemp("gym")), workers=1)
    with blade.load(gym_data, options) as store:
        yield store


@pytest.fixture(scope="session")
def found(scanned: blade.Store) -> list[SourceCheck]:
    """What is found in every run, one after another."""
    checks: list[SourceCheck] = []
    for run in scanned.runs:
        with scanned.only([summary.run for summary in run.summaries]) as part:
            checks += check_shipped(part, part.runs[0])
    return checks


def stated(value: Any, *, listed: bool = False) -> int:
    """Numbers in a sidecar; every rollout that it lists counts for itself, and truths in it are numbers."""
    if isinstance(value, dict):
        held = sum(stated(one, listed=listed) for key, one in value.items() if key not in NOT_COMPARED)
        return held + sum(1 + stated(info, listed=True) for info in value.get("rollout_infos", ()))
    if isinstance(value, list):
        return sum(stated(one) for one in value)
    return isinstance(value, (int, float)) and (listed or not isinstance(value, bool))


def tasks_in(entries: list[Any], kind: str) -> int:
    """Maps that stand for a task, each of which is compared as such."""
    groups = [group for entry in entries for group in entry.get("group_level_metrics", ())]
    return len(groups) + (len(entries) if kind == "reward profile" else 0)


def test_every_number_of_real_sidecars_agrees(found: list[SourceCheck]) -> None:
    assert [(check.file, said(one)) for check in found for one in check.disagreements] == []
    assert [check.file for check in found if check.checked != check.agreed] == []
    assert sum(check.checked for check in found) > 3_000
    assert sum(check.checked > 0 for check in found) > 20


def test_every_real_sidecar_is_checked_and_says_what_it_leaves_out(found: list[SourceCheck]) -> None:
    assert [check.file for check in found if not (check.checked or check.problem or check.unchecked)] == []
    assert {check.kind for check in found} <= KINDS.keys()
    assert all(keys and why for check in found for keys, why in check.unchecked)


def test_every_sidecar_of_a_kind_that_states_numbers_is_found(gym_data: Path, found: list[SourceCheck]) -> None:
    endings = ("_aggregate_metrics.json", "_reward_profiling.jsonl", "_agent_metrics.json")
    there = {str(path) for path in gym_data.rglob("*") if path.name.endswith(endings)}
    assert there == {check.file for check in found}


def test_every_number_in_a_real_sidecar_is_counted_where_none_is_left_out(found: list[SourceCheck]) -> None:
    whole = [check for check in found if not check.unchecked]
    assert len(whole) > 15
    for check in whole:
        entries = sidecars.read(SidecarFile(check.kind, check.file))
        assert check.checked == stated(entries) + tasks_in(entries, check.kind), check.file


def test_what_is_left_out_of_real_sidecars_is_the_servers_own(found: list[SourceCheck]) -> None:
    reasons = {why for check in found for _, why in check.unchecked}
    expected = ("the server's own metric", "has the value of", "no row has a number under this name")
    assert [why for why in reasons if not why.startswith(expected)] == []
