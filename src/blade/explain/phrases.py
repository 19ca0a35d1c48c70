"""What findings say, phrase by phrase; every verb that tells them uses the same words."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from blade import numbers

if TYPE_CHECKING:
    from blade.explain.records import ModeShare, OddsRatio, Quote, RunFailures

_LONGEST_QUOTE: Final = 120


def funnel(run: "RunFailures") -> str:
    """The stages with how many came that far, and the largest loss."""
    stages = " → ".join(f"{stage.stage} {stage.reached:,}" for stage in run.funnel)
    if run.largest_drop is None:
        return stages
    names = [stage.stage for stage in run.funnel]
    place = names.index(run.largest_drop)
    lost = run.funnel[place - 1].reached - run.funnel[place].reached
    return f"{stages}; most are lost on the way to {run.largest_drop} ({lost:,})"


def causes(run: "RunFailures") -> str:
    """The causes by their share of what failed or was not measured."""
    return ", ".join(f"{each.cause} {numbers.percent(each.share)} ({each.rollouts:,})" for each in run.causes)


def unexplained(run: "RunFailures") -> str:
    """How much of it nothing explains."""
    if run.unexplained is None:
        return ""
    of = run.failed + run.rollouts - run.measured
    return f"{numbers.percent(run.unexplained)} of {numbers.counted(of, 'failing or not-measured rollout')}"


def odds(found: "OddsRatio | None") -> str:
    """An odds ratio, or the bound that there is."""
    if found is None:
        return ""
    if found.high is None and found.low is not None:
        return f">{found.low:.1f}" if found.low >= 1 else "high"
    return f"{found.value:.1f}"


def evidence(title: str, refs: Sequence[str], example: "Quote | None") -> str:
    """A rollout that shows a mode, with its words where there are any."""
    if example is None:
        return f"{refs[0]} ({title})" if refs else ""
    where = f", {example.field}" if example.field else ""
    words = " ".join(example.text.split())
    shown = words if len(words) <= _LONGEST_QUOTE else words[: _LONGEST_QUOTE - 1] + "…"
    return f"{example.ref}{where} “{shown}” ({title})"


def odds_in_words(mode: "ModeShare") -> str:
    """How much likelier rollouts that show it fail, where rollouts of one task tell."""
    shown = odds(mode.odds_ratio)
    return f"odds of failing {shown} times those of other rollouts of the task; " if shown not in ("", "high") else ""
