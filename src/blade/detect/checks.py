"""What tests that the model ran said: passed or failed, by the summaries that test programs print."""

import re
from typing import Final, NamedTuple

_READ: Final = 3_000
"""Characters of the end of an output that are looked at: summaries stand there."""

_FAILED: Final = re.compile(
    r"\b[1-9]\d{0,6} (?:tests? |specs? |examples? |test cases? )?(?:failed|failures?|failing)\b|\bFAILED \((?:failures|errors)=\d+|--- FAIL: |^FAIL\b[^\n]{0,80}|\btest result: FAILED"
    r"|\b[1-9]\d{0,6} errors? in [\d.]+ ?s\b|^not ok \d+|\bBUILD FAILURE|\bTests? (?:have )?failed\b|\bpanicked at\b|\berrors? during collection",
    re.MULTILINE,
)
_PASSED: Final = re.compile(
    r"\b[1-9]\d{0,6} (?:tests? |specs? )?(?:passed|passing)\b|^OK(?: \([\w=, ]{1,60}\))?\s*$|\btest result: ok\b|^ok\s+\S+\s+[\d.(]\S*|^PASS\b[^\n]{0,80}|\bBUILD SUCCESS"
    r"|\b[Aa]ll (?:the )?(?:\d+ )?(?:tests?|checks?|assertions?)(?: cases?)? (?:have )?(?:passed|pass)\b|\b[1-9]\d{0,6} examples?, 0 failures\b|\b[1-9]\d{0,6} tests?[^\n]{0,40}, 0 failures\b",
    re.MULTILINE,
)
_SUMMARY: Final = re.compile(
    r"^=+ [^\n]{0,120}\b(?:passed|failed|error)s?\b[^\n]{0,60} in [\d.]+s|={4,} test session starts ={4,}|^Ran \d+ tests? in [\d.]+s|\btest result: (?:ok|FAILED)\.|^Tests:\s+\d+ |^--- (?:FAIL|PASS): ",
    re.MULTILINE,
)
"""What nothing but a test program prints."""

_STEMS: Final = ("pass", "PASS", "fail", "FAIL", "OK", "ok", "SUCCESS", "error", "panicked")


class Outcome(NamedTuple):
    """What tests said."""

    passed: bool
    quote: str


def outcome_of(text: str) -> Outcome | None:
    """The outcome of tests, read at the end of an output; None where it shows none."""
    end = text[-_READ:]
    if not any(stem in end for stem in _STEMS):
        return None
    if failed := _FAILED.search(end):
        return Outcome(False, failed[0].strip())
    passed = None
    for passed in _PASSED.finditer(end):  # noqa: B007  the last one is the sum
        pass
    return Outcome(True, passed[0].strip()) if passed else None


def is_summary(text: str) -> bool:
    """Whether an output is that of a test program, whatever was called."""
    return bool(_SUMMARY.search(text, max(0, len(text) - _READ)))
