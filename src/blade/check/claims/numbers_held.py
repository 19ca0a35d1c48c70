"""Whether the data have a number: a figure that is read held against what is true."""

from collections.abc import Iterator, Sequence
from typing import Final

from blade import numbers
from blade.check.claims import truth as known
from blade.check.claims.about import Reading
from blade.check.claims.claim import Claim, Judged, contradicted, not_checkable, supported
from blade.check.claims.truth import Quantity, Truth
from blade.check.text.agreeing import agrees
from blade.check.text.figures import COUNT, OF, PERCENT, POINTS, Figure

KIND: Final = "number"

_UNITS: Final = {
    OF: (known.COUNT,),
    COUNT: (known.COUNT, known.AMOUNT, known.SHARE),
    PERCENT: (known.SHARE, known.COUNT, known.POINTS),
    POINTS: (known.POINTS,),
}


_ALSO: Final = {
    "failed": ("failing", "not measured"),
    "rollouts": ("failing", "measured", "passed", "failed", "seen", "in passes", "lost", "rows"),
    "tasks": ("common tasks", "better tasks", "worse tasks"),
    "pass@1": ("cost",),
    "passed": ("in passes",),
    "missing": ("not measured",),
    "lost": ("not measured", "missing"),
}
"""Words that a report may use for other things as well."""


def judge(figure: Figure, reading: Reading, truth: Truth, text: str, line: int) -> Judged:
    """A figure as it is read, held against the data: in doubt it cannot be checked."""
    claim = Claim(KIND, _shortened(text), line, _subject(reading), _written(figure))
    if absent := [run for run in reading.runs if run not in truth.run_names]:
        return not_checkable(claim, f"run {absent[0]} was not given")
    loose = list(_candidates(figure, reading, truth, strictly=False))
    for each in loose:
        if _says(figure, each) or (not truth.directed and _says_backwards(figure, each)):
            return supported(claim, _source(figure, each))
    if figure.kind == COUNT and len(reading.runs) > 1 and _is_sum(figure, loose):
        return supported(claim, f"{loose[0].source}, and of the other runs")
    strict = list(_candidates(figure, reading, truth, strictly=True)) if reading.sure else []
    if reading.whats == ("p",):
        strict = []
    if not strict:
        why = "run, part or measure is not told clearly" if not reading.sure else "the data have no such number"
        return not_checkable(claim, why)
    if not _is_close_kind(figure, strict, reading):
        return not_checkable(claim, "it may count something else")
    nearest = min(strict, key=lambda each: abs(_scaled(figure, each) - figure.value))
    return contradicted(claim, _true(nearest), nearest.source)


def _source(figure: Figure, each: Quantity) -> str:
    """Where a number stands; a pass rate may be one of tasks or one of rollouts, so it is told which."""
    if figure.kind == PERCENT and _is_outcome_of_run(each):
        return f"{each.source}: share of its measured rollouts"
    return each.source


def _is_sum(figure: Figure, found: Sequence[Quantity]) -> bool:
    """Whether a figure is what all runs have together."""
    sums: dict[tuple[str, str, str, float | None], float] = {}
    for each in {
        (each.run, each.about, each.name, each.what): each for each in found if each.unit == known.COUNT
    }.values():
        key = (each.about, each.name, each.what, None)
        sums[key] = sums.get(key, 0.0) + each.value
    return figure.value in sums.values()


def _candidates(figure: Figure, reading: Reading, truth: Truth, *, strictly: bool) -> Iterator[Quantity]:
    """The numbers that a figure could mean."""
    wanted = list(reading.parts) or [(known.WHOLE, "")]
    if not strictly and not (reading.sure and reading.parts):
        wanted.append((known.WHOLE, ""))
    measures = set(reading.whats)
    if wanted[0][0] in (known.MODE, known.CAUSE) and figure.kind in (PERCENT, POINTS):
        measures |= {"cost", "delta"}
    if not measures and figure.kind == POINTS and not strictly:
        measures = {"delta", "cost", "lost"}
    if not strictly:
        measures |= {other for what in reading.whats for other in _ALSO.get(what, ())}
        measures |= {"pass@1"} if figure.kind == PERCENT and "passed" in measures else set()
    if not strictly and "missing" in measures:
        wanted.append((known.BUCKET, "missing"))
        measures.add("tasks")
    for about, name in dict.fromkeys(wanted):
        for each in truth.of(about, name):
            if each.unit not in _UNITS[figure.kind]:
                continue
            if each.run and each.run not in reading.runs:
                continue
            if strictly and not each.run and not _is_of_pair(each, reading, truth):
                continue
            if (
                (not strictly and not measures and about != known.WHOLE)
                or each.what in measures
                or (not strictly and not each.run and figure.kind == POINTS)
            ):
                yield each


