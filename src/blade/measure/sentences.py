"""What a comparison says, sentence by sentence; the terminal and the pull request say the same."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from blade import numbers

if TYPE_CHECKING:
    from blade.measure.comparison import Comparison, Flip
    from blade.measure.contract import Difference


def verdict(one: "Comparison", candidates: int = 1) -> str:
    """The verdict with the difference, its interval and its p."""
    if one.delta.value is None:
        return one.verdict
    ends = numbers.point_range(one.delta.low, one.delta.high)
    p = numbers.probability(one.delta.p)
    if candidates > 1:
        p += f" ({numbers.probability(one.delta.p_adjusted, bare=True)} adjusted for {candidates} candidates)"
    return f"{one.verdict}: {numbers.points(one.delta.value)} points{ends and f' {ends}'}, {p}"


def scoreboard(one: "Comparison") -> str:
    """What the scoreboard's difference is made of, where it is not that of the common tasks alone."""
    if one.headline is None or len(one.headline.terms) < 2:
        return ""
    terms = ", ".join(f"{numbers.points(term.points)} {term.what}" for term in one.headline.terms)
    return (
        f"{one.headline.baseline:.1f} % → {one.headline.candidate:.1f} %, "
        f"{numbers.points(one.headline.value)} points: {terms}"
    )


def could_show(one: "Comparison") -> str:
    """The minimum detectable effect in a sentence."""
    if one.verdict == "not comparable":
        return ""
    if one.minimum_detectable is None:
        return "no difference at all: there are too few tasks"
    least = numbers.points(one.minimum_detectable, signed=False)
    return f"a true difference of {least} points is found in 80 % of comparisons like this one"


def to_settle(one: "Comparison") -> str:
    """What would settle the difference that was seen."""
    found = one.to_settle
    ways = [f"{found.repeats:,} repeats of these tasks"] if found.repeats else []
    ways += [f"{found.tasks:,} tasks at these repeats"] if found.tasks else []
    return f"a true difference as large as the one seen would take {' or '.join(ways)} to show" if ways else ""


def slices(found: int, tried: int, beyond: int) -> str:
    """How many slices there are, were tested, and differ."""
    few = f"; {found - tried:,} more have too few tasks to be tested" if found > tried else ""
    if not tried:
        return f"{numbers.counted(found, 'slice')}, all with too few tasks to be tested"
    differ = "none differs" if not beyond else f"{beyond:,} differ{'s' if beyond == 1 else ''}"
    return f"{differ} beyond noise of {numbers.counted(tried, 'slice')} that were tested{few}"


def flips(found: Sequence["Flip"]) -> str:
    """How many tasks went which way."""
    worse = sum(flip.points < 0 for flip in found)
    return f"{numbers.counted(worse, 'task')} passed less often, {len(found) - worse:,} more often"


def tasks(one: "Comparison", shown: int | None) -> str:
    """What the runs do not share, with the names of some tasks."""
    common = one.common
    told = [common.note] if common.note else []
    for names, what in (
        (common.changed_prompts, "with the same id and another prompt"),
        (common.only_baseline, f"only in {one.baseline}"),
        (common.only_candidate, f"only in {one.candidate}"),
        (common.not_measured, "in common of which one run has no measured rollout"),
    ):
        if names:
            kept = names[:shown]
            more = f" and {len(names) - len(kept):,} more" if len(names) > len(kept) else ""
            told.append(f"{numbers.counted(len(names), 'task')} {what} ({', '.join(kept)}{more})")
    return "; ".join(told)


def differences(one: "Comparison") -> list["Difference"]:
    """What differs in the set-up, but for the tasks: `tasks` speaks of them."""
    return [each for each in one.comparable.differences if each.what not in ("tasks", "prompts")]


def sides(found: "Difference") -> list[Any]:
    """Both sides of a difference, or the one that there is."""
    return [found.candidate] if found.baseline == "" else [found.baseline, found.candidate]


def value(found: Any) -> str:
    """One side of a difference."""
    return "unknown" if found is None else f"{found:g}" if isinstance(found, float) else str(found)
