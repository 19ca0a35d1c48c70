"""Errors of the judge or the verifier that a field tells of."""

import re
from collections.abc import Iterator
from typing import Final

from blade.detect import wording
from blade.detect.fields import Telling
from blade.detect.reading import Reading
from blade.detect.signal import BEHAVIOUR, QUOTE_LIMIT, Signal, detector

_NEAR_THE_BEGINNING: Final = 100
_NAMES_JUDGE: Final = re.compile(
    r"judge|grader|verif|scor|evaluat|reward|gold|verdict|nl_assert|reference|oracle|expected", re.IGNORECASE
)


@detector(
    "verifier error",
    needs="telling",
    family="verifier",
    role=BEHAVIOUR,
    cause="TI",
    owner="verifier",
    title="Judge or verifier failed",
    meaning="A field says that the judge, the grader or the verifier itself failed, or that its answer was of no use.",
    but="It does not say that the reward is wrong: the verifier may have been asked again.",
)
def verifier_error(reading: Reading) -> Iterator[Signal]:
    step = reading.last if reading.last >= 0 else None
    for telling in reading.telling:
        if quote := _failed(telling):
            yield Signal(step, quote[:QUOTE_LIMIT], telling.name, field=telling.name)


def _failed(telling: Telling) -> str:
    """The words by which a field says that the verifier failed."""
    says, value = telling.says, telling.value
    if telling.says_true == "verifier error":
        return telling.quote
    if not isinstance(value, str):
        return ""
    if says.if_true == "verifier error":
        return value.strip()
    said = wording.read(value) if says.reason and _NAMES_JUDGE.search(value) else None
    tells = said and said.says == wording.VERIFIER and said.start <= _NEAR_THE_BEGINNING
    return said.quote if said and tells else ""
