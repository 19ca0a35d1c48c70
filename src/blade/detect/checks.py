"""What tests that the model ran said: passed or failed, by the summaries that test programs print."""

import re
from typing import Final, NamedTuple

READ: Final = 450
_LINES: Final = 12
"""Characters and lines of the end of an output that are looked at: summaries stand there."""

_COUNTED: Final = re.compile(
    r"\d{1,7} (?:tests? |specs? |examples? |test cases? |assertions? |checks? )?(?:(failed|failures?|failing)|(passed|passing)|errors? in [\d.]+ ?s)\b"
)
_FAILED: Final = re.compile(
    r"FAILED \((?:failures|errors)=\d+|--- FAIL: |^FAIL\b.{0,80}|^ok\s.{0,5}FAIL|test result: FAILED|^not ok \d+|BUILD FAILURE|\bTests? (?:have )?failed\b"
    r"|panicked at\b|errors? during collection|make(?:\[\d\])?: \*\*\* \[.{0,60}\] Error \d+"
)
_PASSED: Final = re.compile(
    r"^OK(?: \([\w=, ]{1,60}\))?\s*$|test result: ok\b|^ok\s+\S+\s+[\d.(]\S*|^PASS\b.{0,80}|BUILD SUCCESS"
    r"|\b[Aa]ll (?:the )?(?:\d+ )?(?:tests?|checks?|assertions?)(?: cases?)? (?:have )?(?:passed|pass)\b"
)
_FIRST: Final = ("FAIL", "OK", "ok ", "PASS", "not ok ", "make", "---")
"""How lines begin that tell an outcome without a count."""

_SUMMARY: Final = re.compile(
    r"^=+ [^\n]{0,120}\b(?:passed|failed|error)s?\b[^\n]{0,60} in [\d.]+s|={4,} test session starts ={4,}|^Ran \d+ tests? in [\d.]+s|\btest result: (?:ok|FAILED)\."
    r"|^Tests:\s+\d+ |^--- (?:FAIL|PASS): ",
    re.MULTILINE,
)
"""What nothing but a test program prints."""

_SUMMARY_STEMS: Final = ("=== ", "Ran ", "test result: ", "Tests:", "--- FAIL", "--- PASS")


class Outcome(NamedTuple):
    """What tests said."""

    passed: bool
    quote: str


def outcome_of(text: str) -> Outcome | None:
    """The outcome of tests: of the last line at the end of an output that tells one; None where none does."""
    end = text[-READ:]
    if not _may_tell(end):
        return None
    for line in reversed(_in_lines(end).split("\n")[-_LINES:]):
        if outcome := _counted(line) or _in_words(line):
            return outcome
    return None


def _in_lines(end: str) -> str:
    """The end of an output with one kind of line end, also where it stands inside JSON."""
    end = end.replace("\r\n", "\n")
    return end.replace("\\n", "\n").replace("\\r", "\n") if "\\" in end else end


def _may_tell(end: str) -> bool:
    """Whether an output holds a part of any word for an outcome: one quick look."""
    return (
        " pass" in end
        or " fail" in end
        or "FAIL" in end
        or "PASS" in end
        or "OK" in end
        or end.startswith("ok")
        or "nok" in end
        or ": ok" in end
        or " in " in end
        or "SUCCESS" in end
        or "panicked" in end
        or "*** [" in end
        or "collection" in end
    )


def _counted(line: str) -> Outcome | None:
    """An outcome by the number of tests that failed and passed; none failed counts for nothing."""
    if " passed" not in line and " fail" not in line and " passing" not in line and " in " not in line:
        return None
    passed = ""
    for match in _COUNTED.finditer(line):
        if match[0].startswith("0"):
            continue
        if not match[2]:
            return Outcome(False, match[0])
        passed = match[0]
    return Outcome(True, passed) if passed else None


def _in_words(line: str) -> Outcome | None:
    if not line.startswith(_FIRST) and not (
        "FAILED (" in line
        or "test result: " in line
        or "BUILD " in line
        or "panicked at" in line
        or "ests " in line
        or "est fail" in line
        or "hecks " in line
        or "ssertions " in line
        or "during collection" in line
    ):
        return None
    if failed := _FAILED.search(line):
        return Outcome(False, failed[0].strip())
    passed = _PASSED.search(line)
    return Outcome(True, passed[0].strip()) if passed else None


def is_summary(text: str) -> bool:
    """Whether an output is that of a test program, whatever was called."""
    end = text[-READ:]
    return any(stem in end for stem in _SUMMARY_STEMS) and bool(_SUMMARY.search(_in_lines(end)))
