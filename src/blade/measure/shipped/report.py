"""What comparing a sidecar with the rows found: counts, disagreements, and what could not be compared."""

import math
from collections.abc import Iterable
from typing import Any

import msgspec

MOST_DISAGREEMENTS = 5_000
"""Disagreements of one sidecar that are described; `checked - agreed` counts them all."""

_MOST_NAMED = 6
_MOST_TEXT = 200
_RELATIVE, _ABSOLUTE = 1e-6, 1e-9


class Disagreement(msgspec.Struct, frozen=True, kw_only=True):
    """A number that a sidecar states and the rows do not give."""

    where: str
    """An agent, a task, a rollout, or the run."""
    key: str
    """The key as shipped."""
    shipped: Any
    recomputed: Any
    why: str
    """One sentence: which rows explain it, or that nothing here does."""
    refs: list[str]
    """The rows that explain it, all of them."""
    recomputed_from: str = "the rows"


class SourceCheck(msgspec.Struct, kw_only=True):
    """One sidecar held against the rows."""

    kind: str
    """As in `blade.artifacts.nemo_gym.names`."""
    file: str
    checked: int = 0
    """Numbers that were recomputed and compared."""
    agreed: int = 0
    disagreements: list[Disagreement] = []
    unchecked: list[tuple[str, str]] = []
    """Keys that were not recomputed, those with one reason together, and the reason."""
    notes: list[str] = []
    """How the file was read, where that is not obvious: which rows entered, what a unit was taken for."""
    problem: str | None = None
    """Why the file as a whole says nothing about this run."""


class Tally:
    """Collects what a check finds."""

    def __init__(self, kind: str, file: str) -> None:
        self._check = SourceCheck(kind=kind, file=file)
        self._unchecked: dict[str, dict[str, None]] = {}

    def agree(self, count: int = 1) -> None:
        self._check.checked += count
        self._check.agreed += count

    def differ(
        self,
        where: str,
        key: str,
        shipped: Any,
        recomputed: Any,
        *,
        why: str,
        refs: Iterable[str] = (),
        recomputed_from: str = "the rows",
    ) -> None:
        """One number that was compared and does not agree."""
        self._check.checked += 1
        found = self._check.disagreements
        if len(found) < MOST_DISAGREEMENTS:
            values = (bounded(shipped), bounded(recomputed))
            found.append(
                Disagreement(
                    where=where,
                    key=key,
                    shipped=values[0],
                    recomputed=values[1],
                    why=why,
                    refs=list(refs),
                    recomputed_from=recomputed_from,
                )
            )

    @property
    def full(self) -> bool:
        """Whether further disagreements are only counted, so that nobody need explain them."""
        return len(self._check.disagreements) >= MOST_DISAGREEMENTS

    def compare(self, where: str, key: str, shipped: Any, recomputed: float | None, why: str) -> None:
        """A number that only one count can explain."""
        number = number_of(shipped)
        if number is not None and recomputed is not None and agrees(number, recomputed):
            self.agree()
        else:
            self.differ(where, key, shipped, recomputed, why=why)

    def skip(self, key: str, why: str) -> None:
        """A key that cannot be recomputed."""
        self._unchecked.setdefault(why, {})[cut(key)] = None

    def note(self, text: str) -> None:
        if text not in self._check.notes:
            self._check.notes.append(text)

    def problem(self, text: str) -> None:
        """The first problem stands; it is the one that explains the others."""
        self._check.problem = self._check.problem or text

    def join(self, other: "Tally") -> None:
        """Take up what another tally of the same file found, after what this one found."""
        found = other._check
        self._check.checked += found.checked
        self._check.agreed += found.agreed
        self._check.disagreements += found.disagreements[: MOST_DISAGREEMENTS - len(self._check.disagreements)]
        for why, keys in other._unchecked.items():
            self._unchecked.setdefault(why, {}).update(keys)

    def result(self) -> SourceCheck:
        check = self._check
        if not (check.checked or check.problem or self._unchecked):
            check.problem = "states no number"
        check.unchecked = [(_listed(list(keys)), why) for why, keys in self._unchecked.items()]
        more = check.checked - check.agreed - len(check.disagreements)
        if more:
            self.note(f"{more:,} further disagreements are counted and not described")
        return check


def _listed(keys: list[str]) -> str:
    more = len(keys) - _MOST_NAMED
    return ", ".join(keys[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def counted(count: int, noun: str) -> str:
    """A count with its noun: `1 row`, `2 rows`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def cut(text: str) -> str:
    """A text short enough to be shown."""
    return text if len(text) <= _MOST_TEXT else text[: _MOST_TEXT - 1] + "…"


def bounded(value: Any) -> Any:
    """A value that is small enough to be kept, and that JSON can hold."""
    if isinstance(value, str):
        return cut(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, int):
        return value if abs(value) < 2**63 else cut("an integer of more than 63 bits")
    return value if value is None else cut(str(type(value).__name__))


def number_of(value: Any) -> float | None:
    """A finite number, or None for everything else; true and false are no numbers."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def index_of(value: Any) -> int | None:
    """A whole number that can be an index."""
    number = number_of(value)
    return int(number) if number is not None and number.is_integer() and abs(number) < 2**53 else None


def map_of(value: Any) -> dict[str, Any]:
    """A JSON object, or an empty one for everything else."""
    return value if isinstance(value, dict) else {}


def agrees(shipped: float, recomputed: float) -> bool:
    """Whether two numbers are equal but for rounding of the last digits."""
    return math.isclose(shipped, recomputed, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE)


def tolerance(shipped: Any, scale: Any = 0.0) -> Any:
    """How far apart two numbers may be, where sums were taken over values as large as `scale`."""
    return abs(shipped) * _RELATIVE + _ABSOLUTE + scale * 1e-12
