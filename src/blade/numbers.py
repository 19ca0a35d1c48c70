"""How numbers are written: shares as percentages, differences in points, p-values, intervals, counts."""

import math


def percent(share: float | None) -> str:
    """A share as a percentage that is 0 or 100 only where it really is."""
    if share is None:
        return "unknown"
    value = 100 * share
    if 0 < value < 0.05:
        return "<0.1 %"
    return ">99.9 %" if 99.95 <= value < 100 else f"{value:.1f} %"


def points(value: float | None, *, signed: bool = True) -> str:
    """Percentage points with a true minus sign."""
    if value is None:
        return "unknown"
    shown = f"{abs(value):.1f}"
    sign = "" if float(shown) == 0 else "−" if value < 0 else "+" if signed else ""
    return sign + shown


def probability(p: float | None, *, bare: bool = False) -> str:
    """A p-value: two digits that count, or an upper bound for what is tiny; `bare` without its letter."""
    if p is None:
        return "unknown" if bare else "p unknown"
    if p < 0.0001:
        return "<0.0001" if bare else "p < 0.0001"
    shown = f"{p:.2g}" if p < 0.1 or p > 0.9995 else f"{p:.2f}"
    return shown if bare else f"p = {shown}"


def share_range(low: float | None, high: float | None) -> str:
    """The two ends of an interval of a share, in percent; empty where there is none."""
    return "" if low is None or high is None else f"[{100 * low:.1f}, {100 * high:.1f}]"


def point_range(low: float | None, high: float | None) -> str:
    """The two ends of an interval in points; empty where there is none."""
    return "" if low is None or high is None else f"[{points(low)}, {points(high)}]"


def amount(value: float | None) -> str:
    """A quantity without a unit: three digits that count, thousands set apart."""
    if value is None or math.isnan(value):
        return "unknown"
    if abs(value) >= 1_000:
        return f"{value:,.0f}"
    return f"{value:.3g}".replace("-", "−") if abs(value) < 100 else f"{value:.0f}"


def amount_range(low: float | None, high: float | None) -> str:
    """The two ends of an interval of a quantity; an end that is not known is open."""
    if low is None and high is None:
        return ""
    return f"[{'…' if low is None else amount(low)}, {'…' if high is None else amount(high)}]"


def counted(count: int, what: str, plural: str = "") -> str:
    """`1 task`, `2 tasks`."""
    return f"{count:,} {what if count == 1 else plural or what + 's'}"
