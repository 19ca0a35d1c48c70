"""What the bench prints and writes: a rate for every kind and check, and what was said where it was wrong."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from bench.diagnosis.cases import Case
from bench.diagnosis.score import CHECKS, Score

RESULT: Final = Path(__file__).parents[1] / "diagnosis.json"

Scored = tuple[Case, Score, dict[str, Any]]
"""A case, its score, and the largest terms that were named."""


def rates(scored: Iterable[Scored]) -> dict[str, list[int] | None]:
    """Return for each check how often it was right and how often it was asked, None where never."""
    checks = [score.checks for _, score, _ in scored]
    found: dict[str, list[int] | None] = {}
    for check in CHECKS:
        asked = [held[check] for held in checks if held[check] is not None]
        found[check] = [sum(map(bool, asked)), len(asked)] if asked else None
    return found


def table(scored: Sequence[Scored]) -> str:
    """Return a line for each stage and kind, and one for all."""
    kinds = sorted({(case.stage != "signals", case.kind) for case, _, _ in scored})
    lines = [_line("kind", "cases", "perfect", *CHECKS)]
    for contrast, kind in kinds:
        own = [one for one in scored if one[0].kind == kind and (one[0].stage != "signals") is contrast]
        lines.append(_rated(kind, own))
    lines.append("")
    for stage in sorted({case.stage for case, _, _ in scored}, reverse=True):
        lines.append(_rated(f"all {stage}", [one for one in scored if one[0].stage == stage]))
    return "\n".join(lines)


def _rated(name: str, scored: Sequence[Scored]) -> str:
    perfect = sum(score.perfect for _, score, _ in scored)
    shown = [f"{found[0]}/{found[1]}" if found else "·" for found in rates(scored).values()]
    return _line(name, str(len(scored)), f"{perfect}/{len(scored)}", *shown)


def _line(name: str, *cells: str) -> str:
    return f"{name:<24}" + "".join(f"{cell:>10}" for cell in cells)


def figures(scored: Sequence[Scored]) -> dict[str, Any]:
    """Return all figures and every case that was not perfect, ready for JSON."""
    kinds = sorted({(case.stage, case.world, case.kind) for case, _, _ in scored})
    return {
        "cases": len(scored),
        "perfect": sum(score.perfect for _, score, _ in scored),
        "checks": rates(scored),
        "kinds": [
            {"stage": stage, "world": world, "kind": kind, **_kind_figures(scored, stage, world, kind)}
            for stage, world, kind in kinds
        ],
        "wrong": [
            {"case": case.name, "kind": case.kind, "why": score.why, "named": named}
            for case, score, named in scored
            if not score.perfect
        ],
    }


def _kind_figures(scored: Sequence[Scored], stage: str, world: str, kind: str) -> dict[str, Any]:
    own = [one for one in scored if (one[0].stage, one[0].world, one[0].kind) == (stage, world, kind)]
    return {"cases": len(own), "perfect": sum(score.perfect for _, score, _ in own), "checks": rates(own)}


def write(scored: Sequence[Scored], path: Path = RESULT) -> None:
    """Write the figures."""
    path.write_text(json.dumps(figures(scored), indent=1) + "\n", encoding="utf-8")
