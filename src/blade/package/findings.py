"""A finding of a validation, and the registry of checks that make them. A new check is a function with a row."""

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from blade.package.subject import Subject

PASS: Final = "PASS"  # noqa: S105 - the name of a verdict
FAIL: Final = "FAIL"
SKIP: Final = "SKIP"
STATUSES: Final = {
    PASS: "It is there and true.",
    FAIL: "It is missing or not true; `fix` says what to do.",
    SKIP: "It could not be looked at here; it does not count.",
}

SKILL: Final = "skill"
ROLLOUTS: Final = "rollouts"
GOLDEN: Final = "golden"
PHASES: Final = (SKILL, ROLLOUTS, GOLDEN)
ALL: Final = "all"


class Finding(NamedTuple):
    """What a check found."""

    status: str
    phase: str
    check: str
    """What was looked at, in a few words; of what is missing the words that users know."""
    detail: str = ""
    fix: str = ""
    file: str = ""

    def lines(self) -> list[str]:
        """As it is printed: the verdict, and below it the fix."""
        told = ": ".join(filter(None, (f"[{self.status}] {self.check}", self.file, self.detail)))
        return [_on_one_line(told), *([f"       fix: {_on_one_line(self.fix)}"] if self.fix else [])]


def _on_one_line(text: str) -> str:
    """Text for a terminal: file names and quotes may hold anything."""
    return "".join(char if char.isprintable() else " " if char.isspace() else "?" for char in text)


class Check(NamedTuple):
    """A check: the phase it belongs to, its place among the others, and what finds."""

    phase: str
    order: int
    find: Callable[["Subject"], Iterator[Finding]]


_CHECKS: Final[list[Check]] = []

Find = Callable[["Subject"], Iterator[Finding]]


def check(phase: str, order: int) -> Callable[[Find], Find]:
    """Register a check."""

    def register(find: Find) -> Find:
        _CHECKS.append(Check(phase, order, find))
        return find

    return register


@cache
def all_checks() -> tuple[Check, ...]:
    """Every check, in the order in which findings are told."""
    from blade.package import checks

    for module in iter_modules(checks.__path__):
        import_module(f"{checks.__name__}.{module.name}")
    return tuple(sorted(_CHECKS, key=lambda each: (PHASES.index(each.phase), each.order)))
