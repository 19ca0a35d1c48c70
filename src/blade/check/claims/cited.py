"""Evidence of a candidate looked up in the rollouts that it cites."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from blade.check.claims.truth import Truth
from blade.check.text.names import key_of
from blade.errors import RefError
from blade.ref import Ref

_MOST: Final = 48
"""Rollouts of a report that quotes are looked for in."""


class CitedRollouts:
    """Rollouts as `blade.check.scoring` asks for them."""

    def __init__(self, truth: Truth) -> None:
        self._truth = truth
        self._text = lru_cache(maxsize=2)(self._read)

    def resolves(self, ref: str) -> bool:
        """Whether a ref points to a rollout, and its step is there."""
        try:
            parsed = Ref.parse(ref)
        except RefError:
            return False
        if (parsed.run, parsed.task, parsed.rollout) not in self._truth.rollouts:
            return False
        texts = self._truth.texts
        if parsed.step is None or texts is None:
            return True
        steps = texts.prompt(ref) if parsed.step.startswith("i") else texts.steps(ref)
        return int(parsed.step.removeprefix("i")) < len(steps or ())

    def holds(self, quote: str, refs: Sequence[str]) -> bool:
        """Whether one of the rollouts at these refs says this."""
        return f" {key_of(quote)} " in self._text(tuple(refs[:_MOST]))

    def _read(self, refs: tuple[str, ...]) -> str:
        texts = self._truth.texts
        if texts is None:
            return ""
        found = dict.fromkeys(ref.partition("#")[0] for ref in refs if self.resolves(ref))
        return f" {' '.join(key_of(texts.whole(ref)) for ref in found)} "
