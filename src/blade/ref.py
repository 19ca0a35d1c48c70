"""Refs: `run:task/rollout#step`, the one way to point at evidence.

`Ref.parse("model_b:17/2#5")` is step 5 of the third attempt at task 17 of run model_b; `str(ref)`
gives the text back. Characters that would be ambiguous inside a part are percent-encoded.
"""

import re
from typing import NamedTuple
from urllib.parse import unquote

from blade.errors import RefError

_WIDE_SPACE = (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
RESERVED = "%:/#" + "".join(map(chr, range(0x21))) + "\x7f" + _WIDE_SPACE
"""Characters that are percent-encoded: those that separate the parts, white space, and controls."""

_RESERVED = re.compile(f"[{re.escape(RESERVED)}]")
_STEP = re.compile(r"i?\d{1,9}", re.ASCII)


class Ref(NamedTuple):
    """A place in a run: the rollout, and optionally one step of it (`"5"`, or `"i0"` in the prompt)."""

    run: str
    task: str
    rollout: str
    step: str | None = None

    @classmethod
    def parse(cls, text: str) -> "Ref":
        """Read a ref, or raise `RefError` with the shape that was expected."""
        body, hash_sign, step = text.strip().partition("#")
        run, colon, rest = body.partition(":")
        task, slash, rollout = rest.partition("/")
        if not (run and colon and task and slash and rollout) or ":" in rest or "/" in rollout:
            raise RefError(f"not a ref: {text!r}", hint="expected run:task/rollout or run:task/rollout#step")
        if hash_sign and not _STEP.fullmatch(step):
            raise RefError(
                f"not a step: {step!r} in {text!r}", hint="a step is a number, or i and a number in the prompt"
            )
        return cls(unquote(run), unquote(task), unquote(rollout), step or None)

    def __str__(self) -> str:
        place = f"{encode(self.run)}:{encode(self.task)}/{encode(self.rollout)}"
        return place if self.step is None else f"{place}#{self.step}"

    def at(self, step: int | str | None) -> "Ref":
        """The same rollout, at another step."""
        return self._replace(step=None if step is None else str(step))


def encode(part: str) -> str:
    """Percent-encode the characters that separate the parts of a ref, and white space."""
    return _RESERVED.sub(lambda match: code_of(match[0]), part)


def code_of(character: str) -> str:
    """A character percent-encoded."""
    return "".join(f"%{byte:02X}" for byte in character.encode())
