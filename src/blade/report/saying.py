"""How a report says numbers: with their intervals and denominators, in the same words everywhere."""

from collections.abc import Sequence
from typing import Final

from blade import numbers
from blade.explain.records import Explained, ModeShare, RunFailures, Term
from blade.measure.rates import Estimate
from blade.report.pieces import BAD, GOOD, PLAIN, QUIET, Cited, Part
from blade.vocabulary import CAUSES

_TONES: Final = {"better": GOOD, "worse": BAD, "no difference shown": QUIET, "not comparable": QUIET}


def share(found: Estimate | None) -> str:
    """A rate with its interval: `70.8 % [62.9, 77.7]`."""
    if found is None or found.value is None:
        return "not known"
    return spaced(numbers.percent(found.value), numbers.share_range(found.low, found.high))


def amount(found: Estimate | None) -> str:
    """A quantity with its interval."""
    if found is None or found.value is None:
        return "not known"
    return spaced(numbers.amount(found.value), numbers.amount_range(found.low, found.high))


def points(value: float | None, low: float | None, high: float | None) -> str:
    """A difference in points with its interval."""
    return spaced(numbers.points(value), numbers.point_range(low, high))


def in_points(value: float | None, low: float | None, high: float | None) -> str:
    """The same within a sentence: `+3.1 points [+1.0, +5.2]`."""
    return spaced(f"{numbers.points(value)} points", numbers.point_range(low, high))


def spaced(*parts: str) -> str:
    """The parts that are there, with spaces between."""
    return " ".join(part for part in parts if part)


def of(count: int, whole: int) -> str:
    """`48 of 240`, and what share that is."""
    return f"{count:,} of {whole:,}" + (f" ({numbers.percent(count / whole)})" if whole else "")


def listed(names: Sequence[str], most: int = 6) -> str:
    """`a, b and c`; of many the first ones and how many more there are."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most:,} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else "none"


def refs(found: Sequence[str], most: int) -> list[Part]:
    """Some refs, and how many more there are."""
    parts: list[Part] = []
    for ref in found[:most]:
        parts += [", ", Cited(ref)] if parts else [Cited(ref)]
    return [*parts, f" and {len(found) - most:,} more"] if len(found) > most else parts


def tone(verdict: str) -> str:
    """What a verdict should feel like."""
    return _TONES.get(verdict, PLAIN)


def meaning(cause: str) -> str:
    """The first words of what a cause means."""
    return CAUSES.get(cause, cause).partition(":")[0].rstrip(".").lower() if cause != "unknown" else "cause not known"


def who(run: RunFailures) -> str:
    """Model and agent of a run, as far as its rows say."""
    return ", ".join(name for name in (run.model, run.agent and f"agent {run.agent}") if name)


def failing(run: RunFailures) -> int:
    """Rollouts that failed or are not measured: what shares of modes are shares of."""
    return run.failed + run.rollouts - run.measured


def failing_words(run: RunFailures) -> str:
    """What `failing` counts, in words."""
    return "failing rollouts" if run.measured == run.rollouts else "failing or not-measured rollouts"


def within(text: str) -> str:
    """A text as it stands within a sentence: without its capital, unless it begins with a name in capitals."""
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def measured_refs(run: RunFailures, mode: ModeShare) -> list[str]:
    """The rollouts of a mode that are measured, so that mending it could move pass@1."""
    unmeasured = {ref.partition("#")[0] for each in run.not_measured for ref in each.refs}
    return [ref for ref in mode.refs if ref.partition("#")[0] not in unmeasured]


def beyond_noise(one: Explained) -> list[Term]:
    """The terms of a difference that noise does not explain, the largest first."""
    return [term for term in one.terms if not term.within_noise]


def one_of(term: Term, run: str) -> str | None:
    """A rollout of one run that shows a term."""
    from blade.ref import encode

    return next((ref for ref in term.refs if ref.startswith(f"{encode(run)}:")), None)


def bearer(one: Explained, term: Term) -> str:
    """The run that a term costs more."""
    return one.candidate if term.points < 0 else one.baseline


def sentence(text: str) -> str:
    """A phrase as a sentence: a capital, and a full stop."""
    said = text.strip()
    if not said:
        return ""
    said = said[0].upper() + said[1:]
    return said if said.endswith((".", "!", "?", "…")) else f"{said}."
