"""All kinds of claims, by name."""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from blade.check.claims import (
    arithmetic,
    buckets,
    directions,
    numbers_held,
    quantities,
    quotes,
    refs,
    superlatives,
    tasks,
)
from blade.check.claims.claim import Judged
from blade.check.claims.scene import Scene

Find = Callable[[Scene], Iterator[Judged]]


class Kind(NamedTuple):
    """A row of the registry."""

    name: str
    says: str
    find: Find


KINDS: Final = (
    Kind(
        numbers_held.KIND,
        "A count, rate, share or difference beside the run and the part that it is of.",
        quantities.find,
    ),
    Kind(arithmetic.KIND, "A percentage beside the count that it is made of.", arithmetic.find),
    Kind(tasks.KIND, "A task that is named: that it exists, how often it passes, why it fails.", tasks.find),
    Kind(refs.KIND, "A ref or a rollout: that it exists, whether it passed, which failure mode it has.", refs.find),
    Kind(quotes.KIND, "Exact words beside a ref: that they stand there.", quotes.find),
    Kind(buckets.KIND, "A named task that always, sometimes or never passes.", buckets.find),
    Kind(directions.KIND, "One run above or below another; something that is in one run only.", directions.find),
    Kind(
        superlatives.KIND, "The most or the least of its kind: slices, modes, causes, stages, runs.", superlatives.find
    ),
)
"""Every kind of claim, in the order in which reports of one line are told."""
