"""What the verifier says of failures: the lines of its own texts that no pass has, with what is particular masked."""

from functools import lru_cache
from typing import Final

import numpy as np

from blade.explain.cases import Cases
from blade.explain.templates import ANY, masked

MOST_LINES: Final = 60
"""Lines of one text that are looked at."""

MOST_TEXTS: Final = 30_000
"""Texts that are looked at, of failures and of passes."""

SELDOM: Final = 0.01
"""Share of passes that may have a line which counts as a complaint all the same."""

_TEXTS: Final = """
SELECT file, row, text FROM fields
WHERE standing = 'row' AND kind = 'text' AND length(text) > 3 AND regexp_matches(name, $names)
ORDER BY file, row, name
"""
_NAMES: Final = r"(?i)(?:log|report|stderr|stdout|output|error|reason|message|trace|traceback|detail|details|feedback|explanation|comment|diff|notes?)$"
"""Names of fields in which a verifier speaks."""


def complaints(cases: Cases) -> dict[int, frozenset[str]]:
    """Of each failing rollout of which the verifier complains its complaints, as templates."""
    case, found = cases.rows(_TEXTS, names=_NAMES)
    own = cases.failed[case]
    passes = np.flatnonzero(cases.passed[case])[:MOST_TEXTS]
    harmless: dict[str, int] = {}
    for text in found["text"][passes].tolist():
        for line in _lines(text):
            harmless[line] = harmless.get(line, 0) + 1
    most = SELDOM * len(passes)
    said: dict[int, set[str]] = {}
    for number in np.flatnonzero(own)[:MOST_TEXTS].tolist():
        lines = {line for line in _lines(found["text"][number]) if harmless.get(line, 0) <= most}
        if lines:
            said.setdefault(int(case[number]), set()).update(lines)
    return {number: frozenset(lines) for number, lines in said.items()}


def _lines(text: str) -> set[str]:
    return {line for each in text.split("\n", MOST_LINES)[:MOST_LINES] if (line := _template(each))}


@lru_cache(maxsize=100_000)
def _template(line: str) -> str:
    made = masked(line)
    return made if made.replace(ANY, "").strip(" .:,;()[]{}") else ""
