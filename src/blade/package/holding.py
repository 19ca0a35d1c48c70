"""Texts of a package held against its runs: against all together, and where that contradicts, against their own alone.

A report on one model may have been written with this run alone in view: which modes there are depends on what
is looked at together, and "task 7" means the task of its own run.
"""

from collections.abc import Sequence

from blade.check.checking import Checked, check
from blade.check.claims.claim import CONTRADICTED
from blade.check.text.names import key_of
from blade.package.engine import Engine


def hold(engine: Engine, texts: Sequence[str], model: str) -> list[Checked]:
    """The claims of texts that speak of a model; contradicted are those that neither view bears out."""
    together = [check(text, engine.truth) for text in texts]
    run = engine.truth.aliases.get(key_of(model), "")
    if not run or not any(each.contradictions for each in together):
        return together
    with engine.alone(run) as truth:
        if truth is None:
            return together
        return [
            _both(each, check(text, truth)) if each.contradictions else each
            for text, each in zip(texts, together, strict=True)
        ]


def _both(together: Checked, alone: Checked) -> Checked:
    false = {each.claim for each in alone.contradictions}
    return Checked([each for each in together.claims if each.verdict != CONTRADICTED or each.claim in false])