def _is_of_pair(each: Quantity, reading: Reading, truth: Truth) -> bool:
    """Whether a difference is the one between the runs that are told: there is one pair only, or it is named."""
    if len(truth.pairs) == 1:
        return True
    named = set(reading.runs)
    if len(named) == 1:
        return truth.directed and named == {each.others[1]}
    return named == set(each.others)


def _is_close_kind(figure: Figure, strict: Sequence[Quantity], reading: Reading) -> bool:
    """Whether the figure is of the kind that the data have: `so many of so many` of as many."""
    if figure.kind == OF:
        return any(each.of is None or each.of == figure.of or each.value == figure.value for each in strict)
    if figure.kind == PERCENT:
        if reading.of_failing and any(each.of for each in strict):
            return True
        return any(each.unit == known.SHARE or _is_outcome_of_run(each) for each in strict)
    if figure.kind != COUNT:
        return True
    units = (known.AMOUNT, known.SHARE) if figure.decimals or figure.value < 0 else (known.COUNT, known.AMOUNT)
    return any(each.unit in units for each in strict)


def _is_outcome_of_run(each: Quantity) -> bool:
    """Whether a count is of all rollouts of a run or slice that passed, or failed: a percentage of them means that."""
    return each.about in (known.WHOLE, known.SLICE) and each.what in ("passed", "failed") and bool(each.of)


def _says(figure: Figure, each: Quantity) -> bool:
    if figure.kind == OF:
        return each.value == figure.value and (each.of is None or each.of == figure.of)
    if figure.kind == PERCENT and each.unit == known.COUNT:
        return each.of is not None and each.of > 0 and agrees(figure, 100 * each.value / each.of)
    if figure.kind == COUNT and each.unit == known.SHARE and not figure.decimals and figure.value <= 1:
        return False
    scaled = _scaled(figure, each)
    return agrees(figure, scaled) or (agrees(figure, abs(scaled)) and figure.value >= 0)


def _says_backwards(figure: Figure, each: Quantity) -> bool:
    """Whether a figure is the difference taken the other way round."""
    return bool(each.others) and _says(figure, each._replace(value=-each.value))


def _scaled(figure: Figure, each: Quantity) -> float:
    if figure.kind == COUNT and each.unit == known.SHARE and figure.value > 1:
        return 100 * each.value
    if figure.kind == PERCENT:
        if each.unit == known.SHARE:
            return 100 * each.value
        if each.unit == known.COUNT and each.of:
            return 100 * each.value / each.of
    return each.value


def _written(figure: Figure) -> str:
    value = f"{figure.value:g}"
    if figure.kind == OF:
        return f"{value} of {figure.of:g}"
    return value + {PERCENT: " %", POINTS: " points"}.get(figure.kind, "")


def _true(each: Quantity) -> str:
    if each.unit == known.SHARE:
        return numbers.percent(each.value)
    if each.unit == known.POINTS:
        return f"{numbers.points(each.value)} points"
    shown = f"{each.value:,.0f}" if each.unit == known.COUNT else numbers.amount(each.value)
    return f"{shown} of {each.of:,.0f}" if each.of else shown


def _subject(reading: Reading) -> str:
    told = [*([reading.runs[0]] if len(reading.runs) == 1 else []), *(name for _, name in reading.parts[:2])]
    return ", ".join([*told, *reading.whats[:2]])


def _shortened(text: str) -> str:
    return text if len(text) <= 300 else text[:299] + "…"
