"""A package validated: every check of the phases that are asked for, each finding with what to do about it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from blade.package.findings import ALL, FAIL, PASS, PHASES, Check, Finding, all_checks
from blade.package.subject import LEAST_FACTS, Subject

if TYPE_CHECKING:
    from blade.scan.store import Options


class Validation(NamedTuple):
    """All findings."""

    findings: list[Finding]

    @property
    def passed(self) -> int:
        return sum(each.status == PASS for each in self.findings)

    @property
    def counted(self) -> int:
        """Findings that passed or failed; what could not be looked at does not count."""
        return sum(each.status in (PASS, FAIL) for each in self.findings)

    @property
    def holds(self) -> bool:
        """Whether nothing failed."""
        return all(each.status != FAIL for each in self.findings)

    @property
    def summary(self) -> str:
        """The last line."""
        return f"Summary: {self.passed}/{self.counted} checks passed"

    def lines(self) -> list[str]:
        """As it is printed."""
        return [line for each in self.findings for line in each.lines()] + [self.summary]

    def document(self) -> dict[str, Any]:
        """As data."""
        return {
            "passed": self.passed,
            "checks": self.counted,
            "holds": self.holds,
            "findings": [each._asdict() for each in self.findings],
        }


def validate(
    root: str | Path, *, phase: str = ALL, least_facts: int = LEAST_FACTS, options: "Options | None" = None
) -> Validation:
    """Check a package; nothing is written into it.

    What needs the engine is skipped, and says so, where its libraries are not installed.
    """
    place = Path(root)
    phases = PHASES if phase == ALL else (phase,)
    if not place.is_dir():
        what = "is no directory" if place.exists() or place.is_symlink() else "is missing"
        return Validation([_no_package(place, what, phases[0])])
    subject = Subject(place, least_facts=least_facts, phases=frozenset(phases), options=options)
    try:
        found = [each for row in all_checks() if row.phase in phases for each in _findings(row, subject)]
    finally:
        subject.close()
    return Validation(found)


def _findings(row: Check, subject: Subject) -> list[Finding]:
    """What one check finds; where it breaks on a broken package, that is a finding too."""
    try:
        return list(row.find(subject))
    except Exception as error:  # noqa: BLE001 - whatever a package holds costs a finding, never the other checks
        told = f"cannot be carried out on this package: {type(error).__name__}: {error}"
        return [Finding(FAIL, row.phase, row.find.__name__.replace("_", " "), told[:300], "look at the files it reads")]


def _no_package(place: Path, what: str, phase: str) -> Finding:
    fix = "name the directory that holds the skill, rollouts and golden_reports of one benchmark"
    return Finding(FAIL, phase, "package directory", what, fix, str(place))
