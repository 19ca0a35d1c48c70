"""Places for labels that would otherwise lie on each other."""

from collections.abc import Sequence


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places as near as can be to those wanted, in the same order, `gap` apart and between `low` and `high`.

    Where they cannot all be so far apart they are as far apart as the room allows.
    """
    if not wanted:
        return []
    gap = min(gap, (high - low) / max(1, len(wanted) - 1)) if len(wanted) > 1 else gap
    order = sorted(range(len(wanted)), key=lambda nth: (wanted[nth], nth))
    places = [min(max(wanted[nth], low), high) for nth in order]
    for nth in range(1, len(places)):
        places[nth] = max(places[nth], places[nth - 1] + gap)
    ceiling = high
    for nth in reversed(range(len(places))):
        places[nth] = max(low, min(places[nth], ceiling))
        ceiling = places[nth] - gap
    found = [0.0] * len(wanted)
    for nth, place in zip(order, places, strict=True):
        found[nth] = place
    return found
