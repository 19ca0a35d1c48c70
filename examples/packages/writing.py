"""How the shipped packages are made: the same arguments give the same bytes."""

import tempfile
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from blade.package.drafting.package import Made, Wishes, make_package
from blade.package.drafting.skill import Known
from examples import completion, office
from examples.theatre import Benchmark, simulate

PARTS = Path(__file__).parent / "parts"
WRITTEN = datetime(2026, 11, 1, tzinfo=UTC)
"""When the facts of the shipped packages are said to be drafted."""


class Shipped(NamedTuple):
    """A package: its world, and the runs that are simulated for it."""

    name: str
    world: Benchmark
    settings: dict[str, Any]


PACKAGES = {
    one.name: one
    for one in (
        Shipped("office_desk", office.BENCHMARK, {"agents": ["steady", "hasty"], "tasks": 16, "repeats": 4, "seed": 7}),
        Shipped(
            "completion_plus",
            completion.BENCHMARK,
            {"agents": ["careful", "quick"], "tasks": 30, "repeats": 4, "seed": 7},
        ),
    )
}


def write_package(shipped: Shipped, directory: Path) -> Made:
    """Simulate the runs of a package and write it into `directory`/its name."""
    with tempfile.TemporaryDirectory() as place:
        simulate(shipped.world, place, **shipped.settings)
        runs = [f"{place}/{agent}_rollouts.jsonl" for agent in shipped.settings["agents"]]
        wishes = Wishes(profile=PARTS / f"{shipped.name}.profile.toml", known=_known(shipped.name), now=WRITTEN)
        return make_package(shipped.name, runs, directory / shipped.name, wishes)


def _known(name: str) -> Known:
    found = tomllib.loads((PARTS / f"{name}.known.toml").read_text(encoding="utf-8"))
    return Known(found["overview"], found["fields"])
