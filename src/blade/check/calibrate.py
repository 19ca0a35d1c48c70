"""Can the scorer be fooled? A golden report scored against itself, its shallow control, and every made control."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from blade.check.controls.registry import DEGRADING, FAIR, FALSIFYING, Control, all_controls, made
from blade.check.files import write_json, write_text
from blade.check.scoring.evidence import Rollouts
from blade.check.scoring.score import Fact, Golden, Score, score
from blade.check.shallow import shallow as shallow_of

GOLDEN: Final = "golden"
SHALLOW: Final = "shallow"

GOLDEN_AT_LEAST: Final = 0.85
FALSE_AT_MOST: Final = 0.40
FAIR_AT_LEAST: Final = 0.80
VISIBLE: Final = 0.05
"""How far below the golden report a spoilt one must score."""

LEAST_SPREAD: Final = 0.50
SEED: Final = 7

_FEWEST_CHANGES: Final = 0.05
"""The share of a report's lines that a control must change to be one."""

Tell = Callable[[str], None]


class Case(NamedTuple):
    """One candidate and how it scored."""

    name: str
    family: str
    """`golden`, `shallow` or a family of controls."""
    says: str
    text: str
    score: Score | None
    """None for a control that finds nothing to change in this report."""
    wanted: str
    holds: bool


class Calibration(NamedTuple):
    """All cases, and whether every target holds."""

    cases: list[Case]
    least_spread: float

    @property
    def golden(self) -> float:
        return _value(self.cases, GOLDEN)

    @property
    def shallow(self) -> float:
        return _value(self.cases, SHALLOW)

    @property
    def spread(self) -> float:
        """How far the shallow control is below the golden report."""
        return round(self.golden - self.shallow, 4)

    @property
    def holds(self) -> bool:
        """Whether every target is met."""
        return self.spread >= self.least_spread and all(case.holds for case in self.cases)

    def summary(self) -> dict[str, Any]:
        """`calibration_summary.json`: the keys that users know first."""
        return {
            "golden_vs_self": self.golden,
            "shallow_vs_golden": self.shallow,
            "spread": self.spread,
            "targets": {
                "golden_vs_self": GOLDEN_AT_LEAST,
                "shallow_vs_golden": FALSE_AT_MOST,
                "falsifying": FALSE_AT_MOST,
                "degrading_below_golden": VISIBLE,
                "fair": FAIR_AT_LEAST,
                "spread": self.least_spread,
            },
            "note": self.note,
            "holds": self.holds,
            "cases": [_told(case) for case in self.cases],
        }

    @property
    def note(self) -> str:
        """What came of it, in a sentence."""
        failed = [case.name for case in self.cases if not case.holds]
        skipped = [case.name for case in self.cases if case.score is None]
        told = (
            f"{len(self.cases) - len(failed) - len(skipped)} of {len(self.cases) - len(skipped)} cases as they should"
        )
        told += f"; not so: {', '.join(failed)}" if failed else ""
        told += f"; spread below {self.least_spread:.2f}" if self.spread < self.least_spread else ""
        return told + (f"; nothing to change for: {', '.join(skipped)}" if skipped else "")


def _value(cases: Sequence[Case], name: str) -> float:
    return next(case.score.final for case in cases if case.name == name and case.score is not None)


def _told(case: Case) -> dict[str, Any]:
    return {
        "case": case.name,
        "family": case.family,
        "says": case.says,
        "score": case.score.final if case.score else None,
        "wanted": case.wanted,
        "holds": case.holds,
    }


def calibrate(
    golden: str,
    facts: Sequence[Fact],
    *,
    shallow: str | None = None,
    least_spread: float = LEAST_SPREAD,
    seed: int = SEED,
    rollouts: Rollouts | None = None,
    tell: Tell = lambda _: None,
) -> Calibration:
    """Score a golden report and everything that is made of it."""
    known = Golden(golden, facts)
    cases = list(_basic(golden, shallow, known, rollouts, tell))
    best = _value(cases, GOLDEN)
    for control in all_controls():
        tell(control.name)
        cases.append(_made(control, golden, known, best, seed, rollouts))
    return Calibration(cases, least_spread)


def _basic(golden: str, shallow: str | None, known: Golden, rollouts: Rollouts | None, tell: Tell) -> Iterator[Case]:
    tell(GOLDEN)
    own = score(golden, known, rollouts)
    wanted = f"at least {GOLDEN_AT_LEAST:.2f}"
    yield Case(GOLDEN, GOLDEN, "The golden report itself.", golden, own, wanted, own.final >= GOLDEN_AT_LEAST)
    tell(SHALLOW)
    text = shallow_of(golden) if shallow is None else shallow
    found = score(text, known, rollouts)
    wanted, says = f"at most {FALSE_AT_MOST:.2f}", "Headings and tables of aggregates: nobody has read a rollout."
    yield Case(SHALLOW, SHALLOW, says, text, found, wanted, found.final <= FALSE_AT_MOST)


def _made(control: Control, golden: str, known: Golden, best: float, seed: int, rollouts: Rollouts | None) -> Case:
    text = made(control, golden, [fact.text for fact in known.facts], seed=seed)
    wanted, holds = _target(control.family, best)
    if not _changes(golden, text):
        return Case(control.name, control.family, control.says, text, None, wanted, True)
    found = score(text, known, rollouts)
    return Case(control.name, control.family, control.says, text, found, wanted, holds(found.final))


def _target(family: str, best: float) -> tuple[str, Callable[[float], bool]]:
    """What a family must score, in words and as a test."""
    if family == FALSIFYING:
        return f"at most {FALSE_AT_MOST:.2f}", lambda value: value <= FALSE_AT_MOST
    if family == DEGRADING:
        return f"at most {best - VISIBLE:.2f}", lambda value: value <= best - VISIBLE + 1e-9
    assert family == FAIR
    return f"at least {FAIR_AT_LEAST:.2f}", lambda value: value >= FAIR_AT_LEAST


def _changes(golden: str, text: str) -> bool:
    """Whether a control found enough to change; order counts as a change too."""
    before = [line for line in golden.split("\n") if line.strip()]
    after = [line for line in text.split("\n") if line.strip()]
    same = sum(one == other for one, other in zip(before, after, strict=False))
    return same < (1 - _FEWEST_CHANGES) * max(len(before), len(after), 1)


def write(found: Calibration, directory: Path) -> list[Path]:
    """The summary, and a folder for each case with its report and its reward."""
    written = []
    for case in found.cases:
        if case.score is None:
            continue
        folder = directory / "cases" / case.name
        reward = {"reward": case.score.final, "case": case.name, **case.score.document()}
        written += [write_text(folder / "report.md", case.text), write_json(folder / "reward.json", reward)]
    return [*written, write_json(directory / "calibration_summary.json", found.summary())]
