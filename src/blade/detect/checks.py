"""What tests that the model ran said: passed or failed, by the summaries that test programs print."""

import re
from typing import Final, NamedTuple

_READ: Final = 1_500
_LINES: Final = 15
"""Characters and lines of the end of an output that are looked at: summaries stand there."""

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

_SUMMARY_STEMS: Final = ("=== ", "Ran ", "test result: ", "Tests:", "--- FAIL", "--- PASS")

_STEMS: Final = (" passed", " failed", " failing", " passing", " failure", " error", "FAILED (", "test result: ", "BUILD ", "panicked at", "--- FAIL", "ests pass", "ests fail",
    "hecks pass", "ssertions pass", "errors during")  # fmt: skip
_FIRST: Final = ("FAIL", "OK", "ok ", "PASS", "not ok ")
"""One of these stands in every line that tells an outcome, or at its beginning."""


class Outcome(NamedTuple):
    """What tests said."""

    passed: bool
    quote: str


def outcome_of(text: str) -> Outcome | None:
    """The outcome of tests: of the last line at the end of an output that tells one; None where none does."""
    for line in reversed(text[-_READ:].splitlines()[-_LINES:]):
        if line.startswith(_FIRST) or any(stem in line for stem in _STEMS):
            if failed := _FAILED.search(line):
                return Outcome(False, failed[0].strip())
            if passed := _PASSED.search(line):
                return Outcome(True, passed[0].strip())
    return None


def is_summary(text: str) -> bool:
    """Whether an output is that of a test program, whatever was called."""
    end = text[-_READ:]
    return any(stem in end for stem in _SUMMARY_STEMS) and bool(_SUMMARY.search(end))
