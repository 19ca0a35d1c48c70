"""Fields that may say what became of a rollout, recognised by the parts of their names.

No name is known beforehand: `agentTimedOut`, `run.time_limit_hit` and `episode_timeout` are read alike. A name says
what a true value means, whether a text under it is a reason, and whether it holds what was extracted from an answer.
"""

import re
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final, NamedTuple

from blade.content import Value
from blade.rollout import Rollout, opened_fields

LONGEST_REASON: Final = 4_000
"""A longer text is a document rather than a reason."""

EPISODE_TRUNCATED: Final = "episode truncated"
"""What `truncated` says beside `terminated`: that a limit ended the episode, rather than the episode itself."""

_PART: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_TIME: Final = frozenset(("timeout", "timeouts", "timedout"))
_VERIFIER: Final = frozenset(
    ("eval", "evaluation", "evaluator", "verifier", "verify", "verification", "judge", "judging", "judgement", "grader", "grading", "scorer",
     "scoring", "tests", "autograder")
)  # fmt: skip
_CONTAINER: Final = frozenset(("container", "sandbox", "vm", "pod", "docker", "devbox"))
_TURNS: Final = frozenset(("turn", "turns", "step", "steps", "iteration", "iterations", "round", "rounds", "iters"))
_LIMIT: Final = frozenset(("limit", "max", "maximum", "budget", "cap"))
_HIT: Final = frozenset(("hit", "reached", "exceeded", "exhausted", "error", "over", "overrun", "used", "out"))
_FLAG: Final = _HIT | frozenset(("is", "was", "did", "has", "timed", "timedout", "flag", "got", "by"))
_CONFIG: Final = frozenset(("allow", "allowed", "enable", "enabled", "use", "on", "config", "per", "seconds", "sec", "secs", "s", "ms", "minutes", "num", "count", "rate", "params", "settings", "default"))  # fmt: skip
_NATURALLY: Final = frozenset(("naturally", "normally", "cleanly", "properly", "gracefully"))
_ENDED: Final = frozenset(("finished", "ended", "completed", "terminated", "stopped", "finish", "exit", "exited"))
_CANCELLED: Final = frozenset(("cancelled", "canceled", "aborted", "interrupted"))
_TROUBLE: Final = frozenset(
    (
        "error",
        "errors",
        "exception",
        "crash",
        "crashed",
        "unavailable",
        "invalid",
        "unparseable",
        "unparsable",
        "malformed",
        "broken",
    )
)
_REASON: Final = frozenset(("reason", "reasons", "status", "kind", "error", "cause", "outcome", "exit", "stop", "stopped", "termination", "terminate", "terminated", "terminal", "finish", "finished", "ending", "ended", "end", "failure", "exception", "incomplete", "state", "stopreason", "message"))  # fmt: skip
_ENDS: Final = frozenset(("finish", "stop", "termination", "terminate", "terminated", "incomplete", "end", "ended", "ending", "stopped", "exit", "stopreason"))  # fmt: skip
_EXTRACTED: Final = frozenset(("extracted", "parsed", "predicted", "prediction", "pred"))
_NOT_EXTRACTED: Final = frozenset(("at", "time", "tokens", "path", "dir", "file", "by", "from", "success", "successful", "ok", "failed", "fail", "error", "errors", "score", "confidence",
    "prob", "probability", "length", "size", "version", "method", "is", "was"))  # fmt: skip
_EXTRACTION: Final = frozenset(("extraction", "parse", "parsing", "extract", "extracted", "parsed"))
_SUCCESS: Final = frozenset(("success", "successful", "succeeded", "ok", "found"))
_FAILED: Final = frozenset(("failed", "fail", "failure", "error"))
_OF_GOLD: Final = frozenset(("gold", "expected", "reference", "target", "gt", "truth", "golden", "correct"))

_QUIET: Final = frozenset(
    {
        "",
        "none",
        "null",
        "no",
        "false",
        "ok",
        "0",
        "success",
        "succeeded",
        "completed",
        "complete",
        "passed",
        "pass",
        "done",
        "n/a",
        "normal",
        "stop",
        "finished",
        "end_turn",
        "true",
    }
)


