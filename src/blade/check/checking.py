"""A report held against the data: every claim with its verdict."""

from collections import Counter
from typing import Any, Final, NamedTuple

from blade.check.claims.claim import CONTRADICTED, SUPPORTED, VERDICTS, Judged
from blade.check.claims.kinds import KINDS
from blade.check.claims.scene import Scene
from blade.check.claims.truth import Truth
from blade.check.passages import read

_FEW: Final = 10


class Checked(NamedTuple):
    """The claims of a report, in the order of its lines."""

    claims: list[Judged]

    @property
    def counts(self) -> dict[str, int]:
        """How many claims have each verdict."""
        found = Counter(each.verdict for each in self.claims)
        return {verdict: found[verdict] for verdict in VERDICTS}

    @property
    def contradictions(self) -> list[Judged]:
        """Claims that do not hold."""
        return [each for each in self.claims if each.verdict == CONTRADICTED]

    @property
    def share_contradicted(self) -> float:
        """Of the claims that can be checked the share that do not hold; few claims are held against more."""
        counts = self.counts
        return counts[CONTRADICTED] / max(_FEW, counts[CONTRADICTED] + counts[SUPPORTED])

    def document(self) -> dict[str, Any]:
        """As data."""
        return {"counts": self.counts, "claims": [each.document() for each in self.claims]}


def check(source: str, truth: Truth) -> Checked:
    """Hold every claim of a Markdown report against what is true."""
    scene = Scene(read(source), truth)
    found = [judged for kind in KINDS for judged in kind.find(scene)]
    order = {kind.name: place for place, kind in enumerate(KINDS)}
    return Checked(sorted(dict.fromkeys(found), key=lambda each: (each.claim.line, order[each.claim.kind])))
