"""What a report claims, and what became of the claim."""

from types import MappingProxyType
from typing import Any, Final, NamedTuple

SUPPORTED: Final = "supported"
CONTRADICTED: Final = "contradicted"
NOT_CHECKABLE: Final = "not checkable"

VERDICTS: Final = MappingProxyType(
    {
        SUPPORTED: "The data say the same.",
        CONTRADICTED: "The data say something else; what, and where it stands, is told.",
        NOT_CHECKABLE: "It cannot be told what exactly is claimed, or the data do not speak of it.",
    }
)


class Claim(NamedTuple):
    """Something that a report says and that could be false."""

    kind: str
    """The name of a kind of claim."""
    text: str
    """The words that make it."""
    line: int
    subject: str
    """What it is about, as far as it is understood."""
    value: str
    """What it says of it."""


class Judged(NamedTuple):
    """A claim with its verdict."""

    claim: Claim
    verdict: str
    true: str = ""
    """What the data say, where they say something else."""
    source: str = ""
    """Where the data say it."""
    why: str = ""
    """Why it cannot be checked."""

    def document(self) -> dict[str, Any]:
        """As data."""
        return {
            **self.claim._asdict(),
            "verdict": self.verdict,
            "true": self.true or None,
            "source": self.source or None,
            "why": self.why or None,
        }


def supported(claim: Claim, source: str = "") -> Judged:
    """A claim that holds."""
    return Judged(claim, SUPPORTED, source=source)


def contradicted(claim: Claim, true: str, source: str) -> Judged:
    """A claim that does not hold."""
    return Judged(claim, CONTRADICTED, true=true, source=source)


def not_checkable(claim: Claim, why: str) -> Judged:
    """A claim of which nothing can be said."""
    return Judged(claim, NOT_CHECKABLE, why=why)
