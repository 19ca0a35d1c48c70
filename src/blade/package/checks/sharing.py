"""Nothing in a package must stay private, and everything in it can be opened."""

from collections.abc import Iterator
from pathlib import Path

from blade.package.findings import FAIL, GOLDEN, PASS, ROLLOUTS, SKILL, Finding, check
from blade.package.reading import leads_inside
from blade.package.rows import listed
from blade.package.sanitizing import PrivateFile, look_through
from blade.package.subject import Subject


def _phase_of(subject: Subject, path: Path) -> str:
    """The phase that a file belongs to: what is neither report nor rollouts goes with the skill."""
    if path in subject.layout.rollouts:
        return ROLLOUTS
    top = path.relative_to(subject.root).parts[0]
    if top in ("rollouts", "data"):
        return ROLLOUTS
    return GOLDEN if top.startswith("golden") else SKILL


def _files(subject: Subject, phase: str) -> list[Path]:
    return [path for path in subject.layout.files if _phase_of(subject, path) == phase]


def _links(subject: Subject, phase: str) -> Iterator[Finding]:
    outside = [path for path in _files(subject, phase) if path.is_symlink() and not leads_inside(path, subject.root)]
    for path in outside:
        fix = "put the file itself into the package: nobody else has what the link leads to"
        yield Finding(FAIL, phase, "links stay inside", "leads outside the package", fix, subject.layout.shown(path))


def _private(subject: Subject, phase: str) -> Iterator[Finding]:
    files = _files(subject, phase)
    if not files:
        return
    name = "sanitised"
    found = [each for each in look_through(files, subject.root) if each.counts or each.trouble]
    for each in found:
        told = each.trouble or f"{_counted(each)}; the first in line {each.first}"
        fix = "run `blade sanitize` on the package with --fix, and read what it changed"
        fix = "remove it, or say as text what it says" if each.trouble else fix
        yield Finding(FAIL, phase, name, told, fix, subject.layout.shown(each.path))
    if not found:
        yield Finding(PASS, phase, name, f"nothing private in {len(files):,} file{'s' * (len(files) != 1)}")


def _counted(found: PrivateFile) -> str:
    return listed([f"{kind} ({count:,})" for kind, count in found.counts.items()], most=6)


@check(SKILL, 900)
def skill_files(subject: Subject) -> Iterator[Finding]:
    """The skill and what lies beside it."""
    yield from _links(subject, SKILL)
    yield from _private(subject, SKILL)


@check(ROLLOUTS, 900)
def rollout_files(subject: Subject) -> Iterator[Finding]:
    """The rollouts and their sidecars."""
    yield from _links(subject, ROLLOUTS)
    yield from _private(subject, ROLLOUTS)


@check(GOLDEN, 900)
def golden_files(subject: Subject) -> Iterator[Finding]:
    """The golden reports and their companions."""
    yield from _links(subject, GOLDEN)
    yield from _private(subject, GOLDEN)
