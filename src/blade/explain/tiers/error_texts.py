"""Error texts of tools, mined into templates: failures that read alike."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

import numpy as np

from blade.explain import causes
from blade.explain.cases import Cases
from blade.explain.mode import BEHAVIOUR, Mode, first_places, tier
from blade.explain.templates import ANY, mine

FEWEST: Final = 3
"""Rollouts that share a template, for it to be a mode of its own."""

_LONGEST_TITLE: Final = 90
_MOST_MASKED: Final = 0.34

_ERRORS: Final = """
SELECT file, row, coalesce(result_step, step)::BIGINT AS step, error AS kind, left(error_quote, 300) AS quote
FROM actions WHERE error IS NOT NULL AND standing IN ('row', 'failed') AND length(error_quote) > 0
ORDER BY quote, kind
"""


@tier("error texts", place=6)
def find(cases: Cases) -> Iterable[Mode]:
    """Tools answered with errors of one template, which failing rollouts show more often than passing ones."""
    case, found = cases.rows(_ERRORS)
    if not len(case):
        return
    template = mine(found["quote"].tolist())
    names, code = np.unique([template[quote] for quote in found["quote"].tolist()], return_inverse=True)
    order = np.argsort(code, kind="stable")
    ends = np.searchsorted(code[order], np.arange(len(names) + 1))
    steps = found["step"].astype(np.int64)
    for number, name in enumerate(names.tolist()):
        rows = order[ends[number] : ends[number + 1]]
        cases_of, steps_of = first_places(case[rows], steps[rows])
        if len(cases_of) < FEWEST or not name.replace(ANY, "").strip(" .:,;()[]{}"):
            continue
        blame = causes.of_tool_error(_usual(found["kind"][rows].tolist()))
        yield Mode(
            key=f"error text: {name}",
            title=f"Tool error “{_title(name, found['quote'][rows].tolist())}”",
            cause=blame.cause,
            owner=blame.owner,
            proof=BEHAVIOUR,
            cases=cases_of,
            steps=steps_of,
            rule="a tool answered with an error of this template",
        )


def _usual(kinds: list[str]) -> str:
    return min(Counter(kinds).items(), key=lambda item: (-item[1], item[0]))[0]


def _title(name: str, quotes: list[str]) -> str:
    """The template; where little of it is left unmasked, the text that stands there most often."""
    words = name.split(" ")
    told = name if words.count(ANY) <= _MOST_MASKED * len(words) else " ".join(_usual(quotes).split())
    return told if len(told) <= _LONGEST_TITLE else told[: _LONGEST_TITLE - 1].rstrip() + ANY
