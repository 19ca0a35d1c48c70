"""Every detector there is, and what all of them say of one rollout.

The order of the registry is that of `vocabulary.SIGNAL_FAMILIES`, and in each family that of its module. Among endings it
is the order of precedence: the first that a rollout shows is the most telling.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Final, NamedTuple

from blade.detect.families import answers, ending, infrastructure, self_checks, tampering, tools, user, verifier
from blade.detect.reading import Reading
from blade.detect.signal import DETECTORS, MOST_PLACES, Detector, Signal
from blade.vocabulary import SIGNAL_FAMILIES

FAMILIES: Final = (ending, tools, answers, self_checks, infrastructure, verifier, tampering, user)
"""The modules; importing them fills the registry."""

_PLACE: Final = {family: place for place, family in enumerate(SIGNAL_FAMILIES)}
_ROWS: Final = {row.name: row for row in sorted(DETECTORS.values(), key=lambda row: _PLACE[row.family])}


class Shown(NamedTuple):
    """A signal that a rollout shows: by which detector, and the how manyth of that detector it is, from 0."""

    name: str
    nth: int
    signal: Signal


def all_detectors() -> Mapping[str, Detector]:
    """Name to row, in the order of the registry."""
    return MappingProxyType(_ROWS)


def signals_of(reading: Reading) -> Iterator[Shown]:
    """Everything that a rollout shows; at most `MOST_PLACES` signals of each."""
    for needs, rows in _BY_NEED.items():
        if not needs or getattr(reading, needs):
            for row in rows:
                for nth, signal in enumerate(islice(row.detect(reading), MOST_PLACES)):
                    yield Shown(row.name, nth, signal)


def _by_need() -> dict[str, list[Detector]]:
    """The rows by what they need, so that each need is looked at once."""
    groups: dict[str, list[Detector]] = {}
    for row in _ROWS.values():
        groups.setdefault(row.needs, []).append(row)
    return groups


_BY_NEED: Final = _by_need()