class Says(NamedTuple):
    """What the name of a field makes of its value."""

    if_true: str = ""
    """The signal that `true`, or 1, stands for."""
    if_false: str = ""
    """The signal that `false`, or 0, stands for."""
    reason: bool = False
    """Whether a text is a reason why something ended or failed."""
    extracted: bool = False
    """Whether it holds what was taken out of the answer."""
    verifier: bool = False
    """Whether it speaks of the judge or the verifier."""
    ends: bool = False
    """Whether a text under it says how generation, or the episode, ended."""
    counts: bool = False
    """Whether a number under it can be a truth value, rather than a setting."""

    def listens_to(self, value: Value) -> bool:
        """Whether this value is worth a detector's look."""
        if value is None:
            return self.extracted
        if isinstance(value, bool):
            return bool(self.if_true if value else self.if_false)
        if isinstance(value, (int, float)):
            return self.counts and value == 1 and bool(self.if_true)
        if isinstance(value, str):
            return (self.extracted and not value.strip()) or (
                (self.reason or bool(self.if_true))
                and len(value) <= LONGEST_REASON
                and value.strip().lower() not in _QUIET
            )
        return False


class Telling(NamedTuple):
    """A field with a value that says something."""

    name: str
    value: Any
    says: Says

    @property
    def says_true(self) -> str:
        """The signal that its being true stands for, where it is."""
        is_true = self.value is True or (self.value == 1 and not isinstance(self.value, str))
        return self.says.if_true if is_true else ""

    @property
    def says_false(self) -> str:
        """The signal that its being false stands for, where it is."""
        return self.says.if_false if self.value is False else ""

    @property
    def quote(self) -> str:
        """The value as people write it."""
        if isinstance(self.value, str):
            return self.value
        return str(self.value).lower() if isinstance(self.value, (bool, int)) else ""


def telling_fields(rollout: Rollout) -> list[Telling]:
    """The fields of a rollout that say something."""
    found = []
    for name, value in opened_fields(rollout.fields):
        says = said_by(name)
        if says is not None and says.listens_to(value):
            found.append(Telling(name, value, says))
    return found


@lru_cache(maxsize=20_000)
def said_by(name: str) -> Says | None:
    """What a field of this name says; None for a name that says nothing of the kind."""
    parts = [part.lower() for part in _PART.findall(name[-200:])]
    words = frozenset(parts)
    verifier = bool(words & _VERIFIER)
    says = Says(
        if_true=_flagged(parts, words, verifier),
        if_false=_denied(words),
        reason=bool(frozenset(parts[-3:]) & _REASON) and not words & _CONFIG,
        extracted=bool(words & _EXTRACTED)
        and not words & (_OF_GOLD | _CONFIG | _NOT_EXTRACTED)
        and words != {"parsed"},
        verifier=verifier,
        ends=bool(words & _ENDS),
        counts=bool(words & _FLAG) or bool(words & _FAILED),
    )
    return says if says.if_true or says.if_false or says.reason or says.extracted else None


@lru_cache(maxsize=20_000)
def names_expected(name: str) -> bool:
    """Whether a field of this name holds the answer that is expected."""
    words = frozenset(part.lower() for part in _PART.findall(name[-200:]))
    return bool(words & _OF_GOLD) and not words & _CONFIG


def _flagged(parts: list[str], words: frozenset[str], verifier: bool) -> str:
    """The signal that a truth value under such a name stands for."""
    if words & _CONFIG:
        return ""
    if verifier:
        return "verifier time-out" if _is_time_out(parts, words) else "verifier error" if words & _TROUBLE else ""
    if _is_time_out(parts, words):
        return "container time-out" if words & _CONTAINER else "agent time-out"
    if "context" in words and words & {"exceeded", "overflow", "overflowed", "exhausted"}:
        return "context overflow"
    if words & _TURNS and words & _LIMIT and words & _HIT:
        return "turn limit"
    if words & {"output", "response", "generation", "completion"} and words & {"truncated", "cut"}:
        return "output truncated"
    if words <= {"truncated", "is", "was"} and "truncated" in words:
        return EPISODE_TRUNCATED
    if words & _CANCELLED:
        return "cancelled"
    return "nothing extracted" if words & _EXTRACTION and words & _FAILED else ""


def _is_time_out(parts: list[str], words: frozenset[str]) -> bool:
    pairs = set(pairwise(parts))
    named = words & _TIME or pairs & {("timed", "out"), ("time", "out"), ("time", "limit"), ("wall", "clock")}
    return bool(named) and (bool(words & _FLAG) or parts[-1] in _TIME)


def _denied(words: frozenset[str]) -> str:
    """The signal that `false` under such a name stands for."""
    if words & _ENDED and words & _NATURALLY:
        return "stopped from outside"
    parsed = words & _EXTRACTION and (words & _SUCCESS or words <= _EXTRACTION | _FLAG)
    return "nothing extracted" if parsed else ""
