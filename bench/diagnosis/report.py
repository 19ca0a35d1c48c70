"""What the bench prints and writes: a rate for every kind and check, and what was said where it was wrong."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench.diagnosis.cases import Case
from bench.diagnosis.judging import CHECKS, Score

RESULT: Final = Path(__file__).parents[1] / "diagnosis.json"


class Scored(NamedTuple):
    """A case, its score, the largest terms that were named, and how long it took."""

    case: Case
    score: Score
    named: dict[str, Any]
    seconds: float = 0.0


def rates(scored: Iterable[Scored]) -> dict[str, list[int] | None]:
    """Return for each check how often it was right and how often it was asked, None where never."""
    checks = [one.score.checks for one in scored]
    found: dict[str, list[int] | None] = {}
    for check in CHECKS:
        asked = [held[check] for held in checks if held[check] is not None]
        found[check] = [sum(map(bool, asked)), len(asked)] if asked else None
    return found


def table(scored: Sequence[Scored]) -> str:
    """Return a line for each stage and kind, and one for all."""
    kinds = sorted({(one.case.stage != "signals", one.case.kind) for one in scored})
    lines = [_line("kind", "cases", "perfect", *CHECKS)]
    for contrast, kind in kinds:
        own = [one for one in scored if one.case.kind == kind and (one.case.stage != "signals") is contrast]
        lines.append(_rated(kind, own))
    lines.append("")
    for stage in sorted({one.case.stage for one in scored}, reverse=True):
        lines.append(_rated(f"all {stage}", [one for one in scored if one.case.stage == stage]))
    return "\n".join(lines)


def _rated(name: str, scored: Sequence[Scored]) -> str:
    perfect = sum(one.score.perfect for one in scored)
    shown = [f"{found[0]}/{found[1]}" if found else "·" for found in rates(scored).values()]
    return _line(name, str(len(scored)), f"{perfect}/{len(scored)}", *shown)


def _line(name: str, *cells: str) -> str:
    return f"{name:<24}" + "".join(f"{cell:>10}" for cell in cells)


def figures(scored: Sequence[Scored]) -> dict[str, Any]:
    """Return all figures and every case that was not perfect, ready for JSON."""
    kinds = sorted({(one.case.stage, one.case.world, one.case.kind) for one in scored})
    return {
        "cases": len(scored),
        "perfect": sum(one.score.perfect for one in scored),
        "checks": rates(scored),
        "kinds": [
            {"stage": stage, "world": world, "kind": kind, **_kind_figures(scored, stage, world, kind)}
            for stage, world, kind in kinds
        ],
        "wrong": [
            {"case": one.case.name, "kind": one.case.kind, "why": one.score.why, "named": one.named}
            for one in scored
            if not one.score.perfect
        ],
    }


def _kind_figures(scored: Sequence[Scored], stage: str, world: str, kind: str) -> dict[str, Any]:
    own = [one for one in scored if (one.case.stage, one.case.world, one.case.kind) == (stage, world, kind)]
    return {"cases": len(own), "perfect": sum(one.score.perfect for one in own), "checks": rates(own)}


def write(scored: Sequence[Scored], grid: Mapping[str, Any], path: Path = RESULT) -> None:
    """Write the figures, with the grid that they are of."""
    path.write_text(json.dumps({"grid": grid, **figures(scored)}, indent=1) + "\n", encoding="utf-8")
